//! Stores the jobs of a shadow: each continues where a job of an Oozie is now.

use crate::Engine;
use crate::due::due_at;
use crate::submit::coordinator::{Beginning, PreparedCoordinator, insert_coordinator};
use crate::transition::cause::Cause;
use crate::transition::coordinator::{change_job, move_job};
use howdah_oozie::coordinator::job_state::JobEvent;
use howdah_store::{NewActions, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorJob, Event, Shadow, ShadowJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// A job of Oozie, ready to be followed.
pub struct ShadowedJob {
    pub oozie_id: String,
    pub prepared: PreparedCoordinator,
    /// The number of its last action.
    pub last_action: u32,
    /// The nominal time of its next action; `None` when it creates no more.
    pub next: Option<Timestamp>,
    pub end: Option<Timestamp>,
    pub pause: Option<Timestamp>,
    pub concurrency: Option<i32>,
    /// How many of its actions may wait at once.
    pub throttle: Option<i32>,
    /// The timeout of the actions that it creates; negative: none.
    pub timeout_minutes: Option<i32>,
    pub is_suspended: bool,
    /// Its actions that are not over.
    pub open: Vec<ShadowedAction>,
}

/// An action of Oozie that was not over when the shadow began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShadowedAction {
    pub number: u32,
    pub nominal: Timestamp,
    pub created: Timestamp,
    pub timeout_minutes: i32,
    /// Whether Oozie had started it.
    pub is_started: bool,
}

/// Makes an empty database a shadow of these jobs, in one transaction; returns the stored jobs.
///
/// # Errors
/// H0246 when the database has jobs, or any failure of the database.
pub fn begin(engine: &mut Engine, jobs: &[ShadowedJob], follows: bool, now: Timestamp) -> Result<Vec<CoordinatorJob>> {
    let Engine { store, settings, .. } = engine;
    let place = store.path().display().to_string();
    let lookup = settings.window.lookup_seconds;
    store.transact(|transaction| {
        if transaction.shadow()?.is_some() || transaction.latest_job()?.is_some() {
            let why = "it has jobs; a shadow begins in a new database";
            let error = Error::with(ErrorCode::H0246, &[&place, &why]);
            return Err(error.help("name a file that does not exist yet, with --db"));
        }
        let stored = jobs.iter().map(|job| insert(transaction, job, (lookup, follows), now)).collect::<Result<_>>()?;
        // After the jobs: nothing is submitted to a shadow.
        transaction.insert_shadow(&Shadow { created_at: now, follows })?;
        Ok(stored)
    })
}

/// Refuses a database that is no shadow.
///
/// # Errors
/// H0246.
fn insert(
    transaction: &Transaction<'_>,
    shadowed: &ShadowedJob,
    (lookup, follows): (i64, bool),
    now: Timestamp,
) -> Result<CoordinatorJob> {
    let cause = Cause::new(now, Origin::Shadow);
    let first = shadowed.last_action + 1;
    let beginning = match shadowed.next {
        Some(next) if shadowed.last_action > 0 => Beginning::At(first, next),
        _ => Beginning::First,
    };
    let mut job = insert_coordinator(transaction, &shadowed.prepared, beginning, lookup, cause)?;
    transaction.insert_shadow_job(&ShadowJob {
        job: job.job,
        oozie_id: shadowed.oozie_id.clone(),
        first_number: first,
    })?;
    job.last_action_number = shadowed.last_action;
    job.end_at = shadowed.end.unwrap_or(job.end_at);
    job.pause_at = shadowed.pause;
    job.concurrency = shadowed.concurrency.unwrap_or(job.concurrency);
    job.throttle = shadowed.throttle.unwrap_or(job.throttle);
    job.timeout_minutes = shadowed.timeout_minutes.unwrap_or(job.timeout_minutes);
    job.done_materialization = shadowed.next.is_none() && shadowed.last_action > 0;
    job.due_at = due_at(&job, lookup);
    change_job(transaction, &mut job, cause)?;
    if shadowed.last_action > 0 {
        move_job(transaction, &mut job, JobEvent::Materialized, cause)?;
    }
    for action in &shadowed.open {
        insert_action(transaction, &job, action, follows, cause)?;
    }
    if shadowed.is_suspended {
        job.due_at = None;
        move_job(transaction, &mut job, JobEvent::Suspend, cause)?;
    }
    Ok(job)
}

/// Stores an action that Oozie has. One that waits, or is READY, waits here until its inputs were checked here. One
/// that Oozie had started is only stored when its end is followed.
fn insert_action(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    action: &ShadowedAction,
    follows: bool,
    cause: Cause<'_>,
) -> Result<()> {
    if action.is_started && !follows {
        return Ok(());
    }
    let status = if action.is_started { ActionStatus::Running } else { ActionStatus::Waiting };
    transaction.insert_actions(&NewActions {
        first: ActionKey { job: job.job, number: action.number },
        nominal_at: &[action.nominal],
        created_at: action.created,
        status,
        definition_version: job.definition_version,
        timeout_minutes: action.timeout_minutes,
    })?;
    let event = cause.because("Oozie had created it when the shadow began").event(None, status.as_str());
    transaction
        .insert_event(&Event { coordinator_job: Some(job.job), action_number: Some(action.number), ..event })
        .map(drop)
}
