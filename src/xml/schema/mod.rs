//! The published Oozie schemas as tables, and the validator that checks a document against them.
//!
//! One file per schema family; a table serves all versions of its family. Checks element names and simple types only:
//! the readers of the definitions check whether a date is valid or a node exists.

mod bundle;
mod coordinator;
mod extension_action;
mod help;
mod kind;
mod matcher;
mod particle;
mod shared;
mod simple_type;
mod sla;
#[cfg(test)]
mod tests;
mod validator;
mod version;
mod workflow;
mod workflow_action;

pub(crate) use kind::{DocumentKind, kind_of};
pub(crate) use particle::Edition;
pub(crate) use validator::check;
#[cfg(feature = "internals")]
pub(crate) use validator::check_as;
pub(crate) use version::{SchemaVersion, split_namespace};

use particle::{Particle, Term, Type};

/// The schemas that share a name and differ in version.
#[derive(Debug)]
struct Family {
    /// As in `uri:oozie:NAME:VERSION`.
    name: &'static str,
    /// The published versions, oldest first.
    versions: &'static [SchemaVersion],
    /// The global elements: allowed as a root and in place of a wildcard.
    roots: &'static [Particle],
}

/// Returns every family.
fn families() -> impl Iterator<Item = &'static Family> {
    [&coordinator::FAMILY, &workflow::FAMILY, &bundle::FAMILY, &sla::FAMILY]
        .into_iter()
        .chain(extension_action::FAMILIES)
}

/// The schema that an element is checked against.
#[derive(Clone, Copy)]
struct Scope<'d> {
    /// The namespace as the document names it; `None` for included datasets, which have none.
    namespace: Option<&'d str>,
    family: &'static Family,
    version: SchemaVersion,
    edition: Edition,
}

impl<'d> Scope<'d> {
    /// Returns the published schema of a namespace.
    fn of(namespace: &'d str, edition: Edition) -> Option<Self> {
        let (name, version) = split_namespace(namespace)?;
        let family = families().find(|family| family.name == name)?;
        // The text must be the published one: 0.05 is not 0.5.
        let published = family.versions.contains(&version) && namespace.ends_with(&version.to_string());
        published.then_some(Self { namespace: Some(namespace), family, version, edition })
    }

    /// Returns the type of a global element of the schema.
    fn root(&self, name: &str) -> Option<&'static Type> {
        self.family.roots.iter().filter(|root| self.has(root)).find_map(|root| match root.term {
            Term::Element(known, of) if known == name => Some(of),
            _ => None,
        })
    }

    /// Returns whether this version has the particle.
    fn has(&self, particle: &Particle) -> bool {
        particle.availability.includes(self.version, self.edition)
    }
}
