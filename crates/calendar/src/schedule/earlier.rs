//! The nominal times before the start of a coordinator, on the same calendar.

use super::Schedule;
use crate::add::add;
use crate::boundary::move_to_end;
use crate::frequency::Frequency;
use howdah_words::model::time::{MINUTE, Timestamp};

/// How many periods before its start a schedule is continued.
const MOST_PERIODS: u32 = 10_000_000;

/// How many further periods are tried: the day of a start at the end of a month is found in at most four years.
const MORE_PERIODS: u32 = 48;

impl Schedule {
    /// Returns the schedule whose nominal times lie before the first one of this schedule and continue its calendar
    /// backwards, at least to `from`; `None` when there is none. It ends at the first nominal time of this schedule.
    ///
    /// A fixed frequency counts from the start, and counting back may give a start from which counting forward does not
    /// return: one month before 31 March is 28 February, and one month after that 28 March. So an earlier start is
    /// tried until the first nominal time of this schedule is again among the times.
    pub fn before_start(&self, from: Timestamp) -> Option<Self> {
        let first = self.following(0, self.start - MINUTE)?;
        if from >= first {
            return None;
        }
        let at = |start: Timestamp| Self { start, end: first, ..self.clone() };
        let (count, unit, end_of) = match &self.frequency {
            Frequency::Fixed { count, unit, end_of } => (*count, *unit, *end_of),
            Frequency::Cron(_) => {
                let whole = Self { end: first + 1, ..at(from) };
                let returns = whole.actions_from(1, first).next().is_some_and(|(_, nominal)| nominal == first);
                return returns.then(|| at(from));
            }
        };
        let back = |periods: u32| add(&self.zone, self.start, unit, count.checked_mul(-i64::from(periods))?);
        let reaches = |periods: u32| {
            let start = back(periods).and_then(|start| move_to_end(&self.zone, start, end_of));
            start.is_none_or(|start| start <= from)
        };
        let (mut low, mut high) = (1, MOST_PERIODS);
        while low < high {
            let middle = low + (high - low) / 2;
            if reaches(middle) { high = middle } else { low = middle + 1 }
        }
        (low..low.saturating_add(MORE_PERIODS)).find_map(|periods| {
            let earlier = at(back(periods)?);
            (reaches(periods) && earlier.following(periods, first) == Some(first)).then_some(earlier)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cron, CronZone, EndOf, ProcessingZone, Unit, Zone};

    fn at(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).unwrap()
    }

    fn fixed(count: i64, unit: Unit, end_of: EndOf) -> Frequency {
        Frequency::Fixed { count, unit, end_of }
    }

    fn check(frequency: Frequency, (zone, start, from): (&str, &str, &str), expect: &[&str]) {
        let (zone, processing) = (Zone::parse(zone).unwrap(), ProcessingZone::UTC);
        let (start, end) = (at(start), at("2030-01-01T00:00Z"));
        let schedule = Schedule { frequency, start, end, zone, processing, cron_zone: CronZone::Processing };
        let earlier = schedule.before_start(at(from));
        let times: Vec<String> = earlier
            .iter()
            .flat_map(|earlier| earlier.actions_from(1, at(from)).map(|(_, nominal)| processing.format(nominal)))
            .collect();
        assert_eq!(times, expect, "{start:?}");
    }

    #[test]
    fn a_fixed_frequency_is_continued_backwards() {
        let hours = || fixed(60, Unit::Minute, EndOf::None);
        let start = "2026-03-01T03:30Z";
        let expect = ["2026-03-01T00:30Z", "2026-03-01T01:30Z", "2026-03-01T02:30Z"];
        check(hours(), ("UTC", start, "2026-03-01T00:10Z"), &expect);
        check(hours(), ("UTC", start, "2026-03-01T00:30Z"), &expect);
        check(hours(), ("UTC", start, start), &[]);
        check(hours(), ("UTC", start, "2026-04-01T00:00Z"), &[]);
    }

    #[test]
    fn days_keep_their_local_time_over_a_change_of_the_clock() {
        check(
            fixed(1, Unit::Day, EndOf::None),
            ("Europe/Vienna", "2026-03-30T04:00Z", "2026-03-27T00:00Z"),
            &["2026-03-27T05:00Z", "2026-03-28T05:00Z", "2026-03-29T04:00Z"],
        );
    }

    #[test]
    fn the_last_day_of_a_month_is_found_again() {
        check(
            fixed(1, Unit::Month, EndOf::None),
            ("UTC", "2026-03-31T00:00Z", "2026-01-15T00:00Z"),
            &["2026-01-31T00:00Z", "2026-02-28T00:00Z"],
        );
        check(
            fixed(1, Unit::Month, EndOf::None),
            ("UTC", "2026-03-31T00:00Z", "2026-02-15T00:00Z"),
            &["2026-02-28T00:00Z"],
        );
    }

    #[test]
    fn ends_of_periods_and_cron() {
        check(
            fixed(1, Unit::Day, EndOf::Day),
            ("UTC", "2026-03-03T05:00Z", "2026-03-02T00:00Z"),
            &["2026-03-02T00:00Z", "2026-03-03T00:00Z"],
        );
        check(
            Frequency::Cron(Cron::parse("0 6 * * *").unwrap()),
            ("UTC", "2026-03-03T05:00Z", "2026-03-01T06:00Z"),
            &["2026-03-01T06:00Z", "2026-03-02T06:00Z"],
        );
    }
}
