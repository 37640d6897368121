//! Which published schema an element is checked against. Must not depend on how it is checked.

use super::family::Family;
use super::particle::{Edition, Particle, Term, Type};
use super::version::{SchemaVersion, split_namespace};
use super::{bundle, coordinator, extension_action, sla, workflow};

/// Returns every family.
pub(super) fn families() -> impl Iterator<Item = &'static Family> {
    [&coordinator::FAMILY, &workflow::FAMILY, &bundle::FAMILY, &sla::FAMILY]
        .into_iter()
        .chain(extension_action::FAMILIES)
}

/// The schema that an element is checked against.
#[derive(Clone, Copy)]
pub(super) struct Scope<'d> {
    /// The namespace as the document names it; `None` for included datasets, which have none.
    pub(super) namespace: Option<&'d str>,
    pub(super) family: &'static Family,
    pub(super) version: SchemaVersion,
    pub(super) edition: Edition,
}

impl<'d> Scope<'d> {
    /// Returns the published schema of a namespace.
    pub(super) fn of(namespace: &'d str, edition: Edition) -> Option<Self> {
        let (name, version) = split_namespace(namespace)?;
        let family = families().find(|family| family.name == name)?;
        // The text must be the published one: 0.05 is not 0.5.
        let published = family.versions.contains(&version) && namespace.ends_with(&version.to_string());
        published.then_some(Self { namespace: Some(namespace), family, version, edition })
    }

    /// Returns the type of a global element of the schema.
    pub(super) fn root(&self, name: &str) -> Option<&'static Type> {
        self.family.roots.iter().filter(|root| self.has(root)).find_map(|root| match root.term {
            Term::Element(known, of) if known == name => Some(of),
            _ => None,
        })
    }

    /// Returns whether this version has the particle.
    pub(super) fn has(&self, particle: &Particle) -> bool {
        particle.availability.includes(self.version, self.edition)
    }
}
