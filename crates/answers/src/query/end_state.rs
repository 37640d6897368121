//! Whether something is over, for `poll`.

use crate::query::context::Query;
use crate::query::status::AnyStatus;
use howdah_engine::lookup::Job;
use howdah_engine::stored_policy;
use howdah_words::error::Result;
use howdah_words::model::id::Target;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, CoordinatorJob};
use howdah_words::model::status::{ActionStatus, NodeStatus};

/// How far a job, an action or a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndState {
    pub status: AnyStatus,
    /// Whether nothing more happens without a command.
    pub over: bool,
    /// Whether it is over and all is well.
    pub succeeded: bool,
}

impl Query<'_> {
    /// How far it is.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job, action or node.
    pub fn end_state(&self, target: &Target) -> Result<EndState> {
        Ok(match target {
            Target::CoordinatorAction(id, number) => {
                let job = self.coordinator_job(id)?;
                let action = self.coordinator_action(&job, *number)?;
                let over = action.status.is_terminal() && !self.will_rerun(&job, Some(action.key()))?;
                state(action.status, over, action.status == ActionStatus::Succeeded)
            }
            Target::Job(id) => {
                let job = Job::of(self.snapshot, id)?;
                let status: AnyStatus = match &job {
                    Job::Coordinator(job) => job.status.into(),
                    Job::Bundle(job) => job.status.into(),
                    Job::Workflow(job) => job.status.into(),
                };
                let over = job.is_over() && !self.has_rerun_below(&job)?;
                state(status, over, job.has_succeeded())
            }
            Target::Node(id, node) => {
                let job = self.workflow_job(id)?;
                let status = self.workflow_node(&job, node)?.status;
                let over = status.is_terminal() || job.status.is_terminal();
                state(status, over, status == NodeStatus::Ok)
            }
        })
    }
}

impl Query<'_> {
    /// Checks whether the failure policy will rerun an action of a job that is over.
    fn has_rerun_below(&self, job: &Job) -> Result<bool> {
        match job {
            Job::Coordinator(job) => self.will_rerun(job, None),
            Job::Bundle(bundle) => {
                for job in self.snapshot.coordinator_jobs_of_bundle(bundle.job)? {
                    if self.will_rerun(&job, None)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            // The rerun of its action creates another workflow job.
            Job::Workflow(_) => Ok(false),
        }
    }

    /// Checks whether the failure policy reruns an action, or any of a job: a rerun is planned, or an incident from
    /// which one follows is not judged yet.
    fn will_rerun(&self, job: &CoordinatorJob, action: Option<ActionKey>) -> Result<bool> {
        // The verb would refuse it.
        if matches!(job.status, JobStatus::Killed | JobStatus::Failed | JobStatus::Ignored) {
            return Ok(false);
        }
        let policy = stored_policy::of_job(self.snapshot, self.settings.failure_policy, job)?;
        if policy.reruns == 0 {
            return Ok(false);
        }
        let number = action.map(|action| action.number);
        self.snapshot.has_coming_rerun((job.job, number), policy.reruns)
    }
}

fn state(status: impl Into<AnyStatus>, over: bool, succeeded: bool) -> EndState {
    EndState { status: status.into(), over, succeeded }
}
