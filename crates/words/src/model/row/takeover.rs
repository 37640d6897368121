//! Coordinator and bundle jobs of an Oozie that were taken over.

use crate::model::row::key::{BundleKey, CoordinatorKey, TakeoverKey};
use crate::model::time::Timestamp;

/// A coordinator job of an Oozie that was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Takeover {
    pub takeover: TakeoverKey,
    pub oozie_id: String,
    /// The job here; `None` after a purge.
    pub job: Option<CoordinatorKey>,
    pub taken_at: Timestamp,
    /// When it was given back to Oozie.
    pub back_at: Option<Timestamp>,
    /// The number of the last action that Oozie has created.
    pub last_number: u32,
    /// The end that Oozie gets back.
    pub end_at: Timestamp,
    /// The concurrency that Oozie gets back.
    pub concurrency: i32,
    /// The numbers of the actions that Oozie has started, as a list of ranges.
    pub left_to_oozie: String,
}

/// A bundle job of an Oozie that was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleTakeover {
    pub oozie_id: String,
    /// The bundle here; `None` after a purge.
    pub bundle: Option<BundleKey>,
    pub taken_at: Timestamp,
    /// When it was given back to Oozie.
    pub back_at: Option<Timestamp>,
}
