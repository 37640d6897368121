//! Waits for processes on Linux, with pidfds. Must not depend on what the processes do.

use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::found::Found;
use crate::processes::{Identity, look_for};

/// A descriptor for each process of the last wait.
#[derive(Debug, Default)]
pub(super) struct Watcher(HashMap<Identity, OwnedFd>);

impl Watcher {
    pub(super) fn wait(&mut self, processes: &[Identity], timeout: Duration, wakes: &[BorrowedFd<'_>]) -> bool {
        let mut before = std::mem::take(&mut self.0);
        for process in processes {
            if let Some(descriptor) = before.remove(process) {
                self.0.insert(process.clone(), descriptor);
                continue;
            }
            let opened = Pid::from_raw(process.pid).map(|pid| pidfd_open(pid, PidfdFlags::empty()));
            // Open first and look second: then the descriptor belongs to the process that is alive now.
            match (opened, look_for(process)) {
                (Some(Ok(descriptor)), Found::Present(())) => {
                    self.0.insert(process.clone(), descriptor);
                }
                // Checked again at the next wait.
                (Some(Err(_)), Found::Present(())) | (_, Found::Unknown(_)) => {}
                _ => return true,
            }
        }
        let mut polled: Vec<PollFd<'_>> = self.0.values().map(|fd| PollFd::new(fd, PollFlags::IN)).collect();
        let processes = polled.len();
        polled.extend(wakes.iter().map(|wake| PollFd::from_borrowed_fd(*wake, PollFlags::IN)));
        let timeout = Timespec {
            tv_sec: timeout.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: timeout.subsec_nanos().into(),
        };
        // An interrupted wait counts as timed out: the caller repeats it anyway.
        let some_are_ready = poll(&mut polled, Some(&timeout)).is_ok_and(|ready| ready > 0);
        some_are_ready && polled[..processes].iter().any(|process| !process.revents().is_empty())
    }
}
