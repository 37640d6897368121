//! Compares a document with the tables and reports every difference.
//!
//! Errors have the code E0701, as in Oozie; unlike Oozie's, all of them are reported, each with advice.

use super::coordinator;
use super::help;
use super::kind::DocumentKind;
use super::matcher::{self, Comparison, Mismatch, Placed};
use super::particle::{Content, Edition, Particle, Term, Type};
use super::scope::Scope;
use super::simple_type::SimpleType;
use super::version::SchemaVersion;
use crate::element::{Attribute, Document, Element, Node, is_blank};
use howdah_words::error::{Error, ErrorCode, Span};

/// Violations reported for one document.
const MAX_PROBLEMS: usize = 100;

/// The namespace of `xsi:schemaLocation`.
const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// Returns all violations of the schema that the document declares, in document order. Empty for a `<configuration>`,
/// which has no schema.
pub fn check(document: &Document, kind: DocumentKind) -> Vec<Error> {
    check_as(document, kind, Edition::Documented)
}

/// As [`check`], by the schemas of the given edition.
pub fn check_as(document: &Document, kind: DocumentKind, edition: Edition) -> Vec<Error> {
    let mut validator = Validator { document, edition, problems: Vec::new(), placed: Vec::new(), waiting: Vec::new() };
    validator.root(kind);
    let is_full = validator.is_full();
    let mut problems = validator.problems;
    problems.sort_by_key(|problem| problem.location().map_or(0, |location| location.span.start));
    if is_full && let Some(last) = problems.last_mut() {
        last.mention_limit(MAX_PROBLEMS);
    }
    problems
}

/// Where the type of an element was found.
#[derive(Clone, Copy)]
struct Declaration<'d> {
    of: &'static Type,
    scope: Scope<'d>,
}

struct Validator<'d> {
    document: &'d Document,
    edition: Edition,
    problems: Vec<Error>,
    /// The room for a comparison.
    placed: Vec<Placed<'d>>,
    /// The children of the open elements that fit their models and were not checked themselves yet.
    waiting: Vec<(&'d Element, Declaration<'d>)>,
}

impl<'d> Validator<'d> {
    fn is_full(&self) -> bool {
        self.problems.len() >= MAX_PROBLEMS
    }

    fn report(&mut self, span: Span, what: impl std::fmt::Display, help: String) {
        if !self.is_full() {
            let error = Error::new(ErrorCode::E0701, what).at(self.document.locate(span)).help(help);
            self.problems.push(error);
        }
    }

    fn root(&mut self, kind: DocumentKind) {
        let root = &self.document.root;
        match (kind, root.namespace.as_deref()) {
            (DocumentKind::Configuration, _) => {}
            (DocumentKind::Datasets, None) => {
                let (family, version) = (&coordinator::FAMILY, SchemaVersion::new(0, 5));
                let scope = Scope { namespace: None, family, version, edition: self.edition };
                self.element(root, &coordinator::DATASETS, scope);
            }
            (_, namespace) => {
                let scope = namespace.and_then(|namespace| Scope::of(namespace, self.edition));
                if let Some((of, scope)) = scope.and_then(|scope| Some((scope.root(&root.name)?, scope))) {
                    return self.element(root, of, scope);
                }
                let what = format_args!("no schema declares <{}> {}", root.name, help::namespace_of(root));
                self.report(root.tag, what, help::undeclared_root(root, kind));
            }
        }
    }

    fn element(&mut self, element: &'d Element, of: &'static Type, scope: Scope<'d>) {
        self.attributes(element, of, scope);
        match &of.content {
            Content::Empty => self.no_content(element),
            Content::Text(value) => self.text(element, *value),
            Content::Elements(model) => self.children(element, model, scope),
        }
    }

    fn attributes(&mut self, element: &'d Element, of: &'static Type, scope: Scope<'d>) {
        if element.attributes.is_empty() && of.attributes.is_empty() {
            return;
        }
        let mut known = of.attributes.iter().filter(|known| known.availability.includes(scope.version, scope.edition));
        for attribute in &element.attributes {
            let declared = known.clone().find(|known| attribute.namespace.is_none() && known.name == attribute.name);
            match declared {
                Some(declared) => self.value(attribute, declared.value),
                None if is_schema_location(attribute) => {}
                None => {
                    let what = format_args!("<{}> has no attribute `{}`", element.name, attribute.name);
                    self.report(attribute.span, what, help::unknown_attribute(attribute, of, scope));
                }
            }
        }
        if let Some(missing) = known.find(|known| known.required && element.attribute(known.name).is_none()) {
            let missing = std::iter::once(missing)
                .chain(known.filter(|known| known.required && element.attribute(known.name).is_none()));
            let names: Vec<String> = missing.map(|known| format!("`{}`", known.name)).collect();
            let what = format_args!("<{}> lacks the attribute {}", element.name, names.join(", "));
            self.report(element.tag, what, format!("add it: {}=\"...\"", names[0].trim_matches('`')));
        }
    }

    fn value(&mut self, attribute: &Attribute, of: SimpleType) {
        if !of.accepts(&attribute.value.value) {
            let what =
                format_args!("`{}` is not a value for the attribute `{}`", attribute.value.value, attribute.name);
            self.report(attribute.value.span, what, format!("write {}", of.description()));
        }
    }

    fn no_content(&mut self, element: &Element) {
        if let Some(first) = element.children.first() {
            let span = match first {
                Node::Element(child) => child.tag,
                Node::Text(text) => text.span,
            };
            let help = format!("close it at once: <{}/>", element.name);
            self.report(span, format_args!("<{}> must be empty", element.name), help);
        }
    }

    fn text(&mut self, element: &Element, of: SimpleType) {
        for child in element.elements().take(MAX_PROBLEMS) {
            let what = format_args!("<{}> is inside <{}>, which may contain text only", child.name, element.name);
            self.report(child.tag, what, "move it out, or write `&lt;` for the character `<`".to_owned());
        }
        if of != SimpleType::String && !of.accepts(&element.raw_text().value) {
            let text = element.text();
            let what = format_args!("`{}` is not a value for <{}>", text.value, element.name);
            self.report(text.span, what, format!("write {}", of.description()));
        }
    }

    /// Checks elements inside an element: one walk when they are as the model says, otherwise one that explains what
    /// is wrong with them.
    fn children(&mut self, element: &'d Element, model: &'static Particle, scope: Scope<'d>) {
        let first = self.waiting.len();
        if !self.place(element, model, scope) {
            self.waiting.truncate(first);
            return self.unfit_children(element, model, scope);
        }
        for number in first..self.waiting.len() {
            let (child, found) = self.waiting[number];
            self.element(child, found.of, found.scope);
        }
        self.waiting.truncate(first);
    }

    /// Compares children with a model; returns whether all fit it, are declared, and have no text between them. Then
    /// they wait.
    fn place(&mut self, element: &'d Element, model: &'static Particle, scope: Scope<'d>) -> bool {
        self.placed.clear();
        let comparison = Comparison { model, nodes: &element.children, ignored: &[], scope };
        let fits = comparison.place(&mut self.placed).is_none() && self.placed.len() == element.children.len();
        fits && self.placed.iter().all(|placed| match declared(placed, scope) {
            Some(found) => {
                self.waiting.push((placed.0, found));
                true
            }
            None => false,
        })
    }

    fn unfit_children(&mut self, element: &'d Element, model: &'static Particle, scope: Scope<'d>) {
        let mut undeclared = Vec::new();
        for (index, node) in element.children.iter().enumerate() {
            if self.is_full() {
                return;
            }
            match node {
                Node::Element(child) => {
                    if let Some(found) = declaration(model, child, scope) {
                        self.element(child, found.of, found.scope);
                        continue;
                    }
                    let what = format_args!("unexpected element <{}> in <{}>", child.name, element.name);
                    self.report(child.tag, what, help::undeclared_child(child, model, scope));
                    // A wildcard still accepts an unknown element of another namespace.
                    if !accepts_foreign(model, child, scope) {
                        undeclared.push(index);
                    }
                }
                Node::Text(text) if text.value.chars().all(is_blank) => {}
                Node::Text(text) => {
                    let what = format_args!("text inside <{}>, which may contain elements only", element.name);
                    self.report(text.trimmed().span, what, "remove it".to_owned());
                }
            }
        }
        let comparison = Comparison { model, nodes: &element.children, ignored: &undeclared, scope };
        match comparison.mismatch() {
            // The unexpected element is most likely a misspelling of the missing one.
            Some(mismatch) if undeclared.is_empty() || mismatch.missing.is_none() => {
                self.mismatch(element, comparison, mismatch);
            }
            _ => {}
        }
    }

    fn mismatch(&mut self, element: &Element, comparison: Comparison<'_>, mismatch: Mismatch) {
        if let Some(Node::Element(child)) = mismatch.at.map(|at| &element.children[at]) {
            let what = format_args!("<{}> is not allowed here in <{}>", child.name, element.name);
            self.report(child.tag, what, help::misplaced(child, element, &comparison.expected(mismatch)));
        } else {
            let missing = mismatch.missing.map(|missing| help::names(missing, comparison.scope)).unwrap_or_default();
            let what = format_args!("<{}> lacks {}", element.name, help::list(&missing));
            self.report(element.tag, what, help::incomplete(&missing));
        }
    }
}

/// Returns whether the attribute says where a schema is; every element may have it.
fn is_schema_location(attribute: &Attribute) -> bool {
    attribute.namespace.as_deref() == Some(INSTANCE)
        && matches!(attribute.name.as_str(), "schemaLocation" | "noNamespaceSchemaLocation")
}

/// Returns the declaration of a child that belongs to a particle.
fn declared<'d>((child, particle): &Placed<'d>, scope: Scope<'d>) -> Option<Declaration<'d>> {
    match particle.term {
        Term::Element(_, of) => Some(Declaration { of, scope }),
        _ => declaration(particle, child, scope),
    }
}

/// Returns the declaration of a child, at any place in the model.
fn declaration<'d>(model: &'static Particle, child: &'d Element, scope: Scope<'d>) -> Option<Declaration<'d>> {
    // Most names differ, so they come before the question whether this version has the particle.
    if matches!(model.term, Term::Element(name, _) if child.name != name) || !scope.has(model) {
        return None;
    }
    match model.term {
        Term::Element(_, of) => child.is_in(scope.namespace).then_some(Declaration { of, scope }),
        Term::Sequence(parts) | Term::Choice(parts) => parts.iter().find_map(|part| declaration(part, child, scope)),
        Term::Any(namespaces) => {
            let admitted = matcher::admits(namespaces, child, scope);
            let namespace = child.namespace.as_deref().filter(|_| admitted)?;
            let scope = Scope::of(namespace, scope.edition)?;
            Some(Declaration { of: scope.root(&child.name)?, scope })
        }
    }
}

/// Returns whether a wildcard of the model accepts the child, declared or not.
fn accepts_foreign(model: &Particle, child: &Element, scope: Scope<'_>) -> bool {
    scope.has(model)
        && match model.term {
            Term::Element(..) => false,
            Term::Sequence(parts) | Term::Choice(parts) => parts.iter().any(|part| accepts_foreign(part, child, scope)),
            Term::Any(namespaces) => matcher::admits(namespaces, child, scope),
        }
}
