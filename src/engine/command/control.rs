//! What an operator does to whole jobs: suspend, resume, kill.
//!
//! Each is one transaction. A job whose status does not allow the verb is left alone, and the caller is told why.

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::job_state::JobEvent;
use crate::engine::Engine;
use crate::engine::change::{Cause, move_action, move_job};
use crate::engine::command::{unknown, workflow_of};
use crate::engine::materialize::due_at;
use crate::engine::workflow::control;
use crate::error::{Error, ErrorCode, Result};
use crate::model::id::{JobId, JobKind};
use crate::model::status::{ActionStatus, WorkflowStatus};
use crate::model::time::Timestamp;
use crate::store::{CoordinatorAction, CoordinatorJob, Transaction, WorkflowJob};

/// What to do to a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Suspend,
    Resume,
    Kill,
}

impl Verb {
    /// The verb as the user types it; the origin of its events.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Kill => "kill",
        }
    }
}

/// Does the verb to one job; answers why nothing was done when the job's status does not allow it.
///
/// # Errors
/// E0604 when there is no such job, or a failure of the database.
pub(crate) fn control(engine: &mut Engine, id: &JobId, verb: Verb, now: Timestamp) -> Result<Option<Error>> {
    let cause = Cause::new(now, verb.as_str());
    let lookup_seconds = engine.settings.window.lookup_seconds;
    engine.store.transact(|transaction| match id.kind() {
        JobKind::Coordinator => {
            let job = transaction.coordinator_job(id)?.ok_or_else(|| unknown(id))?;
            control_coordinator(transaction, job, verb, lookup_seconds, cause)
        }
        JobKind::Workflow => {
            let job = transaction.workflow_job(id)?.ok_or_else(|| unknown(id))?;
            control_workflow(transaction, &job, verb, cause)
        }
        JobKind::Bundle => Err(unknown(id)),
    })
}

fn control_workflow(
    transaction: &Transaction<'_>,
    job: &WorkflowJob,
    verb: Verb,
    cause: Cause<'_>,
) -> Result<Option<Error>> {
    let done = match verb {
        Verb::Suspend => control::suspend(transaction, job, cause),
        Verb::Resume => control::resume(transaction, job, cause),
        Verb::Kill => control::kill(transaction, job, cause),
    };
    match done {
        Ok(()) => Ok(None),
        Err(error) if matches!(error.code(), ErrorCode::E0725 | ErrorCode::E0727 | ErrorCode::E1100) => Ok(Some(error)),
        Err(error) => Err(error),
    }
}

fn control_coordinator(
    transaction: &Transaction<'_>,
    mut job: CoordinatorJob,
    verb: Verb,
    lookup_seconds: i64,
    cause: Cause<'_>,
) -> Result<Option<Error>> {
    let event = match verb {
        Verb::Suspend => JobEvent::Suspend,
        Verb::Resume => JobEvent::Resume,
        Verb::Kill => JobEvent::Kill,
    };
    let from = job.status;
    match verb {
        Verb::Suspend => job.suspended_at = Some(cause.at),
        Verb::Resume => job.suspended_at = None,
        Verb::Kill => job.done_materialization = true,
    }
    if let Some(to) = crate::coordinator::job_state::transition(from, event) {
        job.due_at = due_at(&CoordinatorJob { status: to, ..job.clone() }, lookup_seconds);
    }
    if !move_job(transaction, &mut job, event, cause)? {
        return Ok(Some(not_allowed(&job, verb)));
    }
    for action in transaction.open_actions(job.job)? {
        control_action(transaction, action, verb, cause)?;
    }
    Ok(None)
}

/// Passes the verb on to an action's workflow job; kills the action itself when it has none.
fn control_action(
    transaction: &Transaction<'_>,
    mut action: CoordinatorAction,
    verb: Verb,
    cause: Cause<'_>,
) -> Result<()> {
    let workflow = workflow_of(transaction, &action)?;
    match (verb, workflow) {
        (Verb::Suspend, Some(workflow)) if workflow.status == WorkflowStatus::Running => {
            control::suspend(transaction, &workflow, cause)
        }
        (Verb::Resume, Some(workflow)) if action.status == ActionStatus::Suspended => {
            control_workflow(transaction, &workflow, Verb::Resume, cause).map(drop)
        }
        (Verb::Kill, workflow) => {
            if let Some(workflow) = workflow {
                control_workflow(transaction, &workflow, Verb::Kill, cause)?;
            }
            // Its workflow job may have taken it along.
            if let Some(current) = transaction.coordinator_action(action.key())? {
                action = current;
            }
            move_action(transaction, &mut action, ActionEvent::Kill, cause).map(drop)
        }
        (Verb::Suspend | Verb::Resume, _) => Ok(()),
    }
}

fn not_allowed(job: &CoordinatorJob, verb: Verb) -> Error {
    match verb {
        Verb::Suspend => Error::with(ErrorCode::E0728, &[&job.id, &job.status]),
        Verb::Resume => Error::new(ErrorCode::E1100, format!("{} is {} and not suspended", job.id, job.status)),
        Verb::Kill => Error::new(ErrorCode::E1020, format!("{}, status {}", job.id, job.status)),
    }
}
