//! Whether something is over, for `poll`.

use crate::error::Result;
use crate::model::id::{JobKind, Target};
use crate::model::status::{ActionStatus, BundleStatus, CoordinatorStatus, NodeStatus, WorkflowStatus};
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
            Target::Job(id) if id.kind() == JobKind::Coordinator => {
                let status = self.coordinator_job(id)?.status;
                state(status, status.is_terminal(), status == CoordinatorStatus::Succeeded)
            }
            Target::Job(id) if id.kind() == JobKind::Bundle => {
                let status = self.bundle_job(id)?.status;
                state(status, status.is_terminal(), status == BundleStatus::Succeeded)
            }
            Target::Job(id) => {
                let status = self.workflow_job(id)?.status;
                state(status, status.is_terminal(), status == WorkflowStatus::Succeeded)
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
