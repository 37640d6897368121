//! What is said of a job, an action or a node: its state, why, and what can be done.

use crate::engine::inputs::decision::Decision;
use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::status::{ActionStatus, NodeStatus, WorkflowStatus};
use crate::model::time::Timestamp;
use crate::query::explain::command::Command;
use crate::query::explain::hold::Hold;
use crate::query::explain::why::Why;
use crate::query::inputs::InputView;
use crate::query::json;
use crate::query::status::AnyStatus;
use serde::Serialize;

/// Why something is in its current state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Explanation {
    pub(crate) id: String,
    pub(crate) name: String,
    /// `None` for an action that does not exist yet.
    #[serde(serialize_with = "json::word_or_null")]
    pub(crate) status: Option<AnyStatus>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub(crate) nominal_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub(crate) created_time: Option<Timestamp>,
    /// The answer, written in one sentence.
    #[serde(serialize_with = "json::word")]
    pub(crate) why: Why,
    /// What keeps it where it is, as one word for programs; `None` when it is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) held_by: Option<Hold>,
    /// What else an operator must know, one sentence each.
    pub(crate) reasons: Vec<String>,
    /// The earliest time at which an action that waits can start, where that is known.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub(crate) earliest_start_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::time_or_null")]
    pub(crate) times_out_at: Option<Timestamp>,
    /// What an action waits for; empty when nothing does.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) inputs: Vec<InputView>,
    /// What its searches and its input logic came to: as decided, or as it stands now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) decision: Option<Decision>,
    /// The actions that take the places of the concurrency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) occupied_by: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) workflow: Option<WorkflowExplanation>,
    /// For a job: what its open and failed actions do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) actions: Vec<ActionLine>,
    /// For a bundle: what those of its coordinators do that have not succeeded.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) coordinators: Vec<CoordinatorLine>,
    /// Commands to try next, the most useful first.
    pub(crate) next: Vec<Command>,
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
pub(crate) struct ActionLine {
    pub(crate) id: String,
    #[serde(skip)]
    pub(crate) number: u32,
    #[serde(serialize_with = "json::word")]
    pub(crate) status: ActionStatus,
    #[serde(serialize_with = "json::time")]
    pub(crate) nominal_time: Timestamp,
    #[serde(serialize_with = "json::word")]
    pub(crate) why: Why,
}

/// One coordinator of a bundle, in one line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoordinatorLine {
    pub(crate) id: String,
    /// Its name in the bundle.
    pub(crate) name: String,
    #[serde(serialize_with = "json::word")]
    pub(crate) status: JobStatus,
    #[serde(serialize_with = "json::word")]
    pub(crate) why: Why,
}

/// What a workflow job does, or why it did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkflowExplanation {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(serialize_with = "json::word")]
    pub(crate) status: WorkflowStatus,
    /// The nodes that matter: the one that failed, or those at work.
    pub(crate) nodes: Vec<NodeExplanation>,
}

/// A node of a workflow job that matters.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct NodeExplanation {
    pub(crate) id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(serialize_with = "json::word")]
    pub(crate) status: NodeStatus,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    /// What it does in one sentence.
    pub(crate) text: String,
    /// The files of the last attempt's output that are not empty.
    pub(crate) logs: Vec<String>,
    /// Of a node that failed: the last lines of the last of those files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) last_lines: Vec<String>,
}
