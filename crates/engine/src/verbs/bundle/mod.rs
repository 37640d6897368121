//! The operator's verbs for a bundle: the verb changes the bundle and all its coordinators, in one transaction.
//!
//! A coordinator whose status does not allow the verb stays unchanged. The bundle is held while its coordinators
//! change, so its status does not follow some of them too early.

use crate::apply::control::Verb;
use crate::apply::coordinator::{CommandContext, apply};
use crate::apply::invocation::Invocation;
use crate::apply::outcome::{Outcome, for_each};
use crate::format::time;
use crate::lookup::unknown;
use crate::transition::bundle::{move_bundle, record_values, settle_bundle};
use crate::transition::cause::Cause;
use crate::{Engine, apply, format};
use howdah_oozie::bundle::job_state::{JobEvent, transition};
use howdah_oozie::coordinator::operation::Decision;
use howdah_oozie::coordinator::operation::change_value::{NewBundleValues, NewPause, NewValues};
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{BundleCoordinator, BundleJob, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// Suspends, resumes or kills a bundle with its coordinators.
///
/// # Errors
/// A failure of the database.
pub fn control(
    transaction: &Transaction<'_>,
    bundle: &BundleJob,
    verb: Verb,
    context: CommandContext<'_>,
) -> Result<Outcome> {
    let event = match verb {
        Verb::Suspend => JobEvent::Suspend,
        Verb::Resume => JobEvent::Resume,
        Verb::Kill => JobEvent::Kill,
    };
    if transition(bundle.status, event).is_none() {
        return Ok(Outcome::not_done(&bundle.id, not_allowed(bundle, verb)));
    }
    change_bundle(transaction, bundle.clone(), (verb, event), context.cause)?;
    let coordinators = pass_down(transaction, bundle, context, |coordinator| {
        apply::control::decide(transaction, coordinator, verb, context.cause.at)
    })?;
    if verb == Verb::Resume {
        end_suspension(transaction, bundle, context.cause)?;
    }
    outcome(transaction, bundle, coordinators)
}

/// Sets a new end or pause time of a bundle and all its coordinators.
///
/// A coordinator that refuses keeps its own; the others and the bundle get the new one, as in Oozie.
///
/// # Errors
/// E0604 when there is no such job, E1312 when it was killed, E1317 for a pause time of one that is over, or a failure
/// of the database.
pub fn change(engine: &mut Engine, id: &JobId, values: &NewBundleValues, when: (Effect, Timestamp)) -> Result<Outcome> {
    let down = NewValues { end: values.end, pause: values.pause, ..NewValues::default() };
    let mut given = Invocation::new(Origin::Change, when)?;
    given.detail = Some(down.text(format::notation()));
    given.sets_pause = down.pause.is_some();
    on_bundle(engine, id, &given, |transaction, bundle, context| {
        check_change(bundle, values)?;
        let coordinators = pass_down(transaction, bundle, context, |coordinator| {
            Ok(apply::change::decide(transaction, coordinator, &down))
        })?;
        take_values(transaction, bundle, values, context.cause)?;
        let refused: Vec<&str> =
            coordinators.iter().filter(|of| of.refused.is_some()).map(|of| of.id.as_str()).collect();
        let why = (!refused.is_empty()).then(|| {
            let error = Error::new(ErrorCode::E1320, format!("[{}]", refused.join(", ")));
            error.help("these coordinators keep what they have; the bundle and its other coordinators were changed")
        });
        Ok(Outcome { refused: why, ..outcome(transaction, bundle, coordinators)? })
    })
}

/// Refuses the rerun of the coordinators of a bundle that was killed or has not begun.
///
/// # Errors
/// E1100.
pub(crate) fn check_rerun(bundle: &BundleJob) -> Result<()> {
    if transition(bundle.status, JobEvent::Rerun).is_some() {
        return Ok(());
    }
    let BundleJob { id, status, .. } = bundle;
    let error = Error::new(ErrorCode::E1100, format!("{id} is {status}: its coordinators cannot be rerun"));
    Err(error.help(if status.is_before_start() {
        "its coordinators are submitted at its kick-off time; there is nothing to rerun before"
    } else {
        "submit the bundle again, or rerun actions of single coordinators"
    }))
}

/// Opens a bundle again, in the transaction that reruns actions of one of its coordinators: a suspension ends, and its
/// status follows the coordinators.
///
/// # Errors
/// As [`check_rerun`], or a failure of the database.
pub(crate) fn reopen(transaction: &Transaction<'_>, mut bundle: BundleJob, cause: Cause<'_>) -> Result<()> {
    check_rerun(&bundle)?;
    bundle.suspended_at = None;
    settle_bundle(transaction, &mut bundle, cause)
}

/// Applies a verb to a bundle, in one transaction.
fn on_bundle(
    engine: &mut Engine,
    id: &JobId,
    given: &Invocation,
    work: impl FnOnce(&Transaction<'_>, &BundleJob, CommandContext<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    let Engine { store, settings, .. } = engine;
    let context = CommandContext { cause: given.cause(), settings };
    store.transact_for(given.effect, |transaction| {
        let bundle = transaction.bundle_job(id)?.ok_or_else(|| unknown(id))?;
        work(transaction, &bundle, context)
    })
}

/// Applies a verb to every coordinator that was submitted; unchanged ones are left out of the result.
fn pass_down(
    transaction: &Transaction<'_>,
    bundle: &BundleJob,
    context: CommandContext<'_>,
    decide: impl Fn(&CoordinatorJob) -> Result<Decision>,
) -> Result<Vec<Outcome>> {
    let coordinators = transaction.coordinator_jobs_of_bundle(bundle.job)?;
    let mut outcomes = for_each(
        &coordinators,
        |coordinator| &coordinator.id,
        |coordinator| apply(transaction, coordinator, decide(coordinator)?, context),
    )?;
    outcomes.retain(|outcome| outcome.not_done.is_none());
    Ok(outcomes)
}

/// Changes the bundle itself before its coordinators; one that is resumed is held until all of them are.
fn change_bundle(
    transaction: &Transaction<'_>,
    mut bundle: BundleJob,
    (verb, event): (Verb, JobEvent),
    cause: Cause<'_>,
) -> Result<()> {
    match verb {
        Verb::Suspend => bundle.suspended_at = Some(cause.at),
        Verb::Kill => {}
        Verb::Resume => {
            bundle.suspended_at.get_or_insert(cause.at);
            return settle_bundle(transaction, &mut bundle, cause);
        }
    }
    move_bundle(transaction, &mut bundle, event, cause).map(drop)
}

/// Ends the suspension of a bundle after its coordinators are resumed.
fn end_suspension(transaction: &Transaction<'_>, bundle: &BundleJob, cause: Cause<'_>) -> Result<()> {
    let Some(mut job) = transaction.bundle_job_at(bundle.job)? else { return Ok(()) };
    job.suspended_at = None;
    move_bundle(transaction, &mut job, JobEvent::Resume, cause)?;
    settle_bundle(transaction, &mut job, cause)
}

fn check_change(bundle: &BundleJob, values: &NewBundleValues) -> Result<()> {
    let BundleJob { id, status, .. } = bundle;
    if *status == JobStatus::Killed {
        let error = Error::with(ErrorCode::E1312, &[id, status]);
        return Err(error.help("submit the bundle again: a killed bundle cannot run again"));
    }
    if values.pause.is_some() && status.is_terminal() {
        let error = Error::with(ErrorCode::E1317, &[&"pausetime", &format!("{id} is {status}")]);
        return Err(error.help("a bundle that is over has nothing to pause; a later endtime opens it again"));
    }
    Ok(())
}

/// Sets the new values of the bundle after those of its coordinators; it runs again after a pause that has passed.
fn take_values(
    transaction: &Transaction<'_>,
    bundle: &BundleJob,
    values: &NewBundleValues,
    cause: Cause<'_>,
) -> Result<()> {
    let Some(mut job) = transaction.bundle_job_at(bundle.job)? else { return Ok(()) };
    job.end_at = values.end.or(job.end_at);
    match values.pause {
        Some(NewPause::At(at)) => job.pause_at = Some(at),
        Some(NewPause::Never) => job.pause_at = None,
        None => {}
    }
    let pause_has_passed = values.pause.is_some() && job.pause_at.is_none_or(|pause| pause > cause.at);
    if !(pause_has_passed && move_bundle(transaction, &mut job, JobEvent::PauseTimeGone, cause)?) {
        record_values(transaction, &job, cause)?;
    }
    settle_bundle(transaction, &mut job, cause)
}

/// Returns the results for a bundle and its coordinators.
fn outcome(transaction: &Transaction<'_>, before: &BundleJob, coordinators: Vec<Outcome>) -> Result<Outcome> {
    let mut outcome = Outcome { coordinators, ..Outcome::of(&before.id) };
    if let Some(after) = transaction.bundle_job_at(before.job)? {
        outcome.change("status", Some(before.status.to_string()), Some(after.status.to_string()));
        outcome.change("endTime", before.end_at.map(time), after.end_at.map(time));
        outcome.change("pauseTime", before.pause_at.map(time), after.pause_at.map(time));
    }
    let members = transaction.bundle_members(before.job)?.into_iter().map(|member| member.coordinator);
    let is_live = |member: &BundleCoordinator| member.oozie_status.is_some_and(|status| !status.is_terminal());
    for member in members.filter(|member| member.is_in_oozie() && is_live(member)) {
        outcome.notes.push(format!("coordinator [{}] is still in Oozie, where this changes nothing", member.name));
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
