//! A coordinator action shows what its workflow job does (`CoordActionUpdateXCommand`).
//!
//! Done in the transaction that changes the workflow job, so the two never disagree. A parent workflow job is not
//! told here: its runner looks at its children.

use crate::coordinator::action_state::ActionEvent;
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::{move_action, settle_job};
use crate::error::Result;
use crate::model::row::{ActionKey, WorkflowJob};
use crate::model::status::{ActionStatus, WorkflowStatus};
use crate::store::Transaction;

/// Carries the workflow job's new status over to the coordinator action that it hangs below.
pub(crate) fn tell_parent(transaction: &Transaction<'_>, workflow: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    let (Some(job), Some(number)) = (workflow.parent_coordinator, workflow.parent_action) else { return Ok(()) };
    let Some(mut action) = transaction.coordinator_action(ActionKey { job, number })? else { return Ok(()) };
    // An action that was rerun meanwhile belongs to another workflow job.
    if action.external_id.as_deref() != Some(workflow.id.as_str()) {
        return Ok(());
    }
    // Its start is one of the promised times, and changes no status of the action.
    transaction.touch_sla(action.key(), cause.at)?;
    let Some(event) = event(workflow.status, action.status) else { return Ok(()) };
    action.external_status = Some(workflow.status.to_string());
    let why = why_it_ended(workflow);
    let cause = cause.or_because(why.as_deref());
    if move_action(transaction, &mut action, event, cause)? {
        settle_job(transaction, job, cause)?;
    }
    Ok(())
}

/// Why a workflow job ended badly; `None` for every other status.
fn why_it_ended(workflow: &WorkflowJob) -> Option<String> {
    if !matches!(workflow.status, WorkflowStatus::Killed | WorkflowStatus::Failed) {
        return None;
    }
    let ended = format!("its workflow job {} is {}", workflow.id, workflow.status);
    let parts = [Some(ended), workflow.error_code.clone(), workflow.error_message.clone()];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(": "))
}

/// What the workflow's status means for an action.
fn event(workflow: WorkflowStatus, action: ActionStatus) -> Option<ActionEvent> {
    match workflow {
        WorkflowStatus::Succeeded => Some(ActionEvent::WorkflowSucceeded),
        WorkflowStatus::Killed => Some(ActionEvent::WorkflowKilled),
        WorkflowStatus::Failed => Some(ActionEvent::WorkflowFailed),
        WorkflowStatus::Suspended => Some(ActionEvent::WorkflowSuspended),
        WorkflowStatus::Running => (action == ActionStatus::Suspended).then_some(ActionEvent::WorkflowResumed),
        WorkflowStatus::Prep => None,
    }
}
