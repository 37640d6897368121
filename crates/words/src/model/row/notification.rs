//! The URLs that are notified of the changes of a job.

use crate::model::row::key::{CoordinatorKey, WorkflowKey};

/// The URL that is notified of changes of a coordinator's actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorNotification {
    pub job: CoordinatorKey,
    /// With `$actionId` and `$status`.
    pub url: String,
    /// `[type@]host:port`; `None`: the site's.
    pub proxy: Option<String>,
}

/// The URLs that are notified of changes of a workflow job and of its nodes; at least one of the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkflowNotification {
    pub job: WorkflowKey,
    /// With `$jobId`, `$status` and `$parentId`.
    pub job_url: Option<String>,
    /// With `$jobId`, `$nodeName` and `$status`.
    pub node_url: Option<String>,
    pub proxy: Option<String>,
}
