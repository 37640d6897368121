//! The report of a tick: what it did and which faults it found.

use std::collections::BTreeSet;

use crate::engine::catch_up::Backlog;
use crate::engine::fault::Fault;
use crate::engine::tick_record::RunningTick;
use crate::error::Error;
use crate::host::presence::{Awaited, Servers};
use crate::model::row::{CoordinatorKey, SitePause};

/// What a tick did, for the caller to print.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) materialized: u64,
    pub(crate) started: u64,
    pub(crate) timed_out: u64,
    pub(crate) skipped: u64,
    /// Jobs with more past actions than one tick creates, with the number that is left.
    pub(crate) postponed: Vec<Backlog>,
    /// The faults; each is one line on standard error.
    pub(crate) faults: Vec<Fault>,
    /// Where inputs are missing.
    pub(crate) seen: Seen,
    /// The servers that are to be asked, for what this tick has left open.
    pub(crate) servers: Box<Servers>,
    /// The record of the tick, while it has not ended: it waits for servers.
    pub(crate) running: Option<Box<RunningTick>>,
    /// Set while all jobs are paused: the tick has started nothing.
    pub(crate) site_pause: Option<SitePause>,
}

/// Where inputs are missing, when a tick was asked to note it.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// The jobs whose inputs were checked; `None`: all.
    pub(crate) checked: Option<BTreeSet<CoordinatorKey>>,
    pub(crate) awaited: Awaited,
}

impl Report {
    /// Adds what a second tick did.
    pub(crate) fn add(&mut self, again: Self) {
        self.materialized += again.materialized;
        self.started += again.started;
        self.timed_out += again.timed_out;
        self.skipped += again.skipped;
        for fault in again.faults {
            self.fault(fault.subject, fault.error);
        }
        if !self.servers.have_deferred() {
            self.servers = again.servers;
        }
    }

    /// Takes over what another tick has left open: the jobs whose inputs it checked, and its record.
    pub(crate) fn continue_for(&mut self, other: &mut Self) {
        self.seen.checked = match (self.seen.checked.take(), other.seen.checked.take()) {
            (Some(mut jobs), Some(others)) => {
                jobs.extend(others);
                Some(jobs)
            }
            _ => None,
        };
        self.running = other.running.take().or_else(|| self.running.take());
    }

    /// Checks whether nothing was done and nothing failed.
    pub(crate) fn is_quiet(&self) -> bool {
        self.changes() == 0 && self.faults.is_empty()
    }

    /// Returns how many actions were created or changed.
    pub(crate) const fn changes(&self) -> u64 {
        self.materialized + self.started + self.timed_out + self.skipped
    }

    /// Adds a fault for something that the machine cannot read now, at most one for each job.
    pub(crate) fn unknown(&mut self, subject: &str, error: Error) {
        if !self.faults.iter().any(|known| known.subject == subject && known.error.may_pass()) {
            self.fault(subject, error);
        }
    }

    /// Adds a fault, unless the same one was added before.
    pub(crate) fn fault(&mut self, subject: impl Into<String>, error: Error) {
        let fault = Fault { subject: subject.into(), error };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}
