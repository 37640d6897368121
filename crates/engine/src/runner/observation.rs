//! The observed state of an open attempt, on this machine or on a cluster.

use howdah_host::attempt::AttemptState;

/// The runner starts the shim of one attempt at most this often before it gives the attempt up.
pub(crate) const MOST_STARTS: u32 = 3;

/// The state of an attempt that a cluster reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterState {
    /// The number of its job on the cluster.
    pub id: String,
    /// The state of the job, as the cluster names it.
    pub status: String,
}

/// The result of checking an open attempt.
#[derive(Debug)]
pub enum Observation {
    /// It continues; there is nothing to do.
    Unchanged,
    /// It continues, and the cluster reports another state of it.
    OnCluster(ClusterState),
    /// It ended, or its end can no longer be determined.
    Over(AttemptState),
}
