//! Suspending, resuming and killing workflow jobs, in the transaction that is open.
//!
//! Only what the database says changes here; the processes of a killed job are stopped by the runner, which finds
//! open attempts whose nodes want them no more.

use crate::engine::change::Cause;
use crate::engine::workflow::mirror;
use crate::error::{Error, ErrorCode, Result};
use crate::model::status::{NodeStatus, WorkflowStatus};
use crate::store::{Event, Transaction, WorkflowJob, WorkflowNode};
use crate::workflow::action_state::{self, NodeEvent};
use crate::workflow::job_state::{self, JobEvent};

/// Suspends a job and, upwards, every workflow job that waits for it.
///
/// # Errors
/// E0727 when the job's status does not allow it.
pub(crate) fn suspend(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    move_job(transaction, job.clone(), JobEvent::Suspend, cause)?;
    let mut parent = job.parent_workflow;
    while let Some(key) = parent {
        let Some(above) = transaction.workflow_job_at(key)? else { break };
        parent = above.parent_workflow;
        if above.status == WorkflowStatus::Running {
            let reason = format!("its sub-workflow {} was suspended", job.id);
            move_job(transaction, above, JobEvent::Suspend, cause.because(&reason))?;
        }
    }
    Ok(())
}

/// Resumes a job; its parents are not resumed.
///
/// # Errors
/// E1100 when the job's status does not allow it.
pub(crate) fn resume(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    move_job(transaction, job.clone(), JobEvent::Resume, cause)
}

/// Kills a job, its unfinished nodes and its children.
///
/// # Errors
/// E0725 when the job's status does not allow it.
pub(crate) fn kill(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    move_job(transaction, job.clone(), JobEvent::Kill, cause)?;
    for node in transaction.workflow_nodes(job.job)? {
        if !node.status.is_terminal() {
            kill_node(transaction, node, cause)?;
        }
    }
    Ok(())
}

/// Kills the workflow job that a sub-workflow node runs, if it is not over.
pub(crate) fn kill_child(transaction: &Transaction<'_>, node: &WorkflowNode, cause: Cause<'_>) -> Result<()> {
    for child in transaction.workflow_jobs_of_node(node.job, &node.name)? {
        if !child.status.is_terminal() {
            let reason = format!("its parent's node {} was killed", node.name);
            kill(transaction, &child, cause.because(&reason))?;
        }
    }
    Ok(())
}

fn kill_node(transaction: &Transaction<'_>, mut node: WorkflowNode, cause: Cause<'_>) -> Result<()> {
    let from = node.status;
    let killed =
        action_state::transition(from, NodeEvent::Kill).map_err(|illegal| Error::new(ErrorCode::H0001, illegal))?;
    node.status = killed.to;
    node.ended_at = Some(cause.at);
    node.retry_at = None;
    node.external_status = Some(NodeStatus::Killed.to_string());
    transaction.update_workflow_node(from, &node)?;
    transaction.insert_event(&Event {
        workflow_job: Some(node.job),
        node: Some(node.name.clone()),
        ..cause.event(Some(from.as_str()), node.status.as_str())
    })?;
    kill_child(transaction, &node, cause)
}

/// Moves a job, stores it with its event and tells the coordinator action above it.
fn move_job(transaction: &Transaction<'_>, mut job: WorkflowJob, event: JobEvent, cause: Cause<'_>) -> Result<()> {
    let from = job.status;
    let transition = job_state::transition(from, event).map_err(|illegal| illegal.refusal(&job.id))?;
    job.status = transition.to;
    job.modified_at = cause.at;
    if transition.to.is_terminal() {
        job.ended_at = Some(cause.at);
    }
    transaction.update_workflow_job(from, &job)?;
    let event = cause.event(Some(from.as_str()), job.status.as_str());
    transaction.insert_event(&Event { workflow_job: Some(job.job), ..event })?;
    mirror::tell_parent(transaction, &job, cause)
}
