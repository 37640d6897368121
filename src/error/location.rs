//! Where in a text something stands: spans, lines, columns.
//!
//! Knows nothing of files: a [`SourceText`] is handed in by whoever read it.

use std::fmt;
use std::sync::Arc;

/// A half-open range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Span {
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub(crate) const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// The same span moved `offset` bytes to the right.
    pub(crate) const fn shifted(self, offset: usize) -> Self {
        Self::new(self.start + offset, self.end + offset)
    }

    /// The smallest span that holds both.
    pub(crate) fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// A text with the name the user knows it by (a path as given, `<stdin>`, `-D`).
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SourceText {
    pub(crate) name: String,
    pub(crate) text: String,
}

impl SourceText {
    /// Wraps a text for sharing between the definition and its problems.
    pub(crate) fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into() })
    }

    /// Line and column, both from 1, of a byte offset; columns count characters.
    /// An offset beyond the end means the end.
    pub(crate) fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &self.text[..offset];
        let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (line, before[line_start..].chars().count() + 1)
    }
}

/// A span of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Location {
    pub(crate) source: Arc<SourceText>,
    pub(crate) span: Span,
}

impl Location {
    /// The place `span` of `source`.
    pub(crate) fn new(source: &Arc<SourceText>, span: Span) -> Self {
        Self { source: Arc::clone(source), span }
    }

    /// Line and column, both from 1, of the start of the span.
    pub(crate) fn line_column(&self) -> (usize, usize) {
        self.source.line_column(self.span.start)
    }
}

impl fmt::Display for Location {
    /// `name:line:column`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.line_column();
        write!(f, "{}:{line}:{column}", self.source.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_and_characters_from_one() {
        let source = SourceText::new("f.xml", "ab\ncäd\n");
        for (offset, expect) in [(0, (1, 1)), (2, (1, 3)), (3, (2, 1)), (6, (2, 3)), (99, (3, 1))] {
            assert_eq!(source.line_column(offset), expect, "offset {offset}");
        }
        assert_eq!(Location::new(&source, Span::new(6, 7)).to_string(), "f.xml:2:3");
    }

    #[test]
    fn an_offset_inside_a_character_counts_as_its_start() {
        assert_eq!(SourceText::new("x", "ä").line_column(1), (1, 1));
    }
}
