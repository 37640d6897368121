//! Decides what suspend, resume and kill change in a coordinator job, from its stored actions.

use crate::coordinator::operation::{Decision, kill, suspend};
use crate::error::Result;
use crate::model::origin::Origin;
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;
use crate::store::{ActionFilter, ActionOrder, Page, Transaction};

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
        Verb::Kill => kill::kill(job, &killed_with_job(transaction, job)?),
    })
}

/// Reads the actions that are killed with their job, by number.
pub(crate) fn killed_with_job(transaction: &Transaction<'_>, job: &CoordinatorJob) -> Result<Vec<CoordinatorAction>> {
    let mut actions = transaction.open_actions(job.job)?;
    // No index finds skipped actions, so only a job that has some is searched.
    if transaction.action_counts(job.job)?.contains_key(&ActionStatus::Skipped) {
        let skipped = ActionFilter { statuses: vec![ActionStatus::Skipped], ..ActionFilter::default() };
        let all = Page { offset: 0, len: u32::MAX };
        actions.extend(transaction.action_page(job.job, &skipped, ActionOrder::OldestFirst, all)?.actions);
        actions.sort_by_key(|action| action.number);
    }
    Ok(actions)
}
