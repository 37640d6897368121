//! Counts the columns of a text on a terminal, and cuts texts.
//!
//! A wide character takes two columns, a combining character none.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::output::visible::is_plain;

/// Marks the end of a text that was cut.
const ELLIPSIS: char = '\u{2026}';

/// Returns the columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    // Most texts are ASCII, where no table of characters is needed.
    if is_plain(text) { text.len() } else { text.width() }
}

/// Returns where the part of a text ends that takes at most `most` columns. A character without a column counts as one
/// here, so that the result has a bound.
pub(crate) fn end_within(text: &str, most: usize) -> usize {
    let mut left = most;
    let too_many = text.char_indices().find(|(_, character)| take(*character, &mut left).is_none());
    too_many.map_or(text.len(), |(at, _)| at)
}

/// Returns where the last part of a text begins that takes at most `most` columns, counted as in [`end_within`].
pub(crate) fn start_within(text: &str, most: usize) -> usize {
    let mut left = most;
    let too_many = text.char_indices().rev().find(|(_, character)| take(*character, &mut left).is_none());
    too_many.map_or(0, |(at, character)| at + character.len_utf8())
}

fn take(character: char, left: &mut usize) -> Option<()> {
    *left = left.checked_sub(character.width().unwrap_or(1).max(1))?;
    Some(())
}

/// Returns the text, cut with an ellipsis where it takes more than `most` columns.
pub(crate) fn cut(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let end = end_within(text, most.saturating_sub(1));
    text[..end].chars().chain([ELLIPSIS]).collect()
}

/// Returns the first part of a text that takes at most `most` columns.
#[cfg(feature = "top")]
pub(crate) fn fitting(text: &str, most: usize) -> &str {
    let mut left = most;
    let is_too_many = |character: char| match left.checked_sub(character.width().unwrap_or_default()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    };
    let mut text = &text[..text.find(is_too_many).unwrap_or(text.len())];
    // A mark can make the character before it wider.
    while let Some((end, _)) = text.char_indices().next_back().filter(|_| width(text) > most) {
        text = &text[..end];
    }
    text
}

/// Returns the words of a text on lines of at most `most` columns; a path or a URL that is longer continues on the next
/// line behind a `/`.
pub(crate) fn wrapped_paths(text: &str, most: usize) -> Vec<String> {
    let most = most.max(1);
    let mut lines = Vec::new();
    for line in wrapped(text, most) {
        let mut rest = line.as_str();
        while width(rest) > most {
            let end = end_within(rest, most);
            // Before the end of the first step there is nothing to break.
            let Some(at) = rest[..end].rfind('/').map(|at| at + 1).filter(|at| *at > 1) else { break };
            lines.push(rest[..at].to_owned());
            rest = &rest[at..];
        }
        lines.push(rest.to_owned());
    }
    lines
}

/// Returns the words of a text on lines of at most `most` columns. A word that is longer is cut into pieces, but a path
/// stays on one line, so that it can be copied.
pub(crate) fn wrapped(text: &str, most: usize) -> Vec<String> {
    let most = most.max(1);
    let mut lines: Vec<String> = Vec::new();
    let mut room = 0;
    for mut word in text.split(' ') {
        let wide = width(word);
        if wide < room {
            let line = lines.last_mut().expect("there is room in a line");
            line.push(' ');
            line.push_str(word);
            room -= wide + 1;
            continue;
        }
        while !word.contains('/') && width(word) > most {
            let first = word.chars().next().map_or(0, char::len_utf8);
            let (piece, rest) = word.split_at(end_within(word, most).max(first));
            lines.push(piece.to_owned());
            word = rest;
        }
        lines.push(word.to_owned());
        room = most.saturating_sub(width(word));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_counted() {
        for (text, expect) in [("", 0), ("abc", 3), ("\u{65e5}\u{672c}", 4), ("e\u{301}x", 2), ("\u{2026}", 1)] {
            assert_eq!(width(text), expect, "{text}");
        }
    }

    #[test]
    fn texts_are_cut_to_columns() {
        for (text, most, expect) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "ab\u{2026}"),
            ("\u{65e5}\u{672c}\u{8a9e}", 5, "\u{65e5}\u{672c}\u{2026}"),
            ("\u{65e5}\u{672c}\u{8a9e}", 4, "\u{65e5}\u{2026}"),
            ("e\u{301}e\u{301}", 2, "e\u{301}e\u{301}"),
        ] {
            assert_eq!(cut(text, most), expect, "{text} {most}");
        }
        assert_eq!(end_within(&"\u{301}".repeat(100), 7), 14);
        assert_eq!(start_within("ab\u{65e5}", 3), 1);
    }

    #[cfg(feature = "top")]
    #[test]
    fn the_first_columns_of_a_text_have_its_marks() {
        for (text, most, expect) in [
            ("abc", 3, "abc"),
            ("abcd", 3, "abc"),
            ("\u{65e5}\u{672c}", 3, "\u{65e5}"),
            ("e\u{301}e\u{301}e", 2, "e\u{301}e\u{301}"),
            ("ab\u{2764}\u{fe0f}", 3, "ab\u{2764}"),
            ("a\u{301}", 0, ""),
            ("", 5, ""),
        ] {
            assert_eq!(fitting(text, most), expect, "{text} {most}");
        }
    }

    #[test]
    fn long_paths_continue_behind_a_slash() {
        let check = |text: &str, expect: &[&str]| assert_eq!(wrapped_paths(text, 8), expect, "{text}");
        check("one two three", &["one two", "three"]);
        check("in /data/2026/01/01 now", &["in", "/data/", "2026/01/", "01", "now"]);
        check("/averylongstep/x", &["/averylongstep/x"]);
        check("hdfs://nn/a", &["hdfs://", "nn/a"]);
    }

    #[test]
    fn words_are_wrapped_and_paths_stay_whole() {
        let check = |text: &str, expect: &[&str]| assert_eq!(wrapped(text, 8), expect, "{text}");
        check("one two three", &["one two", "three"]);
        check("abcdefghijklmnopqr st", &["abcdefgh", "ijklmnop", "qr st"]);
        check("in /data/2026/01/01 now", &["in", "/data/2026/01/01", "now"]);
        check("\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}", &["\u{65e5}\u{672c}\u{8a9e}\u{65e5}", "\u{672c}"]);
        check("", &[""]);
    }
}
