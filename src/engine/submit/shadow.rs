//! Stores the jobs of a shadow: each continues where a job of an Oozie is now.

use crate::coordinator::job_state::JobEvent;
use crate::engine::Engine;
use crate::engine::due::due_at;
use crate::engine::submit::coordinator::{Beginning, PreparedCoordinator, insert_coordinator};
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::{change_job, move_job};
use crate::error::{Error, ErrorCode, Result};
use crate::model::origin::Origin;
use crate::model::row::{ActionKey, CoordinatorJob, Event, Shadow, ShadowJob};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;
use crate::store::{NewActions, Transaction};

/// A job of Oozie, ready to be followed.
pub(crate) struct ShadowedJob {
    pub(crate) oozie_id: String,
    pub(crate) prepared: PreparedCoordinator,
    /// The number of its last action.
    pub(crate) last_action: u32,
    /// The nominal time of its next action; `None` when it creates no more.
    pub(crate) next: Option<Timestamp>,
    pub(crate) end: Option<Timestamp>,
    pub(crate) pause: Option<Timestamp>,
    pub(crate) concurrency: Option<i32>,
    pub(crate) is_suspended: bool,
    /// Its actions that are not over.
    pub(crate) open: Vec<ShadowedAction>,
}

/// An action of Oozie that was not over when the shadow began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShadowedAction {
    pub(crate) number: u32,
    pub(crate) nominal: Timestamp,
    pub(crate) created: Timestamp,
    pub(crate) timeout_minutes: i32,
    /// Whether Oozie had started it.
    pub(crate) is_started: bool,
}

/// Makes an empty database a shadow of these jobs, in one transaction; returns the stored jobs.
///
/// # Errors
/// H0246 when the database has jobs, or any failure of the database.
pub(crate) fn begin(
    engine: &mut Engine,
    jobs: &[ShadowedJob],
    follows: bool,
    now: Timestamp,
) -> Result<Vec<CoordinatorJob>> {
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
