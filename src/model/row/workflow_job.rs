//! A workflow job as it is stored.

use crate::model::id::JobId;
use crate::model::row::key::{CoordinatorKey, DocumentKey, WorkflowKey};
use crate::model::status::WorkflowStatus;
use crate::model::time::Timestamp;

/// A workflow job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkflowJob {
    pub(crate) job: WorkflowKey,
    pub(crate) id: JobId,
    pub(crate) name: String,
    pub(crate) app_path: String,
    pub(crate) user: String,
    pub(crate) group_name: Option<String>,
    pub(crate) status: WorkflowStatus,
    /// How often it was rerun.
    pub(crate) run: u32,
    /// With `parent_action`: the coordinator action that started it.
    pub(crate) parent_coordinator: Option<CoordinatorKey>,
    pub(crate) parent_action: Option<u32>,
    /// With `parent_node`: the sub-workflow node that started it.
    pub(crate) parent_workflow: Option<WorkflowKey>,
    pub(crate) parent_node: Option<String>,
    /// How many workflow jobs are above it.
    pub(crate) depth: u32,
    pub(crate) created_at: Timestamp,
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) modified_at: Timestamp,
    pub(crate) definition: DocumentKey,
    /// The job configuration as the text of a JSON object.
    pub(crate) configuration: DocumentKey,
    /// The state of the execution in the graph, JSON.
    pub(crate) instance: Option<String>,
    pub(crate) external_id: Option<String>,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
}
