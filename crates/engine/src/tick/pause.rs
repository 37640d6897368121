//! Pauses jobs whose pause time has come, and continues those whose pause time was removed (`PauseTransitService`).
//!
//! A pause stops only materialization: the inputs of a paused job are still checked and its READY actions start
//! (decision C39). Must not depend on actions.

use crate::due::due_at;
use crate::format::time;
use crate::tick::context::Tick;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{is_current, move_job};
use howdah_oozie::coordinator::job_state::{JobEvent, transition};
use howdah_words::error::Result;
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::origin::Origin;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// The name of this step in events.
const ORIGIN: Origin = Origin::Pause;

/// Runs the step for every job that is due.
pub fn pause(tick: &mut Tick<'_>) -> Result<()> {
    for job in tick.engine.store.read(|snapshot| snapshot.due_coordinator_jobs(tick.now))? {
        pause_job(tick, &job)?;
    }
    Ok(())
}

fn pause_job(tick: &mut Tick<'_>, before: &CoordinatorJob) -> Result<()> {
    let mut job = before.clone();
    let change = change(job.status, job.pause_at, tick.now);
    let lookup_seconds = tick.engine.settings.window.lookup_seconds;
    let to = change.and_then(|event| transition(job.status, event)).unwrap_or(job.status);
    // Only a new pause time ends a pause, and the command that sets it makes the job due.
    job.due_at =
        if to.is_paused() { None } else { due_at(&CoordinatorJob { status: to, ..job.clone() }, lookup_seconds) };
    if change.is_none() && job.due_at == before.due_at {
        return Ok(());
    }
    let reason = reason(&job, change);
    let cause = Cause::new(tick.now, ORIGIN).or_because(reason.as_deref());
    tick.engine.store.transact(|transaction| {
        if !is_current(transaction, before)? {
            return Ok(());
        }
        match change {
            Some(event) => move_job(transaction, &mut job, event, cause).map(drop),
            None => transaction.update_coordinator_job(before.status, &job).map(drop),
        }
    })
}

/// Returns the event that follows from the pause time now.
fn change(status: JobStatus, pause: Option<Timestamp>, now: Timestamp) -> Option<JobEvent> {
    let reached = pause.is_some_and(|pause| pause <= now);
    match status.hold() {
        Some(JobHold::Free) if reached => Some(JobEvent::PauseTimeReached),
        Some(JobHold::Paused) if !reached => Some(JobEvent::PauseTimeGone),
        _ => None,
    }
}

fn reason(job: &CoordinatorJob, change: Option<JobEvent>) -> Option<String> {
    change.map(|_| match job.pause_at {
        Some(pause) if change == Some(JobEvent::PauseTimeReached) => format!("its pause time {} has come", time(pause)),
        Some(pause) => format!("its pause time is in the future again: {}", time(pause)),
        None => "it has no pause time any more".to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `pause`: how far away the pause time is; `expect`: the status that follows, if it is another one.
    fn check(status: JobStatus, pause: Option<i64>, expect: Option<JobStatus>) {
        let now = Timestamp::from_seconds(1_000_000);
        let event = change(status, pause.map(|away| now + away), now);
        assert_eq!(event.and_then(|event| transition(status, event)), expect, "{status} {pause:?}");
    }

    #[test]
    fn a_pause_starts_at_its_time_and_ends_when_the_time_is_removed() {
        use JobStatus as S;
        for (going, paused) in [("PREP", "PREPPAUSED"), ("RUNNING", "PAUSED"), ("RUNNINGWITHERROR", "PAUSEDWITHERROR")]
        {
            let (going, paused) = (S::from_word(going).unwrap(), S::from_word(paused).unwrap());
            check(going, Some(0), Some(paused));
            check(going, Some(-60), Some(paused));
            check(going, Some(60), None);
            check(going, None, None);
            check(paused, Some(-60), None);
            check(paused, Some(60), Some(going));
            check(paused, None, Some(going));
        }
        for still in ["PREPSUSPENDED", "SUSPENDED", "SUSPENDEDWITHERROR", "SUCCEEDED", "KILLED", "IGNORED"] {
            check(S::from_word(still).unwrap(), Some(-60), None);
            check(S::from_word(still).unwrap(), None, None);
        }
    }
}
