//! The last step of a tick: records the due events of every SLA registration, each event once.

use crate::engine::settings::sla::SlaSettings;
use crate::engine::sla::{alert, observation};
use crate::engine::tick::context::Tick;
use crate::error::Result;
use crate::model::row::SlaRegistration;
use crate::model::time::Timestamp;
use crate::store::Transaction;

/// The most registrations that are checked in one transaction.
pub(crate) const MOST_AT_ONCE: u32 = 500;

/// Records the due events of every registration, each once.
pub(crate) fn record(tick: &mut Tick<'_>) -> Result<()> {
    let now = tick.now;
    // Most ticks find nothing, and a read is enough to know it.
    while !tick.engine.store.read(|snapshot| snapshot.due_sla(now, 1))?.is_empty() {
        let settings = &tick.engine.settings.sla;
        tick.engine.store.transact(|transaction| {
            for registration in transaction.due_sla(now, MOST_AT_ONCE)? {
                observe(transaction, settings, registration, now)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// Observes the job of one registration, and stores the registration and its new events.
pub(crate) fn observe(
    transaction: &Transaction<'_>,
    settings: &SlaSettings,
    mut registration: SlaRegistration,
    now: Timestamp,
) -> Result<()> {
    let events = match observation::of(transaction, &registration)? {
        Some(seen) => {
            registration.job_status = seen.status;
            registration.observe(seen.observation, now)
        }
        None => Vec::new(),
    };
    // Always later than now, so that the loop of the step ends.
    registration.due_at = registration.next_check(settings.latency_seconds).map(|due| due.max(now + 1));
    registration.modified_at = now;
    transaction.update_sla(&registration)?;
    for event in events {
        alert::record(transaction, settings, &registration, event, now)?;
    }
    Ok(())
}
