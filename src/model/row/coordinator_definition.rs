//! A version of the definition of a coordinator job.

use crate::model::row::key::{CoordinatorKey, DocumentKey};
use crate::model::time::Timestamp;

/// A file that the definition includes, as it was when the version was stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Include {
    pub(crate) uri: String,
    pub(crate) document: DocumentKey,
}

/// The included files of one version, in the order of the definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Includes(pub(crate) Vec<Include>);

/// One version of a coordinator job's definition, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoordinatorDefinition {
    pub(crate) job: CoordinatorKey,
    pub(crate) version: u32,
    pub(crate) created_at: Timestamp,
    pub(crate) definition: DocumentKey,
    /// The job configuration as the text of a JSON object.
    pub(crate) configuration: DocumentKey,
    pub(crate) includes: Includes,
}
