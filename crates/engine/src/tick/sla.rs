//! The last step of a tick: records the due events of every SLA registration, each event once.

use crate::settings::sla::SlaSettings;
use crate::sla::{alert, observation};
use crate::tick::context::Tick;
use howdah_oozie::sla::machine::SlaMachine as _;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::row::SlaRegistration;
use howdah_words::model::time::Timestamp;

/// The most registrations that are checked in one transaction.
pub(crate) const MOST_AT_ONCE: u32 = 500;

/// Records the due events of every registration, each once.
pub fn record(tick: &mut Tick<'_>) -> Result<()> {
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
pub fn observe(
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
