//! The status of whatever can be asked for: a job of each kind, an action, a node.

use std::fmt;

use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};

/// A status, with the kind of thing that has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyStatus {
    /// Of a coordinator or a bundle.
    Job(JobStatus),
    Action(ActionStatus),
    Workflow(WorkflowStatus),
    Node(NodeStatus),
}

impl AnyStatus {
    /// The word that is printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Job(status) => status.as_str(),
            Self::Action(status) => status.as_str(),
            Self::Workflow(status) => status.as_str(),
            Self::Node(status) => status.as_str(),
        }
    }
}

impl fmt::Display for AnyStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

macro_rules! from_status {
    ($($variant:ident($status:ident),)*) => {
        $(impl From<$status> for AnyStatus {
            fn from(status: $status) -> Self {
                Self::$variant(status)
            }
        })*
    };
}

from_status! {
    Job(JobStatus),
    Action(ActionStatus),
    Workflow(WorkflowStatus),
    Node(NodeStatus),
}
