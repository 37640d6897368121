//! A node that a workflow job has reached.

use crate::model::node_type::NodeType;
use crate::model::row::key::{AttemptKey, CoordinatorKey, DocumentKey, WorkflowKey};
use crate::model::status::NodeStatus;
use crate::model::time::{Now, Timestamp};

/// A node of a workflow job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkflowNode {
    pub(crate) job: WorkflowKey,
    pub(crate) name: String,
    /// The run of the job in which the node was last reached.
    pub(crate) run: u32,
    /// The order in which the nodes of the job began.
    pub(crate) sequence: u32,
    pub(crate) kind: NodeType,
    pub(crate) status: NodeStatus,
    /// The node that followed.
    pub(crate) transition: Option<String>,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) user_retry_count: u32,
    /// When it is tried again.
    pub(crate) retry_at: Option<Timestamp>,
    /// The boot of the machine from which `retry_uptime` counts.
    pub(crate) retry_boot: Option<String>,
    /// When it is tried again, on the clock that cannot be set.
    pub(crate) retry_uptime: Option<i64>,
    pub(crate) external_id: Option<String>,
    pub(crate) external_status: Option<String>,
    /// Where its work is tracked when that is not this machine.
    pub(crate) tracker_uri: Option<String>,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    /// The captured output.
    pub(crate) data: Option<String>,
    /// The counters of its work: a JSON object of groups, each an object of numbers.
    pub(crate) stats: Option<String>,
    /// The element after evaluation.
    pub(crate) body: Option<DocumentKey>,
    /// The pool of its command.
    pub(crate) pool: Option<String>,
    /// Where its command runs: [`CLUSTER`], or this machine.
    pub(crate) place: Option<String>,
}

/// The word for a Slurm cluster as the place of a command.
pub(crate) const CLUSTER: &str = "slurm";

/// What limits the command of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandNeeds {
    pub(crate) kind: NodeType,
    pub(crate) pool: Option<String>,
    /// As [`WorkflowNode::place`].
    pub(crate) place: Option<String>,
}

impl WorkflowNode {
    /// A node in PREP of which nothing else is known.
    pub(crate) fn new(job: WorkflowKey, name: &str, kind: NodeType) -> Self {
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
    pub(crate) fn needs(&self) -> CommandNeeds {
        CommandNeeds { kind: self.kind, pool: self.pool.clone(), place: self.place.clone() }
    }

    /// Schedules the next try for `seconds` after `now`.
    pub(crate) fn retry_in(&mut self, seconds: i64, now: &Now) {
        let moment = now.moment.after(seconds);
        self.retry_at = Some(now.at + seconds);
        self.retry_boot = Some(moment.boot);
        self.retry_uptime = Some(moment.seconds);
    }

    /// Removes the time of the next try.
    pub(crate) fn clear_retry(&mut self) {
        (self.retry_at, self.retry_boot, self.retry_uptime) = (None, None, None);
    }

    /// Whether the time of the next try has come: by the clock that cannot be set if the machine was not restarted
    /// since, else by the time of day. The same condition as in `to_retry.sql`.
    pub(crate) fn is_retry_due(&self, now: &Now) -> bool {
        match (&self.retry_boot, self.retry_uptime) {
            (Some(boot), Some(uptime)) if *boot == now.moment.boot && !boot.is_empty() => uptime <= now.moment.seconds,
            _ => self.retry_at.is_none_or(|at| at <= now.at),
        }
    }
}

/// A node that could begin now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WaitingNode {
    pub(crate) job: WorkflowKey,
    pub(crate) node: String,
    /// The coordinator whose action started the job.
    pub(crate) coordinator: Option<CoordinatorKey>,
    /// The nominal time of that action; without one, when the job was created.
    pub(crate) nominal_at: Timestamp,
    pub(crate) needs: CommandNeeds,
}

/// A node with an open attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunningNode {
    pub(crate) attempt: AttemptKey,
    pub(crate) job: WorkflowKey,
    pub(crate) coordinator: Option<CoordinatorKey>,
    pub(crate) needs: CommandNeeds,
}
