//! Whether a tick starts a purge: when one is due and something is old enough.

use crate::Engine;
use crate::purge_record::PurgeRecord;
use crate::service::purge::PurgeOrder;
use crate::tick_record::TickRecord;
use howdah_host::lock;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::row::WorkflowKey;
use howdah_words::model::time::Timestamp;

/// Checks whether the site wants a purge now. A process without the site file of the ticks does not know what the site
/// wants to keep, so it purges nothing.
pub fn is_due(engine: &Engine, now: Timestamp) -> bool {
    let settings = &engine.settings.purge;
    let is_due = || PurgeRecord::read(engine).is_none_or(|record| record.is_due(settings.interval_seconds, now));
    settings.is_on && is_due() && TickRecord::missing_site(engine).is_none()
}

/// Returns the order of the purge that ticks start. Ages count up to the last time that a tick has accepted: a clock
/// that leaps ahead must delete nothing. `None` before the first tick.
///
/// # Errors
/// A failure of the database.
pub fn order(engine: &Engine) -> Result<Option<PurgeOrder>> {
    let accepted = engine.store.read(Snapshot::last_tick_at)?;
    Ok(accepted.map(|accepted| PurgeOrder::new(None, &engine.settings.purge, accepted, Effect::Stored)))
}

/// Checks whether a purge that is due has something to do: a process need not be started for nothing, and then the
/// record says that there was nothing.
///
/// # Errors
/// A failure of the database or of the lock.
pub fn is_wanted(engine: &Engine, now: Timestamp) -> Result<bool> {
    if !is_due(engine, now) {
        return Ok(false);
    }
    let Some(PurgeOrder { ended, .. }) = order(engine)? else { return Ok(false) };
    if PurgeRecord::read(engine).is_some_and(|record| !record.is_over()) {
        // It may have left folders whose jobs are deleted already.
        return Ok(true);
    }
    let has_old = engine.store.read(|snapshot| {
        Ok(!snapshot.ended_bundles(ended.bundle)?.is_empty()
            || !snapshot.ended_coordinators(ended.coordinator)?.is_empty()
            || !snapshot.ended_workflows(ended.workflow, WorkflowKey::default(), 1)?.is_empty())
    })?;
    if !has_old && let Some(lock) = lock::try_lock(&engine.purge_lock())? {
        PurgeRecord::start(now).end([0; 3]).write(&lock);
    }
    Ok(has_old)
}
