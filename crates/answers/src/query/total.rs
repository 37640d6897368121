//! How many actions a job will have in all.
//!
//! Pure. A job whose cron frequency fires for more days than are worth counting has no number. A job that continues
//! another one begins with a later number: it never has the actions before that.

use howdah_calendar::{Frequency, Schedule};
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::{DAY, MINUTE, Timestamp};

/// The days that cron is counted through: a century. A day is passed over in one step.
const MOST_DAYS: i64 = 100 * 366;

/// The number of actions that a job has and will have, of which `created` exist; `None` where counting them would take
/// too long.
pub(super) fn total(schedule: &Schedule, job: &CoordinatorJob, created: u64) -> Option<u64> {
    nominal_times(schedule).map(|all| all.saturating_sub(run_by_others(job, created)))
}

/// How many actions with earlier numbers a job has not: another job has run them.
fn run_by_others(job: &CoordinatorJob, created: u64) -> u64 {
    u64::from(job.last_action_number).saturating_sub(created)
}

/// The number of nominal times before the end; `None` where counting them would take too long.
fn nominal_times(schedule: &Schedule) -> Option<u64> {
    let is_short = (schedule.end - schedule.start) / DAY <= MOST_DAYS;
    let counted = matches!(schedule.frequency, Frequency::Fixed { .. }) || is_short;
    counted.then(|| schedule.count().into())
}

/// As [`total`], for a frequency in minutes, which the job's row alone tells: no definition has to be read. `None` for
/// every other frequency.
pub(super) fn total_of_minutes(job: &CoordinatorJob, created: u64) -> Option<u64> {
    let minutes: i64 = job.frequency.parse().ok().filter(|minutes| job.time_unit == "MINUTE" && *minutes > 0)?;
    let (length, period) = ((job.end_at - job.start_at).max(0), minutes.checked_mul(MINUTE)?);
    let all = u64::try_from(length / period + i64::from(length % period != 0)).ok()?;
    Some(all.saturating_sub(run_by_others(job, created)))
}

/// How many nominal times of a fixed frequency lie before `time`, bounded by the end.
pub(super) fn before(schedule: &Schedule, time: Timestamp) -> u64 {
    schedule.due_before(time.min(schedule.end)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::{Cron, CronZone, EndOf, ProcessingZone, Unit, Zone};
    use howdah_testing::rows::coordinator_job;
    use howdah_words::model::job_status::JobStatus;
    use howdah_words::model::time::HOUR;

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
        assert_eq!(nominal_times(&schedule), expect);
    }

    #[test]
    fn a_job_that_continues_another_one_has_only_its_own_actions() {
        let start = ProcessingZone::UTC.parse_datetime("2026-03-01T00:00Z").unwrap();
        let schedule = Schedule {
            frequency: Frequency::Fixed { count: 60, unit: Unit::Minute, end_of: EndOf::None },
            start,
            end: start + 8 * HOUR,
            zone: Zone::parse("UTC").unwrap(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        };
        for (last, created, expect) in [(0, 0, 8), (3, 3, 8), (3, 0, 5), (5, 2, 5), (8, 5, 5), (9, 0, 0)] {
            let job = CoordinatorJob {
                last_action_number: last,
                start_at: start,
                end_at: schedule.end,
                frequency: "60".to_owned(),
                time_unit: "MINUTE".to_owned(),
                ..coordinator_job(JobStatus::RUNNING)
            };
            let totals = (total(&schedule, &job, created), total_of_minutes(&job, created));
            assert_eq!(totals, (Some(expect), Some(expect)), "{last} {created}");
        }
    }

    #[test]
    fn cron_is_counted_as_far_as_that_is_quick() {
        check("0 2 * * *", "2026-04-01T00:00Z", Some(31));
        check("* * * * *", "2027-03-01T00:00Z", Some(365 * 1440));
        check("* * * * *", "2126-03-01T00:00Z", Some(36_524 * 1440));
        check("0 2 * * *", "2127-03-01T00:00Z", None);
    }
}
