//! Applies the decisions of `coordinator::operation` in the open transaction.
//!
//! Changes the workflow job of an action first, and then the action's row. Must not decide anything.

use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::apply::selection::{choose_groups, note_missing, refuse_nothing};
use crate::apply::workflow;
use crate::compiled::Applications;
use crate::due::due_at;
use crate::lookup::coordinator;
use crate::settings::Settings;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{change_job, delete_action, move_action, move_group, move_job, settle_job};
use crate::{Engine, catch_up};
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_oozie::coordinator::job_state::JobEvent;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_oozie::coordinator::operation::{Changes, ChosenGroups, Decision, Declined, by_status, named};
use howdah_store::{ActionFilter, ActionOrder, Page, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionGroup, CoordinatorAction, CoordinatorJob, WorkflowJob};

/// The cause and the settings of a command.
#[derive(Clone, Copy)]
pub struct CommandContext<'a> {
    pub cause: Cause<'a>,
    pub settings: &'a Settings,
}

/// Applies a command to a coordinator job, in one transaction.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is not a coordinator job, the errors of `work`, or a failure of the
/// database.
pub(crate) fn on_coordinator(
    engine: &mut Engine,
    id: &JobId,
    invocation: &Invocation,
    work: impl FnOnce(&Transaction<'_>, &CoordinatorJob, CommandContext<'_>) -> Result<Outcome>,
) -> Result<Outcome> {
    let Engine { store, settings, .. } = engine;
    let context = CommandContext { cause: invocation.cause(), settings };
    store.transact_for(invocation.effect, |transaction| {
        let job = coordinator(transaction, id)?;
        work(transaction, &job, context)
    })
}

/// Applies a command to the actions that a scope chooses; they are read only when the decision needs them, and those
/// that change together are never read one by one.
///
/// # Errors
/// As [`on_coordinator`]; E0605 for a date without an action, and for a kill of numbers none of which is an action.
pub(crate) fn on_actions(
    engine: &mut Engine,
    id: &JobId,
    (scope, period): (&Scope, Period),
    invocation: &Invocation,
    decide: impl FnOnce(&CoordinatorJob, &mut dyn FnMut() -> Result<ChosenGroups>) -> Decision,
) -> Result<Outcome> {
    on_coordinator(engine, id, invocation, |transaction, job, context| {
        let mut missing = Vec::new();
        let decision = decide(job, &mut || {
            let selection = choose_groups(transaction, job, scope, period)?;
            if invocation.verb == Origin::Kill {
                refuse_nothing(transaction, &selection, job)?;
            }
            missing = selection.missing;
            Ok(selection.chosen)
        });
        let mut outcome = apply(transaction, job, decision, context)?;
        outcome.actions.sort_by_key(|action| scope.place(action.action_number));
        note_missing(transaction, &missing, job, &mut outcome)?;
        Ok(outcome)
    })
}

/// Stores a decision about a job and returns the outcome.
///
/// # Errors
/// The refusal of the decision, or a failure of the database.
pub fn apply(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    decision: Decision,
    context: CommandContext<'_>,
) -> Result<Outcome> {
    apply_editing(transaction, job, decision, context, |_| Ok(()))
}

/// Stores a decision as [`apply`] does, and calls `edit` on the row of each action that moves.
///
/// # Errors
/// The refusal of the decision, the errors of `edit`, or a failure of the database.
pub(crate) fn apply_editing(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    decision: Decision,
    context: CommandContext<'_>,
    mut edit: impl FnMut(&mut CoordinatorAction) -> Result<()>,
) -> Result<Outcome> {
    let changes = match decision {
        Ok(changes) => changes,
        Err(Declined::NotDone(why)) => return Ok(Outcome::not_done(&job.id, why)),
        Err(Declined::Refused(why)) => return Err(why),
    };
    let mut outcome = Outcome::of(&job.id);
    write_job(transaction, job, &changes, context)?;
    for (action, event) in &changes.moved {
        let Some(before) = transaction.coordinator_action(action.key())? else { continue };
        if let Some(workflow) = transaction.workflow_job_of_action(&before)? {
            update_workflow(transaction, &workflow, *event, context.cause)?;
        }
        // The change of its workflow job may have changed the action.
        let Some(mut row) = transaction.coordinator_action(before.key())? else { continue };
        row.created_at = action.created_at;
        edit(&mut row)?;
        if row.status == action.status || move_action(transaction, &mut row, *event, context.cause)? {
            outcome.changed_action(&before, Some(action.status));
        }
    }
    for (group, event) in &changes.groups {
        let listed = list_group(transaction, group, outcome.room())?;
        if let Some(to) = move_group(transaction, group, *event, context.cause)? {
            outcome.changed_group(group, &listed, to);
        }
    }
    outcome.actions.sort_by_key(|action| if changes.groups.is_empty() { 0 } else { action.action_number });
    for action in &changes.deleted {
        let Some(before) = transaction.coordinator_action(action.key())? else { continue };
        if delete_action(transaction, &before, context.cause)? {
            outcome.changed_action(&before, None);
        }
    }
    note_unchanged(job, &changes.unchanged, &mut outcome);
    // A reopened job keeps its status until its actions change.
    if !changes.job_events.contains(&JobEvent::Reopened) {
        settle_job(transaction, job.job, context.cause)?;
    }
    if let Some(after) = transaction.coordinator_job_at(job.job)? {
        outcome.changed_job(job, &after);
        note_backlog(transaction, (job, &after), context, &mut outcome)?;
    }
    if outcome.has_changed_nothing() && outcome.notes.is_empty() {
        outcome.note(format!("{} is {}: there was nothing to change", job.id, job.status));
    }
    Ok(outcome)
}

/// Reads the first actions of a group, at most `len`.
fn list_group(transaction: &Transaction<'_>, group: &ActionGroup, len: u32) -> Result<Vec<CoordinatorAction>> {
    let numbers =
        ActionFilter { first_number: Some(group.number), last_number: Some(group.last_number), ..Default::default() };
    let first = Page { offset: 0, len };
    Ok(transaction.action_page(group.job, &numbers, ActionOrder::OldestFirst, first)?.actions)
}

/// Notes how many past actions a job must create when it becomes due or gets another end or pause time.
fn note_backlog(
    transaction: &Transaction<'_>,
    (before, after): (&CoordinatorJob, &CoordinatorJob),
    context: CommandContext<'_>,
    outcome: &mut Outcome,
) -> Result<()> {
    let now = context.cause.at;
    let is_due = |job: &CoordinatorJob| job.due_at.is_some_and(|due| due <= now);
    let is_moved = (before.end_at, before.pause_at) != (after.end_at, after.pause_at);
    if is_due(after) && (is_moved || !is_due(before)) {
        let known = (&mut Applications::default(), context.settings);
        let backlog = catch_up::of_job(transaction, known, after, now)?;
        outcome.notes.extend(backlog.map(|backlog| backlog.to_string()));
    }
    Ok(())
}

/// Notes one sentence for each status of the unchanged actions.
fn note_unchanged(job: &CoordinatorJob, unchanged: &[ActionGroup], outcome: &mut Outcome) {
    for (status, numbers) in by_status(unchanged) {
        let named = named(&numbers);
        outcome.note(match numbers.len() {
            1 => format!("{}{named} is {status} and stays as it is", job.id),
            _ => format!("{}: {named} are {status} and stay as they are", job.id),
        });
    }
}

/// Writes the job's values, and its status through the state machine.
fn write_job(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    changes: &Changes,
    context: CommandContext<'_>,
) -> Result<()> {
    if changes.job == *job && changes.job_events.is_empty() {
        return Ok(());
    }
    let due_at = due_at(&changes.job, context.settings.window.lookup_seconds);
    // The state machine sets the status.
    let mut row = CoordinatorJob { status: job.status, due_at, ..changes.job.clone() };
    let mut written = true;
    for event in &changes.job_events {
        written &= move_job(transaction, &mut row, *event, context.cause)?;
    }
    if changes.job_events.is_empty() {
        written = change_job(transaction, &mut row, context.cause)?;
    }
    // The job was read in this transaction, and no other process writes meanwhile.
    if written { Ok(()) } else { Err(Error::new(ErrorCode::H0001, format!("{} changed meanwhile", job.id))) }
}

/// Applies the event of an action to its workflow job, when the status of the workflow job allows it.
fn update_workflow(
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
    // A workflow job whose status does not allow it has ended or has not started.
    allowed.map(|_| ())
}
