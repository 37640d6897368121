//! A quick reader for documents without faults, which nearly all are.
//!
//! It gives up, with `None`, at the first fault and at everything rare: names beyond ASCII, processing instructions, a
//! byte order mark, the prefix `xml`. The complete reader then reads the same text and explains what is wrong, so this
//! one needs no messages. It must accept only what the complete reader accepts, and read it the same.

use std::borrow::Cow;
use std::sync::Arc;

use super::limit::{MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_VALUE};
use super::pending::Pending;
use super::scan::{find, find_either, has, hyphens, leading_blanks, name_length, starts_name};
use super::shared::Shared;
use crate::character::{self, attribute_value};
use crate::element::{Attribute, Element, Node, Text, is_blank};
use howdah_words::error::Span;

/// Namespace declarations in force at a time.
const MOST_DECLARATIONS: usize = 100;
/// The usual declarations at the start of a document, after `<?xml `; any other is for the complete reader.
const DECLARATIONS: [&str; 4] = [
    r#"version="1.0" encoding="UTF-8"?>"#,
    r#"version="1.0"?>"#,
    r#"version="1.0" encoding="UTF-8" standalone="yes"?>"#,
    "version='1.0' encoding='UTF-8'?>",
];

/// Returns the root element; `None` when the document needs the complete reader.
pub(super) fn read(text: &str) -> Option<Element> {
    if text.len() > MAX_BYTES || text.starts_with('\u{FEFF}') || character::illegal_character(text).is_some() {
        return None;
    }
    let mut reader = Reader {
        text,
        at: 0,
        has_carriage_returns: has(text, b'\r'),
        has_brackets: has(text, b']'),
        open: Vec::new(),
        nodes: Vec::new(),
        tag: Vec::new(),
        declared: Vec::new(),
        names: Shared::new(),
        namespaces: Shared::new(),
        pending: Pending::None,
        is_blank: true,
        root: None,
    };
    reader.document()?;
    reader.root
}

/// A name as written, in its two parts. Most names have no prefix: comparing two empty texts would cost as much as
/// reading a whole tag on processors that read the (missing) bytes of both before they look at the length.
#[derive(Clone, Copy, PartialEq, Eq)]
struct QualifiedName<'s> {
    prefix: Option<&'s str>,
    local: &'s str,
}

/// An attribute of the tag that is being read, or a namespace declaration.
struct Written<'s> {
    name: QualifiedName<'s>,
    /// The offset of the name.
    start: usize,
    /// What is between the quotes.
    value: Span,
}

impl Written<'_> {
    fn is_declaration(&self) -> bool {
        is_declaration(self.name)
    }
}

fn is_declaration(name: QualifiedName<'_>) -> bool {
    name.prefix.unwrap_or(name.local) == "xmlns"
}

/// An element whose end tag has not been read yet.
struct Open {
    element: Element,
    has_elements: bool,
    /// Where its content starts in the list of nodes.
    first_child: usize,
    /// How many namespace declarations are in force outside of it.
    declared: usize,
}

struct Reader<'s> {
    text: &'s str,
    /// The offset of what comes next.
    at: usize,
    has_carriage_returns: bool,
    has_brackets: bool,
    open: Vec<Open>,
    /// The content so far of all open elements, the outermost first.
    nodes: Vec<Node>,
    /// The attributes of the tag that is being read.
    tag: Vec<Written<'s>>,
    /// The namespace declarations in force: each prefix, `None` for the default, with its namespace.
    declared: Vec<(Option<&'s str>, Arc<str>)>,
    names: Shared,
    namespaces: Shared,
    /// The text since the last tag, and whether it has only blanks.
    pending: Pending,
    is_blank: bool,
    root: Option<Element>,
}

impl<'s> Reader<'s> {
    fn document(&mut self) -> Option<()> {
        if let Some(rest) = self.text.strip_prefix("<?xml ") {
            let known = DECLARATIONS.into_iter().find(|known| rest.starts_with(known))?;
            self.at = self.text.len() - rest.len() + known.len();
        }
        while let Some(byte) = self.byte() {
            match byte {
                b'<' => self.markup()?,
                b'&' => self.reference()?,
                _ => self.characters()?,
            }
        }
        self.open.is_empty().then_some(())
    }

    /// The byte that comes next; `None` at the end.
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips blanks; returns whether there were any.
    fn skip_blanks(&mut self) -> bool {
        let length = leading_blanks(&self.text.as_bytes()[self.at..]);
        self.at += length;
        length > 0
    }

    fn markup(&mut self) -> Option<()> {
        match self.text.as_bytes().get(self.at + 1)? {
            b'/' => self.end_tag(),
            b'!' => self.comment_or_section(),
            b'?' => None,
            _ => self.start_tag(),
        }
    }

    /// Reads text up to the next tag or reference.
    fn characters(&mut self) -> Option<()> {
        let start = self.at;
        if self.skip_blanks() && self.has_no_meaning() {
            return Some(());
        }
        let bytes = self.text.as_bytes();
        let length = find_either(&bytes[self.at..], b'<', b'&').unwrap_or(bytes.len() - self.at);
        self.is_blank &= length == 0;
        self.at += length;
        if self.open.is_empty() {
            return self.is_blank.then_some(());
        }
        let span = Span::new(start, self.at);
        let part = &self.text[span.start..span.end];
        if self.has_brackets && has(part, b']') && part.contains("]]>") {
            return None;
        }
        self.append(part, span);
        Some(())
    }

    /// Returns whether the blanks that were skipped are all the text between two tags, and beside an element.
    fn has_no_meaning(&self) -> bool {
        let Some([b'<', second]) = self.text.as_bytes().get(self.at..self.at + 2) else { return false };
        let is_beside_elements = match second {
            b'/' => self.open.last().is_some_and(|open| open.has_elements),
            second => starts_name(*second),
        };
        is_beside_elements && matches!(self.pending, Pending::None)
    }

    fn append(&mut self, part: &str, span: Span) {
        let part = if self.has_carriage_returns { character::with_plain_line_ends(part) } else { part.into() };
        self.pending.append(self.text, part, span);
    }

    fn reference(&mut self) -> Option<()> {
        let (name, _) = self.text[self.at + 1..].split_once(';')?;
        let character = character::reference(name).filter(|_| !self.open.is_empty())?;
        let span = Span::new(self.at, self.at + name.len() + "&;".len());
        self.pending.append(self.text, Cow::Owned(character.to_string()), span);
        self.is_blank &= is_blank(character);
        self.at = span.end;
        Some(())
    }

    fn comment_or_section(&mut self) -> Option<()> {
        let rest = &self.text[self.at..];
        if let Some(content) = rest.strip_prefix("<!--") {
            let length = hyphens(content)?;
            self.at += "<!--".len() + length + "-->".len();
            // Anything but the end of the comment is a fault.
            return content[length..].starts_with("-->").then_some(());
        }
        let content = rest.strip_prefix("<![CDATA[").filter(|_| !self.open.is_empty())?;
        let length = content.find("]]>")?;
        let start = self.at + "<![CDATA[".len();
        self.append(&content[..length], Span::new(start, start + length));
        self.is_blank &= content[..length].chars().all(is_blank);
        self.at = start + length + "]]>".len();
        Some(())
    }

    fn start_tag(&mut self) -> Option<()> {
        let start = self.at;
        self.at += 1;
        let name = self.name()?;
        let tag = Span::new(start + 1, self.at);
        if self.open.len() >= MAX_DEPTH || self.root.is_some() || name.prefix == Some("xmlns") {
            return None;
        }
        self.add_text(true);
        if let Some(parent) = self.open.last_mut() {
            parent.has_elements = true;
        }
        let declared = self.declared.len();
        let is_empty = self.tag_content()?;
        let element = Element {
            name: self.names.get(name.local).into(),
            prefix: self.prefix(name),
            namespace: self.namespace(name.prefix)?,
            attributes: self.attributes()?,
            children: Vec::new(),
            span: Span::new(start, self.at),
            tag,
        };
        self.open.push(Open { element, has_elements: false, first_child: self.nodes.len(), declared });
        if is_empty { self.close() } else { Some(()) }
    }

    /// Reads the attributes and the end of a start tag; returns whether the element is empty.
    fn tag_content(&mut self) -> Option<bool> {
        self.tag.clear();
        loop {
            let is_apart = self.skip_blanks();
            match self.byte()? {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' => {
                    let is_end = self.text[self.at..].starts_with("/>");
                    self.at += "/>".len();
                    return is_end.then_some(true);
                }
                _ if is_apart => self.attribute()?,
                _ => return None,
            }
        }
    }

    /// Reads an attribute; a namespace declaration is in force at once, because the whole tag may use it.
    fn attribute(&mut self) -> Option<()> {
        let start = self.at;
        let name = self.name()?;
        self.skip_blanks();
        if self.byte()? != b'=' {
            return None;
        }
        self.at += 1;
        self.skip_blanks();
        let quote = self.byte().filter(|byte| matches!(byte, b'"' | b'\''))?;
        self.at += 1;
        let value = Span::new(self.at, self.at + find(&self.text.as_bytes()[self.at..], quote)?);
        self.at = value.end + 1;
        let is_repeated = self.tag.iter().any(|other| other.name == name);
        if is_repeated || self.tag.len() >= MAX_ATTRIBUTES || value.end - value.start > MAX_VALUE {
            return None;
        }
        if is_declaration(name) {
            self.declare(name, value)?;
        }
        self.tag.push(Written { name, start, value });
        Some(())
    }

    /// Takes note of `xmlns="..."` or `xmlns:prefix="..."`.
    fn declare(&mut self, name: QualifiedName<'s>, value: Span) -> Option<()> {
        let prefix = name.prefix.map(|_| name.local);
        let Ok(Cow::Borrowed(namespace)) = attribute_value(&self.text[value.start..value.end]) else { return None };
        let is_reserved = prefix.is_some_and(|prefix| prefix.starts_with("xml"))
            || namespace.starts_with("http://www.w3.org/XML/1998/namespace")
            || namespace.starts_with("http://www.w3.org/2000/xmlns/");
        if is_reserved || namespace.is_empty() || self.declared.len() >= MOST_DECLARATIONS {
            return None;
        }
        self.declared.push((prefix, self.namespaces.get(namespace)));
        Some(())
    }

    /// Returns the attributes of the tag that was read, without the declarations.
    fn attributes(&mut self) -> Option<Vec<Attribute>> {
        let count = self.tag.iter().filter(|written| !written.is_declaration()).count();
        let mut attributes: Vec<Attribute> = Vec::with_capacity(count);
        let tag = std::mem::take(&mut self.tag);
        for Written { name, start, value } in tag.iter().filter(|written| !written.is_declaration()) {
            let raw = &self.text[value.start..value.end];
            let text = attribute_value(raw).ok()?;
            let verbatim = matches!(text, Cow::Borrowed(_));
            let attribute = Attribute {
                name: self.names.get(name.local).into(),
                prefix: self.prefix(*name),
                namespace: if name.prefix.is_none() { None } else { self.namespace(name.prefix)? },
                value: Text { value: text.into_owned(), span: *value, verbatim },
                span: Span::new(*start, value.end + 1),
            };
            let is_same = |other: &Attribute| other.name == attribute.name && other.namespace == attribute.namespace;
            if attribute.namespace.is_some() && attributes.iter().any(is_same) {
                return None;
            }
            attributes.push(attribute);
        }
        // Its room is for the next tag.
        self.tag = tag;
        Some(attributes)
    }

    fn prefix(&mut self, name: QualifiedName<'_>) -> Option<Arc<str>> {
        name.prefix.map(|prefix| self.namespaces.get(prefix))
    }

    /// Returns the namespace of a prefix, or the default one without a prefix; `None` for a prefix without
    /// declaration.
    #[allow(clippy::option_option)]
    fn namespace(&self, prefix: Option<&str>) -> Option<Option<Arc<str>>> {
        let declared = self.declared.iter().rev().find(|(declared, _)| *declared == prefix);
        match declared {
            Some((_, namespace)) => Some(Some(Arc::clone(namespace))),
            None => prefix.is_none().then_some(None),
        }
    }

    fn end_tag(&mut self) -> Option<()> {
        let tag = self.open.last()?.element.tag;
        let rest = self.text[self.at + "</".len()..].strip_prefix(&self.text[tag.start..tag.end])?;
        self.at = self.text.len() - rest.len();
        self.skip_blanks();
        if self.byte()? != b'>' {
            return None;
        }
        self.at += 1;
        self.close()
    }

    /// Ends the innermost open element.
    fn close(&mut self) -> Option<()> {
        self.add_text(false);
        let Open { mut element, first_child, declared, .. } = self.open.pop()?;
        element.span.end = self.at;
        if self.nodes.len() > first_child {
            // The list has the room that it needs, and no more.
            element.children = self.nodes.split_off(first_child);
        }
        self.declared.truncate(declared);
        if self.open.is_empty() {
            self.root = Some(element);
        } else {
            self.nodes.push(Node::Element(Arc::new(element)));
        }
        Some(())
    }

    /// Ends the text since the last tag.
    fn add_text(&mut self, is_before_element: bool) {
        let is_blank = std::mem::replace(&mut self.is_blank, true);
        let is_beside_elements = is_before_element || self.open.last().is_some_and(|open| open.has_elements);
        let pending = self.pending.take();
        if !is_blank || !is_beside_elements {
            self.nodes.extend(pending.into_text(self.text).map(Node::Text));
        }
    }

    /// Reads a name of ASCII characters.
    fn name(&mut self) -> Option<QualifiedName<'s>> {
        let first = self.name_part()?;
        if self.byte()? != b':' {
            return Some(QualifiedName { prefix: None, local: first });
        }
        self.at += 1;
        let local = self.name_part()?;
        (self.byte()? != b':').then_some(QualifiedName { prefix: Some(first), local })
    }

    /// Reads a name, or a part of one, up to a colon.
    fn name_part(&mut self) -> Option<&'s str> {
        let rest = &self.text[self.at..];
        let part = &rest[..name_length(rest.as_bytes())];
        self.at += part.len();
        part.bytes().next().is_some_and(starts_name).then_some(part)
    }
}
