//! Tables that fit the terminal.
//!
//! No borders, so that `grep`, `awk` and the mouse meet only words. On a terminal that is too narrow, columns are left
//! out in the order their declaration says, and what is left of the room goes to the one column that may wrap; an id
//! is never cut, and a path in the last column stays on one line. A column in which no row has anything is left out too. Without a terminal every column is there and every row is one line.

use crate::output::cells;
use crate::output::screen::Layout;
use crate::output::secret::masked;
use crate::output::theme;
use crate::output::visible::visible;

/// Blanks between two columns.
const GAP: usize = 2;

/// How much a column matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    /// Never left out, never wrapped.
    Always,
    /// Left out when there is no room; the smallest number first.
    Until(u8),
    /// Never left out; wraps when there is no room, down to this many columns.
    Wrap(usize),
    /// Never left out; cut with an ellipsis when there is no room, down to this many columns.
    Cut(usize),
    /// Wraps down to this many columns; left out, before everything else, when even those are not there.
    WrapOrDrop(usize),
}

/// A column of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Column {
    pub(crate) title: &'static str,
    pub(crate) keep: Keep,
    pub(crate) right: bool,
}

/// A column whose cells stand on the left.
pub(crate) const fn column(title: &'static str, keep: Keep) -> Column {
    Column { title, keep, right: false }
}

/// A column of numbers.
pub(crate) const fn number(title: &'static str, keep: Keep) -> Column {
    Column { title, keep, right: true }
}

/// Lays out a table; every row has one cell per column, an empty one is printed as `-`.
pub(crate) fn render(columns: &[Column], rows: &[Vec<String>], layout: Layout) -> String {
    let cells: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(|text| cell(text)).collect()).collect();
    let natural = natural_widths(columns, &cells);
    let shown = match layout.width {
        Some(width) => shown(columns, rows, &natural, width),
        None => (0..columns.len()).collect(),
    };
    let widths = widths(columns, &shown, &natural, layout.width);
    let titles: Vec<Vec<String>> = shown.iter().map(|index| vec![columns[*index].title.to_owned()]).collect();
    let mut text = String::new();
    let places: Vec<Place> =
        shown.iter().zip(&widths).map(|(index, width)| Place { width: *width, right: columns[*index].right }).collect();
    push_row(&titles, &places, &|title| theme::heading(title, layout.colour), &mut text);
    for row in &cells {
        let lines = |(place, (index, width)): (usize, (&usize, &usize))| {
            let is_last = place + 1 == shown.len();
            fitted(&row[*index], columns[*index].keep, *width, is_last)
        };
        let lines: Vec<Vec<String>> = shown.iter().zip(&widths).enumerate().map(lines).collect();
        push_row(&lines, &places, &|text| theme::status(text, layout.colour), &mut text);
    }
    text
}

/// Where a cell stands: the columns of the terminal that it takes, and at which side.
#[derive(Clone, Copy)]
struct Place {
    width: usize,
    right: bool,
}

/// What a cell shows: one line, whatever a message contains, that says nothing to the terminal.
fn cell(text: &str) -> String {
    let text = visible(&masked(&text.split_whitespace().collect::<Vec<_>>().join(" ")));
    if text.is_empty() { "-".to_owned() } else { text }
}

/// The lines of a cell.
fn fitted(text: &str, keep: Keep, width: usize, is_last: bool) -> Vec<String> {
    match keep {
        _ if cells::width(text) <= width => vec![text.to_owned()],
        Keep::Always | Keep::Until(_) => vec![text.to_owned()],
        Keep::Cut(_) => vec![cells::cut(text, width)],
        Keep::Wrap(_) | Keep::WrapOrDrop(_) => cells::wrapped(text, width, is_last),
    }
}

/// Adds a row, of as many lines as its longest cell has.
fn push_row(row: &[Vec<String>], places: &[Place], coloured: &dyn Fn(&str) -> String, out: &mut String) {
    let height = row.iter().map(Vec::len).max().unwrap_or(0);
    for line in 0..height {
        // Blanks are written when something stands behind them.
        let mut blanks = 0;
        for (cell, place) in row.iter().zip(places) {
            let text = cell.get(line).map_or("", String::as_str);
            let spare = place.width.saturating_sub(cells::width(text));
            let (before, behind) = if place.right { (spare, 0) } else { (0, spare) };
            if text.is_empty() {
                blanks += spare + GAP;
                continue;
            }
            out.push_str(&" ".repeat(blanks + before));
            out.push_str(&coloured(text));
            blanks = behind + GAP;
        }
        out.push('\n');
    }
}

/// The widest cell of each column.
fn natural_widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    let width = |text: &str| cells::width(text).max(1);
    let widest = |index: usize| rows.iter().map(|row| width(&row[index])).max().unwrap_or(0);
    columns.iter().enumerate().map(|(index, column)| widest(index).max(width(column.title))).collect()
}

/// The least width of a column.
fn least(column: Column, natural: usize) -> usize {
    match column.keep {
        Keep::Always | Keep::Until(_) => natural,
        Keep::Wrap(least) | Keep::Cut(least) | Keep::WrapOrDrop(least) => natural.min(least),
    }
}

/// The columns that fit, in their order.
fn shown(columns: &[Column], rows: &[Vec<String>], widths: &[usize], width: usize) -> Vec<usize> {
    // A column in which nothing stands only takes room away.
    let says_something =
        |index: &usize| columns[*index].keep == Keep::Always || rows.iter().any(|row| !row[*index].is_empty());
    let mut shown: Vec<usize> = (0..columns.len()).filter(says_something).collect();
    loop {
        let needed: usize = shown.iter().map(|index| least(columns[*index], widths[*index]) + GAP).sum();
        if needed <= width + GAP {
            return shown;
        }
        let order = |index: &usize| match columns[*index].keep {
            Keep::WrapOrDrop(_) => Some(0),
            Keep::Until(order) => Some(order),
            Keep::Always | Keep::Wrap(_) | Keep::Cut(_) => None,
        };
        let droppable = shown.iter().filter_map(|index| Some((order(index)?, *index))).min();
        let Some((_, dropped)) = droppable else { return shown };
        shown.retain(|index| *index != dropped);
    }
}

/// Gives every column its natural width, and those that wrap or are cut what is left.
fn widths(columns: &[Column], shown: &[usize], natural: &[usize], width: Option<usize>) -> Vec<usize> {
    let all: usize = shown.iter().map(|index| natural[*index] + GAP).sum::<usize>().saturating_sub(GAP);
    let mut spare = width.map_or(0, |width| all.saturating_sub(width));
    let width = |index: &usize| {
        let natural = natural[*index];
        let cut = spare.min(natural - least(columns[*index], natural));
        spare -= cut;
        natural - cut
    };
    shown.iter().map(width).collect()
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
            row(["0000000-261120093000123-howdah-C", "7", "2026-03-01T05:00Z", "because of\nthis and that"]),
            row(["0000001-261120093000123-howdah-C", "1234", "", ""]),
        ];
        let rendered = render(&COLUMNS, &rows, Layout { width, colour: false });
        assert_eq!(rendered, expect, "{width:?}\n{rendered}");
    }

    #[test]
    fn columns_are_left_out_and_wrapped_and_ids_are_not_cut() {
        check(
            None,
            "ID                                COUNT  WHEN               WHY\n\
             0000000-261120093000123-howdah-C      7  2026-03-01T05:00Z  because of this and that\n\
             0000001-261120093000123-howdah-C   1234  -                  -\n",
        );
        check(
            Some(76),
            "ID                                COUNT  WHEN               WHY\n\
             0000000-261120093000123-howdah-C      7  2026-03-01T05:00Z  because of this\n\
             \u{20}                                                           and that\n\
             0000001-261120093000123-howdah-C   1234  -                  -\n",
        );
        check(
            Some(60),
            "ID                                COUNT  WHEN\n\
             0000000-261120093000123-howdah-C      7  2026-03-01T05:00Z\n\
             0000001-261120093000123-howdah-C   1234  -\n",
        );
        check(Some(40), "ID\n0000000-261120093000123-howdah-C\n0000001-261120093000123-howdah-C\n");
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
