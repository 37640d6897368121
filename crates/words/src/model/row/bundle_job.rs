//! A bundle job as it is stored.

use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::row::key::{BundleKey, DocumentKey};
use crate::model::time::Timestamp;

/// A bundle job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleJob {
    pub job: BundleKey,
    pub id: JobId,
    pub name: String,
    pub user: String,
    pub group_name: Option<String>,
    pub acl: Option<String>,
    pub app_path: String,
    pub status: JobStatus,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
    /// When its coordinators are submitted; `None`: at once.
    pub kickoff_at: Option<Timestamp>,
    /// When they were submitted.
    pub started_at: Option<Timestamp>,
    pub pause_at: Option<Timestamp>,
    /// The end of all its coordinators, when a command set it.
    pub end_at: Option<Timestamp>,
    /// When a command suspended it; `None` when only its coordinators are.
    pub suspended_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub definition: DocumentKey,
    /// The job configuration as the text of a JSON object.
    pub configuration: DocumentKey,
    /// When tick must next check it; `None`: never.
    pub due_at: Option<Timestamp>,
}
