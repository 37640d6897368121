//! When ticks ran and how often they come. The lock of ticks contains it: `status` shows it, and other verbs warn when
//! no tick comes any more.
//!
//! Must not depend on what a tick does. Without a record nothing is concluded.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Engine;
use crate::format::in_words;
use howdah_host::clock::Stopwatch;
use howdah_host::environment::host_name;
use howdah_host::files;
use howdah_host::found::Found;
use howdah_host::lock::{self, Lock};
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// How many distances between ticks are remembered.
const MOST_DISTANCES: usize = 5;

/// So many intervals without a tick are a silence.
const MISSED: i64 = 3;

/// The interval that is assumed before ticks have shown theirs, in seconds.
const ASSUMED_INTERVAL: i64 = HOUR;

/// A shorter silence is never reported, in seconds.
const SHORTEST_SILENCE: i64 = 3 * MINUTE;

/// The latest tick of cron or of a daemon, and the distances between the ones before; before the first of them, the
/// latest tick that a user started.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TickRecord {
    /// When the latest tick started, in seconds since 1970.
    at: i64,
    /// Whether it was one of cron or of a daemon.
    #[serde(default)]
    is_scheduled: bool,
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
    /// The name of the machine of the latest tick.
    #[serde(default)]
    host: String,
}

impl TickRecord {
    /// Reads the record of a database; `None` when no tick has left one.
    pub fn read(engine: &Engine) -> Option<Self> {
        let text = lock::signature(&engine.tick_lock())?;
        serde_json::from_str(&text).ok()
    }

    /// Returns the site file with which this database is ticked, when this process has none: what only the site may
    /// decide (what is deleted, how something is delivered) is left to a process with that file. A file that was
    /// removed does not count.
    pub fn missing_site(engine: &Engine) -> Option<String> {
        if engine.settings.file.is_some() {
            return None;
        }
        let site = Self::read(engine)?.site?;
        let is_there = !matches!(files::find(Path::new(&site)), Found::Absent);
        is_there.then_some(site)
    }

    /// Returns the record of a tick that starts; `None` when it leaves the record as it is.
    fn start(engine: &Engine, now: Timestamp, rhythm: Rhythm) -> Option<Self> {
        let mut next = Self::read(engine).unwrap_or_default().next(now, rhythm)?;
        if let Some(site) = engine.settings.file.as_deref().and_then(Path::to_str) {
            next.site = Some(site.to_owned());
        }
        Some(next)
    }

    /// Returns the record after a tick. One that a user starts does not show whether cron is alive, so it does not
    /// replace one of cron.
    fn next(&self, now: Timestamp, rhythm: Rhythm) -> Option<Self> {
        let (at, site) = (now.seconds(), self.site.clone());
        let promised = match rhythm {
            Rhythm::Single if self.is_scheduled => return None,
            Rhythm::Single => return Some(Self { at, site, host: host_name(), ..Self::default() }),
            Rhythm::Cron => None,
            Rhythm::Daemon(every) => Some(i64::try_from(every.as_secs()).unwrap_or(i64::MAX)),
        };
        let mut distances = self.distances.clone();
        if self.is_scheduled && self.at < at {
            distances.push(at - self.at);
        }
        let oldest = distances.len().saturating_sub(MOST_DISTANCES);
        distances.drain(..oldest);
        let host = host_name();
        Some(Self { at, took: None, is_scheduled: true, distances, promised, faults: None, site, host })
    }

    /// Adds how the tick ended.
    fn end(&mut self, took: Duration, faults: usize) {
        self.took = u64::try_from(took.as_millis()).ok();
        self.faults = Some(faults);
    }

    /// Writes the record into the lock, which this process holds. It is only information: a failure changes nothing.
    fn write(&self, lock: &Lock) {
        let text = serde_json::to_string(self).expect("a record contains only numbers");
        let _ = lock.sign(&text);
    }

    /// Returns when the latest tick started.
    pub const fn at(&self) -> Timestamp {
        Timestamp::from_seconds(self.at)
    }

    /// Returns the name of the machine of the latest tick; empty in a record of an earlier version.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns how long the latest tick took; `None` when it has not ended.
    pub const fn took(&self) -> Option<Duration> {
        match self.took {
            Some(took) => Some(Duration::from_millis(took)),
            None => None,
        }
    }

    /// Returns for how many jobs the latest tick had a fault to report.
    pub fn faults(&self) -> usize {
        self.faults.unwrap_or_default()
    }

    /// Returns how often ticks come, in seconds; `None` after a single one. One distance of several may be longer: that
    /// of an outage that is over.
    pub fn interval(&self) -> Option<i64> {
        let mut distances = self.distances.clone();
        distances.sort_unstable();
        if distances.len() > 2 {
            distances.pop();
        }
        distances.last().copied().max(self.promised)
    }

    /// Returns how long no tick of cron or of a daemon has come, when that is too long.
    pub fn silence(&self, now: Timestamp) -> Option<Silence> {
        let interval = self.interval();
        let seconds = now.seconds() - self.at;
        let allowed = interval.unwrap_or(ASSUMED_INTERVAL).saturating_mul(MISSED).max(SHORTEST_SILENCE);
        (seconds > allowed).then_some(Silence { seconds, interval })
    }
}

/// A tick that has not ended, with its record.
#[derive(Debug)]
pub struct RunningTick {
    record: TickRecord,
    watch: Stopwatch,
}

impl RunningTick {
    /// Writes that a tick has started; `None` when it leaves the record as it is.
    pub fn start(engine: &Engine, now: Timestamp, rhythm: Rhythm, lock: &Lock) -> Option<Box<Self>> {
        let record = TickRecord::start(engine, now, rhythm)?;
        record.write(lock);
        Some(Box::new(Self { record, watch: Stopwatch::start() }))
    }

    /// Writes that it has ended, unless another tick has started since.
    pub fn end(mut self, engine: &Engine, faults: usize, lock: &Lock) {
        if TickRecord::read(engine).is_none_or(|latest| latest == self.record) {
            self.record.end(self.watch.elapsed(), faults);
            self.record.write(lock);
        }
    }
}

/// What a tick says about the ticks that follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rhythm {
    /// It is one of cron's: the next one comes after the same distance.
    Cron,
    /// A daemon ticks at this interval at least.
    Daemon(Duration),
    /// Nothing: a user typed it, or it belongs to a run in the foreground.
    Single,
}

/// No tick has come for too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Silence {
    seconds: i64,
    /// How often ticks came; `None` when that is not known.
    interval: Option<i64>,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no tick for {}", in_words(self.seconds))?;
        self.interval.map_or(Ok(()), |interval| write!(f, "; ticks came {}", every(interval)))
    }
}

/// Returns an interval between ticks in words, such as `every minute`. Ticks of cron are not exact: a distance of more
/// than a minute is given in whole minutes.
pub fn every(seconds: i64) -> String {
    let minutes = (seconds + MINUTE / 2) / MINUTE;
    match seconds {
        ..50 => format!("every {}", in_words(seconds)),
        _ if minutes == 1 => "every minute".to_owned(),
        _ if minutes == 60 => "every hour".to_owned(),
        _ => format!("every {}", in_words(minutes * MINUTE)),
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
            // Before the second tick, one every hour is assumed.
            (&[][..], None, 10_800, false),
            (&[], None, 10_801, true),
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

    #[test]
    fn only_scheduled_ticks_say_when_the_next_one_comes() {
        let (cron, single) = (Rhythm::Cron, Rhythm::Single);
        let daemon = Rhythm::Daemon(Duration::from_secs(30));
        for (ticks, distances, promised, at) in [
            (&[(0, cron), (60, cron), (120, cron)][..], &[60, 60][..], None, 120),
            // A run in the foreground ticks every second, and a user may tick while cron is dead.
            (&[(0, cron), (60, cron), (61, single), (62, single), (120, cron)], &[60, 60], None, 120),
            (&[(0, cron), (60, cron), (900, single)], &[60], None, 60),
            (&[(0, single), (1, single)], &[], None, 1),
            (&[(0, single), (7, cron)], &[], None, 7),
            (&[(0, daemon), (30, daemon), (31, single)], &[30], Some(30), 30),
            (&[(0, daemon), (30, daemon), (90, cron)], &[30, 60], None, 90),
        ] {
            let next = |record: TickRecord, (at, rhythm): &(i64, Rhythm)| {
                record.next(Timestamp::from_seconds(*at), *rhythm).unwrap_or(record)
            };
            let record = ticks.iter().fold(TickRecord::default(), next);
            let found = (record.distances.as_slice(), record.promised, record.at);
            assert_eq!(found, (distances, promised, at), "{ticks:?}");
        }
    }

    #[test]
    fn a_silence_is_told_in_words() {
        for (seconds, interval, expect) in [
            (360, Some(60), "no tick for 6 min; ticks came every minute"),
            (360, Some(61), "no tick for 6 min; ticks came every minute"),
            (400, Some(5), "no tick for 6 min 40 s; ticks came every 5 s"),
            (3600, Some(601), "no tick for 1 h; ticks came every 10 min"),
            (36_000, Some(3600), "no tick for 10 h; ticks came every hour"),
            (36_000, None, "no tick for 10 h"),
        ] {
            assert_eq!(Silence { seconds, interval }.to_string(), expect);
        }
    }
}
