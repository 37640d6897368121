//! A workflow job as it is stored.

use crate::model::id::JobId;
use crate::model::row::key::{CoordinatorKey, DocumentKey, WorkflowKey};
use crate::model::status::WorkflowStatus;
use crate::model::time::Timestamp;

/// A workflow job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowJob {
    pub job: WorkflowKey,
    pub id: JobId,
    pub name: String,
    pub app_path: String,
    pub user: String,
    pub group_name: Option<String>,
    pub status: WorkflowStatus,
    /// How often it was rerun.
    pub run: u32,
    /// With `parent_action`: the coordinator action that started it.
    pub parent_coordinator: Option<CoordinatorKey>,
    pub parent_action: Option<u32>,
    /// With `parent_node`: the sub-workflow node that started it.
    pub parent_workflow: Option<WorkflowKey>,
    pub parent_node: Option<String>,
    /// How many workflow jobs are above it.
    pub depth: u32,
    pub created_at: Timestamp,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub modified_at: Timestamp,
    pub definition: DocumentKey,
    /// The job configuration as the text of a JSON object.
    pub configuration: DocumentKey,
    /// The state of the execution in the graph, JSON.
    pub instance: Option<String>,
    pub external_id: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
}
