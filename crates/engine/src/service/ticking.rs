//! A tick with what precedes and follows it: the failure policy and the alerts.
//!
//! The policy acts before the tick, so that a job that it suspends starts nothing.

use crate::Engine;
use crate::follow_up::{self, Authority};
use crate::tick::report::Report;
use crate::tick::{self, Caller, Clock as ClockCheck, ClockProblem, TickEnd};
use howdah_host::clock::Clock;
use howdah_words::error::Result;
use howdah_words::model::time::Timestamp;

/// Runs a tick, unless another process ticks, and what follows from it.
///
/// # Errors
/// As [`tick::tick_alone`].
pub fn tick_and_follow_up(
    engine: &mut Engine,
    now: Timestamp,
    clock: ClockCheck,
    caller: Caller,
) -> Result<Option<TickEnd>> {
    let (authority, is_runner_lost) = match caller {
        // It is the runner.
        Caller::Runner => (Authority::of_runner(engine), false),
        Caller::Verb { .. } | Caller::Run(_) | Caller::Daemon { .. } => {
            (Authority::of_tick(engine), follow_up::is_runner_lost(engine)?)
        }
    };
    follow_up::settle(engine, authority, now)?;
    let mut report = match tick::tick_alone(engine, now, clock, caller)? {
        Some(TickEnd::Done(report)) => report,
        // Nothing is planned or late by a clock that cannot be right.
        other => return Ok(other),
    };
    if is_runner_lost {
        follow_up::note_runner_loss(engine, now)?;
    }
    if authority == Authority::Site {
        rerun_due(engine, (now, clock), &mut report)?;
        follow_up::note_overdue(engine, now)?;
    }
    follow_up::settle(engine, authority, now)?;
    Ok(Some(TickEnd::Done(report)))
}

/// Asks the servers for what a tick has left open, and does what follows from their answers. The caller has started
/// before what waits for no server.
///
/// # Errors
/// As [`follow_answers`].
pub fn ask_servers(engine: &mut Engine, clock: &dyn Clock, report: &mut Report) -> Result<Option<ClockProblem>> {
    if !report.servers.have_deferred() {
        return Ok(None);
    }
    report.servers.ask_deferred(&engine.settings.stores);
    follow_answers(engine, clock.now(), report)
}

/// Does what follows from the answers of servers; returns why the clock is refused now, if it is. While another process
/// ticks, its next tick asks.
///
/// # Errors
/// As [`tick::tick_alone`].
pub(crate) fn follow_answers(engine: &mut Engine, now: Timestamp, report: &mut Report) -> Result<Option<ClockProblem>> {
    match tick::follow_answers(engine, now, report)? {
        None => Ok(None),
        Some(TickEnd::ClockRefused(clock_problem)) => Ok(Some(clock_problem)),
        Some(TickEnd::Done(again)) => {
            report.add(again);
            follow_up::settle(engine, Authority::of_tick(engine), now).map(|()| None)
        }
    }
}

/// Reruns what the failure policy has planned, and ticks again if that reset an action.
fn rerun_due(engine: &mut Engine, (now, clock): (Timestamp, ClockCheck), report: &mut Report) -> Result<()> {
    let reruns = follow_up::rerun_due(engine, now)?;
    report.faults.extend(reruns.faults);
    if reruns.done > 0
        && let Some(TickEnd::Done(again)) = tick::tick_alone(engine, now, clock, Caller::Runner)?
    {
        report.add(again);
    }
    Ok(())
}
