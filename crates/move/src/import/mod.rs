//! What has to move from an Oozie: for each live job its files and its state, and what is missing on this machine.
//!
//! The jobs come from an export of an Oozie database, from a running Oozie, or from a folder of applications. Nothing
//! is stored, and no file is written: the caller writes those of each job.

mod answers;
mod applications;
mod export;
mod missing;
mod needs;
mod zones;

pub use answers::answers;
pub use applications::applications;
pub use export::export;
pub(crate) use export::zone_of_rows;

use crate::oozie_export::JobState;
use howdah_engine::settings::Settings;
use howdah_host::mounts::Mounts;
use howdah_words::error::Error;
use howdah_words::model::id::JobKind;

/// The machine to which the jobs move.
#[derive(Clone, Copy)]
pub struct Machine<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub struct Import {
    pub jobs: Vec<ImportedJob>,
    /// Workflow jobs that are not over: they stay where they are.
    pub workflows: Vec<String>,
    /// The states of the coordinators and bundles that are over: a takeover reads how actions ended.
    pub over: Vec<JobState>,
    /// The zone of the export's dates, and how many others fit too.
    pub zone: Option<String>,
    pub other_zones: usize,
    /// Rows that cannot be used.
    pub problems: Vec<Error>,
}

/// A live job.
#[derive(Debug)]
pub struct ImportedJob {
    pub kind: JobKind,
    pub state: JobState,
    pub uses: Uses,
    pub missing: Vec<Missing>,
    /// Name and content.
    pub files: Vec<(String, String)>,
}

/// What a job uses.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    pub workflow: Option<String>,
    /// `scheme://authority` of its data and its applications.
    pub stores: Vec<String>,
    /// The types of the workflow's actions.
    pub actions: Vec<String>,
    pub credentials: Vec<String>,
}

/// What a job needs and this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Missing {
    pub what: String,
    /// The line to fix it.
    pub fix: String,
}

impl ImportedJob {
    fn new(kind: JobKind, state: JobState) -> Self {
        Self { kind, state, uses: Uses::default(), missing: Vec::new(), files: Vec::new() }
    }
}
