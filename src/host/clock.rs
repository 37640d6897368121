//! The only place that reads the clock.
//!
//! `now` is read once, at the top of a command or tick, and passed down as a value; only code that
//! waits holds a [`Clock`].

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::model::time::Timestamp;

/// Tells the present instant.
pub(crate) trait Clock {
    /// The present instant, in whole seconds of UTC.
    fn now(&self) -> Timestamp;
}

/// Waits, for code that looks again and again at what it cannot wait for.
pub(crate) fn pause(duration: Duration) {
    std::thread::sleep(duration);
}

/// Keeps a distance between things that are done again and again, whatever happens to the time of day.
#[derive(Debug)]
pub(crate) struct Pace {
    distance: Duration,
    last: Option<Instant>,
}

impl Pace {
    /// A pace that nothing was done at yet.
    pub(crate) const fn new(distance: Duration) -> Self {
        Self { distance, last: None }
    }

    /// Whether it may be done again.
    pub(crate) fn is_due(&self) -> bool {
        self.last.is_none_or(|last| last.elapsed() >= self.distance)
    }

    /// Notes that it is done now.
    pub(crate) fn mark(&mut self) {
        self.last = Some(Instant::now());
    }
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        // A clock set before 1970 counts backwards instead of failing.
        let seconds = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            Err(before) => i64::try_from(before.duration().as_secs()).map_or(i64::MIN, |seconds| -seconds),
        };
        Timestamp::from_seconds(seconds)
    }
}

/// A clock that stands still, for `--now`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedClock(pub(crate) Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
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
        }
    }

    #[test]
    fn a_fixed_clock_stands_and_the_real_one_is_past_2020() {
        let noon = Timestamp::from_seconds(1_262_347_200);
        assert_eq!(FixedClock(noon).now(), noon);
        assert!(SystemClock.now() > Timestamp::from_seconds(1_577_836_800));
    }
}
