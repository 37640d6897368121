//! The loops around the steps: the runner's, and those of the foreground and the daemon, which also tick.
//!
//! Decides only which step is next and when to wait. Must not depend on what a step does.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::follow_up::{self, Authority};
use crate::engine::lookup::Job;
use crate::engine::runner::settings_check::{self, RunnerLock};
use crate::engine::runner::step::Runner;
use crate::engine::runner::step_report::StepReport;
use crate::engine::service::notice::{Notices, Problem};
use crate::engine::service::spawn::{CourierStarter, Housekeeper};
use crate::engine::service::ticking::tick_and_follow_up;
use crate::engine::tick::report::Report;
use crate::engine::tick::{self, Caller, Clock as ClockCheck, ClockProblem, Inputs, TickEnd};
use crate::error::{Error, ErrorCode, Result};
use crate::host::clock::{Clock, Pace, pause, uptime};
use crate::host::found::Found;
use crate::host::{files, lock, processes, writable};
use crate::model::id::JobId;
use crate::model::row::CoordinatorKey;
use crate::model::time::{Now, Timestamp};

/// How often the foreground checks inputs while nothing happens.
const IDLE_TICK: Duration = Duration::from_secs(1);

/// Advances workflow jobs until none is active. Ticks when a coordinator action has ended, so the next one does not
/// wait for cron.
///
/// The caller holds the runner's lock; obstacles are written into it. Faults of single jobs go to `fault`.
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
        follow_up::settle(engine, Authority::of_runner(engine), clock.now())?;
        courier.ensure(engine, &clock.both())?;
        for (job, error) in &progress.problems {
            fault(job, error);
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
pub(crate) enum Ended {
    /// Every job is over; the flag says whether all succeeded.
    Over { all_succeeded: bool },
    /// The user interrupted it; the jobs continue at the next tick.
    Interrupted,
}

/// The watcher of a foreground run or a daemon.
pub(crate) trait Watcher {
    /// Something may have changed.
    fn changed(&mut self, engine: &Engine) -> Result<()>;
    /// A job or action had a fault, which is recorded.
    fn fault(&mut self, subject: &str, error: &Error);
    /// This process advances workflow jobs from now on, or, as it seems, this other one does.
    fn runner(&mut self, _: Advancer) {}
    /// A tick starts.
    fn tick_starts(&mut self, _: &Engine) {}
    /// A tick ended; `None`: another process ticks.
    fn tick_ended(&mut self, _is_well: Option<bool>) {}
}

/// How a tick of this process ended.
enum Ticked {
    Done {
        worked: bool,
        is_well: bool,
    },
    /// The clock is implausible.
    Refused,
    /// Another process ticks.
    Busy,
}

impl Ticked {
    /// Returns whether anything was done.
    const fn worked(&self) -> bool {
        matches!(self, Self::Done { worked: true, .. })
    }

    /// Returns whether all went well; `None` when another process ticks.
    const fn is_well(&self) -> Option<bool> {
        match self {
            Self::Done { is_well, .. } => Some(*is_well),
            Self::Refused => Some(false),
            Self::Busy => None,
        }
    }
}

/// Which process advances the workflow jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Advancer {
    /// This one.
    Own,
    /// Another one; its number, when it is known.
    Other(Option<i32>),
}

/// Runs jobs to their end: ticks, and advances workflow jobs unless another runner does.
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
    // The user of `run` sees the clock, so its start needs no check; a leap while it runs does.
    let mut driver = Driver::new(engine, IDLE_TICK, ClockCheck::Interactive);
    loop {
        if interrupted.load(std::sync::atomic::Ordering::Relaxed) {
            driver.leave();
            return Ok(Ended::Interrupted);
        }
        let worked = driver.step(engine, &clock.both(), watcher)?;
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
pub(crate) fn serve(
    engine: &mut Engine,
    clock: &dyn Clock,
    (every, check): (Duration, ClockCheck),
    watcher: &mut dyn Watcher,
) -> Result<()> {
    let interrupted = processes::watch_for_interrupt();
    let notices = Some(Notices::new());
    let mut driver = Driver { is_daemon: true, notices, ..Driver::new(engine, every, check) };
    let mut reported = None;
    while !interrupted.load(std::sync::atomic::Ordering::Relaxed) {
        match driver.serve_once(engine, clock, watcher) {
            Ok(true) => reported = None,
            Ok(false) => {
                reported = None;
                driver.wait();
            }
            Err(error) if error.passes() => {
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

/// The name of the daemon in faults that belong to no job.
const THE_DAEMON: &str = "the daemon";

/// How long a daemon waits after a failure of the machine.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// Refuses (H0110, H0111) when a runner could do nothing, because its lock cannot be opened or the folder of its run
/// files cannot be written to: a runner could not report it.
pub(crate) fn check_runner(engine: &Engine) -> Result<()> {
    lock::check(&engine.runner_lock())?;
    let runs = engine.run_folder();
    let holder = match files::find(&runs) {
        Found::Absent => runs.parent().unwrap_or(Path::new("/")),
        Found::Present(()) | Found::Unknown(_) => &runs,
    };
    writable::check_writable(holder)
}

/// Returns the report of folders that are not watched (W0132).
fn unwatched(problem: &Problem, every: Duration) -> Error {
    let Problem { unwatched, all, why } = problem;
    let why = format!("{why}; what arrives there is found within {} s (--every)", every.as_secs());
    Error::with(ErrorCode::W0132, &[unwatched, all, &why])
}

/// Tick and runner in one process.
struct Driver {
    runner: Runner,
    courier: CourierStarter,
    housekeeper: Housekeeper,
    /// Held as long as this process advances workflow jobs.
    runner_lock: Option<RunnerLock>,
    /// Whether this process advances workflow jobs, as it was reported.
    advances: Option<bool>,
    /// When the next tick is due at the latest.
    ticks: Pace,
    /// What the next tick does when the clock seems to have leapt.
    check: ClockCheck,
    /// Whether it ticks until a signal ends it: it survives a clock that leapt, and promises its ticks.
    is_daemon: bool,
    /// The last report of an implausible clock: it is reported once, until a tick accepts the clock again.
    clock_problem: Option<std::mem::Discriminant<ClockProblem>>,
    /// The version of the database at the last tick; commits of other processes may make something due.
    seen: Option<i64>,
    /// What wakes a daemon before its next tick.
    notices: Option<Notices>,
    /// Which folders are not watched, and why; each reason is reported once.
    unwatched: Option<String>,
    unwatched_because: Option<String>,
}

impl Driver {
    fn new(engine: &Engine, every: Duration, check: ClockCheck) -> Self {
        Self {
            runner: Runner::new(engine),
            courier: CourierStarter::new(),
            housekeeper: Housekeeper::new(),
            runner_lock: None,
            advances: None,
            ticks: Pace::new(every),
            check,
            is_daemon: false,
            clock_problem: None,
            seen: None,
            notices: None,
            unwatched: None,
            unwatched_because: None,
        }
    }

    /// Gives the runner's lock back in order, if this process holds it.
    fn leave(&mut self) {
        if let Some(lock) = self.runner_lock.take() {
            lock.leave();
        }
    }

    /// Runs one step of a daemon; returns whether anything was done.
    fn serve_once(&mut self, engine: &mut Engine, clock: &dyn Clock, watcher: &mut dyn Watcher) -> Result<bool> {
        let worked = self.step(engine, &clock.both(), watcher)?;
        self.courier.ensure(engine, &clock.both())?;
        self.housekeeper.visit(engine, &clock.both())?;
        watcher.changed(engine)?;
        Ok(worked)
    }

    /// Runs a tick when something may be due, and a step of the runner; returns whether anything was done.
    fn step(&mut self, engine: &mut Engine, now: &Now, watcher: &mut dyn Watcher) -> Result<bool> {
        let mut worked = false;
        let version = engine.store.data_version()?;
        let changed = self.seen.replace(version) != Some(version);
        if changed || self.ticks.is_due() {
            worked |= self.tick(engine, now.at, watcher)?;
        } else if let Some(jobs) = self.notices.as_mut().and_then(|notices| notices.due(uptime())) {
            let found = self.tick_for(engine, now.at, Some(jobs), watcher)?.worked();
            self.notices.iter_mut().for_each(|notices| notices.looked(uptime(), found));
            worked |= found;
        }
        if self.runner_lock.is_none() {
            self.runner_lock = settings_check::take_lock(engine)?;
            self.report_advancer(engine, watcher);
        }
        let Some(lock) = &mut self.runner_lock else {
            // Another process advances the workflow jobs; this one only ticks.
            return Ok(worked);
        };
        let progress: StepReport = self.runner.step(engine, now)?;
        follow_up::settle(engine, Authority::Site, now.at)?;
        lock.publish(self.runner.problems());
        lock.publish_unwatched(self.unwatched.as_ref());
        for (job, error) in &progress.problems {
            watcher.fault(job, error);
        }
        if progress.action_ended {
            worked |= self.tick(engine, now.at, watcher)?;
        }
        Ok(worked || progress.needs_another_step())
    }

    /// Reports once which process advances the workflow jobs, and again when that changes.
    fn report_advancer(&mut self, engine: &Engine, watcher: &mut dyn Watcher) {
        let is_own = self.runner_lock.is_some();
        if self.advances.replace(is_own) == Some(is_own) {
            return;
        }
        let other = || Advancer::Other(settings_check::runner(engine).map(|runner| runner.pid));
        watcher.runner(if is_own { Advancer::Own } else { other() });
    }

    /// Runs a tick, unless another process ticks. An implausible clock is reported once and checked again at the next
    /// interval.
    fn tick(&mut self, engine: &mut Engine, now: Timestamp, watcher: &mut dyn Watcher) -> Result<bool> {
        self.ticks.mark();
        watcher.tick_starts(engine);
        let ticked = self.tick_for(engine, now, None, watcher);
        watcher.tick_ended(ticked.as_ref().map_or(Some(false), Ticked::is_well));
        Ok(ticked?.worked())
    }

    /// As [`Self::tick`]; checks the inputs of these jobs alone, when some are given.
    fn tick_for(
        &mut self,
        engine: &mut Engine,
        now: Timestamp,
        of_jobs: Option<BTreeSet<CoordinatorKey>>,
        watcher: &mut dyn Watcher,
    ) -> Result<Ticked> {
        let inputs = Inputs { of_jobs, noted: self.notices.is_some() };
        let caller =
            if self.is_daemon { Caller::Daemon { every: self.ticks.distance(), inputs } } else { Caller::Run(inputs) };
        let mut report = match tick_and_follow_up(engine, now, self.check, caller)? {
            Some(TickEnd::Done(report)) => report,
            Some(TickEnd::ClockRefused(clock_problem)) => {
                return self.report_clock(clock_problem, watcher).map(|()| Ticked::Refused);
            }
            None => return Ok(Ticked::Busy),
        };
        self.check = ClockCheck::Checked;
        self.clock_problem = None;
        for faulty in &report.faults {
            watcher.fault(&faulty.subject, &faulty.error);
        }
        if !report.postponed.is_empty() {
            self.ticks.clear();
        }
        self.follow(engine, &mut report, watcher)?;
        Ok(Ticked::Done { worked: !report.is_quiet(), is_well: report.faults.is_empty() })
    }

    /// Watches the folders in which the tick missed something; reports once why some are not watched.
    fn follow(&mut self, engine: &Engine, report: &mut Report, watcher: &mut dyn Watcher) -> Result<()> {
        let Some(notices) = &mut self.notices else { return Ok(()) };
        notices.follow(&engine.store, std::mem::take(&mut report.seen))?;
        let why = notices.problem().map(|problem| problem.why.clone());
        let error = notices.problem().map(|problem| unwatched(problem, self.ticks.distance()));
        self.unwatched = error.as_ref().map(|error| error.message().to_owned());
        if let Some(error) = error.filter(|_| why != self.unwatched_because) {
            watcher.fault(THE_DAEMON, &error);
        }
        self.unwatched_because = why;
        Ok(())
    }

    /// Waits until a process ends, a file appears where one is awaited, or it is time to look at the database again.
    fn wait(&mut self) {
        match &self.notices {
            Some(notices) => {
                let (limit, wake) = notices.patience(uptime());
                self.runner.wait_for(wake, limit.unwrap_or(Duration::MAX));
            }
            None => self.runner.wait(),
        }
    }

    /// Reports an implausible clock, unless this was the last report.
    ///
    /// # Errors
    /// H0131 when the clock leapt forward and this process does not survive that.
    fn report_clock(&mut self, clock_problem: ClockProblem, watcher: &mut dyn Watcher) -> Result<()> {
        let kind = std::mem::discriminant(&clock_problem);
        match clock_problem {
            ClockProblem::Ahead(error) if !self.is_daemon => return Err(error),
            ClockProblem::Ahead(error) | ClockProblem::Behind(error) => {
                if self.clock_problem.replace(kind) != Some(kind) {
                    watcher.fault(tick::TICK, &error);
                }
            }
        }
        Ok(())
    }

    /// Runs a last tick when SLA results of finished jobs are still to be recorded.
    fn tick_for_sla(&mut self, engine: &mut Engine, now: &Now, watcher: &mut dyn Watcher) -> Result<()> {
        if engine.store.read(|snapshot| snapshot.due_sla(now.at, 1))?.is_empty() {
            return Ok(());
        }
        self.tick(engine, now.at, watcher)?;
        self.courier.ensure(engine, now)
    }
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
