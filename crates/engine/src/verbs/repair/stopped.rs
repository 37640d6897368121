//! Whether an operator has stopped what a rerun would start again that asks no one.

use std::collections::BTreeSet;

use crate::verbs::repair::draft::Draft;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey, RepairStep};
use howdah_words::model::time::Timestamp;

/// Returns whether a coordinator job is suspended, or its bundle in which the rerun would open the job again; with
/// `since`, only a suspension of this time or later counts.
///
/// # Errors
/// A failure of the database.
pub(crate) fn is_stopped(snapshot: &Snapshot, job: &CoordinatorJob, since: Option<Timestamp>) -> Result<bool> {
    if job.status.is_suspended() {
        return Ok(since.is_none_or(|since| job.suspended_at.is_none_or(|at| at >= since)));
    }
    let bundle = job.parent_bundle.filter(|_| job.status.is_terminal());
    let bundle = bundle.map_or(Ok(None), |bundle| snapshot.bundle_job_at(bundle))?;
    Ok(bundle.and_then(|bundle| bundle.suspended_at).is_some_and(|at| since.is_none_or(|since| at >= since)))
}

impl Draft {
    /// Returns whether a job of this stored plan, or its bundle, was suspended after the rerun was ordered. What was
    /// suspended before is opened again, as the client wanted it; the failure policy reruns nothing that is suspended.
    ///
    /// # Errors
    /// A failure of the database.
    pub(crate) fn is_stopped(&self, snapshot: &Snapshot) -> Result<bool> {
        let since = self.repair.reason.is_none().then_some(self.repair.created_at);
        let suspended_at = self.bundle(snapshot)?.and_then(|bundle| bundle.suspended_at);
        if suspended_at.is_some_and(|at| since.is_none_or(|since| at >= since)) {
            return Ok(true);
        }
        for job in self.jobs(snapshot)? {
            let job = snapshot.coordinator_job_at(job)?;
            if job.map_or(Ok(false), |job| is_stopped(snapshot, &job, since))? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Returns the coordinator jobs of its actions and of its workflow jobs.
    fn jobs(&self, snapshot: &Snapshot) -> Result<BTreeSet<CoordinatorKey>> {
        let job = |step: &RepairStep| match (step.coordinator_job, step.workflow_job) {
            (None, Some(job)) => Ok(snapshot.workflow_job_at(job)?.and_then(|job| job.parent_coordinator)),
            (job, _) => Ok(job),
        };
        self.steps.iter().filter_map(|step| job(step).transpose()).collect()
    }
}
