//! The days of a month that a day field means.
//!
//! Must not depend on times of day, or on which months count.

use crate::civil::{month_length, weekday};

/// One day field; weekdays are 1 (Sunday) to 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DayRule {
    /// Days of the month: bit *n* is day *n*.
    Days(u64),
    /// Days of the week: bit *n* is weekday *n*.
    Weekdays(u64),
    /// `L`, `L-n`: the number of days before the last of the month.
    Last { before: u32 },
    /// `LW`, `L-nW`: the weekday nearest to that day.
    LastWeekday { before: u32 },
    /// `nW`: the weekday nearest to day *n*, within the month.
    Nearest(u32),
    /// `nL`: the last such weekday of the month.
    LastOf(u32),
    /// `n#k`: the *k*-th such weekday of the month.
    Nth { weekday: u32, number: u32 },
}

/// A month as the rules need it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Month {
    pub(super) year: i64,
    /// 1 to 12.
    pub(super) number: u32,
    /// Day number of its first day.
    pub(super) first_day: i64,
}

impl Month {
    /// Returns the number of days of the month.
    pub(super) fn length(self) -> u32 {
        month_length(self.year, self.number)
    }

    /// Returns the month after this one.
    pub(super) fn next(self) -> Self {
        let first_day = self.first_day + i64::from(self.length());
        if self.number == 12 {
            return Self { year: self.year + 1, number: 1, first_day };
        }
        Self { number: self.number + 1, first_day, ..self }
    }

    fn weekday(self, day: u32) -> u32 {
        weekday(self.first_day + i64::from(day) - 1)
    }
}

impl DayRule {
    /// Returns the days of a month that this rule means: bit *n* is day *n*.
    pub(super) fn days(self, month: Month) -> u64 {
        let length = month.length();
        let within = |day: u32| if (1..=length).contains(&day) { 1_u64 << day } else { 0 };
        match self {
            Self::Days(days) => days & all_days(length),
            Self::Weekdays(weekdays) => spread(weekdays, month.weekday(1)) & all_days(length),
            Self::Last { before } => within(length.saturating_sub(before)),
            Self::LastWeekday { before } => within(nearest_weekday(month, length.saturating_sub(before))),
            Self::Nearest(day) => within(nearest_weekday(month, day)),
            Self::LastOf(weekday) => within(length - (month.weekday(length) + 7 - weekday) % 7),
            Self::Nth { weekday, number } => within((weekday + 7 - month.weekday(1)) % 7 + 1 + 7 * (number - 1)),
        }
    }

    /// Returns whether Quartz, once the day of a month has passed, skips a following month of this length.
    ///
    /// It sets day *n* of that month, and its calendar turns this into a day of the month after. Only there: a short
    /// month that is reached in another way can have a day, see [`nearest_weekday`].
    pub(super) fn skips(self, length: u32) -> bool {
        matches!(self, Self::Nearest(day) if day > length)
    }
}

/// Returns the weekday nearest to a day, within the month; 0 for day 0.
///
/// A day beyond the end continues into the next month, so that the Friday that ends a short month can be the weekday
/// nearest to its "31st".
fn nearest_weekday(month: Month, day: u32) -> u32 {
    const SUNDAY: u32 = 1;
    const SATURDAY: u32 = 7;
    match (day, month.weekday(day)) {
        (0, _) => 0,
        (1, SATURDAY) => 3,
        (_, SATURDAY) => day - 1,
        (_, SUNDAY) if day == month.length() => day - 2,
        (_, SUNDAY) => day + 1,
        _ => day,
    }
}

fn all_days(length: u32) -> u64 {
    (2 << length) - 2
}

/// Returns the days of a month that starts on weekday `first` and whose weekdays are in the set, up to a 35th.
fn spread(weekdays: u64, first: u32) -> u64 {
    let week = weekdays >> 1;
    let rotated = (week >> (first - 1) | week << (8 - first)) & 0x7f;
    (rotated | rotated << 7 | rotated << 14 | rotated << 21 | rotated << 28) << 1
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::civil::Date;

    fn check(rule: DayRule, (year, month): (i64, u32), expect: &[u32]) {
        let first_day = Date { year, month, day: 1 }.day_number();
        let days = rule.days(Month { year, number: month, first_day });
        let found: Vec<u32> = (0..64).filter(|day| days >> day & 1 == 1).collect();
        assert_eq!(found, expect, "{rule:?} {year}-{month}");
    }

    #[test]
    fn days_and_weekdays() {
        check(DayRule::Days(1 << 1 | 1 << 30 | 1 << 31), (2013, 2), &[1]);
        check(DayRule::Days(1 << 1 | 1 << 30 | 1 << 31), (2013, 7), &[1, 30, 31]);
        check(DayRule::Weekdays(1 << 2), (2013, 7), &[1, 8, 15, 22, 29]);
        check(DayRule::Weekdays(1 << 1 | 1 << 7), (2013, 6), &[1, 2, 8, 9, 15, 16, 22, 23, 29, 30]);
    }

    #[test]
    fn last_days() {
        check(DayRule::Last { before: 0 }, (2012, 2), &[29]);
        check(DayRule::Last { before: 3 }, (2013, 9), &[27]);
        check(DayRule::Last { before: 30 }, (2013, 9), &[]);
        check(DayRule::LastWeekday { before: 0 }, (2013, 8), &[30]);
        check(DayRule::LastWeekday { before: 0 }, (2013, 6), &[28]);
        check(DayRule::LastWeekday { before: 30 }, (2013, 6), &[]);
    }

    #[test]
    fn nearest_weekdays() {
        check(DayRule::Nearest(15), (2013, 9), &[16]);
        check(DayRule::Nearest(1), (2013, 6), &[3]);
        check(DayRule::Nearest(31), (2013, 8), &[30]);
        check(DayRule::Nearest(31), (2013, 9), &[]);
        check(DayRule::Nearest(31), (2017, 6), &[30]);
    }

    #[test]
    fn numbered_weekdays() {
        check(DayRule::LastOf(6), (2013, 7), &[26]);
        check(DayRule::Nth { weekday: 6, number: 3 }, (2013, 7), &[19]);
        check(DayRule::Nth { weekday: 6, number: 5 }, (2013, 7), &[]);
    }
}
