//! The process table of the system. Must not depend on which process is looked for.

mod entry;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

pub(super) use entry::Entry;
#[cfg(target_os = "linux")]
pub(super) use linux::{all, read};
#[cfg(not(target_os = "linux"))]
pub(super) use other::{all, read};
