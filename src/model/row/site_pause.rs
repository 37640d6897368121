//! The pause of all jobs.

use crate::model::time::Timestamp;

/// The pause of all jobs: nothing new starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SitePause {
    pub(crate) at: Timestamp,
    pub(crate) actor: String,
}
