//! Copies the outputs of attempts to a screen as they are written.
//!
//! Remembers the printed part of each file, so that `--follow` continues where it stopped.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use crate::output::log;
use crate::output::screen::Screen;
use crate::output::visible::Pieces;
use howdah_answers::query::attempt::AttemptView;
use howdah_answers::query::filter::{LogLines, LogSelection};
use howdah_answers::query::kill_message::KillMessage;
use howdah_host::{files, found};
use howdah_words::error::Result;

/// Bytes that are copied at a time; a longer line is treated as several.
const CHUNK: usize = 64 * 1024;

/// The printed part of each file.
pub(super) struct Tail {
    screen: Screen,
    streams: Vec<&'static str>,
    printed_bytes: HashMap<PathBuf, u64>,
    /// The file whose heading was printed last.
    current: Option<PathBuf>,
    ended: HashSet<(String, u32, u32)>,
    /// The kill nodes whose messages were printed.
    kill_nodes: HashSet<String>,
    /// Whether the last byte ended a line.
    at_line_start: bool,
    pub(super) printed: bool,
    /// Selects lines; `None` when bytes are copied unchanged.
    lines: Option<LogLines>,
    /// The number of lines wanted from the first reading of a file; `None` for all.
    last_lines: Option<u64>,
    /// Makes the bytes of the current file safe for a terminal; `None` where they are copied unchanged.
    pieces: Option<Pieces>,
}

impl Tail {
    /// Returns a tail that has printed nothing yet.
    pub(super) fn new(streams: Vec<&'static str>, last_lines: Option<u64>, screen: Screen) -> Self {
        Self {
            pieces: screen.layout().width.map(|_| Pieces::default()),
            last_lines,
            screen,
            streams,
            printed_bytes: HashMap::new(),
            current: None,
            ended: HashSet::new(),
            kill_nodes: HashSet::new(),
            at_line_start: true,
            printed: false,
            lines: None,
        }
    }

    /// Prints only selected lines, if the selection leaves any out.
    pub(super) fn choose_lines(&mut self, selection: &LogSelection) {
        if self.lines.is_none() && selection.looks_into_lines() {
            self.lines = Some(LogLines::new(selection.clone()));
        }
    }

    /// Returns whether nothing more will be printed.
    pub(super) fn is_done(&self) -> bool {
        self.screen.is_closed() || self.lines.as_ref().is_some_and(LogLines::is_full)
    }

    /// Prints what an attempt has written since the last call, and its end.
    ///
    /// # Errors
    /// H0110 when a file cannot be read, H0111 when standard output cannot be written.
    pub(super) fn print(&mut self, attempt: &AttemptView) -> Result<()> {
        for stream in self.streams.clone() {
            let file = if stream == "stdout" { &attempt.stdout } else { &attempt.stderr };
            self.copy(attempt, stream, file)?;
        }
        let key = (attempt.id.clone(), attempt.run, attempt.attempt);
        if attempt.is_over() && !self.ended.contains(&key) {
            self.end_line()?;
            let ending = log::ending(attempt, self.screen.layout());
            self.screen.write(ending)?;
            self.ended.insert(key);
            self.current = None;
            self.printed = true;
        }
        Ok(())
    }

    /// Prints the message of a kill node, once.
    ///
    /// # Errors
    /// H0111 when standard output cannot be written.
    pub(super) fn print_kill_message(&mut self, message: &KillMessage) -> Result<()> {
        if !self.kill_nodes.insert(message.id.clone()) {
            return Ok(());
        }
        self.end_line()?;
        self.current = None;
        let line = log::kill_message(message, self.screen.layout());
        self.screen.write(line)
    }

    fn copy(&mut self, attempt: &AttemptView, stream: &str, file: &Path) -> Result<()> {
        let refuse = |error: io::Error| found::cannot_read(file, &error);
        if let (Some(lines), false) = (self.last_lines, self.printed_bytes.contains_key(file)) {
            let from = files::start_of_last_lines(file, lines).map_err(refuse)?;
            self.printed_bytes.insert(file.to_owned(), from);
        }
        loop {
            let offset = self.printed_bytes.get(file).copied().unwrap_or_default();
            let bytes = files::read_from(file, offset, CHUNK).map_err(refuse)?;
            if bytes.is_empty() || self.is_done() {
                return Ok(());
            }
            let read = match &self.lines {
                // The rest of an incomplete line is handled when it is complete.
                Some(_) if !attempt.is_over() => whole_lines(&bytes),
                Some(_) if bytes.len() == CHUNK => whole_lines(&bytes),
                _ => bytes.len(),
            };
            if read == 0 {
                return Ok(());
            }
            self.printed_bytes.insert(file.to_owned(), offset + read as u64);
            let bytes = chosen(&mut self.lines, &bytes[..read]);
            if bytes.is_empty() {
                continue;
            }
            if self.current.as_deref() != Some(file) {
                self.end_line()?;
                let heading = log::heading(attempt, stream, self.screen.layout());
                self.screen.write(heading)?;
                self.current = Some(file.to_owned());
            }
            let shown = match &mut self.pieces {
                Some(pieces) => Cow::Owned(pieces.next(&bytes).into_bytes()),
                None => bytes,
            };
            self.write_output(&shown)?;
        }
    }

    fn write_output(&mut self, bytes: &[u8]) -> Result<()> {
        self.screen.write_bytes(bytes)?;
        self.at_line_start = bytes.last().map_or(self.at_line_start, |last| *last == b'\n');
        self.printed = true;
        Ok(())
    }

    /// Prints the rest of the file that was printed last.
    ///
    /// # Errors
    /// H0111 when standard output cannot be written.
    pub(super) fn end(&mut self) -> Result<()> {
        let left = self.pieces.as_mut().map(Pieces::end).unwrap_or_default();
        if left.is_empty() { Ok(()) } else { self.write_output(left.as_bytes()) }
    }

    /// Ends the current line, so that a heading starts a new one.
    fn end_line(&mut self) -> Result<()> {
        self.end()?;
        if !self.at_line_start {
            self.screen.write("\n")?;
            self.at_line_start = true;
        }
        Ok(())
    }
}

/// Returns the number of bytes in whole lines; all bytes of a piece that is one long line.
fn whole_lines(bytes: &[u8]) -> usize {
    match bytes.iter().rposition(|byte| *byte == b'\n') {
        Some(last) => last + 1,
        None if bytes.len() == CHUNK => CHUNK,
        None => 0,
    }
}

/// Returns the selected lines.
fn chosen<'b>(lines: &mut Option<LogLines>, bytes: &'b [u8]) -> Cow<'b, [u8]> {
    let Some(lines) = lines else { return bytes.into() };
    let wanted =
        bytes.split_inclusive(|byte| *byte == b'\n').filter(|line| lines.takes(&String::from_utf8_lossy(line)));
    wanted.flatten().copied().collect::<Vec<u8>>().into()
}
