//! Clock readings: a local date and time without a zone, and the instants at which a zone's clocks show it.
//!
//! Decides how local times and offsets are written, and which instants a local time means (coordinator specification
//! 4.3, 7.3): one, two in a fold, none in a gap. Must not depend on frequencies.

use std::fmt;

use super::civil::{DAY_SECONDS, Date, weekday};
use super::clock_change::ClockChange;
use super::datetime::ProcessingZone;
use super::names::{WEEKDAYS, short};
use super::zone::Zone;
use crate::model::time::{HOUR, MINUTE, Timestamp};

/// A clock reading: seconds since 1970-01-01T00:00 of some local calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LocalTime(i64);

/// The instants that a local time means in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// The clocks show it once.
    Once(Timestamp),
    /// The clocks skip it when they are put forward; `taken` is the instant that counts.
    Gap { change: ClockChange, taken: Timestamp },
    /// The clocks show it twice when they are put back; the second instant counts.
    Fold { change: ClockChange, first: Timestamp, second: Timestamp },
}

impl LocalTime {
    /// Returns the local time at this number of seconds since 1970-01-01T00:00 of the local calendar.
    pub(super) const fn from_seconds(seconds: i64) -> Self {
        Self(seconds)
    }

    /// Returns the seconds since 1970-01-01T00:00 of the local calendar.
    pub(super) const fn seconds(self) -> i64 {
        self.0
    }

    /// Returns the local time that the clocks of a zone show at an instant.
    pub(crate) fn of(zone: &Zone, at: Timestamp) -> Self {
        Self(zone.local_seconds(at))
    }

    /// Reads `YYYY-MM-DDTHH:mm` with all its digits; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = format!("{text}Z");
        let at = ProcessingZone::UTC.parse_datetime(&text).ok();
        at.filter(|_| ProcessingZone::UTC.written_out(&text).is_none()).map(|at| Self(at.seconds()))
    }

    /// Returns the number of the local day, counted from 1970-01-01.
    pub(crate) const fn day_number(self) -> i64 {
        self.0.div_euclid(DAY_SECONDS)
    }

    /// Returns the day of the month, from 1.
    pub(crate) fn day_of_month(self) -> u32 {
        Date::from_day_number(self.day_number()).day
    }

    /// Returns whether two local times have the same hour, minute and second.
    pub(crate) const fn same_time_of_day(self, other: Self) -> bool {
        self.0.rem_euclid(DAY_SECONDS) == other.0.rem_euclid(DAY_SECONDS)
    }

    /// Returns the day of the week in three letters.
    pub(crate) fn weekday(self) -> &'static str {
        short(WEEKDAYS[weekday(self.day_number()) as usize - 1])
    }

    /// Returns `YYYY-MM-DD`.
    pub(crate) fn date(self) -> String {
        self.halves().0
    }

    /// Returns `HH:mm`.
    pub(crate) fn time_of_day(self) -> String {
        self.halves().1
    }

    /// Returns the date and time of day.
    fn halves(self) -> (String, String) {
        let text = self.to_string();
        let (date, time) = text.split_once('T').expect("a T is between date and time");
        (date.to_owned(), time.to_owned())
    }

    /// Returns the instants that this local time means in a zone.
    pub(crate) fn read(self, zone: &Zone) -> Reading {
        // No zone is farther from UTC than this, and no zone has two changes within twice this time.
        const FARTHEST: i64 = 16 * HOUR;
        let (from, to) = (Timestamp::from_seconds(self.0 - FARTHEST), Timestamp::from_seconds(self.0 + FARTHEST));
        let taken = zone.instant(self.0);
        let Some(change) = zone.change_between(from, to) else { return Reading::Once(taken) };
        let by = |offset: i32| Timestamp::from_seconds(self.0 - i64::from(offset));
        let [first, second] = [by(change.before_seconds), by(change.after_seconds)];
        match (Self::of(zone, first) == self, Self::of(zone, second) == self) {
            (true, true) => Reading::Fold { change, first, second },
            (false, false) => Reading::Gap { change, taken },
            _ => Reading::Once(taken),
        }
    }
}

impl fmt::Display for LocalTime {
    /// Writes `YYYY-MM-DDTHH:mm`; seconds are cut off.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ProcessingZone::UTC.format(Timestamp::from_seconds(self.0)).trim_end_matches('Z'))
    }
}

/// Returns an offset in seconds east of UTC as `+hh:mm`, with seconds only where there are some (before standard time).
pub(crate) fn offset_text(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let [hour, minute] = [HOUR, MINUTE].map(|length| i32::try_from(length).expect("an hour is short"));
    let length = seconds.abs();
    let rest = if length % minute == 0 { String::new() } else { format!(":{:02}", length % minute) };
    format!("{sign}{:02}:{:02}{rest}", length / hour, length % hour / minute)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LA: &str = "America/Los_Angeles";

    fn check(zone: &str, local: &str, expect: &str) {
        let zone = Zone::parse(zone).expect("an id of the table");
        let utc = |at: Timestamp| ProcessingZone::UTC.format(at);
        let shown = match LocalTime::parse(local).expect("a local time of the table").read(&zone) {
            Reading::Once(at) => utc(at),
            Reading::Gap { taken, .. } => format!("gap {}", utc(taken)),
            Reading::Fold { first, second, .. } => format!("fold {} {}", utc(first), utc(second)),
        };
        assert_eq!(shown, expect, "{} {local}", zone.id());
    }

    #[test]
    fn a_local_time_is_read_once_never_or_twice() {
        check(LA, "2009-03-08T01:59", "2009-03-08T09:59Z");
        check(LA, "2009-03-08T02:00", "gap 2009-03-08T10:00Z");
        check(LA, "2009-03-08T03:00", "2009-03-08T10:00Z");
        check(LA, "2009-11-01T00:59", "2009-11-01T07:59Z");
        check(LA, "2009-11-01T01:00", "fold 2009-11-01T08:00Z 2009-11-01T09:00Z");
        check(LA, "2009-11-01T02:00", "2009-11-01T10:00Z");
        check("Australia/Lord_Howe", "2015-10-04T02:15", "gap 2015-10-03T15:45Z");
        check("Australia/Lord_Howe", "2015-04-05T01:45", "fold 2015-04-04T14:45Z 2015-04-04T15:15Z");
        check("Pacific/Apia", "2011-12-30T12:00", "gap 2011-12-30T22:00Z");
        check("GMT+05:30", "2011-12-30T12:00", "2011-12-30T06:30Z");
    }

    #[test]
    fn reads_and_writes_local_times() {
        let local = LocalTime::parse("2009-03-08T02:30").expect("a local time");
        assert_eq!((local.weekday(), local.day_of_month()), ("Sun", 8));
        assert_eq!((local.date().as_str(), local.time_of_day().as_str()), ("2009-03-08", "02:30"));
        let late = LocalTime::of(&Zone::parse("Asia/Tokyo").expect("an id"), Timestamp::from_seconds(253_402_300_740));
        assert_eq!((late.date().as_str(), late.time_of_day().as_str()), ("10000-01-01", "08:59"));
        for text in ["2009-03-08T02:30Z", "2009-03-08", "2009-03-08T2:30", "", "Z"] {
            assert_eq!(LocalTime::parse(text), None, "{text}");
        }
    }

    #[test]
    fn offsets_have_a_sign_and_rarely_seconds() {
        for (seconds, expect) in [(0, "+00:00"), (-28_800, "-08:00"), (19_800, "+05:30"), (-75, "-00:01:15")] {
            assert_eq!(offset_text(seconds), expect);
        }
    }
}
