//! What happens in a shadow when an action would start: its turn is recorded, and nothing runs.

use crate::tick::context::Tick;
use crate::tick::turn::is_its_turn;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{move_action_through, settle_job};
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_words::error::Result;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, Shadow};

/// Records that an action would start now. It takes a place of its job until `shadow follow` ends it; in a shadow that
/// does not follow, it ends in the same moment, so that the next action gets its turn.
pub(super) fn would_start(
    tick: &mut Tick<'_>,
    (job, shadow): (&CoordinatorJob, Shadow),
    mut action: CoordinatorAction,
) -> Result<bool> {
    let cause = Cause::new(tick.now, Origin::Start);
    let starts = [
        (ActionEvent::SlotFree, cause),
        (ActionEvent::WorkflowStarted, cause.because("it would start now; nothing starts in a shadow")),
    ];
    let ends = (ActionEvent::WorkflowSucceeded, cause.because("this shadow does not follow how actions end in Oozie"));
    let moves: Vec<_> = starts.into_iter().chain((!shadow.follows).then_some(ends)).collect();
    tick.engine.store.transact(|transaction| {
        let moved = is_its_turn(transaction, &action)? && move_action_through(transaction, &mut action, &moves)?;
        settle_job(transaction, job.job, cause)?;
        Ok(moved)
    })
}
