//! What a rerun does to ended actions of a coordinator job: they wait and start again (specification 14; decisions C11,
//! C12).
//!
//! `coordinator::operation` decides whether statuses allow it; this module finds out what is done, deletes and resets;
//! `verbs::repair` stores the plan first and calls it in order. Only a rerun starts an ended action again, and only one
//! rerun at a time uses a database. So the deleted outputs belong to ended actions without running commands, from the
//! check to the transaction; the transaction checks again anyway.

mod cleanup;
pub mod lock;
mod workflow;

pub use cleanup::{Fate, Output};
pub(crate) use workflow::rerun_workflow;

use crate::waiting::strategy;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::apply::coordinator::{CommandContext, apply_editing, on_coordinator};
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::apply::selection::{choose, note_missing};
use crate::lookup::coordinator;
use crate::rerun::unknown_command::unknown_command;
use crate::rerun::workflow_rerun::STILL_ENDING;
use crate::stored_properties::properties_text;
use crate::{Engine, run_as};
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::operation::Declined;
use howdah_oozie::coordinator::operation::rerun as decision;
use howdah_oozie::coordinator::operation::scope::{Chosen, Period, Scope};
use howdah_oozie::coordinator::readiness::is_skipped;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::Execution;
use howdah_words::model::time::Timestamp;

/// The order of an operator.
#[derive(Clone, Debug)]
pub struct RerunOrder {
    pub job: JobId,
    pub actions: Scope,
    /// The actions are created again from the job's present definition, and check their inputs again.
    pub refresh: bool,
    /// Their workflow jobs run again, without the nodes that ended OK.
    pub failed: bool,
    /// Their outputs are kept.
    pub nocleanup: bool,
    /// Properties for their workflow jobs, over all others.
    pub properties: ParsedProperties,
}

/// What a rerun would do; `verbs::repair` does it.
#[derive(Clone, Debug)]
pub struct RerunPlan {
    order: RerunOrder,
    pub outcome: Outcome,
    /// The outputs that were checked; empty without cleanup.
    pub outputs: Vec<Output>,
    /// The actions as they were found.
    actions: Vec<CoordinatorAction>,
    /// When the job was suspended, as it was found.
    suspended_at: Option<Timestamp>,
}

/// Finds out what a rerun would do, and changes nothing.
///
/// # Errors
/// E0604, E0605, E1003, E1018 when no action may be rerun, E0907 when an output must not be deleted, and with `refresh`
/// what the creation of an action refuses.
pub fn plan(engine: &mut Engine, order: RerunOrder, now: Timestamp) -> Result<RerunPlan> {
    let given = Invocation::new(Origin::Rerun, (Effect::DryRun, now))?;
    let mut found = None;
    let mut outcome = on_coordinator(engine, &order.job, &given, |transaction, job, context| {
        let (outcome, rerun) = reset_actions(transaction, (job, &order), context, None)?;
        found = Some((job.clone(), rerun));
        Ok(outcome)
    })?;
    let (job, actions) = found.expect("a transaction that went well has found its job");
    if order.refresh {
        check_creation(engine, &job, &actions)?;
    }
    note_skipped(engine, (&job, &actions), now, &mut outcome)?;
    let outputs = if order.nocleanup || order.failed { Vec::new() } else { cleanup::outputs(engine, &job, &actions)? };
    Ok(RerunPlan { order, outcome, outputs, actions, suspended_at: job.suspended_at })
}

/// Returns how many outputs of each of these actions of a job a rerun would delete now.
///
/// # Errors
/// As [`plan`] for the outputs; what is not known is an error too.
pub(crate) fn outputs_now(engine: &mut Engine, job: &CoordinatorJob, numbers: &[u32]) -> Result<BTreeMap<u32, u32>> {
    let read = |number: &u32| {
        let key = ActionKey { job: job.job, number: *number };
        engine.store.read(|snapshot| snapshot.coordinator_action(key)).transpose()
    };
    let actions = numbers.iter().filter_map(read).collect::<Result<Vec<_>>>()?;
    let mut counts = BTreeMap::new();
    for output in cleanup::outputs(engine, job, &actions)?.iter().filter(|output| output.deleted_kind().is_some()) {
        *counts.entry(output.action).or_default() += 1;
    }
    Ok(counts)
}

/// Deletes outputs as they were found. Adds to `begun` the number of each action of which data may be deleted, also
/// when this fails.
///
/// # Errors
/// E0907 for an output that cannot be deleted; those before it are deleted.
pub(crate) fn delete_outputs(engine: &Engine, outputs: &[Output], begun: &mut BTreeSet<u32>) -> Result<()> {
    cleanup::delete(engine, outputs, begun)
}

impl RerunPlan {
    /// Returns the id of the job.
    pub const fn job(&self) -> &JobId {
        &self.order.job
    }

    /// Returns the actions that are rerun, as they were found.
    pub fn actions(&self) -> &[CoordinatorAction] {
        &self.actions
    }

    /// Returns the numbers of the actions that are rerun.
    pub fn numbers(&self) -> impl Iterator<Item = u32> {
        self.actions.iter().map(|action| action.number)
    }

    /// Checks whether another check found the same actions and outputs, and no suspension of the job since.
    pub(crate) fn is_still(&self, found: &Self) -> bool {
        self.actions == found.actions
            && self.outputs == found.outputs
            && found.suspended_at.is_none_or(|at| self.suspended_at == Some(at))
    }

    /// Checks whether another command has suspended the job since it was found.
    pub(crate) fn is_suspended_since(&self, job: &CoordinatorJob) -> bool {
        job.status.is_suspended() && job.suspended_at != self.suspended_at
    }

    /// Resets the actions in the open transaction, as part of a larger rerun.
    ///
    /// # Errors
    /// E1018 when the actions have changed, or a failure of the database.
    pub(crate) fn reset_actions(&self, transaction: &Transaction<'_>, context: CommandContext<'_>) -> Result<()> {
        let job = coordinator(transaction, &self.order.job)?;
        reset_actions(transaction, (&job, &self.order), context, Some(&self.actions)).map(drop)
    }
}

/// Returns the error for actions of a job that have changed since the decision.
fn changed_meanwhile(job: &JobId) -> Error {
    Error::new(ErrorCode::E1018, format!("another command changed the actions of {job} meanwhile"))
}

/// Resets the actions of a job in the open transaction; returns them as they were before.
fn reset_actions(
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
        busy = take_busy(transaction, job, &mut chosen)?;
        Ok(chosen.actions.clone())
    };
    let decided = decision::rerun(job, choose, now).map_err(|declined| only_busy(declined, job, &busy));
    let places: HashMap<u32, usize> =
        (0..).zip(&chosen.actions).map(|(place, action)| (action.number, place)).collect();
    let mut rerun = Vec::new();
    let edit = |action: &mut CoordinatorAction| {
        rerun.extend(places.get(&action.number).and_then(|place| chosen.actions.get(*place)).cloned());
        renew(transaction, job, (action, order), now)
    };
    let mut outcome = apply_editing(transaction, job, decided, context, edit)?;
    if expected.is_some_and(|expected| expected != rerun) {
        return Err(changed_meanwhile(&job.id).help("their outputs may be gone: check what the rerun would do now"));
    }
    note_missing(transaction, &chosen.missing, job, &mut outcome)?;
    for (number, why) in &busy {
        outcome.note(format!("{}@{number} stays as it is: {why}", job.id));
    }
    Ok((outcome, rerun))
}

/// An ended action that is left out because a command of it still runs, and why.
type Busy = (u32, String);

/// Removes ended actions whose commands still run, and returns them.
fn take_busy(transaction: &Transaction<'_>, job: &CoordinatorJob, chosen: &mut Chosen) -> Result<Vec<Busy>> {
    let mut busy = Vec::new();
    for action in chosen.actions.iter().filter(|action| action.status.is_terminal()) {
        let why = if transaction.has_open_attempts_of_action(action.key())? {
            Some(STILL_ENDING.to_owned())
        } else {
            unknown_command(transaction, &format!("{}@{}", job.id, action.number))?
        };
        busy.extend(why.map(|why| (action.number, why)));
    }
    chosen.actions.retain(|action| busy.iter().all(|(number, _)| *number != action.number));
    Ok(busy)
}

/// Returns the refusal when only actions were chosen whose commands are still being ended.
fn only_busy(declined: Declined, job: &CoordinatorJob, busy: &[Busy]) -> Declined {
    match (declined, busy.first()) {
        (Declined::Refused(_), Some((number, why))) => {
            let why = format!("{}@{number} has ended, and {why}", job.id);
            Declined::Refused(Error::new(ErrorCode::E1018, why))
        }
        (declined, _) => declined,
    }
}

/// Returns what a rerun changes in an action besides its status.
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
            error.help(format!("action {} cannot be created again: rerun it without --refresh", action.number))
        })?;
    }
    Ok(())
}

/// Notes how many actions will be skipped at once, because they are late for the job's execution.
fn note_skipped(
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
    let strategy = strategy(job, &application, settings);
    let late = actions.iter().filter(|action| is_skipped(&strategy, action.number, action.nominal_at, now)).count();
    if late > 0 {
        let execution = job.execution;
        outcome.note(format!("{late} of them will be SKIPPED again: execution {execution} skips late actions"));
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests create their own folders")]
mod tests;
