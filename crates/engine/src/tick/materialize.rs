//! Creates the actions that are due (`CoordMaterializeTransitionXCommand`).
//!
//! `coordinator::materialize` decides; this module stores. An action whose instances cannot be resolved fails its job,
//! and no action of that run is stored.

use crate::catch_up::passes_over_at_once;
use crate::compiled::Application;
use crate::due::due_at;
use crate::sla::registration;
use crate::tick::context::Tick;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{create_actions, is_current, move_job, pass_over, settle_job};
use crate::transition::reason;
use crate::waiting::strategy;
use howdah_calendar::Schedule;
use howdah_host::fault::fault_point;
use howdah_oozie::coordinator::job_state::JobEvent;
use howdah_oozie::coordinator::materialize::{CatchUp, Materialization, Run};
use howdah_oozie::coordinator::readiness::skip_reason;
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionRange, CoordinatorJob, SlaRegistration};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The name of this step in events.
const ORIGIN: Origin = Origin::Materialize;

/// Runs the step for every job that is due; returns whether anything was created.
pub fn materialize(tick: &mut Tick<'_>) -> Result<bool> {
    let mut created = false;
    for mut job in tick.engine.store.read(|snapshot| snapshot.due_coordinator_jobs(tick.now))? {
        while materialize_once(tick, &mut job)? {
            created = true;
        }
    }
    Ok(created)
}

/// Runs once for one job; returns whether it made progress, so that another run may create more.
fn materialize_once(tick: &mut Tick<'_>, job: &mut CoordinatorJob) -> Result<bool> {
    let application = match tick.application(job, job.definition_version) {
        Ok(application) => application,
        Err(error) => {
            // The job does not fail: it was accepted under other settings or by another version of howdah.
            tick.report.fault(job.id.as_str(), error);
            return Ok(false);
        }
    };
    let waiting = waiting(tick, job)?;
    let schedule = &application.coordinator.schedule;
    let materialization = Materialization { job, schedule, waiting };
    let window = tick.engine.settings.window;
    let mut passed = None;
    let run = if !materialization.is_selected(tick.now, &window) {
        None
    } else if let Some(catch_up) = catch_up(tick, &materialization, &application)? {
        passed = Some(passed_over(tick, job, &application, &catch_up));
        Some(catch_up.rest)
    } else {
        materialization.run(tick.now, &window)
    };
    let Some(run) = run else { return postpone(tick, job, schedule) };
    let run = tick.bounded(job, schedule, run);
    let numbers = (job.next_materialized_at, job.done_materialization);
    if run.created.is_empty() && job.status != JobStatus::PREP && (run.next, run.done) == numbers {
        return Ok(false);
    }
    let mut registrations = Vec::new();
    for created in &run.created {
        match sla_registration(tick, job, &application, *created) {
            Ok(registration) => registrations.extend(registration),
            Err(error) => {
                let error = error.more_help(&format!("action {} of the job cannot be created", created.0));
                return fail(tick, job, error);
            }
        }
    }
    store(tick, job, &New { passed, run, registrations })?;
    // A run without an action makes progress too: its window ended before the next nominal time.
    Ok(true)
}

/// What one run stores.
struct New {
    /// The actions that are created and passed over at once, and why.
    passed: Option<(ActionRange, String)>,
    run: Run,
    registrations: Vec<SlaRegistration>,
}

/// Returns the run that passes actions over; `None` when each of them must be created: it has an SLA or is reported, or
/// it cannot be resolved, which fails the job.
fn catch_up(
    tick: &Tick<'_>,
    materialization: &Materialization<'_>,
    application: &Application,
) -> Result<Option<CatchUp>> {
    let Tick { engine, now, .. } = tick;
    let strategy = strategy(materialization.job, application, &engine.settings);
    let Some(catch_up) = materialization.catch_up(&strategy, *now, &engine.settings.window) else { return Ok(None) };
    let resolves = |nominal| application.coordinator.resolve(application.scope(), nominal).is_ok();
    let at_once = engine.store.read(|snapshot| passes_over_at_once(snapshot, materialization.job, application))?;
    Ok((at_once && resolves(catch_up.first.1) && resolves(catch_up.last.1)).then_some(catch_up))
}

/// Returns the range of actions that a run passes over, and why.
fn passed_over(
    tick: &Tick<'_>,
    job: &CoordinatorJob,
    application: &Application,
    catch_up: &CatchUp,
) -> (ActionRange, String) {
    let CatchUp { first, last, .. } = *catch_up;
    let strategy = strategy(job, application, &tick.engine.settings);
    let why = skip_reason(&strategy, last.0, last.1, tick.now);
    let range = ActionRange {
        job: job.job,
        number: first.0,
        last_number: last.0,
        nominal_at: first.1,
        last_nominal_at: last.1,
        created_at: tick.now,
        modified_at: tick.now,
        status: ActionStatus::Skipped,
        definition_version: job.definition_version,
        timeout_minutes: job.timeout_minutes,
        schedule: application.coordinator.schedule.to_text(),
    };
    (range, why.map(|why| reason::passed_over(job.execution, why, last.1)).unwrap_or_default())
}

/// Resolves an action that is about to be created; returns its SLA registration, if it has one.
fn sla_registration(
    tick: &Tick<'_>,
    job: &CoordinatorJob,
    application: &Application,
    (number, nominal): registration::Created,
) -> Result<Option<SlaRegistration>> {
    let resolved = application.coordinator.resolve(application.scope(), nominal)?;
    registration::prepare(&tick.engine.settings.sla, (job, application), (number, nominal), &resolved, tick.now)
}

fn waiting(tick: &Tick<'_>, job: &CoordinatorJob) -> Result<u64> {
    let counts = tick.engine.store.read(|snapshot| snapshot.action_counts(job.job))?;
    Ok(counts.get(&ActionStatus::Waiting).copied().unwrap_or_default().into())
}

/// Stores a run with the SLA registrations of its actions.
fn store(tick: &mut Tick<'_>, job: &mut CoordinatorJob, New { passed, run, registrations }: &New) -> Result<()> {
    let now = tick.now;
    let before = job.clone();
    let times: Vec<Timestamp> = run.created.iter().map(|(_, nominal)| *nominal).collect();
    job.last_action_number = run.last_action_number;
    job.next_materialized_at = run.next;
    job.done_materialization = run.done;
    job.due_at = due_at(job, tick.engine.settings.window.lookup_seconds);
    let cause = Cause::new(now, ORIGIN);
    fault_point("before-materialize-commit");
    let kept = tick.engine.store.transact(|transaction| {
        if !is_current(transaction, &before)? || !write_job(transaction, job, cause)? {
            return Ok(false);
        }
        if let Some((range, why)) = passed {
            pass_over(transaction, range, (cause, Cause::new(now, Origin::CheckInputs).because(why)))?;
        }
        if !times.is_empty() {
            create_actions(transaction, (job, &times), cause)?;
            for registration in registrations {
                transaction.insert_sla(registration)?;
            }
            fault_point("inside-materialize-commit");
        }
        settle_job(transaction, job.job, cause)?;
        Ok(true)
    })?;
    fault_point("after-materialize-commit");
    if kept {
        let passed = passed.as_ref().map_or(0, |(range, _)| u64::from(range.group().len()));
        tick.report.materialized += times.len() as u64 + passed;
        tick.report.skipped += passed;
    }
    // settle_job may have ended a job without actions.
    if let Some(stored) = tick.engine.store.read(|snapshot| snapshot.coordinator_job_at(job.job))? {
        *job = stored;
    }
    Ok(())
}

/// Writes the job's counters; the first run moves a PREP job to RUNNING.
fn write_job(transaction: &Transaction<'_>, job: &mut CoordinatorJob, cause: Cause<'_>) -> Result<bool> {
    if job.status == JobStatus::PREP {
        return move_job(transaction, job, JobEvent::Materialized, cause);
    }
    job.modified_at = cause.at;
    transaction.update_coordinator_job(job.status, job)
}

/// Sets the next due time when nothing can be created now; a job whose end has passed is marked as done.
fn postpone(tick: &mut Tick<'_>, job: &mut CoordinatorJob, schedule: &Schedule) -> Result<bool> {
    let over = job.next_materialized_at.is_some_and(|next| next >= schedule.end);
    // A job that is done may still have a pause time in the future.
    let finished = CoordinatorJob { done_materialization: over, ..job.clone() };
    let due = due_at(&finished, tick.engine.settings.window.lookup_seconds);
    if due != job.due_at || over != job.done_materialization {
        let before = job.clone();
        job.done_materialization = over;
        job.due_at = due;
        tick.engine.store.transact(|transaction| {
            if !is_current(transaction, &before)? || !transaction.update_coordinator_job(job.status, job)? {
                return Ok(());
            }
            settle_job(transaction, job.job, Cause::new(tick.now, ORIGIN))
        })?;
    }
    Ok(false)
}

/// Fails a job after an error that another try cannot solve.
fn fail(tick: &mut Tick<'_>, job: &mut CoordinatorJob, error: Error) -> Result<bool> {
    let text = error.to_string();
    let cause = Cause::new(tick.now, ORIGIN).because(&text);
    let before = job.clone();
    tick.engine.store.transact(|transaction| {
        Ok(is_current(transaction, &before)? && move_job(transaction, job, JobEvent::MaterializationFailed, cause)?)
    })?;
    let error = match error.code() {
        // Oozie reports this code unchanged and wraps all others.
        ErrorCode::E1010 => error,
        _ => error.reported_by_oozie_as(ErrorCode::E1012),
    };
    tick.report.fault(job.id.as_str(), error);
    Ok(false)
}
