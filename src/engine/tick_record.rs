//! When ticks ran and how often they come. The lock of ticks contains it: `status` shows it, and other verbs warn when
//! no tick comes any more.
//!
//! Must not depend on what a tick does. Without a record nothing is concluded.

use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::engine::Engine;
use crate::host::files;
use crate::host::found::Found;
use crate::host::lock::{self, Lock};
use crate::model::time::{MINUTE, Timestamp};

/// How many distances between ticks are remembered.
const MOST_DISTANCES: usize = 5;

/// So many intervals without a tick are a silence.
const MISSED: i64 = 3;

/// A shorter silence is never reported, in seconds.
const SHORTEST_SILENCE: i64 = 3 * MINUTE;

/// The latest tick of cron or of a daemon, and the distances between the ones before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TickRecord {
    /// When the latest tick started, in seconds since 1970.
    at: i64,
    /// How long it took, in milliseconds; `None` while it runs, or when it was killed.
    took: Option<u64>,
    /// The distances between the last ticks, in seconds.
    distances: Vec<i64>,
    /// The longest distance that a daemon has promised, in seconds.
    promised: Option<i64>,
    /// How many jobs had a fault.
    faults: Option<usize>,
    /// The site file of the latest tick that had one.
    site: Option<String>,
}

impl TickRecord {
    /// Reads the record of a database; `None` when no tick has left one.
    pub(crate) fn read(engine: &Engine) -> Option<Self> {
        let text = lock::signature(&engine.tick_lock())?;
        serde_json::from_str(&text).ok()
    }

    /// Returns the site file with which this database is ticked, when this process has none: what only the site may
    /// decide (what is deleted, how something is delivered) is left to a process with that file. A file that was
    /// removed does not count.
    pub(crate) fn missing_site(engine: &Engine) -> Option<String> {
        if engine.settings.file.is_some() {
            return None;
        }
        let site = Self::read(engine)?.site?;
        let is_there = !matches!(files::find(Path::new(&site)), Found::Absent);
        is_there.then_some(site)
    }

    /// Returns the record of a tick that starts; `promised` is the interval of a daemon.
    pub(crate) fn start(engine: &Engine, now: Timestamp, promised: Option<Duration>) -> Self {
        let before = Self::read(engine);
        let mut distances = before.as_ref().map(|before| before.distances.clone()).unwrap_or_default();
        let own_site = engine.settings.file.as_deref().and_then(Path::to_str).map(str::to_owned);
        let site = own_site.or_else(|| before.as_ref()?.site.clone());
        if let Some(before) = before.filter(|before| before.at < now.seconds()) {
            distances.push(now.seconds() - before.at);
        }
        let oldest = distances.len().saturating_sub(MOST_DISTANCES);
        distances.drain(..oldest);
        let promised = promised.map(|promised| i64::try_from(promised.as_secs()).unwrap_or(i64::MAX));
        Self { at: now.seconds(), took: None, distances, promised, faults: None, site }
    }

    /// Adds how the tick ended.
    pub(crate) fn end(&mut self, took: Duration, faults: usize) {
        self.took = u64::try_from(took.as_millis()).ok();
        self.faults = Some(faults);
    }

    /// Writes the record into the lock, which this process holds. It is only information: a failure changes nothing.
    pub(crate) fn write(&self, lock: &Lock) {
        let text = serde_json::to_string(self).expect("a record contains only numbers");
        let _ = lock.sign(&text);
    }

    /// Returns when the latest tick started.
    pub(crate) const fn at(&self) -> Timestamp {
        Timestamp::from_seconds(self.at)
    }

    /// Returns how long the latest tick took; `None` when it has not ended.
    pub(crate) const fn took(&self) -> Option<Duration> {
        match self.took {
            Some(took) => Some(Duration::from_millis(took)),
            None => None,
        }
    }

    /// Returns for how many jobs the latest tick had a fault to report.
    pub(crate) fn faults(&self) -> usize {
        self.faults.unwrap_or_default()
    }

    /// Returns how often ticks come, in seconds; `None` after a single one. One distance of several may be longer: that
    /// of an outage that is over.
    pub(crate) fn interval(&self) -> Option<i64> {
        let mut distances = self.distances.clone();
        distances.sort_unstable();
        if distances.len() > 2 {
            distances.pop();
        }
        distances.last().copied().max(self.promised)
    }

    /// Returns for how many seconds no tick has come, when that is too long.
    pub(crate) fn silence(&self, now: Timestamp) -> Option<i64> {
        let silence = now.seconds() - self.at;
        let allowed = self.interval()?.saturating_mul(MISSED).max(SHORTEST_SILENCE);
        Some(silence).filter(|silence| *silence > allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(distances: &[i64], promised: Option<i64>) -> TickRecord {
        TickRecord { at: 10_000, distances: distances.to_vec(), promised, ..TickRecord::default() }
    }

    #[test]
    fn three_missed_ticks_are_a_silence() {
        for (distances, promised, silence, expect) in [
            (&[][..], None, 1_000_000, false),
            (&[60, 61, 61], None, 183, false),
            (&[60, 61, 61], None, 184, true),
            (&[1, 2], None, 180, false),
            (&[1, 2], None, 181, true),
            (&[1, 2], Some(3600), 10_800, false),
            (&[1, 2], Some(3600), 10_801, true),
            (&[60], None, -500, false),
            // An outage that is over, and a crontab of two ticks an hour.
            (&[60, 22_080, 60], None, 181, true),
            (&[60, 3540, 60, 3540, 60], None, 3540, false),
        ] {
            let found = record(distances, promised).silence(Timestamp::from_seconds(10_000 + silence));
            assert_eq!(found.is_some(), expect, "{distances:?} {promised:?} {silence}");
        }
    }
}
