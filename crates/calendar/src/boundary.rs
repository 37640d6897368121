//! The start and end of local days, weeks and months.
//!
//! Decides what `endOfDays`, `endOfWeeks`, `endOfMonths`, `hoursInDay` and `daysInMonth` mean for one instant
//! (coordinator specification 4.4.2, 6.6). Weeks start on Sunday in every locale. Must not depend on frequencies or
//! datasets.

use std::fmt;

use super::add::{Unit, add};
use super::civil::{DAY_SECONDS, Date, month_length, weekday};
use super::zone::Zone;
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// Which end of a local period a frequency moves its first instant to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EndOf {
    /// `NONE`: the instant stays.
    #[default]
    None,
    /// `END_OF_DAY`: the start of the next local day.
    Day,
    /// `END_OF_WEEK`: the start of the next Sunday.
    Week,
    /// `END_OF_MONTH`: the start of the first day of the next month.
    Month,
}

impl EndOf {
    /// Every end, shortest period first.
    pub const ALL: &[Self] = &[Self::None, Self::Day, Self::Week, Self::Month];

    /// Returns the word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "NONE",
            Self::Day => "END_OF_DAY",
            Self::Week => "END_OF_WEEK",
            Self::Month => "END_OF_MONTH",
        }
    }

    /// Returns the end that a word names, exactly as [`Self::as_str`] spells it.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|end| end.as_str() == word)
    }
}

impl fmt::Display for EndOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// Returns the first instant after the period that contains `at`; always later than `at`, except for [`EndOf::None`].
///
/// `None` only outside the years 1 to 9999.
pub fn move_to_end(zone: &Zone, at: Timestamp, end: EndOf) -> Option<Timestamp> {
    Some(match end {
        EndOf::None => at,
        EndOf::Day => start_of_local_day(zone, add(zone, at, Unit::Day, 1)?),
        EndOf::Week => start_of_local_week(zone, add(zone, at, Unit::Week, 1)?),
        EndOf::Month => start_of_local_month(zone, add(zone, at, Unit::Month, 1)?),
    })
}

/// Returns midnight of the local day that contains `at`; where midnight does not exist, the first instant of the day.
pub fn start_of_local_day(zone: &Zone, at: Timestamp) -> Timestamp {
    midnight(zone, local_day(zone, at))
}

/// Returns midnight of the Sunday at or before the local day that contains `at`.
pub fn start_of_local_week(zone: &Zone, at: Timestamp) -> Timestamp {
    let day = local_day(zone, at);
    midnight(zone, day - i64::from(weekday(day) - 1))
}

/// Returns midnight of the first day of the local month that contains `at`.
pub fn start_of_local_month(zone: &Zone, at: Timestamp) -> Timestamp {
    let day = local_day(zone, at);
    midnight(zone, day - i64::from(Date::from_day_number(day).day - 1))
}

/// Returns the length of the local day that contains `at` in hours: 23, 24 or 25, never anything else.
///
/// The rule reads the clock 24 hours after half past midnight, so a change by half an hour counts only in spring.
pub fn hours_in_day(zone: &Zone, at: Timestamp) -> i64 {
    let half_past_midnight = local_day(zone, at) * DAY_SECONDS + 30 * MINUTE;
    let next_day = zone.instant(half_past_midnight) + DAY;
    match zone.local_seconds(next_day).rem_euclid(DAY_SECONDS) / HOUR {
        1 => 23,
        23 => 25,
        _ => 24,
    }
}

/// Returns the number of days of the local month that contains `at`.
pub fn days_in_month(zone: &Zone, at: Timestamp) -> i64 {
    let date = Date::from_day_number(local_day(zone, at));
    i64::from(month_length(date.year, date.month))
}

fn local_day(zone: &Zone, at: Timestamp) -> i64 {
    zone.local_seconds(at).div_euclid(DAY_SECONDS)
}

fn midnight(zone: &Zone, day: i64) -> Timestamp {
    zone.instant(day * DAY_SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessingZone;

    fn instant(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
    }

    fn check(zone: &str, at: &str, end: EndOf, expect: &str) {
        let zone = Zone::parse(zone).expect("a zone of the table");
        assert_eq!(move_to_end(&zone, instant(at), end), Some(instant(expect)), "{} {at} {end}", zone.id());
    }

    const LA: &str = "America/Los_Angeles";

    #[test]
    fn moves_to_the_end_of_the_period() {
        check(LA, "2009-01-01T08:00Z", EndOf::None, "2009-01-01T08:00Z");
        check(LA, "2009-01-01T08:00Z", EndOf::Day, "2009-01-02T08:00Z");
        check("UTC", "2009-01-01T08:00Z", EndOf::Day, "2009-01-02T00:00Z");
        check(LA, "2009-03-07T09:00Z", EndOf::Day, "2009-03-08T08:00Z");
        check(LA, "2009-03-08T08:00Z", EndOf::Day, "2009-03-09T07:00Z");
        check("UTC", "2009-01-04T00:00Z", EndOf::Week, "2009-01-11T00:00Z");
        check("UTC", "2009-01-10T23:00Z", EndOf::Week, "2009-01-11T00:00Z");
        check("UTC", "2009-01-31T08:00Z", EndOf::Month, "2009-02-01T00:00Z");
        check("UTC", "2009-12-15T08:00Z", EndOf::Month, "2010-01-01T00:00Z");
    }

    #[test]
    fn a_missing_midnight_is_the_first_instant_of_the_day_and_a_double_one_the_second() {
        check("America/Sao_Paulo", "2017-10-14T12:00Z", EndOf::Day, "2017-10-15T03:00Z");
        check("Asia/Amman", "2014-03-27T12:00Z", EndOf::Day, "2014-03-27T22:00Z");
        check("America/Havana", "2015-10-31T12:00Z", EndOf::Day, "2015-11-01T05:00Z");
    }

    #[test]
    fn starts_of_periods() {
        let (zone, at) = (Zone::utc(), instant("2009-08-20T01:00Z"));
        assert_eq!(start_of_local_day(&zone, at), instant("2009-08-20T00:00Z"));
        assert_eq!(start_of_local_week(&zone, at), instant("2009-08-16T00:00Z"));
        assert_eq!(start_of_local_month(&zone, at), instant("2009-08-01T00:00Z"));
    }

    #[test]
    fn days_have_23_to_25_hours() {
        for (zone, at, expect) in [
            (LA, "2014-03-09T09:00Z", 23),
            (LA, "2014-11-02T09:00Z", 25),
            (LA, "2014-11-03T09:00Z", 24),
            ("Australia/Lord_Howe", "2015-10-03T20:00Z", 23),
            ("Australia/Lord_Howe", "2015-04-04T20:00Z", 24),
        ] {
            let zone = Zone::parse(zone).expect("a zone of the table");
            assert_eq!(hours_in_day(&zone, instant(at)), expect, "{} {at}", zone.id());
        }
    }

    #[test]
    fn months_have_28_to_31_days() {
        let la = Zone::parse(LA).expect("a zone of the table");
        assert_eq!(days_in_month(&la, instant("2012-03-01T07:59Z")), 29);
        assert_eq!(days_in_month(&Zone::utc(), instant("2012-03-01T07:59Z")), 31);
    }

    #[test]
    fn words_read_back() {
        for end in EndOf::ALL {
            assert_eq!(EndOf::from_word(end.as_str()), Some(*end));
        }
    }
}
