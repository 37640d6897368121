//! Submits, watches and ends attempts whose shim runs on a Slurm cluster.
//!
//! The folder of the attempt has its true state, as on this machine, and a second submission does no harm because of
//! the claim. The cluster is asked only what the folder cannot show: whether a shim that has not started, or that runs
//! on another machine, can still write an outcome. One seldom query covers all attempts, and nothing waits for its
//! answer: without an answer nothing is decided. Losing this state does no harm: the comment of a job is its attempt's
//! token.

mod queue;
mod slurm_attempt;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use self::queue::Queue;
use self::slurm_attempt::{Ending, STORAGE_GRACE, SlurmAttempt, last_report, started};
use crate::runner::observation::{MOST_STARTS, Observation};
use howdah_host::attempt::{self, AttemptState};
use howdah_host::call::Call;
use howdah_host::fault::fault_point;
use howdah_host::processes::Identity;
use howdah_host::slurm::{self, Job, Programs};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{Attempt, AttemptKey};

/// The most submissions at the same time.
const MOST_SUBMISSIONS: usize = 4;

/// The programs; each keeps its last problem until it succeeds again.
const SBATCH: &str = "sbatch";
const SCANCEL: &str = "scancel";
const SQUEUE: &str = "squeue";

/// The attempts on the cluster that this process knows, and the last answers of the cluster.
#[derive(Debug)]
pub struct Cluster {
    programs: Programs,
    /// How long the outcome of a job that is COMPLETED may take to be seen.
    outcome_wait: Duration,
    attempts: HashMap<AttemptKey, SlurmAttempt>,
    queue: Queue,
    /// The last problem of each program that failed, and whether it was reported.
    problems: BTreeMap<&'static str, (String, bool)>,
}

impl Cluster {
    /// Creates the state without any attempt. `outcome_wait`: how long the outcome of a job that is COMPLETED may take
    /// to be seen.
    pub fn new(programs: Programs, outcome_wait: Duration) -> Self {
        Self { programs, outcome_wait, attempts: HashMap::new(), queue: Queue::new(), problems: BTreeMap::new() }
    }

    /// Submits the shim of a new attempt, which the cluster cannot know yet.
    pub fn start(&mut self, row: &Attempt, options: &[String]) -> Result<()> {
        let mut attempt = self.new_attempt(row, options)?;
        let sent = self.send(row, &mut attempt);
        self.attempts.insert(row.attempt, attempt);
        sent.map(drop)
    }

    /// Checks an open attempt. H0110, H0111 when its folder cannot be read or written.
    pub fn observe(&mut self, row: &Attempt, options: &[String]) -> Result<Observation> {
        self.poll();
        let mut attempt = self.attempt_of(row, options)?;
        let observation = self.observe_attempt(row, &mut attempt);
        if !matches!(observation, Ok(Observation::Over(_))) {
            self.attempts.insert(row.attempt, attempt);
        }
        observation
    }

    /// Ends an attempt: cancels its job as soon as its number is known. A second call cancels again what the queue
    /// still shows as running; the shim itself kills a command that does not end. H0110 when its folder cannot be read.
    pub fn stop(&mut self, row: &Attempt, options: &[String]) -> Result<()> {
        let mut attempt = self.attempt_of(row, options)?;
        if let Some(ending) = &mut attempt.ending {
            ending.done = false;
        } else {
            attempt.ending = Some(Ending::default());
            if let Some(job) = attempt.job.clone() {
                self.cancel(&mut attempt, &[job], Path::new(&row.directory));
            }
        }
        self.attempts.insert(row.attempt, attempt);
        Ok(())
    }

    /// Takes the state of an attempt out of the map, or creates it.
    fn attempt_of(&mut self, row: &Attempt, options: &[String]) -> Result<SlurmAttempt> {
        self.attempts.remove(&row.attempt).map_or_else(|| self.new_attempt(row, options), Ok)
    }

    /// Returns the running programs.
    pub fn processes(&mut self) -> Vec<Identity> {
        self.poll();
        let of_attempts = self.attempts.values().flat_map(|attempt| {
            let ending = attempt.ending.as_ref().and_then(|ending| ending.call.as_ref());
            attempt.sending.iter().chain(ending)
        });
        of_attempts.chain(&self.queue.call).filter_map(Call::process).collect()
    }

    /// Returns a problem of the cluster that was not reported yet.
    pub(crate) fn next_problem(&mut self) -> Option<Error> {
        let (text, reported) = self.problems.values_mut().find(|(_, reported)| !reported)?;
        *reported = true;
        let help = "nothing is lost: running jobs continue, and the cluster is asked again until it answers";
        Some(Error::new(ErrorCode::H0141, &*text).help(help))
    }

    fn new_attempt(&self, row: &Attempt, options: &[String]) -> Result<SlurmAttempt> {
        let folder = Path::new(&row.directory);
        Ok(SlurmAttempt {
            options: options.to_vec(),
            user: slurm::user_of(folder)?,
            job: attempt::cluster_job(folder)?,
            sending: None,
            waits: false,
            starts: 0,
            stale: self.queue.asked,
            checked: self.queue.over,
            vanished: None,
            reported: None,
            ending: None,
        })
    }

    fn observe_attempt(&mut self, row: &Attempt, attempt: &mut SlurmAttempt) -> Result<Observation> {
        let folder = Path::new(&row.directory);
        if let Some(call) = &mut attempt.sending {
            let Some(answer) = call.poll() else { return Ok(Observation::Unchanged) };
            attempt.sending = None;
            return self.sent(row, attempt, answer.and_then(|output| slurm::submitted(&output)));
        }
        if attempt.job.is_none() && attempt::is_recalled(folder)? {
            return Ok(Observation::Over(AttemptState::Recalled));
        }
        if attempt.waits && attempt.ending.is_none() {
            return self.send(row, attempt);
        }
        self.ask(attempt);
        if attempt.checked == self.queue.over {
            return Ok(Observation::Unchanged);
        }
        attempt.checked = self.queue.over;
        // Read without a cache, and after the answer of the queue.
        attempt::refresh(folder);
        let state = attempt::state(folder)?;
        if matches!(state, AttemptState::Ended(_)) {
            return Ok(Observation::Over(state));
        }
        // The process that gave it up may have ended before it wrote the outcome, and no other process writes one.
        if matches!(state, AttemptState::Lost { .. }) && attempt::given_up(folder)?.is_some() {
            return Ok(Observation::Over(state));
        }
        if state == AttemptState::Recalled {
            // It was being submitted while the job was suspended.
            attempt.ending.get_or_insert_default();
        }
        let Some(jobs) = self.queue.jobs_of(row, attempt) else { return Ok(Observation::Unchanged) };
        let living: Vec<&Job> = jobs.iter().filter(|job| !job.is_over()).collect();
        if let Some(job) = living.first() {
            attempt.vanished = None;
            // A job that is ending already would get the signal twice, and so would the program that its shim runs
            // last.
            let numbers = living.iter().filter(|job| !job.is_ending()).map(|job| job.id.clone()).collect::<Vec<_>>();
            self.cancel(attempt, &numbers, folder);
            return Ok(attempt.report(job));
        }
        // Its supervisor wrote the outcome, or found that another one had the claim: the outcome is on its way.
        let completed = jobs.last().filter(|job| job.is_completed());
        let wait = completed.map_or(STORAGE_GRACE, |_| self.outcome_wait.max(STORAGE_GRACE));
        let is_late = attempt.vanished.get_or_insert_with(|| started(wait)).is_due();
        match state {
            // Its command is still running after the job ended, on this machine.
            AttemptState::Running(_) => Ok(Observation::Unchanged),
            AttemptState::Withdrawn | AttemptState::Recalled => Ok(Observation::Over(state)),
            _ if !is_late => Ok(completed.map_or(Observation::Unchanged, |job| attempt.report_awaited(job, wait))),
            // The claim could not be taken; the next request to end the attempt tries again.
            AttemptState::Unclaimed if attempt.ending.is_some() => Ok(Observation::Unchanged),
            AttemptState::Unclaimed => self.not_started(row, attempt, jobs.last()),
            _ if attempt.ending.is_some() => Ok(Observation::Over(AttemptState::Withdrawn)),
            _ => {
                let reason = format!("{}, and its supervisor wrote no outcome", last_report(jobs.last(), attempt));
                Ok(Observation::Over(AttemptState::Lost { reason }))
            }
        }
    }

    /// Handles an attempt without a job and without a started shim: submits it again, unless its job was cancelled or
    /// it was submitted [`MOST_STARTS`] times.
    fn not_started(&mut self, row: &Attempt, attempt: &mut SlurmAttempt, last: Option<&Job>) -> Result<Observation> {
        let folder = Path::new(&row.directory);
        let words = format!("{} and its supervisor did not start", last_report(last, attempt));
        let was_sent = attempt.job.take().is_some() || last.is_some();
        attempt.starts += u32::from(was_sent);
        let cancelled = last.is_some_and(Job::was_cancelled);
        if attempt.starts < MOST_STARTS && !cancelled {
            return self.send(row, attempt);
        }
        let reason = if cancelled {
            words
        } else {
            format!(
                "{words}, {MOST_STARTS} times; the nodes of the cluster must find this folder and howdah \
                 (howdah.slurm.command) under the same paths as this machine; their messages are in slurm.out beside \
                 the output"
            )
        };
        if !attempt::give_up(folder, &reason)? {
            return Ok(Observation::Unchanged);
        }
        Ok(Observation::Over(AttemptState::Lost { reason }))
    }

    /// Submits the shim of an attempt, unless [`MOST_SUBMISSIONS`] are running.
    fn send(&mut self, row: &Attempt, attempt: &mut SlurmAttempt) -> Result<Observation> {
        let running = self.attempts.values().filter(|attempt| attempt.sending.is_some()).count();
        attempt.waits = running >= MOST_SUBMISSIONS;
        if attempt.waits {
            return Ok(Observation::Unchanged);
        }
        attempt.vanished = None;
        match self.programs.submit(Path::new(&row.directory), &row.token, &attempt.options) {
            Ok(call) => {
                attempt.sending = Some(call);
                Ok(Observation::Unchanged)
            }
            // Nothing was submitted: it waits until the machine can start a program.
            Err(error) if error.may_pass() => {
                attempt.waits = true;
                self.keep_problem(SBATCH, error.message().to_owned());
                Ok(Observation::Unchanged)
            }
            Err(error) => {
                let help = error.help_text().map(|help| format!("; {help}")).unwrap_or_default();
                refuse(row, &format!("{}{help}", error.message()))
            }
        }
    }

    /// Handles the answer of `sbatch`. After a temporary failure the queue is searched before the next submission: the
    /// job may exist nevertheless.
    fn sent(
        &mut self,
        row: &Attempt,
        attempt: &mut SlurmAttempt,
        answer: Result<String, String>,
    ) -> Result<Observation> {
        attempt.stale = self.queue.asked;
        match answer {
            Ok(job) => {
                self.problems.remove(SBATCH);
                fault_point("after-submission");
                attempt::note_cluster_job(Path::new(&row.directory), &job)?;
                attempt.job = Some(job.clone());
                Ok(attempt.report(&Job {
                    id: job,
                    state: "PENDING".to_owned(),
                    comment: String::new(),
                    reason: String::new(),
                }))
            }
            Err(failure) if slurm::is_passing(&failure) => {
                self.keep_problem(SBATCH, failure);
                Ok(Observation::Unchanged)
            }
            Err(failure) => refuse(row, &failure),
        }
    }

    /// Cancels these jobs when the attempt must end and they were not cancelled before.
    fn cancel(&mut self, attempt: &mut SlurmAttempt, jobs: &[String], folder: &Path) {
        let Some(ending) = attempt.ending.as_mut().filter(|ending| !ending.done) else { return };
        match ending.call.as_mut().map(Call::poll) {
            Some(None) => {}
            Some(Some(Ok(_))) => {
                *ending = Ending { call: None, done: true };
                self.problems.remove(SCANCEL);
            }
            Some(Some(Err(failure))) => {
                ending.call = None;
                self.keep_problem(SCANCEL, failure);
            }
            None if jobs.is_empty() => {}
            None => match self.programs.cancel(jobs, folder) {
                Ok(call) => ending.call = Some(call),
                Err(error) => self.keep_problem(SCANCEL, error.message().to_owned()),
            },
        }
    }

    /// Starts the next query of the queue when it is due, for all known attempts.
    fn ask(&mut self, attempt: &SlurmAttempt) {
        if !self.queue.is_due() {
            return;
        }
        let users: BTreeSet<u32> = self.attempts.values().map(|attempt| attempt.user).chain([attempt.user]).collect();
        if let Err(failure) = self.queue.ask(&self.programs, &users) {
            self.keep_problem(SQUEUE, failure);
        }
    }

    /// Reads the answer of the queue when there is one.
    fn poll(&mut self) {
        match self.queue.poll() {
            Some(Ok(())) => drop(self.problems.remove(SQUEUE)),
            Some(Err(failure)) => self.keep_problem(SQUEUE, failure),
            None => {}
        }
    }

    /// Keeps a problem of a program to report it, unless the same problem was kept before.
    fn keep_problem(&mut self, program: &'static str, failure: String) {
        if self.problems.get(program).is_none_or(|(text, _)| *text != failure) {
            self.problems.insert(program, (failure, false));
        }
    }
}

/// Gives up an attempt that Slurm refuses: its node fails.
fn refuse(row: &Attempt, why: &str) -> Result<Observation> {
    let folder = Path::new(&row.directory);
    let message = format!("Slurm does not take the job: {why}");
    let refused = attempt::refuse(folder, &message)?;
    Ok(if refused { Observation::Over(attempt::state(folder)?) } else { Observation::Unchanged })
}
