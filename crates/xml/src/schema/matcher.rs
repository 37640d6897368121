//! Compares the children of an element with its content model.
//!
//! The schemas are deterministic, as XML Schema demands: the next child alone decides which particle it belongs to, so
//! the matcher never goes back. It allocates only when the caller asks what was expected.

use super::particle::{Namespaces, Particle, Term};
use super::scope::Scope;
use crate::element::{Element, Node};

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

/// A child and the particle to which it belongs: an element or a wildcard.
pub(super) type Placed<'d> = (&'d Element, &'static Particle);

impl<'c> Comparison<'c> {
    /// Returns where the children differ from the model, if they do.
    pub(super) fn mismatch(self) -> Option<Mismatch> {
        self.place(&mut Vec::new())
    }

    /// As [`Self::mismatch`]; adds to `placed` each child that fits, in their order.
    pub(super) fn place(self, placed: &mut Vec<Placed<'c>>) -> Option<Mismatch> {
        Matcher::new(self, placed, None).run()
    }

    /// Returns the names that would have been right at a mismatch.
    pub(super) fn expected(self, mismatch: Mismatch) -> Vec<&'static str> {
        let wanted = Wanted { at: mismatch.at.unwrap_or(self.nodes.len()), names: Vec::new() };
        let mut placed = Vec::new();
        let mut matcher = Matcher::new(self, &mut placed, Some(wanted));
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

struct Matcher<'c, 'p> {
    children: Comparison<'c>,
    at: usize,
    /// The child element at `at`; `None` at the end.
    next: Option<&'c Element>,
    placed: &'p mut Vec<Placed<'c>>,
    wanted: Option<Wanted>,
}

impl<'c, 'p> Matcher<'c, 'p> {
    fn new(children: Comparison<'c>, placed: &'p mut Vec<Placed<'c>>, wanted: Option<Wanted>) -> Self {
        let mut matcher = Self { children, at: 0, next: None, placed, wanted };
        matcher.find_next();
        matcher
    }

    fn run(&mut self) -> Option<Mismatch> {
        let missing = self.particle(self.children.model).err();
        let at = self.next.map(|_| self.at);
        (missing.is_some() || at.is_some()).then_some(Mismatch { at, missing })
    }

    /// Finds the next child element from `at` on; skips texts and ignored children.
    fn find_next(&mut self) {
        self.next = None;
        while let Some(node) = self.children.nodes.get(self.at) {
            match node {
                Node::Element(element) if self.children.ignored.binary_search(&self.at).is_err() => {
                    self.next = Some(element.as_ref());
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Consumes the next child, which belongs to the particle.
    fn take(&mut self, particle: &'static Particle) {
        self.placed.extend(self.next.map(|child| (child, particle)));
        self.at += 1;
        self.find_next();
    }

    /// Consumes what belongs to the particle, all its repetitions.
    fn particle(&mut self, particle: &'static Particle) -> Result<(), &'static Particle> {
        if particle.min == 0 && self.has_other_name(particle) || !self.children.scope.has(particle) {
            return Ok(());
        }
        let mut count: usize = 0;
        while particle.allows_after(count) {
            match particle.term {
                Term::Choice(parts) => match parts.iter().find(|part| self.can_start(part)) {
                    Some(part) => self.particle(part)?,
                    None => break,
                },
                _ if !self.can_start(particle) => break,
                Term::Element(..) | Term::Any(_) => self.take(particle),
                Term::Sequence(parts) => parts.iter().try_for_each(|part| self.particle(part))?,
            }
            count += 1;
        }
        if count < usize::from(particle.min) && !self.can_be_empty(particle) { Err(particle) } else { Ok(()) }
    }

    /// Returns whether the particle is an element of another name than the next child. Most names differ; which of them
    /// this version has matters only to a search for what was expected.
    fn has_other_name(&self, particle: &Particle) -> bool {
        let Term::Element(name, _) = particle.term else { return false };
        self.wanted.is_none() && self.next.is_none_or(|next| next.name != name)
    }

    /// Returns whether the next child starts the particle.
    fn can_start(&mut self, particle: &'static Particle) -> bool {
        if self.has_other_name(particle) || !self.children.scope.has(particle) {
            return false;
        }
        match particle.term {
            Term::Element(name, _) => {
                let namespace = self.children.scope.namespace;
                let fits = self.next.is_some_and(|next| next.name == name && next.is_in(namespace));
                self.tried(name, fits);
                fits
            }
            Term::Any(namespaces) => {
                let scope = self.children.scope;
                let fits = self.next.is_some_and(|next| admits(namespaces, next, scope));
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
