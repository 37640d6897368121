//! Characters, names and references as XML 1.0 (fifth edition) and "Namespaces in XML" define them.

use std::borrow::Cow;

/// Returns the first character of the text that XML does not allow, and its byte offset.
pub fn illegal_character(text: &str) -> Option<(usize, char)> {
    let suspicious = |byte: u8| (byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 0xEF;
    if !text.bytes().fold(false, |found, byte| found | suspicious(byte)) {
        return None;
    }
    text.char_indices().find(|(_, character)| !is_legal(*character))
}

/// Returns whether a document may contain the character.
pub(crate) const fn is_legal(character: char) -> bool {
    matches!(character, '\t' | '\n' | '\r' | ' '..='\u{FFFD}' | '\u{10000}'..)
}

/// Returns whether the text is a name without a colon.
pub(crate) fn is_name(text: &str) -> bool {
    // Most names are plain ASCII letters, which need no table lookup.
    if !text.is_empty() && text.bytes().fold(true, |plain, byte| plain & byte.is_ascii_alphabetic()) {
        return true;
    }
    let mut characters = text.chars();
    characters.next().is_some_and(starts_name) && characters.all(continues_name)
}

const fn starts_name(character: char) -> bool {
    matches!(character,
        'a'..='z' | 'A'..='Z' | '_'
        | '\u{C0}'..='\u{D6}' | '\u{D8}'..='\u{F6}' | '\u{F8}'..='\u{2FF}' | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}' | '\u{200C}' | '\u{200D}' | '\u{2070}'..='\u{218F}' | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}' | '\u{F900}'..='\u{FDCF}' | '\u{FDF0}'..='\u{FFFD}' | '\u{10000}'..='\u{EFFFF}')
}

const fn continues_name(character: char) -> bool {
    starts_name(character)
        || matches!(character,
            '0'..='9' | '-' | '.' | '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}' | '\u{2040}')
}

/// Returns the character for `&name;`; `None` when it is not one of XML's own five and not a legal number.
pub(crate) fn reference(name: &str) -> Option<char> {
    let number = match name {
        "lt" => return Some('<'),
        "gt" => return Some('>'),
        "amp" => return Some('&'),
        "quot" => return Some('"'),
        "apos" => return Some('\''),
        _ => name.strip_prefix('#')?,
    };
    let (digits, radix) = number.strip_prefix('x').map_or((number, 10), |digits| (digits, 16));
    // `from_str_radix` would accept a sign.
    let value =
        digits.chars().all(|digit| digit.is_digit(radix)).then(|| u32::from_str_radix(digits, radix).ok())??;
    char::from_u32(value).filter(|character| is_legal(*character))
}

/// Returns the text with `\r\n` and `\r` as `\n`, which XML demands of its readers.
pub(crate) fn with_plain_line_ends(text: &str) -> Cow<'_, str> {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n").into() } else { text.into() }
}

/// What is wrong with the raw value of an attribute; the offset counts bytes from its start.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum BadValue<'a> {
    /// A `<`, at the offset.
    LessThan(usize),
    /// An `&` that starts no reference, at the offset.
    Ampersand(usize),
    /// A reference to an unknown name or an illegal number.
    Reference(usize, &'a str),
}

/// Returns the value of the raw text between the quotes: references replaced, white space turned into blanks.
pub(crate) fn attribute_value(raw: &str) -> Result<Cow<'_, str>, BadValue<'_>> {
    // A loop without an early exit checks many bytes in one step.
    let special = |byte: u8| matches!(byte, b'&' | b'<' | b'\t' | b'\n' | b'\r');
    if !raw.bytes().fold(false, |found, byte| found | special(byte)) {
        return Ok(raw.into());
    }
    let mut value = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(found) = rest.find(['&', '<', '\t', '\n', '\r']) {
        value.push_str(&rest[..found]);
        let at = raw.len() - rest.len() + found;
        let tail = &rest[found..];
        let taken = match tail.as_bytes()[0] {
            b'<' => return Err(BadValue::LessThan(at)),
            b'&' => {
                let (name, _) = tail[1..].split_once(';').ok_or(BadValue::Ampersand(at))?;
                if !is_name(name) && !name.starts_with('#') {
                    return Err(BadValue::Ampersand(at));
                }
                value.push(reference(name).ok_or(BadValue::Reference(at, name))?);
                name.len() + 2
            }
            // A line end of two characters becomes one blank.
            _ => {
                value.push(' ');
                if tail.starts_with("\r\n") { 2 } else { 1 }
            }
        };
        rest = &tail[taken..];
    }
    value.push_str(rest);
    Ok(value.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_references_and_white_space_in_attributes() {
        for (raw, expect) in [
            ("a b", Ok("a b")),
            ("a\tb\r\nc\rd\ne", Ok("a b c d e")),
            ("&#10;&#x9;&lt;&gt;&amp;&quot;&apos;", Ok("\n\t<>&\"'")),
            ("a<b", Err(BadValue::LessThan(1))),
            ("a & b", Err(BadValue::Ampersand(2))),
            ("a & b;", Err(BadValue::Ampersand(2))),
            ("&nbsp;", Err(BadValue::Reference(0, "nbsp"))),
            ("x&#0;", Err(BadValue::Reference(1, "#0"))),
            ("&#x110000;", Err(BadValue::Reference(0, "#x110000"))),
            ("&#+65;", Err(BadValue::Reference(0, "#+65"))),
            ("&#;", Err(BadValue::Reference(0, "#"))),
        ] {
            assert_eq!(attribute_value(raw), expect.map(Cow::Borrowed), "{raw}");
        }
    }

    #[test]
    fn recognizes_names_and_legal_characters() {
        for (text, expect) in [("a", true), ("_a-1.b", true), ("é", true), ("1a", false), ("", false), ("a:b", false)]
        {
            assert_eq!(is_name(text), expect, "{text}");
        }
        for (text, expect) in
            [("a\tb\r\n\u{1F600}", None), ("a\u{1}", Some((1, '\u{1}'))), ("é\u{FFFE}", Some((2, '\u{FFFE}')))]
        {
            assert_eq!(illegal_character(text), expect, "{text:?}");
        }
    }
}
