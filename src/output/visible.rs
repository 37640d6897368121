//! Makes untrusted text safe for a terminal: no character moves the cursor, changes colours or the direction of
//! writing, or controls the terminal.
//!
//! [`printable`] is the one filter: everything that is printed for people goes through it when it is written
//! ([`crate::output::screen`]). It passes ends of lines, tabs and our own colours, which [`own_codes`] marks, and shows
//! everything else as an escape such as `\x1b`. Only the output of a command is copied byte by byte, and only if it
//! does not go to a terminal.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use howdah_words::model::secret::masked;

/// The first character of a terminal code.
const ESCAPE: char = '\u{1b}';

/// The text after the escape character of our own codes: different in every process, so no input can contain it.
static MARK: LazyLock<String> = LazyLock::new(|| format!("{:016x}", RandomState::new().hash_one("mark")));

/// Marks the colours of our own text, so that [`printable`] passes them.
pub(crate) fn own_codes(text: &str) -> String {
    if !text.contains(ESCAPE) {
        return text.to_owned();
    }
    text.replace(ESCAPE, &format!("{ESCAPE}{}", *MARK))
}

/// Returns the text for output: everything that could control the terminal, except our own colours, is made visible.
///
/// Credentials in URLs become stars.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    let masked = masked(text);
    if masked.bytes().fold(true, |plain, byte| plain & matches!(byte, b'\n' | b'\t' | b' '..=b'~')) {
        return masked;
    }
    let mut out = String::with_capacity(masked.len() + 16);
    let mut rest = &*masked;
    while let Some(character) = rest.chars().next() {
        rest = &rest[character.len_utf8()..];
        match (character, rest.strip_prefix(MARK.as_str())) {
            (ESCAPE, Some(code)) => {
                out.push(ESCAPE);
                rest = code;
            }
            _ => push_lines(character, &mut out),
        }
    }
    Cow::Owned(out)
}

/// Returns a text on one line.
pub(crate) fn visible(text: &str) -> String {
    if is_plain(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push_visible(character, &mut out));
    out
}

/// The same for a text of several lines, in which ends of lines and tabs stay what they are.
pub(crate) fn visible_lines(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    text.chars().for_each(|character| push_lines(character, &mut out));
    out
}

/// Checks whether a text has printable ASCII characters only, so that every one of them is shown as it is. Without an
/// early exit many bytes are compared in one step.
pub(crate) fn is_plain(text: &str) -> bool {
    text.bytes().fold(true, |plain, byte| plain & matches!(byte, b' '..=b'~'))
}

fn push_lines(character: char, out: &mut String) {
    match character {
        '\n' | '\t' => out.push(character),
        _ => push_visible(character, out),
    }
}

/// Appends a character, or its escape.
pub(crate) fn push_visible(character: char, out: &mut String) {
    match character {
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ if !moves_cursor(character) => out.push(character),
        // Writing to a String cannot fail.
        '\0'..='\u{ff}' => drop(write!(out, "\\x{:02x}", u32::from(character))),
        _ => drop(write!(out, "\\u{{{:x}}}", u32::from(character))),
    }
}

/// Checks whether a character is a control character, or an invisible mark that changes its neighbours.
pub(crate) fn moves_cursor(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
            | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}')
}

/// Makes bytes visible that arrive in pieces: a character may start in one and end in the next.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The bytes of an incomplete character: at most three.
    incomplete: Vec<u8>,
}

impl Pieces {
    /// Returns the text of the next piece. `\r\n` ends a line as `\n` does, and a lone `\r` too: a progress bar that
    /// overwrites itself becomes lines.
    pub(crate) fn next(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.incomplete);
        all.extend_from_slice(bytes);
        let whole = all.len() - unfinished(&all);
        self.incomplete = all.split_off(whole);
        decoded(&all)
    }

    /// Returns what is left when nothing follows.
    pub(crate) fn end(&mut self) -> String {
        decoded(&std::mem::take(&mut self.incomplete))
    }
}

fn decoded(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let decoded = String::from_utf8_lossy(bytes);
    let mut characters = decoded.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {}
            '\r' => text.push('\n'),
            other => push_lines(other, &mut text),
        }
    }
    text
}

/// Returns how many bytes at the end could be the start of a character, or of the end of a line.
fn unfinished(bytes: &[u8]) -> usize {
    if bytes.last() == Some(&b'\r') {
        return 1;
    }
    for (behind, byte) in bytes.iter().rev().take(3).enumerate() {
        let wanted = match byte {
            // A continuation byte: its character starts before it.
            0x80..=0xBF => continue,
            0xC0..=0xDF => 2,
            0xE0..=0xEF => 3,
            0xF0..=0xFF => 4,
            0x00..=0x7F => 0,
        };
        return if behind + 1 < wanted { behind + 1 } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(pieces: &[&[u8]], expect: &str) {
        let mut state = Pieces::default();
        let mut text: String = pieces.iter().map(|piece| state.next(piece)).collect();
        text += &state.end();
        assert_eq!(text, expect, "{pieces:?}");
    }

    #[test]
    fn output_of_commands_cannot_control_the_terminal() {
        check(&[b"plain\n\ttext\n"], "plain\n\ttext\n");
        check(&[b"\x1b]0;title\x07\x1b[2J"], "\\x1b]0;title\\x07\\x1b[2J");
        check(&[b"10%\r20%\r\n", b"end\r", b"\n"], "10%\n20%\nend\n");
        check(&[b"\xff\xfe\0"], "\u{FFFD}\u{FFFD}\\x00");
        check(&["é漢𝄞".as_bytes()], "é漢𝄞");
        check(&[b"\xf0\x9d", b"\x84", b"\x9e!"], "𝄞!");
        check(&[b"a\xc3"], "a\u{FFFD}");
        check(&["\u{202E}txt.exe".as_bytes()], "\\u{202e}txt.exe");
        assert_eq!(visible("a\nb\tc\u{1b}"), "a\\nb\\tc\\x1b");
    }

    #[test]
    fn only_our_own_colours_pass() {
        let own = own_codes("\u{1b}[32mOK\u{1b}[0m");
        let text = format!("{own}\t\u{1b}[31mRED\u{7f}\u{9b}1m\u{2066}\u{61c}\r\u{e0041}\u{e9}\n");
        assert_eq!(
            printable(&text),
            "\u{1b}[32mOK\u{1b}[0m\t\\x1b[31mRED\\x7f\\x9b1m\\u{2066}\\u{61c}\\r\\u{e0041}\u{e9}\n"
        );
        assert!(matches!(printable("plain\n\ttext ~"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn where_the_pieces_end_does_not_matter(text in "[aé漢𝄞\\r\\n\u{1b}]{0,40}", cut in 0_usize..160) {
            let bytes = text.as_bytes();
            let cut = cut.min(bytes.len());
            let (mut one, mut two) = (Pieces::default(), Pieces::default());
            let whole = one.next(bytes) + &one.end();
            let parts = two.next(&bytes[..cut]) + &two.next(&bytes[cut..]) + &two.end();
            prop_assert_eq!(whole, parts);
        }
    }
}
