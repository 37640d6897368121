//! Calendar addition: a number of minutes, hours, days, weeks, months or years later.
//!
//! Decides what "a day later" means across a change of the clocks. Must not depend on
//! what the result is used for.

use std::fmt;

use super::civil::{DAY_SECONDS, Date};
use super::zone::Zone;
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// First second of the year 1, the earliest instant that calendar arithmetic yields.
const EARLIEST: i64 = -62_135_769_600;
/// Last second of the year 9999, the latest instant that calendar arithmetic yields.
const LATEST: i64 = 253_402_300_799;

/// A unit of the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// `MINUTE`, elapsed time.
    Minute,
    /// `HOUR`, elapsed time.
    Hour,
    /// `DAY`, local days.
    Day,
    /// `WEEK`, seven local days.
    Week,
    /// `MONTH`, the day clipped to the length of the month.
    Month,
    /// `YEAR`, twelve months.
    Year,
}

/// A number of units of the calendar: `3 days`; a negative number goes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Amount {
    pub count: i64,
    pub unit: Unit,
}

impl Unit {
    /// Returns this unit a number of times.
    pub const fn times(self, count: i64) -> Amount {
        Amount { count, unit: self }
    }

    /// Every unit, shortest first.
    pub const ALL: &[Self] = &[Self::Minute, Self::Hour, Self::Day, Self::Week, Self::Month, Self::Year];

    /// Returns the word that is stored and printed.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Minute => "MINUTE",
            Self::Hour => "HOUR",
            Self::Day => "DAY",
            Self::Week => "WEEK",
            Self::Month => "MONTH",
            Self::Year => "YEAR",
        }
    }

    /// Returns the unit of a word, exactly as [`Self::as_str`] spells it.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|unit| unit.as_str() == word)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

/// An instant from which units of one kind are counted, many times: what its zone says of it is queried once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct StartPoint {
    at: Timestamp,
    unit: Unit,
    /// The offset of the zone at `at`; elapsed time needs none.
    offset: i32,
}

impl StartPoint {
    /// Returns the start point for `unit` by the calendar of `zone`.
    pub(super) fn new(zone: &Zone, at: Timestamp, unit: Unit) -> Self {
        let offset = if matches!(unit, Unit::Minute | Unit::Hour) { 0 } else { zone.offset_seconds(at) };
        Self { at, unit, offset }
    }

    /// Returns the instant `n` units later by the calendar of the same zone; `None` only outside the years 1 to 9999.
    pub(super) fn plus(self, zone: &Zone, n: i64) -> Option<Timestamp> {
        let sum = match self.unit {
            Unit::Minute => elapsed(self.at, n.checked_mul(MINUTE)?),
            Unit::Hour => elapsed(self.at, n.checked_mul(HOUR)?),
            Unit::Day => self.days_later(zone, n),
            Unit::Week => self.days_later(zone, n.checked_mul(7)?),
            Unit::Month => self.months_later(zone, n),
            Unit::Year => self.months_later(zone, n.checked_mul(12)?),
        }?;
        representable(sum.seconds()).then_some(sum)
    }

    /// Returns the same local time `days` later, computed first with the offset of the start point.
    ///
    /// In a fold the kind of time (summer or standard) stays the same; in a gap the clock reading moves back, unless
    /// that would leave the day.
    fn days_later(self, zone: &Zone, days: i64) -> Option<Timestamp> {
        let same_offset = elapsed(self.at, days.checked_mul(DAY_SECONDS)?)?;
        let (before, after) = (self.offset, zone.offset_seconds(same_offset));
        if before == after || !representable(same_offset.seconds()) {
            return Some(same_offset);
        }
        let same_clock = same_offset + i64::from(before - after);
        let wanted_day = (same_offset.seconds() + i64::from(before)).div_euclid(DAY_SECONDS);
        let day = zone.local_seconds(same_clock).div_euclid(DAY_SECONDS);
        Some(if day == wanted_day { same_clock } else { same_offset })
    }

    fn months_later(self, zone: &Zone, months: i64) -> Option<Timestamp> {
        if months == 0 {
            return Some(self.at);
        }
        let local = self.at.seconds() + i64::from(self.offset);
        let date = Date::from_day_number(local.div_euclid(DAY_SECONDS)).plus_months(months)?;
        if !(1..=9999).contains(&date.year) {
            return None;
        }
        Some(zone.instant(date.day_number() * DAY_SECONDS + local.rem_euclid(DAY_SECONDS)))
    }
}

/// Returns the instant `n` units after `at` by the calendar of `zone`; `None` only outside the years 1 to 9999.
pub fn add(zone: &Zone, at: Timestamp, unit: Unit, n: i64) -> Option<Timestamp> {
    StartPoint::new(zone, at, unit).plus(zone, n)
}

/// Returns whether an instant is in the years 1 to 9999 of UTC.
pub(super) fn representable(seconds: i64) -> bool {
    (EARLIEST..=LATEST).contains(&seconds)
}

fn elapsed(at: Timestamp, seconds: i64) -> Option<Timestamp> {
    at.seconds().checked_add(seconds).map(Timestamp::from_seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessingZone;

    fn check(zone: &str, at: &str, (unit, n): (Unit, i64), expect: &str) {
        let zone = Zone::parse(zone).expect("a zone of the table");
        let at = ProcessingZone::UTC.parse_datetime(at).expect("a datetime of the table");
        let sum = add(&zone, at, unit, n).map(|sum| ProcessingZone::UTC.format(sum));
        assert_eq!(sum.as_deref(), Some(expect), "{} {} + {n} {unit}", zone.id(), ProcessingZone::UTC.format(at));
    }

    const LA: &str = "America/Los_Angeles";

    #[test]
    fn minutes_and_hours_are_elapsed_time() {
        check(LA, "2009-03-08T09:30Z", (Unit::Minute, 60), "2009-03-08T10:30Z");
        check(LA, "2009-03-08T08:00Z", (Unit::Hour, 24), "2009-03-09T08:00Z");
        check(LA, "2009-03-08T08:00Z", (Unit::Hour, -24), "2009-03-07T08:00Z");
    }

    #[test]
    fn days_keep_the_clock_reading() {
        check(LA, "2009-03-07T08:00Z", (Unit::Day, 2), "2009-03-09T07:00Z");
        check(LA, "2009-10-31T07:00Z", (Unit::Day, 2), "2009-11-02T08:00Z");
        check(LA, "2009-03-07T08:00Z", (Unit::Week, 1), "2009-03-14T07:00Z");
        check("Australia/Sydney", "2015-10-03T14:00Z", (Unit::Day, 1), "2015-10-04T13:00Z");
        check("Australia/Lord_Howe", "2015-10-03T01:30Z", (Unit::Day, 2), "2015-10-05T01:00Z");
        check("Australia/Lord_Howe", "2015-04-04T01:00Z", (Unit::Day, 2), "2015-04-06T01:30Z");
        check("Pacific/Chatham", "2015-09-26T00:00Z", (Unit::Day, 1), "2015-09-26T23:00Z");
        check("Asia/Kolkata", "2015-09-26T00:00Z", (Unit::Day, 1), "2015-09-27T00:00Z");
    }

    #[test]
    fn a_day_into_a_gap_moves_back_unless_that_leaves_the_day() {
        check(LA, "2009-03-07T10:30Z", (Unit::Day, 1), "2009-03-08T09:30Z");
        check(LA, "2009-03-09T09:30Z", (Unit::Day, -1), "2009-03-08T10:30Z");
        check("America/Sao_Paulo", "2017-10-14T03:00Z", (Unit::Day, 1), "2017-10-15T03:00Z");
    }

    #[test]
    fn a_day_into_a_fold_keeps_the_kind_of_time() {
        check(LA, "2009-10-31T08:30Z", (Unit::Day, 1), "2009-11-01T08:30Z");
        check(LA, "2009-11-02T09:30Z", (Unit::Day, -1), "2009-11-01T09:30Z");
    }

    #[test]
    fn months_clip_the_day_and_take_the_second_of_a_fold() {
        check("UTC", "2009-01-31T00:00Z", (Unit::Month, 1), "2009-02-28T00:00Z");
        check("UTC", "2009-01-31T00:00Z", (Unit::Month, 2), "2009-03-31T00:00Z");
        check("UTC", "2012-02-29T00:00Z", (Unit::Year, 1), "2013-02-28T00:00Z");
        check("UTC", "2012-02-29T00:00Z", (Unit::Month, -1), "2012-01-29T00:00Z");
        check(LA, "2009-02-08T10:30Z", (Unit::Month, 1), "2009-03-08T10:30Z");
        check(LA, "2009-10-01T08:30Z", (Unit::Month, 1), "2009-11-01T09:30Z");
    }

    #[test]
    fn ends_with_the_representable_years() {
        let at = Timestamp::from_seconds(LATEST);
        for (unit, n) in
            [(Unit::Minute, 1), (Unit::Day, 1), (Unit::Month, 1), (Unit::Year, i64::MAX), (Unit::Week, i64::MIN)]
        {
            assert_eq!(add(&Zone::utc(), at, unit, n), None, "{n} {unit}");
        }
    }

    #[test]
    fn words_read_back() {
        for unit in Unit::ALL {
            assert_eq!(Unit::from_word(unit.as_str()), Some(*unit));
        }
        assert_eq!(Unit::from_word("day"), None);
    }
}
