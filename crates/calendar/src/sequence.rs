//! The instances of a dataset as a sequence of instants.
//!
//! Decides the number of the last instance at a time (coordinator specification 6.6.1). Must not depend on URIs or on
//! whether an instance exists.

use super::add::{Amount, StartPoint, Unit, add};
use super::boundary::{EndOf, move_to_end};
use super::civil::{DAY_SECONDS, Date};
use super::zone::Zone;
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// An estimate up to this is not used: counting starts at the first instance.
const TRUSTED_FROM: i64 = 3;

/// Equally spaced instants: the instances of a dataset, number 0 first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    initial: Timestamp,
    start_point: StartPoint,
    step: Amount,
    zone: Zone,
}

impl Sequence {
    /// Returns the instances from `initial` (moved to the end of its period), one every `step`.
    ///
    /// `None` unless the step is positive and the first instance is in the years 1 to 9999.
    pub fn new(initial: Timestamp, step: Amount, end_of: EndOf, zone: Zone) -> Option<Self> {
        let initial = move_to_end(&zone, initial, end_of)?;
        let start_point = StartPoint::new(&zone, initial, step.unit);
        (step.count > 0).then_some(Self { initial, start_point, step, zone })
    }

    /// Returns the instant of instance 0.
    pub fn initial(&self) -> Timestamp {
        self.initial
    }

    /// Returns the zone whose calendar determines the distance between instances.
    pub fn zone(&self) -> &Zone {
        &self.zone
    }

    /// Returns the distance between instances.
    pub fn step(&self) -> Amount {
        self.step
    }

    /// Returns the instant of instance `index`, which may be negative; `None` only outside the years 1 to 9999.
    pub fn at(&self, index: i64) -> Option<Timestamp> {
        self.start_point.plus(&self.zone, index.checked_mul(self.step.count)?)
    }

    /// Returns the instant one step after `time`, which may or may not be an instance; `None` only outside the years 1
    /// to 9999.
    pub fn after(&self, time: Timestamp) -> Option<Timestamp> {
        add(&self.zone, time, self.step.unit, self.step.count)
    }

    /// Returns the number of the last instance at or before `time`; `None` when `time` is before the first.
    ///
    /// From an estimate it moves from one instance to the next, as Oozie does. Steps of months clip the day each time,
    /// so from a first instance on the 29th to the 31st the number may be one too high.
    pub fn last_index_at(&self, time: Timestamp) -> Option<i64> {
        if time < self.initial {
            return None;
        }
        let units = self.estimated_units(time);
        let mut index = if units < TRUSTED_FROM { 0 } else { units / self.step.count };
        let mut instance = self.at(index)?;
        while instance <= time {
            index += 1;
            match self.after(instance) {
                Some(next) if next > instance => instance = next,
                _ => break,
            }
        }
        Some(index - 1)
    }

    /// Like [`Self::last_index_at`], but counts below zero where `time` is before the first instance; `None` only
    /// outside the years 1 to 9999. Such instances do not exist: this only names the ones that were ignored.
    pub fn extended_index_at(&self, time: Timestamp) -> Option<i64> {
        if time >= self.initial {
            return self.last_index_at(time);
        }
        let mut index = (self.estimated_units(time) / self.step.count).saturating_sub(1).min(-1);
        while self.at(index)? > time {
            index -= 1;
        }
        while index < -1 && self.at(index + 1)? <= time {
            index += 1;
        }
        Some(index)
    }

    /// Returns the number of units between the first instance and `time`, counting every hour, day and week as equally
    /// long.
    fn estimated_units(&self, time: Timestamp) -> i64 {
        let seconds = time - self.initial;
        match self.step.unit {
            Unit::Minute => seconds / MINUTE,
            Unit::Hour => seconds / HOUR,
            Unit::Day => seconds / DAY,
            Unit::Week => seconds / (7 * DAY),
            Unit::Month => self.month_of(time) - self.month_of(self.initial),
            Unit::Year => self.month_of(time).div_euclid(12) - self.month_of(self.initial).div_euclid(12),
        }
    }

    /// Returns the number of local months since the year 0.
    fn month_of(&self, time: Timestamp) -> i64 {
        let date = Date::from_day_number(self.zone.local_seconds(time).div_euclid(DAY_SECONDS));
        date.year * 12 + i64::from(date.month) - 1
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::ProcessingZone;

    fn instant(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
    }

    fn sequence(initial: &str, frequency: Amount, end_of: EndOf, zone: &str) -> Sequence {
        let zone = Zone::parse(zone).expect("a zone of the table");
        Sequence::new(instant(initial), frequency, end_of, zone).expect("a sequence of the table")
    }

    fn check(instances: &Sequence, time: &str, expect: Option<(i64, &str)>) {
        let index = instances.last_index_at(instant(time));
        let found = index.map(|index| (index, ProcessingZone::UTC.format(instances.at(index).expect("in range"))));
        assert_eq!(found, expect.map(|(index, at)| (index, at.to_owned())), "{time}");
    }

    const LA: &str = "America/Los_Angeles";

    #[test]
    fn finds_the_last_instance() {
        let daily = sequence("2009-01-02T00:00Z", Unit::Day.times(1), EndOf::None, LA);
        check(&daily, "2009-01-01T23:59Z", None);
        check(&daily, "2009-01-02T00:00Z", Some((0, "2009-01-02T00:00Z")));
        check(&daily, "2009-05-30T00:45Z", Some((148, "2009-05-29T23:00Z")));
        let weekly = sequence("2009-01-08T00:00Z", Unit::Day.times(7), EndOf::None, "UTC");
        check(&weekly, "2009-05-30T00:00Z", Some((20, "2009-05-28T00:00Z")));
        let fine = sequence("1970-01-01T00:00Z", Unit::Minute.times(1), EndOf::None, "UTC");
        check(&fine, "2026-01-01T00:00Z", Some((29_453_760, "2026-01-01T00:00Z")));
    }

    #[test]
    fn starts_at_the_end_of_the_period() {
        let daily = sequence("2009-01-01T08:00Z", Unit::Day.times(1), EndOf::Day, LA);
        check(&daily, "2009-01-01T08:00Z", None);
        let monthly = sequence("2009-02-02T08:00Z", Unit::Month.times(1), EndOf::Month, LA);
        check(&monthly, "2009-03-02T08:00Z", Some((0, "2009-03-01T08:00Z")));
    }

    #[test]
    fn months_from_the_31st_drift_by_steps() {
        let monthly = sequence("2009-01-31T00:00Z", Unit::Month.times(1), EndOf::None, "UTC");
        check(&monthly, "2009-03-30T00:00Z", Some((2, "2009-03-31T00:00Z")));
        check(&monthly, "2009-04-29T00:00Z", Some((2, "2009-03-31T00:00Z")));
    }

    #[test]
    fn counts_on_before_the_first_instance() {
        for (initial, frequency, zone, time, expect) in [
            ("2009-01-02T00:00Z", Unit::Day.times(1), "UTC", "2009-01-01T23:59Z", Some((-1, "2009-01-01T00:00Z"))),
            ("2009-01-02T00:00Z", Unit::Day.times(1), "UTC", "2009-01-02T00:00Z", Some((0, "2009-01-02T00:00Z"))),
            ("2009-01-02T00:00Z", Unit::Day.times(1), "UTC", "2008-12-31T00:00Z", Some((-2, "2008-12-31T00:00Z"))),
            ("2009-03-31T00:00Z", Unit::Month.times(1), "UTC", "2009-02-27T00:00Z", Some((-2, "2009-01-31T00:00Z"))),
            ("2009-06-01T07:00Z", Unit::Day.times(1), LA, "2009-01-01T08:30Z", Some((-151, "2009-01-01T08:00Z"))),
            ("2009-01-02T00:00Z", Unit::Hour.times(7), "UTC", "2009-01-01T00:00Z", Some((-4, "2008-12-31T20:00Z"))),
            ("2009-01-02T00:00Z", Unit::Year.times(9000), "UTC", "2008-12-31T20:00Z", None),
        ] {
            let instances = sequence(initial, frequency, EndOf::None, zone);
            let found = instances.extended_index_at(instant(time));
            let found = found.map(|index| (index, ProcessingZone::UTC.format(instances.at(index).expect("in range"))));
            assert_eq!(found, expect.map(|(index, at)| (index, at.to_owned())), "{initial} {time}");
        }
    }

    proptest! {
        #[test]
        fn the_next_instance_is_later(seconds in 0_i64..4_000_000_000, count in 1_i64..100, unit in 0_usize..4) {
            let unit = Unit::ALL[unit];
            let instances = sequence("1970-01-01T12:00Z", unit.times(count), EndOf::None, "Europe/Berlin");
            let time = instances.initial() + seconds;
            let index = instances.last_index_at(time).expect("not before the first instance");
            prop_assert!(instances.at(index).is_some_and(|at| at <= time));
            prop_assert!(instances.at(index + 1).is_none_or(|at| at > time));
        }
    }
}
