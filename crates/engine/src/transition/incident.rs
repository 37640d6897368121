//! Notes what the alerts and the failure policy of a site may concern, in the transaction of the change.
//!
//! The settings of the site are not needed here: what follows is decided by the process that has them
//! (`engine::follow_up`), whichever process made the change.

use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::alert::AlertEvent;
use howdah_words::model::row::{ActionKey, Event, Incident, PolicyRerun, WorkflowJob};
use howdah_words::model::status::ActionStatus;

/// Notes a change of an action, or of a workflow job without a job above it.
pub(super) fn note(transaction: &Transaction<'_>, event: &Event) -> Result<()> {
    match event.to_status.as_str() {
        "FAILED" => note_as(transaction, event, AlertEvent::Failed),
        "KILLED" => note_as(transaction, event, AlertEvent::Killed),
        "TIMEDOUT" => note_as(transaction, event, AlertEvent::TimedOut),
        "SUCCEEDED" => transaction.insert_recovery(event),
        _ => Ok(()),
    }
}

/// Notes that a coordinator job failed: its actions do not say so.
pub(super) fn note_failed_job(transaction: &Transaction<'_>, event: &Event) -> Result<()> {
    if event.to_status == "FAILED" { note_as(transaction, event, AlertEvent::Failed) } else { Ok(()) }
}

/// Notes that a bundle did not succeed, or has recovered.
pub(super) fn note_bundle(transaction: &Transaction<'_>, event: &Event) -> Result<()> {
    match event.to_status.as_str() {
        "FAILED" => note_as(transaction, event, AlertEvent::Failed),
        "KILLED" => note_as(transaction, event, AlertEvent::Killed),
        "DONEWITHERROR" => {
            let why = "it is DONEWITHERROR: at least one of its coordinators did not succeed";
            let reason = event.reason.clone().or_else(|| Some(why.to_owned()));
            note_as(transaction, &Event { reason, ..event.clone() }, AlertEvent::Failed)
        }
        "SUCCEEDED" => transaction.insert_recovery(event),
        _ => Ok(()),
    }
}

/// Notes that a node cannot be started, for the action or the job at the top of its workflow job.
pub(super) fn note_blocked(transaction: &Transaction<'_>, job: &WorkflowJob, event: &Event) -> Result<()> {
    let mut top = job.clone();
    while let Some(above) = top.parent_workflow.map(|above| transaction.workflow_job_at(above)).transpose()?.flatten() {
        top = above;
    }
    let node = event.node.as_deref().unwrap_or_default();
    let reason = event.reason.as_deref().unwrap_or_default();
    transaction.insert_incident(&Incident {
        coordinator_job: top.parent_coordinator,
        action_number: top.parent_action,
        workflow_job: top.parent_coordinator.is_none().then_some(top.job),
        reason: Some(format!("{}@{node} cannot be started: {reason}", job.id)),
        ..Incident::new(event.at, AlertEvent::Suspended)
    })
}

fn note_as(transaction: &Transaction<'_>, event: &Event, kind: AlertEvent) -> Result<()> {
    transaction.insert_incident(&Incident {
        coordinator_job: event.coordinator_job,
        action_number: event.action_number,
        last_action_number: event.last_action_number,
        workflow_job: event.workflow_job,
        bundle_job: event.bundle_job,
        actor: event.actor.clone(),
        reason: event.reason.clone(),
        ..Incident::new(event.at, kind)
    })
}

/// Keeps the plan of the failure policy for an action up to date: a command of a user ends it, and a rerun of the
/// policy itself counts.
pub(super) fn note_rerun(
    transaction: &Transaction<'_>,
    action: ActionKey,
    (from, to): (ActionStatus, ActionStatus),
    event: &Event,
) -> Result<()> {
    if event.actor.is_some() {
        return transaction.forget_policy_rerun(action);
    }
    if !from.is_terminal() || to.is_terminal() {
        return Ok(());
    }
    let Some(plan) = transaction.policy_rerun(action)? else { return Ok(()) };
    transaction.set_policy_rerun(&PolicyRerun { reruns: plan.reruns.saturating_add(1), rerun_at: None, ..plan })
}
