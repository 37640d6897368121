//! A node that a workflow job has reached.

use crate::model::node_type::NodeType;
use crate::model::row::key::{AttemptKey, CoordinatorKey, DocumentKey, WorkflowKey};
use crate::model::status::NodeStatus;
use crate::model::time::{Now, Timestamp};

/// A node of a workflow job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowNode {
    pub job: WorkflowKey,
    pub name: String,
    /// The run of the job in which the node was last reached.
    pub run: u32,
    /// The order in which the nodes of the job began.
    pub sequence: u32,
    pub kind: NodeType,
    pub status: NodeStatus,
    /// The node that followed.
    pub transition: Option<String>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub user_retry_count: u32,
    /// When it is tried again.
    pub retry_at: Option<Timestamp>,
    /// The boot of the machine from which `retry_uptime` counts.
    pub retry_boot: Option<String>,
    /// When it is tried again, on the clock that cannot be set.
    pub retry_uptime: Option<i64>,
    pub external_id: Option<String>,
    pub external_status: Option<String>,
    /// Where its work is tracked when that is not this machine.
    pub tracker_uri: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// The captured output.
    pub data: Option<String>,
    /// The counters of its work: a JSON object of groups, each an object of numbers.
    pub stats: Option<String>,
    /// The element after evaluation.
    pub body: Option<DocumentKey>,
    /// The pool of its command.
    pub pool: Option<String>,
    /// Where its command runs: [`CLUSTER`], or this machine.
    pub place: Option<String>,
}

/// The word for a Slurm cluster as the place of a command.
pub const CLUSTER: &str = "slurm";

/// What limits the command of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandNeeds {
    pub kind: NodeType,
    pub pool: Option<String>,
    /// As [`WorkflowNode::place`].
    pub place: Option<String>,
}

impl WorkflowNode {
    /// A node in PREP of which nothing else is known.
    pub fn new(job: WorkflowKey, name: &str, kind: NodeType) -> Self {
        Self {
            job,
            name: name.to_owned(),
            run: 0,
            sequence: 0,
            kind,
            status: NodeStatus::Prep,
            transition: None,
            started_at: None,
            ended_at: None,
            user_retry_count: 0,
            retry_at: None,
            retry_boot: None,
            retry_uptime: None,
            external_id: None,
            external_status: None,
            tracker_uri: None,
            error_code: None,
            error_message: None,
            data: None,
            stats: None,
            body: None,
            pool: None,
            place: None,
        }
    }

    /// Returns what limits its command.
    pub fn needs(&self) -> CommandNeeds {
        CommandNeeds { kind: self.kind, pool: self.pool.clone(), place: self.place.clone() }
    }

    /// Schedules the next try for `seconds` after `now`.
    pub fn retry_in(&mut self, seconds: i64, now: &Now) {
        let moment = now.moment.after(seconds);
        self.retry_at = Some(now.at + seconds);
        self.retry_boot = Some(moment.boot);
        self.retry_uptime = Some(moment.seconds);
    }

    /// Removes the time of the next try.
    pub fn clear_retry(&mut self) {
        (self.retry_at, self.retry_boot, self.retry_uptime) = (None, None, None);
    }

    /// Whether the time of the next try has come: by the clock that cannot be set if the machine was not restarted
    /// since, else by the time of day. The same condition as in `to_retry.sql`.
    pub fn is_retry_due(&self, now: &Now) -> bool {
        match (&self.retry_boot, self.retry_uptime) {
            (Some(boot), Some(uptime)) if *boot == now.moment.boot && !boot.is_empty() => uptime <= now.moment.seconds,
            _ => self.retry_at.is_none_or(|at| at <= now.at),
        }
    }
}

/// A node that could begin now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingNode {
    pub job: WorkflowKey,
    pub node: String,
    /// The coordinator whose action started the job.
    pub coordinator: Option<CoordinatorKey>,
    /// The nominal time of that action; without one, when the job was created.
    pub nominal_at: Timestamp,
    pub needs: CommandNeeds,
}

/// A node with an open attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningNode {
    pub attempt: AttemptKey,
    pub job: WorkflowKey,
    pub coordinator: Option<CoordinatorKey>,
    pub needs: CommandNeeds,
}
