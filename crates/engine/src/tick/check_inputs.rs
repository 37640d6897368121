//! Checks the inputs of WAITING actions: they become READY, time out or are skipped (specification 6.1.3.2, 6.3).
//!
//! An action that becomes READY keeps its final configuration and the instances that its searches and its input logic
//! took. In the common case the first missing input is still missing: this costs one file system query and does not
//! read the definition or write to the database. All other actions are examined in full (`examine`).

use crate::waiting::Waits as _;
use crate::waiting::strategy;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use crate::compiled::Application;
use crate::inputs::check::{Candidate, Found, InputCheck};
use crate::run_as::{self, Worker};
use crate::tick::context::Tick;
use crate::tick::findings::{Finding, Findings};
use crate::transition::reason;
use howdah_host::located::DefaultStore;
use howdah_host::presence::{KnownOnly, Presence, State};
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_oozie::coordinator::readiness::{self, Check, checks_inputs};
use howdah_store::{Snapshot, WaitingAction, WaitingPlace};
use howdah_words::error::{Error, Result};
use howdah_words::model::missing_input::MissingInput;
use howdah_words::model::row::{ActionKey, CoordinatorJob};
use howdah_words::model::status::Execution;
use howdah_words::model::time::Timestamp;

/// The most actions that are read and examined at a time: all that wait may be a million.
const BATCH: usize = 10_000;

/// Runs the step for every job whose status allows it; returns whether an action left WAITING.
pub fn check_inputs(tick: &mut Tick<'_>, presence: &dyn Presence) -> Result<bool> {
    let decided = tick.engine.store.read(Snapshot::decided_actions)?;
    let (mut findings, mut from) = (Findings::default(), None);
    loop {
        let (candidates, stopped) = candidates(tick, presence, &decided, from)?;
        let checked = check_all(tick, &mut findings, presence, &candidates);
        // Also after a failure: it holds up nothing that comes before it.
        findings.store(tick)?;
        checked?;
        if stopped.is_none() {
            return Ok(findings.have_moved());
        }
        from = stopped;
    }
}

fn check_all(
    tick: &mut Tick<'_>,
    findings: &mut Findings,
    presence: &dyn Presence,
    candidates: &[Candidate],
) -> Result<()> {
    candidates
        .chunk_by(|a, b| a.key.job == b.key.job)
        .try_for_each(|of_job| check_batch(tick, findings, presence, of_job))
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

/// Decides about some actions of one job. While findings about other jobs are not stored yet, only what is known
/// already counts; where that is not enough, they are stored first, and then the inputs are looked at.
fn check_batch(
    tick: &mut Tick<'_>,
    findings: &mut Findings,
    presence: &dyn Presence,
    batch: &[Candidate],
) -> Result<()> {
    let Some(first) = batch.first() else { return Ok(()) };
    let Some(job) = tick.engine.store.read(|snapshot| snapshot.coordinator_job_at(first.key.job))? else {
        return Ok(());
    };
    presence.asks_for(job.job);
    let known = if findings.are_stored() { None } else { examine_known(tick, &job, batch, presence) };
    let examined = if let Some(examined) = known {
        examined
    } else {
        findings.store(tick)?;
        examine_all(tick, &job, batch, presence)
    };
    let found = report_unknown(tick, &job, examined);
    findings.add(tick, &job, found)
}

/// Reports what cannot be known now; returns the findings that are to be stored.
fn report_unknown(tick: &mut Tick<'_>, job: &CoordinatorJob, examined: Examined) -> Vec<(ActionKey, Finding)> {
    for error in examined.faults {
        tick.report.fault(job.id.as_str(), error);
    }
    let mut found = examined.found;
    found.retain(|(_, finding)| match finding {
        Finding::Unknown(error) => {
            // One line for each job is enough for a store that cannot be read.
            tick.report.unknown(job.id.as_str(), error.clone());
            false
        }
        _ => true,
    });
    found
}

/// What was found of some actions of one job, and why the definitions of others cannot be used.
#[derive(Default)]
struct Examined {
    found: Vec<(ActionKey, Finding)>,
    faults: Vec<Error>,
}

/// Examines actions by what is known without a look at anything; `None` when that is not enough.
fn examine_known(
    tick: &mut Tick<'_>,
    job: &CoordinatorJob,
    batch: &[Candidate],
    presence: &dyn Presence,
) -> Option<Examined> {
    let known = KnownOnly::of(presence);
    Some(examine_all(tick, job, batch, &known)).filter(|_| !known.has_deferred())
}

fn examine_all(tick: &mut Tick<'_>, job: &CoordinatorJob, batch: &[Candidate], presence: &dyn Presence) -> Examined {
    let mut examined = Examined::default();
    let reader = run_as::reader(&job.user);
    for candidate in batch {
        match tick.application(job, candidate.version) {
            Ok(application) => {
                let result = reader.act(|| examine(tick, job, &application, candidate, presence));
                let found = result.unwrap_or_else(|error| Some(Finding::Unknown(error)));
                examined.found.extend(found.map(|finding| (candidate.key, finding)));
            }
            // Only this version is affected: actions of other versions are still examined.
            Err(error) => examined.faults.push(error),
        }
    }
    examined
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
    let strategy = strategy(job, application, settings);
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
