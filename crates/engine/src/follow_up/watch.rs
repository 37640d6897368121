//! Notes what no change of a status says: a job that is late, and a runner that died.

use crate::Engine;
use crate::format::{in_words, time};
use crate::overdue::{self, LateAction, LateJob};
use crate::runner::{demand, settings_check};
use howdah_host::fault::fault_point;
use howdah_words::error::Result;
use howdah_words::model::alert::AlertEvent;
use howdah_words::model::row::Incident;
use howdah_words::model::time::Timestamp;

/// Checks before a tick whether the runner died although workflow jobs need it: the tick itself creates work for a new
/// one.
///
/// # Errors
/// A failure of the database.
pub(crate) fn is_runner_lost(engine: &Engine) -> Result<bool> {
    let is_wanted = engine.settings.alerts.want(AlertEvent::Runner);
    Ok(is_wanted && settings_check::has_died(engine) && demand::needs_runner(engine)?)
}

/// Notes that the runner died.
///
/// # Errors
/// A failure of the database.
pub(crate) fn note_runner_loss(engine: &mut Engine, now: Timestamp) -> Result<()> {
    let reason = "workflow jobs need a runner, and it died; this tick starts another".to_owned();
    let incident = Incident { reason: Some(reason), ..Incident::new(now, AlertEvent::Runner) };
    engine.store.transact(|transaction| transaction.insert_incident(&incident))?;
    fault_point("after-runner-incident");
    Ok(())
}

/// Notes each late job once for the action that is late. While all jobs are paused, none: they are late because an
/// operator wants it. One that is still late after the pause is noted then.
///
/// # Errors
/// A failure of the database.
pub(crate) fn note_overdue(engine: &mut Engine, now: Timestamp) -> Result<()> {
    if !engine.settings.alerts.want(AlertEvent::Overdue) {
        return Ok(());
    }
    let late = engine.store.read(|snapshot| {
        let mut new = Vec::new();
        if snapshot.site_pause()?.is_some() {
            return Ok(new);
        }
        for late in overdue::late_jobs(snapshot, now)? {
            if snapshot.overdue_number(late.job.job)? != Some(late.action.number) {
                new.push(late);
            }
        }
        Ok(new)
    })?;
    for one in late {
        store(engine, &one, now)?;
    }
    Ok(())
}

fn store(engine: &mut Engine, late: &LateJob, now: Timestamp) -> Result<()> {
    let LateJob { job, action: LateAction { number, nominal_at, seconds } } = late;
    let reason = format!("it has not ended {} after its nominal time {}", in_words(*seconds), time(*nominal_at));
    fault_point("before-overdue-commit");
    engine.store.transact(|transaction| {
        // Another process may have noted it since.
        if transaction.overdue_number(job.job)? == Some(*number) {
            return Ok(());
        }
        transaction.set_overdue_number(job.job, *number)?;
        transaction.insert_incident(&Incident {
            coordinator_job: Some(job.job),
            action_number: Some(*number),
            reason: Some(reason),
            ..Incident::new(now, AlertEvent::Overdue)
        })
    })?;
    fault_point("after-overdue-commit");
    Ok(())
}
