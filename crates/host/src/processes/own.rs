//! This process: its session, and the signals that it gets. Must not depend on other processes.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::fault::slow_point;

/// Leaves the session of the caller, so that the end of a terminal or of cron does not reach this process.
pub fn leave_session() {
    slow_point("before-session");
    // It fails only for a leader of a process group, which is out of reach as well.
    let _ = rustix::process::setsid();
}

/// Makes a write above the limit on file sizes fail with the system's own error; otherwise SIGXFSZ would end this
/// process without a message. A handler instead of ignoring the signal, because every command would inherit that.
pub fn handle_size_limits() {
    // Without the handler the signal ends the process as before.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::default());
}

/// Raises the limit on the size of files as far as this process may: it is that of a command which ended long ago.
pub fn raise_size_limit() {
    let limit = getrlimit(Resource::Fsize);
    // Where it fails the limit stays, and is named when it does harm.
    let _ = setrlimit(Resource::Fsize, Rlimit { current: limit.maximum, ..limit });
}

/// The limit on the size of the files that this process writes, in bytes; `None` when there is none.
pub fn size_limit() -> Option<u64> {
    getrlimit(Resource::Fsize).current
}

/// Leaves no core file when a signal ends this process.
#[cfg(feature = "hdfs")]
pub(crate) fn leave_no_core() {
    // Where it fails there is a file that nothing needs.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
}

/// Ends this process at once: nothing is written, released or run at its end. What waits for the end of a process waits
/// for the release of its memory too, and for each page that an orderly end touches.
pub fn end_now(status: u8) -> ! {
    signal_hook::low_level::exit(status.into())
}

/// A flag that is set when the user interrupts this process (Ctrl-C) or asks it to end; the second time ends it.
pub fn watch_for_interrupt() -> Arc<AtomicBool> {
    let raised = Arc::new(AtomicBool::new(false));
    for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
        // Without the flag the signal still ends the process, and nothing is lost then either.
        let _ = signal_hook::flag::register_conditional_shutdown(signal, 130, Arc::clone(&raised));
        let _ = signal_hook::flag::register(signal, Arc::clone(&raised));
    }
    raised
}
