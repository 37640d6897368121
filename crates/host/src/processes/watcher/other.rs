//! Waits for processes on other systems, by looking at the process table repeatedly. Must not depend on what they do.

use std::os::fd::BorrowedFd;
use std::thread;
use std::time::Duration;

use crate::found::Found;
use crate::processes::{Identity, look_for};

const PAUSE: Duration = Duration::from_millis(100);

/// Keeps nothing: each check reads the table again.
#[derive(Debug, Default)]
pub(super) struct Watcher;

impl Watcher {
    pub(super) fn wait(&mut self, processes: &[Identity], timeout: Duration, _wakes: &[BorrowedFd<'_>]) -> bool {
        let mut left = timeout;
        loop {
            if processes.iter().any(|process| look_for(process) == Found::Absent) {
                return true;
            }
            if left.is_zero() {
                return false;
            }
            let pause = left.min(PAUSE);
            thread::sleep(pause);
            left -= pause;
        }
    }
}
