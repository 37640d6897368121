//! SIGTERM as an event that a thread can wait for.
//!
//! Must not depend on what is ended, or how.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;

use signal_hook::consts::SIGTERM;

/// The SIGTERM signals to this process, which no longer end it.
#[derive(Debug)]
pub(crate) struct Termination(UnixStream);

impl Termination {
    /// Registers the handler. Returns the system's own error when it cannot; the signal then ends this process as
    /// before.
    pub(crate) fn watch() -> io::Result<Self> {
        let (reader, writer) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGTERM, writer)?;
        Ok(Self(reader))
    }

    /// Waits for the signal. Returns at once for a signal that has already arrived, once for each.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        self.0.read_exact(&mut [0])
    }
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
