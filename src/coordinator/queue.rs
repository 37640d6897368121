//! Which READY actions start, and in which order (specification 6.1.6).
//!
//! Must not depend on the database or the clock.

use crate::coordinator::readiness::{Strategy, is_skipped};
use crate::model::job_status::{JobHold, JobStatus};
use crate::model::status::Execution;
use crate::model::time::Timestamp;

/// A READY action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadyAction {
    pub(crate) number: u32,
    pub(crate) nominal: Timestamp,
}

/// What to do with the READY actions of a job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Actions that may start, in this order, up to the number of free places.
    pub(crate) turns: Vec<u32>,
    /// Actions that the execution strategy skips.
    pub(crate) skip: Vec<u32>,
    /// How many actions may start now.
    pub(crate) places: usize,
}

#[cfg(feature = "internals")]
impl Selection {
    /// Returns the actions that start when no start is prevented.
    pub(crate) fn start(&self) -> &[u32] {
        &self.turns[..self.turns.len().min(self.places)]
    }
}

/// Returns whether a job in this status starts READY actions.
pub(crate) fn may_start(job: JobStatus) -> bool {
    use JobStatus as S;
    matches!(job, S::Running { hold: JobHold::Free | JobHold::Paused, .. } | S::SUCCEEDED)
}

/// Chooses from the READY actions of one job.
///
/// A negative `concurrency` means no limit; `occupied` is the number of SUBMITTED and RUNNING actions.
pub(crate) fn select(
    ready: &[ReadyAction],
    concurrency: i64,
    occupied: u64,
    strategy: &Strategy<'_>,
    now: Timestamp,
) -> Selection {
    let mut actions = ready.to_vec();
    match strategy.execution {
        Execution::Fifo => actions.sort_by_key(|action| action.nominal),
        Execution::Lifo | Execution::LastOnly | Execution::None => {
            actions.sort_by_key(|action| std::cmp::Reverse(action.nominal));
        }
    }
    let (skip, turns): (Vec<_>, Vec<_>) =
        actions.into_iter().partition(|action| is_skipped(strategy, action.number, action.nominal, now));
    let places = usize::try_from(concurrency)
        .map_or(usize::MAX, |limit| limit.saturating_sub(usize::try_from(occupied).unwrap_or(usize::MAX)));
    let mut skip: Vec<u32> = skip.into_iter().map(|action| action.number).collect();
    skip.sort_unstable();
    Selection { turns: turns.into_iter().map(|action| action.number).collect(), skip, places }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::{CronZone, EndOf, Frequency, ProcessingZone, Schedule, Unit, Zone};
    use crate::model::time::HOUR;

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
        let ready: Vec<ReadyAction> =
            [3, 1, 2].iter().map(|number| ReadyAction { number: *number, nominal: at(i64::from(*number)) }).collect();
        let strategy = Strategy { execution, schedule: &schedule, none_tolerance_minutes: 1 };
        let selection = select(&ready, concurrency, occupied, &strategy, at(now_hours));
        assert_eq!((selection.start(), selection.skip.as_slice()), expect, "{execution}");
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
