//! How well a coordinator job does: whether it is late, when an action last succeeded, and how much it needs a person.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::error::Result;
use crate::model::job_status::JobStatus;
use crate::model::row::{CoordinatorJob, CoordinatorKey};
use crate::model::time::{DAY, HOUR, MINUTE, Timestamp};
use crate::query::context::Query;
use crate::query::coordinator::CoordinatorJobsView;
use crate::store::{JobFilter, Page};

/// How many actions before the oldest open one tell how long the actions of a job usually take.
const MOST_DELAYS: u32 = 20;
/// An action is late when it has not ended after twice the usual time and this many seconds.
const GRACE: i64 = 15 * MINUTE;
/// How long the actions of a job without history may take.
const USUAL: i64 = HOUR;
/// How many of the last actions are searched for the last success.
const MOST_SEARCHED: u32 = 1_000;

/// The oldest open action of a job, where it takes much longer than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LateAction {
    pub(super) number: u32,
    pub(super) nominal_at: Timestamp,
    /// How long ago its nominal time was.
    pub(super) seconds: i64,
}

/// Why a person should look at a job, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Attention {
    /// So many seconds after the nominal time of its oldest open action.
    Late(Reverse<i64>),
    /// At this time in the last 24 hours.
    Failed(Reverse<Timestamp>),
    Suspended,
    /// An older failure of a job that has not ended.
    FailedBefore,
    Nothing,
}

impl Query<'_> {
    /// Returns the oldest open action of a job that has not ended, if it is late.
    pub(super) fn late_action(&self, job: &CoordinatorJob) -> Result<Option<LateAction>> {
        if job.status.is_terminal() || job.status.is_suspended() {
            return Ok(None);
        }
        let Some(oldest) = self.snapshot.oldest_open_action(job.job)? else { return Ok(None) };
        let seconds = self.now - oldest.nominal_at;
        // Most jobs are not late: their history need not be read.
        if seconds <= GRACE {
            return Ok(None);
        }
        let delays = self.snapshot.delays_before(job.job, oldest.number, MOST_DELAYS)?;
        let is_late = seconds > 2 * median(delays).unwrap_or(USUAL) + GRACE;
        Ok(is_late.then_some(LateAction { number: oldest.number, nominal_at: oldest.nominal_at, seconds }))
    }

    /// Returns when the last of a job's actions that have succeeded ended.
    pub(super) fn last_success_of(&self, job: &CoordinatorJob) -> Result<Option<Timestamp>> {
        self.snapshot.last_success_at(job.job, job.last_action_number, MOST_SEARCHED)
    }

    /// A page of the coordinator jobs that match: those that need a person first, the late ones before those that
    /// failed in the last 24 hours; then suspended ones, those with older failures, and all others, newest first.
    pub(crate) fn coordinator_jobs_by_attention(
        &mut self,
        filter: &JobFilter,
        page: Page,
    ) -> Result<CoordinatorJobsView> {
        let (jobs, total) = self.snapshot.coordinator_job_page(filter, Page { offset: 0, len: u32::MAX })?;
        let failures = self.snapshot.latest_failures_since(self.now - DAY)?;
        let ranked = jobs.into_iter().map(|job| Ok((self.attention(&job, &failures)?, job)));
        let mut ranked = ranked.collect::<Result<Vec<_>>>()?;
        ranked.sort_by_key(|(attention, _)| *attention);
        let shown = ranked.iter().skip(page.offset as usize).take(page.len as usize);
        let coordinatorjobs = shown.map(|(_, job)| self.coordinator_in_list(job)).collect::<Result<_>>()?;
        Ok(CoordinatorJobsView { total, offset: page.offset + 1, len: page.len, coordinatorjobs })
    }

    fn attention(&self, job: &CoordinatorJob, failures: &BTreeMap<CoordinatorKey, Timestamp>) -> Result<Attention> {
        if let Some(late) = self.late_action(job)? {
            return Ok(Attention::Late(Reverse(late.seconds)));
        }
        let own = job.ended_at.filter(|ended| job.status == JobStatus::Failed && *ended >= self.now - DAY);
        Ok(match failures.get(&job.job).copied().max(own) {
            Some(at) => Attention::Failed(Reverse(at)),
            None if job.status.is_suspended() => Attention::Suspended,
            None if job.status.is_with_error() && !job.status.is_terminal() => Attention::FailedBefore,
            None => Attention::Nothing,
        })
    }
}

/// Returns the value in the middle; `None` without values.
fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_time_is_the_one_in_the_middle() {
        for (values, expect) in [(&[][..], None), (&[5], Some(5)), (&[9, 1, 5], Some(5)), (&[1, 2, 3, 100], Some(3))] {
            assert_eq!(median(values.to_vec()), expect, "{values:?}");
        }
    }

    #[test]
    fn the_most_urgent_comes_first() {
        let at = |seconds| Reverse(Timestamp::from_seconds(seconds));
        let mut all = [
            Attention::Nothing,
            Attention::FailedBefore,
            Attention::Suspended,
            Attention::Failed(at(1)),
            Attention::Failed(at(2)),
            Attention::Late(Reverse(60)),
            Attention::Late(Reverse(3600)),
        ];
        let expect: Vec<Attention> = all.iter().rev().copied().collect();
        all.sort();
        assert_eq!(all.to_vec(), expect);
    }
}
