//! Reads the `permissions` of `chmod`: three octal digits or ten characters such as `-rwxr-x---`.

/// Returns the permission bits; `None` when the text has neither form.
pub(super) fn parse(text: &str) -> Option<u32> {
    match text.len() {
        3 => u32::from_str_radix(text, 8).ok().filter(|_| text.bytes().all(|digit| digit.is_ascii_digit())),
        10 => symbolic(text.as_bytes()),
        _ => None,
    }
}

/// Reads the symbolic form. The kind of file at the first position is ignored; the last position may also be `t` or
/// `T`, the sticky bit.
fn symbolic(text: &[u8]) -> Option<u32> {
    let mut mode = 0;
    for (place, (given, letter)) in text[1..].iter().zip(b"rwxrwxrwx").enumerate() {
        let bit = 1 << (8 - place);
        mode |= match given {
            b'-' => 0,
            given if given == letter => bit,
            b't' if place == 8 => 0o1000 | bit,
            b'T' if place == 8 => 0o1000,
            _ => return None,
        };
    }
    Some(mode)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_both_forms() {
        for (text, expect) in [
            ("755", Some(0o755)),
            ("000", Some(0)),
            ("-rwxr-x---", Some(0o750)),
            ("drw-rw-rwt", Some(0o1667)),
            ("----------", Some(0)),
            ("0755", None),
            ("789", None),
            ("+75", None),
            ("-rwxr-xr-r", None),
            ("rwxr-xr-x", None),
            ("u+x", None),
            ("", None),
        ] {
            assert_eq!(parse(text), expect, "{text}");
        }
    }
}
