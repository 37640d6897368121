//! Records starts in the journal beside the database, so that they are known when an older state of it is put back.
//!
//! Must not depend on what a restore does with them.

use std::path::Path;

use crate::Engine;
use crate::runner::job::{NewAttempt, Run};
use howdah_host::clock::{Clock as _, SystemClock};
use howdah_host::start_journal;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, WorkflowJob};
use howdah_words::model::start::{Start, StartedJob};

/// Writes a line for each attempt that starts when the job is stored.
///
/// # Errors
/// H0103, H0111 when there is no room for it: then nothing may start.
pub(crate) fn record(engine: &Engine, run: &Run) -> Result<()> {
    if run.attempts.is_empty() {
        return Ok(());
    }
    // Also where a command has another time: the age of a line decides how long it is kept.
    let at = SystemClock.now().seconds();
    let jobs = engine.store.read(|snapshot| started_jobs(snapshot, &run.row, &run.life))?;
    let start = |attempt: &NewAttempt| {
        let folder = Path::new(&attempt.row.directory).file_name().unwrap_or_default();
        Start {
            at,
            jobs: jobs.clone(),
            node: attempt.row.node.clone(),
            number: attempt.row.number,
            token: attempt.row.token.clone(),
            folder: folder.to_string_lossy().into_owned(),
        }
    };
    let starts: Vec<Start> = run.attempts.iter().map(start).collect();
    start_journal::append(&engine.start_journal(), &starts)
}

/// The job and the jobs above it, the highest first.
fn started_jobs(snapshot: &Snapshot, job: &WorkflowJob, life: &str) -> Result<Vec<StartedJob>> {
    let (mut row, mut life, mut jobs) = (job.clone(), life.to_owned(), Vec::new());
    loop {
        let above = row.parent_workflow.map(|parent| snapshot.workflow_job_at(parent)).transpose()?.flatten();
        let parent = match (&above, &row.parent_node) {
            (Some(above), Some(node)) => Some((format!("{}@{node}", above.id), above.run)),
            _ => parent_action(snapshot, &row)?,
        };
        let (parent, parent_run) = parent.map_or((None, 0), |(parent, run)| (Some(parent), run));
        jobs.push(StartedJob { parent, parent_run, job: row.id.to_string(), run: row.run, life });
        let Some(above) = above else { break };
        life = snapshot.workflow_life(above.job)?;
        row = above;
    }
    jobs.reverse();
    Ok(jobs)
}

/// The coordinator action that started a job, and its run.
fn parent_action(snapshot: &Snapshot, job: &WorkflowJob) -> Result<Option<(String, u32)>> {
    let Some((job, number)) = job.parent_coordinator.zip(job.parent_action) else { return Ok(None) };
    let coordinator = snapshot.coordinator_job_at(job)?;
    let action = snapshot.coordinator_action(ActionKey { job, number })?;
    Ok(coordinator.zip(action).map(|(coordinator, action)| (format!("{}@{number}", coordinator.id), action.run)))
}
