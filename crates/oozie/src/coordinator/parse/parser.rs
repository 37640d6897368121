//! The state of reading one definition: the known properties, and the problems found so far.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::coordinator::phase::JobScope;
use crate::coordinator::settings::SubmitSettings;
use crate::dataset::Dataset;
use howdah_el::Knowledge;
use howdah_words::error::{Error, Location, Result, SourceText, Suggestions};

/// Reads the text of an included dataset file.
pub trait Includes {
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
pub struct Parser<'a> {
    pub job: JobScope<'a>,
    pub knowledge: Knowledge,
    pub settings: &'a SubmitSettings,
    /// The file being read: the definition itself, or one of its includes.
    pub source: Arc<SourceText>,
    pub problems: Vec<Error>,
    /// How many of the problems are refusals of a text.
    pub refusals: usize,
    /// Variables whose values are not known, each with the place of its first use.
    pub unknown_variables: BTreeMap<String, Location>,
    /// Whether an included file could not be read, so that its datasets are not known.
    pub(crate) include_lost: bool,
    /// Whether the text that is evaluated is a `<uri-template>`.
    pub(crate) is_uri_template: bool,
    pub suggestions: Suggestions,
}

/// The declared datasets of a definition by name; `None` for one that was refused or is not known.
pub type Datasets = BTreeMap<String, Option<Arc<Dataset>>>;
