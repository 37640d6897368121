//! What has to move from an Oozie: for each live job its files and its state, and what is missing on this machine.
//!
//! The jobs come from an export of an Oozie database or from a folder of applications. Nothing is stored, and no file
//! is written: the caller writes those of each job.

mod applications;
mod export;
mod missing;
mod needs;

pub(crate) use applications::applications;
pub(crate) use export::export;

use crate::engine::settings::Settings;
use crate::error::Error;
use crate::host::mounts::Mounts;
use crate::model::id::JobKind;
use crate::model::time::Timestamp;

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
    /// The zone of the export's dates.
    pub(crate) zone: Option<String>,
    /// Rows that cannot be used.
    pub(crate) problems: Vec<Error>,
}

/// A live job.
#[derive(Debug)]
pub(crate) struct ImportedJob {
    pub(crate) kind: JobKind,
    /// `None` for an application that was never submitted.
    pub(crate) id: Option<String>,
    pub(crate) name: String,
    pub(crate) user: String,
    pub(crate) status: Option<String>,
    /// The id of the bundle to which it belongs.
    pub(crate) bundle: Option<String>,
    pub(crate) last_action: Option<u32>,
    pub(crate) next: Option<Timestamp>,
    pub(crate) end: Option<Timestamp>,
    pub(crate) pause: Option<Timestamp>,
    /// The actions that are not over: number and status.
    pub(crate) open: Vec<(u32, String)>,
    pub(crate) uses: Uses,
    pub(crate) missing: Vec<Missing>,
    /// Name and content.
    pub(crate) files: Vec<(String, String)>,
}

/// What a job uses.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    pub(crate) application: String,
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
    fn new(kind: JobKind, name: String, user: String) -> Self {
        Self {
            kind,
            id: None,
            name,
            user,
            status: None,
            bundle: None,
            last_action: None,
            next: None,
            end: None,
            pause: None,
            open: Vec::new(),
            uses: Uses::default(),
            missing: Vec::new(),
            files: Vec::new(),
        }
    }
}
