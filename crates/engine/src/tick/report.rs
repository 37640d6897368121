//! The report of a tick: what it did and which faults it found.

use std::collections::BTreeSet;

use crate::catch_up::Backlog;
use crate::fault::Fault;
use crate::tick_record::RunningTick;
use howdah_host::presence::{Awaited, Servers};
use howdah_words::error::Error;
use howdah_words::model::row::{CoordinatorKey, SitePause};

/// What a tick did, for the caller to print.
#[derive(Debug, Default)]
pub struct Report {
    pub materialized: u64,
    pub started: u64,
    pub timed_out: u64,
    pub skipped: u64,
    /// Jobs with more past actions than one tick creates, with the number that is left.
    pub postponed: Vec<Backlog>,
    /// The faults; each is one line on standard error.
    pub faults: Vec<Fault>,
    /// Where inputs are missing.
    pub seen: Seen,
    /// The servers that are to be asked, for what this tick has left open.
    pub servers: Box<Servers>,
    /// The record of the tick, while it has not ended: it waits for servers.
    pub running: Option<Box<RunningTick>>,
    /// Set while all jobs are paused: the tick has started nothing.
    pub site_pause: Option<SitePause>,
}

/// Where inputs are missing, when a tick was asked to note it.
#[derive(Debug, Default)]
pub struct Seen {
    /// The jobs whose inputs were checked; `None`: all.
    pub checked: Option<BTreeSet<CoordinatorKey>>,
    pub awaited: Awaited,
}

impl Report {
    /// Adds what a second tick did.
    pub fn add(&mut self, again: Self) {
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
    pub fn is_quiet(&self) -> bool {
        self.changes() == 0 && self.faults.is_empty()
    }

    /// Returns how many actions were created or changed.
    pub const fn changes(&self) -> u64 {
        self.materialized + self.started + self.timed_out + self.skipped
    }

    /// Adds a fault for something that the machine cannot read now, at most one for each job.
    pub fn unknown(&mut self, subject: &str, error: Error) {
        if !self.faults.iter().any(|known| known.subject == subject && known.error.may_pass()) {
            self.fault(subject, error);
        }
    }

    /// Adds a fault, unless the same one was added before.
    pub fn fault(&mut self, subject: impl Into<String>, error: Error) {
        let fault = Fault { subject: subject.into(), error };
        if !self.faults.contains(&fault) {
            self.faults.push(fault);
        }
    }
}
