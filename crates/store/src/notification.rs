//! Tables `coordinator_notification` and `workflow_notification`: the URLs that are notified of a job's changes.
//!
//! Only jobs with notifications have a row: for all others a change of a status costs one query to an empty table.

use super::row::{execute_row, query_one, table_row};
use super::{Snapshot, Transaction};
use crate::column::params;
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorKey, CoordinatorNotification, WorkflowKey, WorkflowNotification};

table_row! { CoordinatorNotification { job, url, proxy } }

table_row! { WorkflowNotification { job, job_url, node_url, proxy } }

impl Snapshot {
    /// The URL for changes of a coordinator's actions; `None` for a job without notifications.
    pub fn coordinator_notification(&self, job: CoordinatorKey) -> Result<Option<CoordinatorNotification>> {
        let sql = "SELECT * FROM coordinator_notification WHERE job = ?1";
        self.run(|connection| query_one(connection, sql, params![job]))
    }

    /// The URLs for changes of a workflow job; `None` for a job without notifications.
    pub fn workflow_notification(&self, job: WorkflowKey) -> Result<Option<WorkflowNotification>> {
        let sql = "SELECT * FROM workflow_notification WHERE job = ?1";
        self.run(|connection| query_one(connection, sql, params![job]))
    }
}

impl Transaction<'_> {
    /// Sets the URL for later changes of a coordinator's actions; `None` removes it.
    pub fn set_coordinator_notification(
        &self,
        job: CoordinatorKey,
        notification: Option<&CoordinatorNotification>,
    ) -> Result<()> {
        self.run(|connection| {
            connection.prepare_cached("DELETE FROM coordinator_notification WHERE job = ?1")?.execute(params![job])?;
            let sql = "INSERT INTO coordinator_notification (job, url, proxy) VALUES (:job, :url, :proxy)";
            notification.map_or(Ok(0), |row| execute_row(connection, sql, row, &[]))
        })
        .map(drop)
    }

    /// Sets the URLs for later changes of a workflow job; `None` removes them.
    pub fn set_workflow_notification(
        &self,
        job: WorkflowKey,
        notification: Option<&WorkflowNotification>,
    ) -> Result<()> {
        self.run(|connection| {
            connection.prepare_cached("DELETE FROM workflow_notification WHERE job = ?1")?.execute(params![job])?;
            let sql = include_str!("sql/workflow_notification/insert.sql");
            notification.map_or(Ok(0), |row| execute_row(connection, sql, row, &[]))
        })
        .map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{coordinator, fresh, workflow};
    use super::*;

    #[test]
    fn a_notification_is_set_replaced_and_taken_away() {
        let (_folder, mut store) = fresh();
        store
            .transact(|transaction| {
                let job = coordinator(transaction)?.job;
                let row = |url: &str| CoordinatorNotification { job, url: url.to_owned(), proxy: None };
                for set in [None, Some(row("http://a")), Some(row("http://b")), None] {
                    transaction.set_coordinator_notification(job, set.as_ref())?;
                    assert_eq!(transaction.coordinator_notification(job)?, set);
                }
                let job = workflow(transaction)?.job;
                let row = |url: &str| WorkflowNotification {
                    job,
                    job_url: None,
                    node_url: Some(url.to_owned()),
                    proxy: Some("socks@p:1".to_owned()),
                };
                for set in [None, Some(row("http://a")), Some(row("http://b")), None] {
                    transaction.set_workflow_notification(job, set.as_ref())?;
                    assert_eq!(transaction.workflow_notification(job)?, set);
                }
                Ok(())
            })
            .unwrap();
    }
}
