//! Credentials in URLs: never shown.
//!
//! `http://user:password@host/?token=x` is stored unchanged, because a notification is sent with it. Printed text has
//! stars instead, one per byte, so it keeps its layout.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr_iter;

/// Parameters of a query whose values are secret, in lower case without `-` and `_`.
const SECRET: [&str; 16] = [
    "accesskey",
    "accesstoken",
    "apikey",
    "auth",
    "authtoken",
    "authorization",
    "clientsecret",
    "credential",
    "key",
    "passwd",
    "password",
    "pwd",
    "secret",
    "sig",
    "signature",
    "token",
];

/// Returns the text with stars for the credentials in its URLs.
pub fn masked(text: &str) -> Cow<'_, str> {
    let mut secrets = Vec::new();
    // Most texts have no URL; one byte is found faster than three.
    let colons = memchr_iter(b':', text.as_bytes());
    for scheme_end in colons.filter(|colon| text[*colon..].starts_with("://")) {
        let start = scheme_end + "://".len();
        let end = start + text[start..].find(ends_url).unwrap_or(text.len() - start);
        secrets.extend(in_authority(text, scheme_end, start..end));
        secrets.extend(in_query(text, start..end));
    }
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    // A URL in the query of another is found after it.
    secrets.sort_unstable_by_key(|secret: &Range<usize>| secret.start);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for secret in secrets {
        if secret.start >= at {
            out.push_str(&text[at..secret.start]);
            out.extend(std::iter::repeat_n('*', secret.len()));
            at = secret.end;
        }
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Checks whether a character ends a URL in a text of any kind.
fn ends_url(character: char) -> bool {
    character.is_whitespace() || character.is_control() || matches!(character, '"' | '\'' | '<' | '>' | '`' | '\\')
}

/// Returns the password before the host, or for web addresses all text there: a token may be alone.
fn in_authority(text: &str, scheme_end: usize, url: Range<usize>) -> Option<Range<usize>> {
    let authority = &text[url.clone()];
    let authority = &authority[..authority.find(['/', '?', '#']).unwrap_or(authority.len())];
    let user = &authority[..authority.rfind('@')?];
    let is_web = ["http", "https"].iter().any(|scheme| text[..scheme_end].ends_with(scheme));
    let from = match user.find(':') {
        Some(colon) => colon + 1,
        None if is_web => 0,
        None => return None,
    };
    secret(text, url.start + from..url.start + user.len())
}

/// Returns the values of parameters that are secret by their names.
fn in_query(text: &str, url: Range<usize>) -> Vec<Range<usize>> {
    let whole = &text[url.clone()];
    let Some(query) = whole.find('?') else { return Vec::new() };
    let mut found = Vec::new();
    let mut at = url.start + query + 1;
    for parameter in whole[query + 1..].split(['&', ';', '#']) {
        if let Some((name, _)) = parameter.split_once('=') {
            let plain: String = name.chars().filter(|character| !matches!(character, '-' | '_')).collect();
            if SECRET.contains(&plain.to_lowercase().as_str()) {
                found.extend(secret(text, at + name.len() + 1..at + parameter.len()));
            }
        }
        at += parameter.len() + 1;
    }
    found
}

/// Returns the range, unless it is an expression, which does not show its value.
fn secret(text: &str, range: Range<usize>) -> Option<Range<usize>> {
    let value = &text[range.clone()];
    (!value.is_empty() && !value.starts_with("${") && !value.starts_with('$')).then_some(range)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_become_stars() {
        for (text, expect) in [
            ("http://ann:pa:ss@host/x", "http://ann:*****@host/x"),
            ("see https://ghp_1@host:80, and http://host/", "see https://*****@host:80, and http://host/"),
            ("hdfs://ann@host/data", "hdfs://ann@host/data"),
            ("ftp://ann:x@host/a b:c@d", "ftp://ann:*@host/a b:c@d"),
            ("http://host/a@b:c@d", "http://host/a@b:c@d"),
            ("http://h/?id=$jobId&Api-Key=12&x=1&token=ab#f", "http://h/?id=$jobId&Api-Key=**&x=1&token=**#f"),
            ("\"http://h/?to=http://a:b@c&sig=1\"", "\"http://h/?to=http://a:*@c&sig=*\""),
            ("http://${user}:${password}@h/?token=${token}", "http://${user}:${password}@h/?token=${token}"),
            ("no://", "no://"),
            ("no address: a:b@c ?token=1", "no address: a:b@c ?token=1"),
        ] {
            assert_eq!(masked(text), expect);
            assert_eq!(masked(text).len(), text.len());
        }
    }
}
