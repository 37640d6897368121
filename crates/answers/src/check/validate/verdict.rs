//! The result of checking one file.

use howdah_words::error::{Error, Signal};
use howdah_xml::DocumentKind;

/// The kind as which a file was checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    Document(DocumentKind),
    /// Java properties.
    Properties,
}

impl FileKind {
    /// Returns the name of the kind.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Document(DocumentKind::Coordinator) => "coordinator",
            Self::Document(DocumentKind::Workflow) => "workflow",
            Self::Document(DocumentKind::Bundle) => "bundle",
            Self::Document(DocumentKind::Datasets) => "datasets",
            Self::Document(DocumentKind::Configuration) => "configuration",
            Self::Properties => "properties",
        }
    }

    /// Returns whether there are published schemas for it.
    const fn has_schema(self) -> bool {
        matches!(self, Self::Document(DocumentKind::Coordinator | DocumentKind::Workflow | DocumentKind::Bundle))
    }
}

/// The result of checking one file.
#[derive(Clone, Debug)]
pub struct Verdict {
    /// The path as the user wrote it.
    pub path: String,
    /// `None` when the file is not one that Oozie reads, or cannot be read.
    pub kind: Option<FileKind>,
    /// The version of its schema, where it names one.
    pub version: Option<String>,
    pub problems: Vec<Error>,
    /// Whether the user named the file itself, not a folder above it.
    pub named: bool,
    /// What referenced the file, when the user named neither it nor a folder above it.
    pub referrer: Option<String>,
    /// Whether an error of another file, reported with an earlier verdict, refuses this one too.
    pub refused_elsewhere: bool,
}

impl Verdict {
    /// Creates the verdict on a file without problems so far.
    pub fn of(path: impl Into<String>, kind: Option<FileKind>) -> Self {
        Self {
            path: path.into(),
            kind,
            version: None,
            problems: Vec::new(),
            named: true,
            referrer: None,
            refused_elsewhere: false,
        }
    }

    /// Creates the verdict on a file about which only this problem is known.
    pub fn refused(path: impl Into<String>, problems: Vec<Error>) -> Self {
        Self { problems, ..Self::of(path, None) }
    }

    /// Returns whether nothing is refused.
    pub fn is_valid(&self) -> bool {
        !self.refused_elsewhere && !self.has_errors()
    }

    /// Returns whether it contains an error itself.
    pub fn has_errors(&self) -> bool {
        !self.problems.iter().all(Error::is_warning)
    }

    /// Returns whether the file is valid by its schema alone; `None` where there is no schema, or the file could not be
    /// read.
    pub fn is_valid_by_schema(&self) -> Option<bool> {
        let of_schema = |problem: &Error| problem.signal() == Signal::OffSchema;
        let violated = self.own_problems().any(of_schema);
        match self.kind {
            Some(kind) => kind.has_schema().then_some(!violated),
            None => violated.then_some(false),
        }
        .filter(|_| !self.own_problems().any(|problem| problem.signal() == Signal::NotText))
    }

    /// Returns the problems whose place is in the file itself.
    pub(crate) fn own_problems(&self) -> impl Iterator<Item = &Error> {
        self.problems.iter().filter(|problem| problem.location().is_some_and(|place| place.source.name == self.path))
    }
}
