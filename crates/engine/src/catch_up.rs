//! How many past actions a job still has to create, and how many of them one tick creates: prevents too many at once
//! after a long pause or a start in the past.
//!
//! Counts from the schedule and creates nothing; no action is dropped, ticks continue in steps.

use std::fmt;

use crate::Engine;
use crate::compiled::{Application, Applications};
use crate::lookup::Job;
use crate::settings::Settings;
use howdah_calendar::Schedule;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::status::Execution;
use howdah_words::model::time::Timestamp;

/// More past actions of a job than one tick creates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backlog {
    /// The id of the job.
    pub job: String,
    /// How many nominal times have passed without an action.
    pub past: u32,
    /// How many actions one tick creates at most.
    pub per_tick: u32,
    /// How many of them may be WAITING, and how many may run, at once.
    pub throttle: i32,
    pub concurrency: i32,
}

impl Backlog {
    /// Returns the backlog of a job.
    pub fn of(job: &CoordinatorJob, past: u32, per_tick: u32) -> Self {
        let CoordinatorJob { throttle, concurrency, .. } = *job;
        Self { job: job.id.to_string(), past, per_tick, throttle, concurrency }
    }
}

/// Returns whether a tick counts the past actions that the execution passes over, and creates none of them: nothing
/// reports each of them.
///
/// # Errors
/// A failure of the database.
pub(crate) fn passes_over_at_once(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    application: &Application,
) -> Result<bool> {
    let passes_over = matches!(job.execution, Execution::LastOnly | Execution::None);
    Ok(passes_over && application.coordinator.sla.is_empty() && snapshot.coordinator_notification(job.job)?.is_none())
}

impl fmt::Display for Backlog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { job, past, per_tick, throttle, concurrency } = self;
        write!(
            f,
            "{job}: {past} nominal times have passed without an action; ticks create them in steps of at most \
             {per_tick} (howdah.actions.per.tick), none is left out; at most {throttle} of them wait at once \
             (throttle), and "
        )?;
        match u32::try_from(*concurrency) {
            Ok(concurrency) => write!(f, "{concurrency} run (concurrency)"),
            Err(_) => f.write_str("the machine alone limits how many run (howdah.commands)"),
        }
    }
}

/// Returns the backlogs of a coordinator job, or of the coordinators of a bundle.
///
/// # Errors
/// A failure of the database.
pub fn backlogs(engine: &mut Engine, id: &JobId, now: Timestamp) -> Result<Vec<Backlog>> {
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
pub fn of_job(
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
            if passes_over_at_once(snapshot, job, &application)? {
                return Ok(None);
            }
            let past = past(&application.coordinator.schedule, job, now);
            Ok((past > per_tick).then(|| Backlog::of(job, past, per_tick)))
        }
        Err(error) if error.is_answer() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns how many nominal times have passed at `now` without an action; those from the pause time on do not count.
pub fn past(schedule: &Schedule, job: &CoordinatorJob, now: Timestamp) -> u32 {
    let end = schedule.end.min(now + 1);
    let schedule = Schedule { end: job.pause_at.map_or(end, |pause| pause.min(end)), ..schedule.clone() };
    if schedule.end <= schedule.start { 0 } else { schedule.count().saturating_sub(job.last_action_number) }
}
