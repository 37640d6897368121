//! The events of a folder. Must not depend on the system.

use std::collections::BTreeSet;

/// A watched folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WatchId(pub(super) i32);

/// The result of watching a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Watched {
    /// Its events arrive under this id. Another path of the same folder has the same id.
    On(WatchId),
    /// There is no such folder.
    Absent,
    /// It has no events that can be relied on.
    Not(Unwatched),
}

/// Why a folder has no events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwatched {
    /// A limit is reached; the text names it. Other folders have no events either.
    Limit(String),
    /// It is on a file system that other machines may write to.
    Network,
    /// The system refuses; the text is its reason.
    Refused(String),
}

/// The events since the last read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Events {
    /// Folders in which an entry appeared.
    pub changed: BTreeSet<WatchId>,
    /// Folders that were deleted, moved or unmounted; they are not watched any more.
    pub gone: BTreeSet<WatchId>,
    /// Some events were lost: anything may have changed.
    pub overflow: bool,
}
