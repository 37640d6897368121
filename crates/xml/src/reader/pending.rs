//! The text since the last tag, which may have several parts: comments, sections and references divide it.

use std::borrow::Cow;

use crate::element::{Text, is_blank};
use howdah_words::error::Span;

/// Text since the last tag: nothing, one unchanged part of the source, or a text joined from several parts.
pub(super) enum Pending {
    None,
    Verbatim(Span),
    Joined(String, Span),
}

impl Pending {
    /// Adds a part; a borrowed one is an unchanged part of `source`.
    pub(super) fn append(&mut self, source: &str, part: Cow<'_, str>, span: Span) {
        if let (Self::None, Cow::Borrowed(_)) = (&*self, &part) {
            *self = Self::Verbatim(span);
            return;
        }
        *self = match (self.take(), part) {
            (Self::None, part) => Self::Joined(part.into_owned(), span),
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

    /// Returns whether the whole text has only blanks.
    pub(super) fn is_blank(&self, source: &str) -> bool {
        match self {
            Self::None => true,
            Self::Verbatim(span) => source[span.start..span.end].chars().all(is_blank),
            Self::Joined(text, _) => text.chars().all(is_blank),
        }
    }

    /// Returns the whole text; `None` for an empty one.
    pub(super) fn into_text(self, source: &str) -> Option<Text> {
        let (value, span, verbatim) = match self {
            Self::None => return None,
            Self::Verbatim(span) => (source[span.start..span.end].to_owned(), span, true),
            Self::Joined(text, span) => (text, span, false),
        };
        (!value.is_empty()).then_some(Text { value, span, verbatim })
    }
}
