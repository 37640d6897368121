//! The allowed form of an instance's URI.
//!
//! Must not depend on whether anything exists there.

use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::partition::{HCATALOG, Partition};

/// Refuses what Java's URIs, and for `hcat:` HCatalog's URIs, do not allow.
///
/// # Errors
/// E0902 for a character that is not allowed, E0906 for a malformed `hcat:` URI.
pub fn check_uri(uri: &str) -> Result<()> {
    if let Some(index) = illegal_character(uri) {
        let message = format!("Illegal character in path at index {index}: {uri}");
        return Err(Error::new(ErrorCode::E0902, message)
            .help("a URI is written without blanks, quotes, braces, brackets and backslashes"));
    }
    if uri.starts_with(HCATALOG) { Partition::parse(uri).map(drop) } else { Ok(()) }
}

/// Returns the place of the first character that is not allowed.
fn illegal_character(uri: &str) -> Option<usize> {
    let is_usual = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b':' | b'.' | b'_' | b'-' | b'=');
    if uri.bytes().all(is_usual) {
        return None;
    }
    let escaped = |at: usize| {
        let digits = uri.as_bytes().get(at + 1..at + 3);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    };
    uri.char_indices()
        .find(|(at, character)| match character {
            '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}' | '[' | ']' => true,
            '%' => !escaped(*at),
            other => other.is_whitespace() || other.is_control(),
        })
        .map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(uri: &str, expect: Option<ErrorCode>) {
        assert_eq!(check_uri(uri).err().map(|error| error.code()), expect, "{uri}");
    }

    #[test]
    fn refuses_what_is_not_allowed() {
        for uri in ["hdfs://nn:8020/a/2009", "/plain", "/a%20b", "/ä", "/a?x=y&z#f", "s3a://b/k=1"] {
            check(uri, None);
        }
        for uri in ["/a b", "/a|b", "/a%2", "/a%zz", "/{x}", "/a\\b", "/a[0]", "/a\u{a0}b"] {
            check(uri, Some(ErrorCode::E0902));
        }
    }
}
