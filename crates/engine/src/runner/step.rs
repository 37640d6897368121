//! The loop that advances workflow jobs: reconcile, advance, store, start, wait.
//!
//! One runner at a time works on a database; the caller holds its lock. A runner can be killed at any moment: the next
//! one reads the database and the folders of the attempts and continues.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::run_as::Worker;
use crate::runner::attempts::Shims;
use crate::runner::context::{Advance, UserContext};
use crate::runner::demand::{self, is_withheld};
use crate::runner::job::{Graphs, NewAttempt, Run};
use crate::runner::kept::Kept;
use crate::runner::observation::Observation;
use crate::runner::places::{Limits, Places, Taken};
use crate::runner::problem::{Problem, THE_RUNNER};
use crate::runner::results::{apply_results, available_results, store_cluster_state, tidy};
use crate::runner::slurm::Cluster;
use crate::runner::start_record;
use crate::runner::step_report::{Changed, StepReport};
use crate::transition::cause::Cause;
use crate::{Engine, run_as};
use howdah_executor::Place;
use howdah_host::attempt::{self, AttemptNames, AttemptState};
use howdah_host::clock::{Clock as _, Pace, SystemClock};
use howdah_host::fault::fault_point;
use howdah_host::slurm::Programs;
use howdah_host::{start_journal, thread_pool};
use howdah_store::{Saved, Snapshot};
use howdah_words::error::{Error, Result, Signal, Unavailable};
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{Attempt, AttemptKey, RunningNode, WaitingNode, WorkflowKey};
use howdah_words::model::time::Now;

/// The longest time until a change by another process is noticed.
const WAKE_UP: Duration = Duration::from_millis(250);

/// The time between two looks for old lines of the journal of starts.
const BETWEEN_CUTS: Duration = Duration::from_secs(86_400);

/// The runner of one database.
#[derive(Debug)]
pub struct Runner {
    shims: Shims,
    /// The folder of all attempts.
    runs: PathBuf,
    /// The version of the database when all active jobs were last checked.
    seen_version: Option<i64>,
    /// Set when the last step left nothing to do: until the database changes, a process ends or a retry is due, the
    /// next step would find nothing.
    idle: Option<IdleMark>,
    /// The graphs of the jobs that were advanced last.
    graphs: Graphs,
    /// The job that was stored last.
    kept: Kept,
    /// Jobs to advance in the next step.
    pending: BTreeSet<WorkflowKey>,
    /// Jobs that could not be advanced, with the reported problem; every step tries them again.
    failing: BTreeMap<WorkflowKey, Problem>,
    /// The places for commands on this machine.
    places: Places,
    /// Attempts whose state cannot be read, with the reported problem.
    unknown: BTreeMap<AttemptKey, Problem>,
    /// When the journal of starts is looked at for old lines.
    cuts: Pace,
}

/// The state after a step that left nothing to do.
#[derive(Clone, Copy, Debug)]
struct IdleMark {
    /// The change mark of the database after the step.
    mark: (i64, u64),
    /// Whether any workflow job needs a runner.
    active: bool,
}

impl Runner {
    /// Creates a runner that has not read anything yet.
    pub fn new(engine: &Engine) -> Self {
        Self {
            shims: Shims::new(
                engine.runner_log(),
                engine.settings.file.clone(),
                Cluster::new(
                    Programs::of(&engine.settings.properties, &engine.settings.command_variables),
                    Duration::from_secs(60 * u64::from(engine.settings.slurm_outcome_minutes)),
                ),
            ),
            runs: engine.run_folder(),
            seen_version: None,
            idle: None,
            graphs: Graphs::default(),
            kept: Kept::default(),
            pending: BTreeSet::new(),
            failing: BTreeMap::new(),
            places: Places::new(Limits::of(&engine.settings)),
            unknown: BTreeMap::new(),
            cuts: Pace::new(BETWEEN_CUTS),
        }
    }

    /// Cuts off old lines of the journal of starts from time to time: a runner may live for months. A journal that is
    /// longer than needed does no harm.
    fn cut_journal(&mut self, engine: &Engine) {
        if self.cuts.is_due() {
            self.cuts.mark();
            let _ = start_journal::cut(&engine.start_journal(), SystemClock.now().seconds());
        }
    }

    /// Returns all problems at the moment.
    pub fn problems(&self) -> BTreeSet<Problem> {
        let of_shims = self.shims.shortage().map(|error| (THE_RUNNER.to_owned(), error.to_string()));
        self.failing.values().chain(self.unknown.values()).cloned().chain(of_shims).collect()
    }

    /// Does all work that is possible now, without waiting.
    ///
    /// # Errors
    /// Failures of the database and of starting processes; a failure of one job is a problem in the report.
    pub fn step(&mut self, engine: &mut Engine, now: &Now) -> Result<StepReport> {
        self.cut_journal(engine);
        if let Some(active) = self.is_still_idle(engine, now)? {
            return Ok(StepReport::idle(active));
        }
        // Read first: what is committed during this step belongs to the next one. A step without work writes nothing,
        // so the mark is still right after it.
        let mark = engine.store.change_mark()?;
        let mut progress = StepReport::default();
        let read = engine.store.read(|snapshot| self.read_open_work(snapshot, mark.0, now))?;
        let Reconciled { over: results, running } = self.reconcile(engine, &read, &mut progress)?;
        self.share_places(engine, read.waiting, &running)?;
        self.pending.extend(self.failing.keys());
        for job in std::mem::take(&mut self.pending) {
            let results = results.get(&job).map(Vec::as_slice).unwrap_or_default();
            match self.advance(engine, job, results, now) {
                Ok(Changed::Conflict) => {
                    // The next step checks all active jobs.
                    self.seen_version = None;
                    progress.add(Changed::Conflict);
                }
                Ok(changed) => {
                    self.failing.remove(&job);
                    progress.add(changed);
                }
                // This process cannot use its open database any more: one of its own locks could not be cleared, or a
                // file beside the database was opened read-only. A new process solves both; the next tick starts one.
                Err(error) if cannot_use_database(engine, &error) => return Err(error),
                Err(error) => {
                    let problem = problem(engine, job, &error)?;
                    if self.failing.insert(job, problem.clone()).as_ref() != Some(&problem) {
                        progress.problems.push((problem.0, error));
                    }
                }
            }
        }
        progress.active = demand::needs_runner(engine)?;
        let is_clear = self.failing.is_empty() && self.unknown.is_empty() && self.shims.may_only_wait();
        progress.leave_open(is_clear, !self.pending.is_empty());
        let is_done = is_clear && !progress.has_worked();
        self.idle = is_done.then_some(IdleMark { mark, active: progress.active });
        Ok(progress)
    }

    /// Checks whether nothing changed since a step that left nothing to do; returns then whether any job is active.
    fn is_still_idle(&self, engine: &Engine, now: &Now) -> Result<Option<bool>> {
        let Some(idle) = &self.idle else { return Ok(None) };
        let unchanged = idle.mark == engine.store.change_mark()?;
        let is_due = || engine.store.read(|snapshot| Ok(!snapshot.nodes_to_retry(now)?.is_empty()));
        Ok(if unchanged && !is_due()? { Some(idle.active) } else { None })
    }

    /// Waits until a process ends or it is time to check the database again.
    pub fn wait(&mut self) {
        self.wait_for(None, WAKE_UP);
    }

    /// As [`Self::wait`], at most for `limit`, or until `wake` can be read.
    pub fn wait_for(&mut self, wake: Option<BorrowedFd<'_>>, limit: Duration) {
        if self.shims.wait(WAKE_UP.min(limit), wake) {
            self.idle = None;
        }
    }

    /// Reads what a step needs to know of all jobs, at one moment. Selects the jobs that were not started, those with a
    /// node to retry and, after a change by another process, every active job.
    fn read_open_work(&mut self, snapshot: &Snapshot, version: i64, now: &Now) -> Result<OpenWork> {
        if self.seen_version != Some(version) {
            let active = snapshot.active_workflow_jobs()?;
            self.pending.extend(active.iter().map(|job| job.job));
            self.seen_version = Some(version);
        }
        // Jobs that this process created do not change the version.
        self.pending.extend(snapshot.workflow_jobs_to_start()?);
        self.pending.extend(snapshot.nodes_to_retry(now)?.iter().map(|node| node.job));
        let attempts = snapshot.open_attempts()?;
        let is_paused = snapshot.site_pause()?.is_some();
        let (unwanted, held) = match (attempts.is_empty(), is_paused) {
            (true, _) => Default::default(),
            (false, true) => (snapshot.unwanted_attempts()?, attempts.clone()),
            (false, false) => (snapshot.unwanted_attempts()?, snapshot.attempts_of_suspended_jobs()?),
        };
        let held = held.iter().map(|row| row.attempt).collect();
        let waiting = if is_paused { Vec::new() } else { snapshot.waiting_nodes(now)? };
        Ok(OpenWork { attempts, unwanted, held, waiting })
    }

    /// Checks every open attempt: collects those that ended, stops unwanted ones, and starts missing shims.
    fn reconcile(&mut self, engine: &mut Engine, read: &OpenWork, progress: &mut StepReport) -> Result<Reconciled> {
        let Reconciled { mut over, mut running } = Reconciled::default();
        let mut before = std::mem::take(&mut self.unknown);
        for row in &read.attempts {
            let goal = match (read.unwanted.contains(&row.attempt), read.held.contains(&row.attempt)) {
                (true, _) => Goal::Stop,
                (false, true) => Goal::DoNotStart,
                (false, false) => Goal::Run,
            };
            let observed = self.observe(row, goal);
            if !matches!(observed, Ok(Observation::Over(_))) {
                running.insert(row.attempt, self.shims.is_here(row));
            }
            match observed {
                Ok(Observation::Unchanged) => {}
                Ok(Observation::OnCluster(state)) => store_cluster_state(engine, row, state)?,
                Ok(Observation::Over(state)) => {
                    self.pending.insert(row.job);
                    over.entry(row.job).or_default().push((row.clone(), state));
                }
                Err(error) => {
                    let problem = problem(engine, row.job, &error)?;
                    if before.remove(&row.attempt).as_ref() != Some(&problem) {
                        progress.problems.push((problem.0.clone(), error));
                    }
                    self.unknown.insert(row.attempt, problem);
                }
            }
        }
        progress.problems.extend(self.shims.next_problem().map(|error| (THE_RUNNER.to_owned(), error)));
        Ok(Reconciled { over, running })
    }

    /// Shares the free places among the nodes that wait for one. No place is kept for a job that cannot be advanced at
    /// the moment: it takes one that is left.
    fn share_places(
        &mut self,
        engine: &Engine,
        mut waiting: Vec<WaitingNode>,
        running: &BTreeMap<AttemptKey, bool>,
    ) -> Result<()> {
        let limits = self.places.limits();
        waiting.retain(|node| !self.failing.contains_key(&node.job));
        let taken = if waiting.is_empty() && limits.are_of_machine() {
            Taken::of_machine(running.values().filter(|is_here| **is_here).count())
        } else {
            let nodes = engine.store.read(Snapshot::running_nodes)?;
            let runs = |node: &&RunningNode| running.contains_key(&node.attempt);
            Taken::count(limits, nodes.iter().filter(runs))
        };
        self.pending.extend(self.places.share(&taken, &waiting));
        Ok(())
    }

    fn observe(&mut self, row: &Attempt, goal: Goal) -> Result<Observation> {
        if goal == Goal::Stop {
            self.shims.stop(row)?;
        }
        self.shims.observe(row, goal != Goal::DoNotStart)
    }

    /// Advances one job and stores it.
    fn advance(
        &mut self,
        engine: &mut Engine,
        job: WorkflowKey,
        over: &[(Attempt, AttemptState)],
        now: &Now,
    ) -> Result<Changed> {
        let read = engine.store.read(|snapshot| {
            let Some(row) = snapshot.workflow_job_at(job)? else { return Ok(None) };
            if is_withheld(snapshot, &row)? {
                return Ok(None);
            }
            let worker = run_as::worker(&row.user)?;
            let run = match self.kept.take(snapshot, job)? {
                Some(kept) => kept,
                None => Run::load(snapshot, row.clone(), &mut self.graphs)?,
            };
            let children = available_results(snapshot, &run)?;
            Ok(Some((row, worker, run, children, snapshot.site_pause()?.is_some())))
        })?;
        let Some((loaded, worker, mut run, children, is_paused)) = read else { return Ok(Changed::Nothing) };
        worker.check_access(engine.store.path())?;
        let user_context = UserContext::of(&worker, &self.runs, (&engine.settings, &engine.mounts))?;
        let before = loaded.status;
        let cause = Cause::new(now.at, Origin::Runner);
        let mut advance = Advance {
            settings: &engine.settings,
            mounts: &engine.mounts,
            user_context: &user_context,
            run: &mut run,
            now,
            cause,
            places: &mut self.places,
            is_paused,
        };
        apply_results(&mut advance, over, children)?;
        if !run.has_changed() {
            return Ok(Changed::Nothing);
        }
        prepare_folders(&run, &worker, &self.runs)?;
        start_record::record(engine, &run)?;
        fault_point("after-start-record");
        let records_outcome = !run.outcomes.is_empty();
        fault_point(if records_outcome { "before-outcome-commit" } else { "before-attempt-commit" });
        let mut mark = None;
        let saved = engine.store.transact_unless_conflict(|transaction| {
            // A suspension of a job above this one, or a pause of all jobs, does not change this job's own status.
            let was_paused = run.starts_work() && transaction.site_pause()?.is_some();
            let must_wait = was_paused || is_withheld(transaction, &loaded)?;
            if must_wait {
                return Ok(Saved::Conflict);
            }
            let saved = run.save(transaction, cause)?;
            mark = Some(transaction.change_mark()?);
            Ok(saved)
        })?;
        if saved == Saved::Conflict {
            return Ok(Changed::Conflict);
        }
        fault_point(if records_outcome { "after-outcome-commit" } else { "after-attempt-commit" });
        self.shims.start_new(run.attempts.iter().map(|attempt| (&attempt.row, attempt.work.place())))?;
        fault_point("after-shim-start");
        tidy(over);
        self.pending.extend(run.new_children.iter().copied());
        if run.row.status.is_terminal() && !before.is_terminal() {
            self.pending.extend(run.row.parent_workflow);
            if run.row.parent_coordinator.is_some() {
                return Ok(Changed::ActionEnded);
            }
        }
        let changed = if run.only_waits(self.places.are_taken()) { Changed::ToWaiting } else { Changed::Job };
        self.kept.keep(run, mark);
        Ok(changed)
    }
}

/// Why an attempt is lost that began after the backup, when its folder was deleted.
const FOLDER_IS_GONE: &str = "it began before the database was put back to an older state, and its folder is gone";

/// Writes the orders of the attempts that start once the job is stored.
fn prepare_folders(run: &Run, worker: &Worker, runs: &Path) -> Result<()> {
    let prepare = |attempt: &NewAttempt| {
        let is_here = *attempt.work.place() == Place::Here;
        let names = AttemptNames { token: &attempt.row.token, life: &run.life, is_here };
        let folder = Path::new(&attempt.row.directory);
        if attempt.has_started && attempt::has_order(folder)? {
            return Ok(());
        }
        if attempt.has_started {
            attempt::prepare_lost(folder, names, &attempt.work, FOLDER_IS_GONE)?;
        } else {
            attempt::prepare_folder(folder, names, &attempt.work)?;
        }
        worker.hand_over(Path::new(&attempt.row.directory), runs)?;
        fault_point("after-folder");
        Ok(())
    };
    if run.attempts.iter().all(|attempt| *attempt.work.place() == Place::Here) {
        return run.attempts.iter().try_for_each(prepare);
    }
    // In parallel, because each one for a cluster waits for the disk.
    thread_pool::map_waiting(&run.attempts, prepare).into_iter().collect()
}

/// The open work of all jobs, as the database has it at the start of a step.
#[derive(Debug, Default)]
struct OpenWork {
    attempts: Vec<Attempt>,
    /// The attempts that their nodes no longer need, or that an operator asked to end.
    unwanted: HashSet<AttemptKey>,
    /// The attempts of suspended jobs, and all of them while all jobs are paused.
    held: HashSet<AttemptKey>,
    /// The nodes that wait for a place.
    waiting: Vec<WaitingNode>,
}

/// The open attempts after a check.
#[derive(Debug, Default)]
struct Reconciled {
    /// The attempts that ended, by job.
    over: BTreeMap<WorkflowKey, Vec<(Attempt, AttemptState)>>,
    /// The other attempts, and whether each is on this machine.
    running: BTreeMap<AttemptKey, bool>,
}

/// Checks whether this process can no longer use the database, while another process could.
fn cannot_use_database(engine: &Engine, error: &Error) -> bool {
    match error.signal() {
        Signal::Unavailable(Unavailable::Busy) => true,
        Signal::Unavailable(Unavailable::ReadOnly) => engine.store.may_be_written(),
        _ => false,
    }
}

/// Returns the problem of a job for an error.
fn problem(engine: &Engine, job: WorkflowKey, error: &Error) -> Result<Problem> {
    let id = engine.store.read(|snapshot| snapshot.workflow_job_at(job))?.map(|row| row.id);
    Ok((id.as_ref().map(JobId::to_string).unwrap_or_default(), error.to_string()))
}

/// The wanted state of an open attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Goal {
    /// It runs.
    Run,
    /// Its job is suspended: it does not start, but continues when it has started.
    DoNotStart,
    /// It must end.
    Stop,
}
