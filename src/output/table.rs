//! Tables that fit the terminal.
//!
//! No borders, so that `grep`, `awk` and the mouse meet only words. On a terminal that is too narrow, columns are left
//! out in the order their declaration says, and what is left of the room goes to the one column that may wrap; an id
//! is never cut. A column in which no row has anything is left out too. Without a terminal every column is there and every row is one line.

use comfy_table::{Attribute, Cell, CellAlignment, ColumnConstraint, ContentArrangement, Table as Layouter, Width};

use crate::output::screen::Layout;
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
    let widths = natural_widths(columns, rows);
    let shown = match layout.width {
        Some(width) => shown(columns, rows, &widths, width),
        None => (0..columns.len()).collect(),
    };
    let mut table = Layouter::new();
    table.force_no_tty().load_style(comfy_table::presets::NOTHING);
    if layout.colour {
        table.enforce_styling().style_text_only();
    }
    let header = shown.iter().map(|index| {
        let cell = aligned(Cell::new(columns[*index].title), columns[*index]);
        if layout.colour { cell.add_attribute(Attribute::Bold) } else { cell }
    });
    table.set_header(header.collect::<Vec<_>>());
    for row in rows {
        let cells = shown.iter().map(|index| cell(&row[*index], columns[*index], layout));
        table.add_row(cells.collect::<Vec<_>>());
    }
    arrange(&mut table, columns, &shown, &widths, layout);
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n") + "\n"
}

fn cell(text: &str, column: Column, layout: Layout) -> Cell {
    let text = if text.is_empty() { "-" } else { text };
    // A cell is one line, whatever a message contains, and says nothing to the terminal.
    let text = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    let colour = theme::colour(&text).filter(|_| layout.colour);
    let cell = aligned(Cell::new(text), column);
    match colour {
        Some(anstyle::AnsiColor::Green) => cell.fg(comfy_table::Color::DarkGreen),
        Some(anstyle::AnsiColor::Red) => cell.fg(comfy_table::Color::DarkRed),
        Some(anstyle::AnsiColor::Yellow) => cell.fg(comfy_table::Color::DarkYellow),
        Some(_) => cell.fg(comfy_table::Color::DarkBlue),
        None => cell,
    }
}

fn aligned(cell: Cell, column: Column) -> Cell {
    if column.right { cell.set_alignment(CellAlignment::Right) } else { cell }
}

/// The widest cell of each column.
fn natural_widths(columns: &[Column], rows: &[Vec<String>]) -> Vec<usize> {
    let width = |text: &str| text.chars().count().max(1);
    let widest = |index: usize| rows.iter().map(|row| width(&row[index])).max().unwrap_or(0);
    columns.iter().enumerate().map(|(index, column)| widest(index).max(width(column.title))).collect()
}

/// The least width of a column.
fn least(column: Column, natural: usize) -> usize {
    match column.keep {
        Keep::Always | Keep::Until(_) => natural,
        Keep::Wrap(least) | Keep::WrapOrDrop(least) => natural.min(least),
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
            Keep::Always | Keep::Wrap(_) => None,
        };
        let droppable = shown.iter().filter_map(|index| Some((order(index)?, *index))).min();
        let Some((_, dropped)) = droppable else { return shown };
        shown.retain(|index| *index != dropped);
    }
}

/// Gives every column its natural width, and the one that wraps what is left.
fn arrange(table: &mut Layouter, columns: &[Column], shown: &[usize], widths: &[usize], layout: Layout) {
    let last = shown.len().saturating_sub(1);
    let natural: usize = shown.iter().map(|index| widths[*index] + GAP).sum::<usize>().saturating_sub(GAP);
    let mut spare = layout.width.map(|width| natural.saturating_sub(width));
    table.set_content_arrangement(match spare {
        Some(_) => ContentArrangement::Dynamic,
        None => ContentArrangement::Disabled,
    });
    for (place, index) in shown.iter().enumerate() {
        let gap = if place == last { 0 } else { GAP };
        let mut width = widths[*index];
        if let Some(spare) = spare.as_mut() {
            let cut = (*spare).min(width - least(columns[*index], width));
            width -= cut;
            *spare -= cut;
        }
        let Some(column) = table.column_mut(place) else { continue };
        column.set_padding((0, u16::try_from(gap).unwrap_or_default()));
        if layout.width.is_some() {
            let width = u16::try_from(width + gap).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
    }
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
        assert!(coloured.contains("\u{1b}[38;5;2mOK") || coloured.contains("\u{1b}[32mOK"), "{coloured:?}");
    }
}
