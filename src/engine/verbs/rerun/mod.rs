//! `rerun`: actions of a coordinator job that have ended wait and start once more (specification 14; decisions C11,
//! C12).
//!
//! Whether statuses allow it is decided in `coordinator::operation`; here is what else it takes. Outputs are deleted
//! *before* the actions are given back: an action that waited already could have written anew by then, while one whose
//! rerun died in between is still ended, and its rerun can simply be repeated. Nothing but a rerun leads an ended
//! action back to life, and one rerun is at work on a database at a time, so what is deleted belongs to ended actions
//! whose commands are gone, from the look at them to the transaction; the transaction looks once more all the same.

mod cleanup;
pub(crate) mod lock;
mod workflow;

pub(crate) use cleanup::{Fate, Output};
pub(crate) use workflow::rerun_workflow;

use crate::configuration::ParsedProperties;
use crate::coordinator::operation::Declined;
use crate::coordinator::operation::rerun as decision;
use crate::coordinator::operation::scope::{Chosen, Period, Scope};
use crate::coordinator::readiness::{Strategy, is_skipped};
use crate::engine::apply::coordinator::{CommandContext, apply_editing, on_coordinator};
use crate::engine::apply::invocation::Invocation;
use crate::engine::apply::outcome::Outcome;
use crate::engine::apply::selection::{choose, note_missing};
use crate::engine::lookup::coordinator;
use crate::engine::stored_properties::properties_text;
use crate::engine::verbs::rerun::lock::lock;
use crate::engine::{Engine, run_as};
use crate::error::{Error, ErrorCode, Result};
use crate::host::fault::fault_point;
use crate::model::effect::Effect;
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::{CoordinatorAction, CoordinatorJob};
use crate::model::status::Execution;
use crate::model::time::Timestamp;
use crate::store::Transaction;

/// What an operator asks for.
#[derive(Clone, Debug)]
pub(crate) struct RerunOrder {
    pub(crate) job: JobId,
    pub(crate) actions: Scope,
    /// The actions are created anew from the job's present definition, and look for their inputs again.
    pub(crate) refresh: bool,
    /// The workflow jobs that they had run once more, but for what ended OK.
    pub(crate) failed: bool,
    /// Their outputs are left alone.
    pub(crate) nocleanup: bool,
    /// Properties for their workflow jobs, over all others.
    pub(crate) properties: ParsedProperties,
}

/// What a rerun would do; it becomes true with [`carry_out`].
#[derive(Clone, Debug)]
pub(crate) struct RerunPlan {
    order: RerunOrder,
    pub(crate) outcome: Outcome,
    /// The outputs that are looked at; empty without cleanup.
    pub(crate) outputs: Vec<Output>,
    /// The actions as they were found.
    actions: Vec<CoordinatorAction>,
}

/// Finds out what a rerun would do, and changes nothing.
///
/// # Errors
/// E0604, E0605, E1003, E1018 when no action may be rerun, E0907 when an output must not be deleted, and with `refresh`
/// what the creation of an action refuses.
pub(crate) fn plan(engine: &mut Engine, order: RerunOrder, now: Timestamp) -> Result<RerunPlan> {
    let (mut outcome, job, actions) = write(engine, &order, (Effect::DryRun, now), None)?;
    if order.refresh {
        check_creation(engine, &job, &actions)?;
    }
    note_passed_over(engine, (&job, &actions), now, &mut outcome)?;
    let outputs = if order.nocleanup || order.failed { Vec::new() } else { cleanup::outputs(engine, &job, &actions)? };
    Ok(RerunPlan { order, outcome, outputs, actions })
}

/// Deletes the outputs of a plan and gives its actions back, or does nothing when they are no longer what they were.
///
/// # Errors
/// As [`plan`]; E1018 when another command came between, H0108 while another rerun is at work.
pub(crate) fn carry_out(engine: &mut Engine, plan: &RerunPlan, now: Timestamp) -> Result<Outcome> {
    let _lock = lock(engine)?;
    let RerunPlan { order, outputs, actions, .. } = plan;
    let again = self::plan(engine, order.clone(), now)?;
    if !plan.is_still(&again) {
        return Err(overtaken(&order.job).help("look again at what the rerun would do now"));
    }
    delete_then(engine, outputs, |engine| write(engine, order, (Effect::Stored, now), Some(actions)))?;
    Ok(again.outcome)
}

/// Deletes outputs, then stores that the actions are given back.
///
/// # Errors
/// E0907 for an output that cannot be deleted, and whatever `store` answers.
pub(crate) fn delete_then<T>(
    engine: &mut Engine,
    outputs: &[Output],
    store: impl FnOnce(&mut Engine) -> Result<T>,
) -> Result<T> {
    fault_point("before-cleanup");
    cleanup::delete(engine, outputs)?;
    fault_point("after-cleanup");
    let stored = store(engine)?;
    fault_point("after-rerun-commit");
    Ok(stored)
}

impl RerunPlan {
    /// Whether another look found the same actions and outputs.
    pub(crate) fn is_still(&self, found: &Self) -> bool {
        self.actions == found.actions && self.outputs == found.outputs
    }

    /// Gives the actions back in the open transaction, as part of a rerun that is more than this.
    ///
    /// # Errors
    /// E1018 when the actions are not what they were, or a failure of the database.
    pub(crate) fn give_back(&self, transaction: &Transaction<'_>, context: CommandContext<'_>) -> Result<()> {
        let job = coordinator(transaction, &self.order.job)?;
        give_back(transaction, (&job, &self.order), context, Some(&self.actions)).map(drop)
    }
}

/// What is refused when the actions of a job are not what was decided about.
pub(crate) fn overtaken(job: &JobId) -> Error {
    Error::new(ErrorCode::E1018, format!("another command changed the actions of {job} meanwhile"))
}

/// What was written: the outcome, the job and the actions as they were before.
type Written = (Outcome, CoordinatorJob, Vec<CoordinatorAction>);

/// Gives the actions back in one transaction; with `expected` only when it would be these, unchanged.
fn write(
    engine: &mut Engine,
    order: &RerunOrder,
    when: (Effect, Timestamp),
    expected: Option<&[CoordinatorAction]>,
) -> Result<Written> {
    let given = Invocation::new(Origin::Rerun, when)?;
    let mut found = None;
    let outcome = on_coordinator(engine, &order.job, &given, |transaction, job, context| {
        let (outcome, rerun) = give_back(transaction, (job, order), context, expected)?;
        found = Some((job.clone(), rerun));
        Ok(outcome)
    })?;
    let (job, rerun) = found.expect("a transaction that went well has found its job");
    Ok((outcome, job, rerun))
}

/// Gives the actions of a job back in the open transaction; answers them as they were before.
fn give_back(
    transaction: &Transaction<'_>,
    (job, order): (&CoordinatorJob, &RerunOrder),
    context: CommandContext<'_>,
    expected: Option<&[CoordinatorAction]>,
) -> Result<(Outcome, Vec<CoordinatorAction>)> {
    let now = context.cause.at;
    run_as::check_user(&order.properties, &job.user)?;
    let (mut chosen, mut busy) = (Chosen::default(), Vec::new());
    let choose = || {
        chosen = choose(transaction, job, &order.actions, Period::Ended)?;
        busy = take_busy(transaction, &mut chosen)?;
        Ok(chosen.actions.clone())
    };
    let decided = decision::rerun(job, choose, now).map_err(|declined| only_busy(declined, job, &busy));
    let mut rerun = Vec::new();
    let edit = |action: &mut CoordinatorAction| {
        rerun.extend(chosen.actions.iter().find(|before| before.number == action.number).cloned());
        renew(transaction, job, (action, order), now)
    };
    let mut outcome = apply_editing(transaction, job, decided, context, edit)?;
    if expected.is_some_and(|expected| expected != rerun) {
        return Err(overtaken(&job.id).help("their outputs may be gone: look again at what the rerun would do now"));
    }
    note_missing(&chosen.missing, job, &mut outcome);
    for number in &busy {
        outcome.note(format!("{}@{number} stays as it is: {STILL_ENDING}", job.id));
    }
    Ok((outcome, rerun))
}

/// Why an action is left out whose status would allow a rerun.
const STILL_ENDING: &str = "its commands are still being ended; try again in a moment";

/// Takes the actions out of which a command still runs, though they have ended, and answers their numbers.
fn take_busy(transaction: &Transaction<'_>, chosen: &mut Chosen) -> Result<Vec<u32>> {
    let mut busy = Vec::new();
    for action in chosen.actions.iter().filter(|action| action.status.is_terminal()) {
        if transaction.has_open_attempts_of_action(action.key())? {
            busy.push(action.number);
        }
    }
    chosen.actions.retain(|action| !busy.contains(&action.number));
    Ok(busy)
}

/// What is refused when nothing else was chosen than actions whose commands are still being ended.
fn only_busy(declined: Declined, job: &CoordinatorJob, busy: &[u32]) -> Declined {
    match (declined, busy.first()) {
        (Declined::Refused(_), Some(number)) => {
            let why = format!("{}@{number} has ended, and {STILL_ENDING}", job.id);
            Declined::Refused(Error::new(ErrorCode::E1018, why))
        }
        (declined, _) => declined,
    }
}

/// What a rerun changes in an action besides its status.
fn renew(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    (action, order): (&mut CoordinatorAction, &RerunOrder),
    now: Timestamp,
) -> Result<()> {
    action.run += 1;
    action.first_missing = None;
    action.missing_from = None;
    action.external_status = None;
    action.error_code = None;
    action.error_message = None;
    if !order.failed {
        action.external_id = None;
    }
    if order.refresh {
        action.created_at = now;
        action.definition_version = job.definition_version;
        action.timeout_minutes = job.timeout_minutes;
        action.configuration = None;
        action.decided = None;
    }
    let given = &order.properties.values;
    action.rerun_configuration =
        if given.is_empty() { None } else { Some(transaction.store_document(&properties_text(given))?) };
    Ok(())
}

/// Refuses a refresh whose actions the present definition cannot create.
fn check_creation(engine: &mut Engine, job: &CoordinatorJob, actions: &[CoordinatorAction]) -> Result<()> {
    let Engine { store, settings, applications, .. } = engine;
    let application =
        store.read(|snapshot| applications.load(snapshot, job, job.definition_version, &settings.submit))?;
    for action in actions {
        application.coordinator.resolve(application.scope(), action.nominal_at).map_err(|error| {
            error.help(format!("action {} cannot be created anew: rerun it without --refresh", action.number))
        })?;
    }
    Ok(())
}

/// Says which actions will be passed over at once, because their time is past for the job's execution.
fn note_passed_over(
    engine: &mut Engine,
    (job, actions): (&CoordinatorJob, &[CoordinatorAction]),
    now: Timestamp,
    outcome: &mut Outcome,
) -> Result<()> {
    if matches!(job.execution, Execution::Fifo | Execution::Lifo) {
        return Ok(());
    }
    let Engine { store, settings, applications, .. } = engine;
    let application =
        store.read(|snapshot| applications.load(snapshot, job, job.definition_version, &settings.submit))?;
    let strategy = Strategy::of(job, &application, settings);
    let late = actions.iter().filter(|action| is_skipped(&strategy, action.number, action.nominal_at, now)).count();
    if late > 0 {
        let execution = job.execution;
        outcome.note(format!("{late} of them will be SKIPPED again: execution {execution} passes over what is late"));
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make their own folders")]
mod tests;
