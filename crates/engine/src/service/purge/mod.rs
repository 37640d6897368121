//! `db purge`: deletes jobs that ended long ago, with their actions, events, attempts, texts and the folders of their
//! runs.
//!
//! As in Oozie's `PurgeXCommand`, a family is deleted as a whole: a workflow job of a coordinator or of another
//! workflow only together with it, a coordinator of a bundle only with the bundle, and only when all parts ended long
//! enough ago. A tick starts a purge as a process of its own when one is due (`schedule`). Every transaction is short,
//! so other processes can write in between. A folder is deleted after the transaction that deleted its job; after a
//! crash in between the folder belongs to no job, and the next purge finds it.

pub mod age;
mod folders;
pub mod purged;
pub mod schedule;

use std::time::Duration;

use crate::Engine;
use crate::service::purge::folders::Folders;
use crate::service::purge::purged::Purged;
use crate::settings::purge::PurgeSettings;
use crate::verbs::rerun::lock;
use howdah_host::clock;
use howdah_host::fault::fault_point;
use howdah_store::{Counts, EndedBefore, Limit, Transaction};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::row::{CoordinatorKey, WorkflowKey};
use howdah_words::model::time::{DAY, Timestamp};

/// Rows of one table that one transaction deletes.
const ROWS_AT_ONCE: u32 = 10_000;
/// Workflow jobs without a parent, each with its whole family, that one transaction deletes.
const WORKFLOWS_AT_ONCE: u32 = 500;
/// Pause between two transactions, so that other processes that retry a write can get the lock.
const PAUSE: Duration = Duration::from_millis(20);

/// The order of a purge.
#[derive(Clone, Copy, Debug)]
pub struct PurgeOrder {
    pub ended: EndedBefore,
    pub effect: Effect,
}

impl PurgeOrder {
    /// Returns everything that ended so many seconds ago, or, without an age, as long ago as the site says.
    pub fn new(age: Option<i64>, settings: &PurgeSettings, now: Timestamp, effect: Effect) -> Self {
        let before = |days: u32| now - age.unwrap_or(i64::from(days) * DAY);
        let ended = EndedBefore {
            workflow: before(settings.workflow_days),
            coordinator: before(settings.coordinator_days),
            bundle: before(settings.bundle_days),
        };
        Self { ended, effect }
    }
}

/// Deletes what the order says, or reports what would be deleted.
///
/// # Errors
/// A failure of the database, H0108 while a rerun is running, H0123 when the folder of the runs cannot be opened. What
/// was deleted before stays deleted.
pub fn purge(engine: &mut Engine, order: &PurgeOrder) -> Result<Purged> {
    let folders = Folders::open(&engine.run_folder(), order.effect)?;
    let mut purge = Purge { engine, order, folders, rows: Counts::default(), done: Purged::default() };
    purge.bundles()?;
    purge.coordinators()?;
    purge.workflows()?;
    purge.leftovers()?;
    if order.effect == Effect::Stored {
        purge.done.texts = Some(purge.engine.store.purge_documents(|| clock::pause(PAUSE))?);
    }
    purge.done.count(&purge.rows);
    purge.done.free_bytes = purge.engine.store.read(howdah_store::Snapshot::free_bytes)?;
    Ok(purge.done)
}

/// The state of a running purge.
struct Purge<'a> {
    engine: &'a mut Engine,
    order: &'a PurgeOrder,
    folders: Folders,
    rows: Counts,
    done: Purged,
}

impl Purge<'_> {
    fn bundles(&mut self) -> Result<()> {
        let PurgeOrder { ended, effect } = *self.order;
        for bundle in self.engine.store.read(|snapshot| snapshot.ended_bundles(ended.bundle))? {
            let members = self.decide(|transaction| transaction.condemn_bundle(bundle, &ended))?;
            let Some(members) = members else { continue };
            fault_point("after-condemned");
            for member in members {
                self.coordinator(member)?;
            }
            let rows = &mut self.rows;
            self.engine.store.transact_for(effect, |transaction| transaction.purge_bundle(bundle, effect, rows))?;
        }
        Ok(())
    }

    fn coordinators(&mut self) -> Result<()> {
        let ended = self.order.ended;
        for job in self.engine.store.read(|snapshot| snapshot.ended_coordinators(ended.coordinator))? {
            if self.decide(|transaction| transaction.condemn_coordinator(job, &ended))? {
                fault_point("after-condemned");
                self.coordinator(job)?;
            }
        }
        Ok(())
    }

    /// Decides that something may be deleted, while no rerun runs: a rerun deletes outputs before it writes its change.
    fn decide<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let effect = self.order.effect;
        let _lock = (effect == Effect::Stored).then(|| lock::lock(self.engine)).transpose()?;
        self.engine.store.transact_for(effect, work)
    }

    /// Deletes a marked coordinator: its workflow jobs, its parts, itself.
    fn coordinator(&mut self, job: CoordinatorKey) -> Result<()> {
        let effect = self.order.effect;
        // All of it is over, so no times are compared again.
        let any_time = (Timestamp::from_seconds(i64::MAX), effect);
        loop {
            let store = &self.engine.store;
            let roots = store.read(|snapshot| snapshot.workflows_of(job, self.limit(WORKFLOWS_AT_ONCE)))?;
            if roots.is_empty() || self.family(&roots, any_time)? == 0 || effect == Effect::DryRun {
                break;
            }
        }
        let limit = self.limit(ROWS_AT_ONCE);
        loop {
            let (store, rows) = (&mut self.engine.store, &mut self.rows);
            if !store.transact_for(effect, |transaction| transaction.purge_parts(job, (limit, effect), rows))? {
                break;
            }
            fault_point("after-purged-parts");
            clock::pause(PAUSE);
        }
        let (store, rows) = (&mut self.engine.store, &mut self.rows);
        store.transact_for(effect, |transaction| transaction.purge_coordinator(job, effect, rows))
    }

    /// Deletes the workflow jobs without a parent.
    fn workflows(&mut self) -> Result<()> {
        let PurgeOrder { ended, effect } = *self.order;
        let mut after = WorkflowKey::default();
        loop {
            let store = &self.engine.store;
            let roots = store.read(|snapshot| snapshot.ended_workflows(ended.workflow, after, WORKFLOWS_AT_ONCE))?;
            let Some(last) = roots.last() else { return Ok(()) };
            after = *last;
            self.family(&roots, (ended.workflow, effect))?;
        }
    }

    /// Deletes workflow jobs with their descendants, then their folders; returns how many jobs were deleted.
    fn family(&mut self, roots: &[WorkflowKey], (before, effect): (Timestamp, Effect)) -> Result<usize> {
        let (store, rows) = (&mut self.engine.store, &mut self.rows);
        let gone =
            store.transact_for(effect, |transaction| transaction.purge_workflows(roots, (before, effect), rows))?;
        fault_point("after-purge-commit");
        for id in &gone {
            self.folders.remove(id.as_str(), &mut self.done);
        }
        if effect == Effect::Stored {
            clock::pause(PAUSE);
        }
        Ok(gone.len())
    }

    /// Deletes the folders that an earlier purge left behind.
    fn leftovers(&mut self) -> Result<()> {
        for ids in self.folders.old(self.order.ended.workflow)?.chunks(WORKFLOWS_AT_ONCE as usize) {
            for id in self.engine.store.read(|snapshot| snapshot.unknown_workflows(ids))? {
                self.folders.remove(id.as_str(), &mut self.done);
            }
        }
        Ok(())
    }

    /// Returns the limit of rows; a dry run has none.
    fn limit(&self, rows: u32) -> Limit {
        if self.order.effect == Effect::Stored { Limit::Rows(rows) } else { Limit::None }
    }
}
