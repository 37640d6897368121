//! How well a coordinator job does: whether it is late, when an action last succeeded, and how much it needs a person.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::query::context::Query;
use crate::query::coordinator::{CoordinatorJobsView, Extent};
use howdah_engine::overdue::{self, LateAction};
use howdah_store::{JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey};
use howdah_words::model::time::{DAY, Timestamp};

/// How many of the last actions are searched for the last success.
const MOST_SEARCHED: u32 = 1_000;

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
        overdue::late_action(self.snapshot, job, self.now)
    }

    /// Returns when the last of a job's actions that have succeeded ended.
    pub(super) fn last_success_of(&self, job: &CoordinatorJob) -> Result<Option<Timestamp>> {
        self.snapshot.last_success_at(job.job, job.last_action_number, MOST_SEARCHED)
    }

    /// A page of the coordinator jobs that match: those that need a person first, the late ones before those that
    /// failed in the last 24 hours; then suspended ones, those with older failures, and all others, newest first.
    pub fn coordinator_jobs_by_attention(&mut self, filter: &JobFilter, page: Page) -> Result<CoordinatorJobsView> {
        let (jobs, total) = self.snapshot.coordinator_job_page(filter, Page { offset: 0, len: u32::MAX })?;
        let failures = self.snapshot.latest_failures_since(self.now - DAY)?;
        let ranked = jobs.into_iter().map(|job| Ok((self.attention(&job, &failures)?, job)));
        let mut ranked = ranked.collect::<Result<Vec<_>>>()?;
        ranked.sort_by_key(|(attention, _)| *attention);
        let shown = ranked.iter().skip(page.offset as usize).take(page.len as usize);
        let coordinatorjobs =
            shown.map(|(_, job)| self.coordinator_in_list(job, Extent::Whole)).collect::<Result<_>>()?;
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

#[cfg(test)]
mod tests {
    use super::*;

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
