//! A bundle job as it is stored.

use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::row::key::{BundleKey, DocumentKey};
use crate::model::time::Timestamp;

/// A bundle job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleJob {
    pub(crate) job: BundleKey,
    pub(crate) id: JobId,
    pub(crate) name: String,
    pub(crate) user: String,
    pub(crate) group_name: Option<String>,
    pub(crate) acl: Option<String>,
    pub(crate) app_path: String,
    pub(crate) status: JobStatus,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    /// When its coordinators are submitted; `None`: at once.
    pub(crate) kickoff_at: Option<Timestamp>,
    /// When they were submitted.
    pub(crate) started_at: Option<Timestamp>,
    pub(crate) pause_at: Option<Timestamp>,
    /// The end of all its coordinators, when a command set it.
    pub(crate) end_at: Option<Timestamp>,
    /// When a command suspended it; `None` when only its coordinators are.
    pub(crate) suspended_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) definition: DocumentKey,
    /// The job configuration as the text of a JSON object.
    pub(crate) configuration: DocumentKey,
    /// When tick must next check it; `None`: never.
    pub(crate) due_at: Option<Timestamp>,
}
