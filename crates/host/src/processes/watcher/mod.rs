//! Waits for the ends of processes, which need not be children of this one. Must not depend on what they do.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::os::fd::BorrowedFd;
use std::time::Duration;

#[cfg(target_os = "linux")]
use linux as system;
#[cfg(not(target_os = "linux"))]
use other as system;

use super::Identity;

/// Waits for processes, which need not be children of this one; keeps its descriptors between two waits.
#[derive(Debug, Default)]
pub struct Watcher(system::Watcher);

impl Watcher {
    /// The most processes that are watched at a time.
    pub const MOST: usize = 512;

    /// Waits until one of the processes has ended or the time is over; returns whether one has ended. Ignores the
    /// processes after the first [`Self::MOST`]. Where the system can, the wait ends also when one of `wakes` can be
    /// read.
    pub fn wait(&mut self, processes: &[Identity], timeout: Duration, wakes: &[BorrowedFd<'_>]) -> bool {
        self.0.wait(&processes[..processes.len().min(Self::MOST)], timeout, wakes)
    }
}
