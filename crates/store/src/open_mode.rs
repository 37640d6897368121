//! What to do when there is no database yet. Must not depend on how one is opened.

use super::birth::Birth;

/// What to do when there is no database yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Create one, with its folder: for the verbs that add jobs or advance them.
    Create(Birth),
    /// Refuse (H0100): for the verbs that only read or change what exists.
    MustExist,
    /// The same, for a short read: when the disk has no space for the files that processes share, the file is opened
    /// for this process only, and others wait until it is closed.
    ReadOnly,
}
