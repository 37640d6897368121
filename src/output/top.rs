//! `top`: draws lists and logs on a whole terminal. Every text passes the filters of the other tables.

use anstyle::{AnsiColor, Style};

use crate::output::cells;
use crate::output::screen::Layout;
use crate::output::table::{self, Column};
use crate::output::theme;
use crate::output::visible::{printable, visible};
use crate::output::whole_terminal::Line;

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

/// Returns the lines of a terminal of so many columns and rows.
pub(crate) fn lines(view: &TopView<'_>, (width, height): (usize, usize)) -> Vec<Line> {
    let bar = Style::new().invert();
    let filled = |text: &str, style: Style| {
        let text = cells::cut(&safe(text), width);
        let blanks = width.saturating_sub(cells::width(&text));
        Line { text: format!("{text}{}", " ".repeat(blanks)), style }
    };
    let mut lines = vec![filled(&view.title, bar)];
    let room = height.saturating_sub(2);
    if room > 0 {
        lines.extend(body(&view.body, (width, room)));
    }
    lines.resize_with(height.saturating_sub(1), Line::default);
    if height > 0 {
        let style = if view.asks { bar.fg_color(Some(AnsiColor::Yellow.into())) } else { bar };
        lines.push(filled(&view.bottom, style));
    }
    for (line, text) in lines.iter_mut().zip(view.help.unwrap_or_default().lines()) {
        *line = Line { text: text.to_owned(), style: Style::new() };
    }
    for line in &mut lines {
        line.text.truncate(cells::fitting(&line.text, width).len());
    }
    lines
}

fn body(body: &Body<'_>, (width, room): (usize, usize)) -> Vec<Line> {
    let plain = |text: String| Line { text, style: Style::new() };
    match body {
        Body::Table { rows: [], empty, .. } => vec![plain(safe(empty))],
        Body::Table { columns, rows, status, selected, .. } => {
            let text = table::render(columns, rows, Layout { width: Some(width), colour: false });
            let mut texts = text.lines().map(str::to_owned);
            let head = Line { text: texts.next().unwrap_or_default(), style: Style::new().bold() };
            // Besides the head. The selected row is always shown, as far down as possible.
            let room = room.saturating_sub(1).max(1);
            let first = (selected + 1).saturating_sub(room);
            let row = |(number, text): (usize, String)| {
                let style =
                    rows.get(number).and_then(|row| row.get(*status)).map_or_else(Style::new, |word| colour(word));
                Line { text, style: if number == *selected { style.invert() } else { style } }
            };
            let rows = texts.enumerate().skip(first).take(room).map(row);
            std::iter::once(head).chain(rows).collect()
        }
        Body::Log { lines, back } => {
            let end = lines.len().saturating_sub(*back);
            let from = end.saturating_sub(room);
            lines[from..end].iter().map(|line| plain(safe(&line.replace('\t', "    ")))).collect()
        }
    }
}

/// Returns a text that cannot control the terminal.
fn safe(text: &str) -> String {
    visible(&printable(text))
}

fn colour(status: &str) -> Style {
    Style::new().fg_color(theme::colour(status).map(Into::into))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::table::{Keep, column};

    const COLUMNS: [Column; 3] =
        [column("ACTION", Keep::Always), column("STATUS", Keep::Always), column("REASON", Keep::Cut(10))];

    /// What a terminal of this size shows, without what is behind the end of a text.
    fn drawn(view: &TopView<'_>, (width, height): (usize, usize)) -> Vec<String> {
        let lines = lines(view, (width, height));
        assert!(lines.iter().all(|line| cells::width(&line.text) <= width), "{lines:?}");
        assert_eq!(lines.len(), height);
        lines.into_iter().map(|line| line.text.trim_end().to_owned()).collect()
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
        assert_eq!(
            drawn(&table(&rows, 3), (36, 5)),
            [
                "jobs\\x1b[2J",
                "ACTION  STATUS  REASON",
                "feed@3  FAILED  \\x1b[31mexit status…",
                "feed@4  FAILED  \\x1b[31mexit status…",
                "q Quit"
            ]
        );
        assert_eq!(drawn(&table(&[], 0), (30, 4))[1], "nothing");
        // A terminal of any size is drawn on.
        for size in [(0, 0), (1, 0), (0, 1), (1, 1), (1, 2), (200, 1), (3, 60)] {
            drawn(&table(&rows, 4), size);
            drawn(&TopView { help: Some("all\nthe\nkeys"), ..table(&rows, 4) }, size);
        }
        let bottom = drawn(&table(&rows, 4), (200, 1));
        assert_eq!(bottom, ["q Quit"]);
    }

    #[test]
    fn lines_have_the_colour_of_their_status_and_the_selected_one_is_reversed() {
        let row = |status: &str| vec!["a".to_owned(), status.to_owned(), "-".to_owned()];
        let rows = ["FAILED", "SUCCEEDED", "KILLED", "other"].map(row);
        let styles = |view: &TopView<'_>| -> Vec<(String, Style)> {
            lines(view, (12, 7)).into_iter().map(|line| (line.text, line.style)).collect()
        };
        let (red, green, reversed) =
            (AnsiColor::Red.on_default(), AnsiColor::Green.on_default(), Style::new().invert());
        let expect = [
            ("jobs\\x1b[2J ", reversed),
            ("ACTION  STATUS", Style::new().bold()),
            ("a       FAILED", red),
            ("a       SUCCEEDED", green),
            ("a       KILLED", red.invert()),
            ("a       other", Style::new()),
            ("q Quit      ", reversed),
        ];
        let expect = expect.map(|(text, style)| (cells::fitting(text, 12).to_owned(), style));
        assert_eq!(styles(&table(&rows, 2)), expect);
        let asks = styles(&TopView { asks: true, help: Some("keys"), ..table(&rows, 2) });
        assert_eq!(asks[0], ("keys".to_owned(), Style::new()));
        assert_eq!(asks[6].1, AnsiColor::Yellow.on_default().invert());
    }

    #[test]
    fn wide_characters_are_cut_at_the_right_edge() {
        let lines = ["\u{65e5}\u{672c}\u{8a9e}".to_owned(), "e\u{301}\u{202e}".to_owned()];
        let view = TopView { body: Body::Log { lines: &lines, back: 0 }, ..table(&[], 0) };
        assert_eq!(drawn(&view, (5, 4))[1..3], ["\u{65e5}\u{672c}", "e\u{301}\\u{2"]);
    }

    #[test]
    fn a_log_shows_its_end() {
        let lines: Vec<String> = (1..=9).map(|number| format!("line {number}\t.")).collect();
        let view = |back| TopView { body: Body::Log { lines: &lines, back }, ..table(&[], 0) };
        assert_eq!(drawn(&view(0), (20, 4))[1..3], ["line 8    .", "line 9    ."]);
        assert_eq!(drawn(&view(8), (20, 4))[1..3], ["line 1    .", ""]);
    }
}
