//! Standard output: the only handle that prints.
//!
//! Detects whether it is a terminal, its width, and whether colour is enabled (`NO_COLOR`, `CLICOLOR`, `TERM=dumb`). A
//! closed output is no error: the rest is not written.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};

use crate::error::{Error, ErrorCode, Result};
use crate::output::visible::printable;

/// How texts are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Columns of the terminal; `None` when the output is no terminal: then nothing is cut or wrapped.
    pub(crate) width: Option<usize>,
    /// Whether statuses are coloured.
    pub(crate) colour: bool,
}

/// Standard output.
pub(crate) struct Screen {
    stream: io::StdoutLock<'static>,
    layout: Layout,
    closed: bool,
}

/// The narrowest supported terminal.
const NARROWEST: u16 = 40;

impl Screen {
    /// Returns the standard output of this process.
    pub(crate) fn open() -> Self {
        let stdout = io::stdout();
        let size = stdout.is_terminal().then(|| terminal_size::terminal_size_of(&stdout)).flatten();
        let width = size.map(|(columns, _)| columns.0);
        let layout = Layout {
            width: width.map(|width| width.max(NARROWEST).into()),
            colour: AutoStream::choice(&stdout) != ColorChoice::Never,
        };
        Self { stream: stdout.lock(), layout, closed: false }
    }

    /// Returns how texts are laid out on it.
    pub(crate) fn layout(&self) -> Layout {
        self.layout
    }

    /// Checks whether the reader has closed the output.
    pub(crate) fn is_closed(&self) -> bool {
        self.closed
    }

    /// Writes a text and flushes; does nothing when no process reads any more. Characters that could control the
    /// terminal are made visible.
    ///
    /// # Errors
    /// H0111 when the system refuses, such as on a full disk.
    pub(crate) fn write(&mut self, text: impl AsRef<str>) -> Result<()> {
        self.write_bytes(printable(text.as_ref()).as_bytes())
    }

    /// As [`Self::write`], byte by byte: for text of others that goes to no terminal.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) fn write_bytes(&mut self, bytes: impl AsRef<[u8]>) -> Result<()> {
        if self.closed {
            return Ok(());
        }
        match self.stream.write_all(bytes.as_ref()).and_then(|()| self.stream.flush()) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            Err(error) => Err(Error::with(ErrorCode::H0111, &[&"standard output", &error])),
        }
    }
}
