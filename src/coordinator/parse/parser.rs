//! The state of reading one definition: the known properties, and the problems found so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::coordinator::phase::JobScope;
use crate::coordinator::settings::SubmitSettings;
use crate::dataset::Dataset;
use crate::el::Knowledge;
use crate::error::{Error, Location, Result, SourceText, Suggestions};

/// Reads the text of an included dataset file.
pub(crate) trait Includes {
    /// Returns the text at `uri`, as the definition names it.
    ///
    /// # Errors
    /// E1002 when there is no such file, E1001 when it cannot be read.
    fn read(&self, uri: &str) -> Result<Arc<SourceText>>;
}

/// After this many refusals no further text is evaluated: its author does not correct so many one by one, and each of
/// them costs a search through all names.
pub(crate) const MOST_REFUSALS: usize = 100;

/// The state of reading one definition.
pub(crate) struct Parser<'a> {
    pub(crate) job: JobScope<'a>,
    pub(crate) knowledge: Knowledge,
    pub(crate) settings: &'a SubmitSettings,
    /// The file being read: the definition itself, or one of its includes.
    pub(crate) source: Arc<SourceText>,
    pub(crate) problems: Vec<Error>,
    /// How many of the problems are refusals of a text.
    pub(crate) refusals: usize,
    /// Variables whose values are not known, each with the place of its first use.
    pub(crate) unknown_variables: BTreeMap<String, Location>,
    /// Whether an included file could not be read, so that its datasets are not known.
    pub(crate) include_lost: bool,
    pub(crate) suggestions: Suggestions,
}

/// The declared datasets of a definition by name; `None` for one that was refused or is not known.
pub(crate) type Datasets = BTreeMap<String, Option<Arc<Dataset>>>;
