//! The results of the basic functions of expressions: `concat`, `replaceAll`, `toJsonStr` and so on.
//!
//! Pure functions over texts; a Java null is `None`. `functions` decides where they may be called and how arguments
//! become texts. Deviation: the results of the `to...Str` functions are not escaped for XML, because every text is
//! evaluated separately, after the XML reader.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::java_regex::JavaRegex;
use howdah_words::model::Properties;
use howdah_words::model::time::{MINUTE, Timestamp};

/// Longest text a function returns, in bytes.
pub(super) const LONGEST_RESULT: usize = 1 << 20;

/// `replaceAll(text, pattern, replacement)`.
pub(super) fn replace_all(text: &str, pattern: &str, replacement: &str) -> Result<String, String> {
    JavaRegex::new(pattern)?.replace_all(text, replacement, LONGEST_RESULT)
}

/// `appendAll(text, append, delimiter)`: `append` after every part of the text. The delimiter splits as a pattern and
/// joins as plain text.
pub(super) fn append_all(source: &str, append: &str, delimiter: &str) -> Result<String, String> {
    let regex = JavaRegex::new(delimiter)?;
    let parts = regex.split(source)?;
    let size = source.len() + parts.len() * (append.len() + delimiter.len());
    if size > LONGEST_RESULT {
        return Err(format!("the result is longer than {LONGEST_RESULT} bytes"));
    }
    let appended: Vec<String> = parts.iter().map(|part| format!("{part}{append}")).collect();
    let mut result = appended.join(delimiter);
    if source.starts_with(delimiter) && parts.first().is_some_and(|part| !part.is_empty()) {
        result.insert_str(0, append);
    }
    Ok(result)
}

/// `urlEncode(text)`: the form encoding of UTF-8, with `+` for a blank.
pub(super) fn url_encode(text: &str) -> String {
    /// Everything that a form must encode.
    const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'.').remove(b'-').remove(b'*').remove(b'_');
    utf8_percent_encode(text, ENCODED).to_string().replace("%20", "+")
}

/// `timestamp()`: the minute of `now` in the processing time zone, `offset_minutes` east of UTC.
pub(super) fn timestamp(now: Timestamp, offset_minutes: i64) -> String {
    let Some(civil) = (now + offset_minutes * MINUTE).to_utc() else { return String::new() };
    let sign = if offset_minutes < 0 { '-' } else { '+' };
    let minutes = offset_minutes.abs();
    let zone = if minutes == 0 { "Z".to_owned() } else { format!("{sign}{:02}{:02}", minutes / 60, minutes % 60) };
    format!("{}{zone}", civil.format("%Y-%m-%dT%H:%M"))
}

/// `toJsonStr(map)`: a JSON object.
pub(super) fn to_json(map: &Properties) -> String {
    serde_json::to_string(map).expect("texts can be written as JSON")
}

/// `toPropertiesStr(map)`: a properties file with an empty comment and the time, as Java writes it.
pub(super) fn to_properties(map: &Properties, now: Timestamp) -> String {
    let time = now.to_utc().map(|time| time.format("%a %b %d %H:%M:%S UTC %Y").to_string()).unwrap_or_default();
    let mut out = format!("#\n#{time}\n");
    for (name, value) in map {
        let blanks = value.len() - value.trim_start_matches(' ').len();
        escape_property(name, name.len(), &mut out);
        out.push('=');
        // Only the first blank of a value would be lost when the file is read.
        escape_property(value, blanks.min(1), &mut out);
        out.push('\n');
    }
    out
}

/// Writes a name or value; blanks in its first `escaped_blanks` bytes get a backslash.
fn escape_property(text: &str, escaped_blanks: usize, out: &mut String) {
    for (at, character) in text.char_indices() {
        match character {
            ' ' if at >= escaped_blanks => out.push(' '),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\u{c}' => out.push_str("\\f"),
            ' ' | '\\' | '=' | ':' | '#' | '!' => {
                out.push('\\');
                out.push(character);
            }
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> Properties {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn appends_to_every_part() {
        for (text, append, delimiter, expect) in [
            ("", "b", ",", "b"),
            ("a,b,", "X", ",", "aX,bX"),
            ("a,,b", "X", ",", "aX,X,bX"),
            ("a,b", "X", ";", "a,bX"),
            ("abc", "X", "b", "aXbcX"),
            ("foo", "X", "", "XfXoXoX"),
            ("foo", "X", "o*", "fX"),
            ("a,b", "", ",", "a,b"),
        ] {
            let got = append_all(text, append, delimiter).expect("a valid pattern");
            assert_eq!(got, expect, "{text} {append} {delimiter}");
        }
    }

    #[test]
    fn encodes_forms() {
        for (text, expect) in
            [("a b", "a+b"), ("a*b-c_d.e~f", "a*b-c_d.e%7Ef"), ("é", "%C3%A9"), ("^`+%20", "%5E%60%2B%2520")]
        {
            assert_eq!(url_encode(text), expect);
        }
    }

    #[test]
    fn prints_the_time_in_the_processing_zone() {
        for (offset, expect) in
            [(0, "2015-06-01T12:00Z"), (330, "2015-06-01T17:30+0530"), (-210, "2015-06-01T08:30-0330")]
        {
            assert_eq!(timestamp(Timestamp::from_seconds(1_433_160_059), offset), expect);
        }
    }

    #[test]
    fn writes_maps() {
        let map = map(&[("a b", " x y"), ("k", "<&\n"), ("u", "é#")]);
        assert_eq!(to_json(&map), r#"{"a b":" x y","k":"<&\n","u":"é#"}"#);
        let text = to_properties(&map, Timestamp::from_seconds(1_433_160_059));
        assert_eq!(text, "#\n#Mon Jun 01 12:00:59 UTC 2015\na\\ b=\\ x y\nk=<&\\n\nu=é\\#\n");
    }
}
