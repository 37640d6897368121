//! The tree of a document: elements, attributes and texts, each with its place in the source.
//!
//! Comments, processing instructions and blanks between elements are dropped: no Oozie document gives them a meaning. A
//! text changes only as XML itself prescribes.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use howdah_words::error::{Location, SourceText, Span};

/// A well-formed document.
#[derive(Clone, Debug)]
pub struct Document {
    /// The text that all spans point into.
    pub source: Arc<SourceText>,
    /// The one root element.
    pub root: Element,
}

impl Document {
    /// Returns the place of a span of this document.
    pub fn locate(&self, span: Span) -> Location {
        Location::new(&self.source, span)
    }
}

/// An element with its attributes and content.
#[derive(Clone, Debug)]
pub struct Element {
    /// The local name, without prefix.
    pub name: Name,
    /// The prefix as written.
    pub prefix: Option<Arc<str>>,
    /// The namespace of the prefix, or of the default declaration.
    pub namespace: Option<Arc<str>>,
    /// The attributes in document order; namespace declarations are not among them.
    pub attributes: Vec<Attribute>,
    /// Child elements and texts in document order.
    pub children: Vec<Node>,
    /// From the `<` of the start tag to behind the `>` of the end tag.
    pub span: Span,
    /// The name in the start tag.
    pub tag: Span,
}

/// The name of an element or attribute. A document has few different names, so it shares them.
#[derive(Clone, PartialEq, Eq)]
pub struct Name(Arc<str>);

impl Name {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<Arc<str>> for Name {
    fn from(name: Arc<str>) -> Self {
        Self(name)
    }
}

impl Deref for Name {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq<str> for Name {
    /// Most names that are compared differ in their lengths or first letters, and need no look at the rest.
    fn eq(&self, other: &str) -> bool {
        let (own, other) = (self.0.as_bytes(), other.as_bytes());
        own.len() == other.len() && own.first() == other.first() && own == other
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl PartialEq<Name> for &str {
    fn eq(&self, other: &Name) -> bool {
        *other == **self
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&*self.0, f)
    }
}

/// An attribute of an element.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// The local name, without prefix.
    pub name: Name,
    /// The prefix as written.
    pub prefix: Option<Arc<str>>,
    /// The namespace of the prefix; an attribute without prefix has none.
    pub namespace: Option<Arc<str>>,
    /// The value, references replaced.
    pub value: Text,
    /// From the first letter of the name to behind the closing quote.
    pub span: Span,
}

/// A part of an element's content.
#[derive(Clone, Debug)]
pub enum Node {
    /// A child element. Shared, because the graph of a workflow and its document have most of them in common.
    Element(Arc<Element>),
    /// A run of text: everything between two tags, with CDATA sections and references joined in.
    Text(Text),
}

/// A text and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The characters after references and line ends were replaced.
    pub value: String,
    /// The source of the value.
    pub span: Span,
    /// Whether the value is byte for byte the source at `span`.
    pub verbatim: bool,
}

impl Text {
    /// Returns the place in the source of a span inside the value; the whole text where the two differ.
    pub fn locate(&self, inside: Span) -> Span {
        if self.verbatim && inside.end <= self.value.len() { inside.shifted(self.span.start) } else { self.span }
    }

    /// Returns the text without white space at its ends.
    pub(super) fn trimmed(&self) -> Self {
        let value = self.value.trim_matches(is_blank);
        let start = value.as_ptr().addr() - self.value.as_ptr().addr();
        let span = self.locate(Span::new(start, start + value.len()));
        Self { value: value.to_owned(), span, verbatim: self.verbatim }
    }
}

impl Element {
    /// Returns whether the element has this namespace. Those of one document are shared, so most are the same text.
    pub(super) fn is_in(&self, namespace: Option<&str>) -> bool {
        match (self.namespace.as_deref(), namespace) {
            (Some(own), Some(other)) => std::ptr::eq(own, other) || own == other,
            (own, other) => own.is_none() && other.is_none(),
        }
    }

    /// Returns the first child element of this name, in any namespace.
    pub fn child(&self, name: &str) -> Option<&Element> {
        self.elements().find(|child| child.name == name)
    }

    /// Returns the child elements of this name, in any namespace.
    pub fn children_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Element> {
        self.elements().filter(move |child| child.name == name)
    }

    /// Returns the child elements.
    pub fn elements(&self) -> impl Iterator<Item = &Element> {
        self.children.iter().filter_map(|node| match node {
            Node::Element(element) => Some(element.as_ref()),
            Node::Text(_) => None,
        })
    }

    /// Returns the value of the attribute of this name that has no prefix.
    pub fn attribute(&self, name: &str) -> Option<&Text> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name == name && attribute.namespace.is_none())
            .map(|attribute| &attribute.value)
    }

    /// Returns the element's own text without white space at its ends, as Oozie reads it; the texts around child
    /// elements are joined. Empty, at the element's name, when there is none.
    pub fn text(&self) -> Text {
        match self.single_text() {
            Some(text) => text.trimmed(),
            None => self.raw_text().trimmed(),
        }
    }

    /// Returns the element's own text unchanged, white space included.
    pub fn raw_text(&self) -> Text {
        if let Some(text) = self.single_text() {
            return text.clone();
        }
        let mut joined = Text { value: String::new(), span: self.tag, verbatim: false };
        for (number, text) in self.texts().enumerate() {
            joined.value.push_str(&text.value);
            joined.span = if number == 0 { text.span } else { joined.span.to(text.span) };
        }
        joined
    }

    /// Returns the texts among the children.
    pub fn texts(&self) -> impl Iterator<Item = &Text> {
        self.children.iter().filter_map(|node| match node {
            Node::Text(text) => Some(text),
            Node::Element(_) => None,
        })
    }

    fn single_text(&self) -> Option<&Text> {
        match self.children.as_slice() {
            [Node::Text(text)] => Some(text),
            _ => None,
        }
    }
}

/// Returns whether XML counts the character as white space.
pub(crate) const fn is_blank(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use crate::read;

    use super::*;

    fn check(xml: &str, text: &str, verbatim: bool) {
        let source = SourceText::new("f.xml", xml);
        let document = read(&source).unwrap();
        let got = document.root.text();
        assert_eq!((got.value.as_str(), got.verbatim), (text, verbatim), "{xml}");
        if verbatim {
            assert_eq!(&xml[got.span.start..got.span.end], text, "{xml}");
        }
    }

    #[test]
    fn joins_and_trims_the_text() {
        check("<a> b c\n</a>", "b c", true);
        check("<a><![CDATA[ <b> ]]></a>", "<b>", true);
        check("<a>x <![CDATA[<]]> y</a>", "x < y", false);
        check("<a>1<!-- no -->2</a>", "12", false);
        check("<a>1 &lt; 2&#x41;</a>", "1 < 2A", false);
        check("<a>1\r\n2\r3</a>", "1\n2\n3", false);
        check("<a> x<b>y</b>z </a>", "xz", false);
        check("<a/>", "", false);
        check("<a>   </a>", "", true);
    }

    #[test]
    fn finds_children_and_attributes_by_name() {
        let source = SourceText::new("f.xml", r#"<a x="1" xmlns:p="u" p:x="2"><b/>t<c/><b y="3"/></a>"#);
        let root = read(&source).unwrap().root;
        assert_eq!(root.attribute("x").map(|text| text.value.as_str()), Some("1"));
        assert_eq!(root.children_named("b").count(), 2);
        assert_eq!(root.elements().count(), 3);
        assert!(root.child("d").is_none() && root.attribute("y").is_none());
    }

    #[test]
    fn maps_a_span_inside_a_text() {
        let xml = "<a>  ${b}&amp;</a>";
        let root = read(&SourceText::new("f.xml", xml)).unwrap().root;
        assert_eq!(root.text().locate(Span::new(0, 1)), root.text().span);
        let root = read(&SourceText::new("f.xml", "<a>  ${b} </a>")).unwrap().root;
        assert_eq!(root.text().locate(Span::new(2, 3)), Span::new(7, 8));
    }
}
