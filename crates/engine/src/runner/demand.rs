//! Checks whether the workflow jobs of a database need a runner.

use crate::runner::demand;
use crate::{Engine, run_as};
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::WorkflowJob;
use howdah_words::model::status::WorkflowStatus;

/// Checks whether the start of a job waits because all jobs are paused, because the job was submitted to be started
/// later, or because its coordinator or its parent workflow job was suspended before the job started.
pub(crate) fn is_withheld(snapshot: &Snapshot, job: &WorkflowJob) -> Result<bool> {
    if job.status != WorkflowStatus::Prep {
        return Ok(false);
    }
    if snapshot.site_pause()?.is_some() {
        return Ok(true);
    }
    if job.run == 0 && snapshot.is_workflow_held(job.job)? {
        return Ok(true);
    }
    if let Some(parent) = job.parent_workflow {
        let above = snapshot.workflow_job_at(parent)?;
        return Ok(above.is_some_and(|above| above.status == WorkflowStatus::Suspended));
    }
    let Some(coordinator) = job.parent_coordinator else { return Ok(false) };
    let above = snapshot.coordinator_job_at(coordinator)?;
    Ok(above.is_some_and(|above| above.status.is_suspended()))
}

/// Checks whether workflow jobs need a runner.
///
/// # Errors
/// A failure of the database.
pub fn needs_runner(engine: &Engine) -> Result<bool> {
    engine.store.read(|snapshot| {
        if snapshot.has_any_open_attempt()? {
            return Ok(true);
        }
        for job in snapshot.active_workflow_jobs()? {
            // This process does not advance jobs of users that it cannot work for: another process does.
            let may_work = run_as::worker(&job.user).map_or_else(|error| error.may_pass(), |_| true);
            if may_work && job.status != WorkflowStatus::Suspended && !demand::is_withheld(snapshot, &job)? {
                return Ok(true);
            }
        }
        Ok(false)
    })
}
