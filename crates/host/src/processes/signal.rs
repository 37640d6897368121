//! The signals that howdah sends, and their way to process groups. Must not decide which group gets one.

use rustix::process::Pid;
use serde::{Deserialize, Serialize};

/// The signals that howdah sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Signal {
    /// SIGTERM: end in order.
    Terminate,
    /// SIGKILL: end now.
    Kill,
}

impl Signal {
    /// The number of the signal.
    pub const fn number(self) -> i32 {
        self.native().as_raw()
    }

    const fn native(self) -> rustix::process::Signal {
        match self {
            Self::Terminate => rustix::process::Signal::TERM,
            Self::Kill => rustix::process::Signal::KILL,
        }
    }
}

/// Sends a signal to the process group `group`; `false` when it has no process.
pub fn signal_group(group: i32, signal: Signal) -> bool {
    Pid::from_raw(group)
        .filter(|group| !group.is_init())
        .is_some_and(|group| rustix::process::kill_process_group(group, signal.native()).is_ok())
}
