//! Why a node of a workflow job is in its current state, or has none.

use std::fmt;

use crate::query::explain::why::{When, after_colon};
use howdah_engine::runner::places::Limit;
use howdah_words::model::status::{NodeStatus, WorkflowStatus};

/// Why a node of a workflow job is in its current state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NodeWhy {
    /// A kill node, with its message.
    JobEndedHere(Option<String>),
    EndedWell(Option<When>),
    Killed(Option<String>),
    Ended {
        status: NodeStatus,
        error: Option<String>,
    },
    JobSuspended(NodeStatus),
    /// All jobs are paused.
    SitePaused(NodeStatus, String),
    /// No runner advances its workflow job.
    NoRunner(NodeStatus),
    /// It waits for its next start, as this text says.
    Retries(String),
    /// As many commands run as may.
    WaitsForPlace {
        /// The limit that is reached.
        limit: Limit,
        /// How many commands it allows.
        most: usize,
        /// How many nodes get a place before it.
        before: usize,
    },
    /// It works, as this text says.
    Works(String),
    /// The job ended without reaching it.
    NeverReached(WorkflowStatus),
    /// The job has not reached it, and is at these nodes.
    NotReached {
        status: WorkflowStatus,
        at: Vec<String>,
    },
}

impl fmt::Display for NodeWhy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JobEndedHere(error) => write!(f, "the job ended here{}", after_colon(error.as_ref())),
            Self::EndedWell(Some(at)) => write!(f, "it ended well at {at}"),
            Self::EndedWell(None) => f.write_str("it ended well"),
            Self::Killed(error) => write!(f, "it was killed{}", after_colon(error.as_ref())),
            Self::Ended { status, error } => write!(f, "it ended as {status}{}", after_colon(error.as_ref())),
            Self::JobSuspended(status) => {
                write!(f, "it is {status}, and its workflow job is SUSPENDED: nothing follows before it is resumed")
            }
            Self::SitePaused(status, pause) => write!(f, "it is {status}, and {pause}"),
            Self::NoRunner(status) => write!(f, "it is {status} and no runner advances its workflow job"),
            Self::Retries(text) => write!(f, "it {text}"),
            Self::WaitsForPlace { limit, most, before } => {
                let place = if *most == 1 { "the only place".to_owned() } else { format!("one of {most} places") };
                write!(f, "it waits for {place} {limit}; {before} before it")
            }
            Self::Works(text) => write!(f, "it is at work: {text}"),
            Self::NeverReached(status) => write!(f, "the job ended as {status} without reaching it"),
            Self::NotReached { status, at } => {
                let at = if at.is_empty() { String::new() } else { format!(", at {}", at.join(", ")) };
                write!(f, "the job has not reached it; it is {status}{at}")
            }
        }
    }
}
