//! A version of the definition of a coordinator job.

use crate::model::row::key::{CoordinatorKey, DocumentKey};
use crate::model::time::Timestamp;

/// A file that the definition includes, as it was when the version was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Include {
    pub uri: String,
    pub document: DocumentKey,
}

/// The included files of one version, in the order of the definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Includes(pub Vec<Include>);

/// One version of a coordinator job's definition, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorDefinition {
    pub job: CoordinatorKey,
    pub version: u32,
    pub created_at: Timestamp,
    pub definition: DocumentKey,
    /// The job configuration as the text of a JSON object.
    pub configuration: DocumentKey,
    pub includes: Includes,
}
