//! What the failure policy of a coordinator has done and will do.

use serde::Serialize;

use crate::query::context::Query;
use crate::query::json;
use howdah_engine::format::time;
use howdah_engine::stored_policy;
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// The failure policy of a job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FailurePolicyView {
    /// How often an action is rerun that failed.
    pub reruns: u32,
    pub wait_minutes: u32,
    /// 0: the job is not suspended.
    pub suspend_after: u32,
    /// So far.
    pub failures_in_a_row: u32,
}

/// The next rerun of an action by the failure policy of its job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlannedRerunView {
    #[serde(serialize_with = "json::time")]
    pub time: Timestamp,
    /// Which rerun it will be.
    pub number: u32,
    pub of: u32,
    /// Whether the job is suspended, so that the rerun waits for its resume.
    pub(crate) waits_for_resume: bool,
}

impl FailurePolicyView {
    /// Returns the policy in one line.
    pub fn line(&self) -> String {
        let Self { reruns, suspend_after, failures_in_a_row, .. } = self;
        let times = |number: u32, noun: &str| format!("{number} {noun}{}", if number == 1 { "" } else { "s" });
        let rerun = (*reruns > 0).then(|| format!("a failed action is rerun {}", times(*reruns, "time")));
        let suspend = (*suspend_after > 0).then(|| {
            let failures = times(*suspend_after, "failure");
            format!("the job is suspended after {failures} in a row ({failures_in_a_row} so far)")
        });
        rerun.into_iter().chain(suspend).collect::<Vec<_>>().join("; ")
    }
}

impl PlannedRerunView {
    /// Returns which of how many reruns it will be.
    pub fn place(&self) -> String {
        let held = if self.waits_for_resume { ", after the resume of the job" } else { "" };
        format!("({} of {}){held}", self.number, self.of)
    }

    /// Returns it as a sentence about the action.
    pub fn sentence(&self) -> String {
        let Self { time: at, number, of, .. } = self;
        let held = if self.waits_for_resume { ", once its job is resumed" } else { "" };
        format!("the failure policy reruns it at {} ({number} of {of}, howdah.failure.rerun){held}", time(*at))
    }
}

impl Query<'_> {
    /// Returns the failure policy of a job; `None` when it has none.
    pub fn failure_policy(&self, job: &CoordinatorJob) -> Result<Option<FailurePolicyView>> {
        let policy = stored_policy::of_job(self.snapshot, self.settings.failure_policy, job)?;
        if policy.reruns == 0 && policy.suspend_after == 0 {
            return Ok(None);
        }
        Ok(Some(FailurePolicyView {
            reruns: policy.reruns,
            wait_minutes: policy.wait_minutes,
            suspend_after: policy.suspend_after,
            failures_in_a_row: self.snapshot.failures_in_a_row(job.job)?,
        }))
    }

    /// Returns the next rerun of an action by the failure policy; `None` when none is planned.
    pub fn planned_rerun(&self, job: &CoordinatorJob, action: &CoordinatorAction) -> Result<Option<PlannedRerunView>> {
        let Some(plan) = self.snapshot.policy_rerun(action.key())? else { return Ok(None) };
        let Some(time) = plan.rerun_at else { return Ok(None) };
        // The verb would refuse it.
        if matches!(job.status, JobStatus::Killed | JobStatus::Failed | JobStatus::Ignored) {
            return Ok(None);
        }
        let policy = stored_policy::of_job(self.snapshot, self.settings.failure_policy, job)?;
        let number = plan.reruns.saturating_add(1);
        let waits_for_resume = job.status.is_suspended();
        Ok((number <= policy.reruns).then_some(PlannedRerunView { time, number, of: policy.reruns, waits_for_resume }))
    }
}
