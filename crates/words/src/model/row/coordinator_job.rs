//! A coordinator job as it is stored.

use crate::model::id::JobId;
use crate::model::job_status::JobStatus;
use crate::model::row::key::{BundleKey, CoordinatorKey};
use crate::model::status::Execution;
use crate::model::time::Timestamp;

/// A coordinator job. Numbers of minutes, the concurrency and the throttle are as Oozie counts them (-1: none).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorJob {
    pub job: CoordinatorKey,
    pub id: JobId,
    pub name: String,
    pub user: String,
    pub group_name: Option<String>,
    pub acl: Option<String>,
    pub app_path: String,
    pub status: JobStatus,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
    pub start_at: Timestamp,
    pub end_at: Timestamp,
    pub pause_at: Option<Timestamp>,
    pub suspended_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub frequency: String,
    pub time_unit: String,
    pub time_zone: String,
    pub timeout_minutes: i32,
    pub concurrency: i32,
    pub throttle: i32,
    pub execution: Execution,
    /// Nominal time of the next action; `None` when none follows.
    pub next_materialized_at: Option<Timestamp>,
    pub last_action_number: u32,
    pub done_materialization: bool,
    pub definition_version: u32,
    /// When tick must next consider materializing; `None`: never.
    pub due_at: Option<Timestamp>,
    /// The bundle that submitted it.
    pub parent_bundle: Option<BundleKey>,
}
