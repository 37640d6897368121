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

pub(crate) use answers::{answers, members};
pub(crate) use applications::applications;
pub(crate) use export::export;
pub(in crate::check) use export::zone_of_rows;

use std::collections::BTreeMap;

use crate::engine::settings::Settings;
use crate::error::Error;
use crate::host::mounts::Mounts;
use crate::model::id::JobKind;
use crate::model::time::Timestamp;
use crate::oozie_export::{JobState, MemberState, OpenAction};

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
    pub(crate) concurrency: Option<i32>,
    /// The actions that are not over.
    pub(crate) open: Vec<OpenAction>,
    /// The numbers of the others, by status.
    pub(crate) ended: BTreeMap<String, Vec<u32>>,
    /// Those of them that were killed before they had a workflow job.
    pub(crate) killed_before_start: Vec<u32>,
    /// The coordinators of a bundle.
    pub(crate) coordinators: Vec<MemberState>,
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
            concurrency: None,
            open: Vec::new(),
            ended: BTreeMap::new(),
            killed_before_start: Vec::new(),
            coordinators: Vec::new(),
            uses: Uses::default(),
            missing: Vec::new(),
            files: Vec::new(),
        }
    }

    /// Returns the state of the job.
    pub(crate) fn state(&self) -> JobState {
        JobState {
            id: self.id.clone(),
            name: self.name.clone(),
            user: self.user.clone(),
            status: self.status.clone(),
            bundle: self.bundle.clone(),
            application: self.uses.application.clone(),
            last_action: self.last_action,
            next: self.next,
            end: self.end,
            pause: self.pause,
            concurrency: self.concurrency,
            open: self.open.clone(),
            ended: self.ended.clone(),
            killed_before_start: self.killed_before_start.clone(),
            coordinators: self.coordinators.clone(),
        }
    }
}
