//! The pause of all jobs.

use crate::model::time::Timestamp;

/// The pause of all jobs: nothing new starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SitePause {
    pub at: Timestamp,
    pub actor: String,
}
