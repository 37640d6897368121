//! The place of a problem for other programs: a file relative to the working folder, and a region.

use std::path::{Path, PathBuf};

use howdah_answers::check::validate::Verdict;
use howdah_engine::format::url_encoded;
use howdah_words::error::{Error, Location};

/// The folder to which file names are relative; `None` leaves names unchanged.
#[derive(Clone, Debug)]
pub(super) struct Base(pub(super) Option<PathBuf>);

/// A region of a file: lines and columns from 1, columns in characters, the end behind the last character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) start: (usize, usize),
    pub(super) end: (usize, usize),
}

impl Region {
    /// Returns the region of a place.
    pub(super) fn of(place: &Location) -> Self {
        let start = place.source.line_column(place.span.start);
        Self { start, end: place.source.line_column(place.span.end).max(start) }
    }
}

/// Returns the name of the file that a problem is in: that of its place, or of the file that was checked.
pub(super) fn file_of<'a>(problem: &'a Error, verdict: &'a Verdict) -> &'a str {
    problem.location().map_or(verdict.path.as_str(), |place| place.source.name.as_str())
}

/// `file:line:column`, or the file alone.
pub(super) fn in_words(problem: &Error, verdict: &Verdict) -> String {
    problem.location().map_or_else(|| verdict.path.clone(), ToString::to_string)
}

impl Base {
    /// Returns the name of a file relative to the folder, when it is below it.
    pub(super) fn relative<'a>(&self, name: &'a str) -> &'a str {
        let below = self.0.as_ref().and_then(|folder| Path::new(name).strip_prefix(folder).ok());
        let name = below.and_then(Path::to_str).unwrap_or(name);
        name.strip_prefix("./").unwrap_or(name)
    }

    /// Returns the folder as a URI.
    pub(super) fn uri(&self) -> Option<String> {
        let folder = self.0.as_ref()?.to_str()?;
        Some(format!("file://{}/", url_encoded(folder.trim_end_matches('/'))))
    }
}

/// Returns the URI of a file by its name: relative when that is, otherwise with `file://`.
pub(super) fn uri(name: &str) -> String {
    let uri = url_encoded(name);
    if name.starts_with('/') { format!("file://{uri}") } else { uri }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::{SourceText, Span};

    #[test]
    fn files_are_relative_to_the_folder() {
        let base = Base(Some(PathBuf::from("/tree")));
        for (name, relative, as_uri) in [
            ("/tree/a b.xml", "a b.xml", "a%20b.xml"),
            ("./x/c.xml", "x/c.xml", "x/c.xml"),
            ("../c.xml", "../c.xml", "../c.xml"),
            ("/treetop/c.xml", "/treetop/c.xml", "file:///treetop/c.xml"),
            ("<stdin>", "<stdin>", "%3Cstdin%3E"),
            ("é:1%.xml", "é:1%.xml", "%C3%A9%3A1%25.xml"),
        ] {
            assert_eq!(base.relative(name), relative);
            assert_eq!(uri(relative), as_uri, "{name}");
        }
        assert_eq!(base.uri().as_deref(), Some("file:///tree/"));
        assert_eq!(Base(Some(PathBuf::from("/"))).uri().as_deref(), Some("file:///"));
        assert_eq!((Base(None).uri(), Base(None).relative("/a")), (None, "/a"));
    }

    #[test]
    fn regions_count_characters() {
        let source = SourceText::new("f", "é<a\nb/>");
        let region = |start, end| Region::of(&Location::new(&source, Span::new(start, end)));
        assert_eq!(region(2, 4), Region { start: (1, 2), end: (1, 4) });
        assert_eq!(region(3, 8), Region { start: (1, 3), end: (2, 4) });
        assert_eq!(region(8, 8), Region { start: (2, 4), end: (2, 4) });
        assert_eq!(region(4, 0), Region { start: (1, 4), end: (1, 4) });
    }
}
