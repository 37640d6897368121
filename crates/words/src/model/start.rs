//! What is known about the start of an attempt without the database: a line of the journal of starts.

use serde::{Deserialize, Serialize};

/// The start of an attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// When it was written: seconds since 1970.
    pub at: i64,
    /// The workflow job of the attempt, last, and before it the workflow jobs above it.
    pub jobs: Vec<StartedJob>,
    /// The bundle of the coordinator whose action started the first of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bundle: Option<StartedBundle>,
    /// The node.
    pub node: String,
    /// The number of the attempt in its run of the node.
    pub number: u32,
    /// Unique to the attempt.
    pub token: String,
    /// The name of its folder in the folder of the node.
    pub folder: String,
}

/// A bundle that submitted a coordinator, as a start names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedBundle {
    /// The id of the bundle job.
    pub job: String,
    /// The name of the coordinator in it.
    pub coordinator: String,
}

/// A run of a workflow job, as a start names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartedJob {
    /// What started the job: a coordinator action (`C@3`) or a node of another workflow job (`W@node`); `None` for a
    /// job that was submitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// The run of the coordinator action or of the other workflow job.
    #[serde(default)]
    pub parent_run: u32,
    /// The id of the job.
    pub job: String,
    /// Its run.
    pub run: u32,
    /// The random id of that run.
    pub life: String,
}

/// A position in the journal of starts: what a backup has of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalMark {
    /// The random id of the journal.
    pub journal: String,
    /// How many bytes of starts it had, those that were cut off included.
    pub position: u64,
}
