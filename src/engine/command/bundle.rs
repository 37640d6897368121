//! What an operator's verbs do to a bundle: the bundle changes, and every coordinator of it as by the same verb, in one
//! transaction.
//!
//! A coordinator whose status does not allow the verb is left as it is. While the verb goes from one coordinator to the
//! next the bundle is held, so that its status does not follow the first ones before the last.

use crate::bundle::job_state::{JobEvent, transition};
use crate::engine::change::{Cause, move_bundle, settle_bundle};
use crate::engine::command::apply::Surroundings;
use crate::engine::command::control::{Verb, control_coordinator};
use crate::engine::command::outcome::Outcome;
use crate::engine::view::time;
use crate::error::{Error, ErrorCode, Result};
use crate::store::{BundleJob, Transaction};

/// Suspends, resumes or kills a bundle with its coordinators.
pub(super) fn control(
    transaction: &Transaction<'_>,
    bundle: &BundleJob,
    verb: Verb,
    surroundings: Surroundings<'_>,
) -> Result<Outcome> {
    let event = match verb {
        Verb::Suspend => JobEvent::Suspend,
        Verb::Resume => JobEvent::Resume,
        Verb::Kill => JobEvent::Kill,
    };
    if transition(bundle.status, event).is_none() {
        return Ok(Outcome::not_done(&bundle.id, not_allowed(bundle, verb)));
    }
    let cause = surroundings.cause;
    let mut job = bundle.clone();
    match verb {
        Verb::Suspend => {
            job.suspended_at = Some(cause.at);
            move_bundle(transaction, &mut job, event, cause)?;
        }
        Verb::Kill => {
            move_bundle(transaction, &mut job, event, cause)?;
        }
        Verb::Resume => {
            job.suspended_at.get_or_insert(cause.at);
            settle_bundle(transaction, &mut job, cause)?;
        }
    }
    let coordinators = pass_down(transaction, bundle, |coordinator| {
        control_coordinator(transaction, coordinator, verb, surroundings)
    })?;
    if verb == Verb::Resume {
        let_go(transaction, bundle, cause)?;
    }
    outcome(transaction, bundle, coordinators)
}

/// Does a verb to every coordinator that was submitted; those that it changed nothing of are left out of the answer.
fn pass_down(
    transaction: &Transaction<'_>,
    bundle: &BundleJob,
    verb: impl Fn(&crate::store::CoordinatorJob) -> Result<Outcome>,
) -> Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for coordinator in transaction.coordinator_jobs_of_bundle(bundle.job)? {
        let outcome = verb(&coordinator)?;
        if outcome.not_done.is_none() {
            outcomes.push(outcome);
        }
    }
    Ok(outcomes)
}

/// Ends a suspension whose coordinators are resumed.
fn let_go(transaction: &Transaction<'_>, bundle: &BundleJob, cause: Cause<'_>) -> Result<()> {
    let Some(mut job) = transaction.bundle_job_at(bundle.job)? else { return Ok(()) };
    job.suspended_at = None;
    move_bundle(transaction, &mut job, JobEvent::Resume, cause)?;
    settle_bundle(transaction, &mut job, cause)
}

/// What became of a bundle and its coordinators.
fn outcome(transaction: &Transaction<'_>, before: &BundleJob, coordinators: Vec<Outcome>) -> Result<Outcome> {
    let mut outcome = Outcome { coordinators, ..Outcome::of(&before.id) };
    if let Some(after) = transaction.bundle_job_at(before.job)? {
        outcome.change("status", Some(before.status.to_string()), Some(after.status.to_string()));
        outcome.change("endTime", before.end_at.map(time), after.end_at.map(time));
        outcome.change("pauseTime", before.pause_at.map(time), after.pause_at.map(time));
    }
    Ok(outcome)
}

fn not_allowed(bundle: &BundleJob, verb: Verb) -> Error {
    let BundleJob { id, status, .. } = bundle;
    match verb {
        Verb::Suspend if status.is_terminal() => Error::with(ErrorCode::E1312, &[id, status]),
        Verb::Suspend => Error::new(ErrorCode::E1100, format!("{id} is {status} already")),
        Verb::Resume => Error::new(ErrorCode::E1100, format!("{id} is {status} and not suspended")),
        Verb::Kill => Error::with(ErrorCode::E1323, &[id, status]),
    }
}
