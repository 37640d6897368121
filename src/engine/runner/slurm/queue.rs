//! The queue of the cluster: one question about all attempts at a time, and the last answer.
//!
//! Must not depend on what follows from an answer.

use std::collections::BTreeSet;
use std::time::Duration;

use super::post::Post;
use crate::host::call::Call;
use crate::host::clock::Pace;
use crate::host::slurm::{self, Job, Programs};
use crate::model::row::Attempt;

/// Between two questions for the queue.
const QUEUE_PACE: Duration = Duration::from_secs(2);

/// The answers of the queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) call: Option<Call>,
    pace: Pace,
    /// How many questions were asked, and how many of them were answered or failed.
    pub(super) asked: u64,
    pub(super) over: u64,
    /// The last answer, and the number of its question: the last one that is over, unless that failed.
    listing: Option<(u64, Vec<Job>)>,
}

impl Queue {
    /// No question yet.
    pub(super) fn new() -> Self {
        Self { call: None, pace: Pace::new(QUEUE_PACE), asked: 0, over: 0, listing: None }
    }

    /// Whether it is time for the next question.
    pub(super) fn is_due(&self) -> bool {
        self.call.is_none() && self.pace.is_due()
    }

    /// Asks for the jobs of these users; the reason when the program cannot be started.
    pub(super) fn ask(&mut self, programs: &Programs, users: &BTreeSet<u32>) -> Result<(), String> {
        self.pace.mark();
        self.asked += 1;
        match programs.queue(users) {
            Ok(call) => {
                self.call = Some(call);
                Ok(())
            }
            Err(error) => {
                self.over += 1;
                Err(error.message().to_owned())
            }
        }
    }

    /// Takes the answer, if there is one: whether the question went well, or why it failed.
    pub(super) fn poll(&mut self) -> Option<Result<(), String>> {
        let answer = self.call.as_mut().and_then(Call::poll)?;
        self.call = None;
        self.over += 1;
        // A slow controller has the same rest between two questions.
        self.pace.mark();
        Some(answer.map(|listing| self.listing = Some((self.over, slurm::jobs(&listing)))))
    }

    /// The jobs of an attempt as the queue shows them; `None` while the last answer may not know of them.
    pub(super) fn jobs_of(&self, row: &Attempt, post: &Post) -> Option<Vec<Job>> {
        let (asked, listing) = self.listing.as_ref()?;
        let is_current = *asked == self.over && *asked > post.stale;
        let belongs = |job: &&Job| job.comment == row.token || post.job.as_ref() == Some(&job.id);
        is_current.then(|| listing.iter().filter(belongs).cloned().collect())
    }
}
