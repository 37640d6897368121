//! Materializing in any number of steps creates the same actions as one step, in every zone and at every frequency.

use proptest::prelude::*;

use super::*;
use howdah_testing::rows::coordinator_job;
use howdah_testing::zones::{EVERY_ZONE, every_frequency, schedule};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::time::DAY;

/// Actions of a job, at most.
const ACTIONS: usize = 24;

fn job(execution: Execution, throttle: i32) -> CoordinatorJob {
    CoordinatorJob { throttle, execution, ..coordinator_job(JobStatus::RUNNING) }
}

/// Returns the numbers and times of all actions when a run happens at each of `moments`, and then each time one is due.
fn created(
    mut job: CoordinatorJob,
    schedule: &Schedule,
    window: &Window,
    moments: &[Timestamp],
) -> Vec<(u32, Timestamp)> {
    let mut created = Vec::new();
    let mut moments = moments.iter();
    while !job.done_materialization {
        let due = job.next_materialized_at.unwrap_or(schedule.start);
        let moment = moments.next();
        let materialization = Materialization { job: &job, schedule, waiting: 0 };
        let Some(run) = materialization.run(*moment.unwrap_or(&due), window) else {
            assert!(moment.is_some(), "{job:?} is not materialized when it is due");
            continue;
        };
        created.extend(run.created);
        job.next_materialized_at = run.next;
        (job.last_action_number, job.done_materialization) = (run.last_action_number, run.done);
    }
    created
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    #[test]
    fn steps_do_not_matter(
        start in -2_000_000_000_i64..2_000_000_000,
        count in 1_i64..40,
        days in 1_i64..2_000,
        (window_seconds, throttle) in (prop_oneof![1_i64..600, 3_600_i64..40_000_000], 1_i32..30),
        moments in prop::collection::vec(-DAY..400 * DAY, 0..8),
    ) {
        for (number, zone) in (0..).zip(EVERY_ZONE.iter()) {
            // Each zone starts in another part of its history.
            let start = Timestamp::from_seconds((start + 86_413 * number) % 2_000_000_000).floor_minute();
            let moments: Vec<Timestamp> = moments.iter().map(|after| start + *after).collect();
            for frequency in every_frequency(count) {
                let mut schedule = schedule(zone, frequency, (start, start + days * DAY));
                let beyond = schedule.times().nth(ACTIONS);
                schedule.end = beyond.unwrap_or(schedule.end);
                let numbered: Vec<(u32, Timestamp)> = (1..).zip(schedule.times()).collect();
                let at_once = Window { window_seconds: days * DAY, ..Window::default() };
                let job_at_once = job(Execution::Fifo, i32::MAX);
                let one = Materialization { job: &job_at_once, schedule: &schedule, waiting: 0 };
                let one = one.run(start, &at_once).expect("it is due");
                prop_assert_eq!(&one.created, &numbered, "at once {:?}", &schedule);
                let window = Window { window_seconds, ..Window::default() };
                for execution in [Execution::Fifo, Execution::LastOnly] {
                    let steps = created(job(execution, throttle), &schedule, &window, &moments);
                    prop_assert_eq!(&steps, &numbered, "{:?} {:?} {:?}", execution, &schedule, &moments);
                }
            }
        }
    }
}
