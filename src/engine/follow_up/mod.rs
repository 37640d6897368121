//! What follows from what happened: alerts of the site, and the reruns and suspensions of its failure policy.
//!
//! A change notes an incident in its own transaction (`engine::transition`). Here one transaction removes the incident
//! and stores what follows: deliveries in the outbox, a planned rerun, a suspended job. So each incident has its
//! consequences exactly once, whatever process dies.

mod alert;
mod message;
mod policy;
mod rerun;
mod watch;

pub(crate) use rerun::rerun_due;
pub(crate) use watch::{is_runner_lost, note_overdue, note_runner_loss};

use crate::engine::Engine;
use crate::engine::verbs::recall;
use crate::error::Result;
use crate::host::fault::fault_point;
use crate::model::time::Timestamp;

/// The most incidents of one transaction.
const MOST_AT_ONCE: u32 = 500;

/// Stores what follows from the incidents so far.
///
/// # Errors
/// A failure of the database.
pub(crate) fn settle(engine: &mut Engine, now: Timestamp) -> Result<()> {
    let mut suspended = false;
    // Most often there is none, and a read is enough to know it.
    while !engine.store.read(|snapshot| snapshot.incidents(1))?.is_empty() {
        let Engine { store, settings, .. } = &mut *engine;
        fault_point("before-incidents-commit");
        store.transact(|transaction| {
            for incident in transaction.incidents(MOST_AT_ONCE)? {
                suspended |= policy::judge(transaction, settings, &incident, now)?;
                alert::raise(transaction, &settings.alerts, &incident)?;
                transaction.delete_incident(incident.incident)?;
                fault_point("inside-incidents-commit");
            }
            Ok(())
        })?;
        fault_point("after-incidents-commit");
    }
    if suspended {
        recall::recall_starts(engine)?;
    }
    Ok(())
}
