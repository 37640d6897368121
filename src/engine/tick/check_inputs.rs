//! Checks the inputs of WAITING actions: they become READY, time out or are skipped (specification 6.1.3.2, 6.3).
//!
//! An action that becomes READY keeps its final configuration and the instances that its searches and its input logic
//! took. In the common case the first missing input is still missing: this costs one file system query and does not
//! read the definition or write to the database. All other actions are examined in full (`examine`).

use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::readiness::{self, Check, Strategy, checks_inputs};
use crate::engine::compiled::Application;
use crate::engine::inputs::check::{Candidate, Found, InputCheck};
use crate::engine::inputs::decision::Decided;
use crate::engine::run_as::{self, Worker};
use crate::engine::tick::context::Tick;
use crate::engine::tick::report::Report;
use crate::engine::transition::cause::Cause;
use crate::engine::transition::coordinator::{move_action, settle_job};
use crate::engine::transition::reason;
use crate::error::{Error, Result};
use crate::host::fault::fault_point;
use crate::host::located::DefaultStore;
use crate::host::presence::{Presence, State};
use crate::model::missing_input::MissingInput;
use crate::model::origin::Origin;
use crate::model::row::{ActionKey, CoordinatorJob};
use crate::model::status::Execution;
use crate::model::time::Timestamp;
use crate::store::{FirstMissing, Snapshot, Transaction, WaitingAction, WaitingPlace};

/// The name of this step in events.
const ORIGIN: Origin = Origin::CheckInputs;

/// The most actions that are read, examined and stored at a time: all that wait may be a million.
const BATCH: usize = 10_000;

/// The result of examining an action.
enum Finding {
    Missing {
        input: MissingInput,
        place: u32,
    },
    /// The input that it waited for and its place, if known.
    TimedOut {
        missing: Option<(MissingInput, u32)>,
    },
    Move {
        event: ActionEvent,
        reason: Option<String>,
        decided: Option<Decided>,
        error: Option<Error>,
    },
    /// The machine cannot read whether an input is present: the action stays unchanged.
    Unknown(Error),
}

/// Runs the step for every job whose status allows it; returns whether an action left WAITING.
pub(crate) fn check_inputs(tick: &mut Tick<'_>, presence: &dyn Presence) -> Result<bool> {
    let decided = tick.engine.store.read(Snapshot::decided_actions)?;
    let (mut moved, mut from) = (false, None);
    loop {
        let (candidates, stopped) = candidates(tick, presence, &decided, from)?;
        for batch in candidates.chunk_by(|a, b| a.key.job == b.key.job) {
            moved |= check_batch(tick, presence, batch)?;
        }
        if stopped.is_none() {
            return Ok(moved);
        }
        from = stopped;
    }
}

/// Returns the next waiting actions that are due, without those that only continue to wait, and where it has stopped;
/// `None` when none is left.
fn candidates(
    tick: &mut Tick<'_>,
    presence: &dyn Presence,
    decided: &BTreeSet<ActionKey>,
    from: Option<WaitingPlace>,
) -> Result<(Vec<Candidate>, Option<WaitingPlace>)> {
    let (now, checked) = (tick.now, tick.checked.clone());
    tick.engine.store.read(|snapshot| {
        let (mut candidates, mut stopped) = (Vec::new(), None);
        let mut current: Option<(CoordinatorJob, Worker, DefaultStore)> = None;
        snapshot.each_waiting_action((checked.as_ref(), from), now, &mut |action| {
            if current.as_ref().is_none_or(|(job, ..)| job.job != action.key.job) {
                let job = snapshot.coordinator_job_at(action.key.job)?;
                current = job.map(|job| (run_as::reader(&job.user), job)).map(|(reader, job)| {
                    let store = DefaultStore::of(&job.app_path);
                    (job, reader, store)
                });
                presence.asks_for(action.key.job);
            }
            let Some((job, reader, store)) = current.as_ref().filter(|(job, ..)| checks_inputs(job.status)) else {
                return Ok(ControlFlow::Continue(()));
            };
            if decided.contains(&action.key) {
                candidates.push(decided_candidate(&action));
            } else {
                let check = |uri: &str| {
                    let result = reader.act(|| presence.check(&store.qualify(uri)));
                    result.unwrap_or_else(|error| State::Unknown(error.message().to_owned()))
                };
                candidates.extend(candidate(job, &action, now, &check));
            }
            if candidates.len() < BATCH {
                return Ok(ControlFlow::Continue(()));
            }
            stopped = Some(action.place());
            Ok(ControlFlow::Break(()))
        })?;
        Ok((candidates, stopped))
    })
}

/// Returns the action as a candidate whose inputs are decided already.
fn decided_candidate(action: &WaitingAction<'_>) -> Candidate {
    Candidate {
        key: action.key,
        wait: action.wait(),
        version: action.definition_version,
        from: 0,
        known: None,
        missing: None,
        decided: true,
    }
}

fn candidate(
    job: &CoordinatorJob,
    action: &WaitingAction<'_>,
    now: Timestamp,
    check: &dyn Fn(&str) -> State,
) -> Option<Candidate> {
    let wait = action.wait();
    // A search is not a path and is made later. What follows from an unknown state is also decided later.
    let path = action.missing.as_ref().and_then(|missing| missing.input.path());
    let state = path.map(check);
    if state == Some(State::Deferred) {
        return None;
    }
    let missing = path.filter(|_| !matches!(state, Some(State::Present | State::Unknown(_))));
    let strategy_waits = matches!(job.execution, Execution::Fifo | Execution::Lifo);
    if missing.is_some() && strategy_waits && !wait.is_over(now) {
        return None;
    }
    Some(Candidate {
        key: action.key,
        wait,
        version: action.definition_version,
        from: action.missing.map_or(0, |missing| missing.place),
        known: action.missing.map(|missing| missing.input.to_owned()),
        missing: missing.map(|path| MissingInput::Path(path.to_owned())),
        decided: false,
    })
}

/// Decides about some actions of one job and stores what changed in one transaction.
fn check_batch(tick: &mut Tick<'_>, presence: &dyn Presence, batch: &[Candidate]) -> Result<bool> {
    let Some(first) = batch.first() else { return Ok(false) };
    let Some(job) = tick.engine.store.read(|snapshot| snapshot.coordinator_job_at(first.key.job))? else {
        return Ok(false);
    };
    let mut findings = Vec::new();
    let reader = run_as::reader(&job.user);
    presence.asks_for(job.job);
    for candidate in batch {
        let application = match tick.application(&job, candidate.version) {
            Ok(application) => application,
            Err(error) => {
                // Only this version is affected: actions of other versions are still examined.
                tick.report.fault(job.id.as_str(), error);
                continue;
            }
        };
        let result = reader.act(|| examine(tick, &job, &application, candidate, presence));
        match result.unwrap_or_else(|error| Some(Finding::Unknown(error))) {
            // One line for each job is enough for a store that cannot be read.
            Some(Finding::Unknown(error)) => tick.report.unknown(job.id.as_str(), error),
            Some(finding) => findings.push((candidate.key, finding)),
            None => {}
        }
    }
    if findings.is_empty() {
        return Ok(false);
    }
    let cause = Cause::new(tick.now, ORIGIN);
    fault_point("before-inputs-commit");
    let stored = tick.engine.store.transact(|transaction| {
        // A suspension after the job was read stops everything, also the timeouts of its actions.
        if !transaction.coordinator_status(job.job)?.is_some_and(checks_inputs) {
            return Ok(None);
        }
        let mut moved = false;
        for (key, finding) in &findings {
            moved |= store(transaction, *key, finding, cause)?;
        }
        if moved {
            settle_job(transaction, job.job, cause)?;
        }
        Ok(Some(moved))
    })?;
    fault_point("after-inputs-commit");
    let Some(moved) = stored else { return Ok(false) };
    for (key, finding) in findings {
        count(&mut tick.report, &job, key, finding);
    }
    Ok(moved)
}

fn count(report: &mut Report, job: &CoordinatorJob, key: ActionKey, finding: Finding) {
    match finding {
        Finding::TimedOut { .. } => report.timed_out += 1,
        Finding::Move { event: ActionEvent::Skipped, .. } => report.skipped += 1,
        Finding::Move { error: Some(error), .. } => report.fault(format!("{}@{}", job.id, key.number), error),
        Finding::Move { .. } | Finding::Missing { .. } | Finding::Unknown(_) => {}
    }
}

/// Examines one action; returns `None` when it continues to wait for the same input.
fn examine(
    tick: &Tick<'_>,
    job: &CoordinatorJob,
    application: &Application,
    candidate: &Candidate,
    presence: &dyn Presence,
) -> Option<Finding> {
    let settings = &tick.engine.settings;
    let strategy = Strategy::of(job, application, settings);
    match readiness::check_time(&strategy, candidate.key.number, candidate.wait, tick.now) {
        Some(Check::Skipped(why)) => return Some(skipped(reason::skipped(job.execution, why, tick.now))),
        Some(_) => return None,
        None => {}
    }
    let found = InputCheck { application, job, candidate, now: tick.now, presence, settings }.run();
    match (readiness::check_inputs(found.inputs(), candidate.wait, tick.now), found) {
        (Check::TimedOut, found) => Some(Finding::TimedOut { missing: found.missing() }),
        (_, Found::Missing { input, place }) => {
            let known = candidate.known.as_ref() == Some(&input) && candidate.from == place;
            (!known).then_some(Finding::Missing { input, place })
        }
        (_, Found::Unsatisfied | Found::Deferred) => None,
        (_, Found::Unknown(error)) => Some(Finding::Unknown(error)),
        (_, Found::Ready(decided)) => {
            Some(Finding::Move { event: ActionEvent::InputsReady, reason: None, decided: Some(decided), error: None })
        }
        (_, Found::Decided) => Some(Finding::Move {
            event: ActionEvent::InputsReady,
            reason: Some("rerun: its inputs were decided before".to_owned()),
            decided: None,
            error: None,
        }),
        (_, Found::Failed(error)) => Some(Finding::Move {
            event: ActionEvent::StartFailed,
            reason: Some(error.to_string()),
            decided: None,
            error: Some(error),
        }),
    }
}

fn skipped(reason: String) -> Finding {
    Finding::Move { event: ActionEvent::Skipped, reason: Some(reason), decided: None, error: None }
}

/// Stores one finding; returns whether the action left WAITING.
fn store(transaction: &Transaction<'_>, key: ActionKey, finding: &Finding, cause: Cause<'_>) -> Result<bool> {
    match finding {
        Finding::Missing { input, place } => {
            let missing = FirstMissing { input: input.as_deref(), place: *place };
            transaction.set_missing(key, Some(missing), cause.at)?;
            Ok(false)
        }
        Finding::Unknown(_) => Ok(false),
        Finding::TimedOut { missing } => {
            let Some(mut action) = transaction.coordinator_action(key)? else { return Ok(false) };
            let mut waited_for = "its inputs";
            if let Some((input, place)) = missing {
                waited_for = input.as_str();
                action.first_missing = Some(input.clone());
                action.missing_from = Some(*place);
            }
            let reason = reason::timed_out(action.wait(), waited_for, cause.at);
            move_action(transaction, &mut action, ActionEvent::TimedOut, cause.because(&reason))
        }
        Finding::Move { event, reason, decided, error } => {
            let Some(mut action) = transaction.coordinator_action(key)? else { return Ok(false) };
            if let Some(decided) = decided {
                decided.put(transaction, &mut action)?;
                action.first_missing = None;
                action.missing_from = None;
            }
            if let Some(error) = error {
                action.error_code = Some(error.code().to_string());
                action.error_message = Some(error.message().to_owned());
            }
            let cause = cause.or_because(reason.as_deref());
            move_action(transaction, &mut action, *event, cause)
        }
    }
}
