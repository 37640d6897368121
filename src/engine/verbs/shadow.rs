//! `shadow follow`: ends the actions of a shadow as Oozie has ended them.

use crate::coordinator::action_state::ActionEvent;
use crate::engine::Engine;
use crate::engine::shadow::required;
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::{move_action, settle_job};
use crate::error::Result;
use crate::model::origin::Origin;
use crate::model::row::{ActionKey, CoordinatorKey};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;
use crate::store::Transaction;

/// How an action is in Oozie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Followed {
    pub(crate) job: CoordinatorKey,
    pub(crate) number: u32,
    pub(crate) status: ActionStatus,
    /// Whether Oozie has started it.
    pub(crate) is_started: bool,
}

/// Takes over how actions ended, or were suspended; returns how many changed. An action that is not started here keeps
/// its status, but an operator's kill of one that had not started there is followed.
///
/// # Errors
/// H0246 when the database is no shadow, or any failure of the database.
pub(crate) fn follow(engine: &mut Engine, actions: &[Followed], now: Timestamp) -> Result<u32> {
    required(&engine.store)?;
    let mut changed = 0;
    let cause = Cause::new(now, Origin::Shadow);
    for batch in actions.chunk_by(|one, other| one.job == other.job) {
        changed += engine.store.transact(|transaction| {
            let mut changed = 0;
            for action in batch {
                changed += u32::from(follow_one(transaction, action, cause)?);
            }
            settle_job(transaction, batch[0].job, cause)?;
            Ok(changed)
        })?;
    }
    Ok(changed)
}

fn follow_one(transaction: &Transaction<'_>, followed: &Followed, cause: Cause<'_>) -> Result<bool> {
    let key = ActionKey { job: followed.job, number: followed.number };
    let Some(mut action) = transaction.coordinator_action(key)? else { return Ok(false) };
    let Some(event) = event(action.status, followed) else { return Ok(false) };
    let why = format!("it is {} in Oozie", followed.status);
    move_action(transaction, &mut action, event, cause.because(&why))
}

/// Returns what happens to an action here; `None` when nothing does.
fn event(here: ActionStatus, there: &Followed) -> Option<ActionEvent> {
    use ActionStatus as S;
    match (here, there.status) {
        (S::Running | S::Suspended, S::Succeeded) => Some(ActionEvent::WorkflowSucceeded),
        (S::Running | S::Suspended, S::Killed | S::Ignored) => Some(ActionEvent::WorkflowKilled),
        (S::Running | S::Suspended, S::Failed) => Some(ActionEvent::WorkflowFailed),
        (S::Running, S::Suspended) => Some(ActionEvent::WorkflowSuspended),
        (S::Suspended, S::Running) => Some(ActionEvent::WorkflowResumed),
        (S::Waiting | S::Ready, S::Killed) if !there.is_started => Some(ActionEvent::Kill),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_followed_and_decisions_are_not() {
        use ActionStatus as S;
        let check = |here, status, is_started, expect| {
            let there = Followed { job: CoordinatorKey::default(), number: 1, status, is_started };
            assert_eq!(event(here, &there), expect, "{here} {status}");
        };
        check(S::Running, S::Succeeded, true, Some(ActionEvent::WorkflowSucceeded));
        check(S::Running, S::Killed, true, Some(ActionEvent::WorkflowKilled));
        check(S::Running, S::Failed, false, Some(ActionEvent::WorkflowFailed));
        check(S::Running, S::Suspended, true, Some(ActionEvent::WorkflowSuspended));
        check(S::Suspended, S::Running, true, Some(ActionEvent::WorkflowResumed));
        check(S::Ready, S::Killed, false, Some(ActionEvent::Kill));
        check(S::Ready, S::Killed, true, None);
        check(S::Waiting, S::Succeeded, true, None);
        check(S::Waiting, S::TimedOut, false, None);
        check(S::Running, S::TimedOut, false, None);
    }
}
