//! Tick and runner in one process: the steps of a foreground run and of a daemon.
//!
//! Decides when a tick is due and which process advances the workflow jobs. Must not depend on what a tick does, or on
//! when the process ends.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::Engine;
use crate::follow_up::{self, Authority};
use crate::runner::settings_check::{self, RunnerLock};
use crate::runner::step::Runner;
use crate::runner::step_report::StepReport;
use crate::service::asking::Asking;
use crate::service::notice::{Notices, Problem};
use crate::service::spawn::{CourierStarter, Housekeeper};
use crate::service::ticking::{follow_answers, tick_and_follow_up};
use crate::service::watcher::{Advancer, Watcher};
use crate::tick::report::Report;
use crate::tick::{self, Caller, Clock as ClockCheck, ClockProblem, Inputs, TickEnd};
use howdah_host::clock::{Clock, Pace, uptime};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::CoordinatorKey;
use howdah_words::model::time::{Now, Timestamp};

/// The name of the daemon in faults that belong to no job.
pub(super) const THE_DAEMON: &str = "the daemon";

/// How long a step waits for the answers of servers: most are there by then.
const PATIENCE: Duration = Duration::from_millis(100);
/// The same for what turns up while it does what follows from them.
const SLICE: Duration = Duration::from_millis(300);
/// How long a wait may be while servers are asked.
const BETWEEN_LOOKS: Duration = Duration::from_millis(50);

/// Returns the report of folders that are not watched (W0132).
fn unwatched(problem: &Problem, every: Duration) -> Error {
    let Problem { unwatched, all, why } = problem;
    let why = format!("{why}; what arrives there is found within {} s (--every)", every.as_secs());
    Error::with(ErrorCode::W0132, &[unwatched, all, &why])
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

/// Tick and runner in one process.
pub(super) struct Driver {
    pub(super) runner: Runner,
    pub(super) courier: CourierStarter,
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
    /// What the last tick has left open until servers are asked.
    left_open: Option<Report>,
    /// The servers that are asked now, for what ticks have left open before.
    asking: Option<Asking>,
    /// Whether all is well so far in a tick whose end is not reported yet.
    is_well: Option<bool>,
}

impl Driver {
    pub(super) fn new(engine: &Engine, every: Duration, check: ClockCheck) -> Self {
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
            left_open: None,
            asking: None,
            is_well: None,
        }
    }

    /// Returns the driver of a process that ticks until a signal ends it.
    pub(super) fn of_daemon(engine: &Engine, every: Duration, check: ClockCheck) -> Self {
        Self { is_daemon: true, notices: Some(Notices::new()), ..Self::new(engine, every, check) }
    }

    /// Gives the runner's lock back in order, if this process holds it.
    pub(super) fn leave(&mut self) {
        if let Some(lock) = self.runner_lock.take() {
            lock.leave();
        }
    }

    /// Runs one step of a daemon; returns whether anything was done.
    pub(super) fn serve_once(
        &mut self,
        engine: &mut Engine,
        clock: &dyn Clock,
        watcher: &mut dyn Watcher,
    ) -> Result<bool> {
        let worked = self.step(engine, clock, watcher)?;
        self.courier.ensure(engine, &clock.both())?;
        self.housekeeper.visit(engine, &clock.both())?;
        watcher.changed(engine)?;
        Ok(worked)
    }

    /// Runs a tick when something may be due, and a step of the runner; returns whether anything was done.
    pub(super) fn step(&mut self, engine: &mut Engine, clock: &dyn Clock, watcher: &mut dyn Watcher) -> Result<bool> {
        let now = &clock.both();
        let mut worked = false;
        let version = engine.store.data_version()?;
        let changed = self.seen.replace(version) != Some(version);
        // Events are read in any case: unread ones end each wait at once, also while another process ticks.
        let noticed = self.notices.as_mut().and_then(|notices| notices.due(uptime()));
        if changed || self.ticks.is_due() {
            worked |= self.tick(engine, now.at, watcher)?;
        } else if let Some(jobs) = noticed {
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
            return Ok(worked | self.ask_servers(engine, clock, watcher)?);
        };
        let progress = self.runner.step(engine, now);
        if !progress.as_ref().is_ok_and(|progress| !progress.action_ended) {
            // An action may have ended before a failure, of this step or of what follows it.
            self.ticks.clear();
        }
        let progress: StepReport = progress?;
        follow_up::settle_any(engine, Authority::of_tick, now.at)?;
        lock.stepped(self.runner.problems());
        lock.publish_unwatched(self.unwatched.as_ref());
        for (job, error) in &progress.problems {
            watcher.fault(job, error);
        }
        if progress.action_ended {
            worked |= self.tick(engine, now.at, watcher)?;
        }
        worked |= self.ask_servers(engine, clock, watcher)?;
        Ok(worked || progress.needs_another_step())
    }

    /// Lets servers be asked for what ticks have left open, and does what follows from answers that are there; returns
    /// whether anything was done. A server that lets its questions wait delays no other step.
    fn ask_servers(&mut self, engine: &mut Engine, clock: &dyn Clock, watcher: &mut dyn Watcher) -> Result<bool> {
        let settings = engine.settings.stores.clone();
        let (mut asking, patience) = match (self.asking.take(), &mut self.left_open) {
            (Some(asking), _) => (asking, Duration::ZERO),
            (None, left_open) => match left_open.take() {
                None => return Ok(false),
                Some(left) => (Asking::begin(left, &settings), PATIENCE),
            },
        };
        let Some(mut report) = asking.finish(patience) else {
            self.asking = Some(asking);
            return Ok(false);
        };
        // What later ticks have left open is asked for in the same way.
        if let Some(later) = &mut self.left_open.take() {
            report.continue_for(later);
        }
        report.servers.ask_at_most(SLICE);
        let (before, known) = (report.changes(), report.faults.len());
        let followed = follow_answers(engine, clock.now(), &mut report);
        let clock_problem = followed.inspect_err(|_| self.is_well = Some(false))?;
        for faulty in &report.faults[known..] {
            watcher.fault(&faulty.subject, &faulty.error);
            self.is_well = Some(false);
        }
        let worked = report.changes() > before || report.faults.len() > known;
        if let Some(clock_problem) = clock_problem {
            self.is_well = Some(false);
            self.report_clock(clock_problem, watcher)?;
        } else if report.servers.have_deferred() {
            self.asking = Some(Asking::begin(report, &settings));
        }
        self.report_end(watcher);
        Ok(worked)
    }

    /// Reports the end of a tick, once the servers have been asked for what it has left open.
    fn report_end(&mut self, watcher: &mut dyn Watcher) {
        if self.left_open.is_none() && self.asking.is_none() {
            watcher.tick_ended(self.is_well.take());
        }
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

    /// Runs a tick. While another process ticks, or after a failure, the next step tries again. An implausible clock is
    /// reported once and checked again at the next interval.
    fn tick(&mut self, engine: &mut Engine, now: Timestamp, watcher: &mut dyn Watcher) -> Result<bool> {
        self.ticks.mark();
        watcher.tick_starts(engine);
        let ticked = self.tick_for(engine, now, None, watcher);
        let is_well = ticked.as_ref().map_or(Some(false), Ticked::is_well);
        self.is_well = is_well.map(|is_well| is_well && self.is_well.unwrap_or(true)).or(self.is_well);
        self.report_end(watcher);
        if !matches!(ticked, Ok(Ticked::Done { .. } | Ticked::Refused)) {
            self.ticks.clear();
        }
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
        let checked = report.seen.checked.clone();
        self.follow(engine, &mut report, watcher)?;
        report.seen.checked = checked;
        let ticked = Ticked::Done { worked: !report.is_quiet(), is_well: report.faults.is_empty() };
        if report.servers.have_deferred() {
            if let Some(earlier) = &mut self.left_open {
                // The record of this tick has replaced that one.
                earlier.running = earlier.running.take().filter(|_| report.running.is_none());
                report.continue_for(earlier);
            }
            self.left_open = Some(report);
        }
        Ok(ticked)
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
    pub(super) fn wait(&mut self) {
        let answers = if self.asking.is_some() { BETWEEN_LOOKS } else { Duration::MAX };
        match &self.notices {
            Some(notices) => {
                let (limit, wake) = notices.patience(uptime());
                self.runner.wait_for(wake, limit.unwrap_or(Duration::MAX).min(answers));
            }
            None => self.runner.wait_for(None, answers),
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
    pub(super) fn tick_for_sla(&mut self, engine: &mut Engine, now: &Now, watcher: &mut dyn Watcher) -> Result<()> {
        if engine.store.read(|snapshot| snapshot.due_sla(now.at, 1))?.is_empty() {
            return Ok(());
        }
        self.tick(engine, now.at, watcher)?;
        self.courier.ensure(engine, now)
    }
}
