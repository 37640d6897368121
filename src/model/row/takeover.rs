//! Coordinator and bundle jobs of an Oozie that were taken over.

use crate::model::row::key::{BundleKey, CoordinatorKey, TakeoverKey};
use crate::model::time::Timestamp;

/// A coordinator job of an Oozie that was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Takeover {
    pub(crate) takeover: TakeoverKey,
    pub(crate) oozie_id: String,
    /// The job here; `None` after a purge.
    pub(crate) job: Option<CoordinatorKey>,
    pub(crate) taken_at: Timestamp,
    /// When it was given back to Oozie.
    pub(crate) back_at: Option<Timestamp>,
    /// The number of the last action that Oozie has created.
    pub(crate) last_number: u32,
    /// The end that Oozie gets back.
    pub(crate) end_at: Timestamp,
    /// The concurrency that Oozie gets back.
    pub(crate) concurrency: i32,
    /// The numbers of the actions that Oozie has started, as a list of ranges.
    pub(crate) left_to_oozie: String,
}

/// A bundle job of an Oozie that was taken over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleTakeover {
    pub(crate) oozie_id: String,
    /// The bundle here; `None` after a purge.
    pub(crate) bundle: Option<BundleKey>,
    pub(crate) taken_at: Timestamp,
    /// When it was given back to Oozie.
    pub(crate) back_at: Option<Timestamp>,
}
