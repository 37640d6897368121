//! Whether an action may still start in the open transaction.

use howdah_oozie::coordinator::queue;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorAction, CoordinatorKey};

/// Checks whether the job still starts actions: it, or all jobs, may have been stopped after it was read.
pub(super) fn may_start_now(transaction: &Transaction<'_>, job: CoordinatorKey) -> Result<bool> {
    if transaction.site_pause()?.is_some() {
        return Ok(false);
    }
    Ok(transaction.coordinator_status(job)?.is_some_and(queue::may_start))
}

/// Checks whether the job still starts actions and the action is still READY.
pub(super) fn is_its_turn(transaction: &Transaction<'_>, action: &CoordinatorAction) -> Result<bool> {
    let stored = transaction.coordinator_action(action.key())?;
    Ok(stored.is_some_and(|stored| stored.status == action.status) && may_start_now(transaction, action.job)?)
}
