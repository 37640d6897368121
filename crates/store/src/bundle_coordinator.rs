//! Table `bundle_coordinator`: the coordinators that a bundle submits, and the result for each.
//!
//! A row is created with its bundle; it gets its coordinator job, or the reason why there is none, once.

use rusqlite::{Row, Statement};

use super::row::{TableRow, execute_row, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, ToColumn, params};
use howdah_words::error::Result;
use howdah_words::model::row::{BundleCoordinator, BundleJob, BundleKey, BundleMember, CoordinatorJob, CoordinatorKey};

table_row! {
    BundleCoordinator {
        bundle, sequence, name, coordinator_job, error_code, error_message, oozie_id, oozie_status,
    }
}

impl TableRow for BundleMember {
    fn places(statement: &Statement<'_>) -> rusqlite::Result<Vec<usize>> {
        let mut places = BundleCoordinator::places(statement)?;
        places.push(statement.column_index("status")?);
        Ok(places)
    }

    fn from_row(row: &Row<'_>, places: &[usize]) -> rusqlite::Result<Self> {
        let (status, coordinator) = places.split_last().ok_or(rusqlite::Error::InvalidQuery)?;
        Ok(Self { coordinator: BundleCoordinator::from_row(row, coordinator)?, status: row.column(*status)? })
    }

    fn value(&self, column: &str) -> Option<&dyn ToColumn> {
        self.coordinator.value(column)
    }
}

impl Snapshot {
    /// The coordinators of a bundle in document order, each with its status.
    pub fn bundle_members(&self, bundle: BundleKey) -> Result<Vec<BundleMember>> {
        let sql = include_str!("sql/bundle_coordinator/members.sql");
        self.run(|connection| query_rows(connection, sql, params![bundle]))
    }

    /// The jobs of a bundle's coordinators that were submitted, in document order.
    pub fn coordinator_jobs_of_bundle(&self, bundle: BundleKey) -> Result<Vec<CoordinatorJob>> {
        let sql = "SELECT coordinator_job.* FROM bundle_coordinator \
                   JOIN coordinator_job ON job = bundle_coordinator.coordinator_job WHERE bundle = ?1 ORDER BY \
                   sequence";
        self.run(|connection| query_rows(connection, sql, params![bundle]))
    }
}

impl Transaction<'_> {
    /// Stores a coordinator of a bundle.
    pub fn insert_bundle_coordinator(&self, coordinator: &BundleCoordinator) -> Result<()> {
        let sql = include_str!("sql/bundle_coordinator/insert.sql");
        self.run(|connection| execute_row(connection, sql, coordinator, &[]).map(drop))
    }

    /// Gives a coordinator of a bundle another name there.
    pub fn rename_bundle_coordinator(&self, bundle: &BundleJob, coordinator: CoordinatorKey, name: &str) -> Result<()> {
        let sql = "UPDATE bundle_coordinator SET name = ?3 WHERE bundle = ?1 AND coordinator_job = ?2";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![bundle.job, coordinator, name]).map(drop))
    }

    /// Removes the coordinators of a bundle that were not submitted.
    pub fn forget_bundle_coordinators(&self, bundle: BundleKey) -> Result<()> {
        let sql = "DELETE FROM bundle_coordinator WHERE bundle = ?1 AND coordinator_job IS NULL";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![bundle]).map(drop))
    }

    /// Writes the result for a coordinator; returns `false` and writes nothing when it is submitted already.
    pub fn update_bundle_coordinator(&self, coordinator: &BundleCoordinator) -> Result<bool> {
        let sql = include_str!("sql/bundle_coordinator/update.sql");
        self.run(|connection| Ok(execute_row(connection, sql, coordinator, &[])? > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{bundle, coordinator, fresh};
    use super::*;
    use howdah_words::model::job_status::JobStatus;

    #[test]
    fn a_coordinator_is_submitted_once() {
        let (_folder, mut store) = fresh();
        store
            .transact(|transaction| {
                let bundle = bundle(transaction)?.job;
                let jobs = [coordinator(transaction)?, coordinator(transaction)?];
                let row = |sequence: u32, name: &str| BundleCoordinator {
                    bundle,
                    sequence,
                    name: name.to_owned(),
                    ..BundleCoordinator::default()
                };
                let (mut first, second) = (row(1, "z"), row(2, "a"));
                transaction.insert_bundle_coordinator(&first)?;
                transaction.insert_bundle_coordinator(&second)?;
                assert!(transaction.insert_bundle_coordinator(&row(3, "a")).is_err(), "a name is there once");
                first.coordinator_job = Some(jobs[0].job);
                assert!(transaction.update_bundle_coordinator(&first)?);
                let again = BundleCoordinator { coordinator_job: Some(jobs[1].job), ..first.clone() };
                assert!(!transaction.update_bundle_coordinator(&again)?);
                let members = transaction.bundle_members(bundle)?;
                let expect = [(first, Some(JobStatus::RUNNING)), (second, None)];
                assert_eq!(members, expect.map(|(coordinator, status)| BundleMember { coordinator, status }));
                assert_eq!(transaction.coordinator_jobs_of_bundle(bundle)?, jobs[..1]);
                let (oozie_id, status) = (Some("1-C".to_owned()), Some(JobStatus::SUCCEEDED));
                let there = BundleCoordinator { oozie_id, oozie_status: status, ..row(3, "there") };
                transaction.insert_bundle_coordinator(&there)?;
                let member = transaction.bundle_members(bundle)?.pop().expect("a coordinator");
                assert_eq!(member, BundleMember { coordinator: there, status });
                Ok(())
            })
            .unwrap();
    }
}
