//! Standard output, or a stream in its place: the only handle that prints; and whether standard error is a terminal.
//!
//! Detects whether it is a terminal, its width, and whether colour is enabled (`NO_COLOR`, `CLICOLOR`, `TERM=dumb`). A
//! closed output is no error: the rest is not written.

use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};

use crate::output::cells;
use crate::output::visible::printable;
use howdah_host::session::Session;
use howdah_words::error::{Error, ErrorCode, Result};

/// How texts are laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Columns of the terminal; `None` when the output is no terminal: then nothing is cut or wrapped.
    pub(crate) width: Option<usize>,
    /// Whether statuses are coloured.
    pub(crate) colour: bool,
}

/// Standard output, or what takes its place.
pub(crate) struct Screen {
    stream: Box<dyn io::Write>,
    layout: Layout,
    /// Lines of the terminal.
    height: usize,
    closed: bool,
}

/// The narrowest supported terminal.
const NARROWEST: u16 = 40;

impl Screen {
    /// Returns the standard output of the session.
    pub(crate) fn open() -> Self {
        if let Some(kept) = Session::current().output() {
            return Self::of(kept);
        }
        let stdout = io::stdout();
        let size = stdout.is_terminal().then(|| terminal_size::terminal_size_of(&stdout)).flatten();
        let width = size.map(|(columns, _)| columns.0);
        let layout = Layout {
            width: width.map(|width| width.max(NARROWEST).into()),
            colour: AutoStream::choice(&stdout) != ColorChoice::Never,
        };
        let height = size.map_or(usize::MAX, |(_, rows)| rows.0.into());
        Self { stream: Box::new(stdout.lock()), layout, height, closed: false }
    }

    /// Returns a screen that is no terminal and writes to another stream. An error of the kind `BrokenPipe` says that
    /// the stream takes no more.
    pub(crate) fn of(stream: impl io::Write + 'static) -> Self {
        Self { stream: Box::new(stream), layout: Layout::default(), height: usize::MAX, closed: false }
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

    /// Replaces what the terminal shows by a head and a text; what does not fit is left out, and the last line says how
    /// much that is. Nothing has to be restored when the process ends.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub(crate) fn redraw(&mut self, head: &str, text: &str) -> Result<()> {
        self.write_bytes(redrawn(head, text, (self.layout.width.unwrap_or(usize::MAX), self.height)))
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

/// Returns whether a user reads what is reported: standard error is a terminal.
pub(crate) fn is_watched() -> bool {
    Session::current().is_of_process() && io::stderr().is_terminal()
}

/// Returns a screen of this width and height: lines are cut at the right edge, and replace those that were there.
fn redrawn(head: &str, text: &str, (width, height): (usize, usize)) -> String {
    let lines: Vec<&str> = text.lines().collect();
    // Besides the head, an empty line, and the line of the cursor.
    let room = height.saturating_sub(3).max(1);
    let (shown, more) = if lines.len() <= room { (lines.len(), 0) } else { (room - 1, lines.len() + 1 - room) };
    let rest = (more > 0).then(|| format!("({more} more lines)"));
    let lines = [head, ""].into_iter().chain(lines[..shown].iter().copied()).chain(rest.as_deref());
    let lines: String = lines.flat_map(|line| [cut(&printable(line), width), format!("{END_OF_LINE}\n")]).collect();
    format!("{TOP}{lines}{END_OF_SCREEN}")
}

/// Cuts a printable line; our own colours in it take no column, and those behind the cut stay.
fn cut(line: &str, width: usize) -> String {
    let (mut out, mut used, mut is_code) = (String::with_capacity(line.len()), 0, false);
    for character in line.chars() {
        is_code |= character == '\u{1b}';
        if !is_code {
            used += cells::width(character.encode_utf8(&mut [0; 4]));
        }
        if is_code || used <= width {
            out.push(character);
        }
        is_code &= !character.is_ascii_alphabetic();
    }
    out
}

/// Moves to the first line.
const TOP: &str = "\u{1b}[H";
/// Deletes what was behind the end of a line.
const END_OF_LINE: &str = "\u{1b}[K";
/// Deletes what was below the last line.
const END_OF_SCREEN: &str = "\u{1b}[J";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_redrawn_screen_fits_the_terminal() {
        let plain = |height: usize| {
            let drawn = redrawn("head", "a\nb\u{1b}[2J\nc\n", (80, height));
            assert!(drawn.starts_with(TOP) && drawn.ends_with(END_OF_SCREEN), "{drawn:?}");
            drawn[TOP.len()..drawn.len() - END_OF_SCREEN.len()].replace(END_OF_LINE, "")
        };
        assert_eq!(plain(6), "head\n\na\nb\\x1b[2J\nc\n");
        assert_eq!(plain(5), "head\n\na\n(2 more lines)\n");
        assert_eq!(plain(4), "head\n\n(3 more lines)\n");
        assert_eq!(plain(1), "head\n\n(3 more lines)\n");
        for (line, width, expect) in [
            ("abcdef", 4, "abcd"),
            ("a\u{65e5}\u{672c}", 4, "a\u{65e5}"),
            ("\u{1b}[31mabc\u{1b}[0m", 2, "\u{1b}[31mab\u{1b}[0m"),
        ] {
            assert_eq!(cut(line, width), expect, "{line}");
        }
    }
}
