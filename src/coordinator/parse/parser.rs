//! The parser of a definition while it works: what is known of the properties, and what was found so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::coordinator::phase::JobScope;
use crate::coordinator::settings::SubmitSettings;
use crate::dataset::Dataset;
use crate::error::{Error, Location, Result, SourceText, Suggestions};

/// Gives the text of an included dataset file.
pub(crate) trait Includes {
    /// The text at `uri`, as the definition names it.
    ///
    /// # Errors
    /// E1002 when there is none, E1001 when it cannot be read.
    fn read(&self, uri: &str) -> Result<Arc<SourceText>>;
}

/// How much is known of the properties of the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Knowledge {
    /// All of them: a variable that has none is refused.
    Complete,
    /// Those at hand: any other name may have a value, so what depends on it is not judged.
    Partial,
}

/// Refusals after which no further text is evaluated: a definition with more of them is not mended one by one, and each
/// costs a look at all names.
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
    /// Whether an included file could not be read, so that nobody knows which datasets there are.
    pub(crate) include_lost: bool,
    pub(crate) suggestions: Suggestions,
}

/// The declared datasets of a definition by name; nothing for one that was refused or is not known.
pub(crate) type Datasets = BTreeMap<String, Option<Arc<Dataset>>>;
