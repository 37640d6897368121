//! Starts READY actions: creates their workflow jobs (specification 6.1.3.2, 6.1.6).
//!
//! One transaction moves the action from READY to RUNNING and creates its workflow job, so neither exists without the
//! other. An action that is rerun with `--failed` keeps its workflow job, which runs again.

use std::sync::Arc;

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::queue;
use crate::coordinator::readiness::{Strategy, skip_reason};
use crate::engine::compiled::{Application, workflow_configuration};
use crate::engine::rerun::workflow_rerun::{self, PreparedRerun};
use crate::engine::start_order::order;
use crate::engine::stored_properties::read_properties;
use crate::engine::submit::workflow::{self, Parent, PreparedWorkflow};
use crate::engine::tick::context::Tick;
use crate::engine::tick::recheck::{Turn, decide_again};
use crate::engine::tick::shadow_start;
use crate::engine::tick::turn::{is_its_turn, may_start_now};
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::{move_action, move_action_through, settle_job};
use crate::engine::transition::reason;
use crate::engine::{Engine, run_as};
use crate::error::{Error, Result};
use crate::host::fault::fault_point;
use crate::host::presence::Presence;
use crate::model::Properties;
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::{CoordinatorAction, CoordinatorJob, DocumentKey};
use crate::model::status::ActionStatus;
use crate::store::Snapshot;

/// The name of this step in events.
const ORIGIN: Origin = Origin::Start;

/// The most READY actions of one job that one step reads.
const MOST_READY: u32 = 10_000;

/// Runs the step for every job with READY actions; returns whether an action was started or skipped.
pub(crate) fn start(tick: &mut Tick<'_>, presence: &dyn Presence) -> Result<bool> {
    let mut changed = false;
    for key in tick.engine.store.read(Snapshot::coordinators_with_ready_actions)? {
        let Some(job) = tick.engine.store.read(|snapshot| snapshot.coordinator_job_at(key))? else { continue };
        if !queue::may_start(job.status) {
            continue;
        }
        match tick.application(&job, job.definition_version) {
            Ok(application) => changed |= start_job(tick, &job, &application, presence)?,
            Err(error) => tick.report.fault(job.id.as_str(), error),
        }
    }
    Ok(changed)
}

fn start_job(
    tick: &mut Tick<'_>,
    job: &CoordinatorJob,
    application: &Application,
    presence: &dyn Presence,
) -> Result<bool> {
    presence.asks_for(job.job);
    let (ready, occupied) = ready(tick, job)?;
    let strategy = Strategy::of(job, application, &tick.engine.settings);
    let selection = queue::select(ready, job.concurrency.into(), occupied, &strategy, tick.now);
    let mut changed = false;
    for action in selection.skip {
        changed |= skip(tick, job, &strategy, action)?;
    }
    let mut may_start = Vec::new();
    for mut action in selection.turns {
        match recheck_action(tick, job, &mut action, presence) {
            Ok((Turn::Starts, application)) => may_start.push(Some((application, action))),
            Ok((Turn::Waits, _)) => may_start.push(None),
            Ok((Turn::Passes, _)) => {}
            Ok((Turn::Fails(error), _)) => changed |= fail(tick, job, action, error)?,
            // Only this action is affected: its definition or its stored decision cannot be read.
            Err(error) => tick.report.fault(job.id.as_str(), error),
        }
    }
    // An action that waits keeps its place.
    for (application, action) in may_start.into_iter().take(selection.places).flatten() {
        match start_action(tick, (job, &application), action)? {
            Attempted::Moved => changed = true,
            Attempted::Unchanged => {}
            Attempted::Blocked => break,
        }
    }
    Ok(changed)
}

/// Checks the inputs of a READY action again; returns whether it may start, and its application.
fn recheck_action(
    tick: &mut Tick<'_>,
    job: &CoordinatorJob,
    action: &mut CoordinatorAction,
    presence: &dyn Presence,
) -> Result<(Turn, Arc<Application>)> {
    let application = tick.application(job, action.definition_version)?;
    let turn = decide_again(tick, (job, &application), action, presence)?;
    Ok((turn, application))
}

/// Reads the READY actions in the order of the job's execution, and counts the actions that occupy a place.
fn ready(tick: &Tick<'_>, job: &CoordinatorJob) -> Result<(Vec<CoordinatorAction>, u64)> {
    let order = order(job.execution);
    tick.engine.store.read(|snapshot| {
        let counts = snapshot.action_counts(job.job)?;
        let of = |status| u64::from(counts.get(&status).copied().unwrap_or_default());
        let occupied = of(ActionStatus::Submitted) + of(ActionStatus::Running);
        Ok((snapshot.ready_actions(job.job, order, MOST_READY)?, occupied))
    })
}

fn skip(
    tick: &mut Tick<'_>,
    job: &CoordinatorJob,
    strategy: &Strategy<'_>,
    mut action: CoordinatorAction,
) -> Result<bool> {
    let why = skip_reason(strategy, action.number, action.nominal_at, tick.now);
    let reason = why.map(|why| reason::skipped(job.execution, why, tick.now));
    let cause = Cause::new(tick.now, ORIGIN).or_because(reason.as_deref());
    let skipped = tick.engine.store.transact(|transaction| {
        let skipped =
            may_start_now(transaction, job)? && move_action(transaction, &mut action, ActionEvent::Skipped, cause)?;
        settle_job(transaction, job.job, cause)?;
        Ok(skipped)
    })?;
    tick.report.skipped += u64::from(skipped);
    Ok(skipped)
}

/// The result of trying to start a READY action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempted {
    /// It was started, or has failed.
    Moved,
    /// Another process changed it.
    Unchanged,
    /// It stays READY, as every other action of the job would now.
    Blocked,
}

/// Starts one action; a workflow application that cannot be started fails the action, not the tick.
///
/// A problem of this process alone (a store without mount, a file that it may not read, a definition that it reads
/// differently) does not fail the action: it stays READY.
fn start_action(
    tick: &mut Tick<'_>,
    (job, application): (&CoordinatorJob, &Application),
    action: CoordinatorAction,
) -> Result<Attempted> {
    if let Some(shadow) = tick.shadow {
        let moved = shadow_start::would_start(tick, (job, shadow), action)?;
        return Ok(if moved { Attempted::Moved } else { Attempted::Unchanged });
    }
    let prepared = run_as::worker(&job.user)
        .and_then(|worker| worker.check_access(tick.engine.store.path()))
        .and_then(|()| configuration(tick, (job, application), &action))
        .and_then(|configuration| prepare(tick.engine, &action, &configuration));
    let moved = match prepared {
        Ok(launch) => submit(tick, job, action, &launch)?,
        Err(error) if error.may_pass() || error.signal().is_of_this_process() => {
            tick.report.fault(job.id.as_str(), error);
            return Ok(Attempted::Blocked);
        }
        Err(error) => fail(tick, job, action, error)?,
    };
    Ok(if moved { Attempted::Moved } else { Attempted::Unchanged })
}

/// The workflow job of an action that is about to start.
enum Launch {
    New(PreparedWorkflow),
    /// Its earlier workflow job runs again (`rerun --failed`).
    Again(PreparedRerun),
}

fn prepare(engine: &Engine, action: &CoordinatorAction, configuration: &Properties) -> Result<Launch> {
    let before = action.external_id.as_deref().and_then(JobId::parse);
    let before = before.map(|id| engine.store.read(|snapshot| snapshot.workflow_job(&id))).transpose()?.flatten();
    match before {
        Some(workflow) => workflow_rerun::prepare_failed(engine, &workflow, configuration).map(Launch::Again),
        None => workflow::prepare(&engine.mounts, &engine.settings, configuration).map(Launch::New),
    }
}

/// Computes the configuration of the workflow job.
fn configuration(
    tick: &Tick<'_>,
    (job, application): (&CoordinatorJob, &Application),
    action: &CoordinatorAction,
) -> Result<Properties> {
    let stored = |document: Option<DocumentKey>| match document {
        Some(document) => read_properties(&tick.engine.store.read(|snapshot| snapshot.document(document))?),
        None => Ok(Properties::new()),
    };
    let mut configuration = workflow_configuration(application, &stored(action.configuration)?, action.nominal_at);
    // The properties that an operator adds to a rerun override all others.
    configuration.extend(stored(action.rerun_configuration)?);
    run_as::keep_user(&mut configuration, &job.user, &tick.engine.settings)?;
    Ok(configuration)
}

fn submit(tick: &mut Tick<'_>, job: &CoordinatorJob, mut action: CoordinatorAction, launch: &Launch) -> Result<bool> {
    let cause = Cause::new(tick.now, ORIGIN);
    let key = action.key();
    fault_point("before-start-commit");
    let started = tick.engine.store.transact(|transaction| {
        if !is_its_turn(transaction, job, &action)? {
            return Ok(false);
        }
        let workflow = match launch {
            Launch::New(workflow) => workflow::insert(transaction, workflow, Parent::Action(key), cause)?,
            Launch::Again(prepared) => workflow_rerun::apply(transaction, prepared, cause)?,
        };
        action.external_id = Some(workflow.id.to_string());
        fault_point("inside-start-commit");
        // Its turn was checked in this transaction.
        let moves = [(ActionEvent::SlotFree, cause), (ActionEvent::WorkflowStarted, cause)];
        move_action_through(transaction, &mut action, &moves)?;
        settle_job(transaction, job.job, cause)?;
        Ok(true)
    })?;
    fault_point("after-start-commit");
    tick.report.started += u64::from(started);
    Ok(started)
}

/// Stores a failed start: READY, SUBMITTED, FAILED, with the error code.
fn fail(tick: &mut Tick<'_>, job: &CoordinatorJob, mut action: CoordinatorAction, error: Error) -> Result<bool> {
    let text = error.to_string();
    let cause = Cause::new(tick.now, ORIGIN);
    let changed = tick.engine.store.transact(|transaction| {
        action.error_code = Some(error.code().to_string());
        action.error_message = Some(error.message().chars().take(255).collect());
        let moves = [(ActionEvent::SlotFree, cause), (ActionEvent::StartFailed, cause.because(&text))];
        let moved = may_start_now(transaction, job)? && move_action_through(transaction, &mut action, &moves)?;
        if moved {
            settle_job(transaction, job.job, cause)?;
        }
        Ok(moved)
    })?;
    if changed {
        tick.report.fault(format!("{}@{}", job.id, action.number), error);
    }
    Ok(changed)
}
