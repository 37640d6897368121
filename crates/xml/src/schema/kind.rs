//! What a document is, by its root element.

use crate::element::Document;

/// The kinds of documents that Oozie reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentKind {
    /// `<coordinator-app>`.
    Coordinator,
    /// `<workflow-app>`.
    Workflow,
    /// `<bundle-app>`.
    Bundle,
    /// `<datasets>`: a file that coordinators include.
    Datasets,
    /// `<configuration>`: properties in Hadoop's form.
    Configuration,
}

impl DocumentKind {
    /// Returns the name of the root element.
    pub const fn root(self) -> &'static str {
        match self {
            Self::Coordinator => "coordinator-app",
            Self::Workflow => "workflow-app",
            Self::Bundle => "bundle-app",
            Self::Datasets => "datasets",
            Self::Configuration => "configuration",
        }
    }

    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Coordinator, Self::Workflow, Self::Bundle, Self::Datasets, Self::Configuration];
}

/// Returns the kind of a document, in any namespace; `None` for a root that Oozie does not know.
pub fn kind_of(document: &Document) -> Option<DocumentKind> {
    DocumentKind::ALL.into_iter().find(|kind| kind.root() == document.root.name)
}
