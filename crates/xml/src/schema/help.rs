//! The advice for a violation: what was probably meant, what is allowed there, which version has it.

use super::kind::DocumentKind;
use super::matcher::{admits, wildcard_name};
use super::particle::{Availability, Namespaces, Particle, Term, Type};
use super::scope::{Scope, families};
use super::version::split_namespace;
use crate::element::{Attribute, Element};
use howdah_words::error::did_you_mean;

/// Returns "in the namespace ..." for an element.
pub(super) fn namespace_of(element: &Element) -> String {
    match element.namespace.as_deref() {
        Some(namespace) => format!("in the namespace `{namespace}`"),
        None => "without a namespace".to_owned(),
    }
}

/// Returns advice for a root that no schema declares.
pub(super) fn undeclared_root(root: &Element, kind: DocumentKind) -> String {
    let name = match kind {
        DocumentKind::Coordinator | DocumentKind::Datasets | DocumentKind::Configuration => "coordinator",
        DocumentKind::Workflow => "workflow",
        DocumentKind::Bundle => "bundle",
    };
    let known = namespaces(name);
    let given = root.namespace.as_deref().unwrap_or_default();
    let meant = did_you_mean(given, known.iter().map(String::as_str));
    // A version that was never published is not a typing error.
    let versioned = split_namespace(given).is_some_and(|(family, _)| family == name);
    match meant.filter(|_| !versioned) {
        Some(meant) => format!("did you mean xmlns=\"{meant}\"?"),
        None => format!("declare one of the published schemas: xmlns=\"{}\"", known.join("\", \"")),
    }
}

/// Returns advice for an attribute that the element's type does not have in this version.
pub(super) fn unknown_attribute(attribute: &Attribute, of: &Type, scope: Scope<'_>) -> String {
    if let Some(other) = of.attributes.iter().find(|known| known.name == attribute.name && attribute.prefix.is_none()) {
        return versions(&attribute.name, other.availability, scope);
    }
    let known = of.attributes.iter().filter(|known| known.availability.includes(scope.version, scope.edition));
    let known: Vec<&str> = known.map(|known| known.name).collect();
    match did_you_mean(&attribute.name, known.iter().copied()) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None if known.is_empty() => "remove it; the element has no attributes".to_owned(),
        None => format!("remove it; the attributes are {}", known.join(", ")),
    }
}

/// Returns advice for a child that is not in the content model.
pub(super) fn undeclared_child(child: &Element, model: &Particle, scope: Scope<'_>) -> String {
    let own = child.namespace.as_deref() == scope.namespace;
    if let Some(newest) = own_namespace(&child.name).filter(|_| own && admits_any(model, scope)) {
        return format!("it has a schema of its own: <{} xmlns=\"{newest}\">", child.name);
    }
    if let Some(availability) = availability(model, &child.name)
        && own
    {
        return versions(&child.name, availability, scope);
    }
    let names = names_inside(model, scope);
    if !own && names.contains(&child.name.as_str()) {
        let namespace = scope.namespace.unwrap_or_default();
        return format!("it must be in the namespace `{namespace}`; it is {}", namespace_of(child));
    }
    if has_wildcard(model, child, scope) {
        return unknown_schema(child);
    }
    match did_you_mean(&child.name, names.iter().copied()) {
        Some(meant) => format!("did you mean <{meant}>?"),
        None => format!("expected {}", list(&names)),
    }
}

/// Returns the newest namespace of an action that has a schema of its own.
fn own_namespace(action: &str) -> Option<String> {
    family_of(action).filter(|family| *family != "sla").and_then(|family| namespaces(family).into_iter().next())
}

/// Returns advice for an element of a foreign namespace that no schema declares.
fn unknown_schema(child: &Element) -> String {
    let namespace = child.namespace.as_deref().unwrap_or_default();
    let known = split_namespace(namespace).map(|(name, _)| namespaces(name)).unwrap_or_default();
    if known.iter().any(|known| known == namespace) {
        return format!("`{namespace}` declares no <{}>", child.name);
    }
    if !known.is_empty() {
        return format!("the published schemas are {}", known.join(", "));
    }
    let own = family_of(&child.name);
    let candidates: Vec<&str> = own.map_or_else(|| families().map(|family| family.name).collect(), |own| vec![own]);
    match (near_namespace(namespace, &candidates), own) {
        (Some(meant), _) => format!("did you mean xmlns=\"{meant}\"?"),
        (None, Some(own)) => format!("the published schemas of <{}> are {}", child.name, namespaces(own).join(", ")),
        (None, None) => {
            format!("no schema `{namespace}` is known; action schemas are uri:oozie:shell-action:1.0 and similar")
        }
    }
}

/// Returns the family of schemas that declares an action, or the SLA element, of this name.
fn family_of(element: &str) -> Option<&'static str> {
    let action = format!("{element}-action");
    families().map(|family| family.name).find(|name| *name == action || (*name == "sla" && element == "info"))
}

/// Returns the published namespace closest to a text, by its family; in the version that the text names, otherwise in
/// the newest.
fn near_namespace(text: &str, candidates: &[&'static str]) -> Option<String> {
    let mut parts = text.rsplitn(3, ':');
    let (version, family) = (parts.next()?, parts.next()?);
    let is_same = |candidate: &&str| *candidate == family || candidate.strip_suffix("-action") == Some(family);
    let same = candidates.iter().copied().find(is_same);
    let family = same.or_else(|| did_you_mean(family, candidates.iter().copied()))?;
    let published = namespaces(family);
    let of_version = published.iter().find(|namespace| namespace.ends_with(&format!(":{version}")));
    of_version.or_else(|| published.first()).cloned()
}

/// Returns advice for a child at the wrong place, or for one too many.
pub(super) fn misplaced(child: &Element, parent: &Element, expected: &[&'static str]) -> String {
    let has_twin = parent.children_named(&child.name).any(|twin| twin.span != child.span);
    if has_twin && !expected.contains(&child.name.as_str()) {
        format!("<{}> is repeated too often here; expected {}", child.name, list(expected))
    } else {
        format!("the order of elements is fixed; expected {}", list(expected))
    }
}

/// Returns advice for an element that ends too early.
pub(super) fn incomplete(missing: &[&'static str]) -> String {
    match missing {
        [only] => format!("add <{only}>"),
        _ => format!("add {}", list(missing)),
    }
}

/// Returns the names as a list in words.
pub(super) fn list(names: &[&'static str]) -> String {
    let tag = |name: &&str| if name.contains([' ', ':']) { (*name).to_owned() } else { format!("<{name}>") };
    match names {
        [] => "nothing more".to_owned(),
        [only] => tag(only),
        [all @ .., last] => format!("{} or {}", all.iter().map(tag).collect::<Vec<_>>().join(", "), tag(last)),
    }
}

/// Returns the names that can start a particle.
pub(super) fn names(particle: &Particle, scope: Scope<'_>) -> Vec<&'static str> {
    let inner = |part: &Particle| names(part, scope);
    match particle.term {
        Term::Sequence(parts) => {
            // An optional part is not what is missing, unless all parts are optional.
            let mut parts = parts.iter().filter(|part| scope.has(part));
            let first = parts.next();
            first.filter(|part| part.min > 0).or_else(|| parts.find(|part| part.min > 0)).or(first).map(inner)
        }
        .unwrap_or_default(),
        Term::Choice(parts) => parts.iter().filter(|part| scope.has(part)).flat_map(inner).collect(),
        Term::Element(..) | Term::Any(_) => names_inside(particle, scope),
    }
}

/// Returns all names inside a particle that this version has.
fn names_inside(particle: &Particle, scope: Scope<'_>) -> Vec<&'static str> {
    if !scope.has(particle) {
        return Vec::new();
    }
    match particle.term {
        Term::Element(name, _) => vec![name],
        Term::Any(namespaces) => vec![wildcard_name(namespaces)],
        Term::Sequence(parts) | Term::Choice(parts) => {
            parts.iter().flat_map(|part| names_inside(part, scope)).collect()
        }
    }
}

/// Returns the versions that have an element of this name, if any.
fn availability(particle: &Particle, name: &str) -> Option<Availability> {
    match particle.term {
        Term::Element(known, _) => (known == name).then_some(particle.availability),
        Term::Any(_) => None,
        Term::Sequence(parts) | Term::Choice(parts) => {
            let found = parts.iter().find_map(|part| availability(part, name))?;
            // The bounds of a part apply to its elements as well.
            let outer = particle.availability;
            let since = found.since.max(outer.since);
            Some(Availability { since, until: found.until.or(outer.until), ..found })
        }
    }
}

/// Returns "... needs version 0.4 or later".
fn versions(name: &str, availability: Availability, scope: Scope<'_>) -> String {
    let (family, version) = (scope.family.name, scope.version);
    match availability.until {
        Some(until) if version > until => {
            format!("`{name}` is in the {family} schema up to {until} only; this one is {version}")
        }
        _ => format!("`{name}` needs the {family} schema {} or later; this one is {version}", availability.since),
    }
}

fn has_wildcard(particle: &Particle, child: &Element, scope: Scope<'_>) -> bool {
    match particle.term {
        Term::Element(..) => false,
        Term::Any(namespaces) => scope.has(particle) && admits(namespaces, child, scope),
        Term::Sequence(parts) | Term::Choice(parts) => parts.iter().any(|part| has_wildcard(part, child, scope)),
    }
}

/// Returns whether actions with a schema of their own are allowed inside a particle.
fn admits_any(particle: &Particle, scope: Scope<'_>) -> bool {
    match particle.term {
        Term::Element(..) | Term::Any(Namespaces::Listed(_)) => false,
        Term::Any(Namespaces::Other) => scope.has(particle),
        Term::Sequence(parts) | Term::Choice(parts) => parts.iter().any(|part| admits_any(part, scope)),
    }
}

/// Returns the published namespaces of a family, newest first.
fn namespaces(name: &str) -> Vec<String> {
    let family = families().find(|family| family.name == name);
    let versions = family.into_iter().flat_map(|family| family.versions.iter().rev());
    versions.map(|version| format!("uri:oozie:{name}:{version}")).collect()
}
