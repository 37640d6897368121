//! A family of schemas. Must not depend on which families there are.

use super::particle::Particle;
use super::version::SchemaVersion;

/// The schemas that share a name and differ in version.
#[derive(Debug)]
pub(super) struct Family {
    /// As in `uri:oozie:NAME:VERSION`.
    pub(super) name: &'static str,
    /// The published versions, oldest first.
    pub(super) versions: &'static [SchemaVersion],
    /// The global elements: allowed as a root and in place of a wildcard.
    pub(super) roots: &'static [Particle],
}
