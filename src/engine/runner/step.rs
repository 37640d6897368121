//! The loop that carries workflow jobs on: reconcile, advance, store, start, wait.
//!
//! One runner works on a database at a time; its lock is the caller's business. Killing it at any moment loses
//! nothing: the next one reads the database and the attempts' folders and goes on.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::format::time;
use crate::engine::runner::attempts::Shims;
use crate::engine::runner::collected::outcome;
use crate::engine::runner::context::{Advance, Surroundings};
use crate::engine::runner::demand::{self, is_withheld};
use crate::engine::runner::job::{Graphs, NewAttempt, Run};
use crate::engine::runner::observation::{Look, Whereabouts};
use crate::engine::runner::places::{self, Places};
use crate::engine::runner::trouble::Trouble;
use crate::engine::transition::cause::Cause;
use crate::engine::{Engine, run_as};
use crate::error::{Error, Result, Signal, Unavailable};
use crate::executor::failure::NodeResult;
use crate::executor::{self, Place, Report};
use crate::host::attempt::{self, AttemptNames, AttemptState};
use crate::host::fault::fault_point;
use crate::host::slurm::{self, Programs};
use crate::host::thread_pool;
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::{Attempt, AttemptKey, WorkflowKey, WorkflowNode};
use crate::model::status::{NodeStatus, WorkflowStatus};
use crate::model::time::Now;
use crate::store::{Saved, Snapshot};

/// Who is in trouble when it is no job.
const THE_RUNNER: &str = "the runner";

/// How long a change of the database by another process goes unnoticed at most.
const WAKE_UP: Duration = Duration::from_millis(250);

/// The runner of one database.
#[derive(Debug)]
pub(crate) struct Runner {
    shims: Shims,
    /// The folder of all attempts.
    runs: PathBuf,
    /// The database as this runner last looked at all of it.
    seen: Option<i64>,
    /// Where the last step left the database, when nothing was left to do: until it changes, a process ends or a retry
    /// is due, another step would find nothing.
    rest: Option<Rest>,
    /// The graphs of the jobs that were advanced last.
    graphs: Graphs,
    /// Jobs in which something happened since.
    attention: BTreeSet<WorkflowKey>,
    /// Jobs that could not be advanced, with the message that was printed; they are tried again at every step.
    faulty: BTreeMap<WorkflowKey, Trouble>,
    /// Who gets the next places on this machine.
    places: Places,
    /// Attempts whose state is unknown, likewise.
    unknown: BTreeMap<AttemptKey, Trouble>,
}

/// What the last step left.
#[derive(Clone, Copy, Debug)]
struct Rest {
    /// The mark of the database behind it.
    mark: (i64, u64),
    /// Whether any workflow job needs a runner.
    active: bool,
}

/// What a step of the runner did.
#[derive(Debug, Default)]
pub(crate) struct StepReport {
    /// Whether a job changed: another step may find more to do at once.
    pub(crate) worked: bool,
    /// Whether a coordinator action ended: a tick may start the next one.
    pub(crate) action_ended: bool,
    /// Whether any workflow job still needs a runner.
    pub(crate) active: bool,
    /// Faults of single jobs; the loop goes on.
    pub(crate) faults: Vec<(String, Error)>,
}

impl Runner {
    /// A runner that has not looked at anything yet.
    pub(crate) fn new(engine: &Engine) -> Self {
        Self {
            shims: Shims::new(
                engine.runner_log(),
                engine.settings.file.clone(),
                Programs::of(&engine.settings.properties),
            ),
            runs: engine.run_folder(),
            seen: None,
            rest: None,
            graphs: Graphs::default(),
            attention: BTreeSet::new(),
            faulty: BTreeMap::new(),
            places: Places::default(),
            unknown: BTreeMap::new(),
        }
    }

    /// Everything that is in the way at the moment.
    pub(crate) fn troubles(&self) -> BTreeSet<Trouble> {
        let of_shims = self.shims.shortage().map(|error| (THE_RUNNER.to_owned(), error.to_string()));
        self.faulty.values().chain(self.unknown.values()).cloned().chain(of_shims).collect()
    }

    /// Does all that can be done now, without waiting.
    ///
    /// # Errors
    /// Failures of the database and of starting processes; what belongs to one job alone is a fault of that job.
    pub(crate) fn step(&mut self, engine: &mut Engine, now: &Now) -> Result<StepReport> {
        if let Some(active) = self.rests(engine, now)? {
            return Ok(StepReport { active, ..StepReport::default() });
        }
        // Before anything is read: what is committed meanwhile belongs to the next step. A step that did nothing has
        // written nothing, so that the mark still holds behind it.
        let mark = engine.store.change_mark()?;
        let mut progress = StepReport::default();
        self.notice_others(engine)?;
        let results = self.reconcile(engine, &mut progress)?;
        for node in engine.store.read(|snapshot| snapshot.nodes_to_retry(now))? {
            self.attention.insert(node.job);
        }
        self.share_places(engine, &results, now)?;
        self.attention.extend(self.faulty.keys());
        for job in std::mem::take(&mut self.attention) {
            let results = results.get(&job).map(Vec::as_slice).unwrap_or_default();
            match self.advance(engine, job, results, now) {
                Ok(Changed::Meanwhile) => {
                    // Look again at the next step.
                    self.seen = None;
                    progress.worked = true;
                }
                Ok(changed) => {
                    self.faulty.remove(&job);
                    progress.note(changed);
                }
                // What this process has open of the database is of no use any more: a lock of its own could not be
                // cleared, or a file beside it was opened for reading alone. Its end mends both, and the next tick
                // starts another runner.
                Err(error) if is_useless(engine, &error) => return Err(error),
                Err(error) => {
                    let trouble = trouble(engine, job, &error)?;
                    if self.faulty.insert(job, trouble.clone()).as_ref() != Some(&trouble) {
                        progress.faults.push((trouble.0, error));
                    }
                }
            }
        }
        progress.worked |= !self.attention.is_empty();
        progress.active = demand::needs_runner(engine)?;
        let is_clear = self.faulty.is_empty() && self.unknown.is_empty();
        let is_done = !progress.worked && is_clear && self.shims.may_rest();
        self.rest = is_done.then_some(Rest { mark, active: progress.active });
        Ok(progress)
    }

    /// Whether nothing can have changed since a step that left nothing to do; whether any job is active then.
    fn rests(&self, engine: &Engine, now: &Now) -> Result<Option<bool>> {
        let Some(rest) = &self.rest else { return Ok(None) };
        let unchanged = rest.mark == engine.store.change_mark()?;
        let is_due = || engine.store.read(|snapshot| Ok(!snapshot.nodes_to_retry(now)?.is_empty()));
        Ok(if unchanged && !is_due()? { Some(rest.active) } else { None })
    }

    /// Waits until a process ends or it is time to look at the database again.
    pub(crate) fn wait(&mut self) {
        if self.shims.wait(WAKE_UP) {
            self.rest = None;
        }
    }

    /// After a change by another process, every active job is looked at.
    fn notice_others(&mut self, engine: &Engine) -> Result<()> {
        let version = engine.store.data_version()?;
        if self.seen != Some(version) {
            let active = engine.store.read(Snapshot::active_workflow_jobs)?;
            self.attention.extend(active.iter().map(|job| job.job));
            self.seen = Some(version);
        }
        // Those that this process created itself do not change the version.
        self.attention.extend(engine.store.read(Snapshot::workflow_jobs_to_start)?);
        Ok(())
    }

    /// Checks every open attempt: what is over, what has to end, what has not started.
    fn reconcile(&mut self, engine: &mut Engine, progress: &mut StepReport) -> Result<Results> {
        let mut over = Results::new();
        let unwanted = engine.store.read(Snapshot::unwanted_attempts)?;
        let held = engine.store.read(Snapshot::attempts_of_suspended_jobs)?;
        let held: HashSet<AttemptKey> = held.iter().map(|row| row.attempt).collect();
        let mut before = std::mem::take(&mut self.unknown);
        for row in engine.store.read(Snapshot::open_attempts)? {
            let wish = match (unwanted.contains(&row.attempt), held.contains(&row.attempt)) {
                (true, _) => Wish::End,
                (false, true) => Wish::Hold,
                (false, false) => Wish::Go,
            };
            match self.look(&row, wish) {
                Ok(Look::Going) => {}
                Ok(Look::Elsewhere(whereabouts)) => note_whereabouts(engine, &row, whereabouts)?,
                Ok(Look::Over(state)) => {
                    self.attention.insert(row.job);
                    over.entry(row.job).or_default().push((row, state));
                }
                Err(error) => {
                    let trouble = trouble(engine, row.job, &error)?;
                    if before.remove(&row.attempt).as_ref() != Some(&trouble) {
                        progress.faults.push((trouble.0.clone(), error));
                    }
                    self.unknown.insert(row.attempt, trouble);
                }
            }
        }
        progress.faults.extend(self.shims.complaint().map(|error| (THE_RUNNER.to_owned(), error)));
        Ok(over)
    }

    /// Shares out the places that no command of this machine has now among the nodes that wait for one.
    fn share_places(&mut self, engine: &Engine, over: &Results, now: &Now) -> Result<()> {
        let is_over: HashSet<AttemptKey> = over.values().flatten().map(|(row, _)| row.attempt).collect();
        let open = engine.store.read(Snapshot::open_attempts)?;
        let here = open.iter().filter(|row| !is_over.contains(&row.attempt) && self.shims.is_here(row));
        let running: Vec<WorkflowKey> = here.map(|row| row.job).collect();
        let free = places::most(&engine.settings).saturating_sub(running.len());
        let (waiting, running) = engine.store.read(|snapshot| {
            let waiting = snapshot.waiting_nodes(now)?;
            let running = if waiting.is_empty() { BTreeMap::new() } else { places::running(snapshot, &running)? };
            Ok((waiting, running))
        })?;
        self.attention.extend(self.places.share(free, &waiting, &running));
        Ok(())
    }

    fn look(&mut self, row: &Attempt, wish: Wish) -> Result<Look> {
        if wish == Wish::End {
            self.shims.stop(row)?;
        }
        self.shims.look(row, wish != Wish::Hold)
    }

    /// Carries one job on and stores it.
    fn advance(
        &mut self,
        engine: &mut Engine,
        job: WorkflowKey,
        over: &[(Attempt, AttemptState)],
        now: &Now,
    ) -> Result<Changed> {
        let Some(row) = engine.store.read(|snapshot| snapshot.workflow_job_at(job))? else {
            return Ok(Changed::Nothing);
        };
        if engine.store.read(|snapshot| is_withheld(snapshot, &row))? {
            return Ok(Changed::Nothing);
        }
        let worker = run_as::worker(&row.user)?;
        worker.check_access(engine.store.path())?;
        let surroundings = Surroundings::of(&worker, &self.runs)?;
        let loaded = row.clone();
        let mut run = engine.store.read(|snapshot| Run::load(snapshot, row, &mut self.graphs))?;
        let before = loaded.status;
        let cause = Cause::new(now.at, Origin::Runner);
        let children = engine.store.read(|snapshot| results_at_hand(snapshot, &run))?;
        let mut advance = Advance {
            settings: &engine.settings,
            mounts: &engine.mounts,
            surroundings: &surroundings,
            run: &mut run,
            now,
            cause,
            places: &mut self.places,
        };
        carry_on(&mut advance, over, children)?;
        if !run.has_changed() {
            return Ok(Changed::Nothing);
        }
        // Side by side: each waits for the disk.
        let prepare = |attempt: &NewAttempt| {
            if attempt.begun {
                return Ok(());
            }
            let is_here = *attempt.work.place() == Place::Here;
            let names = AttemptNames { token: &attempt.row.token, life: &run.life, is_here };
            attempt::prepare_folder(Path::new(&attempt.row.directory), names, &attempt.work)?;
            worker.hand_over(Path::new(&attempt.row.directory), &self.runs)?;
            fault_point("after-folder");
            Ok(())
        };
        thread_pool::map_waiting(&run.attempts, prepare).into_iter().collect::<Result<()>>()?;
        let records_outcome = !run.outcomes.is_empty();
        fault_point(if records_outcome { "before-outcome-commit" } else { "before-attempt-commit" });
        let saved = engine.store.transact_unless_conflict(|transaction| {
            // A suspension that was stored since changed a job above this one, and not its own status.
            if is_withheld(transaction, &loaded)? { Ok(Saved::Conflict) } else { run.save(transaction, cause) }
        })?;
        if saved == Saved::Conflict {
            return Ok(Changed::Meanwhile);
        }
        fault_point(if records_outcome { "after-outcome-commit" } else { "after-attempt-commit" });
        self.shims.begin(run.attempts.iter().map(|attempt| (&attempt.row, attempt.work.place())))?;
        fault_point("after-shim-start");
        self.attention.extend(run.new_children.iter().copied());
        if run.row.status.is_terminal() && !before.is_terminal() {
            self.attention.extend(run.row.parent_workflow);
            if run.row.parent_coordinator.is_some() {
                return Ok(Changed::ActionEnded);
            }
        }
        Ok(Changed::Job)
    }
}

/// The attempts that are over, by their jobs.
type Results = BTreeMap<WorkflowKey, Vec<(Attempt, AttemptState)>>;

/// Whether this process can do nothing more with the database, which another process may use.
fn is_useless(engine: &Engine, error: &Error) -> bool {
    match error.signal() {
        Signal::Unavailable(Unavailable::Busy) => true,
        Signal::Unavailable(Unavailable::ReadOnly) => engine.store.may_be_written(),
        _ => false,
    }
}

/// The trouble of a job with this error; the same trouble is told once.
fn trouble(engine: &Engine, job: WorkflowKey, error: &Error) -> Result<Trouble> {
    let id = engine.store.read(|snapshot| snapshot.workflow_job_at(job))?.map(|row| row.id);
    Ok((id.as_ref().map(JobId::to_string).unwrap_or_default(), error.to_string()))
}

/// What is wanted of an open attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wish {
    /// It goes on.
    Go,
    /// Its job is suspended: it does not begin, but goes on if it has.
    Hold,
    /// It has to end.
    End,
}

/// What carrying a job on changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    Nothing,
    /// Another process changed the job: nothing is stored.
    Meanwhile,
    Job,
    /// The job, and with it a coordinator action, is over.
    ActionEnded,
}

impl StepReport {
    fn note(&mut self, changed: Changed) {
        self.worked |= changed != Changed::Nothing;
        self.action_ended |= changed == Changed::ActionEnded;
    }
}

/// Everything that happened to a job since it was last advanced.
fn carry_on(
    advance: &mut Advance<'_>,
    over: &[(Attempt, AttemptState)],
    at_hand: Vec<(String, NodeResult)>,
) -> Result<()> {
    if advance.run.row.status == WorkflowStatus::Prep {
        advance.begin()?;
    }
    for (row, state) in over {
        advance.run.outcomes.push(outcome(row, state, advance.cause.at));
        let current =
            advance.run.node(&row.node).is_some_and(|node| node.status == NodeStatus::Running && node.run == row.run);
        if !current {
            continue;
        }
        if *state == AttemptState::Recalled {
            advance.recall(&row.node)?;
        }
        if let Some(result) = executor::result_of(Path::new(&row.directory), state, request(row).as_deref())? {
            advance.note_report(&row.node, &Report::read(Path::new(&row.directory))?);
            advance.complete(&row.node, result)?;
        }
    }
    for (node, result) in at_hand {
        if !advance.run.row.status.is_terminal() {
            advance.complete(&node, result)?;
        }
    }
    advance.retry()?;
    advance.release()
}

/// Writes down at the node of an attempt what a cluster says of it.
fn note_whereabouts(engine: &mut Engine, row: &Attempt, whereabouts: Whereabouts) -> Result<()> {
    engine.store.transact(|transaction| {
        let node = transaction.workflow_node(row.job, &row.node)?;
        let Some(mut node) = node.filter(|node| node.status == NodeStatus::Running && node.run == row.run) else {
            return Ok(());
        };
        node.external_id = Some(whereabouts.id);
        node.external_status = Some(whereabouts.status);
        node.tracker_uri = Some(slurm::NAME.to_owned());
        transaction.update_workflow_node(NodeStatus::Running, &node).map(drop)
    })
}

/// Results that no attempt brings now: of child jobs that are over, and of nodes that were DONE while the job was
/// suspended.
fn results_at_hand(snapshot: &Snapshot, run: &Run) -> Result<Vec<(String, NodeResult)>> {
    let mut results = Vec::new();
    let open = |node: &&WorkflowNode| matches!(node.status, NodeStatus::Running | NodeStatus::Done);
    for node in run.nodes().filter(open) {
        let result = match (node.kind.is_sub_workflow(), node.status) {
            (true, _) => child_result(snapshot, node)?,
            (false, NodeStatus::Done) if run.row.status == WorkflowStatus::Running => last_result(snapshot, run, node)?,
            _ => None,
        };
        results.extend(result.map(|result| (node.name.clone(), result)));
    }
    Ok(results)
}

fn child_result(snapshot: &Snapshot, node: &WorkflowNode) -> Result<Option<NodeResult>> {
    let Some(id) = node.external_id.as_deref().and_then(JobId::parse) else { return Ok(None) };
    let child = snapshot.workflow_job(&id)?;
    Ok(child.and_then(|child| {
        executor::child_result(child.status, child.error_code.as_deref(), child.error_message.as_deref())
    }))
}

fn last_result(snapshot: &Snapshot, run: &Run, node: &WorkflowNode) -> Result<Option<NodeResult>> {
    let attempts = snapshot.attempts_of_node(run.row.job, &node.name)?;
    let result = |attempt: &Attempt| executor::result(Path::new(&attempt.directory), request(attempt).as_deref());
    attempts.last().map_or(Ok(None), result)
}

/// Who asked for the end of an attempt alone, and when.
fn request(row: &Attempt) -> Option<String> {
    row.kill_requested_at.map(|at| format!("`kill` asked for its end at {}", time(at)))
}
