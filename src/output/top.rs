//! `top`: draws lists and logs on a whole terminal. Every text passes the filters of the other tables.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Text};
use ratatui::widgets::{Clear, Paragraph};

use crate::output::cells;
use crate::output::screen::Layout;
use crate::output::table::{self, Column};
use crate::output::theme;
use crate::output::visible::{printable, visible};

/// What is on the terminal.
pub(crate) struct TopView<'v> {
    pub(crate) title: String,
    pub(crate) body: Body<'v>,
    /// The keys, the answer to the last one, or what is being typed.
    pub(crate) bottom: String,
    /// Whether the last line needs an answer.
    pub(crate) asks: bool,
    /// What is shown over everything else.
    pub(crate) help: Option<&'v str>,
}

/// The part between the first and the last line.
pub(crate) enum Body<'v> {
    Table {
        columns: &'v [Column],
        rows: &'v [Vec<String>],
        /// The column of the status, which colours its row.
        status: usize,
        selected: usize,
        /// What is said instead of an empty table.
        empty: &'v str,
    },
    Log {
        lines: &'v [String],
        /// How many lines from the end are not shown.
        back: usize,
    },
}

/// Draws the whole terminal.
pub(crate) fn draw(frame: &mut Frame<'_>, view: &TopView<'_>) {
    let area = frame.area();
    let (width, height) = (usize::from(area.width), usize::from(area.height));
    let line = |at: u16| Rect { x: area.x, y: area.y + at.min(area.height.saturating_sub(1)), height: 1, ..area };
    let bar = Style::new().add_modifier(Modifier::REVERSED);
    let filled = |text: &str| {
        let text = cells::cut(&safe(text), width);
        let blanks = width.saturating_sub(cells::width(&text));
        format!("{text}{}", " ".repeat(blanks))
    };
    frame.render_widget(Line::styled(filled(&view.title), bar), line(0));
    let room = height.saturating_sub(2);
    if room > 0 {
        let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
        frame.render_widget(Paragraph::new(Text::from(lines(&view.body, (width, room)))), body);
    }
    let style = if view.asks { bar.fg(Color::Yellow) } else { bar };
    frame.render_widget(Line::styled(filled(&view.bottom), style), line(area.height.saturating_sub(1)));
    if let Some(help) = view.help {
        let lines: Vec<Line<'_>> = help.lines().map(Line::raw).collect();
        let rows = u16::try_from(lines.len()).unwrap_or(u16::MAX).min(area.height);
        let over = Rect { x: area.x, y: area.y, width: area.width, height: rows };
        frame.render_widget(Clear, over);
        frame.render_widget(Paragraph::new(lines), over);
    }
}

fn lines(body: &Body<'_>, (width, room): (usize, usize)) -> Vec<Line<'static>> {
    match body {
        Body::Table { rows: [], empty, .. } => vec![Line::raw(safe(empty))],
        Body::Table { columns, rows, status, selected, .. } => {
            let text = table::render(columns, rows, Layout { width: Some(width), colour: false });
            let mut texts = text.lines().map(str::to_owned);
            let head = Line::styled(texts.next().unwrap_or_default(), Style::new().add_modifier(Modifier::BOLD));
            let room = room.saturating_sub(1).max(1);
            // The selected row is always shown, as far down as possible.
            let first = (selected + 1).saturating_sub(room);
            let row = |(number, text): (usize, String)| {
                let style =
                    rows.get(number).and_then(|row| row.get(*status)).map_or_else(Style::new, |word| colour(word));
                let marked = if number == *selected { style.add_modifier(Modifier::REVERSED) } else { style };
                Line::styled(text, marked)
            };
            std::iter::once(head).chain(texts.enumerate().skip(first).take(room).map(row)).collect()
        }
        Body::Log { lines, back } => {
            let end = lines.len().saturating_sub(*back);
            let from = end.saturating_sub(room);
            lines[from..end].iter().map(|line| Line::raw(safe(&line.replace('\t', "    ")))).collect()
        }
    }
}

/// Returns a text that cannot control the terminal.
fn safe(text: &str) -> String {
    visible(&printable(text))
}

fn colour(status: &str) -> Style {
    let colour = match theme::colour(status) {
        Some(anstyle::AnsiColor::Green) => Color::Green,
        Some(anstyle::AnsiColor::Red) => Color::Red,
        Some(anstyle::AnsiColor::Yellow) => Color::Yellow,
        Some(anstyle::AnsiColor::Blue) => Color::Blue,
        _ => return Style::new(),
    };
    Style::new().fg(colour)
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::output::table::{Keep, column};

    const COLUMNS: [Column; 3] =
        [column("ACTION", Keep::Always), column("STATUS", Keep::Always), column("REASON", Keep::Cut(10))];

    fn drawn(view: &TopView<'_>, (width, height): (u16, u16)) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|frame| draw(frame, view)).unwrap();
        terminal.backend().to_string().replace('"', "")
    }

    fn table(rows: &[Vec<String>], selected: usize) -> TopView<'_> {
        TopView {
            title: "jobs\u{1b}[2J".to_owned(),
            body: Body::Table { columns: &COLUMNS, rows, status: 1, selected, empty: "nothing" },
            bottom: "q Quit".to_owned(),
            asks: false,
            help: None,
        }
    }

    #[test]
    fn the_selected_row_is_shown_and_no_text_controls_the_terminal() {
        let rows: Vec<Vec<String>> = (1..=5)
            .map(|number| vec![format!("feed@{number}"), "FAILED".to_owned(), "\u{1b}[31mexit status 3".to_owned()])
            .collect();
        let text = drawn(&table(&rows, 3), (36, 5));
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines,
            [
                "jobs\\x1b[2J",
                "ACTION  STATUS  REASON",
                "feed@3  FAILED  \\x1b[31mexit status…",
                "feed@4  FAILED  \\x1b[31mexit status…",
                "q Quit"
            ]
        );
        assert!(drawn(&table(&[], 0), (30, 4)).contains("nothing"));
        // A terminal of any size is drawn on.
        for size in [(1, 1), (1, 2), (200, 1), (3, 60)] {
            drawn(&table(&rows, 4), size);
        }
    }

    #[test]
    fn a_log_shows_its_end() {
        let lines: Vec<String> = (1..=9).map(|number| format!("line {number}\t.")).collect();
        let view = |back| TopView { body: Body::Log { lines: &lines, back }, ..table(&[], 0) };
        let text = drawn(&view(0), (20, 4));
        assert!(text.contains("line 8    .") && text.contains("line 9") && !text.contains("line 7"), "{text}");
        assert!(drawn(&view(8), (20, 4)).contains("line 1"));
    }
}
