//! Observes the subject of a registration: a coordinator action, a workflow job, or one of its nodes.
//!
//! The work of an action is its workflow job; an action without one ended when its row was last changed. A node that
//! its workflow job has not reached waits, and is over with the job.

use howdah_oozie::sla::machine::{Observation, SlaEnd};
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, SlaRegistration, WorkflowKey};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;

/// A subject as it is now.
pub struct Seen {
    /// Its status, as it is printed.
    pub status: String,
    pub observation: Observation,
}

/// Observes the subject; `None` when it does not exist any more.
pub fn of(snapshot: &Snapshot, registration: &SlaRegistration) -> Result<Option<Seen>> {
    match (registration.action(), registration.workflow_job, registration.node.as_deref()) {
        (Some(action), _, _) => of_action(snapshot, action),
        (None, Some(job), None) => of_workflow(snapshot, job),
        (None, Some(job), Some(node)) => of_node(snapshot, job, node),
        (None, None, _) => Ok(None),
    }
}

fn of_action(snapshot: &Snapshot, key: ActionKey) -> Result<Option<Seen>> {
    let Some(action) = snapshot.coordinator_action(key)? else { return Ok(None) };
    let workflow = snapshot.workflow_job_of_action(&action)?;
    let started = workflow.as_ref().and_then(|workflow| workflow.started_at);
    let worked_until = workflow.and_then(|workflow| workflow.ended_at);
    let end = SlaEnd::of_action(action.status);
    Ok(Some(Seen {
        status: action.status.to_string(),
        observation: observation(end, (started, worked_until), action.modified_at),
    }))
}

fn of_workflow(snapshot: &Snapshot, key: WorkflowKey) -> Result<Option<Seen>> {
    let Some(job) = snapshot.workflow_job_at(key)? else { return Ok(None) };
    let observation = observation(end(job.status), (job.started_at, job.ended_at), job.modified_at);
    Ok(Some(Seen { status: job.status.to_string(), observation }))
}

fn end(status: WorkflowStatus) -> Option<SlaEnd> {
    match status {
        WorkflowStatus::Prep | WorkflowStatus::Running | WorkflowStatus::Suspended => None,
        WorkflowStatus::Succeeded => Some(SlaEnd::Fine),
        WorkflowStatus::Killed | WorkflowStatus::Failed => Some(SlaEnd::Lost),
    }
}

fn of_node(snapshot: &Snapshot, job: WorkflowKey, name: &str) -> Result<Option<Seen>> {
    let Some(node) = snapshot.workflow_node(job, name)? else { return of_node_ahead(snapshot, job) };
    let end = match node.status {
        NodeStatus::Ok => Some(SlaEnd::Fine),
        NodeStatus::Error | NodeStatus::Killed | NodeStatus::Failed => Some(SlaEnd::Lost),
        _ => None,
    };
    let at = node.ended_at.or(node.started_at).unwrap_or_default();
    Ok(Some(Seen {
        status: node.status.to_string(),
        observation: observation(end, (node.started_at, node.ended_at), at),
    }))
}

/// Observes a node that the job has not reached: it has the end of its job.
fn of_node_ahead(snapshot: &Snapshot, job: WorkflowKey) -> Result<Option<Seen>> {
    let Some(job) = snapshot.workflow_job_at(job)? else { return Ok(None) };
    let observation = observation(end(job.status), (None, job.ended_at), job.modified_at);
    Ok(Some(Seen { status: NodeStatus::Prep.to_string(), observation }))
}

/// `work`: when the work started, and when it ended.
fn observation(end: Option<SlaEnd>, work: (Option<Timestamp>, Option<Timestamp>), at: Timestamp) -> Observation {
    let (started, worked_until) = work;
    match end {
        None => Observation::Underway { started },
        Some(end) => Observation::Ended { end, started, worked_until, at },
    }
}
