//! A run that passes actions over leaves what all runs leave that create each of them and skip it.

use proptest::prelude::*;

use super::*;
use crate::coordinator::readiness::Strategy;
use howdah_testing::rows::coordinator_job;
use howdah_testing::zones::{EVERY_ZONE, every_frequency, schedule};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::time::DAY;

/// Settings without a batch size, as the run that passes over has none.
const WINDOW: Window = Window { window_seconds: 3600, lookup_seconds: 300, catch_up_limit: None };

/// What one tick leaves: the numbers and times of the actions that are skipped and of those that wait, and the job.
type Left = (Vec<(u32, Timestamp)>, Vec<(u32, Timestamp)>, CoordinatorJob);

/// Repeats runs and skips until nothing changes; with `at_once`, runs pass over what they can.
fn tick(job: &CoordinatorJob, strategy: &Strategy<'_>, now: Timestamp, at_once: bool) -> (Left, usize) {
    let (mut skipped, mut waiting, mut passed) = (Vec::new(), Vec::new(), 0);
    let mut job = job.clone();
    loop {
        let count = waiting.len() as u64;
        let materialization = Materialization { job: &job, schedule: strategy.schedule, waiting: count };
        if !materialization.is_selected(now, &WINDOW) {
            break;
        }
        let catch_up = if at_once { materialization.catch_up(strategy, now, &WINDOW) } else { None };
        if let Some(CatchUp { first, last, .. }) = &catch_up {
            let all = std::iter::successors(Some(*first), |at| strategy.schedule.next_after(*at));
            let before = skipped.len();
            skipped.extend(all.take_while(|(number, _)| number <= &last.0));
            passed += skipped.len() - before;
        }
        let run = catch_up.map(|catch_up| catch_up.rest).or_else(|| materialization.run(now, &WINDOW));
        let Some(run) = run else { break };
        let before = (job.last_action_number, job.next_materialized_at, job.done_materialization);
        (job.last_action_number, job.next_materialized_at, job.done_materialization) =
            (run.last_action_number, run.next, run.done);
        waiting.extend(run.created);
        let late = |(number, at): &(u32, Timestamp)| is_skipped(strategy, *number, *at, now);
        skipped.extend(waiting.extract_if(.., |action| late(action)));
        if before == (job.last_action_number, job.next_materialized_at, job.done_materialization) {
            break;
        }
    }
    skipped.sort_unstable();
    ((skipped, waiting, job), passed)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    #[test]
    fn one_run_leaves_what_many_leave(
        start in -1_000_000_000_i64..1_900_000_000,
        count in 1_i64..5,
        minutes in 150_i64..700,
        (done, late, throttle) in (0_u32..9, 0_i64..3 * DAY, 1_i32..30),
        (end, pause) in (-400_i64..400, prop::option::of(-400_i64..400)),
        (none, tolerance) in (any::<bool>(), 1_i64..3000),
    ) {
        let mut most = 0;
        for (number, zone) in (0..).zip(EVERY_ZONE.iter()).step_by(7) {
            // Each zone starts in another part of its history.
            let start = Timestamp::from_seconds((start + 86_413 * number) % 1_900_000_000).floor_minute();
            for frequency in every_frequency(count) {
                let mut schedule = schedule(zone, frequency, (start, start + 400_000 * DAY));
                let Some(last) = schedule.times().nth(usize::try_from(minutes).expect("a small number")) else { continue };
                let period = (last - start) / minutes;
                let now = last + late % (period + 1);
                schedule.end = now + end * period / 100;
                let from = schedule.nominal(done + 1).filter(|from| *from < schedule.end);
                let Some(from) = from else { continue };
                let execution = if none { Execution::None } else { Execution::LastOnly };
                let job = CoordinatorJob {
                    execution, throttle, last_action_number: done, next_materialized_at: Some(from),
                    pause_at: pause.map(|pause| now + pause * period / 100),
                    start_at: start, end_at: schedule.end,
                    ..coordinator_job(JobStatus::RUNNING)
                };
                let strategy = Strategy { execution, schedule: &schedule, none_tolerance_minutes: tolerance };
                let (at_once, passed) = tick(&job, &strategy, now, true);
                prop_assert_eq!(&at_once, &tick(&job, &strategy, now, false).0, "{:?} {}", &schedule, now.seconds());
                most = most.max(passed);
            }
        }
        // The comparison says nothing about a range when there is none.
        prop_assert!(most > 100 || pause.is_some() || end < 0, "{}", most);
    }
}
