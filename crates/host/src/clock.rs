//! The only place that reads the clock.
//!
//! `now` is read once, at the start of a command or tick, and passed down as a value; only code that waits has a
//! [`Clock`].

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, Timespec, clock_gettime};

use super::environment;
use howdah_words::model::time::{Moment, Now, Timestamp};

/// Reads the current time.
pub trait Clock {
    /// The current time, in whole seconds of UTC.
    fn now(&self) -> Timestamp;

    /// The same on the clock that cannot be set.
    fn moment(&self) -> Moment;

    /// Both.
    fn both(&self) -> Now {
        Now { at: self.now(), moment: self.moment() }
    }
}

/// Sleeps, between two checks for something that cannot be waited for.
pub fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// How long the machine has been running, sleep included: this clock cannot be set.
pub fn uptime() -> Duration {
    #[cfg(target_os = "linux")]
    return duration(clock_gettime(ClockId::Boottime));
    #[cfg(not(target_os = "linux"))]
    awake()
}

/// How long the machine has been awake since its start: this clock cannot be set, and stands while the machine sleeps.
pub fn awake() -> Duration {
    duration(clock_gettime(ClockId::Monotonic))
}

fn duration(time: Timespec) -> Duration {
    Duration::new(time.tv_sec.try_into().unwrap_or_default(), time.tv_nsec.try_into().unwrap_or_default())
}

/// When the machine started, by the clock at `now`. `None` in a test that gives the machine another boot id.
pub fn started(now: Timestamp) -> Option<Timestamp> {
    #[cfg(debug_assertions)]
    if super::variables::get("HOWDAH_TEST_BOOT_ID").is_some() {
        return super::variables::get("HOWDAH_TEST_STARTED")?.parse().ok().map(Timestamp::from_seconds);
    }
    Some(now - i64::try_from(uptime().as_secs()).unwrap_or(i64::MAX))
}

/// Keeps a minimum distance between repetitions, independent of the time of day.
#[derive(Debug)]
pub struct Pace {
    distance: Duration,
    last: Option<Duration>,
}

impl Pace {
    /// A pace without a first time.
    pub const fn new(distance: Duration) -> Self {
        Self { distance, last: None }
    }

    /// The minimum distance.
    pub const fn distance(&self) -> Duration {
        self.distance
    }

    /// Whether the distance has passed.
    pub fn is_due(&self) -> bool {
        self.last.is_none_or(|last| uptime().saturating_sub(last) >= self.distance)
    }

    /// Marks this moment as the last time.
    pub fn mark(&mut self) {
        self.last = Some(uptime());
    }

    /// Forgets the last time: the next repetition is due at once.
    pub fn clear(&mut self) {
        self.last = None;
    }
}

/// Measures how long something takes, independent of the time of day.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Duration);

impl Stopwatch {
    /// Starts to measure.
    pub fn start() -> Self {
        Self(uptime())
    }

    /// The time since the start.
    pub fn elapsed(self) -> Duration {
        uptime().saturating_sub(self.0)
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock set before 1970 counts backwards instead of failing.
        let seconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
        };
        Timestamp::from_seconds(seconds) + test_error()
    }

    fn moment(&self) -> Moment {
        let seconds = i64::try_from(uptime().as_secs()).unwrap_or(i64::MAX);
        // An unknown boot equals no other: pauses then use the time of day.
        Moment { boot: environment::boot_id().unwrap_or_default().to_owned(), seconds }
    }
}

/// The number of seconds by which a test wants the clock to be wrong. The file that `HOWDAH_TEST_CLOCK` names is read
/// each time, so that a test can set the clock while a process runs.
#[cfg(debug_assertions)]
fn test_error() -> i64 {
    let file = super::variables::get("HOWDAH_TEST_CLOCK");
    file.and_then(|file| std::fs::read_to_string(file).ok()?.trim().parse().ok()).unwrap_or(0)
}

#[cfg(not(debug_assertions))]
const fn test_error() -> i64 {
    0
}

/// A clock with a fixed time, for `--now`.
#[derive(Clone, Copy, Debug)]
pub struct FixedClock(pub Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }

    /// Pauses are counted on the fixed time.
    fn moment(&self) -> Moment {
        Moment { boot: "fixed".to_owned(), seconds: self.0.seconds() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pace_is_kept_from_the_first_time_on() {
        for (distance, again) in [(Duration::ZERO, true), (Duration::from_secs(3600), false)] {
            let mut pace = Pace::new(distance);
            assert!(pace.is_due());
            pace.mark();
            assert_eq!(pace.is_due(), again, "{distance:?}");
            pace.clear();
            assert!(pace.is_due());
        }
    }

    #[test]
    fn a_fixed_clock_stands_and_the_real_one_is_past_2020() {
        let noon = Timestamp::from_seconds(1_262_347_200);
        assert_eq!(FixedClock(noon).now(), noon);
        assert_eq!(FixedClock(noon).moment().after(5), FixedClock(noon + 5).moment());
        assert!(SystemClock.now() > Timestamp::from_seconds(1_577_836_800));
    }
}
