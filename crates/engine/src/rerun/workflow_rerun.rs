//! Runs a workflow job again under its id (`ReRunXCommand`; workflow specification 10).
//!
//! `workflow::rerun` decides which nodes are skipped. The job is prepared outside the transaction, because its
//! definition is read again, and set back to PREP inside it. Skipped nodes keep their state, all others lose it;
//! attempts and their files stay.

use crate::Engine;
use crate::outbox::enqueue;
use crate::rerun::unknown_command::unknown_command;
use crate::rerun::walk::Walk;
use crate::sla::workflow::register_again;
use crate::stored_properties::{properties_text, read_properties};
use crate::submit::workflow::{self, PreparedWorkflow};
use crate::transition::cause::Cause;
use crate::transition::workflow::{Moves, move_workflow_job};
use howdah_oozie::workflow::job_state::{IllegalJobTransition, JobEvent};
use howdah_oozie::workflow::rerun::{FAIL_NODES, RerunScope};
use howdah_store::{Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{WorkflowJob, WorkflowNode};
use howdah_words::model::status::WorkflowStatus;

/// A workflow job that can run again.
#[derive(Clone, Debug)]
pub(crate) struct PreparedRerun {
    pub id: JobId,
    scope: RerunScope,
    workflow: PreparedWorkflow,
}

/// Reads and checks what a rerun needs: the job's configuration with `given` over it, the nodes to skip, and the
/// definition as it is now.
///
/// # Errors
/// E0404, E0805, E0806, E0807, and those of a submission.
pub(crate) fn prepare(engine: &Engine, job: &WorkflowJob, given: &Properties) -> Result<PreparedRerun> {
    let (mut configuration, nodes) = engine.store.read(|snapshot| {
        let stored = read_properties(&snapshot.document(job.configuration)?)?;
        Ok((stored, snapshot.workflow_nodes(job.job)?))
    })?;
    configuration.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
    let scope = RerunScope::take_from(&mut configuration)?;
    check_status(job)?;
    scope.skipped(ended(&nodes))?;
    let workflow = workflow::prepare(&engine.mounts, &engine.settings, &configuration)?;
    Ok(PreparedRerun { id: job.id.clone(), scope, workflow })
}

/// As [`prepare`] for what failed: the nodes that did not end OK run again.
///
/// # Errors
/// As [`prepare`].
pub(crate) fn prepare_failed(engine: &Engine, job: &WorkflowJob, given: &Properties) -> Result<PreparedRerun> {
    let mut given = given.clone();
    given.insert(FAIL_NODES.to_owned(), "true".to_owned());
    prepare(engine, job, &given)
}

/// Sets the job back to PREP in the open transaction and returns its row; the runner does the rest.
///
/// # Errors
/// E0604, E0805, E0806, E0807 when the job is no longer what it was prepared from.
pub(crate) fn apply(transaction: &Transaction<'_>, prepared: &PreparedRerun, cause: Cause<'_>) -> Result<WorkflowJob> {
    let row = transaction.workflow_job(&prepared.id)?;
    let mut row = row.ok_or_else(|| Error::new(ErrorCode::E0604, &prepared.id))?;
    let from = row.status;
    let moved = move_workflow_job(&mut row, JobEvent::Rerun, cause).map_err(|illegal| refusal(illegal, &row))?;
    let nodes = transaction.workflow_nodes(row.job)?;
    let before = Walk::of(&row)?;
    let kept = prepared.scope.skipped(ended(&nodes))?;
    transaction.forget_workflow_nodes(row.job, &kept)?;
    let children = match prepared.scope {
        RerunScope::FailedNodes => children(nodes.into_iter().filter(|node| !kept.contains(&node.name))),
        RerunScope::AllBut(_) => Walk::default().children,
    };
    let walk = Walk { instance: before.instance.again(&kept), kept, children, ..Walk::default() };
    row.instance = Some(walk.text());
    row.run += 1;
    row.started_at = None;
    row.ended_at = None;
    row.error_code = None;
    row.error_message = None;
    replace_definition(transaction, &mut row, &prepared.workflow)?;
    transaction.renew_workflow_life(row.job)?;
    register_again(transaction, &row, (&prepared.workflow.promises, &walk.kept), cause.at)?;
    // Sent to the receiver in the new configuration; its nodes have no event yet.
    let moves = Moves { job: &row, stored: from, nodes: &[], events: moved.as_slice() };
    moves.save_as_read(transaction, cause)?;
    Ok(row)
}

/// Runs the earlier child of a sub-workflow node again, if the rerun of its parent requires it; `None` when the node
/// needs a new one.
///
/// # Errors
/// A failure of the database.
pub(crate) fn child(
    transaction: &Transaction<'_>,
    before: Option<&str>,
    workflow: &PreparedWorkflow,
    cause: Cause<'_>,
) -> Result<Option<WorkflowJob>> {
    let Some(id) = before.and_then(JobId::parse) else { return Ok(None) };
    let is_over = transaction.workflow_job(&id)?.is_some_and(|child| child.status.is_terminal());
    let prepared = PreparedRerun { id, scope: RerunScope::FailedNodes, workflow: workflow.clone() };
    is_over.then(|| apply(transaction, &prepared, cause)).transpose()
}

/// Refuses a job that is not over, or whose commands are still being ended.
///
/// # Errors
/// E0805.
pub(crate) fn check_over(snapshot: &Snapshot, job: &WorkflowJob) -> Result<()> {
    check_status(job)?;
    if snapshot.has_open_attempts(job.job)? {
        // Oozie's sentence would say that a job that was killed is not completed. Clients show no help.
        let why = format!("Workflow job is {}, but {STILL_ENDING}", job.status);
        return Err(Error::plain(ErrorCode::E0805, why));
    }
    let action = match job.parent_coordinator.zip(job.parent_action) {
        Some((coordinator, number)) => {
            snapshot.coordinator_job_at(coordinator)?.map(|coordinator| format!("{}@{number}", coordinator.id))
        }
        None => None,
    };
    for subject in [Some(job.id.to_string()), action].into_iter().flatten() {
        if let Some(why) = unknown_command(snapshot, &subject)? {
            return Err(Error::plain(ErrorCode::E0805, format!("Workflow job is {}, but {why}", job.status)));
        }
    }
    Ok(())
}

/// Why something that has ended cannot run again yet.
pub(crate) const STILL_ENDING: &str = "its commands are still being ended; try again in a moment";

fn check_status(job: &WorkflowJob) -> Result<()> {
    use howdah_oozie::workflow::job_state::transition;
    transition(job.status, JobEvent::Rerun).map(drop).map_err(|illegal| refusal(illegal, job))
}

fn refusal(illegal: IllegalJobTransition, job: &WorkflowJob) -> Error {
    let help = match illegal.from {
        WorkflowStatus::Suspended => format!("resume it, or kill it first: howdah kill {}", job.id),
        _ => format!("wait for its end, or kill it first: howdah kill {}", job.id),
    };
    illegal.refusal(&job.id).help(help)
}

fn ended(nodes: &[WorkflowNode]) -> impl Iterator<Item = (&str, howdah_words::model::status::NodeStatus)> {
    nodes.iter().map(|node| (node.name.as_str(), node.status))
}

/// Returns the child of each sub-workflow node.
fn children(nodes: impl Iterator<Item = WorkflowNode>) -> std::collections::BTreeMap<String, String> {
    let of_children = nodes.filter(|node| node.kind.is_sub_workflow());
    of_children.filter_map(|node| Some((node.name, node.external_id?))).collect()
}

fn replace_definition(transaction: &Transaction<'_>, row: &mut WorkflowJob, workflow: &PreparedWorkflow) -> Result<()> {
    workflow.describe(row);
    row.definition = transaction.store_document(&workflow.source.text)?;
    row.configuration = transaction.store_document(&properties_text(&workflow.configuration))?;
    enqueue::remember_workflow(transaction, row.job, &workflow.configuration)
}
