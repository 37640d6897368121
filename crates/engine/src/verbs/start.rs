//! Starts a workflow job that was submitted to be started later.

use crate::Engine;
use crate::lookup::unknown;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;

/// Lets a workflow job begin; nothing happens to one that has begun, as in Oozie.
///
/// # Errors
/// E0604 when there is no such workflow job, or a failure of the database.
pub fn start(engine: &mut Engine, id: &JobId) -> Result<()> {
    engine.store.transact(|transaction| {
        let job = transaction.workflow_job(id)?.ok_or_else(|| unknown(id))?;
        transaction.release_workflow(job.job)
    })
}
