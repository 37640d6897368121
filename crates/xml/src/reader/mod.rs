//! Reads a text into a [`Document`] or reports everything that is wrong with it.
//!
//! [`quick`] reads documents without faults; the complete reader of this file reads all others. Its tokens come from
//! `quick-xml`, which is not a complete checker: this file adds what makes a document well formed (one root, everything
//! closed, names, legal characters, bound prefixes, references, the declaration).
//! A document type is refused, as Oozie refuses it, so nothing is ever expanded or fetched. Every size is bounded.
//!
//! The text is already decoded: like Oozie's own reader, this one takes definitions as UTF-8 whatever encoding the
//! declaration names. Does not depend on Oozie's elements.

mod declaration;
mod limit;
mod pending;
mod problem;
mod quick;
mod scan;
mod shared;
mod state;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::sync::Arc;

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};

use super::character::{self, BadValue};
use super::element::{Attribute, Document, Element, Name, Node, Text, is_blank};
use howdah_words::error::{Error, Result, SourceText, Span};
use limit::{MAX_ATTRIBUTES, MAX_BYTES, MAX_DEPTH, MAX_PROBLEMS, MAX_VALUE};
use shared::Shared;
use state::{Open, Reader};

/// Reads a whole document.
///
/// Every error has the code E0700 (Oozie reports some of them as E0701), a place and advice. A fault in the markup
/// itself ends the reading; others are collected, in document order.
pub fn read(source: &Arc<SourceText>) -> Result<Document, Vec<Error>> {
    match quick::read(&source.text) {
        Some(root) => Ok(Document { source: Arc::clone(source), root }),
        None => read_completely(source),
    }
}

/// Reads a document that may have faults.
fn read_completely(source: &Arc<SourceText>) -> Result<Document, Vec<Error>> {
    let mut reader = Reader::new(source);
    let outcome = reader.run();
    let Reader { mut problems, root, .. } = reader;
    if let Err(fatal) = outcome {
        problems.push(fatal);
    }
    match root {
        Some(root) if problems.is_empty() => Ok(Document { source: Arc::clone(source), root }),
        _ => Err(problems),
    }
}

impl Reader<'_> {
    fn run(&mut self) -> Result<()> {
        if self.text.len() > MAX_BYTES {
            return Err(self.limit(Span::new(0, 0), "the document", "bytes", MAX_BYTES));
        }
        if let Some((at, character)) = character::illegal_character(self.text) {
            return Err(self.illegal_character(at, character));
        }
        loop {
            let start = self.position();
            let event = match self.xml.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.markup(&error, start)),
            };
            let span = Span::new(start, self.position());
            match event {
                Event::Start(tag) => self.start(&tag, span)?,
                Event::Empty(tag) => {
                    self.start(&tag, span)?;
                    self.end(span);
                }
                Event::End(_) => self.end(span),
                Event::Text(_) => self.characters(span)?,
                Event::CData(_) => self.section(span)?,
                Event::GeneralRef(_) => self.reference(span)?,
                Event::Comment(_) => {}
                Event::Decl(_) => self.declaration(span)?,
                Event::PI(_) => self.instruction(span)?,
                Event::DocType(_) => return Err(self.document_type(span)),
                Event::Eof => return self.finish(span.start),
            }
        }
    }

    /// Returns the byte offset in the text without byte order mark.
    fn position(&self) -> usize {
        usize::try_from(self.xml.buffer_position()).expect("an offset into a text in memory fits")
    }

    /// Reports a problem that does not stop the reading, unless there are too many.
    fn note(&mut self, mut problem: Error) -> Result<()> {
        if self.problems.len() + 1 >= MAX_PROBLEMS {
            problem.mention_limit(MAX_PROBLEMS);
            return Err(problem);
        }
        self.problems.push(problem);
        Ok(())
    }

    fn start(&mut self, tag: &BytesStart<'_>, span: Span) -> Result<()> {
        self.flush(Next::Element);
        let name = tag.name();
        let tag_span = Span::new(span.start + 1, span.start + 1 + name.into_inner().len());
        if self.open.is_empty() && self.root.is_some() {
            return Err(self.second_root(tag_span));
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(self.limit(tag_span, "the nesting of elements", "levels", MAX_DEPTH));
        }
        if tag_span.start == tag_span.end {
            return Err(self.bare_less_than(span.start));
        }
        self.check_name(name, tag_span)?;
        self.check_element_prefix(name, tag_span)?;
        let (resolved, _) = self.xml.resolver().resolve_element(name);
        let bound = binding(&resolved, &mut self.shared);
        if bound.is_none() {
            self.note_unbound(name, tag_span)?;
        }
        let element = Element {
            name: self.name(name),
            prefix: self.prefix(name),
            namespace: bound.flatten(),
            attributes: self.attributes(tag, span)?,
            children: Vec::new(),
            span: span.shifted(self.base),
            tag: tag_span.shifted(self.base),
        };
        if let Some(parent) = self.open.last_mut() {
            parent.has_elements = true;
        }
        self.open.push(Open { element, has_elements: false });
        Ok(())
    }

    fn attributes(&mut self, tag: &BytesStart<'_>, span: Span) -> Result<Vec<Attribute>> {
        let mut attributes = Vec::new();
        let mut count = 0;
        for attribute in tag.attributes() {
            let attribute = match attribute {
                Ok(attribute) => attribute,
                Err(error) => {
                    self.bad_attribute(&error, span)?;
                    continue;
                }
            };
            let key = attribute.key;
            let at = self.offset_of(key.into_inner());
            let name_span = Span::new(at, at + key.into_inner().len());
            count += 1;
            if count > MAX_ATTRIBUTES {
                return Err(self.limit(name_span, "an element", "attributes", MAX_ATTRIBUTES));
            }
            if !self.text[..at].ends_with(is_blank) {
                self.missing_blank(name_span)?;
            }
            let value_at = self.offset_of(&attribute.value);
            let value_span = Span::new(value_at, value_at + attribute.value.len());
            let value = self.value(value_span)?;
            if key.as_namespace_binding().is_some() {
                self.check_binding(key, &value, name_span)?;
            } else if let Some(attribute) = self.attribute(key, name_span, value)? {
                attributes.push(attribute);
            }
        }
        self.check_expanded_names(&attributes)?;
        Ok(attributes)
    }

    fn attribute(&mut self, key: QName<'_>, name_span: Span, value: Text) -> Result<Option<Attribute>> {
        self.check_name(key, name_span)?;
        let (resolved, _) = self.xml.resolver().resolve_attribute(key);
        let Some(namespace) = binding(&resolved, &mut self.shared) else {
            self.note_unbound(key, name_span)?;
            return Ok(None);
        };
        Ok(Some(Attribute {
            name: self.name(key),
            prefix: self.prefix(key),
            namespace,
            span: Span::new(name_span.start + self.base, value.span.end + 1),
            value,
        }))
    }

    /// Returns the value of an attribute whose raw text is at `span`.
    fn value(&mut self, span: Span) -> Result<Text> {
        let raw = &self.text[span.start..span.end];
        if raw.len() > MAX_VALUE {
            return Err(self.limit(Span::new(span.start, span.start), "a value", "bytes", MAX_VALUE));
        }
        match character::attribute_value(raw) {
            Ok(value) => {
                let verbatim = matches!(value, Cow::Borrowed(_));
                Ok(Text { value: value.into_owned(), span: span.shifted(self.base), verbatim })
            }
            Err(bad) => {
                self.bad_value(&bad, span.start)?;
                Ok(Text { value: raw.to_owned(), span: span.shifted(self.base), verbatim: true })
            }
        }
    }

    fn name(&mut self, name: QName<'_>) -> Name {
        self.names.get(name.local_name().into_inner()).into()
    }

    fn prefix(&mut self, name: QName<'_>) -> Option<Arc<str>> {
        name.prefix().map(|prefix| self.shared.get(prefix.into_inner()))
    }

    /// Returns the offset of a part of the text that a token borrows.
    fn offset_of(&self, part: &str) -> usize {
        part.as_ptr().addr() - self.text.as_ptr().addr()
    }

    fn end(&mut self, span: Span) {
        self.flush(Next::End);
        let Some(Open { mut element, .. }) = self.open.pop() else { return };
        element.span.end = span.end + self.base;
        match self.open.last_mut() {
            Some(parent) => parent.element.children.push(Node::Element(Arc::new(element))),
            None => self.root = Some(element),
        }
    }

    fn characters(&mut self, span: Span) -> Result<()> {
        let text = &self.text[span.start..span.end];
        if self.open.is_empty() {
            return match text.find(|character| !is_blank(character)) {
                None => Ok(()),
                Some(at) => Err(self.outside_of_the_root(span.start + at)),
            };
        }
        // A bracket is rarer than a text, and a search for three characters costs as much as the text.
        if text.as_bytes().contains(&b']')
            && let Some(at) = text.find("]]>")
        {
            self.section_end_in_text(span.start + at)?;
        }
        self.append(character::with_plain_line_ends(text), span);
        Ok(())
    }

    fn section(&mut self, span: Span) -> Result<()> {
        if self.open.is_empty() {
            return Err(self.outside_of_the_root(span.start));
        }
        let content = Span::new(span.start + "<![CDATA[".len(), span.end - "]]>".len());
        self.append(character::with_plain_line_ends(&self.text[content.start..content.end]), content);
        Ok(())
    }

    fn reference(&mut self, span: Span) -> Result<()> {
        let name = &self.text[span.start + 1..span.end - 1];
        if self.open.is_empty() {
            return Err(self.outside_of_the_root(span.start));
        }
        match character::reference(name) {
            Some(character) => self.append(Cow::Owned(character.to_string()), span),
            None if character::is_name(name) || name.starts_with('#') => {
                self.bad_value(&BadValue::Reference(0, name), span.start)?;
            }
            None => self.bad_value(&BadValue::Ampersand(0), span.start)?,
        }
        Ok(())
    }

    /// Adds to the text since the last tag; a borrowed part is an unchanged part of the source.
    fn append(&mut self, part: Cow<'_, str>, span: Span) {
        self.pending.append(self.text, part, span);
    }

    /// Ends the text since the last tag. Blanks beside elements have no meaning and are dropped.
    fn flush(&mut self, next: Next) {
        let pending = self.pending.take();
        let Some(open) = self.open.last_mut() else { return };
        let beside_elements = next == Next::Element || open.has_elements;
        if beside_elements && pending.is_blank(self.text) {
            return;
        }
        if let Some(text) = pending.into_text(self.text) {
            open.element.children.push(Node::Text(Text { span: text.span.shifted(self.base), ..text }));
        }
    }

    fn finish(&mut self, end: usize) -> Result<()> {
        match self.open.last() {
            Some(open) => Err(self.never_closed(open)),
            None if self.root.is_none() => Err(self.no_root(end)),
            None => Ok(()),
        }
    }
}

/// What ends a run of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Element,
    End,
}

/// Returns the namespace of a resolved name; the outer `None` means that its prefix is not declared.
#[allow(clippy::option_option)]
fn binding(resolved: &ResolveResult<'_>, shared: &mut Shared) -> Option<Option<Arc<str>>> {
    match resolved {
        ResolveResult::Bound(namespace) => {
            let raw = namespace.into_inner();
            // A wrong value was reported at its declaration.
            let value = character::attribute_value(raw).unwrap_or(Cow::Borrowed(raw));
            Some(Some(shared.get(&value)))
        }
        ResolveResult::Unbound => Some(None),
        ResolveResult::Unknown(_) => None,
    }
}
