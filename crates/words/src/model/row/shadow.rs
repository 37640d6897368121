//! A shadow database, and the jobs of Oozie that it follows.

use crate::model::row::CoordinatorKey;
use crate::model::time::Timestamp;

/// That a database is a shadow: nothing in it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shadow {
    pub created_at: Timestamp,
    /// Whether an action that would start stays RUNNING until Oozie says how it ended. Otherwise it ends at once.
    pub follows: bool,
}

/// The job of Oozie that a coordinator job follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShadowJob {
    pub job: CoordinatorKey,
    pub oozie_id: String,
    /// The number of the first action that Oozie had not created when the shadow began.
    pub first_number: u32,
}
