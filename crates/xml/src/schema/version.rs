//! Names of Oozie's schemas: `uri:oozie:FAMILY:VERSION`, and the order of versions.
//!
//! Versions compare part by part (0.2 < 0.2.5 < 0.3), never as decimal numbers; so 0.4.5 is later than 0.4 in every
//! rule that says "from 0.4 on".

use std::fmt;

/// The version of a schema.
///
/// One number, so that two versions are compared in one step: major, minor and patch have a byte each.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaVersion(u32);

impl SchemaVersion {
    /// Returns the version `major.minor`.
    pub const fn new(major: u8, minor: u8) -> Self {
        Self::with_patch(major, minor, 0)
    }

    /// Returns the version `major.minor.patch`.
    pub(crate) const fn with_patch(major: u8, minor: u8, patch: u8) -> Self {
        Self(u32::from_be_bytes([0, major, minor, patch]))
    }

    /// Reads `0.5` or `0.4.5`; nothing else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parts = text.split('.').map(|part| {
            let plain = part.bytes().all(|byte| byte.is_ascii_digit());
            plain.then(|| part.parse::<u8>().ok()).flatten()
        });
        let version = Self::with_patch(parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
        parts.next().is_none().then_some(version)
    }
}

impl fmt::Display for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [_, major, minor, patch] = self.0.to_be_bytes();
        write!(f, "{major}.{minor}")?;
        if patch == 0 { Ok(()) } else { write!(f, ".{patch}") }
    }
}

impl fmt::Debug for SchemaVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Splits a namespace such as `uri:oozie:workflow:0.5` into its family and version; `None` for any other text.
pub fn split_namespace(namespace: &str) -> Option<(&str, SchemaVersion)> {
    let (family, version) = namespace.strip_prefix("uri:oozie:")?.split_once(':')?;
    Some((family, SchemaVersion::parse(version)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_they_were_published() {
        let published = ["0.1", "0.2", "0.2.5", "0.3", "0.4", "0.4.5", "0.5", "1.0"];
        let versions: Vec<_> = published.iter().map(|text| SchemaVersion::parse(text).unwrap()).collect();
        assert!(versions.is_sorted());
        assert!(versions.iter().zip(published).all(|(version, text)| version.to_string() == text));
        assert_eq!(versions[2], SchemaVersion::with_patch(0, 2, 5));
    }

    #[test]
    fn reads_only_namespaces_of_oozie() {
        for (text, expect) in [
            ("uri:oozie:workflow:0.4.5", Some(("workflow", SchemaVersion::with_patch(0, 4, 5)))),
            ("uri:oozie:hive2-action:1.0", Some(("hive2-action", SchemaVersion::new(1, 0)))),
            ("uri:oozie:workflow:1", None),
            ("uri:oozie:workflow:+0.5", None),
            ("uri:oozie:workflow:0.", None),
            ("uri:oozie:workflow:0.4.5.6", None),
            ("xmlns=uri:oozie:workflow:0.1", None),
            ("uri:oozie:workflow", None),
        ] {
            assert_eq!(split_namespace(text), expect, "{text}");
        }
    }
}
