//! Updates a coordinator action when its workflow job changes (`CoordActionUpdateXCommand`).
//!
//! The transaction that changes the workflow job also changes the action, so the two always agree. A parent workflow
//! job is not updated here: the runner reads its child jobs.

use crate::transition::cause::Cause;
use crate::transition::coordinator::{move_action, settle_job};
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, WorkflowJob};
use howdah_words::model::status::{ActionStatus, WorkflowStatus};

/// Updates the coordinator action of a workflow job whose status changed.
pub(crate) fn update_parent_action(
    transaction: &Transaction<'_>,
    workflow: &WorkflowJob,
    cause: Cause<'_>,
) -> Result<()> {
    let (Some(job), Some(number)) = (workflow.parent_coordinator, workflow.parent_action) else { return Ok(()) };
    let Some(mut action) = transaction.coordinator_action(ActionKey { job, number })? else { return Ok(()) };
    // A rerun of the action may have given it another workflow job.
    if action.external_id.as_deref() != Some(workflow.id.as_str()) {
        return Ok(());
    }
    // The start of the workflow job matters for the SLA, but does not change the action's status.
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

/// Returns why a workflow job did not succeed; `None` for every other status.
fn why_it_ended(workflow: &WorkflowJob) -> Option<String> {
    if !matches!(workflow.status, WorkflowStatus::Killed | WorkflowStatus::Failed) {
        return None;
    }
    let ended = format!("its workflow job {} is {}", workflow.id, workflow.status);
    let parts = [Some(ended), workflow.error_code.clone(), workflow.error_message.clone()];
    Some(parts.into_iter().flatten().collect::<Vec<_>>().join(": "))
}

/// Returns the event of the action for a status of its workflow job.
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
