//! Table `bundle_job`: one row per submitted bundle, with what `info` shows and what tick must check next.
//!
//! Its coordinators are in `bundle_coordinator`.

use super::job_filter::{JobStatements, job_page, job_statements};
use super::row::{execute_row, query_one, query_rows, table_row};
use super::{JobFilter, Page, Snapshot, Transaction};
use crate::column::params;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleJob, BundleKey};
use howdah_words::model::time::Timestamp;

const STATEMENTS: JobStatements =
    job_statements!("bundle_job", "sql/job/matching.sql", "sql/bundle_job/matching_takeover.sql");

table_row! {
    BundleJob {
        job, id, name, user, group_name, acl, app_path, status, created_at, modified_at, kickoff_at, started_at,
        pause_at, end_at, suspended_at, ended_at, definition, configuration, due_at,
    }
}

impl Snapshot {
    /// The bundle job with an id, or with the id that it had in the Oozie from which it was taken over.
    pub fn bundle_job(&self, id: &JobId) -> Result<Option<BundleJob>> {
        let own =
            self.run(|connection| query_one(connection, "SELECT * FROM bundle_job WHERE id = ?1", params![id]))?;
        own.map_or_else(|| self.bundle_taken_over(id), |job| Ok(Some(job)))
    }

    /// The bundle job with a key.
    pub fn bundle_job_at(&self, job: BundleKey) -> Result<Option<BundleJob>> {
        self.run(|connection| query_one(connection, "SELECT * FROM bundle_job WHERE job = ?1", params![job]))
    }

    /// The bundles to start or to pause at `now`, the longest overdue first.
    pub fn due_bundle_jobs(&self, now: Timestamp) -> Result<Vec<BundleJob>> {
        let sql = "SELECT * FROM bundle_job WHERE due_at <= ?1 ORDER BY due_at, job";
        self.run(|connection| query_rows(connection, sql, params![now]))
    }

    /// A page of the matching bundles, and how many match in all.
    pub fn bundle_job_page(&self, filter: &JobFilter, page: Page) -> Result<(Vec<BundleJob>, u32)> {
        self.run(|connection| job_page(connection, &STATEMENTS, filter, page))
    }
}

impl Transaction<'_> {
    /// Stores a new bundle and sets its key.
    pub fn insert_bundle_job(&self, job: &mut BundleJob) -> Result<BundleKey> {
        job.job = self.run(|connection| {
            execute_row(connection, include_str!("sql/bundle_job/insert.sql"), job, &[])?;
            Ok(BundleKey(connection.last_insert_rowid()))
        })?;
        Ok(job.job)
    }

    /// Writes the definition of a bundle, and what follows from it. The status is not written.
    pub fn update_bundle_definition(&self, job: &BundleJob) -> Result<()> {
        let sql = include_str!("sql/bundle_job/update_definition.sql");
        self.run(|connection| execute_row(connection, sql, job, &[]).map(drop))
    }

    /// Writes everything that may change in a bundle; returns `false` and writes nothing when its status is no longer
    /// `from`.
    pub fn update_bundle_job(&self, from: JobStatus, job: &BundleJob) -> Result<bool> {
        let sql = include_str!("sql/bundle_job/update.sql");
        self.run(|connection| Ok(execute_row(connection, sql, job, &[("from", &from)])? > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, bundle, fresh};
    use super::*;

    #[test]
    fn a_bundle_reads_back_after_every_column_was_set() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(bundle).unwrap();
        assert_eq!(store.read(|snapshot| snapshot.bundle_job(&job.id)).unwrap(), Some(job.clone()));
        job.status = JobStatus::Failed;
        job.modified_at = NOW + 1;
        job.started_at = Some(NOW + 2);
        job.pause_at = Some(NOW + 3);
        job.end_at = Some(NOW + 4);
        job.suspended_at = Some(NOW + 5);
        job.ended_at = Some(NOW + 6);
        job.due_at = None;
        let update = |store: &mut super::super::Store, from| {
            store.transact(|transaction| transaction.update_bundle_job(from, &job)).unwrap()
        };
        assert!(!update(&mut store, JobStatus::RUNNING), "another status than expected");
        assert!(update(&mut store, JobStatus::PREP));
        assert_eq!(store.read(|snapshot| snapshot.bundle_job_at(job.job)).unwrap(), Some(job));
    }

    #[test]
    fn every_status_is_accepted_and_no_other_word() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(bundle).unwrap();
        for status in JobStatus::ALL.iter().copied().filter(|status| *status != JobStatus::Ignored) {
            let from = std::mem::replace(&mut job.status, status);
            assert!(store.transact(|transaction| transaction.update_bundle_job(from, &job)).unwrap());
        }
        assert!(store.file.connection.execute("UPDATE bundle_job SET status = 'IGNORED'", []).is_err());
    }

    #[test]
    fn bundles_are_found_by_what_is_due_and_by_filter() {
        let (_folder, mut store) = fresh();
        let (first, second) =
            store.transact(|transaction| Ok((bundle(transaction)?.job, bundle(transaction)?.job))).unwrap();
        let due = |now| {
            let due = store.read(|snapshot| snapshot.due_bundle_jobs(now)).unwrap();
            due.iter().map(|job| job.job).collect::<Vec<_>>()
        };
        assert_eq!((due(NOW - 1), due(NOW)), (vec![], vec![first, second]));
        let page = |filter: &JobFilter| {
            let page = Page { offset: 0, len: 1 };
            let (jobs, total) = store.read(|snapshot| snapshot.bundle_job_page(filter, page)).unwrap();
            (jobs.iter().map(|job| job.job).collect::<Vec<_>>(), total)
        };
        assert_eq!(page(&JobFilter::default()), (vec![second], 2));
        let named = JobFilter { names: vec!["other".to_owned()], ..JobFilter::default() };
        assert_eq!(page(&named), (vec![], 0));
    }
}
