//! Decides what suspend, resume and kill change in a coordinator job, from its stored actions.

use howdah_oozie::coordinator::operation::{Decision, kill, suspend};
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// What to do to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    Suspend,
    Resume,
    Kill,
}

impl Verb {
    /// Returns the origin of its events.
    pub const fn origin(self) -> Origin {
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
pub fn decide(transaction: &Transaction<'_>, job: &CoordinatorJob, verb: Verb, now: Timestamp) -> Result<Decision> {
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
