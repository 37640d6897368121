//! Writes the text of a Java properties file, so that `java.util.Properties.load` reads the same names and values back.

use std::fmt::Write as _;

use howdah_words::model::Properties;

/// Returns the text of a properties file: a line for each property, in ASCII.
pub fn write_properties(properties: &Properties) -> String {
    let mut text = String::new();
    for (name, value) in properties {
        for letter in name.chars() {
            escape(&mut text, letter, matches!(letter, ' ' | ':' | '=' | '#' | '!'));
        }
        text.push('=');
        let blanks = value.len() - value.trim_start_matches(' ').len();
        for (at, letter) in value.char_indices() {
            escape(&mut text, letter, at < blanks);
        }
        text.push('\n');
    }
    text
}

/// Adds one letter, with a backslash if it has another meaning without one or `is_special`.
fn escape(text: &mut String, letter: char, is_special: bool) {
    match letter {
        '\\' => text.push_str("\\\\"),
        '\n' => text.push_str("\\n"),
        '\r' => text.push_str("\\r"),
        '\t' => text.push_str("\\t"),
        ' '..='~' if is_special => text.extend(['\\', letter]),
        ' '..='~' => text.push(letter),
        _ => {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(text, "\\u{unit:04x}").expect("a text takes everything");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::parse_properties;
    use super::*;
    use howdah_words::error::SourceText;

    fn check(name: &str, value: &str, expect: &str) {
        assert_eq!(write_properties(&[(name.to_owned(), value.to_owned())].into()), expect);
    }

    #[test]
    fn escapes_what_has_another_meaning() {
        check("a.b", "c=d:e #", "a.b=c=d:e #\n");
        check("a b=c:d#", "  x", "a\\ b\\=c\\:d\\#=\\ \\ x\n");
        check("p", "C:\\x\n\tü\u{1F600}", "p=C:\\\\x\\n\\t\\u00fc\\ud83d\\ude00\n");
        check("", "", "=\n");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(properties in prop::collection::btree_map(".*", ".*", 0..4)) {
            let text = write_properties(&properties);
            let parsed = parse_properties(&SourceText::new("written", text)).unwrap();
            prop_assert_eq!(parsed.values, properties);
        }
    }
}
