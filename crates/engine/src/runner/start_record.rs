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
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob, WorkflowJob};
use howdah_words::model::start::{Start, StartedBundle, StartedJob};

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
    let (jobs, bundle) = engine.store.read(|snapshot| started_jobs(snapshot, &run.row, &run.life))?;
    let start = |attempt: &NewAttempt| {
        let folder = Path::new(&attempt.row.directory).file_name().unwrap_or_default();
        Start {
            at,
            jobs: jobs.clone(),
            bundle: bundle.clone(),
            node: attempt.row.node.clone(),
            number: attempt.row.number,
            token: attempt.row.token.clone(),
            folder: folder.to_string_lossy().into_owned(),
        }
    };
    let starts: Vec<Start> = run.attempts.iter().map(start).collect();
    start_journal::append(&engine.start_journal(), &starts)
}

/// The job and the jobs above it, the highest first, and the bundle of their coordinator.
fn started_jobs(
    snapshot: &Snapshot,
    job: &WorkflowJob,
    life: &str,
) -> Result<(Vec<StartedJob>, Option<StartedBundle>)> {
    let (mut row, mut life, mut jobs) = (job.clone(), life.to_owned(), Vec::new());
    loop {
        let above = row.parent_workflow.map(|parent| snapshot.workflow_job_at(parent)).transpose()?.flatten();
        let mut action = None;
        let parent = match (&above, &row.parent_node) {
            (Some(above), Some(node)) => Some((format!("{}@{node}", above.id), above.run)),
            _ => {
                action = parent_action(snapshot, &row)?;
                action
                    .as_ref()
                    .map(|(coordinator, action)| (format!("{}@{}", coordinator.id, action.number), action.run))
            }
        };
        let (parent, parent_run) = parent.map_or((None, 0), |(parent, run)| (Some(parent), run));
        jobs.push(StartedJob { parent, parent_run, job: row.id.to_string(), run: row.run, life });
        let Some(above) = above else {
            jobs.reverse();
            let bundle = action.map(|(coordinator, _)| bundle_of(snapshot, coordinator)).transpose()?.flatten();
            return Ok((jobs, bundle));
        };
        life = snapshot.workflow_life(above.job)?;
        row = above;
    }
}

/// The coordinator action that started a job.
fn parent_action(snapshot: &Snapshot, job: &WorkflowJob) -> Result<Option<(CoordinatorJob, CoordinatorAction)>> {
    let Some((job, number)) = job.parent_coordinator.zip(job.parent_action) else { return Ok(None) };
    let coordinator = snapshot.coordinator_job_at(job)?;
    Ok(coordinator.zip(snapshot.coordinator_action(ActionKey { job, number })?))
}

/// The bundle of a coordinator.
fn bundle_of(snapshot: &Snapshot, coordinator: CoordinatorJob) -> Result<Option<StartedBundle>> {
    let Some(bundle) = coordinator.parent_bundle else { return Ok(None) };
    let bundle = snapshot.bundle_job_at(bundle)?;
    // Its name stays that which the bundle gave it, also when a later coordinator has its place there.
    Ok(bundle.map(|bundle| StartedBundle { job: bundle.id.to_string(), coordinator: coordinator.name }))
}
