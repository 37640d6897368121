//! Starts READY actions: creates their workflow jobs (specification 6.1.3.2, 6.1.6).
//!
//! One transaction moves the action from READY to RUNNING and creates its workflow job, so neither exists without the
//! other; several starts may share one (`launches`). An action that is rerun with `--failed` keeps its workflow job,
//! which runs again.

use crate::waiting::strategy;
use std::collections::HashSet;
use std::sync::Arc;

use crate::compiled::{Application, workflow_configuration};
use crate::rerun::workflow_rerun;
use crate::start_order::order;
use crate::stored_properties::read_properties;
use crate::tick::context::Tick;
use crate::tick::launches::{Launch, Launches, Started};
use crate::tick::recheck::{Turn, decide_again};
use crate::tick::shadow_start;
use crate::tick::turn::may_start_now;
use crate::transition::cause::Cause;
use crate::transition::coordinator::{move_action, move_action_through, settle_job};
use crate::transition::reason;
use crate::{Engine, run_as};
use howdah_host::presence::Presence;
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_oozie::coordinator::queue;
use howdah_oozie::coordinator::readiness::{Strategy, skip_reason};
use howdah_store::Snapshot;
use howdah_words::error::{Error, Result};
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, DocumentKey, WorkflowJob};
use howdah_words::model::status::ActionStatus;

/// The name of this step in events.
const ORIGIN: Origin = Origin::Start;

/// The most READY actions of one job that one step reads.
const MOST_READY: u32 = 10_000;

/// Runs the step for every job with READY actions; returns whether an action was started or skipped.
pub fn start(tick: &mut Tick<'_>, presence: &dyn Presence) -> Result<bool> {
    let mut launches = Launches::default();
    let changed = start_jobs(tick, &mut launches, presence);
    // Also after a failure: it holds up nothing that comes before it.
    launches.store(tick)?;
    Ok(changed? || launches.have_started())
}

fn start_jobs(tick: &mut Tick<'_>, launches: &mut Launches, presence: &dyn Presence) -> Result<bool> {
    let mut changed = false;
    for key in tick.engine.store.read(Snapshot::coordinators_with_ready_actions)? {
        let Some(job) = tick.engine.store.read(|snapshot| snapshot.coordinator_job_at(key))? else { continue };
        if !queue::may_start(job.status) {
            continue;
        }
        match tick.application(&job, job.definition_version) {
            Ok(application) => changed |= start_job(tick, launches, (&job, &application), presence)?,
            Err(error) => tick.report.fault(job.id.as_str(), error),
        }
    }
    Ok(changed)
}

fn start_job(
    tick: &mut Tick<'_>,
    launches: &mut Launches,
    (job, application): (&CoordinatorJob, &Application),
    presence: &dyn Presence,
) -> Result<bool> {
    presence.asks_for(job.job);
    let Ready { actions, occupied, was_resumed } = ready(tick, job)?;
    let strategy = strategy(job, application, &tick.engine.settings);
    let selection = queue::select(actions, job.concurrency.into(), occupied, &strategy, tick.now);
    if was_resumed {
        // The inputs of its actions may be looked at again.
        launches.store(tick)?;
    }
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
        match start_action(tick, launches, (job, &application), action)? {
            Attempted::Moved => changed = true,
            Attempted::Launched | Attempted::Unchanged => {}
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

/// The READY actions of a job.
struct Ready {
    /// In the order of the job's execution.
    actions: Vec<CoordinatorAction>,
    /// How many actions occupy a place.
    occupied: u64,
    /// Whether the job was suspended and resumed.
    was_resumed: bool,
}

fn ready(tick: &Tick<'_>, job: &CoordinatorJob) -> Result<Ready> {
    let order = order(job.execution);
    tick.engine.store.read(|snapshot| {
        let counts = snapshot.action_counts(job.job)?;
        let of = |status| u64::from(counts.get(&status).copied().unwrap_or_default());
        let occupied = of(ActionStatus::Submitted) + of(ActionStatus::Running);
        let was_resumed = snapshot.last_resumed_at(job.job)?.is_some();
        Ok(Ready { actions: snapshot.ready_actions(job.job, order, MOST_READY)?, occupied, was_resumed })
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
            may_start_now(transaction, job.job)? && move_action(transaction, &mut action, ActionEvent::Skipped, cause)?;
        settle_job(transaction, job.job, cause)?;
        Ok(skipped)
    })?;
    tick.report.skipped += u64::from(skipped);
    Ok(skipped)
}

/// The result of trying to start a READY action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attempted {
    /// Its start is stored, or will be at the end of the step.
    Launched,
    /// It has failed, or would have started in a shadow.
    Moved,
    /// Another process changed it.
    Unchanged,
    /// It stays READY, as every other action of the job would now.
    Blocked,
}

impl Attempted {
    const fn moved(has_moved: bool) -> Self {
        if has_moved { Self::Moved } else { Self::Unchanged }
    }
}

/// Starts one action; a workflow application that cannot be started fails the action, not the tick.
///
/// A problem of this process alone (a store without mount, a file that it may not read, a definition that it reads
/// differently) does not fail the action: it stays READY.
fn start_action(
    tick: &mut Tick<'_>,
    launches: &mut Launches,
    (job, application): (&CoordinatorJob, &Application),
    action: CoordinatorAction,
) -> Result<Attempted> {
    if let Some(shadow) = tick.shadow {
        return shadow_start::would_start(tick, (job, shadow), action).map(Attempted::moved);
    }
    if !launches.users.contains(&job.user) {
        // What is asked about a user may take long.
        launches.store(tick)?;
    }
    let configured = check_user(tick.engine, &mut launches.users, &job.user)
        .and_then(|()| configuration(tick, (job, application), &action));
    let prepared = match configured {
        Ok(configuration) => prepare(tick, launches, &action, &configuration)?,
        Err(error) => Err(error),
    };
    match prepared {
        Ok(workflow) => launches.add(tick, Launch { action, workflow }).map(|()| Attempted::Launched),
        Err(error) if error.may_pass() || error.signal().is_of_this_process() => {
            tick.report.fault(job.id.as_str(), error);
            Ok(Attempted::Blocked)
        }
        Err(error) => {
            // The events keep the order of the starts.
            launches.store(tick)?;
            fail(tick, job, action, error).map(Attempted::moved)
        }
    }
}

/// Checks, once in a step, whether this process may work for a user.
fn check_user(engine: &Engine, known: &mut HashSet<String>, user: &str) -> Result<()> {
    if !known.contains(user) {
        run_as::worker(user)?.check_access(engine.store.path())?;
        known.insert(user.to_owned());
    }
    Ok(())
}

/// Prepares the workflow job of an action; before it reads a file, the starts so far are stored.
///
/// # Errors
/// A failure of the database; the inner error is why the action cannot start.
fn prepare(
    tick: &mut Tick<'_>,
    launches: &mut Launches,
    action: &CoordinatorAction,
    configuration: &Properties,
) -> Result<Result<Started>> {
    let before = match workflow_before(tick.engine, action) {
        Ok(before) => before,
        Err(error) => return Ok(Err(error)),
    };
    let machine = (&tick.engine.mounts, &tick.engine.settings);
    if let (None, Some(prepared)) = (&before, launches.workflows.prepare(machine, configuration)) {
        return Ok(prepared.map(Started::New));
    }
    launches.store(tick)?;
    let machine = (&tick.engine.mounts, &tick.engine.settings);
    Ok(match before {
        Some(workflow) => workflow_rerun::prepare_failed(tick.engine, &workflow, configuration).map(Started::Again),
        None => launches.workflows.read_and_prepare(machine, configuration).map(Started::New),
    })
}

/// Returns the workflow job that an action has from an earlier run.
fn workflow_before(engine: &Engine, action: &CoordinatorAction) -> Result<Option<WorkflowJob>> {
    let before = action.external_id.as_deref().and_then(JobId::parse);
    Ok(before.map(|id| engine.store.read(|snapshot| snapshot.workflow_job(&id))).transpose()?.flatten())
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

/// Stores a failed start: READY, SUBMITTED, FAILED, with the error code.
fn fail(tick: &mut Tick<'_>, job: &CoordinatorJob, mut action: CoordinatorAction, error: Error) -> Result<bool> {
    let text = error.to_string();
    let cause = Cause::new(tick.now, ORIGIN);
    let changed = tick.engine.store.transact(|transaction| {
        action.error_code = Some(error.code().to_string());
        action.error_message = Some(error.message().chars().take(255).collect());
        let moves = [(ActionEvent::SlotFree, cause), (ActionEvent::StartFailed, cause.because(&text))];
        let moved = may_start_now(transaction, job.job)? && move_action_through(transaction, &mut action, &moves)?;
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
