//! Why a workflow job is in its current state.

use std::fmt;

use crate::query::explain::why::who::text;
use crate::query::explain::why::{ByOrBecause, Since, after_colon};
use howdah_engine::format::{in_words, time};
use howdah_words::model::id::JobId;
use howdah_words::model::status::{NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;

/// Why a workflow job is in its current state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkflowWhy {
    Succeeded {
        ended: Timestamp,
        seconds: i64,
    },
    Suspended {
        job: JobId,
        since: Option<Since>,
    },
    /// No runner advances it.
    NoRunner {
        job: JobId,
        status: WorkflowStatus,
    },
    /// A runner works, but has not started the job for some seconds.
    NotStarted {
        job: JobId,
        seconds: i64,
    },
    Starting {
        job: JobId,
    },
    /// It was submitted to be started later.
    NotStartedYet {
        job: JobId,
    },
    /// The seconds for which it has been running, and the nodes that it is at.
    Running {
        job: JobId,
        seconds: i64,
        at: Vec<String>,
    },
    /// It ended for a reason of its own.
    Ended {
        job: JobId,
        status: WorkflowStatus,
        error: Option<String>,
    },
    /// A node of it or of a sub-workflow failed; `job` is the job of that node.
    NodeFailed {
        job: JobId,
        node: String,
        status: NodeStatus,
        error: Option<String>,
    },
    /// Someone or something else ended it.
    EndedBy {
        job: JobId,
        status: WorkflowStatus,
        by: Option<ByOrBecause>,
        at: Timestamp,
    },
}

impl fmt::Display for WorkflowWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Succeeded { ended, seconds } => {
                write!(f, "it succeeded at {} after {}", time(*ended), in_words(*seconds))
            }
            Self::Suspended { job, since } => {
                write!(f, "its workflow job {job} is SUSPENDED{}", text(since.as_ref()))
            }
            Self::NoRunner { job, status } => write!(f, "workflow job {job} is {status} and no runner advances it"),
            Self::NotStarted { job, seconds } => {
                write!(f, "workflow job {job} could not be started for {}", in_words(*seconds))
            }
            Self::NotStartedYet { job } => {
                write!(f, "workflow job {job} was submitted to be started later, and was not started yet")
            }
            Self::Starting { job } => write!(f, "workflow job {job} is about to start"),
            Self::Running { job, seconds, at } => {
                let at = if at.is_empty() { String::new() } else { format!(", now at {}", at.join(", ")) };
                write!(f, "workflow job {job} has been running for {}{at}", in_words(*seconds))
            }
            Self::Ended { job, status, error } => {
                write!(f, "workflow job {job} is {status}{}", after_colon(error.as_ref()))
            }
            Self::NodeFailed { job, node, status, error } => {
                write!(f, "node {node} of workflow job {job} ended as {status}{}", after_colon(error.as_ref()))
            }
            Self::EndedBy { job, status, by, at } => {
                write!(f, "workflow job {job} was {status}{} at {}", text(by.as_ref()), time(*at))
            }
        }
    }
}
