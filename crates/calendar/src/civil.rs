//! The civil calendar: day numbers to dates and back.
//!
//! Decides the calendar: Julian before 1582-10-15, Gregorian from then on, like the datetimes of Oozie. Must not depend
//! on a zone: a day here is a day of some local time.

/// Seconds in a local day without a transition.
pub const DAY_SECONDS: i64 = 86_400;

/// Day number of 1582-10-15, the first day of the Gregorian calendar.
const CUTOVER: i64 = -141_427;

/// Days between 0000-03-01 and 1970-01-01 in the Gregorian calendar.
const GREGORIAN_SHIFT: i64 = 719_468;

/// Days between 0000-03-01 and 1970-01-01 in the Julian calendar.
const JULIAN_SHIFT: i64 = 719_470;

/// A date; months and days count from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: i64,
    pub(super) month: u32,
    pub(super) day: u32,
}

impl Date {
    /// Returns the date of a day number, counted from 1970-01-01.
    pub(super) fn from_day_number(number: i64) -> Self {
        if number < CUTOVER {
            let shifted = number + JULIAN_SHIFT;
            let cycle_day = shifted.rem_euclid(1_461);
            let year_of_cycle = (cycle_day - cycle_day / 1_460) / 365;
            return Self::from_march(shifted.div_euclid(1_461) * 4 + year_of_cycle, cycle_day - year_of_cycle * 365);
        }
        let shifted = number + GREGORIAN_SHIFT;
        let era = shifted.div_euclid(146_097);
        let era_day = shifted.rem_euclid(146_097);
        let year = (era_day - era_day / 1_460 + era_day / 36_524 - era_day / 146_096) / 365;
        Self::from_march(era * 400 + year, era_day - (365 * year + year / 4 - year / 100))
    }

    /// Returns the date of a year that starts in March and a day of that year, from 0.
    fn from_march(march_year: i64, year_day: i64) -> Self {
        let march_month = (5 * year_day + 2) / 153;
        let day = year_day - (153 * march_month + 2) / 5 + 1;
        let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
        let year = march_year + i64::from(month <= 2);
        let small = |value: i64| u32::try_from(value).expect("a month or a day is small");
        Self { year, month: small(month), day: small(day) }
    }

    /// Returns the day number of the date, counted from 1970-01-01.
    ///
    /// The ten dates that the change of calendars skipped count as days of the Julian calendar.
    pub(super) fn day_number(self) -> i64 {
        let march_year = if self.month <= 2 { self.year - 1 } else { self.year };
        let march_month = i64::from((self.month + 9) % 12);
        let year_day = (153 * march_month + 2) / 5 + i64::from(self.day) - 1;
        if (self.year, self.month, self.day) < (1582, 10, 15) {
            return march_year * 365 + march_year.div_euclid(4) + year_day - JULIAN_SHIFT;
        }
        let leaps = march_year.div_euclid(4) - march_year.div_euclid(100) + march_year.div_euclid(400);
        march_year * 365 + leaps + year_day - GREGORIAN_SHIFT
    }

    /// Returns whether the date exists: ranges, leap years, and the ten dates that the change of calendars skipped.
    pub(super) fn exists(self) -> bool {
        let left_out = self.year == 1582 && self.month == 10 && (5..15).contains(&self.day);
        (1..=12).contains(&self.month) && self.day >= 1 && self.day <= month_length(self.year, self.month) && !left_out
    }

    /// Returns the date `months` later, its day clipped to the length of the month.
    pub(super) fn plus_months(self, months: i64) -> Option<Self> {
        let count = self.year.checked_mul(12)?.checked_add(i64::from(self.month) - 1)?.checked_add(months)?;
        let year = count.div_euclid(12);
        let month = u32::try_from(count.rem_euclid(12)).ok()? + 1;
        Some(Self { year, month, day: self.day.min(month_length(year, month)) })
    }
}

/// Returns the number of days in a month.
pub fn month_length(year: i64, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns whether February has 29 days.
pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0 || year < 1583)
}

/// Returns the day of the week of a day number: 1 is Sunday, 7 is Saturday.
pub(super) fn weekday(day_number: i64) -> u32 {
    // 1970-01-01 was a Thursday.
    u32::try_from((day_number + 4).rem_euclid(7)).expect("a weekday is small") + 1
}

/// Returns the day of the week on which a month begins: 1 is Sunday, 7 is Saturday.
pub fn first_weekday(year: i64, month: u32) -> u32 {
    weekday(Date { year, month, day: 1 }.day_number())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(number: i64, (year, month, day): (i64, u32, u32), day_of_week: u32) {
        let date = Date { year, month, day };
        assert_eq!(Date::from_day_number(number), date, "day {number}");
        assert_eq!(date.day_number(), number, "{date:?}");
        assert!(date.exists(), "{date:?}");
        assert_eq!(weekday(number), day_of_week, "{date:?}");
    }

    #[test]
    fn converts_dates_of_both_calendars() {
        check(0, (1970, 1, 1), 5);
        check(11_016, (2000, 2, 29), 3);
        check(-25_508, (1900, 3, 1), 5);
        check(CUTOVER, (1582, 10, 15), 6);
        check(CUTOVER - 1, (1582, 10, 4), 5);
        check(-719_164, (1, 1, 1), 7);
    }

    #[test]
    fn dates_and_numbers_are_one_to_one() {
        for number in (-719_164..100_000).step_by(61).chain(CUTOVER - 400..CUTOVER + 400) {
            assert_eq!(Date::from_day_number(number).day_number(), number, "day {number}");
        }
    }

    #[test]
    fn some_dates_do_not_exist() {
        for (year, month, day) in [(1900, 2, 29), (2009, 13, 1), (2009, 4, 31), (2009, 1, 0), (1582, 10, 10)] {
            assert!(!Date { year, month, day }.exists(), "{year}-{month}-{day}");
        }
        assert!(Date { year: 1500, month: 2, day: 29 }.exists());
    }
}
