//! The parts of a URI, by its text alone.

/// The parts of a URI with an absolute or empty path.
pub(super) struct UriParts<'a> {
    pub(super) scheme: &'a str,
    pub(super) authority: &'a str,
    pub(super) path: &'a str,
}

impl<'a> UriParts<'a> {
    pub(super) fn path_or_root(&self) -> &'a str {
        if self.path.is_empty() { "/" } else { self.path }
    }

    /// The `scheme://authority`.
    pub(super) fn store(&self) -> String {
        format!("{}://{}", self.scheme, self.authority)
    }
}

/// The parts of `scheme://authority/path`, `scheme:///path` or `scheme:/path`.
pub(super) fn split_uri(uri: &str) -> Option<UriParts<'_>> {
    let (scheme, rest) = uri.split_once(':')?;
    let letter_first = scheme.starts_with(|first: char| first.is_ascii_alphabetic());
    if !letter_first || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) {
        return None;
    }
    let Some(after) = rest.strip_prefix("//") else {
        return rest.starts_with('/').then_some(UriParts { scheme, authority: "", path: rest });
    };
    let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
    Some(UriParts { scheme, authority, path })
}
