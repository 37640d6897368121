//! Suspends, resumes and kills workflow jobs, and kills the work of one node, in the open transaction.
//!
//! Changes only the database: the runner stops the processes of attempts that are no longer wanted.

use crate::transition::cause::Cause;
use crate::transition::workflow::{self, MovedNode, Moves};
use howdah_oozie::workflow::action_state::NodeEvent;
use howdah_oozie::workflow::job_state::{IllegalJobTransition, JobEvent};
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{Attempt, AttemptState, Event, WorkflowJob, WorkflowNode};
use howdah_words::model::status::WorkflowStatus;
use howdah_words::model::time::Timestamp;

/// Whether the status of a job allowed a command; nothing was changed if not.
pub(crate) type Allowed = std::result::Result<(), IllegalJobTransition>;

/// Suspends a job, its running sub-workflows, and every running workflow job above it.
///
/// # Errors
/// A failure of the database.
pub fn suspend(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<Allowed> {
    let allowed = move_job(transaction, job.clone(), JobEvent::Suspend, cause)?;
    if allowed.is_err() {
        return Ok(allowed);
    }
    move_children(transaction, job, WorkflowStatus::Running, (JobEvent::Suspend, cause))?;
    let mut parent = job.parent_workflow;
    while let Some(key) = parent {
        let Some(above) = transaction.workflow_job_at(key)? else { break };
        parent = above.parent_workflow;
        if above.status == WorkflowStatus::Running {
            let reason = format!("its sub-workflow {} was suspended", job.id);
            must_move_job(transaction, above, JobEvent::Suspend, cause.because(&reason))?;
        }
    }
    Ok(Ok(()))
}

/// Resumes a job and its suspended sub-workflows, but not its parents.
///
/// # Errors
/// A failure of the database.
pub fn resume(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<Allowed> {
    let allowed = move_job(transaction, job.clone(), JobEvent::Resume, cause)?;
    if allowed.is_ok() {
        move_children(transaction, job, WorkflowStatus::Suspended, (JobEvent::Resume, cause))?;
    }
    Ok(allowed)
}

/// Returns a note about the suspended parents of a job, which continue only when they are resumed themselves; `None`
/// when no parent is suspended.
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
        1 => format!("its parent {highest} is SUSPENDED {too}; continue it with: howdah resume {highest}"),
        _ => format!(
            "its parents {} are SUSPENDED {too}; continue them with: howdah resume {highest}",
            suspended.join(", ")
        ),
    }))
}

/// Moves all sub-workflows below a job that have the status `from`.
fn move_children(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    from: WorkflowStatus,
    (event, cause): (JobEvent, Cause<'_>),
) -> Result<()> {
    for node in transaction.workflow_nodes(job.job)?.iter().filter(|node| node.kind.is_sub_workflow()) {
        for child in transaction.workflow_jobs_of_node(node.job, &node.name)? {
            if child.status == from {
                let reason = format!("its parent {} does the same", job.id);
                must_move_job(transaction, child.clone(), event, cause.because(&reason))?;
                move_children(transaction, &child, from, (event, cause))?;
            }
        }
    }
    Ok(())
}

/// Kills a job, its unfinished nodes and its children.
///
/// # Errors
/// A failure of the database.
pub fn kill(transaction: &Transaction<'_>, job: &WorkflowJob, cause: Cause<'_>) -> Result<Allowed> {
    let mut row = job.clone();
    let mut events: Vec<Event> = match workflow::move_workflow_job(&mut row, JobEvent::Kill, cause) {
        Ok(moved) => moved.into_iter().collect(),
        Err(illegal) => return Ok(Err(illegal)),
    };
    let open = transaction.workflow_nodes(job.job)?.into_iter().filter(|node| !node.status.is_terminal());
    let mut killed = Vec::new();
    for mut node in open {
        let stored = node.status;
        let event = workflow::move_node(&mut node, NodeEvent::Kill, cause)
            .map_err(|illegal| Error::new(ErrorCode::H0001, illegal))?;
        events.push(event);
        killed.push((node, stored));
    }
    if events.is_empty() {
        return Ok(Ok(()));
    }
    let nodes: Vec<MovedNode<'_>> =
        killed.iter().map(|(row, stored)| MovedNode { row, stored: Some(*stored) }).collect();
    let moves = Moves { job: &row, stored: job.status, nodes: &nodes, events: &events };
    moves.save_as_read(transaction, cause)?;
    for (node, _) in &killed {
        kill_child(transaction, node, cause)?;
    }
    Ok(Ok(()))
}

/// What was ended of a running node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The attempt of this number: the runner ends it.
    Attempt(u32),
    /// The sub-workflow, with everything below it.
    Child(JobId),
    /// The end of its attempt was requested before, at this time.
    AskedBefore(Timestamp),
    /// Its work is over.
    Nothing,
}

/// Ends the work of a RUNNING node; its job continues with the node's result. The recorded event changes no status, and
/// no other job changes.
///
/// # Errors
/// A failure of the database.
pub(crate) fn kill_work(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    node: &WorkflowNode,
    cause: Cause<'_>,
) -> Result<Ended> {
    let ended = if node.kind.is_sub_workflow() {
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
            kill(transaction, &child, cause.because(&reason))?.map_err(|illegal| illegal.refusal(&child.id))?;
        }
    }
    Ok(())
}

/// Moves a job and stores it with its event.
fn move_job(transaction: &Transaction<'_>, mut job: WorkflowJob, event: JobEvent, cause: Cause<'_>) -> Result<Allowed> {
    let stored = job.status;
    let moved = match workflow::move_workflow_job(&mut job, event, cause) {
        Ok(Some(moved)) => moved,
        Ok(None) => return Ok(Ok(())),
        Err(illegal) => return Ok(Err(illegal)),
    };
    Moves { job: &job, stored, nodes: &[], events: &[moved] }.save_as_read(transaction, cause).map(Ok)
}

/// Moves a job whose status must allow it, and stores it with its event.
fn must_move_job(transaction: &Transaction<'_>, job: WorkflowJob, event: JobEvent, cause: Cause<'_>) -> Result<()> {
    let id = job.id.clone();
    move_job(transaction, job, event, cause)?.map_err(|illegal| illegal.refusal(&id))
}
