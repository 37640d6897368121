//! The seam at which the way of a workflow job is told instead of walked: a simulation answers in the runner's place.
//!
//! Moves a job as the runner would, through the machine of its status and in one transaction with the coordinator
//! action above it. Must never know nodes, attempts or processes.

use crate::engine::transition::cause::Cause;
use crate::engine::transition::{parent_action, workflow};
use crate::engine::{Engine, lookup};
use crate::error::Result;
use crate::model::id::JobId;
use crate::model::time::Timestamp;
use crate::workflow::job_state::JobEvent;

/// The name of a simulation in events.
const ORIGIN: &str = "scripted";

/// Does to a workflow job what its runner would do at this event; `false` when the job's status does not allow it.
///
/// # Errors
/// E0604 when there is no such job, or a failure of the database.
pub(crate) fn answer(engine: &mut Engine, id: &JobId, event: JobEvent, now: Timestamp) -> Result<bool> {
    let cause = Cause::new(now, ORIGIN);
    engine.store.transact(|transaction| {
        let mut job = transaction.workflow_job(id)?.ok_or_else(|| lookup::unknown(id))?;
        let from = job.status;
        let Ok(Some(moved)) = workflow::move_workflow_job(&mut job, event, cause) else { return Ok(false) };
        if event == JobEvent::Start {
            job.started_at = Some(cause.at);
        }
        transaction.update_workflow_job(from, &job)?;
        transaction.insert_event(&moved)?;
        parent_action::tell_parent(transaction, &job, cause)?;
        Ok(true)
    })
}
