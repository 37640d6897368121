//! The loops around the steps: the runner's, and those of the foreground and the daemon, which also tick.
//!
//! Decides only which step is next and when to wait; never what a step does.

use std::path::Path;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::lookup::Job;
use crate::engine::runner::settings_check::{self, RunnerLock};
use crate::engine::runner::step::{Runner, StepReport};
use crate::engine::service::spawn::CourierStarter;
use crate::engine::tick::{self, Clock as ClockCheck, ClockProblem, TickEnd};
use crate::error::{Error, Result};
use crate::host::clock::{Clock, Pace, pause};
use crate::host::found::Found;
use crate::host::{files, lock, processes, writable};
use crate::model::id::JobId;
use crate::model::time::{Now, Timestamp};

/// How often the foreground looks for inputs while nothing happens.
const IDLE_TICK: Duration = Duration::from_secs(1);

/// Carries workflow jobs on until none is active; ticks when a coordinator action has ended, so that the next one
/// need not wait for cron.
///
/// The caller holds the runner's lock, in which it is written what is in the way. Faults of single jobs go to `fault`.
///
/// # Errors
/// A failure of the database or of starting processes.
pub(crate) fn run_workflows(
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
        lock.publish(runner.problems());
        courier.ensure(engine, &clock.both())?;
        for (job, error) in &progress.problems {
            fault(job, error);
        }
        // A tick that is running now may have looked before the action ended.
        tick_owed |= progress.action_ended;
        if tick_owed {
            match tick_if_free(engine, clock.now(), ClockCheck::Checked)? {
                Some(TickEnd::Done(report)) => {
                    tick_owed = false;
                    for faulty in &report.faults {
                        fault(&faulty.subject, &faulty.error);
                    }
                }
                // Workflow jobs go on; cron's ticks say it as well until a person looks.
                Some(TickEnd::ClockRefused(clock_problem)) => {
                    tick_owed = false;
                    fault(tick::TICK, &clock_problem.into_error());
                }
                None if progress.worked => {}
                None => runner.wait(),
            }
        } else if !progress.active && !progress.worked {
            return Ok(());
        } else if !progress.worked {
            runner.wait();
        }
    }
}

/// A tick, unless one is running: then that one does the work.
fn tick_if_free(engine: &mut Engine, now: Timestamp, clock: ClockCheck) -> Result<Option<TickEnd>> {
    let Some(_lock) = lock::try_lock(&engine.tick_lock())? else { return Ok(None) };
    tick::tick(engine, now, clock).map(Some)
}

/// How a foreground run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Every job is over; whether all succeeded.
    Over { all_succeeded: bool },
    /// The user interrupted it; the jobs go on at the next tick.
    Interrupted,
}

/// The watcher of a foreground run or a daemon.
pub(crate) trait Watcher {
    /// Something may have changed.
    fn changed(&mut self, engine: &Engine) -> Result<()>;
    /// A job or action met a fault, which is recorded.
    fn fault(&mut self, subject: &str, error: &Error);
}

/// Drives jobs to their end: ticks, and carries workflow jobs on unless another runner does.
///
/// # Errors
/// A failure of the database or of starting processes; everything stays as it was stored.
pub(crate) fn drive(
    engine: &mut Engine,
    clock: &dyn Clock,
    jobs: &[JobId],
    watcher: &mut dyn Watcher,
) -> Result<Ended> {
    let interrupted = processes::watch_for_interrupt();
    // The person who types `run` sees the clock; a leap while it runs is another matter.
    let mut driver = Driver::new(engine, IDLE_TICK, ClockCheck::Interactive);
    loop {
        if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
            return Ok(Ended::Interrupted);
        }
        let worked = driver.step(engine, &clock.both(), watcher)?;
        driver.courier.ensure(engine, &clock.both())?;
        watcher.changed(engine)?;
        if let Some(all_succeeded) = all_over(engine, jobs)? {
            driver.tick_for_promises(engine, &clock.both(), watcher)?;
            return Ok(Ended::Over { all_succeeded });
        }
        if !worked {
            driver.runner.wait();
        }
    }
}

/// Ticks at least `every` so often and carries workflow jobs on, for all jobs, until a signal asks it to end. A machine
/// that fails for a while, such as a full disk, is told of once and tried again; a clock that cannot be believed stops
/// the ticks until it can.
///
/// # Errors
/// A failure of the database that does not pass by itself.
pub(crate) fn serve(
    engine: &mut Engine,
    clock: &dyn Clock,
    (every, check): (Duration, ClockCheck),
    watcher: &mut dyn Watcher,
) -> Result<()> {
    let interrupted = processes::watch_for_interrupt();
    let mut driver = Driver { goes_on: true, ..Driver::new(engine, every, check) };
    let mut told = None;
    while !interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        match driver.serve_once(engine, clock, watcher) {
            Ok(true) => told = None,
            Ok(false) => {
                told = None;
                driver.runner.wait();
            }
            Err(error) if passes(&error) => {
                let words = error.to_string();
                if told.replace(words.clone()) != Some(words) {
                    let help = "it goes on as soon as the machine lets it";
                    watcher.fault("the daemon", &error.help(help));
                }
                pause(AFTER_FAILURE);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// How long a daemon waits after a failure of the machine.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Whether a daemon outlives a failure: the same step may go well later.
fn passes(error: &Error) -> bool {
    error.may_pass() || error.signal().passes()
}

/// Refuses (H0110, H0111) where a runner could do nothing, because its lock cannot be opened or the folder of its run
/// files cannot be written to: it could not print it.
pub(crate) fn check_runner(engine: &Engine) -> Result<()> {
    lock::check(&engine.runner_lock())?;
    let runs = engine.run_folder();
    let holder = match files::find(&runs) {
        Found::Absent => runs.parent().unwrap_or(Path::new("/")),
        Found::Present(()) | Found::Unknown(_) => &runs,
    };
    writable::check_writable(holder)
}

/// Tick and runner in one process.
struct Driver {
    runner: Runner,
    courier: CourierStarter,
    /// Held as long as this process carries workflow jobs on.
    runner_lock: Option<RunnerLock>,
    /// When the next tick is due at the latest.
    ticks: Pace,
    /// What the next tick does when the clock seems to have leapt.
    check: ClockCheck,
    /// Whether it outlives a clock that leapt.
    goes_on: bool,
    /// What was last said of a clock that cannot be believed: once, until a tick believes it again.
    clock_problem: Option<std::mem::Discriminant<ClockProblem>>,
    /// The database as the last tick met it; what another process commits may make something due.
    seen: Option<i64>,
}

impl Driver {
    fn new(engine: &Engine, every: Duration, check: ClockCheck) -> Self {
        Self {
            runner: Runner::new(engine),
            courier: CourierStarter::new(),
            runner_lock: None,
            ticks: Pace::new(every),
            check,
            goes_on: false,
            clock_problem: None,
            seen: None,
        }
    }

    /// One step of a daemon; answers whether anything was done.
    fn serve_once(&mut self, engine: &mut Engine, clock: &dyn Clock, watcher: &mut dyn Watcher) -> Result<bool> {
        let worked = self.step(engine, &clock.both(), watcher)?;
        self.courier.ensure(engine, &clock.both())?;
        watcher.changed(engine)?;
        Ok(worked)
    }

    /// A tick when it may find something, and a step of the runner; answers whether anything was done.
    fn step(&mut self, engine: &mut Engine, now: &Now, watcher: &mut dyn Watcher) -> Result<bool> {
        let mut worked = false;
        let version = engine.store.data_version()?;
        let changed = self.seen.replace(version) != Some(version);
        if changed || self.ticks.is_due() {
            worked |= self.tick(engine, now.at, watcher)?;
        }
        if self.runner_lock.is_none() {
            self.runner_lock = settings_check::take_lock(engine)?;
        }
        let Some(lock) = &mut self.runner_lock else {
            // Another process carries the workflow jobs on; this one only ticks and looks.
            return Ok(worked);
        };
        let progress: StepReport = self.runner.step(engine, now)?;
        lock.publish(self.runner.problems());
        for (job, error) in &progress.problems {
            watcher.fault(job, error);
        }
        if progress.action_ended {
            worked |= self.tick(engine, now.at, watcher)?;
        }
        Ok(worked || progress.worked)
    }

    /// A tick, unless another process ticks; a clock that cannot be believed is said once and asked again at the next
    /// beat.
    fn tick(&mut self, engine: &mut Engine, now: Timestamp, watcher: &mut dyn Watcher) -> Result<bool> {
        self.ticks.mark();
        let report = match tick_if_free(engine, now, self.check)? {
            Some(TickEnd::Done(report)) => report,
            Some(TickEnd::ClockRefused(clock_problem)) => {
                return self.refuse_clock(clock_problem, watcher).map(|()| false);
            }
            None => return Ok(false),
        };
        self.check = ClockCheck::Checked;
        self.clock_problem = None;
        for faulty in &report.faults {
            watcher.fault(&faulty.subject, &faulty.error);
        }
        if !report.postponed.is_empty() {
            self.ticks.clear();
        }
        Ok(!report.is_quiet())
    }

    /// Says that a clock cannot be believed, unless that was the last thing said of it.
    ///
    /// # Errors
    /// H0131 when the clock leapt forward and this process does not outlive that.
    fn refuse_clock(&mut self, clock_problem: ClockProblem, watcher: &mut dyn Watcher) -> Result<()> {
        let kind = std::mem::discriminant(&clock_problem);
        match clock_problem {
            ClockProblem::Ahead(error) if !self.goes_on => return Err(error),
            ClockProblem::Ahead(error) | ClockProblem::Behind(error) => {
                if self.clock_problem.replace(kind) != Some(kind) {
                    watcher.fault(tick::TICK, &error);
                }
            }
        }
        Ok(())
    }

    /// A last tick when only a tick records what became of the promises of jobs that are over.
    fn tick_for_promises(&mut self, engine: &mut Engine, now: &Now, watcher: &mut dyn Watcher) -> Result<()> {
        if engine.store.read(|snapshot| snapshot.due_sla(now.at, 1))?.is_empty() {
            return Ok(());
        }
        self.tick(engine, now.at, watcher)?;
        self.courier.ensure(engine, now)
    }
}

/// Whether every job succeeded, once all of them are over.
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
