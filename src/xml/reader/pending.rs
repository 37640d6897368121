//! The text since the last tag, which may have several parts: comments, sections and references divide it.

use std::borrow::Cow;

use crate::error::Span;
use crate::xml::element::{Text, is_blank};

/// Text since the last tag: nothing, one unchanged part of the source, or a text joined from several parts.
pub(super) enum Pending {
    None,
    Verbatim(Span),
    Joined(String, Span),
}

impl Pending {
    /// Adds a part; a borrowed one is an unchanged part of `source`.
    pub(super) fn append(&mut self, source: &str, part: Cow<'_, str>, span: Span) {
        *self = match (self.take(), part) {
            (Self::None, Cow::Borrowed(_)) => Self::Verbatim(span),
            (Self::None, Cow::Owned(text)) => Self::Joined(text, span),
            (Self::Verbatim(before), part) => {
                Self::Joined(source[before.start..before.end].to_owned() + &part, before.to(span))
            }
            (Self::Joined(before, at), part) => Self::Joined(before + &part, at.to(span)),
        };
    }

    /// Leaves nothing behind.
    pub(super) fn take(&mut self) -> Self {
        std::mem::replace(self, Self::None)
    }

    /// Returns the whole text; `None` for an empty one, and for blanks beside elements, which have no meaning.
    pub(super) fn into_text(self, source: &str, is_beside_elements: bool) -> Option<Text> {
        let (value, span, verbatim) = match &self {
            Self::None => return None,
            Self::Verbatim(span) => (&source[span.start..span.end], *span, true),
            Self::Joined(text, span) => (text.as_str(), *span, false),
        };
        if value.is_empty() || (is_beside_elements && value.bytes().all(|byte| is_blank(byte.into()))) {
            return None;
        }
        Some(Text { value: value.to_owned(), span, verbatim })
    }
}
