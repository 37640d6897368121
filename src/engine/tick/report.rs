//! What a tick did and what it met.

use crate::engine::catch_up::Backlog;
use crate::engine::fault::Fault;
use crate::error::Error;

/// What a step did, for the caller to print.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) materialized: u64,
    pub(crate) started: u64,
    pub(crate) timed_out: u64,
    pub(crate) skipped: u64,
    /// Jobs with more past actions than one tick creates, and what this one left of them.
    pub(crate) postponed: Vec<Backlog>,
    /// What went wrong and was recorded; one line each on standard error.
    pub(crate) faults: Vec<Fault>,
}

impl Report {
    /// Whether anything was done or went wrong.
    pub(crate) fn is_quiet(&self) -> bool {
        self.materialized + self.started + self.timed_out + self.skipped == 0 && self.faults.is_empty()
    }

    /// Notes that the machine cannot tell what a job needs to know: one line for each job, however much it cannot tell.
    pub(crate) fn unknown(&mut self, subject: &str, error: Error) {
        if !self.faults.iter().any(|known| known.subject == subject && known.error.may_pass()) {
            self.fault(subject, error);
        }
    }

    /// Notes a fault, once.
    pub(crate) fn fault(&mut self, subject: impl Into<String>, error: Error) {
        let fault = Fault { subject: subject.into(), error };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}
