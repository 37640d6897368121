//! The URLs that are notified of the changes of a job.

use crate::model::row::key::{CoordinatorKey, WorkflowKey};

/// The URL that is notified of changes of a coordinator's actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoordinatorNotification {
    pub(crate) job: CoordinatorKey,
    /// With `$actionId` and `$status`.
    pub(crate) url: String,
    /// `[type@]host:port`; `None`: the site's.
    pub(crate) proxy: Option<String>,
}

/// The URLs that are notified of changes of a workflow job and of its nodes; at least one of the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct WorkflowNotification {
    pub(crate) job: WorkflowKey,
    /// With `$jobId`, `$status` and `$parentId`.
    pub(crate) job_url: Option<String>,
    /// With `$jobId`, `$nodeName` and `$status`.
    pub(crate) node_url: Option<String>,
    pub(crate) proxy: Option<String>,
}
