//! The engine: what tick, the runner and the commands do to the database and the machine.
//!
//! Each step loads what is due, decides through the pure modules, writes status, event and intent in one
//! transaction, then acts. Must never decide what a pure function could have decided, and never print.

pub(crate) mod again;
pub(crate) mod application;
pub(crate) mod backlog;
pub(crate) mod bundle;
mod change;
mod clock;
pub(crate) mod command;
pub(crate) mod companion;
pub(crate) mod courier;
pub(crate) mod decision;
pub(crate) mod drive;
pub(crate) mod dryrun;
pub(crate) mod evaluate;
mod expression;
mod given_values;
pub(crate) mod input_check;
pub(crate) mod materialize;
pub(crate) mod next;
pub(crate) mod notification;
pub(crate) mod outlook;
mod owner;
mod pause;
pub(crate) mod place;
pub(crate) mod purge;
mod readiness;
mod reason;
pub(crate) mod settings;
pub(crate) mod sla;
pub(crate) mod source;
pub(crate) mod start;
pub(crate) mod submit;
pub(crate) mod terms;
pub(crate) mod tick;
mod trial;
mod unused;
pub(crate) mod validate;
pub(crate) mod view;
pub(crate) mod words;
pub(crate) mod workflow;
pub(crate) mod zones;

#[cfg(feature = "internals")]
pub(crate) use change::Cause;

use std::path::{Path, PathBuf};

use crate::engine::application::Applications;
use crate::engine::backlog::Backlog;
use crate::engine::settings::Settings;
use crate::error::{Error, ErrorCode, Result};
use crate::host::files;
use crate::host::mounts::Mounts;
use crate::model::Properties;
use crate::store::Store;

/// An open database with everything that is needed to work on it.
pub(crate) struct Engine {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) mounts: Mounts,
    /// The time at which the clock of this command stands still, as the user wrote it; companions get the same.
    pub(crate) fixed_now: Option<String>,
    applications: Applications,
}

impl Engine {
    /// The engine on an open database.
    pub(crate) fn new(store: Store, settings: Settings, mounts: Mounts) -> Self {
        Self { store, settings, mounts, fixed_now: None, applications: Applications::default() }
    }

    /// The folder that holds a folder for each workflow job: `<database without .db>.runs`.
    pub(crate) fn run_folder(&self) -> PathBuf {
        run_folder(self.store.path())
    }

    /// The file whose lock says that a tick is running.
    pub(crate) fn tick_lock(&self) -> PathBuf {
        tick_lock(self.store.path())
    }

    /// The file whose lock says that a runner is running.
    pub(crate) fn runner_lock(&self) -> PathBuf {
        runner_lock(self.store.path())
    }

    /// The file whose lock says that a rerun is at work.
    pub(crate) fn rerun_lock(&self) -> PathBuf {
        appended(self.store.path(), RERUN_LOCK)
    }

    /// The file in which a runner, and the shims it starts, complain.
    pub(crate) fn runner_log(&self) -> PathBuf {
        appended(self.store.path(), RUNNER_LOG)
    }

    /// The file whose lock says that a courier is at work.
    pub(crate) fn courier_lock(&self) -> PathBuf {
        appended(self.store.path(), COURIER_LOCK)
    }

    /// The file in which a courier complains.
    pub(crate) fn courier_log(&self) -> PathBuf {
        appended(self.store.path(), COURIER_LOG)
    }

    /// What belongs to howdah, whether it is there now or not, and is therefore never deleted for a job: the database
    /// with what SQLite keeps beside it, the folder of the attempts, the locks and the logs.
    pub(crate) fn own_files(&self) -> Vec<PathBuf> {
        let database = self.store.path();
        let itself = [database.to_owned(), files::resolved(database)];
        itself.into_iter().chain(files_beside(database)).collect()
    }
}

/// The ends of the names of what stands beside a database.
const TICK_LOCK: &str = ".tick.lock";
const RUNNER_LOCK: &str = ".runner.lock";
const RERUN_LOCK: &str = ".rerun.lock";
const COURIER_LOCK: &str = ".courier.lock";
const RUNNER_LOG: &str = ".runner.log";
const COURIER_LOG: &str = ".courier.log";

/// What howdah and SQLite keep beside a database, whether it is there now or not.
pub(crate) fn files_beside(database: &Path) -> Vec<PathBuf> {
    // SQLite writes beside the file itself, not beside a link to it.
    let real = files::resolved(database);
    let of_sqlite = [database, &real]
        .into_iter()
        .flat_map(|database| ["-wal", "-shm", "-journal"].map(|suffix| appended(database, suffix)));
    let own = [TICK_LOCK, RUNNER_LOCK, RERUN_LOCK, COURIER_LOCK, RUNNER_LOG, COURIER_LOG];
    let own = own.map(|suffix| appended(database, suffix));
    of_sqlite.chain([run_folder(database)]).chain(own).collect()
}

/// The folder that holds a folder for each workflow job.
fn run_folder(database: &Path) -> PathBuf {
    beside(database, "runs")
}

/// The file whose lock says that a tick is running on a database.
pub(crate) fn tick_lock(database: &Path) -> PathBuf {
    appended(database, TICK_LOCK)
}

/// The file whose lock says that a runner is running on a database.
pub(crate) fn runner_lock(database: &Path) -> PathBuf {
    appended(database, RUNNER_LOCK)
}

fn appended(database: &Path, suffix: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn beside(database: &Path, extension: &str) -> PathBuf {
    database.with_extension(extension)
}

/// What a step did, for whoever shows it.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) materialized: u64,
    pub(crate) started: u64,
    pub(crate) timed_out: u64,
    pub(crate) skipped: u64,
    /// Jobs with more past actions than one tick creates, and what this one left of them.
    pub(crate) postponed: Vec<Backlog>,
    /// What went wrong and was recorded; one line each on standard error.
    pub(crate) faults: Vec<Fault>,
}

/// A fault of one job or action that did not stop the step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The id of the job or action.
    pub(crate) subject: String,
    pub(crate) error: Error,
}

impl Report {
    /// Whether anything was done or went wrong.
    pub(crate) fn is_quiet(&self) -> bool {
        self.materialized + self.started + self.timed_out + self.skipped == 0 && self.faults.is_empty()
    }

    /// Notes that the machine cannot tell what a job needs to know: one line for each job, however much it cannot tell.
    fn unknown(&mut self, subject: &str, error: Error) {
        if !self.faults.iter().any(|known| known.subject == subject && known.error.may_pass()) {
            self.fault(subject, error);
        }
    }

    /// Notes a fault, once.
    fn fault(&mut self, subject: impl Into<String>, error: Error) {
        let fault = Fault { subject: subject.into(), error };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}

/// The properties of a job as stored: the text of a JSON object.
pub(crate) fn properties_text(properties: &Properties) -> String {
    serde_json::to_string(properties).expect("texts become JSON")
}

/// Reads back [`properties_text`].
///
/// # Errors
/// H0107 for a text that is not ours.
pub(crate) fn read_properties(text: &str) -> Result<Properties> {
    serde_json::from_str(text).map_err(|error| Error::with(ErrorCode::H0107, &[&"stored properties", &error]))
}
