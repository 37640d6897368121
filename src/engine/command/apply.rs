//! Carries out what `coordinator::operation` decided, in the transaction that is open.
//!
//! Decides nothing: an action's workflow job is told what happens to the action, then the rows follow.

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::operation::{ActionFacts, Changes, Decision, Declined, JobFacts};
use crate::engine::change::{Cause, move_action, move_job, settle_job};
use crate::engine::command::outcome::Outcome;
use crate::engine::command::workflow_of;
use crate::engine::materialize::due_at;
use crate::engine::workflow::control;
use crate::error::{Error, ErrorCode, Result};
use crate::store::{ActionKey, CoordinatorAction, CoordinatorJob, Transaction, WorkflowJob};

/// What a verb works with.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub(crate) cause: Cause<'a>,
    /// How far ahead of now a job is looked at.
    pub(crate) lookup_seconds: i64,
}

impl CoordinatorJob {
    /// What a verb must know of the job.
    pub(crate) fn facts(&self) -> JobFacts {
        JobFacts {
            id: self.id.to_string(),
            status: self.status,
            start: self.start_at,
            end: self.end_at,
            pause: self.pause_at,
            suspended: self.suspended_at,
            concurrency: self.concurrency,
            next: self.next_materialized_at,
            last_action_number: self.last_action_number,
            done_materialization: self.done_materialization,
            // A verb changes the workflow jobs below in its own transaction: nothing is ever on its way.
            pending: false,
        }
    }

    /// The job with other facts; its status is left to the machine.
    fn with(&self, facts: &JobFacts) -> Self {
        Self {
            end_at: facts.end,
            pause_at: facts.pause,
            suspended_at: facts.suspended,
            concurrency: facts.concurrency,
            next_materialized_at: facts.next,
            last_action_number: facts.last_action_number,
            done_materialization: facts.done_materialization,
            ..self.clone()
        }
    }
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
    let changes = match decision {
        Ok(changes) => changes,
        Err(Declined::NotDone(why)) => return Ok(Outcome::not_done(&job.id, why)),
        Err(Declined::Refused(why)) => return Err(why),
    };
    let mut outcome = Outcome::of(&job.id);
    write_job(transaction, job, &changes, surroundings)?;
    for (action, event) in &changes.moved {
        let Some(before) = transaction.coordinator_action(key(job, action))? else { continue };
        carry_out(transaction, &before, (action, *event), surroundings.cause)?;
        outcome.changed_action(&before, Some(action.status));
    }
    for action in &changes.passed_over {
        outcome.note(format!("{}@{} is {} and stays as it is", job.id, action.number, action.status));
    }
    settle_job(transaction, job.job, surroundings.cause)?;
    if let Some(after) = transaction.coordinator_job_at(job.job)? {
        outcome.changed_job(job, &after);
    }
    if outcome.changes.is_empty() && outcome.actions.is_empty() {
        outcome.note(format!("{} is {}: there was nothing to change", job.id, job.status));
    }
    Ok(outcome)
}

fn key(job: &CoordinatorJob, action: &ActionFacts) -> ActionKey {
    ActionKey { job: job.job, number: action.number }
}

/// Writes the job's numbers, and its status through the machine.
fn write_job(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    changes: &Changes,
    surroundings: Surroundings<'_>,
) -> Result<()> {
    let mut row = job.with(&changes.job);
    row.due_at = due_at(&CoordinatorJob { status: changes.job.status, ..row.clone() }, surroundings.lookup_seconds);
    if row == *job && changes.job_events.is_empty() {
        return Ok(());
    }
    let mut written = true;
    for event in &changes.job_events {
        written &= move_job(transaction, &mut row, *event, surroundings.cause)?;
    }
    if changes.job_events.is_empty() {
        row.modified_at = surroundings.cause.at;
        written = transaction.update_coordinator_job(job.status, &row)?;
    }
    if written { Ok(()) } else { Err(Error::new(ErrorCode::H0001, format!("{} changed meanwhile", job.id))) }
}

/// Tells the action's workflow job, then moves the action, which its workflow job may have taken along already.
fn carry_out(
    transaction: &Transaction<'_>,
    before: &CoordinatorAction,
    (after, event): (&ActionFacts, ActionEvent),
    cause: Cause<'_>,
) -> Result<()> {
    if let Some(workflow) = workflow_of(transaction, before)? {
        tell_workflow(transaction, &workflow, event, cause)?;
    }
    let Some(mut action) = transaction.coordinator_action(before.key())? else { return Ok(()) };
    action.created_at = after.created;
    if action.status != after.status {
        move_action(transaction, &mut action, event, cause)?;
    }
    Ok(())
}

/// What happens to an action happens to its workflow job, where its status allows that.
fn tell_workflow(
    transaction: &Transaction<'_>,
    workflow: &WorkflowJob,
    event: ActionEvent,
    cause: Cause<'_>,
) -> Result<()> {
    let told = match event {
        ActionEvent::WorkflowSuspended => control::suspend(transaction, workflow, cause),
        ActionEvent::WorkflowResumed => control::resume(transaction, workflow, cause),
        ActionEvent::Kill | ActionEvent::JobKilled => control::kill(transaction, workflow, cause),
        _ => Ok(()),
    };
    match told {
        // It has ended, or nobody began it.
        Err(error) if control::is_about_status(&error) => Ok(()),
        told => told,
    }
}
