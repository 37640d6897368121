//! The loops around the steps: the runner's, and those of the foreground and the daemon, which also tick.
//!
//! Decides only which step is next and when to wait. Must not depend on what a step does.

use std::path::Path;
use std::time::Duration;

use crate::Engine;
use crate::follow_up::{self, Authority};
use crate::lookup::Job;
use crate::runner::settings_check::RunnerLock;
use crate::runner::step::Runner;
use crate::service::driver::{Driver, THE_DAEMON};
use crate::service::spawn::CourierStarter;
use crate::service::ticking::tick_and_follow_up;
use crate::service::watcher::Watcher;
use crate::tick::{self, Caller, Clock as ClockCheck, TickEnd};
use howdah_host::clock::{Clock, pause};
use howdah_host::found::Found;
use howdah_host::{files, lock, processes, writable};
use howdah_words::error::{Error, ErrorCode, Result, Signal};
use howdah_words::model::id::JobId;

/// How often the foreground checks inputs while nothing happens.
const IDLE_TICK: Duration = Duration::from_secs(1);

/// Advances workflow jobs until none is active. Ticks when a coordinator action has ended, so the next one does not
/// wait for cron.
///
/// The caller holds the runner's lock; obstacles are written into it. Faults of single jobs go to `fault`.
///
/// # Errors
/// A failure of the database or of starting processes; H0103 for a problem under a limit on the size of files.
pub fn run_workflows(
    engine: &mut Engine,
    lock: &mut RunnerLock,
    clock: &dyn Clock,
    fault: &mut dyn FnMut(&str, &Error),
) -> Result<()> {
    let mut runner = Runner::new(engine);
    let mut courier = CourierStarter::new();
    let mut tick_owed = false;
    loop {
        let progress = runner.step(engine, &clock.both())?;
        lock.stepped(runner.problems());
        follow_up::settle(engine, Authority::of_runner(engine), clock.now())?;
        courier.ensure(engine, &clock.both())?;
        for (job, error) in &progress.problems {
            fault(job, error);
        }
        if let Some(limit) = processes::size_limit().filter(|_| !progress.problems.is_empty()) {
            let help = "this runner has a limit on the size of files (`ulimit -f`) from the command that started it, \
                        and ends; the next tick starts one with its own limit";
            return Err(Error::with(ErrorCode::H0103, &[&engine.store.path().display()])
                .help(format!("{help} ({limit} bytes)")));
        }
        // A tick that is running now may have read the database before the action ended.
        tick_owed |= progress.action_ended;
        if tick_owed {
            match tick_and_follow_up(engine, clock.now(), ClockCheck::Checked, Caller::Runner)? {
                Some(TickEnd::Done(report)) => {
                    tick_owed = false;
                    for faulty in &report.faults {
                        fault(&faulty.subject, &faulty.error);
                    }
                }
                // Workflow jobs continue; cron's ticks report it as well.
                Some(TickEnd::ClockRefused(clock_problem)) => {
                    tick_owed = false;
                    fault(tick::TICK, &clock_problem.into_error());
                }
                None if progress.needs_another_step() => {}
                None => runner.wait(),
            }
        } else if !progress.active && !progress.has_worked() {
            return Ok(());
        } else if !progress.needs_another_step() {
            runner.wait();
        }
    }
}

/// How a foreground run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Every job is over; the flag says whether all succeeded.
    Over { all_succeeded: bool },
    /// The user interrupted it; the jobs continue at the next tick.
    Interrupted,
}

/// Runs jobs to their end: ticks, and advances workflow jobs unless another runner does.
///
/// # Errors
/// A failure of the database or of starting processes; everything stays as it was stored.
pub fn drive(engine: &mut Engine, clock: &dyn Clock, jobs: &[JobId], watcher: &mut dyn Watcher) -> Result<Ended> {
    let interrupted = processes::watch_for_interrupt();
    // The user of `run` sees the clock, so its start needs no check; a leap while it runs does.
    let mut driver = Driver::new(engine, IDLE_TICK, ClockCheck::Interactive);
    loop {
        if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
            driver.leave();
            return Ok(Ended::Interrupted);
        }
        let worked = driver.step(engine, clock, watcher)?;
        driver.courier.ensure(engine, &clock.both())?;
        watcher.changed(engine)?;
        if let Some(all_succeeded) = all_over(engine, jobs)? {
            driver.tick_for_sla(engine, &clock.both(), watcher)?;
            driver.leave();
            return Ok(Ended::Over { all_succeeded });
        }
        if !worked {
            driver.runner.wait();
        }
    }
}

/// Ticks at least at the interval `every` and advances workflow jobs, for all jobs, until a signal ends it. A temporary
/// failure of the machine, such as a full disk, is reported once and tried again; an implausible clock stops the ticks
/// until it is plausible again.
///
/// # Errors
/// A permanent failure of the database.
pub fn serve(
    engine: &mut Engine,
    clock: &dyn Clock,
    (every, check): (Duration, ClockCheck),
    watcher: &mut dyn Watcher,
) -> Result<()> {
    let interrupted = processes::watch_for_interrupt();
    let mut driver = Driver::of_daemon(engine, every, check);
    let mut reported = None;
    while !interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        match driver.serve_once(engine, clock, watcher) {
            Ok(true) => reported = None,
            Ok(false) => {
                reported = None;
                driver.wait();
            }
            // A file of howdah that cannot be used now stops no daemon either.
            Err(error) if error.may_pass() || error.signal() == Signal::Machine => {
                let words = error.to_string();
                if reported.replace(words.clone()) != Some(words) {
                    let help = "it continues as soon as the machine allows it";
                    watcher.fault(THE_DAEMON, &error.help(help));
                }
                pause(AFTER_FAILURE);
            }
            Err(error) => return Err(error),
        }
    }
    driver.leave();
    Ok(())
}

/// How long a daemon waits after a failure of the machine.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Refuses (H0110, H0111) when a runner could do nothing, because its lock cannot be opened or the folder of its run
/// files cannot be written to: a runner could not report it.
pub fn check_runner(engine: &Engine) -> Result<()> {
    lock::check(&engine.runner_lock())?;
    let runs = engine.run_folder();
    let holder = match files::find(&runs) {
        Found::Absent => runs.parent().unwrap_or(Path::new("/")),
        Found::Present(()) | Found::Unknown(_) => &runs,
    };
    writable::check_writable(holder)
}

/// Returns whether every job succeeded, once all of them are over.
fn all_over(engine: &Engine, jobs: &[JobId]) -> Result<Option<bool>> {
    engine.store.read(|snapshot| {
        let mut all_succeeded = true;
        for id in jobs {
            let job = Job::of(snapshot, id)?;
            if !job.is_over() {
                return Ok(None);
            }
            all_succeeded &= job.has_succeeded();
        }
        Ok(Some(all_succeeded))
    })
}
