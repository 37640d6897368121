//! Tables that fit the terminal.
//!
//! No borders, so `grep`, `awk` and the mouse find only words. On a terminal that is too narrow, columns are left out
//! in the order of their declaration, and the remaining width goes to the one column that may wrap; an id is never cut,
//! and a path in the last column stays on one line. A column that is empty in all rows is left out too. Without a
//! terminal every column is shown and every row is one line.

use std::borrow::Cow;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table, Width, presets};

use crate::output::cells;
use crate::output::screen::Layout;
use crate::output::theme;
use crate::output::visible::visible;
use howdah_words::model::secret::masked;

/// Blanks between two columns.
const GAP: usize = 2;

/// Marks around a text that gets a colour, until the table is laid out. Both take no column, and no text contains them:
/// [`visible`] shows them as escapes.
const BEGIN: char = '\u{2061}';
const END: char = '\u{2062}';

/// How important a column is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Never left out, never wrapped.
    Always,
    /// Left out when there is no room; the smallest number first.
    Until(u8),
    /// Never left out; wraps when there is no room, down to this many columns.
    Wrap(usize),
    /// As `Wrap`; a path that is too long continues on the next line behind a `/`.
    WrapPaths(usize),
    /// Never left out; cut with an ellipsis when there is no room, down to this many columns.
    Cut(usize),
    /// Wraps down to this many columns; left out, before everything else, when even those do not fit.
    WrapOrDrop(usize),
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) keep: Keep,
    pub(crate) right: bool,
}

/// Returns a column with left-aligned cells.
pub(crate) const fn column(title: &'static str, keep: Keep) -> Column {
    Column { title, keep, right: false }
}

/// Returns a column of numbers.
pub(crate) const fn number(title: &'static str, keep: Keep) -> Column {
    Column { title, keep, right: true }
}

/// Lays out a table; every row has one cell per column, an empty one is printed as `-`.
pub(crate) fn render(columns: &[Column], rows: &[Vec<String>], layout: Layout) -> String {
    let mut texts: Vec<Vec<Cow<'_, str>>> =
        rows.iter().map(|row| row.iter().map(|text| one_line(text)).collect()).collect();
    let places = match layout.width {
        Some(width) => fitting(columns, (rows, &texts), width),
        None => all(columns),
    };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let titles = places.iter().map(|place| cell(marked(place.column.title.into(), layout.colour), *place));
    table.set_header(titles.collect::<Vec<_>>());
    for row in &mut texts {
        let cells = places.iter().map(|place| {
            let text = fitted(std::mem::take(&mut row[place.index]), *place);
            let is_status = layout.colour && theme::colour(&text).is_some();
            cell(marked(text, is_status), *place)
        });
        table.add_row(cells.collect::<Vec<_>>());
    }
    arrange(&mut table, &places, layout);
    let mut text = String::new();
    for (number, line) in table.lines().enumerate() {
        push_coloured(line.trim_end(), if number == 0 { theme::heading } else { theme::status }, &mut text);
        text.push('\n');
    }
    text
}

/// A column that is shown.
#[derive(Clone, Copy)]
struct ShownColumn {
    /// The number of the column in its declaration.
    index: usize,
    column: Column,
    /// The columns of the terminal that its texts may take.
    width: usize,
    is_last: bool,
}

/// Returns the text of a cell: one line that cannot control the terminal.
fn one_line(text: &str) -> Cow<'_, str> {
    // Most texts are one plain word: an id, a status, a time.
    if !text.is_empty() && text.bytes().fold(true, |plain, byte| plain & byte.is_ascii_graphic()) {
        return masked(text);
    }
    let text = visible(&masked(&text.split_whitespace().collect::<Vec<_>>().join(" ")));
    if text.is_empty() { "-".into() } else { text.into() }
}

/// Returns the text as it goes to the table, which wraps a text that is too wide for its column. In the last column a
/// path may be longer, so that it can be copied.
fn fitted(text: Cow<'_, str>, place: ShownColumn) -> Cow<'_, str> {
    match place.column.keep {
        _ if cells::width(&text) <= place.width => text,
        Keep::Cut(_) => cells::cut(&text, place.width).into(),
        Keep::WrapPaths(_) => cells::wrapped_paths(&text, place.width).join("\n").into(),
        Keep::Wrap(_) | Keep::WrapOrDrop(_) if place.is_last => cells::wrapped(&text, place.width).join("\n").into(),
        Keep::Always | Keep::Until(_) | Keep::Wrap(_) | Keep::WrapOrDrop(_) => text,
    }
}

/// Returns a text between the marks that [`push_coloured`] looks for.
fn marked(text: Cow<'_, str>, is_coloured: bool) -> String {
    if is_coloured { format!("{BEGIN}{text}{END}") } else { text.into_owned() }
}

fn cell(text: String, place: ShownColumn) -> Cell {
    let cell = Cell::new_owned(text);
    if place.column.right { cell.set_alignment(CellAlignment::Right) } else { cell }
}

/// Sets the widths of the columns. Without a terminal, and for the last column, the content decides.
fn arrange(table: &mut Table, places: &[ShownColumn], layout: Layout) {
    for (number, place) in places.iter().enumerate() {
        let Some(column) = table.column_mut(number) else { continue };
        let gap = if place.is_last { 0 } else { GAP };
        column.set_padding((0, u16::try_from(gap).unwrap_or_default()));
        if layout.width.is_some() && !place.is_last {
            let width = u16::try_from(place.width + gap).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
    }
}

/// Adds a line; text between marks gets its colour.
fn push_coloured(line: &str, coloured: fn(&str, bool) -> String, out: &mut String) {
    let mut parts = line.split(BEGIN);
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let (text, rest) = part.split_once(END).unwrap_or((part, ""));
        out.push_str(&coloured(text, true));
        out.push_str(rest);
    }
}

/// Returns the widest cell of each column.
fn natural_widths(columns: &[Column], rows: &[Vec<Cow<'_, str>>]) -> Vec<usize> {
    let width = |text: &str| cells::width(text).max(1);
    let widest = |index: usize| rows.iter().map(|row| width(&row[index])).max().unwrap_or(0);
    columns.iter().enumerate().map(|(index, column)| widest(index).max(width(column.title))).collect()
}

/// Returns the least width of a column.
fn least(column: Column, natural: usize) -> usize {
    match column.keep {
        Keep::Always | Keep::Until(_) => natural,
        Keep::Wrap(least) | Keep::WrapPaths(least) | Keep::Cut(least) | Keep::WrapOrDrop(least) => natural.min(least),
    }
}

/// Returns the columns that fit, in their order.
fn shown(columns: &[Column], rows: &[Vec<String>], widths: &[usize], width: usize) -> Vec<usize> {
    // An empty column only takes room.
    let has_content =
        |index: &usize| columns[*index].keep == Keep::Always || rows.iter().any(|row| !row[*index].is_empty());
    let mut shown: Vec<usize> = (0..columns.len()).filter(has_content).collect();
    loop {
        let needed: usize = shown.iter().map(|index| least(columns[*index], widths[*index]) + GAP).sum();
        if needed <= width + GAP {
            return shown;
        }
        let order = |index: &usize| match columns[*index].keep {
            Keep::WrapOrDrop(_) => Some(0),
            Keep::Until(order) => Some(order),
            Keep::Always | Keep::Wrap(_) | Keep::WrapPaths(_) | Keep::Cut(_) => None,
        };
        let droppable = shown.iter().filter_map(|index| Some((order(index)?, *index))).min();
        let Some((_, dropped)) = droppable else { return shown };
        shown.retain(|index| *index != dropped);
    }
}

/// Returns all columns, each as wide as its texts.
fn all(columns: &[Column]) -> Vec<ShownColumn> {
    let last = columns.len().saturating_sub(1);
    let place = |(index, column): (usize, &Column)| ShownColumn {
        index,
        column: *column,
        width: usize::MAX,
        is_last: index == last,
    };
    columns.iter().enumerate().map(place).collect()
}

/// Returns the columns that fit a terminal: each with its natural width, those that wrap or are cut with what remains.
fn fitting(
    columns: &[Column],
    (rows, texts): (&[Vec<String>], &[Vec<Cow<'_, str>>]),
    width: usize,
) -> Vec<ShownColumn> {
    let natural = natural_widths(columns, texts);
    let shown = shown(columns, rows, &natural, width);
    let all: usize = shown.iter().map(|index| natural[*index] + GAP).sum::<usize>().saturating_sub(GAP);
    let mut spare = all.saturating_sub(width);
    let place = |index: &usize| {
        let (index, column) = (*index, columns[*index]);
        let cut = spare.min(natural[index] - least(column, natural[index]));
        spare -= cut;
        ShownColumn { index, column, width: natural[index] - cut, is_last: shown.last() == Some(&index) }
    };
    shown.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const COLUMNS: [Column; 4] = [
        column("ID", Keep::Always),
        number("COUNT", Keep::Until(1)),
        column("WHEN", Keep::Until(2)),
        column("WHY", Keep::WrapOrDrop(12)),
    ];

    fn check(width: Option<usize>, expect: &str) {
        let row = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["0000000-261120093000123-oozie-oozi-C", "7", "2026-03-01T05:00Z", "because of\nthis and that"]),
            row(["0000001-261120093000123-oozie-oozi-C", "1234", "", ""]),
        ];
        let rendered = render(&COLUMNS, &rows, Layout { width, colour: false });
        assert_eq!(rendered, expect, "{width:?}\n{rendered}");
    }

    #[test]
    fn columns_are_left_out_and_wrapped_and_ids_are_not_cut() {
        check(
            None,
            "ID                                    COUNT  WHEN               WHY\n\
             0000000-261120093000123-oozie-oozi-C      7  2026-03-01T05:00Z  because of this and that\n\
             0000001-261120093000123-oozie-oozi-C   1234  -                  -\n",
        );
        check(
            Some(80),
            "ID                                    COUNT  WHEN               WHY\n\
             0000000-261120093000123-oozie-oozi-C      7  2026-03-01T05:00Z  because of this\n\
             \u{20}                                                               and that\n\
             0000001-261120093000123-oozie-oozi-C   1234  -                  -\n",
        );
        check(
            Some(64),
            "ID                                    COUNT  WHEN\n\
             0000000-261120093000123-oozie-oozi-C      7  2026-03-01T05:00Z\n\
             0000001-261120093000123-oozie-oozi-C   1234  -\n",
        );
        check(Some(42), "ID\n0000000-261120093000123-oozie-oozi-C\n0000001-261120093000123-oozie-oozi-C\n");
    }

    #[test]
    fn colour_is_only_there_when_wanted() {
        let rows = [vec!["x".to_owned(), "OK".to_owned()]];
        let columns = [column("ID", Keep::Always), column("STATUS", Keep::Always)];
        let plain = render(&columns, &rows, Layout::default());
        assert!(!plain.contains('\u{1b}'));
        let coloured = render(&columns, &rows, Layout { width: None, colour: true });
        let coloured = crate::output::visible::printable(&coloured).into_owned();
        assert!(coloured.contains("\u{1b}[1mSTATUS") && coloured.contains("\u{1b}[32mOK"), "{coloured:?}");
    }

    #[test]
    fn credentials_are_not_shown() {
        let rows = [vec!["http://ann:x@host/".to_owned(), "a http://ann:x@host/ b".to_owned()]];
        let columns = [column("ONE", Keep::Always), column("MORE", Keep::Always)];
        let rendered = render(&columns, &rows, Layout::default());
        assert!(rendered.ends_with("\nhttp://ann:*@host/  a http://ann:*@host/ b\n"), "{rendered}");
    }

    #[test]
    fn columns_of_the_terminal_are_counted_and_names_are_cut() {
        let columns = [column("NAME", Keep::Cut(6)), column("STATUS", Keep::Always), column("WHY", Keep::Wrap(12))];
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        let rows = [
            row(["\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}", "OK", "waits for /data/2026/01/01/_SUCCESS now"]),
            row(["e\u{301}", "\u{1b}[2J", "-"]),
        ];
        let narrow = render(&columns, &rows, Layout { width: Some(30), colour: false });
        let expect = "NAME    STATUS   WHY\n\
            \u{65e5}\u{672c}\u{2026}   OK       waits for\n\
            \u{20}                /data/2026/01/01/_SUCCESS\n\
            \u{20}                now\n\
            e\u{301}       \\x1b[2J  -\n";
        assert_eq!(narrow, expect, "\n{narrow}");
        let wide = render(&columns, &rows, Layout::default());
        assert!(wide.contains("\n\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}  OK       waits"), "{wide}");
    }
}
