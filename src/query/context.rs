//! One look at the database and the machine: what every query reads from.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::compiled::{Application, Applications};
use crate::engine::lookup::unknown;
use crate::engine::runner::settings_check;
use crate::engine::runner::trouble::Trouble;
use crate::engine::settings::Settings;
use crate::error::{Error, ErrorCode, Result};
use crate::host::lock;
use crate::host::mounts::Mounts;
use crate::host::presence::PresenceCache;
use crate::model::id::JobId;
use crate::model::time::Timestamp;
use crate::store::{ActionKey, CoordinatorAction, CoordinatorJob, Snapshot, WorkflowJob};

/// One look at the database and the machine.
pub(crate) struct Look<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) settings: &'a Settings,
    pub(crate) presence: &'a PresenceCache<'a>,
    pub(crate) now: Timestamp,
    /// Whether a process carries workflow jobs on.
    pub(crate) runner_at_work: bool,
    /// Where that process complains.
    pub(crate) runner_log: PathBuf,
    /// What is in its way, as it says itself.
    pub(crate) troubles: BTreeSet<Trouble>,
    pub(crate) applications: &'a mut Applications,
    pub(crate) mounts: &'a Mounts,
}

/// Looks at one state of the database.
///
/// # Errors
/// Whatever `work` answers, or a failure of the database.
pub(crate) fn look<T>(engine: &mut Engine, now: Timestamp, work: impl FnOnce(&mut Look<'_>) -> Result<T>) -> Result<T> {
    // Whoever only looks sees the jobs all the same when the lock cannot be looked at; then one is taken to be at work.
    let runner_at_work = lock::is_held(&engine.runner_lock()).unwrap_or(true);
    let troubles = settings_check::troubles(engine);
    let runner_log = engine.runner_log();
    let Engine { store, settings, mounts, applications, .. } = engine;
    let presence = PresenceCache::new(mounts);
    store.read(|snapshot| {
        work(&mut Look {
            snapshot,
            settings,
            presence: &presence,
            now,
            runner_at_work,
            runner_log,
            troubles,
            applications,
            mounts,
        })
    })
}

impl Look<'_> {
    /// The compiled application of a job's version.
    pub(crate) fn application(&mut self, job: &CoordinatorJob, version: u32) -> Result<Arc<Application>> {
        self.applications.load(self.snapshot, job, version, &self.settings.submit)
    }

    /// The coordinator job of an id; E0604 when there is none.
    pub(crate) fn coordinator_job(&self, id: &JobId) -> Result<CoordinatorJob> {
        self.snapshot.coordinator_job(id)?.ok_or_else(|| unknown(id))
    }

    /// The workflow job of an id; E0604 when there is none.
    pub(crate) fn workflow_job(&self, id: &JobId) -> Result<WorkflowJob> {
        self.snapshot.workflow_job(id)?.ok_or_else(|| unknown(id))
    }

    /// An action of a job; E0605 when it does not exist, with help that says which exist.
    pub(crate) fn coordinator_action(&self, job: &CoordinatorJob, number: u32) -> Result<CoordinatorAction> {
        let key = ActionKey { job: job.job, number };
        self.snapshot.coordinator_action(key)?.ok_or_else(|| {
            let help = match job.last_action_number {
                0 => "the job has no action yet; `howdah explain` says why".to_owned(),
                last => format!("the job's actions so far are 1 to {last}"),
            };
            Error::new(ErrorCode::E0605, format!("{}@{number}", job.id)).help(help)
        })
    }
}
