//! One tick of the engine: does everything that is due, in a fixed order (specification 6.1).
//!
//! `tick`, `run`, `daemon` and the runner all call [`tick_alone`] and have no logic of their own. No step sets a job's
//! status: the transaction that changes its actions does (`engine::transition::coordinator`).

pub mod check_inputs;
pub mod clock;
pub mod context;
mod findings;
pub mod kick_off;
mod launches;
pub mod materialize;
pub mod pause;
pub mod recheck;
pub mod report;
mod shadow_start;
pub mod sla;
pub mod start;
mod turn;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::tick::check_inputs::check_inputs;
use crate::tick::context::Tick;
use crate::tick::kick_off::bundles;
use crate::tick::materialize::materialize;
use crate::tick::pause::pause;
use crate::tick::report::{Report, Seen};
use crate::tick::start::start;
use crate::tick_record::{Rhythm, RunningTick};
use crate::{Engine, copy_check, store_failure};
use howdah_host::lock;
use howdah_host::presence::{PresenceCache, Servers};
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorKey;
use howdah_words::model::time::Timestamp;

pub use crate::tick::clock::Clock;
pub(crate) use crate::tick::clock::ClockProblem;

/// The subject of faults of the tick itself.
pub const TICK: &str = "tick";

/// How a tick ended.
#[derive(Debug)]
pub enum TickEnd {
    /// Everything that was due is done, except for the faults in the report.
    Done(Report),
    /// The clock is implausible: nothing was done.
    ClockRefused(ClockProblem),
}

/// Which inputs a tick checks. All else that is due is done in any case.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Those of these jobs, and of each job that gets new actions; `None`: of all jobs.
    pub of_jobs: Option<BTreeSet<CoordinatorKey>>,
    /// Whether the report says where inputs are missing.
    pub noted: bool,
}

impl TickEnd {
    fn faults(&self) -> usize {
        match self {
            Self::Done(report) => report.faults.len(),
            Self::ClockRefused(_) => 1,
        }
    }

    /// Returns the report for the `tick` command. A clock far behind is an ordinary fault, because it may be right
    /// soon.
    ///
    /// # Errors H0131 when the clock leapt forward: an operator must check it.
    pub fn into_report(self) -> Result<Report> {
        match self {
            Self::Done(report) => Ok(report),
            Self::ClockRefused(ClockProblem::Behind(error)) => {
                let mut report = Report::default();
                report.fault(TICK, error);
                Ok(report)
            }
            Self::ClockRefused(ClockProblem::Ahead(error)) => Err(error),
        }
    }
}

/// Who wants a tick.
#[derive(Clone, Debug)]
pub enum Caller {
    /// Cron or a user, with the `tick` verb; whether it was typed at a terminal.
    Verb { is_typed: bool },
    /// A run in the foreground, which ticks only until its jobs have ended.
    Run(Inputs),
    /// A daemon, which promises a tick at this interval at least.
    Daemon { every: Duration, inputs: Inputs },
    /// A process that ticks only because an action has ended, and not at intervals.
    Runner,
}

/// Runs a tick, unless another process ticks: then that one does the work, and the result is `None`.
///
/// # Errors
/// H0111 when the lock cannot be taken, and as in [`tick`].
pub(crate) fn tick_alone(engine: &mut Engine, now: Timestamp, clock: Clock, caller: Caller) -> Result<Option<TickEnd>> {
    let Some(lock) = lock::try_lock(&engine.tick_lock())? else { return Ok(None) };
    let (rhythm, inputs) = match caller {
        Caller::Runner => return tick(engine, now, clock).map(Some),
        Caller::Daemon { every, inputs } => (Rhythm::Daemon(every), inputs),
        Caller::Run(inputs) => (Rhythm::Single, inputs),
        Caller::Verb { is_typed: true } => (Rhythm::Single, Inputs::default()),
        Caller::Verb { is_typed: false } => (Rhythm::Cron, Inputs::default()),
    };
    let running = RunningTick::start(engine, now, rhythm, &lock);
    let mut end = tick_checking(engine, now, clock, inputs)?;
    match (&mut end, running) {
        // It ends once the servers were asked.
        (TickEnd::Done(report), running) if report.servers.have_deferred() => report.running = running,
        (end, Some(running)) => running.end(engine, end.faults(), &lock),
        (_, None) => {}
    }
    Ok(Some(end))
}

/// Runs every step once, and again while a step creates work for another one.
///
/// # Errors
/// H0133 when this may be a copy of the database, or any failure of the database; what was committed before stays.
pub fn tick(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<TickEnd> {
    tick_checking(engine, now, clock, Inputs::default())
}

/// As [`tick`]; checks only some inputs, or notes what is missing.
///
/// # Errors
/// As [`tick`].
fn tick_checking(engine: &mut Engine, now: Timestamp, clock: Clock, inputs: Inputs) -> Result<TickEnd> {
    copy_check::check(engine)?;
    if let Some(clock_problem) = clock::check(engine, now, clock)? {
        return Ok(TickEnd::ClockRefused(clock_problem));
    }
    let failures = engine.store.read(Snapshot::store_failures)?;
    let servers = Servers::deferring(store_failure::failing(&failures, true, now));
    let checks_all = inputs.of_jobs.is_none();
    let report = steps(engine, now, inputs, servers)?;
    if checks_all && report.site_pause.is_none() && !failures.is_empty() {
        store_failure::forget_unwanted(engine, now, &report.servers)?;
    }
    Ok(TickEnd::Done(report))
}

/// Runs the steps that depend on the answers of servers, once these were asked for what `before` has left open; `None`
/// while another process ticks. Time has passed since that tick and the lock was free, so `now` is a new instant, and
/// what a tick checks first is checked again.
///
/// # Errors
/// As [`tick_alone`].
pub(crate) fn follow_answers(engine: &mut Engine, now: Timestamp, before: &mut Report) -> Result<Option<TickEnd>> {
    let servers = *std::mem::take(&mut before.servers);
    let running = before.running.take();
    let Some(lock) = lock::try_lock(&engine.tick_lock())? else { return Ok(None) };
    copy_check::check(engine)?;
    // A user's word about the clock was for the moment before.
    let mut end = if let Some(clock_problem) = clock::check(engine, now, Clock::Checked)? {
        TickEnd::ClockRefused(clock_problem)
    } else {
        let inputs = Inputs { of_jobs: before.seen.checked.clone(), noted: false };
        TickEnd::Done(steps(engine, now, inputs, servers)?)
    };
    match (&mut end, running) {
        (TickEnd::Done(report), running) if report.servers.have_deferred() => before.running = running,
        (end, running) => {
            if let TickEnd::Done(report) = end {
                store_failure::record(engine, now, &report.servers)?;
            }
            if let Some(running) = running {
                running.end(engine, before.faults.len() + end.faults(), &lock);
            }
        }
    }
    Ok(Some(end))
}

/// Runs every step once, and those that create work for each other until nothing more moves.
fn steps(engine: &mut Engine, now: Timestamp, inputs: Inputs, servers: Servers) -> Result<Report> {
    let mounts = engine.mounts.clone();
    let presence = PresenceCache::with(&mounts, servers, inputs.noted);
    let mut tick = Tick::new(engine, now);
    tick.checked = inputs.of_jobs;
    tick.shadow = tick.engine.store.read(Snapshot::shadow)?;
    tick.report.site_pause = tick.engine.store.read(Snapshot::site_pause)?;
    if tick.report.site_pause.is_none() {
        bundles(&mut tick)?;
        pause(&mut tick)?;
        create_and_start(&mut tick, &presence)?;
    } else {
        pause(&mut tick)?;
    }
    sla::record(&mut tick)?;
    let (mut report, checked) = (tick.report, tick.checked);
    let (awaited, servers) = presence.into_parts();
    (report.seen, report.servers) = (Seen { checked, awaited }, Box::new(servers));
    Ok(report)
}

/// Creates the actions that are due, checks their inputs and starts them, until nothing more moves.
fn create_and_start(tick: &mut Tick<'_>, presence: &PresenceCache<'_>) -> Result<()> {
    loop {
        let created = materialize(tick)?;
        let moved = check_inputs(tick, presence)?;
        let started = start(tick, presence)?;
        if !created && !moved && !started {
            return Ok(());
        }
    }
}
