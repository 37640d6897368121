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

pub(crate) use answers::answers;
pub(crate) use applications::applications;
pub(crate) use export::export;
pub(in crate::check) use export::zone_of_rows;

use crate::engine::settings::Settings;
use crate::error::Error;
use crate::host::mounts::Mounts;
use crate::model::id::JobKind;
use crate::oozie_export::JobState;

/// The machine to which the jobs move.
#[derive(Clone, Copy)]
pub(crate) struct Machine<'a> {
    pub(crate) mounts: &'a Mounts,
    pub(crate) settings: &'a Settings,
}

/// Everything that was found.
#[derive(Debug, Default)]
pub(crate) struct Import {
    pub(crate) jobs: Vec<ImportedJob>,
    /// Workflow jobs that are not over: they stay where they are.
    pub(crate) workflows: Vec<String>,
    /// The states of the coordinators and bundles that are over: a takeover reads how actions ended.
    pub(crate) over: Vec<JobState>,
    /// The zone of the export's dates, and how many others fit too.
    pub(crate) zone: Option<String>,
    pub(crate) other_zones: usize,
    /// Rows that cannot be used.
    pub(crate) problems: Vec<Error>,
}

/// A live job.
#[derive(Debug)]
pub(crate) struct ImportedJob {
    pub(crate) kind: JobKind,
    pub(crate) state: JobState,
    pub(crate) uses: Uses,
    pub(crate) missing: Vec<Missing>,
    /// Name and content.
    pub(crate) files: Vec<(String, String)>,
}

/// What a job uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    pub(crate) workflow: Option<String>,
    /// `scheme://authority` of its data and its applications.
    pub(crate) stores: Vec<String>,
    /// The types of the workflow's actions.
    pub(crate) actions: Vec<String>,
    pub(crate) credentials: Vec<String>,
}

/// What a job needs and this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Missing {
    pub(crate) what: String,
    /// The line to fix it.
    pub(crate) fix: String,
}

impl ImportedJob {
    fn new(kind: JobKind, state: JobState) -> Self {
        Self { kind, state, uses: Uses::default(), missing: Vec::new(), files: Vec::new() }
    }
}
