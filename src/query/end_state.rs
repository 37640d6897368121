//! Whether something is over, for `poll`.

use crate::engine::lookup::Job;
use crate::error::Result;
use crate::model::id::Target;
use crate::model::status::{ActionStatus, NodeStatus};
use crate::query::context::Query;
use crate::query::status::AnyStatus;

/// How far a job, an action or a node is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EndState {
    pub(crate) status: AnyStatus,
    /// Whether nothing more happens without a command.
    pub(crate) over: bool,
    /// Whether it is over and all is well.
    pub(crate) succeeded: bool,
}

impl Query<'_> {
    /// How far it is.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job, action or node.
    pub(crate) fn end_state(&self, target: &Target) -> Result<EndState> {
        Ok(match target {
            Target::CoordinatorAction(id, number) => {
                let job = self.coordinator_job(id)?;
                let status = self.coordinator_action(&job, *number)?.status;
                state(status, status.is_terminal(), status == ActionStatus::Succeeded)
            }
            Target::Job(id) => {
                let job = Job::of(self.snapshot, id)?;
                let status: AnyStatus = match &job {
                    Job::Coordinator(job) => job.status.into(),
                    Job::Bundle(job) => job.status.into(),
                    Job::Workflow(job) => job.status.into(),
                };
                state(status, job.is_over(), job.has_succeeded())
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

fn state(status: impl Into<AnyStatus>, over: bool, succeeded: bool) -> EndState {
    EndState { status: status.into(), over, succeeded }
}
