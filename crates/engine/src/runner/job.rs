//! A workflow job in memory while the runner advances it: loads it, collects its changes and stores them.
//!
//! Every change of a status goes through the state machines of `howdah_oozie::workflow` and creates an event. Only
//! [`Run::save`] writes: it stores all changes in one transaction, or none when another process changed the job.

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::Arc;

use crate::apply::workflow;
use crate::rerun::walk::Walk;
use crate::rerun::workflow_rerun;
use crate::stored_graph::read_graph;
use crate::stored_properties::read_properties;
use crate::submit;
use crate::submit::workflow::{Parent, PreparedWorkflow};
use crate::transition;
use crate::transition::cause::Cause;
use crate::transition::workflow::{ControlEnd, MovedNode, Moves};
use howdah_executor::Work;
use howdah_host::fault::fault_point;
use howdah_oozie::workflow::action_state::NodeEvent;
use howdah_oozie::workflow::context::{NodeFacts, Nodes};
use howdah_oozie::workflow::definition::Workflow;
use howdah_oozie::workflow::job_state::JobEvent;
use howdah_store::{EarlierStart, Saved, Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::{Attempt, AttemptState, DocumentKey, Event, WorkflowJob, WorkflowKey, WorkflowNode};
use howdah_words::model::status::{NodeStatus, WorkflowStatus};

/// A node and its status in the database; `None` when it is not stored yet.
#[derive(Clone, Debug)]
struct NodeState {
    row: WorkflowNode,
    stored: Option<NodeStatus>,
    changed: bool,
}

/// A new attempt.
#[derive(Clone, Debug)]
pub struct NewAttempt {
    pub row: Attempt,
    pub work: Work,
    /// Whether it started before the database was put back to an older state; then its folder is left unchanged, and
    /// when that is gone the attempt is lost.
    pub has_started: bool,
}

/// A workflow job that is advanced.
#[derive(Debug)]
pub struct Run {
    pub row: WorkflowJob,
    stored: WorkflowStatus,
    pub graph: Arc<Workflow>,
    pub configuration: Arc<Properties>,
    pub walk: Walk,
    nodes: BTreeMap<String, NodeState>,
    events: Vec<Event>,
    /// Attempts to start after this is stored.
    pub attempts: Vec<NewAttempt>,
    /// Attempts whose outcome is known.
    pub outcomes: Vec<Attempt>,
    /// Child workflow jobs to create, by the node they belong to.
    pub children: Vec<(String, PreparedWorkflow)>,
    /// The node that starts now; `wf:callback` names its action.
    pub(crate) starting_node: String,
    /// The folder of the attempt that starts now.
    pub folder: PathBuf,
    /// The random id of this run, which the orders of its attempts contain.
    pub life: String,
    /// What began after the backup that was put back, by node and number of the attempt.
    pub(crate) earlier: BTreeMap<(String, u32), EarlierStart>,
    /// The children that were created when this was stored.
    pub(crate) new_children: Vec<WorkflowKey>,
}

impl Run {
    /// Loads a job with its nodes.
    ///
    /// # Errors
    /// E0710 when the stored definition cannot be read any more.
    pub fn load(snapshot: &Snapshot, row: WorkflowJob, graphs: &mut Graphs) -> Result<Self> {
        let (graph, configuration) = graphs.of(snapshot, &row)?;
        let walk = Walk::of(&row)?;
        let life = snapshot.workflow_life(row.job)?;
        let earlier = snapshot.earlier_starts(&row.id, &life)?;
        let nodes = snapshot.workflow_nodes(row.job)?;
        let nodes = nodes
            .into_iter()
            .map(|node| {
                let stored = Some(node.status);
                (node.name.clone(), NodeState { row: node, stored, changed: false })
            })
            .collect();
        Ok(Self {
            stored: row.status,
            row,
            graph,
            configuration,
            walk,
            nodes,
            events: Vec::new(),
            attempts: Vec::new(),
            outcomes: Vec::new(),
            children: Vec::new(),
            starting_node: String::new(),
            folder: PathBuf::new(),
            life,
            earlier,
            new_children: Vec::new(),
        })
    }

    /// Returns a node that the job has reached.
    pub fn node(&self, name: &str) -> Option<&WorkflowNode> {
        self.nodes.get(name).map(|node| &node.row)
    }

    /// Returns the number of a node's next attempt.
    pub(crate) fn next_attempt(&self, name: &str) -> u32 {
        let retries = self.node(name).map_or(0, |node| node.user_retry_count);
        let of = |counted: &BTreeMap<String, u32>| counted.get(name).copied().unwrap_or_default();
        retries + of(&self.walk.failed_starts) + of(&self.walk.recalled) + 1
    }

    /// Returns every node that the job has reached.
    pub fn nodes(&self) -> impl Iterator<Item = &WorkflowNode> {
        self.nodes.values().map(|node| &node.row)
    }

    /// Creates the record of a node that is reached now; it replaces one of an earlier run.
    pub fn reach(&mut self, name: &str, kind: NodeType, cause: Cause<'_>) {
        let sequence = self.nodes.values().map(|node| node.row.sequence + 1).max().unwrap_or_default();
        let row = WorkflowNode {
            run: self.row.run,
            sequence,
            started_at: Some(cause.at),
            ..WorkflowNode::new(self.row.job, name, kind)
        };
        self.events.push(transition::workflow::node_event(&row, None, cause));
        let stored = self.nodes.get(name).and_then(|node| node.stored);
        self.nodes.insert(name.to_owned(), NodeState { row, stored, changed: true });
    }

    /// Changes fields of a node that are not its status.
    pub(crate) fn edit(&mut self, name: &str, change: impl FnOnce(&mut WorkflowNode)) {
        if let Some(node) = self.nodes.get_mut(name) {
            change(&mut node.row);
            node.changed = true;
        }
    }

    /// Moves a node by an event of its state machine; an event that its status does not allow is a defect (H0001).
    pub(crate) fn move_node(&mut self, name: &str, event: NodeEvent, cause: Cause<'_>) -> Result<()> {
        let Some(node) = self.nodes.get_mut(name) else {
            return Err(Error::new(ErrorCode::H0001, format!("{}@{name} was never reached", self.row.id)));
        };
        let moved = transition::workflow::move_node(&mut node.row, event, cause)
            .map_err(|illegal| Error::new(ErrorCode::H0001, format!("{}@{name}: {illegal}", self.row.id)))?;
        node.changed = true;
        self.events.push(moved);
        Ok(())
    }

    /// Ends a control node, which does not pass through the statuses of an action.
    pub(crate) fn finish_control(&mut self, name: &str, end: ControlEnd, cause: Cause<'_>) {
        if let Some(node) = self.nodes.get_mut(name) {
            self.events.push(transition::workflow::finish_control(&mut node.row, end, cause));
            node.changed = true;
        }
    }

    /// Moves the job by an event of its state machine; returns `false` when its status does not allow it.
    pub fn move_job(&mut self, event: JobEvent, cause: Cause<'_>) -> bool {
        let moved = transition::workflow::move_workflow_job(&mut self.row, event, cause);
        let allowed = moved.is_ok();
        self.events.extend(moved.ok().flatten());
        allowed
    }

    /// Ends every node that is not finished, because the job ends.
    ///
    /// The processes of RUNNING nodes are stopped later, when their attempts are found to belong to no running node.
    pub(crate) fn kill_open_nodes(&mut self, names: Option<&[String]>, cause: Cause<'_>) -> Result<()> {
        let open: Vec<String> = self
            .nodes
            .values()
            .filter(|node| !node.row.status.is_terminal())
            .map(|node| node.row.name.clone())
            .filter(|name| names.is_none_or(|names| names.contains(name)))
            .collect();
        for name in open {
            self.move_node(&name, NodeEvent::Kill, cause)?;
            self.attempts.retain(|attempt| attempt.row.node != name);
            self.children.retain(|(node, _)| *node != name);
        }
        Ok(())
    }

    /// Checks whether there is anything to store.
    pub fn has_changed(&self) -> bool {
        !self.events.is_empty()
            || !self.outcomes.is_empty()
            || self.stored != self.row.status
            || self.nodes.values().any(|node| node.changed)
    }

    /// Checks whether the job does nothing more before one of its commands or child jobs ends. A node that waits for a
    /// place counts only when all `places_are_taken`; the command of a node that was killed has still to be ended.
    pub(crate) fn only_waits(&self, places_are_taken: bool) -> bool {
        let waits = |node: &NodeState| match node.row.status {
            NodeStatus::Running => true,
            NodeStatus::Prep => places_are_taken,
            NodeStatus::Killed => !node.changed,
            status => status.is_terminal(),
        };
        self.row.status == WorkflowStatus::Running && self.new_children.is_empty() && self.nodes.values().all(waits)
    }

    /// Checks whether a command or a child job starts when this is stored.
    pub(crate) fn starts_work(&self) -> bool {
        !self.attempts.is_empty() || !self.children.is_empty()
    }

    /// Stores everything in the open transaction and updates the parent. After a conflict the caller rolls the
    /// transaction back and loads the job again.
    pub fn save(&mut self, transaction: &Transaction<'_>, cause: Cause<'_>) -> Result<Saved> {
        self.row.modified_at = cause.at;
        self.save_children(transaction, cause)?;
        self.row.instance = Some(self.walk.text());
        let killed = |node: &&NodeState| node.changed && node.row.status == NodeStatus::Killed;
        for node in self.nodes.values().filter(killed) {
            workflow::kill_child(transaction, &node.row, cause)?;
        }
        let changed = self.nodes.values().filter(|node| node.changed);
        let nodes: Vec<MovedNode<'_>> = changed.map(|node| MovedNode { row: &node.row, stored: node.stored }).collect();
        let moves = Moves { job: &self.row, stored: self.stored, nodes: &nodes, events: &self.events };
        if moves.save(transaction, cause)? == Saved::Conflict {
            return Ok(Saved::Conflict);
        }
        for attempt in &mut self.attempts {
            transaction.insert_attempt(&mut attempt.row)?;
        }
        for attempt in &self.outcomes {
            if !transaction.update_attempt(AttemptState::Started, attempt)? {
                return Ok(Saved::Conflict);
            }
        }
        fault_point("inside-workflow-commit");
        Ok(Saved::Done)
    }

    /// Forgets what was changed, because it is stored: from here on this is the same as if it had been loaded.
    pub(crate) fn forget_changes(&mut self) {
        self.stored = self.row.status;
        for node in self.nodes.values_mut().filter(|node| node.changed) {
            node.stored = Some(node.row.status);
            node.changed = false;
        }
        self.events.clear();
        self.attempts.clear();
        self.outcomes.clear();
        self.children.clear();
        self.new_children.clear();
    }

    /// Checks whether the database has exactly this; for the checks of builds with debug assertions.
    pub(crate) fn is_as_stored(&self, snapshot: &Snapshot) -> Result<bool> {
        let Some(row) = snapshot.workflow_job_at(self.row.job)? else { return Ok(false) };
        let walk = Walk::of(&row)?;
        let mut nodes: Vec<WorkflowNode> = self.nodes().cloned().collect();
        nodes.sort_by(|one, other| (one.sequence, &one.name).cmp(&(other.sequence, &other.name)));
        let life = snapshot.workflow_life(row.job)?;
        Ok((&self.row, &self.walk, &self.life, nodes) == (&row, &walk, &life, snapshot.workflow_nodes(row.job)?))
    }

    /// Stores the workflow jobs that its nodes start or start again.
    fn save_children(&mut self, transaction: &Transaction<'_>, cause: Cause<'_>) -> Result<()> {
        for (node, child) in std::mem::take(&mut self.children) {
            let before = self.walk.children.remove(&node);
            let again = workflow_rerun::child(transaction, before.as_deref(), &child, cause)?;
            let child = if let Some(again) = again {
                again
            } else {
                let parent = Parent::Node { job: self.row.job, node: node.clone(), depth: self.row.depth + 1 };
                submit::workflow::insert(transaction, &child, parent, cause)?
            };
            self.new_children.push(child.job);
            self.edit(&node, |node| node.external_id = Some(child.id.to_string()));
        }
        Ok(())
    }
}

/// A cache of the graphs and configurations of jobs. A job is loaded for each of its changes, and the documents of the
/// same keys never change.
#[derive(Debug, Default)]
pub struct Graphs(HashMap<(WorkflowKey, DocumentKey, DocumentKey), Submitted>);

/// What a job was submitted with: its graph and its configuration.
type Submitted = (Arc<Workflow>, Arc<Properties>);

impl Graphs {
    /// The most entries: the memory of a runner must not grow with its jobs.
    const MOST: usize = 32;

    /// Returns the graph of a job and its configuration. E0710 when the stored definition cannot be read any more.
    fn of(&mut self, snapshot: &Snapshot, row: &WorkflowJob) -> Result<Submitted> {
        let key = (row.job, row.definition, row.configuration);
        if let Some(known) = self.0.get(&key) {
            return Ok(known.clone());
        }
        let source = SourceText::new(format!("{} (definition)", row.id), snapshot.document(row.definition)?);
        let configuration = read_properties(&snapshot.document(row.configuration)?)?;
        let read = (Arc::new(read_graph(&source, &configuration)?), Arc::new(configuration));
        if self.0.len() >= Self::MOST {
            self.0.clear();
        }
        self.0.insert(key, read.clone());
        Ok(read)
    }
}

impl Nodes for Run {
    fn facts(&self, node: &str) -> Option<NodeFacts> {
        let row = self.node(node).filter(|node| node.status.is_terminal())?;
        Some(NodeFacts {
            transition: self.walk.instance.transition_of(node).map(str::to_owned),
            external_id: row.external_id.clone(),
            external_status: row.external_status.clone(),
            tracker_uri: row.tracker_uri.clone(),
            error_code: row.error_code.clone(),
            error_message: row.error_message.clone(),
            data: row.data.as_deref().and_then(|data| read_properties(data).ok()).unwrap_or_default(),
            stats: row.stats.clone(),
        })
    }
}

/// Returns the folder of an attempt: `<runs>/<job>/<node>/<run>-<number>`, or one beside it when an attempt of another
/// copy of the database uses that one ([`attempt::free_folder`](howdah_host::attempt::free_folder)).
pub(crate) fn attempt_folder(runs: &std::path::Path, job: &WorkflowJob, node: &str, number: u32) -> PathBuf {
    runs.join(job.id.as_str()).join(node).join(format!("{}-{number}", job.run))
}
