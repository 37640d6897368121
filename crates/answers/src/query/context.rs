//! What every query reads from: one snapshot of the database and one state of the machine.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use howdah_engine::Engine;
use howdah_engine::apply::selection::existing;
use howdah_engine::compiled::{Application, Applications};
use howdah_engine::lookup::unknown;
use howdah_engine::runner::problem::Problem;
use howdah_engine::runner::settings_check;
use howdah_engine::settings::Settings;
use howdah_engine::store_failure;
use howdah_host::lock;
use howdah_host::mounts::Mounts;
use howdah_host::presence::{PresenceCache, Servers};
use howdah_host::user_set::UserSet;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::SitePause;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob, WorkflowJob};
use howdah_words::model::time::Timestamp;

/// One snapshot of the database with what is known of the machine.
pub struct Query<'a> {
    pub snapshot: &'a Snapshot,
    pub settings: &'a Settings,
    pub presence: &'a PresenceCache<'a>,
    pub now: Timestamp,
    /// Whether a runner advances workflow jobs.
    pub(crate) runner_at_work: bool,
    /// Where the runner writes its errors.
    pub runner_log: PathBuf,
    /// What keeps the runner from its work, in its own words.
    pub problems: BTreeSet<Problem>,
    /// Since when all jobs are paused, and by whom.
    pub site_pause: Option<SitePause>,
    /// Why a daemon does not notice all new files, in its own words.
    pub unwatched: Option<String>,
    pub applications: &'a mut Applications,
    pub mounts: &'a Mounts,
    /// As in the engine.
    pub(crate) reads_for: &'a Option<UserSet>,
}

/// Runs queries on one snapshot of the database.
///
/// # Errors
/// The error of `work`, or a failure of the database.
pub fn run<T>(engine: &mut Engine, now: Timestamp, work: impl FnOnce(&mut Query<'_>) -> Result<T>) -> Result<T> {
    // A lock that cannot be read must not hide the jobs; then a runner is assumed to run.
    let runner_at_work = lock::is_held(&engine.runner_lock()).unwrap_or(true);
    let (problems, unwatched) = settings_check::published(engine);
    let runner_log = engine.runner_log();
    let Engine { store, settings, mounts, applications, reads_for, .. } = engine;
    store.read(|snapshot| {
        // A query asks each store: only a tick leaves one alone.
        let failing = store_failure::failing(&snapshot.store_failures()?, false, now);
        let presence = PresenceCache::with(mounts, Servers::with(failing), false);
        work(&mut Query {
            snapshot,
            settings,
            presence: &presence,
            now,
            runner_at_work,
            runner_log,
            problems,
            site_pause: snapshot.site_pause()?,
            unwatched,
            applications,
            mounts,
            reads_for,
        })
    })
}

impl Query<'_> {
    /// Returns the compiled application of a job's version.
    pub fn application(&mut self, job: &CoordinatorJob, version: u32) -> Result<Arc<Application>> {
        self.applications.load(self.snapshot, job, version, &self.settings.submit)
    }

    /// Returns the coordinator job of an id; E0604 when there is none.
    pub fn coordinator_job(&self, id: &JobId) -> Result<CoordinatorJob> {
        self.snapshot.coordinator_job(id)?.ok_or_else(|| unknown(id))
    }

    /// Returns the workflow job of an id; E0604 when there is none.
    pub fn workflow_job(&self, id: &JobId) -> Result<WorkflowJob> {
        self.snapshot.workflow_job(id)?.ok_or_else(|| unknown(id))
    }

    /// Returns an action of a job; E0605 when it does not exist, with help that says which exist.
    pub fn coordinator_action(&self, job: &CoordinatorJob, number: u32) -> Result<CoordinatorAction> {
        let key = ActionKey { job: job.job, number };
        if let Some(action) = self.snapshot.coordinator_action(key)? {
            return Ok(action);
        }
        let error = Error::new(ErrorCode::E0605, format!("{}@{number}", job.id));
        Err(error.help(existing(self.snapshot, job)?))
    }
}
