//! Decides what suspend, resume and kill change in a coordinator job, from its stored actions.

use crate::coordinator::operation::{Decision, kill, suspend};
use crate::error::Result;
use crate::model::origin::Origin;
use crate::model::row::CoordinatorJob;
use crate::model::time::Timestamp;
use crate::store::Transaction;

/// What to do to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Suspend,
    Resume,
    Kill,
}

impl Verb {
    /// Returns the origin of its events.
    pub(crate) const fn origin(self) -> Origin {
        match self {
            Self::Suspend => Origin::Suspend,
            Self::Resume => Origin::Resume,
            Self::Kill => Origin::Kill,
        }
    }
}

/// Decides what the command changes in a coordinator job.
///
/// # Errors
/// A failure of the database.
pub(crate) fn decide(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    verb: Verb,
    now: Timestamp,
) -> Result<Decision> {
    let started = || transaction.started_actions(job.job);
    Ok(match verb {
        Verb::Suspend => suspend::suspend(job, &started()?, now),
        Verb::Resume => suspend::resume(job, &started()?),
        Verb::Kill => {
            let started = transaction.killable_started_actions(job.job)?;
            kill::kill_with_groups(job, &started, transaction.unstarted_groups(job.job)?)
        }
    })
}
