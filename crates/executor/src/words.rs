//! Splits texts of several words: options in a site file or a definition.
//!
//! Words are split as a shell splits them, but nothing is expanded. Between `'` everything stays unchanged; between `"`
//! a backslash escapes only a few letters; elsewhere a backslash escapes the next letter. A shell and Oozie's own
//! splitter differ only in those letters. Must not depend on actions.

/// Why a text cannot be split, as part of a message.
pub(super) const OPEN_END: &str = "a quotation mark is not closed or a backslash is at the end";

/// Returns the words of a text as a shell splits them. `None` for an [`OPEN_END`].
pub(super) fn shell_words(text: &str) -> Option<Vec<String>> {
    words(text, &['"', '\\', '$', '`'])
}

/// Returns the words of a text as Oozie's splitter of Sqoop's commands splits them. `None` for an [`OPEN_END`].
pub(super) fn sqoop_words(text: &str) -> Option<Vec<String>> {
    words(text, &['"', '\\'])
}

/// Splits a text; between `"` a backslash goes before a letter that is `escapable` and stays before all others.
fn words(text: &str, escapable: &[char]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quotation = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quotation, letter) {
            (Some(open), _) if letter == open => quotation = None,
            (Some('"'), '\\') => {
                let next = letters.next()?;
                let backslash = (!escapable.contains(&next)).then_some('\\');
                word.get_or_insert_default().extend(backslash.into_iter().chain([next]));
            }
            (None, '\\') => word.get_or_insert_default().push(letters.next()?),
            (None, '\'' | '"') => {
                quotation = Some(letter);
                word.get_or_insert_default();
            }
            (None, _) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    quotation.is_none().then_some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<&[&str]>) {
        let words = shell_words(text);
        let words: Option<Vec<&str>> = words.as_ref().map(|words| words.iter().map(String::as_str).collect());
        assert_eq!(words.as_deref(), expect, "{text}");
    }

    #[test]
    fn words_are_those_of_a_shell() {
        check("", Some(&[]));
        check(" a\tb\n c ", Some(&["a", "b", "c"]));
        check("'a b'\"c d\"e '' \"\"", Some(&["a bc de", "", ""]));
        check(r"a\ b \' \\", Some(&["a b", "'", "\\"]));
        check(r"'a\b' '\'", Some(&["a\\b", "\\"]));
        check(r#""a\"b" "\\" "\$x" "\`x" "\x" "it's""#, Some(&["a\"b", "\\", "$x", "`x", "\\x", "it's"]));
        for open in ["'a", "\"a", "a\\", "\"a\\", "\"a\\\""] {
            check(open, None);
        }
    }

    #[test]
    fn sqoop_words_keep_more_backslashes() {
        let words = sqoop_words(r#""\"" "\\" "\$x" "\`x""#).unwrap();
        assert_eq!(words, ["\"", "\\", "\\$x", "\\`x"]);
    }
}
