//! When the last purge ran and what it deleted, so that ticks know when the next one is due. The lock of purges
//! contains it, and `status` shows it.
//!
//! Must not depend on what a purge deletes. It is only information: without a record a purge is due.

use serde::{Deserialize, Serialize};

use crate::Engine;
use howdah_host::lock::{self, Lock};
use howdah_words::model::time::{MINUTE, Timestamp};

/// How soon a purge that was interrupted or refused is tried again, in seconds.
const AFTER_FAILURE: i64 = 10 * MINUTE;

/// The last purge.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PurgeRecord {
    /// When it started, in seconds since 1970.
    at: i64,
    /// Whether it has come to its end.
    is_over: bool,
    pub bundles: u64,
    pub coordinators: u64,
    pub workflows: u64,
}

impl PurgeRecord {
    /// Reads the record of a database; `None` when no purge has left one.
    pub fn read(engine: &Engine) -> Option<Self> {
        serde_json::from_str(&lock::signature(&engine.purge_lock())?).ok()
    }

    /// Returns the record of a purge that starts.
    pub fn start(now: Timestamp) -> Self {
        Self { at: now.seconds(), ..Self::default() }
    }

    /// Returns the record of a purge that has come to its end, with the numbers of bundles, coordinators and workflow
    /// jobs that it has deleted.
    pub fn end(self, [bundles, coordinators, workflows]: [u64; 3]) -> Self {
        Self { is_over: true, bundles, coordinators, workflows, ..self }
    }

    /// Writes the record into the lock, which this process holds. It is only information: a failure changes nothing.
    pub fn write(&self, lock: &Lock) {
        let text = serde_json::to_string(self).expect("a record contains only numbers");
        let _ = lock.sign(&text);
    }

    /// Returns whether it has come to its end.
    pub const fn is_over(&self) -> bool {
        self.is_over
    }

    /// Returns when it started.
    pub const fn at(&self) -> Timestamp {
        Timestamp::from_seconds(self.at)
    }

    /// Returns when the next purge is due, with `interval` seconds between two.
    pub fn next(&self, interval: i64) -> Timestamp {
        self.at() + if self.is_over { interval } else { interval.min(AFTER_FAILURE) }
    }

    /// Checks whether a purge is due. A clock that was set back does not stop purges.
    pub fn is_due(&self, interval: i64, now: Timestamp) -> bool {
        now >= self.next(interval) || now < self.at()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purge_is_due_after_its_interval_and_sooner_after_a_failure() {
        let now = Timestamp::from_seconds(100_000);
        let over = PurgeRecord::start(now).end([0; 3]);
        let check = |record: &PurgeRecord, interval: i64, after: i64, expect: bool| {
            assert_eq!(record.is_due(interval, now + after), expect, "{record:?} {interval} {after}");
        };
        check(&over, 3600, 0, false);
        check(&over, 3600, 3599, false);
        check(&over, 3600, 3600, true);
        check(&over, 0, 0, true);
        check(&over, 3600, -1, true);
        let interrupted = PurgeRecord::start(now);
        check(&interrupted, 3600, AFTER_FAILURE - 1, false);
        check(&interrupted, 3600, AFTER_FAILURE, true);
        check(&interrupted, 60, 60, true);
    }
}
