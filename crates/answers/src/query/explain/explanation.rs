//! What is said of a job, an action or a node: its state, why, and what can be done.

use crate::query::explain::command::Command;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::Why;
use crate::query::inputs::InputView;
use crate::query::json;
use crate::query::status::AnyStatus;
use howdah_engine::inputs::decision::Decision;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;
use serde::Serialize;

/// Why something is in its current state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    pub id: String,
    pub name: String,
    /// `None` for an action that does not exist yet.
    #[serde(serialize_with = "json::word_or_null")]
    pub status: Option<AnyStatus>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub nominal_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub created_time: Option<Timestamp>,
    /// The answer, written in one sentence.
    #[serde(serialize_with = "json::word")]
    pub why: Why,
    /// What keeps it where it is, as one word for programs; `None` when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub held_by: Option<Hold>,
    /// What else an operator must know, one sentence each.
    pub reasons: Vec<String>,
    /// The earliest time at which an action that waits can start, where that is known.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub earliest_start_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub times_out_at: Option<Timestamp>,
    /// What an action waits for; empty when nothing does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<InputView>,
    /// What its searches and its input logic came to: as decided, or as it stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// The actions that take the places of the concurrency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub occupied_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workflow: Option<WorkflowExplanation>,
    /// For a job: what its open and failed actions do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<ActionLine>,
    /// For a bundle: what those of its coordinators do that have not succeeded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub coordinators: Vec<CoordinatorLine>,
    /// Commands to try next, the most useful first.
    pub next: Vec<Command>,
}

impl Explanation {
    /// Returns what an explanation of a job begins with.
    pub(super) fn of_job(id: &JobId, name: &str, status: impl Into<AnyStatus>, created: Timestamp) -> Self {
        Self {
            id: id.to_string(),
            name: name.to_owned(),
            status: Some(status.into()),
            created_time: Some(created),
            ..Self::default()
        }
    }
}

/// One action of a job, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionLine {
    pub id: String,
    #[serde(skip)]
    pub number: u32,
    #[serde(serialize_with = "json::word")]
    pub status: ActionStatus,
    #[serde(serialize_with = "json::time")]
    pub nominal_time: Timestamp,
    #[serde(serialize_with = "json::word")]
    pub why: Why,
}

/// One coordinator of a bundle, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoordinatorLine {
    pub id: String,
    /// Its name in the bundle.
    pub name: String,
    #[serde(serialize_with = "json::word")]
    pub status: JobStatus,
    #[serde(serialize_with = "json::word")]
    pub why: Why,
}

/// What a workflow job does, or why it did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowExplanation {
    pub id: String,
    pub name: String,
    #[serde(serialize_with = "json::word")]
    pub status: WorkflowStatus,
    /// The nodes that matter: the one that failed, or those at work.
    pub nodes: Vec<NodeExplanation>,
}

/// A node of a workflow job that matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeExplanation {
    pub id: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(serialize_with = "json::word")]
    pub status: NodeStatus,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// What it does in one sentence.
    pub text: String,
    /// The files of the last attempt's output that are not empty.
    pub logs: Vec<String>,
    /// Of a node that failed: the last lines of the last of those files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub last_lines: Vec<String>,
}
