//! Which READY actions start, and in which order (specification 6.1.6).
//!
//! Must not depend on the database or the clock.

use crate::coordinator::readiness::{Strategy, is_skipped};
use howdah_words::model::job_status::{JobHold, JobStatus};
use howdah_words::model::row::CoordinatorAction;
use howdah_words::model::status::Execution;
use howdah_words::model::time::Timestamp;

/// What to do with the READY actions of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Actions that may start, in this order, up to the number of free places.
    pub turns: Vec<CoordinatorAction>,
    /// Actions that the execution strategy skips.
    pub skip: Vec<CoordinatorAction>,
    /// How many actions may start now.
    pub places: usize,
}

impl Selection {
    /// The numbers of the actions that start when no start is prevented, and of those that are skipped.
    pub fn numbers(&self) -> (Vec<u32>, Vec<u32>) {
        let start = self.turns.iter().take(self.places).map(|action| action.number).collect();
        (start, self.skip.iter().map(|action| action.number).collect())
    }
}

/// Returns whether a job in this status starts READY actions.
pub fn may_start(job: JobStatus) -> bool {
    use JobStatus as S;
    matches!(job, S::Running { hold: JobHold::Free | JobHold::Paused, .. } | S::SUCCEEDED)
}

/// Chooses from the READY actions of one job.
///
/// A negative `concurrency` means no limit; `occupied` is the number of SUBMITTED and RUNNING actions.
pub fn select(
    mut ready: Vec<CoordinatorAction>,
    concurrency: i64,
    occupied: u64,
    strategy: &Strategy<'_>,
    now: Timestamp,
) -> Selection {
    match strategy.execution {
        Execution::Fifo => ready.sort_by_key(|action| action.nominal_at),
        Execution::Lifo | Execution::LastOnly | Execution::None => {
            ready.sort_by_key(|action| std::cmp::Reverse(action.nominal_at));
        }
    }
    let (mut skip, turns): (Vec<_>, Vec<_>) =
        ready.into_iter().partition(|action| is_skipped(strategy, action.number, action.nominal_at, now));
    let places = usize::try_from(concurrency)
        .map_or(usize::MAX, |limit| limit.saturating_sub(usize::try_from(occupied).unwrap_or(usize::MAX)));
    skip.sort_by_key(|action| action.number);
    Selection { turns, skip, places }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::{CronZone, EndOf, Frequency, ProcessingZone, Schedule, Unit, Zone};
    use howdah_testing::rows::coordinator_action;
    use howdah_words::model::status::ActionStatus;
    use howdah_words::model::time::HOUR;

    /// Selects from the actions 3, 1 and 2; number *n* is due *n* hours after the epoch.
    fn check(execution: Execution, (concurrency, occupied): (i64, u64), now_hours: i64, expect: (&[u32], &[u32])) {
        let at = |hours: i64| Timestamp::from_seconds(hours * HOUR);
        let schedule = Schedule {
            frequency: Frequency::Fixed { count: 1, unit: Unit::Hour, end_of: EndOf::None },
            start: at(1),
            end: at(100),
            zone: Zone::utc(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        };
        let ready = [3, 1, 2].map(|number| coordinator_action(number, ActionStatus::Ready, at(number.into())));
        let strategy = Strategy { execution, schedule: &schedule, none_tolerance_minutes: 1 };
        let selection = select(ready.into(), concurrency, occupied, &strategy, at(now_hours));
        assert_eq!(selection.numbers(), (expect.0.to_vec(), expect.1.to_vec()), "{execution}");
    }

    #[test]
    fn chooses_by_strategy() {
        check(Execution::Fifo, (-1, 5), 9, (&[1, 2, 3], &[]));
        check(Execution::Lifo, (-1, 5), 9, (&[3, 2, 1], &[]));
        check(Execution::LastOnly, (-1, 0), 4, (&[3], &[1, 2]));
        check(Execution::LastOnly, (-1, 0), 3, (&[3, 2], &[1]));
        check(Execution::None, (-1, 0), 3, (&[3], &[1, 2]));
    }

    #[test]
    fn respects_the_concurrency() {
        check(Execution::Fifo, (2, 0), 9, (&[1, 2], &[]));
        check(Execution::Fifo, (2, 1), 9, (&[1], &[]));
        check(Execution::Fifo, (2, 3), 9, (&[], &[]));
        check(Execution::Fifo, (0, 0), 9, (&[], &[]));
        check(Execution::LastOnly, (0, 0), 9, (&[], &[1, 2, 3]));
    }
}
