//! What every request needs.

use crate::cli::args::GlobalArgs;

/// The options of the process, and what it may do.
pub(super) struct Site {
    pub(super) global: GlobalArgs,
    /// Whether requests may change something.
    pub(super) allows_changes: bool,
}
