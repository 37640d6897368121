//! What others wrote, so that it can harm no terminal: no bytes but text, and no character that moves the cursor, changes
//! colours or speaks to the terminal.
//!
//! For a terminal and for tables alone: what goes to a file or another program is copied byte by byte elsewhere.

use crate::output::excerpt::moves_cursor;

/// A text on one line: what would move the cursor becomes U+FFFD.
pub(crate) fn visible(text: &str) -> String {
    text.chars()
        .map(|character| if moves_cursor(character) { char::REPLACEMENT_CHARACTER } else { character })
        .collect()
}

/// The same for a text of several lines, in which ends of lines and tabs stay what they are.
pub(crate) fn visible_lines(text: &str) -> String {
    text.chars().map(shown).collect()
}

fn shown(character: char) -> char {
    match character {
        '\n' | '\t' => character,
        _ if moves_cursor(character) => char::REPLACEMENT_CHARACTER,
        _ => character,
    }
}

/// Makes bytes visible that come in pieces: a character may begin in one and end in the next.
#[derive(Debug, Default)]
pub(crate) struct Pieces {
    /// The bytes of a character that is not whole yet: at most three.
    begun: Vec<u8>,
}

impl Pieces {
    /// The text of the next piece. `\r\n` ends a line as `\n` does, and a lone `\r` too: a progress bar that paints over
    /// itself becomes lines.
    pub(crate) fn next(&mut self, bytes: &[u8]) -> String {
        let mut all = std::mem::take(&mut self.begun);
        all.extend_from_slice(bytes);
        let whole = all.len() - unfinished(&all);
        self.begun = all.split_off(whole);
        decoded(&all)
    }

    /// What is left when nothing follows.
    pub(crate) fn end(&mut self) -> String {
        decoded(&std::mem::take(&mut self.begun))
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
            other => text.push(shown(other)),
        }
    }
    text
}

/// How many bytes at the end could be the beginning of a character, or of the end of a line.
fn unfinished(bytes: &[u8]) -> usize {
    if bytes.last() == Some(&b'\r') {
        return 1;
    }
    for (behind, byte) in bytes.iter().rev().take(3).enumerate() {
        let wanted = match byte {
            // One that goes on with a character: its beginning stands before.
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
    fn output_of_commands_cannot_speak_to_the_terminal() {
        check(&[b"plain\n\ttext\n"], "plain\n\ttext\n");
        check(&[b"\x1b]0;title\x07\x1b[2J"], "\u{FFFD}]0;title\u{FFFD}\u{FFFD}[2J");
        check(&[b"10%\r20%\r\n", b"end\r", b"\n"], "10%\n20%\nend\n");
        check(&[b"\xff\xfe\0"], "\u{FFFD}\u{FFFD}\u{FFFD}");
        check(&["é漢𝄞".as_bytes()], "é漢𝄞");
        check(&[b"\xf0\x9d", b"\x84", b"\x9e!"], "𝄞!");
        check(&[b"a\xc3"], "a\u{FFFD}");
        check(&["\u{202E}txt.exe".as_bytes()], "\u{FFFD}txt.exe");
        assert_eq!(visible("a\nb\tc\u{1b}"), "a\u{FFFD}b\u{FFFD}c\u{FFFD}");
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
