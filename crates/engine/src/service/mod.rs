//! Work that takes longer than a step: the loops, what wakes them, the processes that they start, and the purge.

mod asking;
mod driver;
pub mod loops;
pub mod notice;
pub mod purge;
pub mod spawn;
pub mod ticking;
pub mod watcher;
