//! The whole terminal: its other screen, which leaves what was there before, and lines drawn on it.
//!
//! Takes the terminal and gives it back, also in a panic. Decides nothing about the lines.

use std::io::{self, Write as _};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use anstyle::Style;
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{execute, queue};
use terminal_size::terminal_size_of;

use crate::output::cells;
use crate::output::screen::Screen;

/// A line of the terminal, in one style.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    /// A printable text that is no wider than the terminal.
    pub(crate) text: String,
    pub(crate) style: Style,
}

/// Whether the terminal is in the state that this process needs to draw.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// The terminal, with what it shows. It is given back when this goes out of scope.
#[derive(Debug)]
pub(crate) struct WholeTerminal {
    drawing: Drawing,
    has_colour: bool,
}

impl WholeTerminal {
    /// Takes the terminal: every key arrives at once, and nothing that this process draws stays afterwards.
    pub(crate) fn take() -> io::Result<Self> {
        give_back_in_a_panic();
        let taken = Self { drawing: Drawing::default(), has_colour: Screen::open().layout().colour };
        IS_TAKEN.store(true, Ordering::SeqCst);
        enable_raw_mode()?;
        execute!(io::stdout(), EnterAlternateScreen, Hide)?;
        Ok(taken)
    }

    /// Returns the columns and the rows; none of a terminal that has gone.
    pub(crate) fn size() -> (usize, usize) {
        let size = terminal_size_of(io::stdout());
        size.map_or((0, 0), |(columns, rows)| (columns.0.into(), rows.0.into()))
    }

    /// Shows these lines, from the first row on, on a terminal of this size.
    pub(crate) fn draw(&mut self, mut lines: Vec<Line>, size: (usize, usize)) -> io::Result<()> {
        if !self.has_colour {
            for line in &mut lines {
                line.style = line.style.fg_color(None);
            }
        }
        let bytes = self.drawing.next(lines, size)?;
        let mut stdout = io::stdout().lock();
        stdout.write_all(&bytes)?;
        stdout.flush()
    }
}

impl Drop for WholeTerminal {
    fn drop(&mut self) {
        give_back();
    }
}

/// Gives the terminal back, if this process has taken it.
fn give_back() {
    if IS_TAKEN.swap(false, Ordering::SeqCst) {
        // A terminal that has gone needs nothing.
        let _ = execute!(io::stdout(), LeaveAlternateScreen, Show);
        let _ = disable_raw_mode();
    }
}

/// From now on, a panic first gives the terminal back, so that its message stays on it.
fn give_back_in_a_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            give_back();
            usual(panic);
        }));
    });
}

/// What was drawn last.
#[derive(Debug, Default)]
struct Drawing {
    lines: Vec<Line>,
    /// Columns and rows.
    size: (usize, usize),
}

impl Drawing {
    /// Returns what the terminal has to get so that it shows these lines: only those that are not there yet. All of it
    /// is written at once, so that nothing flickers.
    fn next(&mut self, lines: Vec<Line>, size: (usize, usize)) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        if self.size != size {
            // A terminal moves what it shows when its size changes.
            *self = Self { lines: Vec::new(), size };
            queue!(bytes, Clear(ClearType::All))?;
        }
        let (columns, rows) = size;
        for (row, number) in (0..rows).zip(0_u16..) {
            let line = lines.get(row).cloned().unwrap_or_default();
            if self.lines.get(row) == Some(&line) {
                continue;
            }
            let Line { text, style } = &line;
            queue!(bytes, MoveTo(0, number))?;
            write!(bytes, "{style}{text}{style:#}")?;
            // Behind a full line, the cursor is still on its last column.
            if cells::width(text) < columns {
                queue!(bytes, Clear(ClearType::UntilNewLine))?;
            }
        }
        self.lines = lines;
        self.lines.resize_with(rows, Line::default);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZero;

    use anstyle::AnsiColor;
    use vt100::Parser;

    use super::*;

    fn line(text: &str) -> Line {
        Line { text: text.to_owned(), style: Style::new() }
    }

    fn terminal() -> Parser {
        Parser::new(NonZero::new(3).unwrap(), NonZero::new(6).unwrap(), 0)
    }

    #[test]
    fn only_lines_that_changed_are_written() {
        let (mut drawing, mut shown) = (Drawing::default(), terminal());
        let first = drawing.next(vec![line("head"), line("abcdef"), line("end")], (6, 3)).unwrap();
        shown.process(&first);
        assert_eq!(shown.screen().contents(), "head\nabcdef\nend");
        assert!(drawing.next(vec![line("head"), line("abcdef"), line("end")], (6, 3)).unwrap().is_empty());
        let second = drawing.next(vec![line("head"), line("\u{65e5}\u{672c}")], (6, 3)).unwrap();
        assert!(!String::from_utf8_lossy(&second).contains("head"));
        shown.process(&second);
        assert_eq!(shown.screen().contents(), "head\n\u{65e5}\u{672c}");
    }

    #[test]
    fn another_size_draws_everything_again() {
        let mut drawing = Drawing::default();
        let lines = || vec![line("head"), line("a")];
        drawing.next(lines(), (5, 2)).unwrap();
        let mut shown = terminal();
        shown.process(b"xxxxxx\r\nxxxxxx\r\nxxxxxx");
        shown.process(&drawing.next(lines(), (6, 3)).unwrap());
        assert_eq!(shown.screen().contents(), "head\na");
        // What does not fit is not drawn.
        shown.process(&drawing.next(lines(), (6, 1)).unwrap());
        assert_eq!(shown.screen().contents(), "head");
    }

    #[test]
    fn a_style_ends_with_its_line() {
        let (mut drawing, mut shown) = (Drawing::default(), terminal());
        let red = Line { style: AnsiColor::Red.on_default().invert(), ..line("red") };
        shown.process(&drawing.next(vec![red, line("plain")], (6, 3)).unwrap());
        let cell = |row, column| shown.screen().cell(row, column).unwrap();
        assert!(cell(0, 2).inverse() && cell(0, 2).fgcolor() == vt100::Color::Idx(1));
        for (row, column) in [(0, 3), (1, 0)] {
            assert!(!cell(row, column).inverse() && cell(row, column).fgcolor() == vt100::Color::Default);
        }
    }
}
