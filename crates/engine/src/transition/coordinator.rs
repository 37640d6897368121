//! Changes the status of coordinator jobs and actions, with event and notification, in the open transaction.
//!
//! The transaction that changes an action also sets the status of its coordinator and bundle, so no reader sees a job
//! that contradicts its actions. Must not be bypassed: no other module changes these statuses.

use std::ops::RangeInclusive;

use crate::outbox::enqueue;
use crate::sla::registration;
use crate::transition::bundle;
use crate::transition::cause::Cause;
use crate::transition::incident;
use howdah_oozie::coordinator::action_state::{self, ActionEvent};
use howdah_oozie::coordinator::job_state::{self, ActionCounts, JobEvent};
use howdah_store::{NewActions, Transaction};
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{
    ActionGroup, ActionKey, ActionRange, CoordinatorAction, CoordinatorJob, CoordinatorKey, Event,
};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// What the event of a deleted action has instead of a status.
pub const DELETED: &str = "DELETED";

/// Moves an action by an event and writes all of `action`; [`settle_job`] sets the job's status.
///
/// Returns `false` and writes nothing when the action's status does not allow the event or another process changed the
/// action.
pub fn move_action(
    transaction: &Transaction<'_>,
    action: &mut CoordinatorAction,
    event: ActionEvent,
    cause: Cause<'_>,
) -> Result<bool> {
    move_action_through(transaction, action, &[(event, cause)])
}

/// Moves an action by several events: records each of them and writes the row once.
pub fn move_action_through(
    transaction: &Transaction<'_>,
    action: &mut CoordinatorAction,
    events: &[(ActionEvent, Cause<'_>)],
) -> Result<bool> {
    let from = action.status;
    let mut steps = Vec::new();
    for (event, cause) in events {
        let Some(to) = action_state::transition(action.status, *event) else {
            action.status = from;
            return Ok(false);
        };
        steps.push(((std::mem::replace(&mut action.status, to), to), *cause));
        action.modified_at = cause.at;
    }
    if !transaction.update_action(from, action)? {
        return Ok(false);
    }
    for (step, cause) in steps {
        record_action(transaction, action.key(), step, cause)?;
    }
    Ok(true)
}

fn record_action(
    transaction: &Transaction<'_>,
    action: ActionKey,
    (from, to): (ActionStatus, ActionStatus),
    cause: Cause<'_>,
) -> Result<()> {
    let event = Event {
        coordinator_job: Some(action.job),
        action_number: Some(action.number),
        ..cause.event(Some(from.as_str()), to.as_str())
    };
    transaction.insert_event(&event)?;
    incident::note(transaction, &event)?;
    incident::note_rerun(transaction, action, (from, to), &event)?;
    enqueue::notify_of_actions(transaction, action.job, action.number..=action.number, to, cause.at)?;
    if from.is_terminal() && !to.is_terminal() {
        // It runs again, from its start or only its workflow job: its SLA starts again.
        return registration::reset(transaction, (action, to), cause.at);
    }
    transaction.touch_sla(action, cause.at)
}

/// Stores new actions with the timeout of their job, one per nominal time, the last of them with the last number of
/// `job`, and one event for all of them.
pub fn create_actions(
    transaction: &Transaction<'_>,
    (job, times): (&CoordinatorJob, &[Timestamp]),
    cause: Cause<'_>,
) -> Result<()> {
    let last = job.last_action_number;
    let first = last + 1 - u32::try_from(times.len()).unwrap_or(last);
    transaction.insert_actions(&NewActions {
        first: ActionKey { job: job.job, number: first },
        nominal_at: times,
        created_at: cause.at,
        status: ActionStatus::Waiting,
        definition_version: job.definition_version,
        timeout_minutes: job.timeout_minutes,
    })?;
    record_new_actions(transaction, job.job, first..=last, ActionStatus::Waiting, cause)
}

/// Stores an action as another scheduler has it, and an event for it. Nothing is reported to others: that scheduler has
/// done so.
pub fn take_over_action(transaction: &Transaction<'_>, action: &CoordinatorAction, cause: Cause<'_>) -> Result<()> {
    transaction.insert_actions(&NewActions {
        first: action.key(),
        nominal_at: &[action.nominal_at],
        created_at: action.created_at,
        status: action.status,
        definition_version: action.definition_version,
        timeout_minutes: action.timeout_minutes,
    })?;
    transaction.update_action(action.status, action)?;
    let event = Event {
        coordinator_job: Some(action.job),
        action_number: Some(action.number),
        ..cause.event(None, action.status.as_str())
    };
    transaction.insert_event(&event).map(drop)
}

/// Records that actions were created in `status`: one event for all of them.
fn record_new_actions(
    transaction: &Transaction<'_>,
    job: CoordinatorKey,
    numbers: RangeInclusive<u32>,
    status: ActionStatus,
    cause: Cause<'_>,
) -> Result<()> {
    let event = Event {
        coordinator_job: Some(job),
        action_number: Some(*numbers.start()),
        last_action_number: Some(*numbers.end()),
        ..cause.event(None, status.as_str())
    };
    transaction.insert_event(&event)?;
    enqueue::notify_of_actions(transaction, job, numbers, status, cause.at)
}

/// Stores actions that are created and passed over at once, and one event for each of the two. For jobs that report
/// no change of an action: a range has no SLA and no notification.
pub(crate) fn pass_over(
    transaction: &Transaction<'_>,
    range: &ActionRange,
    (created, skipped): (Cause<'_>, Cause<'_>),
) -> Result<()> {
    let to = action_state::transition(ActionStatus::Waiting, ActionEvent::Skipped).unwrap_or(range.status);
    transaction.insert_range(&ActionRange { status: to, ..range.clone() })?;
    let group = range.group();
    record_new_actions(transaction, range.job, group.numbers(), ActionStatus::Waiting, created)?;
    record_group(transaction, &group, (ActionStatus::Waiting, to), skipped)
}

/// Moves all actions of a group by an event that ends them; returns the status that they have then, `None` when theirs
/// does not allow it. One event is recorded for all of them.
pub fn move_group(
    transaction: &Transaction<'_>,
    group: &ActionGroup,
    event: ActionEvent,
    cause: Cause<'_>,
) -> Result<Option<ActionStatus>> {
    let Some(to) = action_state::transition(group.status, event).filter(|to| to.is_terminal()) else {
        return Ok(None);
    };
    if transaction.move_group(group, to, cause.at)? == 0 {
        return Ok(None);
    }
    record_group(transaction, group, (group.status, to), cause)?;
    Ok(Some(to))
}

/// Records one event for all actions of a group, and reports each of them if the job reports changes.
fn record_group(
    transaction: &Transaction<'_>,
    group: &ActionGroup,
    (from, to): (ActionStatus, ActionStatus),
    cause: Cause<'_>,
) -> Result<()> {
    let event = Event {
        coordinator_job: Some(group.job),
        action_number: Some(group.number),
        last_action_number: (group.len() > 1).then_some(group.last_number),
        ..cause.event(Some(from.as_str()), to.as_str())
    };
    transaction.insert_event(&event)?;
    incident::note(transaction, &event)?;
    if event.actor.is_some() {
        // A command of a user ends the plans of the failure policy.
        transaction.forget_policy_reruns(group)?;
    }
    enqueue::notify_of_actions(transaction, group.job, group.numbers(), to, cause.at)?;
    transaction.touch_group_sla(group, cause.at)
}

/// Checks whether a job is still as it was read. If not, the change of the other command wins and the next tick checks
/// the job again.
pub(crate) fn is_current(transaction: &Transaction<'_>, read: &CoordinatorJob) -> Result<bool> {
    Ok(transaction.coordinator_job_at(read.job)?.as_ref() == Some(read))
}

/// Moves a job by an event and writes all of `job`; returns `false` when its status does not allow the event.
pub fn move_job(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    event: JobEvent,
    cause: Cause<'_>,
) -> Result<bool> {
    match job_state::transition(job.status, event) {
        Some(to) => set_job_status(transaction, job, to, cause),
        None => Ok(false),
    }
}

/// Writes all of `job` except its status; returns `false` when another process changed the status.
pub fn change_job(transaction: &Transaction<'_>, job: &mut CoordinatorJob, cause: Cause<'_>) -> Result<bool> {
    job.modified_at = cause.at;
    if !transaction.update_coordinator_job(job.status, job)? {
        return Ok(false);
    }
    let status = job.status.as_str();
    let event = Event { coordinator_job: Some(job.job), ..cause.event(Some(status), status) };
    transaction.insert_event(&event)?;
    Ok(true)
}

/// Deletes an action that has not started and records an event; returns `false` when another process changed it.
pub fn delete_action(transaction: &Transaction<'_>, action: &CoordinatorAction, cause: Cause<'_>) -> Result<bool> {
    if !transaction.delete_action(action.status, action.key())? {
        return Ok(false);
    }
    let event = Event {
        coordinator_job: Some(action.job),
        action_number: Some(action.number),
        ..cause.event(Some(action.status.as_str()), DELETED)
    };
    transaction.insert_event(&event)?;
    Ok(true)
}

fn set_job_status(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    to: JobStatus,
    cause: Cause<'_>,
) -> Result<bool> {
    let from = job.status;
    job.status = to;
    job.modified_at = cause.at;
    if to.is_terminal() {
        job.ended_at = Some(cause.at);
        job.due_at = None;
    } else {
        job.ended_at = None;
    }
    if !transaction.update_coordinator_job(from, job)? {
        return Ok(false);
    }
    if from != to {
        let event = Event { coordinator_job: Some(job.job), ..cause.event(Some(from.as_str()), to.as_str()) };
        transaction.insert_event(&event)?;
        incident::note_failed_job(transaction, &event)?;
        if let Some(bundle) = job.parent_bundle {
            bundle::update(transaction, bundle, cause)?;
        }
    }
    Ok(true)
}

/// Sets the status of a job that follows from its actions; a job that ended keeps its status.
pub fn settle_job(transaction: &Transaction<'_>, job: CoordinatorKey, cause: Cause<'_>) -> Result<()> {
    let Some(mut job) = transaction.coordinator_job_at(job)? else { return Ok(()) };
    let mut counts = ActionCounts::default();
    for (status, count) in transaction.action_counts(job.job)? {
        counts.set(status, count.into());
    }
    let to = job_state::from_actions(job.status, job.done_materialization, false, &counts);
    if to != job.status {
        set_job_status(transaction, &mut job, to, cause)?;
    }
    Ok(())
}
