//! Queries the queue of the cluster for all attempts at once and keeps the last answer.
//!
//! Must not depend on what follows from an answer.

use std::collections::BTreeSet;
use std::time::Duration;

use super::slurm_attempt::SlurmAttempt;
use howdah_host::call::Call;
use howdah_host::clock::Pace;
use howdah_host::slurm::{self, Job, Programs};
use howdah_words::model::row::Attempt;

/// The time between two queries of the queue.
const QUEUE_PACE: Duration = Duration::from_secs(2);

/// The answers of the queue.
#[derive(Debug)]
pub(super) struct Queue {
    pub(super) call: Option<Call>,
    pace: Pace,
    /// How many queries were started, and how many of them were answered or failed.
    pub(super) asked: u64,
    pub(super) over: u64,
    /// The last answer and the number of its query: the last query that is over, unless it failed.
    listing: Option<(u64, Vec<Job>)>,
}

impl Queue {
    /// Creates the state before the first query.
    pub(super) fn new() -> Self {
        Self { call: None, pace: Pace::new(QUEUE_PACE), asked: 0, over: 0, listing: None }
    }

    /// Checks whether the next query is due.
    pub(super) fn is_due(&self) -> bool {
        self.call.is_none() && self.pace.is_due()
    }

    /// Queries the jobs of these users; returns the reason when the program cannot be started.
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

    /// Reads the answer when there is one: success, or why the query failed.
    pub(super) fn poll(&mut self) -> Option<Result<(), String>> {
        let answer = self.call.as_mut().and_then(Call::poll)?;
        self.call = None;
        self.over += 1;
        // A slow controller gets the same pause between two queries.
        self.pace.mark();
        Some(answer.map(|listing| self.listing = Some((self.over, slurm::jobs(&listing)))))
    }

    /// Returns the jobs of an attempt in the last answer; `None` when that answer is too old to contain them.
    pub(super) fn jobs_of(&self, row: &Attempt, attempt: &SlurmAttempt) -> Option<Vec<Job>> {
        let (asked, listing) = self.listing.as_ref()?;
        let is_current = *asked == self.over && *asked > attempt.stale;
        let belongs = |job: &&Job| job.comment == row.token || attempt.job.as_ref() == Some(&job.id);
        is_current.then(|| listing.iter().filter(belongs).cloned().collect())
    }
}
