//! Searches among the bytes of a document, and the bytes of names.

/// Returns whether a byte occurs. Without an early exit many bytes are compared in one step.
pub(super) fn has(text: &str, wanted: u8) -> bool {
    let is_wanted = |byte: u8| byte == wanted;
    text.bytes().fold(false, |found, byte| found | is_wanted(byte))
}

/// Returns whether a name may start with a byte.
pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

/// Which bytes may follow in a name, the colon behind a prefix included.
pub(super) const CONTINUES_NAME: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte: u8 = 0;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
        byte += 1;
    }
    table
};

/// Returns the offset of the first two hyphens in a row.
pub(super) fn hyphens(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 0;
    loop {
        at += bytes[at..].iter().position(|byte| *byte == b'-')?;
        if bytes.get(at + 1) == Some(&b'-') {
            return Some(at);
        }
        at += 1;
    }
}
