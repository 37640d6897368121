//! Applies the results of attempts and of child jobs to a workflow job.
//!
//! Must not depend on how attempts are started or watched.

use std::path::Path;

use crate::Engine;
use crate::format::time;
use crate::runner::collected::outcome;
use crate::runner::context::Advance;
use crate::runner::job::Run;
use crate::runner::observation::ClusterState;
use howdah_executor::failure::NodeResult;
use howdah_executor::{self as executor, Report};
use howdah_host::attempt::AttemptState;
use howdah_host::command::WorkOutcome;
use howdah_host::slurm;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{Attempt, WorkflowNode};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};

/// Applies everything that happened to a job since it was last advanced, and advances it.
pub(crate) fn apply_results(
    advance: &mut Advance<'_>,
    over: &[(Attempt, AttemptState)],
    available: Vec<(String, NodeResult)>,
) -> Result<()> {
    if advance.run.row.status == WorkflowStatus::Prep {
        advance.start()?;
    }
    for (row, state) in over {
        advance.run.outcomes.push(outcome(row, state, advance.cause.at));
        let current =
            advance.run.node(&row.node).is_some_and(|node| node.status == NodeStatus::Running && node.run == row.run);
        if !current {
            continue;
        }
        if *state == AttemptState::Recalled {
            advance.recall(&row.node)?;
        }
        if let Some(result) = executor::result_of(Path::new(&row.directory), state, request(row).as_deref())? {
            advance.copy_report(&row.node, &Report::read(Path::new(&row.directory))?);
            advance.complete(&row.node, result)?;
        }
    }
    for (node, result) in available {
        if !advance.run.row.status.is_terminal() {
            advance.complete(&node, result)?;
        }
    }
    advance.retry()?;
    advance.start_held_nodes()
}

/// Stores the state that a cluster reports on the node of an attempt.
pub(crate) fn store_cluster_state(engine: &mut Engine, row: &Attempt, state: ClusterState) -> Result<()> {
    engine.store.transact(|transaction| {
        let node = transaction.workflow_node(row.job, &row.node)?;
        let Some(mut node) = node.filter(|node| node.status == NodeStatus::Running && node.run == row.run) else {
            return Ok(());
        };
        node.external_id = Some(state.id);
        node.external_status = Some(state.status);
        node.tracker_uri = Some(slurm::NAME.to_owned());
        transaction.update_workflow_node(NodeStatus::Running, &node).map(drop)
    })
}

/// Reads the results of child jobs that ended, and of nodes that became DONE while the job was suspended.
pub(crate) fn available_results(snapshot: &Snapshot, run: &Run) -> Result<Vec<(String, NodeResult)>> {
    let mut results = Vec::new();
    let open = |node: &&WorkflowNode| matches!(node.status, NodeStatus::Running | NodeStatus::Done);
    for node in run.nodes().filter(open) {
        let result = match (node.kind.is_sub_workflow(), node.status) {
            (true, _) => child_result(snapshot, node)?,
            (false, NodeStatus::Done) if run.row.status == WorkflowStatus::Running => last_result(snapshot, run, node)?,
            _ => None,
        };
        results.extend(result.map(|result| (node.name.clone(), result)));
    }
    Ok(results)
}

fn child_result(snapshot: &Snapshot, node: &WorkflowNode) -> Result<Option<NodeResult>> {
    let Some(id) = node.external_id.as_deref().and_then(JobId::parse) else { return Ok(None) };
    let child = snapshot.workflow_job(&id)?;
    Ok(child.and_then(|child| {
        executor::child_result(child.status, child.error_code.as_deref(), child.error_message.as_deref())
    }))
}

fn last_result(snapshot: &Snapshot, run: &Run, node: &WorkflowNode) -> Result<Option<NodeResult>> {
    let attempts = snapshot.attempts_of_node(run.row.job, &node.name)?;
    let result = |attempt: &Attempt| executor::result(Path::new(&attempt.directory), request(attempt).as_deref());
    attempts.last().map_or(Ok(None), result)
}

/// Removes from the folders of attempts what nothing needs after their good ends are stored.
pub fn tidy(over: &[(Attempt, AttemptState)]) {
    let has_ended_well =
        |state: &AttemptState| matches!(state, AttemptState::Ended(exit) if exit.outcome == WorkOutcome::Exited(0));
    for (row, _) in over.iter().filter(|(_, state)| has_ended_well(state)) {
        executor::tidy_recorded(Path::new(&row.directory));
    }
}

/// Returns when `kill` asked for the end of this attempt alone.
fn request(row: &Attempt) -> Option<String> {
    row.kill_requested_at.map(|at| format!("`kill` asked for its end at {}", time(at)))
}
