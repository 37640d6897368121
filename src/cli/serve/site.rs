//! What every request needs.

use crate::cli::args::GlobalArgs;
use crate::cli::serve::guard::Guard;

/// The options of the server, and who may do what.
pub(super) struct Site {
    pub(super) global: GlobalArgs,
    pub(super) guard: Guard,
}
