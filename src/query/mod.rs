//! What an operator may see: queries that assemble plain structs under Oozie's REST field names.
//!
//! Each struct is printed as JSON as it is, and rendered as a table by `output`; both say the same. Looks and changes
//! nothing: one snapshot of the database and one look at each path per query. Must never print, and must never know
//! terminals.

pub(crate) mod attempt;
pub(crate) mod bulk;
pub(crate) mod bundle;
pub(crate) mod chain;
pub(crate) mod coordinator;
mod counts_by_kind;
pub(crate) mod delivery;
mod end_state;
pub(crate) mod events;
pub(crate) mod explain;
mod external_stats;
pub(crate) mod filter;
pub(crate) mod inputs;
pub(crate) mod kill_message;
pub(crate) mod log;
pub(crate) mod producer;
pub(crate) mod sla;
pub(crate) mod stored;
pub(crate) mod summary;
pub(crate) mod table_zone;
mod total;
pub(crate) mod workflow;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::Engine;
use crate::engine::compiled::{Application, Applications};
use crate::engine::runner::settings_check;
use crate::engine::runner::step::Trouble;
use crate::engine::settings::Settings;
use crate::engine::verbs::unknown;
use crate::error::{Error, ErrorCode, Result};
use crate::host::lock;
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
    runner_at_work: bool,
    /// Where that process complains.
    runner_log: PathBuf,
    /// What is in its way, as it says itself.
    troubles: BTreeSet<Trouble>,
    applications: &'a mut Applications,
    mounts: &'a crate::host::mounts::Mounts,
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
    fn application(&mut self, job: &CoordinatorJob, version: u32) -> Result<Arc<Application>> {
        self.applications.load(self.snapshot, job, version, &self.settings.submit)
    }

    /// The coordinator job of an id; E0604 when there is none.
    fn coordinator_job(&self, id: &JobId) -> Result<CoordinatorJob> {
        self.snapshot.coordinator_job(id)?.ok_or_else(|| unknown(id))
    }

    /// The workflow job of an id; E0604 when there is none.
    fn workflow_job(&self, id: &JobId) -> Result<WorkflowJob> {
        self.snapshot.workflow_job(id)?.ok_or_else(|| unknown(id))
    }

    /// An action of a job; E0605 when it does not exist, with help that says which exist.
    fn coordinator_action(&self, job: &CoordinatorJob, number: u32) -> Result<CoordinatorAction> {
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

#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
