//! Changing the end, the concurrency, the pause time or the status of a job (coordinator specification 14).
//!
//! Actions that were created ahead and are due at or after a new end or pause time are deleted; when one of them is no
//! longer waiting, the whole change is refused.

use crate::coordinator::job_state::JobEvent;
use crate::coordinator::operation::change_value::{NewPause, NewStatus, NewValues};
use crate::coordinator::operation::{Changes, Decision, Declined, reopen_advice};
use howdah_calendar::notation::Notation;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// Reads the action of the job with a number: a change goes through them from the last one down.
pub(crate) type ReadAction<'a> = &'a dyn Fn(u32) -> Result<Option<CoordinatorAction>>;

/// The actions of the job, and how a refusal names their times.
#[derive(Clone, Copy)]
struct Actions<'a> {
    read: ReadAction<'a>,
    notation: Notation,
}

/// Changes a job; refuses in this notation.
pub fn change(job: &CoordinatorJob, action: ReadAction<'_>, values: &NewValues, notation: Notation) -> Decision {
    let actions = Actions { read: action, notation };
    // A command of howdah is over with its transaction: none is pending.
    check(job, values, false).map_err(Declined::Refused)?;
    let mut changes = Changes::none(job);
    if let Some(end) = values.end {
        // A given status wins over the status that the new end leads to.
        move_end(&mut changes, actions, (end, values.status.is_none()))?;
    }
    if let Some(concurrency) = values.concurrency {
        changes.job.concurrency = concurrency;
    }
    if let Some(pause) = values.pause {
        move_pause(&mut changes, actions, pause)?;
    }
    if let Some(status) = values.status {
        set_status(&mut changes, status);
    }
    if changes.job.next_materialized_at.is_some_and(|next| changes.job.end_at <= next) {
        changes.job.done_materialization = true;
    }
    Ok(changes)
}

/// Checks whether a job's status allows a change; `pending`: an earlier command is still in progress, as in Oozie.
///
/// # Errors
/// E1016 for anything except a new status of a KILLED or IGNORED job, E1015 for a status that cannot follow.
pub fn check(job: &CoordinatorJob, values: &NewValues, pending: bool) -> Result<()> {
    use JobStatus as S;
    let pause = values.pause.is_some_and(|pause| pause != NewPause::Never);
    let more = values.end.is_some() || values.concurrency.is_some() || pause;
    if matches!(job.status, S::Killed | S::Ignored) && (values.status.is_none() || more) {
        let help =
            format!("the job is {}; {}, and nothing else may change with it", job.status, reopen_advice(&job.id));
        return Err(Error::plain(ErrorCode::E1016, "Cannot change a killed coordinator job").help(help));
    }
    let Some(status) = values.status else { return Ok(()) };
    let (allowed, from) = match status {
        NewStatus::Running => (matches!(job.status, S::Failed | S::Killed | S::Ignored), "FAILED, KILLED, IGNORED job"),
        NewStatus::Ignored => {
            (matches!(job.status, S::Failed | S::Killed) && !pending, "FAILED or KILLED non-pending job")
        }
    };
    if allowed {
        return Ok(());
    }
    let why = format!("Only {from} can be changed to {}. Current job status is {}", status.as_str(), job.status);
    Err(Error::with(ErrorCode::E1015, &[&status.as_str(), &why]).help(status_advice(status, job)))
}

/// Returns what to do instead of giving a job a status that cannot follow its own.
fn status_advice(status: NewStatus, job: &CoordinatorJob) -> String {
    use JobStatus as S;
    let id = &job.id;
    match (status, job.status) {
        (NewStatus::Running, from) if from.is_suspended() => {
            format!("`howdah resume {id}` resumes it")
        }
        (NewStatus::Running, S::Done { .. }) => {
            format!("`howdah change {id} --endtime TIME` reopens it, `howdah rerun` runs its actions again")
        }
        (NewStatus::Running, _) => "the job is not over".to_owned(),
        (NewStatus::Ignored, S::Ignored) => "it is IGNORED already".to_owned(),
        (NewStatus::Ignored, S::Done { .. }) => {
            format!("`howdah ignore {id} --action NUMBERS` ignores actions that ended badly")
        }
        (NewStatus::Ignored, _) => format!("`howdah kill {id}` first"),
    }
}

/// Moves the end, and changes the job's status when `follows`.
fn move_end(changes: &mut Changes, actions: Actions<'_>, (end, follows): (Timestamp, bool)) -> Result<(), Declined> {
    // A later end within the period of the last action adds no action, and Oozie discards it.
    if changes.job.end_at < end && changes.job.next_materialized_at.is_some_and(|next| next > end) {
        return Ok(());
    }
    changes.job.end_at = end;
    if end <= changes.job.start_at {
        if changes.job.status != JobStatus::PREP {
            delete_from(changes, actions, end)?;
        }
        if follows {
            changes.move_job(JobEvent::EndedBeforeStart);
        }
        changes.job.done_materialization = true;
    } else {
        if follows {
            changes.move_job(JobEvent::EndTimeMoved);
        }
        changes.job.done_materialization = false;
        delete_from(changes, actions, end)?;
    }
    Ok(())
}

fn move_pause(changes: &mut Changes, actions: Actions<'_>, pause: NewPause) -> Result<(), Declined> {
    let new = match pause {
        NewPause::At(at) => Some(at),
        NewPause::Never => None,
    };
    let old = std::mem::replace(&mut changes.job.pause_at, new);
    let later = old.is_some_and(|old| new.is_none_or(|new| old < new));
    // A PREPPAUSED job waits for the next tick to notice it.
    if later && matches!(changes.job.status, JobStatus::Running { hold: JobHold::Paused, .. }) {
        changes.move_job(JobEvent::PauseTimeGone);
    }
    new.map_or(Ok(()), |at| delete_from(changes, actions, at))
}

fn set_status(changes: &mut Changes, status: NewStatus) {
    match status {
        NewStatus::Running => {
            changes.move_job(JobEvent::Reopened);
            if changes.job.next_materialized_at.is_none_or(|next| changes.job.end_at > next) {
                changes.job.done_materialization = false;
            }
        }
        NewStatus::Ignored => {
            changes.move_job(JobEvent::Ignored);
            changes.job.done_materialization = true;
        }
    }
}

/// Deletes the actions at and after an instant, from the last one on; they are created again when they are due.
fn delete_from(changes: &mut Changes, actions: Actions<'_>, from: Timestamp) -> Result<(), Declined> {
    while let Some(last) = (actions.read)(changes.job.last_action_number).map_err(Declined::Refused)? {
        if last.nominal_at < from {
            break;
        }
        if last.has_run() || !matches!(last.status, ActionStatus::Waiting | ActionStatus::Ready) {
            return Err(Declined::Refused(not_deletable(&changes.job, &last, actions.notation)));
        }
        changes.job.last_action_number -= 1;
        changes.job.next_materialized_at = Some(last.nominal_at);
        changes.job.done_materialization = false;
        changes.deleted.push(last);
    }
    Ok(())
}

fn not_deletable(job: &CoordinatorJob, action: &CoordinatorAction, notation: Notation) -> Error {
    let state = if action.has_run() { "was started before".to_owned() } else { format!("is {}", action.status) };
    let at = notation.time(action.nominal_at);
    let help = format!(
        "it is due at {at} and {state}: only actions that have not started can be deleted; choose a later time"
    );
    Error::new(ErrorCode::E1022, format!("{}@{}", job.id, action.number)).help(help)
}

#[cfg(test)]
mod tests;
