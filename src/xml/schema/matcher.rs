//! Compares the children of an element with its content model.
//!
//! The schemas are deterministic, as XML Schema demands: the next child alone decides which particle it belongs to, so
//! the matcher never goes back. It allocates only when the caller asks what was expected.

use super::particle::{Namespaces, Particle, Term};
use super::scope::Scope;
use crate::xml::element::{Element, Node};

/// Where the children differ from the model.
#[derive(Clone, Copy)]
pub(super) struct Mismatch {
    /// Index of the child that does not fit; `None` when the children end too early.
    pub(super) at: Option<usize>,
    /// What was expected there, if anything.
    pub(super) missing: Option<&'static Particle>,
}

/// The children of an element and their content model.
#[derive(Clone, Copy)]
pub(super) struct Comparison<'c> {
    pub(super) model: &'static Particle,
    pub(super) nodes: &'c [Node],
    /// Indexes of children to ignore, ascending.
    pub(super) ignored: &'c [usize],
    pub(super) scope: Scope<'c>,
}

impl Comparison<'_> {
    /// Returns where the children differ from the model, if they do.
    pub(super) fn mismatch(self) -> Option<Mismatch> {
        Matcher { children: self, at: 0, wanted: None }.run()
    }

    /// Returns the names that would have been right at a mismatch.
    pub(super) fn expected(self, mismatch: Mismatch) -> Vec<&'static str> {
        let wanted = Wanted { at: mismatch.at.unwrap_or(self.nodes.len()), names: Vec::new() };
        let mut matcher = Matcher { children: self, at: 0, wanted: Some(wanted) };
        // The result is known; this run collects the names it tries.
        let _ = matcher.run();
        matcher.wanted.map(|wanted| wanted.names).unwrap_or_default()
    }
}

/// Returns whether a wildcard accepts an element of another schema.
pub(super) fn admits(namespaces: Namespaces, element: &Element, scope: Scope<'_>) -> bool {
    let namespace = element.namespace.as_deref();
    match namespaces {
        Namespaces::Other => namespace.is_some() && !element.is_in(scope.namespace),
        Namespaces::Listed(listed) => namespace.is_some_and(|namespace| listed.contains(&namespace)),
    }
}

/// The names tried at one place.
struct Wanted {
    at: usize,
    names: Vec<&'static str>,
}

struct Matcher<'c> {
    children: Comparison<'c>,
    at: usize,
    wanted: Option<Wanted>,
}

impl<'c> Matcher<'c> {
    fn run(&mut self) -> Option<Mismatch> {
        let missing = self.particle(self.children.model).err();
        let at = self.next().map(|_| self.at);
        (missing.is_some() || at.is_some()).then_some(Mismatch { at, missing })
    }

    /// Returns the next child element; skips texts and ignored children.
    fn next(&mut self) -> Option<&'c Element> {
        while let Some(node) = self.children.nodes.get(self.at) {
            match node {
                Node::Element(element) if self.children.ignored.binary_search(&self.at).is_err() => {
                    return Some(element.as_ref());
                }
                _ => self.at += 1,
            }
        }
        None
    }

    /// Consumes what belongs to the particle, all its repetitions.
    fn particle(&mut self, particle: &'static Particle) -> Result<(), &'static Particle> {
        if !self.children.scope.has(particle) {
            return Ok(());
        }
        let mut count: usize = 0;
        while particle.allows_after(count) && self.can_start(particle) {
            match &particle.term {
                Term::Element(..) | Term::Any(_) => self.at += 1,
                Term::Sequence(parts) => parts.iter().try_for_each(|part| self.particle(part))?,
                Term::Choice(parts) => {
                    let started = parts.iter().find(|part| self.can_start(part));
                    started.map_or(Ok(()), |part| self.particle(part))?;
                }
            }
            count += 1;
        }
        if count < usize::from(particle.min) && !self.can_be_empty(particle) { Err(particle) } else { Ok(()) }
    }

    /// Returns whether the next child starts the particle.
    fn can_start(&mut self, particle: &'static Particle) -> bool {
        // Most names differ; which of them this version has matters only to a search for what was expected.
        if self.wanted.is_none()
            && let Term::Element(name, _) = particle.term
            && self.next().is_none_or(|next| next.name != name)
        {
            return false;
        }
        if !self.children.scope.has(particle) {
            return false;
        }
        match particle.term {
            Term::Element(name, _) => {
                let namespace = self.children.scope.namespace;
                let fits = self.next().is_some_and(|next| next.name == name && next.is_in(namespace));
                self.tried(name, fits);
                fits
            }
            Term::Any(namespaces) => {
                let scope = self.children.scope;
                let fits = self.next().is_some_and(|next| admits(namespaces, next, scope));
                self.tried(wildcard_name(namespaces), fits);
                fits
            }
            Term::Sequence(parts) => {
                for part in parts {
                    if self.can_start(part) {
                        return true;
                    }
                    if !self.can_be_empty(part) {
                        return false;
                    }
                }
                false
            }
            Term::Choice(parts) => parts.iter().any(|part| self.can_start(part)),
        }
    }

    /// Returns whether the particle may be absent.
    fn can_be_empty(&self, particle: &Particle) -> bool {
        !self.children.scope.has(particle)
            || particle.min == 0
            || match particle.term {
                Term::Element(..) | Term::Any(_) => false,
                Term::Sequence(parts) => parts.iter().all(|part| self.can_be_empty(part)),
                Term::Choice(parts) => {
                    parts.iter().any(|part| self.children.scope.has(part) && self.can_be_empty(part))
                }
            }
    }

    fn tried(&mut self, name: &'static str, fits: bool) {
        let at = self.at;
        if let Some(wanted) = &mut self.wanted
            && !fits
            && wanted.at == at
            && !wanted.names.contains(&name)
        {
            wanted.names.push(name);
        }
    }
}

/// Returns the name of a wildcard in advice.
pub(super) const fn wildcard_name(namespaces: Namespaces) -> &'static str {
    match namespaces {
        Namespaces::Other => "an action with its own xmlns",
        Namespaces::Listed(_) => "sla:info",
    }
}
