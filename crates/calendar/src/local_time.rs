//! Clock readings: a local date and time without a zone.
//!
//! Decides how local times and offsets are written; `reading` finds the instants at which a zone's clocks show one.
//! Must not depend on clock changes or frequencies.

use std::fmt;

use super::civil::{DAY_SECONDS, Date, weekday};
use super::datetime::ProcessingZone;
use super::names::{WEEKDAYS, short};
use super::zone::Zone;
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// A clock reading: seconds since 1970-01-01T00:00 of some local calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LocalTime(i64);

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
    pub fn of(zone: &Zone, at: Timestamp) -> Self {
        Self(zone.local_seconds(at))
    }

    /// Reads `YYYY-MM-DDTHH:mm` with all its digits; `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let text = format!("{text}Z");
        let at = ProcessingZone::UTC.parse_datetime(&text).ok();
        at.filter(|_| ProcessingZone::UTC.written_out(&text).is_none()).map(|at| Self(at.seconds()))
    }

    /// Returns the number of the local day, counted from 1970-01-01.
    pub const fn day_number(self) -> i64 {
        self.0.div_euclid(DAY_SECONDS)
    }

    /// Returns the day of the month, from 1.
    pub fn day_of_month(self) -> u32 {
        Date::from_day_number(self.day_number()).day
    }

    /// Returns whether two local times have the same hour, minute and second.
    pub const fn same_time_of_day(self, other: Self) -> bool {
        self.0.rem_euclid(DAY_SECONDS) == other.0.rem_euclid(DAY_SECONDS)
    }

    /// Returns the day of the week in three letters.
    pub fn weekday(self) -> &'static str {
        short(WEEKDAYS[weekday(self.day_number()) as usize - 1])
    }

    /// Returns `YYYY-MM-DD`.
    pub fn date(self) -> String {
        self.halves().0
    }

    /// Returns `HH:mm`.
    pub fn time_of_day(self) -> String {
        self.halves().1
    }

    /// Returns the date and time of day.
    fn halves(self) -> (String, String) {
        let text = self.to_string();
        let (date, time) = text.split_once('T').expect("a T is between date and time");
        (date.to_owned(), time.to_owned())
    }
}

impl fmt::Display for LocalTime {
    /// Writes `YYYY-MM-DDTHH:mm`; seconds are cut off.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(ProcessingZone::UTC.format(Timestamp::from_seconds(self.0)).trim_end_matches('Z'))
    }
}

/// Returns an offset in seconds east of UTC as `+hh:mm`, with seconds only where there are some (before standard time).
pub fn offset_text(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let [hour, minute] = [HOUR, MINUTE].map(|length| i32::try_from(length).expect("an hour is short"));
    let length = seconds.abs();
    let rest = if length % minute == 0 { String::new() } else { format!(":{:02}", length % minute) };
    format!("{sign}{:02}:{:02}{rest}", length / hour, length % hour / minute)
}

#[cfg(test)]
mod tests {
    use super::*;

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
