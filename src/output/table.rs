//! Tables that fit the terminal.
//!
//! No borders, so that `grep`, `awk` and the mouse meet only words. On a terminal that is too narrow, columns are left
//! out in the order their declaration says, and what is left of the room goes to the one column that may wrap; an id
//! is never cut. A column in which no row has anything is left out too. Without a terminal every column is there and every row is one line.

use std::borrow::Cow;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::screen::Layout;
use crate::output::theme;

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
    let rows: Vec<Vec<Cow<'_, str>>> = rows.iter().map(|row| row.iter().map(|text| one_line(text)).collect()).collect();
    let mut widths = natural_widths(columns, &rows);
    let shown = match layout.width {
        Some(width) => shown(columns, &rows, &widths, width),
        None => (0..columns.len()).collect(),
    };
    if let Some(width) = layout.width {
        narrow(&mut widths, columns, &shown, width);
    }
    let shown: Vec<(usize, Column, usize)> =
        shown.into_iter().map(|index| (index, columns[index], widths[index])).collect();
    let mut text = String::with_capacity((rows.len() + 1) * shown.iter().map(|(.., width)| width + GAP).sum::<usize>());
    let titles: Vec<_> = shown.iter().map(|(_, column, width)| (*column, *width, column.title)).collect();
    add_row(&mut text, &titles, |title| theme::heading(title, layout.colour));
    for row in &rows {
        let cell = |(index, column, width): &(usize, Column, usize)| {
            let cell = row[*index].as_ref();
            (*column, *width, if cell.is_empty() { "-" } else { cell })
        };
        add_row(&mut text, &shown.iter().map(cell).collect::<Vec<_>>(), |word| theme::status(word, layout.colour));
    }
    text
}

/// A cell is one line, whatever a message contains.
fn one_line(text: &str) -> Cow<'_, str> {
    let is_one = !text.starts_with(' ') && !text.ends_with(' ') && !text.contains("  ");
    if is_one && !text.contains(|character: char| character != ' ' && character.is_whitespace()) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Adds a row to a table: as many lines as its longest cell wraps to. A cell that needs one line is coloured.
fn add_row(text: &mut String, cells: &[(Column, usize, &str)], coloured: impl Fn(&str) -> String) {
    let pieces: Vec<Vec<&str>> = cells.iter().map(|(_, width, cell)| wrapped(cell, *width)).collect();
    for line in 0..pieces.iter().map(Vec::len).max().unwrap_or(0) {
        // Blanks are due only before what follows them: no line ends in any.
        let mut blanks = 0;
        for ((column, width, _), pieces) in cells.iter().zip(&pieces) {
            let piece = pieces.get(line).copied().unwrap_or_default();
            let spare = width.saturating_sub(piece.width());
            let (before, after) = if column.right { (spare, 0) } else { (0, spare) };
            blanks += before;
            if !piece.is_empty() {
                text.extend(std::iter::repeat_n(' ', blanks));
                text.push_str(&if pieces.len() == 1 { coloured(piece) } else { piece.to_owned() });
                blanks = 0;
            }
            blanks += after + GAP;
        }
        text.push('\n');
    }
}

/// The lines of a cell: broken at blanks, and inside a word that is longer than a line.
fn wrapped(cell: &str, width: usize) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = cell;
    while rest.width() > width {
        let end = fitting(rest, width);
        let word = rest[..end].rfind(' ').map(|blank| (blank, rest[blank + 1..].split(' ').next().unwrap_or_default()));
        let end = match word {
            _ if rest[end..].starts_with(' ') => end,
            Some((blank, word)) if word.width() <= width => blank,
            Some(_) | None => end,
        };
        let (line, left) = rest.split_at(end);
        lines.push(line);
        rest = left.trim_start();
    }
    if lines.is_empty() || !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// How many bytes of a text fit into a line; at least one character.
fn fitting(text: &str, width: usize) -> usize {
    let mut taken = 0;
    let too_much = |(index, character): &(usize, char)| {
        taken += character.width().unwrap_or(0);
        taken > width && *index > 0
    };
    text.char_indices().find(too_much).map_or(text.len(), |(index, _)| index)
}

/// The widest cell of each column.
fn natural_widths(columns: &[Column], rows: &[Vec<Cow<'_, str>>]) -> Vec<usize> {
    let widest = |index: usize| rows.iter().map(|row| row[index].width().max(1)).max().unwrap_or(0);
    columns.iter().enumerate().map(|(index, column)| widest(index).max(column.title.width())).collect()
}

/// The least width of a column.
fn least(column: Column, natural: usize) -> usize {
    match column.keep {
        Keep::Always | Keep::Until(_) => natural,
        Keep::Wrap(least) | Keep::WrapOrDrop(least) => natural.min(least),
    }
}

/// The columns that fit, in their order.
fn shown(columns: &[Column], rows: &[Vec<Cow<'_, str>>], widths: &[usize], width: usize) -> Vec<usize> {
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

/// Takes the room that is missing from the columns that may wrap.
fn narrow(widths: &mut [usize], columns: &[Column], shown: &[usize], width: usize) {
    let natural = shown.iter().map(|index| widths[*index] + GAP).sum::<usize>().saturating_sub(GAP);
    let mut missing = natural.saturating_sub(width);
    for index in shown {
        let cut = missing.min(widths[*index] - least(columns[*index], widths[*index]));
        widths[*index] -= cut;
        missing -= cut;
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
        assert_eq!(coloured, "\u{1b}[1mID\u{1b}[0m  \u{1b}[1mSTATUS\u{1b}[0m\nx   \u{1b}[32mOK\u{1b}[0m\n");
    }

    #[test]
    fn cells_wrap_at_blanks_inside_long_words_and_by_the_columns_of_the_terminal() {
        let check = |cell: &str, width, expect: &[&str]| assert_eq!(wrapped(cell, width), expect, "{cell} {width}");
        check("", 4, &[""]);
        check("abc", 3, &["abc"]);
        check("ab cd", 4, &["ab", "cd"]);
        check("abc def", 3, &["abc", "def"]);
        check("a bcdefghij", 4, &["a bc", "defg", "hij"]);
        check("a bcd efg", 4, &["a", "bcd", "efg"]);
        check("日本語", 4, &["日本", "語"]);
        check("日本", 1, &["日", "本"]);
        check("e\u{301}a", 1, &["e\u{301}", "a"]);
    }
}
