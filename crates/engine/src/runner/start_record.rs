//! Records starts in the journal beside the database, so that they are known when an older state of it is put back.
//!
//! Must not depend on what a restore does with them.

use std::collections::HashSet;
use std::path::Path;

use crate::Engine;
use crate::runner::job::{NewAttempt, Run};
use howdah_host::clock::{Clock as _, SystemClock};
use howdah_host::start_journal;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, Attempt, CoordinatorAction, CoordinatorJob, WorkflowJob};
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
    let start = |attempt: &NewAttempt| start_of(at, &jobs, bundle.as_ref(), &attempt.row);
    let starts: Vec<Start> = run.attempts.iter().map(start).collect();
    start_journal::append(&engine.start_journal(), &starts)
}

/// The most attempts that a power cut can have taken from the journal: more do not start while lines wait for the disk.
const MOST_LOST: u32 = 10_000;

/// Adds the lines of attempts that a power cut has taken from the journal, for a process that has just taken the
/// runner's lock.
///
/// # Errors
/// H0103, H0110, H0111 when the journal cannot be read or written, or a failure of the database: then nothing may
/// start.
pub(crate) fn complete(engine: &Engine) -> Result<()> {
    let journal = engine.start_journal();
    let Some(newest) = engine.store.read(|snapshot| snapshot.newest_attempts(1))?.pop() else { return Ok(()) };
    // What is no journal any more is a gap for each backup.
    if start_journal::ends_well(&journal, &newest.token)? || start_journal::id(&journal)?.is_none() {
        return Ok(());
    }
    let mut tokens = HashSet::new();
    start_journal::read(&journal, |_, start| {
        tokens.insert(start.token);
        Ok(())
    })?;
    let lost = engine.store.read(|snapshot| lost_starts(snapshot, &tokens))?;
    // After a restore the database does not know everything that began, so a damaged line has to stay one.
    if engine.store.read(Snapshot::was_put_back)? {
        return start_journal::append(&journal, &lost);
    }
    start_journal::mend(&journal, &lost)
}

/// The starts that the journal does not have, the oldest first: those behind the first that it has.
fn lost_starts(snapshot: &Snapshot, tokens: &HashSet<String>) -> Result<Vec<Start>> {
    let newest = snapshot.newest_attempts(MOST_LOST)?;
    let oldest_known = newest.iter().rposition(|attempt| tokens.contains(&attempt.token));
    let end = oldest_known.unwrap_or(newest.len());
    let at = SystemClock.now().seconds();
    let mut lost = Vec::new();
    for attempt in newest[..end].iter().rev().filter(|attempt| !tokens.contains(&attempt.token)) {
        let Some(row) = snapshot.workflow_job_at(attempt.job)? else { continue };
        let (jobs, bundle) = started_jobs(snapshot, &row, &snapshot.workflow_life(row.job)?)?;
        lost.push(start_of(at, &jobs, bundle.as_ref(), attempt));
    }
    Ok(lost)
}

/// The line of an attempt.
fn start_of(at: i64, jobs: &[StartedJob], bundle: Option<&StartedBundle>, attempt: &Attempt) -> Start {
    let folder = Path::new(&attempt.directory).file_name().unwrap_or_default();
    Start {
        at,
        jobs: jobs.to_vec(),
        bundle: bundle.cloned(),
        node: attempt.node.clone(),
        number: attempt.number,
        token: attempt.token.clone(),
        folder: folder.to_string_lossy().into_owned(),
    }
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
        let parent = if let (Some(above), Some(node)) = (&above, &row.parent_node) {
            Some((format!("{}@{node}", above.id), above.run))
        } else {
            action = parent_action(snapshot, &row)?;
            let name = |(coordinator, action): &(CoordinatorJob, CoordinatorAction)| {
                (format!("{}@{}", coordinator.id, action.number), action.run)
            };
            action.as_ref().map(name)
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
