//! Changes the status of workflow jobs and nodes, with their events.
//!
//! The moves change rows in memory. Only [`Moves::save`] stores them: it stores rows and events together and updates
//! the coordinator action of the job.

use crate::outbox::enqueue::Listener;
use crate::transition::cause::Cause;
use crate::transition::{incident, parent_action};
use howdah_oozie::workflow::action_state::{self as node_state, IllegalNodeTransition, NodeEvent};
use howdah_oozie::workflow::job_state::{self as workflow_state, IllegalJobTransition};
use howdah_store::{Saved, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{Event, WorkflowJob, WorkflowNode};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};

/// The moves of a workflow job and of its nodes that belong together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves<'a> {
    pub job: &'a WorkflowJob,
    /// The status that the job has in the database.
    pub stored: WorkflowStatus,
    /// The nodes that changed.
    pub nodes: &'a [MovedNode<'a>],
    /// One for each move, in their order.
    pub events: &'a [Event],
}

/// A node that changed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MovedNode<'a> {
    pub row: &'a WorkflowNode,
    /// The status that it has in the database; `None` when it is not there yet.
    pub stored: Option<NodeStatus>,
}

impl Moves<'_> {
    /// Stores the job, its nodes and the events, and updates the coordinator action when the job's status changed.
    /// After a conflict the caller rolls the transaction back.
    pub(crate) fn save(self, transaction: &Transaction<'_>, cause: Cause<'_>) -> Result<Saved> {
        let mut kept = transaction.update_workflow_job(self.stored, self.job)?;
        for node in self.nodes {
            match node.stored {
                Some(stored) => kept &= transaction.update_workflow_node(stored, node.row)?,
                None => transaction.insert_workflow_node(node.row)?,
            }
        }
        if !kept {
            return Ok(Saved::Conflict);
        }
        self.record(transaction)?;
        if self.stored != self.job.status {
            parent_action::update_parent_action(transaction, self.job, cause)?;
        }
        Ok(Saved::Done)
    }

    /// Saves rows that were read in the same transaction, as [`Moves::save`] does: no other process can have changed
    /// them.
    ///
    /// # Errors H0001 when they were changed nevertheless.
    pub(crate) fn save_as_read(self, transaction: &Transaction<'_>, cause: Cause<'_>) -> Result<()> {
        match self.save(transaction, cause)? {
            Saved::Done => Ok(()),
            Saved::Conflict => Err(Error::new(ErrorCode::H0001, format!("{} changed meanwhile", self.job.id))),
        }
    }

    /// Stores the events and their notifications; the next tick checks the SLA.
    fn record(self, transaction: &Transaction<'_>) -> Result<()> {
        let Some(latest) = self.events.last() else { return Ok(()) };
        transaction.touch_workflow_sla(self.job.job, latest.at)?;
        let listener = Listener::of(transaction, self.job)?;
        // The action above a job, and the job above a sub-workflow, say the same.
        let is_alone = self.job.parent_coordinator.is_none() && self.job.parent_workflow.is_none();
        for event in self.events {
            transaction.insert_event(event)?;
            if event.to_status == NodeStatus::StartManual.as_str() {
                incident::note_blocked(transaction, self.job, event)?;
            }
            if is_alone && event.node.is_none() {
                incident::note(transaction, event)?;
            }
            let Some(listener) = &listener else { continue };
            match event.node.as_deref() {
                None => listener.notify_of_job(transaction, event)?,
                Some(name) => {
                    if let Some(node) = self.nodes.iter().find(|node| node.row.name == name) {
                        listener.notify_of_node(transaction, node.row, event)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Moves a workflow job in memory; returns the event to store, `None` when the status does not change.
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

/// Moves a node in memory; returns the event to store.
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

/// How a control node ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ControlEnd {
    Done,
    /// A kill node whose message cannot be evaluated: its job is killed nevertheless.
    MessageWithoutValue,
}

/// Ends a control node, which does not pass through the statuses of an action; returns the event to store.
pub(crate) fn finish_control(node: &mut WorkflowNode, end: ControlEnd, cause: Cause<'_>) -> Event {
    let from = node.status;
    node.status = match end {
        ControlEnd::Done => NodeStatus::Ok,
        ControlEnd::MessageWithoutValue => NodeStatus::Error,
    };
    node.ended_at = Some(cause.at);
    node.external_id = Some("-".to_owned());
    node.external_status.get_or_insert_with(|| "OK".to_owned());
    node_event(node, Some(from), cause)
}

/// Creates the event of a node that had status `from`; `None` for a new node.
pub(crate) fn node_event(node: &WorkflowNode, from: Option<NodeStatus>, cause: Cause<'_>) -> Event {
    Event {
        workflow_job: Some(node.job),
        node: Some(node.name.clone()),
        ..cause.event(from.map(NodeStatus::as_str), node.status.as_str())
    }
}
