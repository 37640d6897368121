//! Checks what is outside of elements: the XML declaration, processing instructions, the document type.

use quick_xml::events::attributes::Attributes;

use super::state::Reader;
use crate::character::{is_legal, is_name};
use crate::element::is_blank;
use howdah_words::error::{Error, Result, Span};

impl Reader<'_> {
    /// Checks `<?xml ... ?>`: first in the text, `version`, then perhaps `encoding`, then perhaps `standalone`.
    pub(super) fn declaration(&mut self, span: Span) -> Result<()> {
        if span.start != 0 {
            return self.report(
                span,
                "the XML declaration is not at the start of the document",
                "move it before everything else, blanks included, or remove it",
            );
        }
        let content = &self.text[span.start + "<?".len()..span.end - "?>".len()];
        let mut expected = [("version", true), ("encoding", false), ("standalone", false)].into_iter();
        for pseudo in Attributes::new(content, "xml".len()) {
            let Ok(pseudo) = pseudo else { return self.bad_declaration(span) };
            let known = expected.find(|(name, required)| *required || *name == pseudo.key.into_inner());
            let Some((name, _)) = known.filter(|(name, _)| *name == pseudo.key.into_inner()) else {
                return self.bad_declaration(span);
            };
            let at = self.offset_of(pseudo.key.into_inner());
            if !is_declared_value(name, &pseudo.value) || !self.text[..at].ends_with(is_blank) {
                return self.bad_declaration(span);
            }
        }
        // Without `version` nothing was taken from the list.
        if expected.next().is_some_and(|(name, _)| name == "version") { self.bad_declaration(span) } else { Ok(()) }
    }

    fn bad_declaration(&mut self, span: Span) -> Result<()> {
        self.report(
            span,
            "malformed XML declaration",
            r#"write <?xml version="1.0" encoding="UTF-8"?> or leave it out"#,
        )
    }

    /// Checks the name of `<?name ...?>`; the content has no meaning here.
    pub(super) fn instruction(&mut self, span: Span) -> Result<()> {
        let content = &self.text[span.start + "<?".len()..span.end - "?>".len()];
        let name = content.split([' ', '\t', '\n', '\r']).next().unwrap_or_default();
        if name.split(':').all(is_name) && !name.eq_ignore_ascii_case("xml") {
            return Ok(());
        }
        self.report(
            span,
            &format!("`{name}` is not the name of a processing instruction"),
            "remove the instruction; it would have no effect",
        )
    }

    /// Returns the error for `<!DOCTYPE`.
    pub(super) fn document_type(&self, span: Span) -> Error {
        self.error(
            Span::new(span.start, span.start + "<!DOCTYPE".len()),
            "a document type (DOCTYPE) is not allowed",
            "remove it; write the characters in place of its entities",
        )
    }

    /// Returns the error for a character that XML does not allow.
    pub(super) fn illegal_character(&self, at: usize, character: char) -> Error {
        debug_assert!(!is_legal(character), "only asked for illegal characters");
        self.error(
            Span::new(at, at + character.len_utf8()),
            &format!("the character U+{:04X} is not allowed in XML", u32::from(character)),
            "remove it; control characters cannot be written in XML, not even as a reference",
        )
    }
}

fn is_declared_value(name: &str, value: &str) -> bool {
    match name {
        "version" => matches!(value, "1.0" | "1.1"),
        "encoding" => {
            value.starts_with(|first: char| first.is_ascii_alphabetic())
                && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'))
        }
        _ => matches!(value, "yes" | "no"),
    }
}
