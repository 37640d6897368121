//! Places in a text: spans, lines, columns.
//!
//! Does not read files: the caller passes the text as a [`SourceText`].

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use memchr::memrchr;

/// A half-open range of bytes in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

impl Span {
    /// Returns the span from `start` up to, not including, `end`.
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the same span moved `offset` bytes to the right.
    pub const fn shifted(self, offset: usize) -> Self {
        Self::new(self.start + offset, self.end + offset)
    }

    /// Returns the smallest span that contains both.
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }
}

/// A text with the name that the user knows (a path as given, `<stdin>`, `-D`).
#[derive(Debug)]
pub struct SourceText {
    pub name: String,
    pub text: String,
    /// Created for the first query of a place.
    index: OnceLock<Index>,
    /// Whether its lines may be shown with a problem.
    quotable: AtomicBool,
}

/// Makes the query for the place of an offset cheap, also for many offsets.
///
/// One mark for each multiple of [`STRIDE`], so that it is small compared with the text, for lines of any length.
#[derive(Debug)]
struct Index(Vec<Mark>);

/// The counts before an offset.
#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    /// The number of line ends.
    line_ends: usize,
    /// The start of the offset's line.
    line_start: usize,
    /// The number of characters that start.
    characters: usize,
}

/// Bytes between two marks.
const STRIDE: usize = 512;

impl PartialEq for SourceText {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.text) == (&other.name, &other.text)
    }
}

impl Eq for SourceText {}

impl SourceText {
    /// Wraps a text for sharing between the definition and its problems.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        Arc::new(Self { name: name.into(), text: text.into(), index: OnceLock::new(), quotable: AtomicBool::new(true) })
    }

    /// Returns the text of a file. Its lines are shown only after [`Self::allow_quoting`]: a definition can name any
    /// file that howdah may open.
    pub fn of_file(path: impl Into<String>, text: impl Into<String>) -> Arc<Self> {
        let source = Self::new(path, text);
        source.quotable.store(false, Ordering::Relaxed);
        source
    }

    /// Lets problems show the lines of this text.
    pub fn allow_quoting(&self) {
        self.quotable.store(true, Ordering::Relaxed);
    }

    /// Returns whether problems may show the lines of this text.
    pub fn is_quotable(&self) -> bool {
        self.quotable.load(Ordering::Relaxed)
    }

    /// Returns the line and column, both from 1, of a byte offset; columns count characters. An offset beyond the end
    /// means the end.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let place = self.before(offset);
        (place.line_ends + 1, place.characters - self.before(place.line_start).characters + 1)
    }

    /// Returns the counts before an offset of the text.
    fn before(&self, offset: usize) -> Mark {
        let text = self.text.as_bytes();
        let Index(marks) = self.index.get_or_init(|| Index::of(text));
        let from = offset / STRIDE * STRIDE;
        marks[offset / STRIDE].past(from, &text[from..offset])
    }
}

impl Index {
    fn of(text: &[u8]) -> Self {
        let mut marks = Vec::with_capacity(text.len() / STRIDE + 1);
        let mut mark = Mark::default();
        marks.push(mark);
        for (from, stretch) in (0..).step_by(STRIDE).zip(text.chunks_exact(STRIDE)) {
            mark = mark.past(from, stretch);
            marks.push(mark);
        }
        Self(marks)
    }
}

impl Mark {
    /// Returns the counts before the end of a part of the text, when `self` has the counts before its start, `from`.
    fn past(self, from: usize, stretch: &[u8]) -> Self {
        let last_end = memrchr(b'\n', stretch);
        Self {
            line_ends: self.line_ends + count(stretch, |byte| byte == b'\n'),
            line_start: last_end.map_or(self.line_start, |at| from + at + 1),
            characters: self.characters + count_starts(stretch),
        }
    }
}

/// Returns the number of characters that start in a part of UTF-8.
fn count_starts(bytes: &[u8]) -> usize {
    count(bytes, |byte| byte & 0xC0 != 0x80)
}

/// Returns how many bytes are of a kind. A narrow sum lets the processor compare many bytes in one step.
fn count(bytes: &[u8], is_counted: impl Fn(u8) -> bool) -> usize {
    let in_part = |part: &[u8]| usize::from(part.iter().map(|byte| u8::from(is_counted(*byte))).sum::<u8>());
    bytes.chunks(usize::from(u8::MAX)).map(in_part).sum()
}

/// A span of a source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    pub source: Arc<SourceText>,
    pub span: Span,
}

impl Location {
    /// Returns the place `span` of `source`.
    pub fn new(source: &Arc<SourceText>, span: Span) -> Self {
        Self { source: Arc::clone(source), span }
    }

    /// Returns the line and column, both from 1, of the start of the span.
    pub fn line_column(&self) -> (usize, usize) {
        self.source.line_column(self.span.start)
    }
}

impl fmt::Display for Location {
    /// Writes `name:line:column`.
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
    fn long_texts_and_lines_are_counted_the_same() {
        let text = "aä漢\n".repeat(50) + &"é<".repeat(2000) + "\n\n" + &"𝄞b".repeat(400);
        let source = SourceText::new("f", text.as_str());
        let (mut line, mut column) = (1, 1);
        for (at, character) in text.char_indices() {
            assert_eq!(source.line_column(at), (line, column), "offset {at}");
            (line, column) = if character == '\n' { (line + 1, 1) } else { (line, column + 1) };
        }
        assert_eq!(source.line_column(usize::MAX), (line, column));
    }

    #[test]
    fn the_index_is_small_beside_a_text_of_nothing_but_line_ends() {
        let text = "\n".repeat(STRIDE * STRIDE);
        let source = SourceText::new("f", text.as_str());
        assert_eq!(source.line_column(text.len() - 1), (text.len(), 1));
        let Index(marks) = source.index.get().expect("a place was asked for");
        assert!(marks.capacity() * size_of::<Mark>() <= text.len() / 16, "{} marks", marks.capacity());
    }

    #[test]
    fn an_offset_inside_a_character_counts_as_its_start() {
        assert_eq!(SourceText::new("x", "ä").line_column(1), (1, 1));
    }
}
