//! Work that takes longer than a step: the loops, what wakes them, the processes that they start, and the purge.

mod asking;
mod driver;
pub(crate) mod loops;
pub(crate) mod notice;
pub(crate) mod purge;
pub(crate) mod spawn;
pub(crate) mod ticking;
pub(crate) mod watcher;
