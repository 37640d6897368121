//! Every change of a status, with its event and its notification, in the transaction that is open.
//!
//! No status changes anywhere else. A coordinator's status follows its actions' in the same transaction, and a bundle's
//! its coordinators', so no reader ever sees a job that contradicts its actions. Rows of coordinators are written here;
//! those of workflow jobs and nodes are only changed, because the runner stores a whole run at once.

mod bundle;

use std::ops::RangeInclusive;

pub(crate) use bundle::{due_at as bundle_due_at, move_bundle, record_values, settle_bundle};

use crate::coordinator::action_state::{self, ActionEvent};
use crate::coordinator::job_state::{self, ActionCounts, JobEvent};
use crate::engine::notification::{self, Listener};
use crate::engine::sla;
use crate::error::{ErrorCode, Result};
use crate::model::status::{ActionStatus, CoordinatorStatus, NodeStatus};
use crate::model::time::Timestamp;
use crate::store::{
    ActionKey, CoordinatorAction, CoordinatorJob, CoordinatorKey, Event, Transaction, WorkflowJob, WorkflowNode,
};
use crate::workflow::action_state::{self as node_state, IllegalNodeTransition, NodeEvent};
use crate::workflow::job_state::{self as workflow_state, IllegalJobTransition};

/// Who changes something, when and why.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cause<'a> {
    pub(crate) at: Timestamp,
    /// The verb or the step of tick.
    pub(crate) origin: &'a str,
    pub(crate) reason: Option<&'a str>,
}

impl<'a> Cause<'a> {
    /// A cause without a reason.
    pub(crate) const fn new(at: Timestamp, origin: &'a str) -> Self {
        Self { at, origin, reason: None }
    }

    /// The same cause with a reason.
    pub(crate) const fn because(self, reason: &'a str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// An event of this cause about nothing yet.
    pub(crate) fn event(&self, from: Option<&str>, to: &str) -> Event {
        Event {
            from_status: from.map(str::to_owned),
            reason: self.reason.map(str::to_owned),
            ..Event::new(self.at, to, self.origin)
        }
    }
}

/// What the event of a deleted action says in the place of a status.
pub(crate) const DELETED: &str = "DELETED";

/// Moves an action by an event and writes all of `action`; the job's status is left to [`settle_job`].
///
/// Answers `false`, and writes nothing, when the event means nothing in the action's status or somebody else
/// changed the action meanwhile.
pub(crate) fn move_action(
    transaction: &Transaction<'_>,
    action: &mut CoordinatorAction,
    event: ActionEvent,
    cause: Cause<'_>,
) -> Result<bool> {
    let from = action.status;
    let Some(to) = action_state::transition(from, event) else { return Ok(false) };
    action.status = to;
    action.modified_at = cause.at;
    if !transaction.update_action(from, action)? {
        return Ok(false);
    }
    record_action(transaction, action.key(), (from, to), cause)?;
    Ok(true)
}

fn record_action(
    transaction: &Transaction<'_>,
    action: ActionKey,
    (from, to): (ActionStatus, ActionStatus),
    cause: Cause<'_>,
) -> Result<()> {
    let event = Event {
        coordinator_job: Some(action.job),
        action_number: Some(action.number),
        ..cause.event(Some(from.as_str()), to.as_str())
    };
    transaction.insert_event(&event)?;
    notification::tell_of_actions(transaction, action.job, action.number..=action.number, to, cause.at)?;
    if from.is_terminal() && !to.is_terminal() {
        // It is run again, from its start or its workflow job alone: what was promised counts anew.
        return sla::reset(transaction, (action, to), cause.at);
    }
    transaction.touch_sla(action, cause.at)
}

/// Notes that actions have come into being in `status`: one event for all of them.
pub(crate) fn record_new_actions(
    transaction: &Transaction<'_>,
    job: CoordinatorKey,
    numbers: RangeInclusive<u32>,
    status: ActionStatus,
    cause: Cause<'_>,
) -> Result<()> {
    let event = Event {
        coordinator_job: Some(job),
        action_number: Some(*numbers.start()),
        last_action_number: Some(*numbers.end()),
        ..cause.event(None, status.as_str())
    };
    transaction.insert_event(&event)?;
    notification::tell_of_actions(transaction, job, numbers, status, cause.at)
}

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

/// Whether a job is still as it was read: what a command changed since is the command's, and the next tick looks again.
pub(crate) fn is_current(transaction: &Transaction<'_>, read: &CoordinatorJob) -> Result<bool> {
    Ok(transaction.coordinator_job_at(read.job)?.as_ref() == Some(read))
}

/// Moves a job by an event and writes all of `job`; `false` when the event means nothing in its status.
pub(crate) fn move_job(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    event: JobEvent,
    cause: Cause<'_>,
) -> Result<bool> {
    match job_state::transition(job.status, event) {
        Some(to) => set_job_status(transaction, job, to, cause),
        None => Ok(false),
    }
}

/// Writes all of `job` but its status, which stays; `false` when somebody else changed that meanwhile.
pub(crate) fn change_job(transaction: &Transaction<'_>, job: &mut CoordinatorJob, cause: Cause<'_>) -> Result<bool> {
    job.modified_at = cause.at;
    if !transaction.update_coordinator_job(job.status, job)? {
        return Ok(false);
    }
    let status = job.status.as_str();
    let event = Event { coordinator_job: Some(job.job), ..cause.event(Some(status), status) };
    transaction.insert_event(&event)?;
    Ok(true)
}

/// Deletes an action that has not begun; the event of it stays. `false` when somebody else changed it meanwhile.
pub(crate) fn delete_action(
    transaction: &Transaction<'_>,
    action: &CoordinatorAction,
    cause: Cause<'_>,
) -> Result<bool> {
    if !transaction.delete_action(action.status, action.key())? {
        return Ok(false);
    }
    let event = Event {
        coordinator_job: Some(action.job),
        action_number: Some(action.number),
        ..cause.event(Some(action.status.as_str()), DELETED)
    };
    transaction.insert_event(&event)?;
    Ok(true)
}

fn set_job_status(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    to: CoordinatorStatus,
    cause: Cause<'_>,
) -> Result<bool> {
    let from = job.status;
    job.status = to;
    job.modified_at = cause.at;
    if to.is_terminal() {
        job.ended_at = Some(cause.at);
        job.due_at = None;
    } else {
        job.ended_at = None;
    }
    if !transaction.update_coordinator_job(from, job)? {
        return Ok(false);
    }
    if from != to {
        let event = Event { coordinator_job: Some(job.job), ..cause.event(Some(from.as_str()), to.as_str()) };
        transaction.insert_event(&event)?;
        if let Some(bundle) = job.parent_bundle {
            bundle::follow(transaction, bundle, cause)?;
        }
    }
    Ok(true)
}

/// Gives the job the status that follows from its actions; one that is over stays what it is.
pub(crate) fn settle_job(transaction: &Transaction<'_>, job: CoordinatorKey, cause: Cause<'_>) -> Result<()> {
    let Some(mut job) = transaction.coordinator_job_at(job)? else { return Ok(()) };
    let mut counts = ActionCounts::default();
    for (status, count) in transaction.action_counts(job.job)? {
        counts.set(status, count.into());
    }
    let to = job_state::from_actions(job.status, job.done_materialization, false, &counts);
    if to != job.status {
        set_job_status(transaction, &mut job, to, cause)?;
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
