//! How many past actions a job still has to create, and how many of them one tick creates: prevents too many at once
//! after a long pause or a start in the past.
//!
//! Counts from the schedule and creates nothing; no action is dropped, ticks continue in steps.

use std::fmt;

use crate::calendar::Schedule;
use crate::engine::Engine;
use crate::engine::compiled::Applications;
use crate::engine::lookup::Job;
use crate::engine::settings::Settings;
use crate::error::{Class, Result};
use crate::model::id::JobId;
use crate::model::row::CoordinatorJob;
use crate::model::time::Timestamp;
use crate::store::Snapshot;

/// More past actions of a job than one tick creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Backlog {
    /// The id of the job.
    pub(crate) job: String,
    /// How many nominal times have passed without an action.
    pub(crate) past: u32,
    /// How many actions one tick creates at most.
    pub(crate) per_tick: u32,
}

impl fmt::Display for Backlog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, past, per_tick } = self;
        write!(
            f,
            "{job}: {past} nominal times have passed without an action; ticks create them in steps of at most \
             {per_tick} (howdah.actions.per.tick), none is left out"
        )
    }
}

/// Returns the backlogs of a coordinator job, or of the coordinators of a bundle.
///
/// # Errors
/// A failure of the database.
pub(crate) fn backlogs(engine: &mut Engine, id: &JobId, now: Timestamp) -> Result<Vec<Backlog>> {
    let Engine { store, settings, applications, .. } = engine;
    store.read(|snapshot| {
        let job = Job::find(snapshot, id)?;
        let jobs = job.map_or_else(|| Ok(Vec::new()), |job| job.into_coordinators(snapshot))?;
        let backlogs = jobs.iter().map(|job| of_job(snapshot, (applications, settings), job, now));
        backlogs.filter_map(Result::transpose).collect()
    })
}

/// Returns the backlog of a job that creates actions; `None` when one tick can create all that is past, and when its
/// definition cannot be read, which ticks report.
///
/// # Errors
/// A failure of the database.
pub(crate) fn of_job(
    snapshot: &Snapshot,
    (applications, settings): (&mut Applications, &Settings),
    job: &CoordinatorJob,
    now: Timestamp,
) -> Result<Option<Backlog>> {
    if job.status.is_terminal() || job.done_materialization {
        return Ok(None);
    }
    let per_tick = settings.most_actions_per_tick;
    match applications.load(snapshot, job, job.definition_version, &settings.submit) {
        Ok(application) => {
            let past = past(&application.coordinator.schedule, job, now);
            Ok((past > per_tick).then(|| Backlog { job: job.id.to_string(), past, per_tick }))
        }
        Err(error) if error.code().class() == Class::Refused => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns how many nominal times have passed at `now` without an action; those from the pause time on do not count.
pub(crate) fn past(schedule: &Schedule, job: &CoordinatorJob, now: Timestamp) -> u32 {
    let end = schedule.end.min(now + 1);
    let schedule = Schedule { end: job.pause_at.map_or(end, |pause| pause.min(end)), ..schedule.clone() };
    if schedule.end <= schedule.start { 0 } else { schedule.count().saturating_sub(job.last_action_number) }
}
