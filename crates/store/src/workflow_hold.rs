//! Table `workflow_hold`: the workflow jobs that were submitted to be started later.

use super::{Snapshot, Transaction};
use crate::column::params;
use howdah_words::error::Result;
use howdah_words::model::row::WorkflowKey;

impl Snapshot {
    /// Returns whether a workflow job waits to be started.
    pub fn is_workflow_held(&self, job: WorkflowKey) -> Result<bool> {
        self.run(|connection| {
            connection.prepare_cached("SELECT 1 FROM workflow_hold WHERE workflow_job = ?1")?.exists(params![job])
        })
    }
}

impl Transaction<'_> {
    /// Lets a new workflow job wait until it is started.
    pub fn hold_workflow(&self, job: WorkflowKey) -> Result<()> {
        self.run(|connection| {
            let sql = "INSERT INTO workflow_hold (workflow_job) VALUES (?1)";
            connection.prepare_cached(sql)?.execute(params![job]).map(drop)
        })
    }

    /// Lets a workflow job wait no longer.
    pub fn release_workflow(&self, job: WorkflowKey) -> Result<()> {
        self.run(|connection| {
            let sql = "DELETE FROM workflow_hold WHERE workflow_job = ?1";
            connection.prepare_cached(sql)?.execute(params![job]).map(drop)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{fresh, workflow};

    #[test]
    fn a_job_is_held_until_it_is_released() {
        let (_folder, mut store) = fresh();
        let (held, other) = store.transact(|transaction| Ok((workflow(transaction)?, workflow(transaction)?))).unwrap();
        store.transact(|transaction| transaction.hold_workflow(held.job)).unwrap();
        let mut check = |expect: bool| {
            let is_held = |job| store.read(|snapshot| snapshot.is_workflow_held(job)).unwrap();
            assert_eq!((is_held(held.job), is_held(other.job)), (expect, false));
            store.transact(|transaction| transaction.release_workflow(held.job)).unwrap();
        };
        check(true);
        check(false);
    }
}
