//! Table `workflow_hold`: the workflow jobs that were submitted to be started later.

use rusqlite::params;

use super::{Snapshot, Transaction};
use crate::error::Result;
use crate::model::row::WorkflowKey;

impl Snapshot {
    /// Returns whether a workflow job waits to be started.
    pub(crate) fn is_workflow_held(&self, job: WorkflowKey) -> Result<bool> {
        self.run(|connection| {
            connection.prepare_cached("SELECT 1 FROM workflow_hold WHERE workflow_job = ?1")?.exists(params![job])
        })
    }
}

impl Transaction<'_> {
    /// Lets a new workflow job wait until it is started.
    pub(crate) fn hold_workflow(&self, job: WorkflowKey) -> Result<()> {
        self.run(|connection| {
            let sql = "INSERT INTO workflow_hold (workflow_job) VALUES (?1)";
            connection.prepare_cached(sql)?.execute(params![job]).map(drop)
        })
    }

    /// Lets a workflow job wait no longer.
    pub(crate) fn release_workflow(&self, job: WorkflowKey) -> Result<()> {
        self.run(|connection| {
            let sql = "DELETE FROM workflow_hold WHERE workflow_job = ?1";
            connection.prepare_cached(sql)?.execute(params![job]).map(drop)
        })
    }
}
