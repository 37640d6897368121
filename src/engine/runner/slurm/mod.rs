//! Attempts whose shim works on a Slurm cluster: sending them, watching them, ending them.
//!
//! As on this machine the folder of the attempt says what is true, and sending it twice is harmless because of the
//! claim. The cluster is asked only about what the folder cannot say: whether a shim that has not begun, or that claims
//! to be at work elsewhere, is still to be expected. It is asked about all attempts at once and seldom, and nothing
//! waits for its answer: while it is silent, nothing is concluded. Forgetting all that stands here loses nothing: a job
//! is found again by its comment, the attempt's token.

mod post;
mod queue;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use self::post::{Ending, Post, last_words, marked};
use self::queue::Queue;
use crate::engine::runner::observation::{Look, MOST_STARTS};
use crate::error::{Error, ErrorCode, Result};
use crate::host::attempt::{self, AttemptState};
use crate::host::call::Call;
use crate::host::fault::fault_point;
use crate::host::processes::Identity;
use crate::host::slurm::{self, Job, Programs};
use crate::model::row::{Attempt, AttemptKey};

/// The most submissions under way at once.
const MOST_SUBMISSIONS: usize = 4;

/// The programs, by which complaints are kept until they do their work again.
const SBATCH: &str = "sbatch";
const SCANCEL: &str = "scancel";
const SQUEUE: &str = "squeue";

/// The jobs that this process knows of, and what the cluster last said.
#[derive(Debug)]
pub(crate) struct Cluster {
    programs: Programs,
    posts: HashMap<AttemptKey, Post>,
    queue: Queue,
    /// Of each program that could not do its work: what it said last, and whether that was told.
    complaints: BTreeMap<&'static str, (String, bool)>,
}

impl Cluster {
    /// Knows no job yet.
    pub(crate) fn new(programs: Programs) -> Self {
        Self { programs, posts: HashMap::new(), queue: Queue::new(), complaints: BTreeMap::new() }
    }

    /// Sends the shim of an attempt that came into being just now, and of which the cluster cannot know.
    pub(crate) fn start(&mut self, row: &Attempt, options: &[String]) -> Result<()> {
        let mut post = self.post(row, options)?;
        let sent = self.send(row, &mut post);
        self.posts.insert(row.attempt, post);
        sent.map(drop)
    }

    /// Looks at an open attempt. H0110, H0111 when its folder cannot be read or written.
    pub(crate) fn look(&mut self, row: &Attempt, options: &[String]) -> Result<Look> {
        self.poll();
        let mut post = self.post_of(row, options)?;
        let look = self.look_at(row, &mut post);
        if !matches!(look, Ok(Look::Over(_))) {
            self.posts.insert(row.attempt, post);
        }
        look
    }

    /// Asks for the end of an attempt that was told to end: its job is cancelled as soon as its number is known. Told
    /// again, what the queue still shows at work is cancelled again; the shim itself ends a command that does not want
    /// to. H0110 when its folder cannot be read.
    pub(crate) fn stop(&mut self, row: &Attempt, options: &[String]) -> Result<()> {
        let mut post = self.post_of(row, options)?;
        if let Some(ending) = &mut post.ending {
            ending.done = false;
        } else {
            post.ending = Some(Ending::default());
            if let Some(job) = post.job.clone() {
                self.cancel(&mut post, &[job], Path::new(&row.directory));
            }
        }
        self.posts.insert(row.attempt, post);
        Ok(())
    }

    /// What is remembered of an attempt, taken out, or the beginning of it.
    fn post_of(&mut self, row: &Attempt, options: &[String]) -> Result<Post> {
        self.posts.remove(&row.attempt).map_or_else(|| self.post(row, options), Ok)
    }

    /// The programs that are being waited for.
    pub(crate) fn processes(&mut self) -> Vec<Identity> {
        self.poll();
        let of_posts = self.posts.values().flat_map(|post| {
            let ending = post.ending.as_ref().and_then(|ending| ending.call.as_ref());
            post.sending.iter().chain(ending)
        });
        of_posts.chain(&self.queue.call).filter_map(Call::process).collect()
    }

    /// What the cluster cannot do at the moment, once.
    pub(crate) fn complaint(&mut self) -> Option<Error> {
        let (text, told) = self.complaints.values_mut().find(|(_, told)| !told)?;
        *told = true;
        let help = "nothing is lost: jobs that run go on, and the cluster is asked again until it answers";
        Some(Error::new(ErrorCode::H0141, &*text).help(help))
    }

    fn post(&self, row: &Attempt, options: &[String]) -> Result<Post> {
        let folder = Path::new(&row.directory);
        Ok(Post {
            options: options.to_vec(),
            user: slurm::user_of(folder)?,
            job: attempt::cluster_job(folder)?,
            sending: None,
            waits: false,
            starts: 0,
            stale: self.queue.asked,
            looked: self.queue.over,
            vanished: None,
            told: None,
            ending: None,
        })
    }

    fn look_at(&mut self, row: &Attempt, post: &mut Post) -> Result<Look> {
        let folder = Path::new(&row.directory);
        if let Some(call) = &mut post.sending {
            let Some(answer) = call.poll() else { return Ok(Look::Going) };
            post.sending = None;
            return self.sent(row, post, answer.and_then(|output| slurm::submitted(&output)));
        }
        if post.job.is_none() && attempt::is_recalled(folder)? {
            return Ok(Look::Over(AttemptState::Recalled));
        }
        if post.waits && post.ending.is_none() {
            return self.send(row, post);
        }
        self.ask(post);
        if post.looked == self.queue.over {
            return Ok(Look::Going);
        }
        post.looked = self.queue.over;
        // Looked into after the answer of the queue, and afresh.
        attempt::refresh(folder);
        let state = attempt::state(folder)?;
        if matches!(state, AttemptState::Ended(_)) {
            return Ok(Look::Over(state));
        }
        // The process that gave it up may have died before it wrote the outcome: no other process will write one.
        if matches!(state, AttemptState::Lost { .. }) && attempt::given_up(folder)?.is_some() {
            return Ok(Look::Over(state));
        }
        if state == AttemptState::Recalled {
            // It was on its way to the cluster while the job was suspended.
            post.ending.get_or_insert_default();
        }
        let Some(jobs) = self.queue.jobs_of(row, post) else { return Ok(Look::Going) };
        let living: Vec<&Job> = jobs.iter().filter(|job| !job.is_over()).collect();
        if let Some(job) = living.first() {
            post.vanished = None;
            // One that is ending already would get its signal twice, and with it what its shim runs at the end.
            let numbers = living.iter().filter(|job| !job.is_ending()).map(|job| job.id.clone()).collect::<Vec<_>>();
            self.cancel(post, &numbers, folder);
            return Ok(post.tell(job));
        }
        match state {
            // Its command outlived the job, on this very machine.
            AttemptState::Running(_) => Ok(Look::Going),
            AttemptState::Withdrawn | AttemptState::Recalled => Ok(Look::Over(state)),
            _ if !post.vanished.get_or_insert_with(marked).is_due() => Ok(Look::Going),
            // Its claim could not be taken; the next request to end it tries again.
            AttemptState::Unclaimed if post.ending.is_some() => Ok(Look::Going),
            AttemptState::Unclaimed => self.not_begun(row, post, jobs.last()),
            _ if post.ending.is_some() => Ok(Look::Over(AttemptState::Withdrawn)),
            _ => {
                let reason = format!("{}, and its supervisor wrote no outcome", last_words(jobs.last(), post));
                Ok(Look::Over(AttemptState::Lost { reason }))
            }
        }
    }

    /// No job of the attempt is at work and no shim began: it is sent again, unless somebody cancelled it or it was
    /// sent often enough.
    fn not_begun(&mut self, row: &Attempt, post: &mut Post, last: Option<&Job>) -> Result<Look> {
        let folder = Path::new(&row.directory);
        let words = format!("{} and its supervisor did not begin", last_words(last, post));
        let was_sent = post.job.take().is_some() || last.is_some();
        post.starts += u32::from(was_sent);
        let cancelled = last.is_some_and(Job::was_cancelled);
        if post.starts < MOST_STARTS && !cancelled {
            return self.send(row, post);
        }
        let reason = if cancelled {
            words
        } else {
            format!(
                "{words}, {MOST_STARTS} times; the nodes of the cluster must find this folder and howdah \
                 (howdah.slurm.command) under the same paths as this machine; what they say is in slurm.out beside the \
                 output"
            )
        };
        if !attempt::give_up(folder, &reason)? {
            return Ok(Look::Going);
        }
        Ok(Look::Over(AttemptState::Lost { reason }))
    }

    /// Sends the shim of an attempt, unless enough are on their way.
    fn send(&mut self, row: &Attempt, post: &mut Post) -> Result<Look> {
        let under_way = self.posts.values().filter(|post| post.sending.is_some()).count();
        post.waits = under_way >= MOST_SUBMISSIONS;
        if post.waits {
            return Ok(Look::Going);
        }
        post.vanished = None;
        match self.programs.submit(Path::new(&row.directory), &row.token, &post.options) {
            Ok(call) => {
                post.sending = Some(call);
                Ok(Look::Going)
            }
            // Nothing was sent: it waits until the machine lets it.
            Err(error) if error.may_pass() => {
                post.waits = true;
                self.complain(SBATCH, error.message().to_owned());
                Ok(Look::Going)
            }
            Err(error) => {
                let help = error.help_text().map(|help| format!("; {help}")).unwrap_or_default();
                refuse(row, &format!("{}{help}", error.message()))
            }
        }
    }

    /// Takes the answer of `sbatch`. A failure that passes is complained of, and the queue is searched before it is
    /// sent again: the job may be there all the same.
    fn sent(&mut self, row: &Attempt, post: &mut Post, answer: Result<String, String>) -> Result<Look> {
        post.stale = self.queue.asked;
        match answer {
            Ok(job) => {
                self.complaints.remove(SBATCH);
                fault_point("after-submission");
                attempt::note_cluster_job(Path::new(&row.directory), &job)?;
                post.job = Some(job.clone());
                Ok(post.tell(&Job {
                    id: job,
                    state: "PENDING".to_owned(),
                    comment: String::new(),
                    reason: String::new(),
                }))
            }
            Err(failure) if slurm::is_passing(&failure) => {
                self.complain(SBATCH, failure);
                Ok(Look::Going)
            }
            Err(failure) => refuse(row, &failure),
        }
    }

    /// Cancels these jobs when the attempt is being ended and they were not cancelled before.
    fn cancel(&mut self, post: &mut Post, jobs: &[String], folder: &Path) {
        let Some(ending) = post.ending.as_mut().filter(|ending| !ending.done) else { return };
        match ending.call.as_mut().map(Call::poll) {
            Some(None) => {}
            Some(Some(Ok(_))) => {
                *ending = Ending { call: None, done: true };
                self.complaints.remove(SCANCEL);
            }
            Some(Some(Err(failure))) => {
                ending.call = None;
                self.complain(SCANCEL, failure);
            }
            None if jobs.is_empty() => {}
            None => match self.programs.cancel(jobs, folder) {
                Ok(call) => ending.call = Some(call),
                Err(error) => self.complain(SCANCEL, error.message().to_owned()),
            },
        }
    }

    /// Asks for the queue when it is time, for all that are known.
    fn ask(&mut self, post: &Post) {
        if !self.queue.is_due() {
            return;
        }
        let users: BTreeSet<u32> = self.posts.values().map(|post| post.user).chain([post.user]).collect();
        if let Err(failure) = self.queue.ask(&self.programs, &users) {
            self.complain(SQUEUE, failure);
        }
    }

    /// Takes the answer of the queue, if there is one.
    fn poll(&mut self) {
        match self.queue.poll() {
            Some(Ok(())) => drop(self.complaints.remove(SQUEUE)),
            Some(Err(failure)) => self.complain(SQUEUE, failure),
            None => {}
        }
    }

    /// Keeps what a program said to be told, unless it said the same before.
    fn complain(&mut self, program: &'static str, failure: String) {
        if self.complaints.get(program).is_none_or(|(text, _)| *text != failure) {
            self.complaints.insert(program, (failure, false));
        }
    }
}

/// The attempt cannot be sent at all, and no other process will send it: its node fails.
fn refuse(row: &Attempt, why: &str) -> Result<Look> {
    let folder = Path::new(&row.directory);
    let message = format!("Slurm does not take the job: {why}");
    let refused = attempt::refuse(folder, &message)?;
    Ok(if refused { Look::Over(attempt::state(folder)?) } else { Look::Going })
}
