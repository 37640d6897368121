//! The engine: what tick, the runner and the commands do to the database and the machine.
//!
//! Each step loads what is due, decides through the pure modules, writes status, event and intent in one transaction,
//! then acts. Must not decide what a pure function can decide, and must not print.

pub(crate) mod action_defaults;
pub mod application_files;
pub mod application_path;
pub mod apply;
pub mod catch_up;
pub mod compiled;
pub mod copy_check;
pub mod default_configuration;
pub mod definition_file;
pub mod due;
pub mod fault;
pub mod follow_up;
pub mod format;
pub mod host_functions;
pub mod inputs;
pub mod lookup;
pub mod nominal_times;
pub mod outbox;
pub mod overdue;
pub mod preview;
pub mod purge_record;
pub mod rerun;
pub mod run_as;
pub mod runner;
pub mod service;
pub mod settings;
pub mod shadow;
pub mod sla;
pub mod start_order;
pub mod store_failure;
pub mod stored_graph;
pub mod stored_policy;
pub mod stored_properties;
pub mod submit;
pub mod tick;
pub mod tick_record;
pub mod transition;
pub mod verbs;
pub mod waiting;

use std::path::{Path, PathBuf};

use crate::compiled::Applications;
use crate::nominal_times::BySchedule;
use crate::settings::Settings;
use howdah_host::files;
use howdah_host::log_file;
use howdah_host::mounts::Mounts;
use howdah_host::user_set::UserSet;
use howdah_store::Store;

/// An open database with everything that work on it needs.
pub struct Engine {
    pub store: Store,
    pub settings: Settings,
    pub mounts: Mounts,
    /// The fixed time of this command's clock, as the user wrote it; processes that it starts get the same.
    pub fixed_now: Option<String>,
    pub applications: Applications,
    /// Of whose jobs a reader sees the secret values; `None` for those for whom this process may work.
    pub reads_for: Option<UserSet>,
}

impl Engine {
    /// Returns the engine on an open database.
    pub fn new(mut store: Store, settings: Settings, mounts: Mounts) -> Self {
        store.ask_nominal_times(&BySchedule);
        Self { store, settings, mounts, fixed_now: None, applications: Applications::default(), reads_for: None }
    }

    /// Returns the folder with a folder for each workflow job: `<database without .db>.runs`.
    pub(crate) fn run_folder(&self) -> PathBuf {
        run_folder(self.store.path())
    }

    /// Returns the file whose lock says that a tick is running.
    pub fn tick_lock(&self) -> PathBuf {
        tick_lock(self.store.path())
    }

    /// Returns the file whose lock says that a runner is running.
    pub fn runner_lock(&self) -> PathBuf {
        runner_lock(self.store.path())
    }

    /// Returns the file whose lock says that a rerun is running.
    pub(crate) fn rerun_lock(&self) -> PathBuf {
        appended(self.store.path(), RERUN_LOCK)
    }

    /// Returns the file whose lock says that a purge is running, and which says what the last one did.
    pub fn purge_lock(&self) -> PathBuf {
        appended(self.store.path(), PURGE_LOCK)
    }

    /// Returns the journal of starts.
    pub fn start_journal(&self) -> PathBuf {
        start_journal(self.store.path())
    }

    /// Returns the file for messages of a runner, of the shims that it starts, and of purges.
    pub fn runner_log(&self) -> PathBuf {
        appended(self.store.path(), RUNNER_LOG)
    }

    /// Returns the file whose lock says that a courier is running.
    pub fn courier_lock(&self) -> PathBuf {
        appended(self.store.path(), COURIER_LOCK)
    }

    /// Returns the file for messages of a courier.
    pub(crate) fn courier_log(&self) -> PathBuf {
        appended(self.store.path(), COURIER_LOG)
    }

    /// Returns the files of howdah, whether they exist or not, which are never deleted for a job: the database with
    /// SQLite's files beside it, the folder of the attempts, the locks and the logs.
    pub fn own_files(&self) -> Vec<PathBuf> {
        let database = self.store.path();
        let itself = [database.to_owned(), files::resolved(database)];
        itself.into_iter().chain(files_beside(database)).collect()
    }
}

/// The suffixes of the files beside a database.
const TICK_LOCK: &str = ".tick.lock";
const RUNNER_LOCK: &str = ".runner.lock";
const RERUN_LOCK: &str = ".rerun.lock";
const COURIER_LOCK: &str = ".courier.lock";
const PURGE_LOCK: &str = ".purge.lock";
const START_JOURNAL: &str = ".starts";
const RUNNER_LOG: &str = ".runner.log";
const COURIER_LOG: &str = ".courier.log";

/// Returns the files of howdah and SQLite beside a database, whether they exist or not.
pub fn files_beside(database: &Path) -> Vec<PathBuf> {
    // SQLite writes beside the file itself, not beside a link to it.
    let real = files::resolved(database);
    let of_sqlite = [database, &real]
        .into_iter()
        .flat_map(|database| ["-wal", "-shm", "-journal"].map(|suffix| appended(database, suffix)));
    let own = [TICK_LOCK, RUNNER_LOCK, RERUN_LOCK, COURIER_LOCK, PURGE_LOCK, RUNNER_LOG, COURIER_LOG, START_JOURNAL];
    let own = own.map(|suffix| appended(database, suffix));
    let older = [RUNNER_LOG, COURIER_LOG].map(|log| log_file::older(&appended(database, log)));
    of_sqlite.chain([run_folder(database)]).chain(own).chain(older).collect()
}

/// Returns the folder with a folder for each workflow job.
pub(crate) fn run_folder(database: &Path) -> PathBuf {
    beside(database, "runs")
}

/// Returns the journal of starts of a database.
pub(crate) fn start_journal(database: &Path) -> PathBuf {
    appended(database, START_JOURNAL)
}

/// Returns the files whose locks are taken while a database is replaced.
pub(crate) fn all_locks(database: &Path) -> [PathBuf; 5] {
    [TICK_LOCK, RUNNER_LOCK, RERUN_LOCK, COURIER_LOCK, PURGE_LOCK].map(|suffix| appended(database, suffix))
}

/// Returns the file whose lock says that a tick is running on a database.
pub fn tick_lock(database: &Path) -> PathBuf {
    appended(database, TICK_LOCK)
}

/// Returns the file whose lock says that a runner is running on a database.
pub fn runner_lock(database: &Path) -> PathBuf {
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
