//! How many actions a job will have in all.
//!
//! Pure. A fixed frequency is asked for the number, because its nominal times are computed from theirs; a cron frequency
//! is counted one by one, up to a bound.

use crate::calendar::{Frequency, Schedule};
use crate::model::time::{MINUTE, Timestamp};
use crate::store::CoordinatorJob;

/// The number of nominal times before the end; `None` for a cron frequency with more than `most`.
pub(super) fn total(schedule: &Schedule, most: u32) -> Option<u64> {
    match schedule.frequency {
        Frequency::Fixed { .. } => Some(before(schedule, schedule.end)),
        Frequency::Cron(_) => {
            let count = schedule.times().take(most as usize + 1).count();
            (count <= most as usize).then_some(count as u64)
        }
    }
}

/// The number of nominal times of a frequency in minutes, which its row alone tells: no definition has to be read.
/// `None` for every other frequency.
pub(super) fn total_of_minutes(job: &CoordinatorJob) -> Option<u64> {
    let minutes: i64 = job.frequency.parse().ok().filter(|minutes| job.time_unit == "MINUTE" && *minutes > 0)?;
    let (length, period) = ((job.end_at - job.start_at).max(0), minutes.checked_mul(MINUTE)?);
    u64::try_from(length / period + i64::from(length % period != 0)).ok()
}

/// How many nominal times of a fixed frequency lie before `time`, bounded by the end.
pub(super) fn before(schedule: &Schedule, time: Timestamp) -> u64 {
    schedule.due_before(time.min(schedule.end)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{Cron, CronZone, EndOf, ProcessingZone, Unit, Zone};

    fn check(frequency: Frequency, start: &str, end: &str) -> u64 {
        let instant = |text: &str| ProcessingZone::UTC.parse_datetime(text).unwrap();
        let schedule = Schedule {
            frequency,
            start: instant(start),
            end: instant(end),
            zone: Zone::parse("America/New_York").unwrap(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        };
        let counted = schedule.times().count() as u64;
        assert_eq!(total(&schedule, 10_000), Some(counted), "{schedule:?}");
        counted
    }

    #[test]
    fn counts_what_the_sequence_yields() {
        let fixed = |count, unit, end_of| Frequency::Fixed { count, unit, end_of };
        for (frequency, expect) in [
            (fixed(1, Unit::Hour, EndOf::None), 743),
            (fixed(1, Unit::Day, EndOf::None), 31),
            (fixed(1, Unit::Month, EndOf::None), 1),
            (fixed(1, Unit::Day, EndOf::Day), 30),
            (fixed(1, Unit::Month, EndOf::Month), 0),
            (Frequency::Cron(Cron::parse("0 2 * * *").unwrap()), 31),
        ] {
            assert_eq!(check(frequency, "2026-03-01T05:00Z", "2026-04-01T04:00Z"), expect);
        }
        assert_eq!(check(fixed(5, Unit::Minute, EndOf::None), "2026-03-01T05:00Z", "2026-03-01T05:01Z"), 1);
    }

    #[test]
    fn a_cron_frequency_beyond_the_bound_is_not_counted() {
        let instant = |text: &str| ProcessingZone::UTC.parse_datetime(text).unwrap();
        let schedule = Schedule {
            frequency: Frequency::Cron(Cron::parse("* * * * *").unwrap()),
            start: instant("2026-03-01T00:00Z"),
            end: instant("2027-03-01T00:00Z"),
            zone: Zone::parse("UTC").unwrap(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        };
        assert_eq!(total(&schedule, 100), None);
    }
}
