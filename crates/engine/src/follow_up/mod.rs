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

use crate::settings::Settings;
use crate::tick_record::TickRecord;
use crate::verbs::recall;
use crate::{Engine, stored_policy};
use howdah_host::fault::fault_point;
use howdah_store::{Snapshot, Transaction};
use howdah_words::error::Result;
use howdah_words::model::row::{Incident, IncidentState};
use howdah_words::model::time::Timestamp;

/// The most incidents of one transaction.
const MOST_AT_ONCE: u32 = 500;

/// Who asks what follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// A process that knows the settings of the site.
    Site,
    /// A process without the site file, which a user's shell may have started: it acts for the jobs with a policy of
    /// their own, and leaves the rest to the next tick with the file.
    Jobs,
}

impl Authority {
    /// Returns the authority of a process that ticks, other than a runner: without a site file it knows the settings of
    /// the site only where ticks have none either.
    pub(crate) fn of_tick(engine: &Engine) -> Self {
        if TickRecord::missing_site(engine).is_none() { Self::Site } else { Self::Jobs }
    }

    /// Returns the authority of a runner.
    pub(crate) fn of_runner(engine: &Engine) -> Self {
        if engine.settings.file.is_some() { Self::Site } else { Self::Jobs }
    }
}

/// Stores what follows from the incidents so far.
///
/// # Errors
/// A failure of the database.
pub fn settle(engine: &mut Engine, authority: Authority, now: Timestamp) -> Result<()> {
    let pending = |snapshot: &Snapshot, most: u32| match authority {
        Authority::Site => snapshot.incidents(most),
        Authority::Jobs => snapshot.new_incidents(most),
    };
    let mut suspended = false;
    // Most often there is none, and a read is enough to know it.
    while !engine.store.read(|snapshot| pending(snapshot, 1))?.is_empty() {
        let Engine { store, settings, .. } = &mut *engine;
        fault_point("before-incidents-commit");
        store.transact(|transaction| {
            for incident in pending(transaction, MOST_AT_ONCE)? {
                suspended |= match authority {
                    Authority::Site => settle_one(transaction, settings, &incident, now)?,
                    Authority::Jobs => judge_own(transaction, settings, &incident, now)?,
                };
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

/// As [`settle`], for a caller that comes often: the authority, which a file says, is found out only when there is an
/// incident.
///
/// # Errors
/// As [`settle`].
pub(crate) fn settle_any(engine: &mut Engine, authority: fn(&Engine) -> Authority, now: Timestamp) -> Result<()> {
    if engine.store.read(|snapshot| snapshot.incidents(1))?.is_empty() {
        return Ok(());
    }
    let authority = authority(engine);
    settle(engine, authority, now)
}

/// Stores what follows from one incident, and removes it; returns whether a job was suspended.
fn settle_one(transaction: &Transaction<'_>, settings: &Settings, incident: &Incident, now: Timestamp) -> Result<bool> {
    let is_judged = incident.state == IncidentState::Judged;
    let suspended = !is_judged && policy::judge(transaction, settings, incident, now)?;
    alert::raise(transaction, &settings.alerts, incident)?;
    transaction.delete_incident(incident.incident)?;
    Ok(suspended)
}

/// Does what the policy of the job itself says of an incident; returns whether the job was suspended.
fn judge_own(transaction: &Transaction<'_>, settings: &Settings, incident: &Incident, now: Timestamp) -> Result<bool> {
    let job = incident.coordinator_job.map(|job| transaction.coordinator_job_at(job)).transpose()?.flatten();
    let is_own = job.map(|job| stored_policy::is_own(transaction, &job)).transpose()?.is_some_and(|is_own| is_own);
    let state = if is_own { IncidentState::Judged } else { IncidentState::Left };
    transaction.set_incident_state(incident.incident, state)?;
    if is_own { policy::judge(transaction, settings, incident, now) } else { Ok(false) }
}
