//! The source line of a problem, for a terminal of a given width.
//!
//! Tabs become blanks and control characters escapes, so the caret is at the right column and a file cannot send
//! commands to the terminal; a line that is too long is shortened around the caret. Must not depend on problems: it
//! turns a place into a text.

use std::ops::Range;

use crate::output::cells;
use crate::output::visible::{is_plain, push_visible};
use howdah_words::error::Location;
use howdah_words::model::secret::masked;

/// Blanks that replace a tab.
const TAB: &str = "    ";
/// Marks text that was left out.
const ELLIPSIS: &str = "...";
/// Fewest characters of a line that are shown, also on a narrow terminal.
const NARROWEST: usize = 40;
/// Bytes of a character at most.
const LONGEST_CHARACTER: usize = 4;
/// Columns that the number of the line and the frame take.
const FRAME: usize = 12;

/// A line to show and the part of it to mark.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Excerpt {
    /// The number of the line, from 1.
    pub(crate) line: usize,
    /// The column of the place in its source, from 1, in characters.
    pub(crate) column: usize,
    /// The line, or a part of it.
    pub(crate) text: String,
    /// The bytes of `text` to mark; empty at a place after the last character.
    pub(crate) marked: Range<usize>,
}

impl Excerpt {
    /// Returns the excerpt for a place, of about `width` columns at most.
    pub(crate) fn of(place: &Location, width: usize) -> Self {
        let (line, column) = place.line_column();
        let source = place.source.text.as_str();
        let width = width.saturating_sub(FRAME).max(NARROWEST);
        let start = floor(source, place.span.start);
        // A line may be very long, and only the part near the place is shown. One more character shows that it is cut.
        let reach = LONGEST_CHARACTER * (width + 1);
        let near = floor(source, start.saturating_sub(reach))..floor(source, start + reach);
        let from = source[near.start..start].rfind('\n').map_or(near.start, |at| near.start + at + 1);
        let to = source[start..near.end].find('\n').map_or(near.end, |at| start + at);
        // A secret that is cut would not be recognized.
        let whole = masked(source[from..to].trim_end_matches('\r'));
        // A place after the line's end (a carriage return, the end of the file) is shown at its end.
        let start = (start - from).min(whole.len());
        let end = floor(source, place.span.end).saturating_sub(from).clamp(start, whole.len());
        let window = window(&whole, start, width);
        let mut text = String::new();
        if window.start > 0 {
            text.push_str(ELLIPSIS);
        }
        push_plain(&whole[window.start..start], &mut text);
        let first = text.len();
        push_plain(&whole[start..end.min(window.end)], &mut text);
        let marked = first..text.len();
        push_plain(&whole[end.min(window.end)..window.end], &mut text);
        if window.end < whole.len() {
            text.push_str(ELLIPSIS);
        }
        Self { line, column, text, marked }
    }
}

/// Returns the part of a line to show: all of it if it fits, else some cells before the place and more behind it.
fn window(line: &str, place: usize, width: usize) -> Range<usize> {
    if cells::end_within(line, width) == line.len() {
        return 0..line.len();
    }
    let room = width - 2 * ELLIPSIS.len();
    let before = cells::start_within(&line[..place], width / 3);
    let end = before + cells::end_within(&line[before..], room);
    // Near the end of the line there is room for more text before the place.
    let start = cells::start_within(&line[..end], room);
    start.min(before)..end.max(place)
}

/// Appends a text with visible characters only: none moves the cursor.
pub(crate) fn push_plain(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
        return;
    }
    for character in text.chars() {
        match character {
            '\t' => out.push_str(TAB),
            other => push_visible(other, out),
        }
    }
}

/// Returns the nearest boundary between characters at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use howdah_words::error::{SourceText, Span};

    fn check(text: &str, span: (usize, usize), expect: &str) {
        let place = Location::new(&SourceText::new("f", text), Span::new(span.0, span.1));
        let excerpt = Excerpt::of(&place, 0);
        let Excerpt { line, column, text: shown, marked } = excerpt;
        let got =
            format!("{line}:{column} {}[{}]{}", &shown[..marked.start], &shown[marked.clone()], &shown[marked.end..]);
        assert_eq!(got, expect, "{text:?} {span:?}");
    }

    #[test]
    fn marks_the_place_in_its_line() {
        check("ab\ncd ef\ngh", (6, 8), "2:4 cd [ef]");
        check("ab\ncd ef\ngh", (6, 11), "2:4 cd [ef]");
        check("ab\r\ncd", (3, 4), "1:4 ab[]");
        check("", (0, 0), "1:1 []");
        check("ab\n", (9, 9), "2:1 []");
        check("é\tx\u{1b}[0m", (3, 4), "1:3 é    [x]\\x1b[0m");
    }

    #[test]
    fn shortens_long_lines_around_the_place() {
        let long: String = "0123456789".repeat(100);
        check(&long, (0, 2), "1:1 [01]23456789012345678901234567890123...");
        check(&long, (500, 503), "1:501 ...7890123456789[012]345678901234567890...");
        check(
            &long,
            (998, 1000),
            "1:999 ...678901234567890123456789012345 67[89]".replace(' ', "").replacen("1:999", "1:999 ", 1).as_str(),
        );
        check(&long, (500, 900), "1:501 ...7890123456789[012345678901234567890]...");
    }

    /// Reading the whole line for each place would take minutes.
    #[test]
    fn a_very_long_line_is_not_read_again_for_each_place() {
        let line = "<kill name=\'x\'/>".repeat(1 << 20);
        let source = SourceText::new("f", line.as_str());
        for place in (0..line.len()).step_by(line.len() / 100_000) {
            let excerpt = Excerpt::of(&Location::new(&source, Span::new(place, place + 3)), 60);
            assert!(excerpt.text.len() <= 60, "{}", excerpt.text);
        }
    }

    proptest! {
        #[test]
        fn never_panics_and_stays_short(
            text in "[aé漢\t\r\n\u{1b}]{0,200}", start in 0_usize..700, length in 0_usize..300,
        ) {
            let place = Location::new(&SourceText::new("f", text), Span::new(start, start + length));
            let excerpt = Excerpt::of(&place, 60);
            prop_assert!(excerpt.text.chars().count() <= 48 * TAB.len() + 6);
            prop_assert!(!excerpt.text.contains(crate::output::visible::moves_cursor));
            prop_assert!(excerpt.text.get(excerpt.marked.clone()).is_some());
        }
    }
}
