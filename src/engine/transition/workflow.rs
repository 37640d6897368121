//! Every change of the status of a workflow job or of a node, with its event.
//!
//! The rows are only changed in memory: the runner stores a whole run at once.

use crate::engine::outbox::enqueue::Listener;
use crate::engine::transition::cause::Cause;
use crate::error::{ErrorCode, Result};
use crate::model::status::NodeStatus;
use crate::store::{Event, Transaction, WorkflowJob, WorkflowNode};
use crate::workflow::action_state::{self as node_state, IllegalNodeTransition, NodeEvent};
use crate::workflow::job_state::{self as workflow_state, IllegalJobTransition};

/// Stores the events of a workflow job and of its nodes, which `node` finds by their names, and tells of them; what was
/// promised of them is looked at by the next tick.
pub(crate) fn record_workflow<'n>(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    events: &[Event],
    node: impl Fn(&str) -> Option<&'n WorkflowNode>,
) -> Result<()> {
    let Some(latest) = events.last() else { return Ok(()) };
    transaction.touch_workflow_sla(job.job, latest.at)?;
    let listener = Listener::of(transaction, job)?;
    for event in events {
        transaction.insert_event(event)?;
        let Some(listener) = &listener else { continue };
        match event.node.as_deref() {
            None => listener.tell_of_job(transaction, event)?,
            Some(name) => {
                if let Some(node) = node(name) {
                    listener.tell_of_node(transaction, node, event)?;
                }
            }
        }
    }
    Ok(())
}

/// Moves a workflow job in memory; answers the event to store, `None` when the status stays what it is.
pub(crate) fn move_workflow_job(
    job: &mut WorkflowJob,
    event: workflow_state::JobEvent,
    cause: Cause<'_>,
) -> Result<Option<Event>, IllegalJobTransition> {
    let from = job.status;
    let to = workflow_state::transition(from, event)?;
    if from == to {
        return Ok(None);
    }
    job.status = to;
    job.modified_at = cause.at;
    if to.is_terminal() {
        job.ended_at = Some(cause.at);
    }
    Ok(Some(Event { workflow_job: Some(job.job), ..cause.event(Some(from.as_str()), to.as_str()) }))
}

/// Moves a node in memory; answers the event to store.
pub(crate) fn move_node(
    node: &mut WorkflowNode,
    event: NodeEvent,
    cause: Cause<'_>,
) -> Result<Event, IllegalNodeTransition> {
    let from = node.status;
    node.status = node_state::transition(from, event)?;
    if node.status.is_terminal() {
        node.ended_at = Some(cause.at);
        node.clear_retry();
    }
    if event == NodeEvent::Kill {
        node.external_status = Some(NodeStatus::Killed.to_string());
    }
    Ok(node_event(node, Some(from), cause))
}

/// Gives a control node its end without the stations of an action; answers the event to store. A kill node whose
/// message has no value (E0756) ends as ERROR, and its job is killed all the same.
pub(crate) fn finish_control(node: &mut WorkflowNode, cause: Cause<'_>) -> Event {
    let from = node.status;
    let has_message = node.error_code.as_deref() != Some(ErrorCode::E0756.as_str());
    node.status = if has_message { NodeStatus::Ok } else { NodeStatus::Error };
    node.ended_at = Some(cause.at);
    node.external_id = Some("-".to_owned());
    node.external_status.get_or_insert_with(|| "OK".to_owned());
    node_event(node, Some(from), cause)
}

/// The event of a node that was in status `from`, or was not there, until now.
pub(crate) fn node_event(node: &WorkflowNode, from: Option<NodeStatus>, cause: Cause<'_>) -> Event {
    Event {
        workflow_job: Some(node.job),
        node: Some(node.name.clone()),
        ..cause.event(from.map(NodeStatus::as_str), node.status.as_str())
    }
}
