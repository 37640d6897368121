//! Carries out what `coordinator::operation` decided, in the transaction that is open.
//!
//! Decides nothing: an action's workflow job is told what happens to the action, then the rows follow.

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::job_state::JobEvent;
use crate::coordinator::operation::scope::{Period, Scope};
use crate::coordinator::operation::{Changes, Decision, Declined, by_status, named};
use crate::engine::apply::invocation::Given;
use crate::engine::apply::outcome::Outcome;
use crate::engine::apply::selection::{choose, note_missing, refuse_nothing};
use crate::engine::apply::workflow;
use crate::engine::compiled::Applications;
use crate::engine::due::due_at;
use crate::engine::lookup::coordinator;
use crate::engine::settings::Settings;
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::{change_job, delete_action, move_action, move_job, settle_job};
use crate::engine::{Engine, catch_up};
use crate::error::{Error, ErrorCode, Result};
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::{CoordinatorAction, CoordinatorJob, WorkflowJob};
use crate::store::Transaction;

/// What a verb works with.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) cause: Cause<'a>,
    pub(crate) settings: &'a Settings,
}

/// Does a verb to a coordinator job, in one transaction.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is no coordinator job, whatever `work` answers, or a failure of the
/// database.
pub(crate) fn on_coordinator(
    engine: &mut Engine,
    id: &JobId,
    given: &Given,
    work: impl FnOnce(&Transaction<'_>, &CoordinatorJob, Surroundings<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    let Engine { store, settings, .. } = engine;
    let surroundings = Surroundings { cause: given.cause(), settings };
    store.transact_for(given.effect, |transaction| {
        let job = coordinator(transaction, id)?;
        work(transaction, &job, surroundings)
    })
}

/// Does a verb to the actions that a scope chooses; they are read only when the decision asks for them.
///
/// # Errors
/// As [`on_coordinator`]; E0605 for a date without an action, and for a kill of numbers none of which is an action.
pub(crate) fn on_actions(
    engine: &mut Engine,
    id: &JobId,
    (scope, period): (&Scope, Period),
    given: &Given,
    decide: impl FnOnce(&CoordinatorJob, &mut dyn FnMut() -> Result<Vec<CoordinatorAction>>) -> Decision,
) -> Result<Outcome> {
    on_coordinator(engine, id, given, |transaction, job, surroundings| {
        let mut missing = Vec::new();
        let decision = decide(job, &mut || {
            let chosen = choose(transaction, job, scope, period)?;
            if given.verb == Origin::Kill {
                refuse_nothing(&chosen, job)?;
            }
            missing = chosen.missing;
            Ok(chosen.actions)
        });
        let mut outcome = apply(transaction, job, decision, surroundings)?;
        note_missing(&missing, job, &mut outcome);
        Ok(outcome)
    })
}

/// Stores a decision about a job and answers what it came to.
///
/// # Errors
/// The refusal of the decision, or a failure of the database.
pub(crate) fn apply(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    decision: Decision,
    surroundings: Surroundings<'_>,
) -> Result<Outcome> {
    apply_editing(transaction, job, decision, surroundings, |_| Ok(()))
}

/// The same, with `edit` for what else changes in the row of each action that moves.
///
/// # Errors
/// The refusal of the decision, whatever `edit` answers, or a failure of the database.
pub(crate) fn apply_editing(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    decision: Decision,
    surroundings: Surroundings<'_>,
    mut edit: impl FnMut(&mut CoordinatorAction) -> Result<()>,
) -> Result<Outcome> {
    let changes = match decision {
        Ok(changes) => changes,
        Err(Declined::NotDone(why)) => return Ok(Outcome::not_done(&job.id, why)),
        Err(Declined::Refused(why)) => return Err(why),
    };
    let mut outcome = Outcome::of(&job.id);
    write_job(transaction, job, &changes, surroundings)?;
    for (action, event) in &changes.moved {
        let Some(before) = transaction.coordinator_action(action.key())? else { continue };
        if let Some(workflow) = transaction.workflow_job_of_action(&before)? {
            tell_workflow(transaction, &workflow, *event, surroundings.cause)?;
        }
        // Its workflow job may have taken it along.
        let Some(mut row) = transaction.coordinator_action(before.key())? else { continue };
        row.created_at = action.created_at;
        edit(&mut row)?;
        if row.status == action.status || move_action(transaction, &mut row, *event, surroundings.cause)? {
            outcome.changed_action(&before, Some(action.status));
        }
    }
    for action in &changes.deleted {
        let Some(before) = transaction.coordinator_action(action.key())? else { continue };
        if delete_action(transaction, &before, surroundings.cause)? {
            outcome.changed_action(&before, None);
        }
    }
    note_passed_over(job, &changes.unchanged, &mut outcome);
    // A job that was opened again is told to stay open until its actions change.
    if !changes.job_events.contains(&JobEvent::Reopened) {
        settle_job(transaction, job.job, surroundings.cause)?;
    }
    if let Some(after) = transaction.coordinator_job_at(job.job)? {
        outcome.changed_job(job, &after);
        note_backlog(transaction, (job, &after), surroundings, &mut outcome)?;
    }
    if outcome.has_changed_nothing() && outcome.notes.is_empty() {
        outcome.note(format!("{} is {}: there was nothing to change", job.id, job.status));
    }
    Ok(outcome)
}

/// Says how much a job has to catch up with that creates actions again, or up to another time.
fn note_backlog(
    transaction: &Transaction<'_>,
    (before, after): (&CoordinatorJob, &CoordinatorJob),
    surroundings: Surroundings<'_>,
    outcome: &mut Outcome,
) -> Result<()> {
    let now = surroundings.cause.at;
    let is_due = |job: &CoordinatorJob| job.due_at.is_some_and(|due| due <= now);
    let is_moved = (before.end_at, before.pause_at) != (after.end_at, after.pause_at);
    if is_due(after) && (is_moved || !is_due(before)) {
        let known = (&mut Applications::default(), surroundings.settings);
        let backlog = catch_up::of_job(transaction, known, after, now)?;
        outcome.notes.extend(backlog.map(|backlog| backlog.to_string()));
    }
    Ok(())
}

/// One sentence for each status of the actions that stay as they are.
fn note_passed_over(job: &CoordinatorJob, passed_over: &[CoordinatorAction], outcome: &mut Outcome) {
    for (status, numbers) in by_status(passed_over) {
        let named = named(&numbers);
        outcome.note(match numbers.len() {
            1 => format!("{}{named} is {status} and stays as it is", job.id),
            _ => format!("{}: {named} are {status} and stay as they are", job.id),
        });
    }
}

/// Writes the job's numbers, and its status through the machine.
fn write_job(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    changes: &Changes,
    surroundings: Surroundings<'_>,
) -> Result<()> {
    if changes.job == *job && changes.job_events.is_empty() {
        return Ok(());
    }
    let due_at = due_at(&changes.job, surroundings.settings.window.lookup_seconds);
    // The status is left to the machine.
    let mut row = CoordinatorJob { status: job.status, due_at, ..changes.job.clone() };
    let mut written = true;
    for event in &changes.job_events {
        written &= move_job(transaction, &mut row, *event, surroundings.cause)?;
    }
    if changes.job_events.is_empty() {
        written = change_job(transaction, &mut row, surroundings.cause)?;
    }
    // The job was read in this transaction, and no other process writes meanwhile.
    if written { Ok(()) } else { Err(Error::new(ErrorCode::H0001, format!("{} changed meanwhile", job.id))) }
}

/// What happens to an action happens to its workflow job, where its status allows that.
fn tell_workflow(
    transaction: &Transaction<'_>,
    workflow: &WorkflowJob,
    event: ActionEvent,
    cause: Cause<'_>,
) -> Result<()> {
    let allowed = match event {
        ActionEvent::WorkflowSuspended => workflow::suspend(transaction, workflow, cause),
        ActionEvent::WorkflowResumed => workflow::resume(transaction, workflow, cause),
        ActionEvent::Kill | ActionEvent::JobKilled => workflow::kill(transaction, workflow, cause),
        _ => return Ok(()),
    };
    // Where its status does not allow it, it has ended, or it has not begun.
    allowed.map(|_| ())
}
