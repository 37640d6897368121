//! Moves a workflow job by scripted events instead of running it, for simulations.
//!
//! Moves the job as the runner would: through the state machine, in one transaction with its coordinator action. Must
//! not depend on nodes, attempts or processes.

use crate::transition::cause::Cause;
use crate::transition::workflow::{self, Moves};
use crate::{Engine, lookup};
use howdah_oozie::workflow::job_state::JobEvent;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::time::Timestamp;

/// Moves a workflow job as its runner would at this event; returns `false` when the job's status does not allow it.
///
/// # Errors
/// E0604 when there is no such job, or a failure of the database.
pub fn answer(engine: &mut Engine, id: &JobId, event: JobEvent, now: Timestamp) -> Result<bool> {
    let cause = Cause::new(now, Origin::Scripted);
    engine.store.transact(|transaction| {
        let mut job = transaction.workflow_job(id)?.ok_or_else(|| lookup::unknown(id))?;
        let stored = job.status;
        let Ok(Some(moved)) = workflow::move_workflow_job(&mut job, event, cause) else { return Ok(false) };
        if event == JobEvent::Start {
            job.started_at = Some(cause.at);
        }
        Moves { job: &job, stored, nodes: &[], events: &[moved] }.save_as_read(transaction, cause).map(|()| true)
    })
}
