//! Changes the status of bundles, with the event, in the open transaction.
//!
//! The transaction that changes a coordinator also sets the status of its bundle. A command that suspends or resumes
//! all coordinators changes the bundle once for each; [`hold`] keeps the bundle's status during the command.

use crate::transition::cause::Cause;
use crate::transition::incident;
use howdah_oozie::bundle::job_state::{self, Coordinators, JobEvent};
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::row::{BundleJob, BundleKey, Event};
use howdah_words::model::time::Timestamp;

/// Moves a bundle by an event and writes all of `job`; returns `false` when its status does not allow the event.
pub fn move_bundle(
    transaction: &Transaction<'_>,
    job: &mut BundleJob,
    event: JobEvent,
    cause: Cause<'_>,
) -> Result<bool> {
    match job_state::transition(job.status, event) {
        Some(to) => set_bundle_status(transaction, job, to, cause),
        None => Ok(false),
    }
}

/// Writes all of `job` and the status that follows from its coordinators.
pub fn settle_bundle(transaction: &Transaction<'_>, job: &mut BundleJob, cause: Cause<'_>) -> Result<()> {
    let mut coordinators = Coordinators::default();
    for member in transaction.bundle_members(job.job)? {
        match (member.status, &member.coordinator.error_code) {
            (Some(status), _) => coordinators.add(status),
            (None, Some(_)) => coordinators.refused += 1,
            (None, None) => coordinators.outstanding += 1,
        }
    }
    let to = job_state::from_coordinators(job.status, hold(job, cause.at), &coordinators);
    set_bundle_status(transaction, job, to, cause).map(drop)
}

/// Sets the status of a bundle one of whose coordinators changed.
pub fn update(transaction: &Transaction<'_>, bundle: BundleKey, cause: Cause<'_>) -> Result<()> {
    match transaction.bundle_job_at(bundle)? {
        Some(mut job) => settle_bundle(transaction, &mut job, cause),
        None => Ok(()),
    }
}

fn set_bundle_status(
    transaction: &Transaction<'_>,
    job: &mut BundleJob,
    to: JobStatus,
    cause: Cause<'_>,
) -> Result<bool> {
    let from = job.status;
    job.status = to;
    job.modified_at = cause.at;
    job.due_at = due_at(job);
    job.ended_at = match (to.is_terminal(), job.ended_at) {
        (true, Some(ended)) if from == to => Some(ended),
        (true, _) => Some(cause.at),
        (false, _) => None,
    };
    if !transaction.update_bundle_job(from, job)? {
        return Ok(false);
    }
    if from != to {
        incident::note_bundle(transaction, &record(transaction, job, from, cause)?)?;
    }
    Ok(true)
}

/// Records that values of a bundle changed, and its status did not.
pub(crate) fn record_values(transaction: &Transaction<'_>, job: &BundleJob, cause: Cause<'_>) -> Result<()> {
    record(transaction, job, job.status, cause).map(drop)
}

fn record(transaction: &Transaction<'_>, job: &BundleJob, from: JobStatus, cause: Cause<'_>) -> Result<Event> {
    let event = Event { bundle_job: Some(job.job), ..cause.event(Some(from.as_str()), job.status.as_str()) };
    transaction.insert_event(&event)?;
    Ok(event)
}

/// Returns what holds the bundle itself at a time.
fn hold(job: &BundleJob, at: Timestamp) -> JobHold {
    let is_paused = matches!(job.status, JobStatus::Running { hold: JobHold::Paused, .. });
    if job.suspended_at.is_some() {
        JobHold::Suspended
    } else if is_paused && job.pause_at.is_some_and(|pause| pause <= at) {
        JobHold::Paused
    } else {
        JobHold::Free
    }
}

/// Returns when the tick must check a bundle: to submit its coordinators, or to pause it.
pub fn due_at(job: &BundleJob) -> Option<Timestamp> {
    use JobStatus as B;
    match job.status {
        B::PREP => {
            let kick_off = job.kickoff_at.unwrap_or(job.created_at);
            Some(job.pause_at.map_or(kick_off, |pause| pause.min(kick_off)))
        }
        B::Running { hold: JobHold::Free, .. } => job.pause_at,
        _ => None,
    }
}
