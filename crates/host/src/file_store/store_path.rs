//! Paths of a store: checked before they are sent, and escaped, as are values, for the address of a request.

use std::io;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::StoreError;

/// All bytes of a value but letters, digits and the four marks that never mean anything.
const VALUE: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');
/// The same for a path, whose slashes stay.
const PATH: &AsciiSet = &VALUE.remove(b'/');

/// A path that may be sent: absolute, without empty steps, and without steps that lead elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StorePath(String);

impl StorePath {
    /// Checks a path, and drops doubled and trailing slashes as Hadoop's `Path` does.
    ///
    /// # Errors
    /// `InvalidInput` when it is relative, has a zero byte, or a step `.` or `..`.
    pub(super) fn of(path: &str) -> io::Result<Self> {
        let refuse = |why: &str| {
            StoreError::refused(io::ErrorKind::InvalidInput, format!("the path [{}] {why}", path.escape_debug()))
        };
        if !path.starts_with('/') {
            return Err(refuse("is not absolute"));
        }
        if path.contains('\0') {
            return Err(refuse("has a zero byte"));
        }
        let steps: Vec<&str> = path.split('/').filter(|step| !step.is_empty()).collect();
        if steps.iter().any(|step| matches!(*step, "." | "..")) {
            return Err(refuse("has a step [.] or [..]"));
        }
        Ok(Self(format!("/{}", steps.join("/"))))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    pub(super) fn is_root(&self) -> bool {
        self.0 == "/"
    }

    /// The last step; empty for the root.
    pub(super) fn name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or_default()
    }

    /// The folder above it; `None` for the root.
    pub(super) fn parent(&self) -> Option<Self> {
        let (above, _) = self.0.rsplit_once('/').filter(|_| !self.is_root())?;
        Some(Self(if above.is_empty() { "/".to_owned() } else { above.to_owned() }))
    }

    /// What has a name in this folder.
    pub(super) fn join(&self, name: &str) -> Self {
        Self(format!("{}/{name}", if self.is_root() { "" } else { &self.0 }))
    }

    /// Whether it is at or below `folder`.
    pub(super) fn is_within(&self, folder: &Self) -> bool {
        self.0.strip_prefix(&folder.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')) || folder.is_root()
    }

    /// Whether a server that decodes names twice would take it for another path.
    pub(super) fn has_escapes(&self) -> bool {
        self.0.contains('%')
    }

    /// Escaped for the path of an address.
    pub(super) fn escaped(&self) -> String {
        utf8_percent_encode(&self.0, PATH).to_string()
    }
}

/// A value, escaped for the query of an address.
pub(super) fn value(text: &str) -> String {
    utf8_percent_encode(text, VALUE).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_that_means_something_is_escaped() {
        for (path, expect) in [
            ("/", Ok("/")),
            ("/data/day=1", Ok("/data/day%3D1")),
            ("/a b", Ok("/a%20b")),
            ("/a%20b", Ok("/a%2520b")),
            ("/a+b?c#d;e", Ok("/a%2Bb%3Fc%23d%3Be")),
            ("/a\nb", Ok("/a%0Ab")),
            ("/é", Ok("/%C3%A9")),
            ("//data///x//", Ok("/data/x")),
            ("/...", Ok("/...")),
            ("/%2e%2e", Ok("/%252e%252e")),
            ("", Err("is not absolute")),
            ("data", Err("is not absolute")),
            ("/a/../b", Err("has a step")),
            ("/a/.", Err("has a step")),
            ("/a\0", Err("has a zero byte")),
        ] {
            match (StorePath::of(path), expect) {
                (Ok(path), expect) => assert_eq!(Ok(path.escaped().as_str()), expect, "{path:?}"),
                (Err(error), Err(expect)) => assert!(error.to_string().contains(expect), "{path:?}: {error}"),
                (Err(error), Ok(_)) => panic!("{path:?}: {error}"),
            }
        }
        assert_eq!(value("/a/b&c=ü"), "%2Fa%2Fb%26c%3D%C3%BC");
    }

    #[test]
    fn a_path_knows_its_steps() {
        let path = |text: &str| StorePath::of(text).unwrap();
        assert_eq!((path("/a/b").name(), path("/").name()), ("b", ""));
        assert_eq!(path("/a/b").parent(), Some(path("/a")));
        assert_eq!(path("/a").parent(), Some(path("/")));
        assert_eq!(path("/").parent(), None);
        assert_eq!((path("/").join("a"), path("/a").join("b")), (path("/a"), path("/a/b")));
        for (one, other, expect) in [
            ("/data/out", "/data/out", true),
            ("/data/out/x", "/data/out", true),
            ("/data/output", "/data/out", false),
            ("/data", "/", true),
            ("/", "/data", false),
        ] {
            assert_eq!(path(one).is_within(&path(other)), expect, "{one} {other}");
        }
    }
}
