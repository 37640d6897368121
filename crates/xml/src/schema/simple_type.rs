//! The simple types of the schemas: what a text or an attribute value may be.

/// A type of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SimpleType {
    /// Any text.
    String,
    /// A letter, then letters, digits, `-` and `_`. (The published pattern is meant to limit the length to 39, but its
    /// form is wrong and limits nothing.)
    Identifier,
    /// As [`Self::Identifier`], but `_` may come first: the names of workflow nodes.
    NodeName,
    /// `true`, `false`, `1` or `0`.
    Boolean,
    /// A whole number of 0 to 4294967295.
    UnsignedInt,
}

impl SimpleType {
    /// Returns whether the text is of this type. Blanks around numbers and truth values do not count.
    pub(super) fn accepts(self, text: &str) -> bool {
        match self {
            Self::String => true,
            Self::Identifier => is_identifier(text, |first| first.is_ascii_alphabetic()),
            Self::NodeName => is_identifier(text, |first| first.is_ascii_alphabetic() || first == b'_'),
            Self::Boolean => matches!(collapsed(text), "true" | "false" | "1" | "0"),
            Self::UnsignedInt => is_unsigned(text),
        }
    }

    /// Returns what a text of this type looks like, for advice.
    pub(super) const fn description(self) -> &'static str {
        match self {
            Self::String => "any text",
            Self::Identifier => "a letter, then letters, digits, `-` or `_`",
            Self::NodeName => "a letter or `_`, then letters, digits, `-` or `_`",
            Self::Boolean => "true or false",
            Self::UnsignedInt => "a whole number from 0 to 4294967295",
        }
    }
}

fn is_identifier(text: &str, starts: impl Fn(u8) -> bool) -> bool {
    let Some((first, rest)) = text.as_bytes().split_first() else { return false };
    starts(*first) && rest.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
}

fn is_unsigned(text: &str) -> bool {
    let text = collapsed(text);
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    plain && text.parse::<i64>().is_ok_and(|value| u32::try_from(value).is_ok())
}

fn collapsed(text: &str) -> &str {
    text.trim_matches([' ', '\t', '\n', '\r'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(of: SimpleType, good: &[&str], bad: &[&str]) {
        for text in good {
            assert!(of.accepts(text), "{of:?} {text:?}");
        }
        for text in bad {
            assert!(!of.accepts(text), "{of:?} {text:?}");
        }
    }

    #[test]
    fn accepts_what_xml_schema_accepts() {
        let long = "a".repeat(200);
        check(SimpleType::String, &["", " x "], &[]);
        check(SimpleType::Identifier, &["a", "a-1_B", &long], &["", "_a", "1a", "a b", " a", "é", "a.b", "${x}"]);
        check(SimpleType::NodeName, &["_a", "a"], &["", "-a", "a b"]);
        check(SimpleType::Boolean, &["true", " 0\n", "1"], &["", "TRUE", "yes", "${x}"]);
        check(
            SimpleType::UnsignedInt,
            &["0", " +4294967295 ", "007", "-0"],
            &["", "-1", "4294967296", "99999999999999999999", "1.0", "1 2", "+-1"],
        );
    }
}
