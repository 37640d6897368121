//! An instant, in seconds since 1970-01-01T00:00:00Z.
//!
//! Does not depend on zones or the calendar: those are in `calendar`. Reads no clock: `host::clock` does.

use std::ops::{Add, Sub};

use chrono::{DateTime, Utc};

/// Seconds in a minute.
pub const MINUTE: i64 = 60;
/// Seconds in an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Seconds in a day of 24 hours.
pub const DAY: i64 = 24 * HOUR;

/// An instant of UTC with a resolution of one second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The first instant a dataset may start at (`1970-01-01T00:00Z`).
    pub const EPOCH: Self = Self(0);

    /// Returns the instant `seconds` after the epoch.
    pub const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Returns the seconds since the epoch.
    pub const fn seconds(self) -> i64 {
        self.0
    }

    /// Returns the same instant for chrono; `None` beyond the years that chrono can count.
    pub fn to_utc(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.0, 0)
    }

    /// Returns whole minutes from `earlier` to this, rounded towards the past.
    pub const fn minutes_since(self, earlier: Self) -> i64 {
        (self.0 - earlier.0).div_euclid(MINUTE)
    }

    /// Returns the start of the minute that contains this instant.
    #[must_use]
    pub const fn floor_minute(self) -> Self {
        Self(self.0 - self.0.rem_euclid(MINUTE))
    }
}

/// A moment on a clock that cannot be set: pauses are measured with it, so that a change of the time of day neither
/// shortens nor lengthens them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The boot of the machine from which the seconds count; moments of two boots cannot be compared.
    pub boot: String,
    /// Seconds since then, including sleep.
    pub seconds: i64,
}

impl Moment {
    /// Returns the moment `seconds` later.
    pub fn after(&self, seconds: i64) -> Self {
        Self { boot: self.boot.clone(), seconds: self.seconds.saturating_add(seconds) }
    }
}

/// The readings of the clocks at the start of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Now {
    /// The time of day, for planned times and for people.
    pub at: Timestamp,
    /// The same moment on the clock that cannot be set, for pauses.
    pub moment: Moment,
}

impl Now {
    /// Returns a time of day without a reading of the other clock: pauses are then judged by the time of day.
    pub fn on_one_clock(at: Timestamp) -> Self {
        Self { at, moment: Moment { boot: String::new(), seconds: 0 } }
    }

    /// Returns the readings of the clocks `seconds` later.
    pub fn after(&self, seconds: i64) -> Self {
        Self { at: self.at + seconds, moment: self.moment.after(seconds) }
    }
}

impl Add<i64> for Timestamp {
    type Output = Self;

    /// Adds seconds; saturates at the limits instead of overflowing.
    fn add(self, seconds: i64) -> Self {
        Self(self.0.saturating_add(seconds))
    }
}

impl Sub<i64> for Timestamp {
    type Output = Self;

    fn sub(self, seconds: i64) -> Self {
        Self(self.0.saturating_sub(seconds))
    }
}

impl Sub for Timestamp {
    type Output = i64;

    /// Returns the seconds between two instants.
    fn sub(self, other: Self) -> i64 {
        self.0 - other.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minutes_round_towards_the_past() {
        for (later, earlier, expect) in [(119, 0, 1), (120, 0, 2), (0, 1, -1), (-61, 0, -2)] {
            let minutes = Timestamp::from_seconds(later).minutes_since(Timestamp::from_seconds(earlier));
            assert_eq!(minutes, expect, "{later} since {earlier}");
        }
        assert_eq!(Timestamp::from_seconds(-1).floor_minute().seconds(), -60);
    }
}
