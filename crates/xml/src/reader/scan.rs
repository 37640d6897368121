//! Searches among the bytes of a document, and the bytes of names.

use memchr::{memchr, memchr2};

/// Returns whether a byte occurs.
pub(super) fn has(text: &str, wanted: u8) -> bool {
    find(text.as_bytes(), wanted).is_some()
}

/// Returns the offset of the first byte of a value.
pub(super) fn find(bytes: &[u8], wanted: u8) -> Option<usize> {
    memchr(wanted, bytes)
}

/// Returns the offset of the first byte that has one of two values.
pub(super) fn find_either(bytes: &[u8], one: u8, other: u8) -> Option<usize> {
    memchr2(one, other, bytes)
}

/// Returns how many blanks come first. Most lines start with a row of spaces, which are counted eight at a time.
pub(super) fn leading_blanks(bytes: &[u8]) -> usize {
    const SPACES: [u8; 8] = [b' '; 8];
    let mut rest = bytes;
    loop {
        while let Some((&SPACES, after)) = rest.split_first_chunk() {
            rest = after;
        }
        match rest {
            [b' ' | b'\t' | b'\n' | b'\r', after @ ..] => rest = after,
            _ => return bytes.len() - rest.len(),
        }
    }
}

/// Returns how many bytes of a name come first, up to a colon.
pub(super) fn name_length(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| CONTINUES_NAME[usize::from(**byte)]).count()
}

/// Returns whether a name may start with a byte.
pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Which bytes may follow in a name, or in a part of one beside a colon.
const CONTINUES_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        byte += 1;
    }
    table
};

/// Returns the offset of the first two hyphens in a row.
pub(super) fn hyphens(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += find(&bytes[at..], b'-')?;
        if bytes.get(at + 1) == Some(&b'-') {
            return Some(at);
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_are_counted_up_to_the_first_other_byte() {
        for (text, expect) in [("", 0), ("a", 0), ("\n  \t\r", 5), ("\n                 <a", 18), ("        \n", 9)] {
            assert_eq!(leading_blanks(text.as_bytes()), expect, "{text:?}");
        }
    }

    #[test]
    fn comments_end_at_two_hyphens() {
        for (text, expect) in [("a-b-->", Some(3)), ("--->", Some(0)), ("- -", None), ("-", None), ("", None)] {
            assert_eq!(hyphens(text), expect, "{text:?}");
        }
    }
}
