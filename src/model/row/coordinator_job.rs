//! A coordinator job as it is stored.

use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::row::key::{BundleKey, CoordinatorKey};
use crate::model::status::Execution;
use crate::model::time::Timestamp;

/// A coordinator job. Numbers of minutes, the concurrency and the throttle are as Oozie counts them (-1: none).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoordinatorJob {
    pub(crate) job: CoordinatorKey,
    pub(crate) id: JobId,
    pub(crate) name: String,
    pub(crate) user: String,
    pub(crate) group_name: Option<String>,
    pub(crate) acl: Option<String>,
    pub(crate) app_path: String,
    pub(crate) status: JobStatus,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    pub(crate) start_at: Timestamp,
    pub(crate) end_at: Timestamp,
    pub(crate) pause_at: Option<Timestamp>,
    pub(crate) suspended_at: Option<Timestamp>,
    pub(crate) ended_at: Option<Timestamp>,
    pub(crate) frequency: String,
    pub(crate) time_unit: String,
    pub(crate) time_zone: String,
    pub(crate) timeout_minutes: i32,
    pub(crate) concurrency: i32,
    pub(crate) throttle: i32,
    pub(crate) execution: Execution,
    /// Nominal time of the next action; `None` when none follows.
    pub(crate) next_materialized_at: Option<Timestamp>,
    pub(crate) last_action_number: u32,
    pub(crate) done_materialization: bool,
    pub(crate) definition_version: u32,
    /// When tick must next consider materializing; `None`: never.
    pub(crate) due_at: Option<Timestamp>,
    /// The bundle that submitted it.
    pub(crate) parent_bundle: Option<BundleKey>,
}
