//! How many actions a job will have in all.
//!
//! Pure. A job whose cron frequency fires for more days than are worth counting has no number.

use crate::calendar::{Frequency, Schedule};
use crate::model::row::CoordinatorJob;
use crate::model::time::{DAY, MINUTE, Timestamp};

/// The days that cron is counted through: a century. A day is passed over in one step.
const MOST_DAYS: i64 = 100 * 366;

/// The number of nominal times before the end; `None` where counting them would take too long.
pub(super) fn total(schedule: &Schedule) -> Option<u64> {
    let is_short = (schedule.end - schedule.start) / DAY <= MOST_DAYS;
    let counted = matches!(schedule.frequency, Frequency::Fixed { .. }) || is_short;
    counted.then(|| schedule.count().into())
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
    use crate::calendar::{Cron, CronZone, ProcessingZone, Zone};

    fn check(cron: &str, end: &str, expect: Option<u64>) {
        let instant = |text: &str| ProcessingZone::UTC.parse_datetime(text).unwrap();
        let schedule = Schedule {
            frequency: Frequency::Cron(Cron::parse(cron).unwrap()),
            start: instant("2026-03-01T00:00Z"),
            end: instant(end),
            zone: Zone::parse("UTC").unwrap(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        };
        assert_eq!(total(&schedule), expect);
    }

    #[test]
    fn cron_is_counted_as_far_as_that_is_quick() {
        check("0 2 * * *", "2026-04-01T00:00Z", Some(31));
        check("* * * * *", "2027-03-01T00:00Z", Some(365 * 1440));
        check("* * * * *", "2126-03-01T00:00Z", Some(36_524 * 1440));
        check("0 2 * * *", "2127-03-01T00:00Z", None);
    }
}
