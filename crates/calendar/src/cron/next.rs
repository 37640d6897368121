//! Computes the next firing time of a cron frequency.
//!
//! Works on minutes of the processing time zone, which has no transitions.

use super::Cron;
use super::rule::{DayRule, Month};
use crate::civil::Date;
use crate::datetime::ProcessingZone;
use howdah_words::model::time::{MINUTE, Timestamp};

const DAY_MINUTES: i64 = 24 * 60;

/// How far ahead to search for a firing time: a hundred years.
const MONTHS_AHEAD: usize = 1_200;

impl Cron {
    /// Returns the first firing time strictly after `after`; `None` when there is none within a hundred years.
    pub fn next(&self, after: Timestamp, zone: ProcessingZone) -> Option<Timestamp> {
        let local = after.seconds().checked_add(zone.offset_seconds())?;
        let from = local.div_euclid(MINUTE) + 1;
        let one = self.next_by(self.days, from);
        let other = self.other_days.and_then(|days| self.next_by(days, from));
        let minute = one.into_iter().chain(other).min()?;
        Some(Timestamp::from_seconds(minute * MINUTE - zone.offset_seconds()))
    }

    /// Returns how often it fires from one of its firing times, that one included, to the end of that day, and the last
    /// of these times.
    pub(crate) fn rest_of_day(&self, fired: Timestamp, zone: ProcessingZone) -> (u32, Timestamp) {
        let local = (fired.seconds() + zone.offset_seconds()).div_euclid(MINUTE);
        let time = local.rem_euclid(DAY_MINUTES);
        let (hour, minute) = (time / 60, time % 60);
        let this_hour = (self.minutes >> minute).count_ones();
        let later_hours = (self.hours >> (hour + 1)).count_ones();
        let last_time = i64::from(self.hours.ilog2()) * 60 + i64::from(self.minutes.ilog2());
        (this_hour + later_hours * self.minutes.count_ones(), fired + (last_time - time) * MINUTE)
    }

    /// Returns the first local minute at or after `from` on a day of the rule.
    fn next_by(&self, rule: DayRule, from: i64) -> Option<i64> {
        let today = from.div_euclid(DAY_MINUTES);
        let date = Date::from_day_number(today);
        let mut month = Month { year: date.year, number: date.month, first_day: today - i64::from(date.day - 1) };
        let days = rule.days(month);
        let time = self.time_from(from.rem_euclid(DAY_MINUTES));
        if let Some(time) = time.filter(|_| days >> date.day & 1 == 1 && self.counts(month)) {
            return Some(today * DAY_MINUTES + time);
        }
        // The first day to check: today, or tomorrow when no time is left today.
        let day = if time.is_some() { date.day } else { date.day + 1 };
        let mut left = days >> day << day;
        let mut jumps = days != 0 && left == 0 && day <= month.length();
        for _ in 0..=MONTHS_AHEAD {
            if left != 0 && self.counts(month) {
                let day = month.first_day + i64::from(left.trailing_zeros()) - 1;
                return Some(day * DAY_MINUTES + self.first_time());
            }
            month = month.next();
            left = if jumps && rule.skips(month.length()) { 0 } else { rule.days(month) };
            jumps = false;
        }
        None
    }

    fn counts(&self, month: Month) -> bool {
        self.months >> month.number & 1 == 1
    }

    /// Returns the first firing minute of a day at or after minute `from` of that day.
    fn time_from(&self, from: i64) -> Option<i64> {
        let (hour, minute) = (from / 60, from % 60);
        let minutes = self.minutes >> minute << minute;
        if self.hours >> hour & 1 == 1 && minutes != 0 {
            return Some(hour * 60 + i64::from(minutes.trailing_zeros()));
        }
        let hours = self.hours >> (hour + 1) << (hour + 1);
        (hours != 0).then(|| i64::from(hours.trailing_zeros()) * 60 + i64::from(self.minutes.trailing_zeros()))
    }

    /// Returns the first firing minute of a day.
    fn first_time(&self) -> i64 {
        i64::from(self.hours.trailing_zeros()) * 60 + i64::from(self.minutes.trailing_zeros())
    }
}
