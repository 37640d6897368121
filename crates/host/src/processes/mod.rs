//! Identifies processes, waits for their ends and signals them; `children` starts them.
//!
//! There are no heartbeats; the kernel is asked. A process is identified by its boot, its number and its start time, so
//! a reused number is noticed. Where the process table cannot be read, nothing is concluded: see `found`.

mod identity;
mod kinship;
mod own;
mod signal;
mod table;
mod watcher;

pub use identity::{Identity, look_for};
pub use kinship::user_of;
pub(crate) use kinship::{groups_of_session, members_of_session, session_of, works_below, works_in};
#[cfg(feature = "hdfs")]
pub(crate) use own::leave_no_core;
pub use own::{end_now, handle_size_limits, leave_session, raise_size_limit, size_limit, watch_for_interrupt};
pub use signal::{Signal, signal_group};
pub use watcher::Watcher;

#[cfg(test)]
mod tests;
