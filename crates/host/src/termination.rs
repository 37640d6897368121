//! SIGTERM as an event that a thread can wait for, and a flag for the signals that end a process.
//!
//! Must not depend on what is ended, or how.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// The SIGTERM signals to this process, which no longer end it.
#[derive(Debug)]
pub struct Termination(UnixStream);

impl Termination {
    /// Registers the handler. Returns the system's own error when it cannot; the signal then ends this process as
    /// before.
    pub fn watch() -> io::Result<Self> {
        let (reader, writer) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGTERM, writer)?;
        Ok(Self(reader))
    }

    /// Waits for the signal. Returns at once for a signal that has already arrived, once for each.
    pub fn wait(&mut self) -> io::Result<()> {
        self.0.read_exact(&mut [0])
    }
}

/// Returns a flag that the signals set that ask this process to end: SIGTERM, SIGHUP and SIGINT. They no longer end it.
pub fn flag() -> io::Result<Arc<AtomicBool>> {
    let flag = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGHUP, SIGINT] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(flag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_waited_for_and_ends_nothing() {
        let mut termination = Termination::watch().unwrap();
        for _ in 0..2 {
            signal_hook::low_level::raise(SIGTERM).unwrap();
            termination.wait().unwrap();
        }
    }
}
