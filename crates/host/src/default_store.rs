//! The store of paths without a scheme, and what it makes of a path.
//!
//! Only a [`DefaultStore`] creates a [`Qualified`], so each of them has its store. Must not depend on mounts.

use std::borrow::Cow;

use super::uri::split_uri;

/// The scheme of a name-node without one, as in Hadoop.
const USUAL_SCHEME: &str = "hdfs";

/// Hadoop's old name for the local file system.
const LOCAL: &str = "local";

/// The store of paths without a scheme.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DefaultStore {
    /// Its `scheme://authority`; `None` for this machine. After a colon: a text that names no store, so nothing can be
    /// in it.
    pub(super) prefix: Option<String>,
}

/// A URI with its store, or a path of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Qualified<'a>(Cow<'a, str>);

impl DefaultStore {
    /// The store of a URI; for a path, this machine.
    pub fn of(uri: &str) -> Self {
        if !has_scheme(uri) {
            return Self::default();
        }
        let Some(parts) = split_uri(uri) else { return Self::unknown(uri) };
        let is_here = parts.scheme.eq_ignore_ascii_case("file") && matches!(parts.authority, "" | "localhost");
        Self { prefix: (!is_here).then(|| format!("{}://{}", parts.scheme, parts.authority)) }
    }

    /// The store that a name-node names: as in Hadoop, `local` and an empty text mean this machine, and a name without
    /// a scheme means HDFS.
    pub fn of_name_node(name_node: &str) -> Self {
        let name_node = name_node.trim();
        match name_node {
            "" | LOCAL => Self::default(),
            name if !name.contains('/') && !name.ends_with(':') => {
                Self { prefix: Some(format!("{USUAL_SCHEME}://{name}")) }
            }
            uri if has_scheme(uri) => Self::of(uri),
            text => Self::unknown(text),
        }
    }

    /// The store of a text that is no URI: never this machine.
    fn unknown(text: &str) -> Self {
        Self { prefix: Some(format!(":{text}")) }
    }

    /// Whether it is the local file system.
    pub const fn is_this_machine(&self) -> bool {
        self.prefix.is_none()
    }

    /// Whether both are the same store.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.prefix, &other.prefix) {
            (Some(one), Some(other)) => one.eq_ignore_ascii_case(other),
            (one, other) => one.is_none() && other.is_none(),
        }
    }

    /// A path with its store; a path with a scheme, or a relative one, stays unchanged.
    pub fn qualify<'a>(&self, path: &'a str) -> Qualified<'a> {
        Qualified(match &self.prefix {
            Some(prefix) if path.starts_with('/') => Cow::Owned(format!("{prefix}{path}")),
            _ => Cow::Borrowed(path),
        })
    }
}

impl Qualified<'_> {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, owned.
    pub(super) fn into_text(self) -> String {
        self.0.into_owned()
    }
}

/// Whether a text starts with a scheme.
pub(super) fn has_scheme(text: &str) -> bool {
    text.find(':').is_some_and(|colon| colon > 0 && !text[..colon].contains('/'))
}
