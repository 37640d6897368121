//! Pauses jobs whose pause time has come, and lets go on those whose pause time is gone (`PauseTransitService`).
//!
//! A pause stops materialization and nothing else: inputs of a paused job are looked for and its READY actions start
//! (decision C39). Must never know actions.

use crate::coordinator::job_state::{JobEvent, transition};
use crate::engine::change::{Cause, is_current, move_job};
use crate::engine::materialize::due_at;
use crate::engine::tick::Tick;
use crate::engine::view::time;
use crate::error::Result;
use crate::model::status::CoordinatorStatus;
use crate::model::time::Timestamp;
use crate::store::CoordinatorJob;

/// The name of this step in events.
const ORIGIN: &str = "pause";

/// Runs the step for every job that is due.
pub(crate) fn pause(tick: &mut Tick<'_>) -> Result<()> {
    for job in tick.engine.store.read(|snapshot| snapshot.due_coordinator_jobs(tick.now))? {
        pause_job(tick, job)?;
    }
    Ok(())
}

fn pause_job(tick: &mut Tick<'_>, before: CoordinatorJob) -> Result<()> {
    let mut job = before.clone();
    let change = change(&job, tick.now);
    let lookup_seconds = tick.engine.settings.window.lookup_seconds;
    let to = change.and_then(|event| transition(job.status, event)).unwrap_or(job.status);
    // Only a new pause time ends a pause, and the command that sets it makes the job due.
    job.due_at =
        if is_paused(to) { None } else { due_at(&CoordinatorJob { status: to, ..job.clone() }, lookup_seconds) };
    if change.is_none() && job.due_at == before.due_at {
        return Ok(());
    }
    let reason = reason(&job, change);
    let cause = Cause { reason: reason.as_deref(), ..Cause::new(tick.now, ORIGIN) };
    tick.engine.store.transact(|transaction| {
        if !is_current(transaction, &before)? {
            return Ok(());
        }
        match change {
            Some(event) => move_job(transaction, &mut job, event, cause).map(drop),
            None => transaction.update_coordinator_job(before.status, &job).map(drop),
        }
    })
}

/// What the pause time means for the job now.
fn change(job: &CoordinatorJob, now: Timestamp) -> Option<JobEvent> {
    use CoordinatorStatus as S;
    let reached = job.pause_at.is_some_and(|pause| pause <= now);
    match job.status {
        S::Prep | S::Running | S::RunningWithError if reached => Some(JobEvent::PauseTimeReached),
        status if is_paused(status) && !reached => Some(JobEvent::PauseTimeGone),
        _ => None,
    }
}

fn is_paused(status: CoordinatorStatus) -> bool {
    use CoordinatorStatus as S;
    matches!(status, S::PrepPaused | S::Paused | S::PausedWithError)
}

fn reason(job: &CoordinatorJob, change: Option<JobEvent>) -> Option<String> {
    change.map(|_| match job.pause_at {
        Some(pause) if change == Some(JobEvent::PauseTimeReached) => format!("its pause time {} has come", time(pause)),
        Some(pause) => format!("its pause time lies ahead again: {}", time(pause)),
        None => "it has no pause time any more".to_owned(),
    })
}
