//! The messages for an ill-formed text: what is wrong, where, and what to do about it.

use quick_xml::errors::{Error as MarkupError, IllFormedError, SyntaxError};
use quick_xml::escape::EscapeError;
use quick_xml::events::attributes::AttrError;
use quick_xml::name::{NamespaceError, QName};

use super::state::{Open, Reader};
use crate::character::{BadValue, is_name};
use crate::element::{Attribute, Text};
use howdah_words::error::{Error, ErrorCode, Location, Result, Span, did_you_mean};

impl Reader<'_> {
    /// Returns an error at a span of the text without byte order mark.
    pub(super) fn error(&self, span: Span, what: &str, help: &str) -> Error {
        Error::new(ErrorCode::E0700, what)
            .reported_by_oozie_as(ErrorCode::E0701)
            .at(Location::new(self.source, span.shifted(self.base)))
            .help(help)
    }

    /// Reports a problem that does not stop the reading.
    pub(super) fn report(&mut self, span: Span, what: &str, help: &str) -> Result<()> {
        let error = self.error(span, what, help);
        self.note(error)
    }

    pub(super) fn limit(&self, span: Span, what: &str, unit: &str, limit: usize) -> Error {
        self.error(span, &format!("{what} has more than {limit} {unit}"), "no definition needs that much; split it")
    }

    /// Returns the error for a fault in the markup, found while reading the token that starts at `start`.
    pub(super) fn markup(&self, error: &MarkupError, start: usize) -> Error {
        let at = usize::try_from(self.xml.error_position()).unwrap_or(start).max(start).min(self.text.len());
        let token = Span::new(start, self.text.len().min(start + 1));
        match error {
            MarkupError::Syntax(error) => self.unclosed(*error, token),
            MarkupError::IllFormed(IllFormedError::DoubleHyphenInComment) => self.double_hyphen(start),
            MarkupError::IllFormed(IllFormedError::MissingDoctypeName) => self.document_type(token),
            MarkupError::IllFormed(error) => self.ill_formed(error, at),
            MarkupError::Namespace(error) => self.bad_namespace(error, start),
            MarkupError::Escape(EscapeError::UnterminatedEntity(_)) => self.bare_ampersand(at),
            MarkupError::InvalidAttr(error) => self.attribute_error(error, Span::new(start, start)),
            other => self.error(token, &other.to_string(), "correct the markup here"),
        }
    }

    fn unclosed(&self, error: SyntaxError, token: Span) -> Error {
        let (what, help) = match error {
            SyntaxError::InvalidBangMarkup => {
                ("`<!` starts neither a comment nor a CDATA section", "write `&lt;!` for the characters themselves")
            }
            SyntaxError::UnclosedComment => ("the comment is never closed", "close it with `-->`"),
            SyntaxError::UnclosedCData => ("the CDATA section is never closed", "close it with `]]>`"),
            SyntaxError::UnclosedDoctype => ("a document type (DOCTYPE) is not allowed", "remove it"),
            SyntaxError::UnclosedPI | SyntaxError::UnclosedXmlDecl => {
                ("the processing instruction is never closed", "close it with `?>`")
            }
            SyntaxError::UnclosedTag => {
                ("the tag is never closed", "close it with `>`, or write `&lt;` for the character itself")
            }
            SyntaxError::UnclosedSingleQuotedAttributeValue | SyntaxError::UnclosedDoubleQuotedAttributeValue => {
                ("the attribute value in this tag is never closed", "end it with the quote it starts with")
            }
        };
        self.error(token, what, help)
    }

    fn ill_formed(&self, error: &IllFormedError, at: usize) -> Error {
        let point = Span::new(at, self.text.len().min(at + 1));
        match error {
            IllFormedError::MismatchedEndTag { expected, found } => {
                let span = Span::new(at, self.text.len().min(at + 2 + found.len()));
                let opened = self.open.last().map_or(0, |open| self.source.line_column(open.element.tag.start).0);
                let what = format!("`</{found}>` where `</{expected}>` was expected");
                self.error(span, &what, &format!("`<{expected}>` was opened on line {opened}; close it first"))
            }
            IllFormedError::UnmatchedEndTag(name) => {
                let what = format!("`</{name}>` has no start tag");
                self.error(point, &what, "remove it, or add `<{name}>`")
            }
            IllFormedError::UnclosedReference => self.bare_ampersand(at),
            other => self.error(point, &other.to_string(), "correct the markup here"),
        }
    }

    fn double_hyphen(&self, comment: usize) -> Error {
        let content = comment + "<!--".len();
        let at = self.text[content..].find("--").map_or(comment, |offset| content + offset);
        self.error(Span::new(at, at + 2), "`--` inside a comment", "write a single hyphen or other characters")
    }

    fn bare_ampersand(&self, at: usize) -> Error {
        self.error(
            Span::new(at, self.text.len().min(at + 1)),
            "`&` does not start a reference",
            "write `&amp;` for the character itself",
        )
    }

    fn bad_namespace(&self, error: &NamespaceError, start: usize) -> Error {
        let what = error.to_string();
        self.error(Span::new(start, start + 1), &what, "correct the xmlns declarations of this element")
    }

    /// Reports a fault in an attribute of the tag at `tag`; reading continues only after a repeated attribute.
    pub(super) fn bad_attribute(&mut self, error: &AttrError, tag: Span) -> Result<()> {
        let problem = self.attribute_error(error, tag);
        if matches!(error, AttrError::Duplicated(..)) { self.note(problem) } else { Err(problem) }
    }

    fn attribute_error(&self, error: &AttrError, tag: Span) -> Error {
        // The positions count from the byte after the `<`.
        let point = |offset: usize| {
            let at = (tag.start + 1 + offset).min(self.text.len().saturating_sub(1));
            let at = (0..=at).rev().find(|at| self.text.is_char_boundary(*at)).unwrap_or(0);
            Span::new(at, at)
        };
        match error {
            AttrError::ExpectedEq(at) => self.error(point(*at), "an attribute without value", r#"write name="value""#),
            AttrError::ExpectedValue(at) | AttrError::UnquotedValue(at) => {
                self.error(point(*at), "an attribute value without quotes", r#"write name="value""#)
            }
            AttrError::ExpectedQuote(at, _) => {
                self.error(point(*at), "an attribute value is never closed", "end it with the quote it starts with")
            }
            AttrError::Duplicated(at, _) => {
                let at = point(*at).start;
                let rest = &self.text[at..];
                let name = &rest[..rest.find(['=', ' ', '\t', '\n', '\r']).unwrap_or(rest.len())];
                self.repeated_attribute(Span::new(at, at + name.len()), name)
            }
        }
    }

    fn repeated_attribute(&self, span: Span, name: &str) -> Error {
        self.error(span, &format!("the attribute `{name}` is given twice"), "keep one of them")
    }

    /// Reports attributes whose prefixes name the same namespace and which are therefore the same.
    pub(super) fn check_expanded_names(&mut self, attributes: &[Attribute]) -> Result<()> {
        for (number, attribute) in attributes.iter().enumerate().filter(|(_, attribute)| attribute.namespace.is_some())
        {
            let same = |other: &Attribute| other.name == attribute.name && other.namespace == attribute.namespace;
            if attributes[..number].iter().any(same) {
                let start = attribute.span.start - self.base;
                let span = Span::new(start, start + attribute.name.len());
                let problem = self.repeated_attribute(span, &attribute.name);
                self.note(problem)?;
            }
        }
        Ok(())
    }

    pub(super) fn missing_blank(&mut self, name: Span) -> Result<()> {
        self.report(name, "no blank before the attribute", "put a blank between attributes")
    }

    /// Reports a value with a character or reference that is not allowed; `start` is the offset of its raw text.
    pub(super) fn bad_value(&mut self, bad: &BadValue<'_>, start: usize) -> Result<()> {
        let problem = match bad {
            BadValue::LessThan(at) => {
                let span = Span::new(start + at, start + at + 1);
                self.error(span, "`<` inside an attribute value", "write `&lt;`; or end the value before it")
            }
            BadValue::Ampersand(at) => self.bare_ampersand(start + at),
            BadValue::Reference(at, name) => {
                let span = Span::new(start + at, start + at + name.len() + 2);
                let meant = did_you_mean(name, ["lt", "gt", "amp", "quot", "apos"]);
                let help = match meant {
                    Some(meant) => format!("did you mean `&{meant};`?"),
                    None => "only &lt; &gt; &amp; &quot; &apos; and numbers such as &#233; have a meaning".to_owned(),
                };
                self.error(span, &format!("the reference `&{name};` is not defined"), &help)
            }
        };
        self.note(problem)
    }

    pub(super) fn section_end_in_text(&mut self, at: usize) -> Result<()> {
        self.report(Span::new(at, at + 3), "`]]>` outside of a CDATA section", "write `]]&gt;`")
    }

    /// Reports an invalid name: bad characters, or more than one colon.
    pub(super) fn check_name(&mut self, name: QName<'_>, span: Span) -> Result<()> {
        // Most names have no colon and need not be split.
        if is_name(name.into_inner()) || is_qualified_name(name) {
            return Ok(());
        }
        let what = format!("`{}` is not a name", name.into_inner());
        self.report(span, &what, "names start with a letter or `_` and contain letters, digits, `-`, `_` and `.`")
    }

    /// Reports an element whose prefix is the one of namespace declarations.
    pub(super) fn check_element_prefix(&mut self, name: QName<'_>, span: Span) -> Result<()> {
        if name.prefix().is_some_and(|prefix| prefix.is_xmlns()) {
            return self.report(span, "the prefix `xmlns` is reserved", "rename the element");
        }
        Ok(())
    }

    /// Reports a prefix without declaration; the element is read without namespace. A bad name was reported already.
    pub(super) fn note_unbound(&mut self, name: QName<'_>, span: Span) -> Result<()> {
        if !is_qualified_name(name) {
            return Ok(());
        }
        let prefix = name.prefix().map_or("", quick_xml::name::Prefix::into_inner);
        let what = format!("the prefix `{prefix}` is not declared");
        self.report(span, &what, &format!("add xmlns:{prefix}=\"...\" to this element or the root"))
    }

    /// Checks `xmlns:prefix="..."`: a prefix needs a namespace.
    pub(super) fn check_binding(&mut self, key: QName<'_>, value: &Text, span: Span) -> Result<()> {
        if key.prefix().is_some() && value.value.is_empty() {
            return self.report(span, "the prefix has no namespace", "give the namespace, or remove this");
        }
        if key.prefix().is_some() { self.check_name(key, span) } else { Ok(()) }
    }

    /// Returns the error for a `<` followed by a blank or by nothing.
    pub(super) fn bare_less_than(&self, at: usize) -> Error {
        self.error(Span::new(at, at + 1), "`<` does not start a tag", "write `&lt;` for the character itself")
    }

    pub(super) fn second_root(&self, span: Span) -> Error {
        self.error(span, "a second root element", "a document has one root; put everything inside it")
    }

    pub(super) fn outside_of_the_root(&self, at: usize) -> Error {
        let end = self.text[at..].chars().next().map_or(at, |first| at + first.len_utf8());
        self.error(Span::new(at, end), "text outside of the root element", "remove it")
    }

    pub(super) fn never_closed(&self, open: &Open) -> Error {
        let name = &self.source.text[open.element.tag.start..open.element.tag.end];
        let tag = Span::new(open.element.tag.start - self.base, open.element.tag.end - self.base);
        self.error(tag, &format!("`<{name}>` is never closed"), &format!("add `</{name}>`"))
    }

    pub(super) fn no_root(&self, end: usize) -> Error {
        self.error(Span::new(end, end), "the document has no element", "is this the right file?")
    }
}

fn is_qualified_name(name: QName<'_>) -> bool {
    let (local, prefix) = name.decompose();
    is_name(local.into_inner()) && prefix.is_none_or(|prefix| is_name(prefix.into_inner()))
}
