//! The request to end that this process gets from outside: SIGTERM, as something that a thread can wait for.
//!
//! Must never know what is to be ended, or how.

use std::io::{self, Read as _};
use std::os::unix::net::UnixStream;

use signal_hook::consts::SIGTERM;

/// SIGTERM to this process, which from now on no longer ends it.
#[derive(Debug)]
pub(crate) struct Termination(UnixStream);

impl Termination {
    /// Begins to listen. The system's own words when it cannot; the signal then ends this process as before.
    pub(crate) fn watch() -> io::Result<Self> {
        let (reader, writer) = UnixStream::pair()?;
        signal_hook::low_level::pipe::register(SIGTERM, writer)?;
        Ok(Self(reader))
    }

    /// Waits until the signal has come; comes back at once when it came before, once for each wait.
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
