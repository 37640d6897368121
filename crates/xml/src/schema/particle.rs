//! The types of the tables: element types, particles, attributes, and the versions that have them.
//!
//! One table serves all versions of a schema family; an entry that some versions lack names its versions. Everything is
//! `const`, so a table costs nothing until it is used.

use super::simple_type::SimpleType;
use super::version::SchemaVersion;

/// The type of an element.
#[derive(Debug)]
pub(super) struct Type {
    pub(super) attributes: &'static [Attribute],
    pub(super) content: Content,
}

/// What is allowed between the tags.
#[derive(Debug)]
pub(super) enum Content {
    /// Nothing, not even blanks.
    Empty,
    /// A text and no elements.
    Text(SimpleType),
    /// Elements, and only blanks between them.
    Elements(Particle),
}

/// A part of a content model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Particle {
    pub(super) term: Term,
    pub(super) min: u16,
    pub(super) max: u16,
    pub(super) availability: Availability,
}

/// What a particle repeats.
#[derive(Clone, Copy, Debug)]
pub(super) enum Term {
    /// An element of the schema's own namespace.
    Element(&'static str, &'static Type),
    /// All of these, in this order.
    Sequence(&'static [Particle]),
    /// One of these.
    Choice(&'static [Particle]),
    /// An element that another schema declares.
    Any(Namespaces),
}

/// The namespaces that an element of another schema may have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Namespaces {
    /// Any namespace but the schema's own.
    Other,
    /// These.
    Listed(&'static [&'static str]),
}

/// An attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attribute {
    pub(super) name: &'static str,
    pub(super) value: SimpleType,
    pub(super) required: bool,
    pub(super) availability: Availability,
}

/// The versions of the family that have a particle or an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Availability {
    pub(super) since: SchemaVersion,
    /// The last version.
    pub(super) until: Option<SchemaVersion>,
    /// Whether the specification documents it after that version although no schema published it.
    pub(super) documented_later: bool,
}

/// How the tables are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edition {
    /// As the schemas were published, which the tests ask for.
    Published,
    /// With what the specification documents beyond them: `setrep` and `skip-trash` in workflow 1.0.
    Documented,
}

impl Availability {
    const ALWAYS: Self = Self { since: SchemaVersion::new(0, 0), until: None, documented_later: false };

    /// Whether this version, read in this edition, has it.
    pub(super) fn includes(self, version: SchemaVersion, edition: Edition) -> bool {
        let ended = self.until.is_some_and(|until| version > until);
        version >= self.since && (!ended || (self.documented_later && edition == Edition::Documented))
    }

    const fn since(mut self, version: SchemaVersion) -> Self {
        self.since = version;
        self
    }

    const fn until(mut self, version: SchemaVersion) -> Self {
        self.until = Some(version);
        self
    }
}

/// No bound.
const UNBOUNDED: u16 = u16::MAX;

/// The versions in which a part of a schema is available.
macro_rules! available {
    ($($part:ident)*) => {
        $(impl $part {
            /// Available from this version on.
            pub(super) const fn since(mut self, version: SchemaVersion) -> Self {
                self.availability = self.availability.since(version);
                self
            }

            /// Available up to this version.
            pub(super) const fn until(mut self, version: SchemaVersion) -> Self {
                self.availability = self.availability.until(version);
                self
            }

            /// Published up to this version, documented in all later ones too.
            pub(super) const fn published_until(mut self, version: SchemaVersion) -> Self {
                self.availability = self.availability.until(version);
                self.availability.documented_later = true;
                self
            }
        })*
    };
}

available! { Particle Attribute }

impl Particle {
    const fn new(term: Term, min: u16, max: u16) -> Self {
        Self { term, min, max, availability: Availability::ALWAYS }
    }

    /// Whether another one may follow this many.
    pub(super) fn allows_after(&self, count: usize) -> bool {
        self.max == UNBOUNDED || count < usize::from(self.max)
    }

    /// Any number of times, none included.
    pub(super) const fn repeated(mut self) -> Self {
        self.min = 0;
        self.max = UNBOUNDED;
        self
    }

    /// Once or not at all.
    pub(super) const fn or_none(mut self) -> Self {
        self.min = 0;
        self
    }
}

/// Exactly one.
pub(super) const fn one(name: &'static str, of: &'static Type) -> Particle {
    Particle::new(Term::Element(name, of), 1, 1)
}

/// One or none.
pub(super) const fn optional(name: &'static str, of: &'static Type) -> Particle {
    Particle::new(Term::Element(name, of), 0, 1)
}

/// Any number, none included.
pub(super) const fn any_number(name: &'static str, of: &'static Type) -> Particle {
    Particle::new(Term::Element(name, of), 0, UNBOUNDED)
}

/// So many or more.
pub(super) const fn at_least(min: u16, name: &'static str, of: &'static Type) -> Particle {
    Particle::new(Term::Element(name, of), min, UNBOUNDED)
}

/// All parts in order.
pub(super) const fn sequence(parts: &'static [Particle]) -> Particle {
    Particle::new(Term::Sequence(parts), 1, 1)
}

/// One of the parts.
pub(super) const fn choice(parts: &'static [Particle]) -> Particle {
    Particle::new(Term::Choice(parts), 1, 1)
}

/// One element of another schema.
pub(super) const fn any(namespaces: Namespaces) -> Particle {
    Particle::new(Term::Any(namespaces), 1, 1)
}

/// An attribute that must be given.
pub(super) const fn required(name: &'static str, value: SimpleType) -> Attribute {
    Attribute { name, value, required: true, availability: Availability::ALWAYS }
}

/// An attribute that may be given.
pub(super) const fn allowed(name: &'static str, value: SimpleType) -> Attribute {
    Attribute { name, value, required: false, availability: Availability::ALWAYS }
}

/// An element with attributes and nothing inside.
pub(super) const fn empty(attributes: &'static [Attribute]) -> Type {
    Type { attributes, content: Content::Empty }
}

/// An element with a text inside.
pub(super) const fn text(attributes: &'static [Attribute], value: SimpleType) -> Type {
    Type { attributes, content: Content::Text(value) }
}

/// An element with elements inside.
pub(super) const fn elements(attributes: &'static [Attribute], content: Particle) -> Type {
    Type { attributes, content: Content::Elements(content) }
}
