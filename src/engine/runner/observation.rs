//! What is seen of an open attempt, on this machine or on a cluster.

use crate::host::attempt::AttemptState;

/// How often a shim is started for one attempt before it is given up.
pub(crate) const MOST_STARTS: u32 = 3;

/// What a cluster says of an attempt that it works on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    /// The number of its job there.
    pub(crate) id: String,
    /// The state of the job in the cluster's words.
    pub(crate) status: String,
}

/// What a look at an open attempt found.
#[derive(Debug)]
pub(crate) enum Look {
    /// It goes on; there is nothing to do.
    Going,
    /// It goes on, and a cluster has news of it.
    Elsewhere(Whereabouts),
    /// It is over, or that can no longer be determined.
    Over(AttemptState),
}
