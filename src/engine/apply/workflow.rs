//! Suspending, resuming and killing workflow jobs, and killing the work of one node, in the transaction that is open.
//!
//! Only what the database says changes here; processes are stopped by the runner, which finds open attempts that nobody
//! wants any more.

use crate::engine::transition::cause::Cause;
use crate::engine::transition::origin::SUB_WORKFLOW;
use crate::engine::transition::{parent_action, workflow};
use crate::error::{Error, ErrorCode, Result};
use crate::model::id::JobId;
use crate::model::status::WorkflowStatus;
use crate::model::time::Timestamp;
use crate::store::{Attempt, AttemptState, Transaction, WorkflowJob, WorkflowNode};
use crate::workflow::action_state::NodeEvent;
use crate::workflow::job_state::JobEvent;

/// Suspends a job with its running sub-workflows and, upwards, every workflow job that waits for it.
///
/// # Errors
/// E0727 when the job's status does not allow it.
pub(crate) fn suspend(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    move_job(transaction, job.clone(), JobEvent::Suspend, cause)?;
    pass_down(transaction, job, WorkflowStatus::Running, (JobEvent::Suspend, cause))?;
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

/// Resumes a job with its suspended sub-workflows; its parents are not resumed.
///
/// # Errors
/// E1100 when the job's status does not allow it.
pub(crate) fn resume(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    move_job(transaction, job.clone(), JobEvent::Resume, cause)?;
    pass_down(transaction, job, WorkflowStatus::Suspended, (JobEvent::Resume, cause))
}

/// What an operator must know of the jobs that wait for a job, as it stands after a verb: those that are suspended go
/// on only when they are resumed themselves. `None` when none is.
///
/// # Errors
/// A failure of the database.
pub(crate) fn suspended_above(transaction: &Transaction<'_>, job: &WorkflowJob) -> Result<Option<String>> {
    let mut suspended = Vec::new();
    let mut parent = job.parent_workflow;
    while let Some(above) = parent.map(|key| transaction.workflow_job_at(key)).transpose()?.flatten() {
        parent = above.parent_workflow;
        if above.status == WorkflowStatus::Suspended {
            suspended.push(above.id.to_string());
        }
    }
    // Resuming a job resumes what is below it.
    let Some(highest) = suspended.last() else { return Ok(None) };
    let too = if job.status == WorkflowStatus::Suspended { "too" } else { "still" };
    Ok(Some(match suspended.len() {
        1 => format!("its parent {highest} is SUSPENDED {too}; it goes on with: howdah resume {highest}"),
        _ => format!(
            "its parents {} are SUSPENDED {too}; they go on with: howdah resume {highest}",
            suspended.join(", ")
        ),
    }))
}

/// Moves the sub-workflows below a job that have the status `from`, with theirs.
fn pass_down(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    from: WorkflowStatus,
    (event, cause): (JobEvent, Cause<'_>),
) -> Result<()> {
    for node in transaction.workflow_nodes(job.job)?.iter().filter(|node| node.kind == SUB_WORKFLOW) {
        for child in transaction.workflow_jobs_of_node(node.job, &node.name)? {
            if child.status == from {
                let reason = format!("its parent {} does the same", job.id);
                move_job(transaction, child.clone(), event, cause.because(&reason))?;
                pass_down(transaction, &child, from, (event, cause))?;
            }
        }
    }
    Ok(())
}

/// Kills a job, its unfinished nodes and its children.
///
/// # Errors
/// E0725 when the job's status does not allow it.
pub(crate) fn kill(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<()> {
    move_job(transaction, job.clone(), JobEvent::Kill, cause)?;
    for node in transaction.workflow_nodes(job.job)? {
        if !node.status.is_terminal() {
            kill_node(transaction, job, node, cause)?;
        }
    }
    Ok(())
}

/// What was told to end of a node at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// The attempt of this number: the runner ends it.
    Attempt(u32),
    /// The sub-workflow, with all that is below it.
    Child(JobId),
    /// Its attempt was told so at this time already.
    AskedBefore(Timestamp),
    /// Its work is over.
    Nothing,
}

/// Has the work of a RUNNING node ended; its job goes on with what the node comes to. The event of it changes no
/// status, and nobody else is told.
///
/// # Errors
/// A failure of the database.
pub(crate) fn kill_work(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    node: &WorkflowNode,
    cause: Cause<'_>,
) -> Result<Ended> {
    let ended = if node.kind == SUB_WORKFLOW {
        let children = transaction.workflow_jobs_of_node(job.job, &node.name)?;
        let open = children.into_iter().find(|child| !child.status.is_terminal());
        kill_child(transaction, node, cause)?;
        open.map_or(Ended::Nothing, |child| Ended::Child(child.id))
    } else {
        let attempts = transaction.attempts_of_node(job.job, &node.name)?;
        let is_open = |attempt: &&Attempt| attempt.run == node.run && attempt.state == AttemptState::Started;
        match attempts.iter().rfind(is_open) {
            None => Ended::Nothing,
            Some(open) if transaction.request_kill(open.attempt, cause.at)? => Ended::Attempt(open.number),
            Some(open) => Ended::AskedBefore(open.kill_requested_at.unwrap_or(cause.at)),
        }
    };
    if matches!(ended, Ended::Attempt(_) | Ended::Child(_)) {
        transaction.insert_event(&workflow::node_event(node, Some(node.status), cause))?;
    }
    Ok(ended)
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

/// Whether a refusal says that the job's status does not allow the verb.
pub(crate) fn is_about_status(error: &Error) -> bool {
    matches!(error.code(), ErrorCode::E0725 | ErrorCode::E0727 | ErrorCode::E1100)
}

fn kill_node(transaction: &Transaction<'_>, job: &WorkflowJob, mut node: WorkflowNode, cause: Cause<'_>) -> Result<()> {
    let from = node.status;
    let event = workflow::move_node(&mut node, NodeEvent::Kill, cause)
        .map_err(|illegal| Error::new(ErrorCode::H0001, illegal))?;
    transaction.update_workflow_node(from, &node)?;
    workflow::record_workflow(transaction, job, &[event], |_| Some(&node))?;
    kill_child(transaction, &node, cause)
}

/// Moves a job, stores it with its event and tells the coordinator action above it.
fn move_job(transaction: &Transaction<'_>, mut job: WorkflowJob, event: JobEvent, cause: Cause<'_>) -> Result<()> {
    let from = job.status;
    let moved = workflow::move_workflow_job(&mut job, event, cause).map_err(|illegal| illegal.refusal(&job.id))?;
    let Some(event) = moved else { return Ok(()) };
    transaction.update_workflow_job(from, &job)?;
    workflow::record_workflow(transaction, &job, &[event], |_| None)?;
    parent_action::tell_parent(transaction, &job, cause)
}
