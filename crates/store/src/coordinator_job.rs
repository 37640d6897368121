//! Table `coordinator_job`: one row per submitted coordinator, with what `info` shows and what tick must check next.
//!
//! Counts of its actions are in `coordinator_count`, the submitted definitions in `coordinator_definition`.

use rusqlite::OptionalExtension as _;

use super::job_filter::{JobStatements, job_page, job_statements};
use super::row::{execute_row, query_one, query_rows, table_row};
use super::{JobFilter, Page, Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey};
use howdah_words::model::time::Timestamp;

const STATEMENTS: JobStatements =
    job_statements!("coordinator_job", "sql/job/matching.sql", "sql/coordinator_job/matching_frequency.sql");

table_row! {
    CoordinatorJob {
        job, id, name, user, group_name, acl, app_path, status, created_at, modified_at, start_at, end_at, pause_at,
        suspended_at, ended_at, frequency, time_unit, time_zone, timeout_minutes, concurrency, throttle, execution,
        next_materialized_at, last_action_number, done_materialization, definition_version, due_at, parent_bundle,
    }
}

impl Snapshot {
    /// The coordinator job with an id, or with the id that it had in the Oozie from which it was taken over.
    pub fn coordinator_job(&self, id: &JobId) -> Result<Option<CoordinatorJob>> {
        let own =
            self.run(|connection| query_one(connection, "SELECT * FROM coordinator_job WHERE id = ?1", params![id]))?;
        own.map_or_else(|| self.job_taken_over(id), |job| Ok(Some(job)))
    }

    /// The coordinator job with a key.
    pub fn coordinator_job_at(&self, job: CoordinatorKey) -> Result<Option<CoordinatorJob>> {
        self.run(|connection| query_one(connection, "SELECT * FROM coordinator_job WHERE job = ?1", params![job]))
    }

    /// The status of the coordinator job with a key.
    pub fn coordinator_status(&self, job: CoordinatorKey) -> Result<Option<JobStatus>> {
        let sql = "SELECT status FROM coordinator_job WHERE job = ?1";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![job], |row| row.column("status")).optional()
        })
    }

    /// The jobs to materialize at `now`, the longest overdue first.
    pub fn due_coordinator_jobs(&self, now: Timestamp) -> Result<Vec<CoordinatorJob>> {
        let sql = "SELECT * FROM coordinator_job WHERE due_at <= ?1 ORDER BY due_at, job";
        self.run(|connection| query_rows(connection, sql, params![now]))
    }

    /// The jobs that are not over, oldest first.
    pub fn live_coordinator_jobs(&self) -> Result<Vec<CoordinatorJob>> {
        self.run(|connection| query_rows(connection, include_str!("sql/coordinator_job/live.sql"), []))
    }

    /// A page of the matching jobs, and how many match in all.
    pub fn coordinator_job_page(&self, filter: &JobFilter, page: Page) -> Result<(Vec<CoordinatorJob>, u32)> {
        self.run(|connection| job_page(connection, &STATEMENTS, filter, page))
    }
}

impl Transaction<'_> {
    /// Stores a new job and sets its key. Its definition must be stored in the same transaction.
    pub fn insert_coordinator_job(&self, job: &mut CoordinatorJob) -> Result<CoordinatorKey> {
        job.job = self.run(|connection| {
            execute_row(connection, include_str!("sql/coordinator_job/insert.sql"), job, &[])?;
            Ok(CoordinatorKey(connection.last_insert_rowid()))
        })?;
        Ok(job.job)
    }

    /// Writes everything that may change in a job; returns `false` and writes nothing when its status is no longer
    /// `from`.
    pub fn update_coordinator_job(&self, from: JobStatus, job: &CoordinatorJob) -> Result<bool> {
        let sql = include_str!("sql/coordinator_job/update.sql");
        self.run(|connection| Ok(execute_row(connection, sql, job, &[("from", &from)])? > 0))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh};
    use super::super::{JobFilter, Page, Store};
    use super::*;
    use howdah_words::error::ErrorCode;
    use howdah_words::model::status::Execution;

    #[test]
    fn a_job_reads_back() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        assert_eq!(store.read(|snapshot| snapshot.coordinator_job(&job.id)).unwrap(), Some(job.clone()));
        assert_eq!(store.read(|snapshot| snapshot.coordinator_job_at(job.job)).unwrap(), Some(job));
        assert_eq!(store.read(|snapshot| snapshot.coordinator_job_at(CoordinatorKey(77))).unwrap(), None);
    }

    #[test]
    fn a_job_without_a_definition_is_refused_at_the_end() {
        let (_folder, mut store) = fresh();
        let outcome = store.transact(|transaction| {
            let mut job = coordinator(transaction)?;
            job.definition_version = 2;
            transaction.update_coordinator_job(job.status, &job)
        });
        assert_eq!(outcome.unwrap_err().code(), ErrorCode::E0603);
    }

    #[test]
    fn an_update_needs_the_expected_status() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(coordinator).unwrap();
        for (from, to, expect) in [
            (JobStatus::PREP, JobStatus::Killed, false),
            (JobStatus::RUNNING, JobStatus::from_word("PAUSED").unwrap(), true),
            (JobStatus::RUNNING, JobStatus::Killed, false),
            (JobStatus::from_word("PAUSED").unwrap(), JobStatus::Killed, true),
        ] {
            job.status = to;
            job.ended_at = Some(NOW);
            let changed = store.transact(|transaction| transaction.update_coordinator_job(from, &job)).unwrap();
            assert_eq!(changed, expect, "{from} -> {to}");
        }
        assert_eq!(store.read(|snapshot| snapshot.coordinator_job(&job.id)).unwrap(), Some(job));
    }

    #[test]
    fn every_status_and_order_is_accepted_and_no_other_word() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(coordinator).unwrap();
        for status in JobStatus::ALL {
            let from = std::mem::replace(&mut job.status, *status);
            assert!(store.transact(|transaction| transaction.update_coordinator_job(from, &job)).unwrap());
            let live = store.read(Snapshot::live_coordinator_jobs).unwrap();
            assert_eq!(live.is_empty(), status.is_terminal(), "{status}");
        }
        for execution in Execution::ALL {
            job.execution = *execution;
            assert!(store.transact(|transaction| transaction.update_coordinator_job(job.status, &job)).unwrap());
        }
        for column in ["status", "execution"] {
            let sql = format!("UPDATE coordinator_job SET {column} = 'running'");
            assert!(store.file.connection.execute(&sql, []).is_err(), "{column}");
        }
    }

    #[test]
    fn due_jobs_are_those_whose_time_has_come() {
        let (_folder, mut store) = fresh();
        store
            .transact(|transaction| {
                for due_at in [Some(NOW), Some(NOW - 5), Some(NOW + 1), None] {
                    let mut job = coordinator(transaction)?;
                    job.due_at = due_at;
                    transaction.update_coordinator_job(job.status, &job)?;
                }
                Ok(())
            })
            .unwrap();
        let due = store.read(|snapshot| snapshot.due_coordinator_jobs(NOW)).unwrap();
        let due: Vec<_> = due.iter().map(|job| job.due_at).collect();
        assert_eq!(due, [Some(NOW - 5), Some(NOW)]);
    }

    fn check_page(store: &Store, filter: &JobFilter, page: (u32, u32), expect: (&[i64], u32)) {
        let page = Page { offset: page.0, len: page.1 };
        let (jobs, total) = store.read(|snapshot| snapshot.coordinator_job_page(filter, page)).unwrap();
        let keys: Vec<i64> = jobs.iter().map(|job| job.job.0).collect();
        assert_eq!((keys.as_slice(), total), expect, "{filter:?} {page:?}");
    }

    #[test]
    fn pages_of_jobs_are_filtered_and_newest_first() {
        let (_folder, mut store) = fresh();
        let names = ["a", "b", "it's", "a"];
        let mut last = None;
        for name in names {
            let mut job = store.transact(coordinator).unwrap();
            job.name = name.to_owned();
            job.status = if name == "b" { JobStatus::Killed } else { JobStatus::RUNNING };
            store.transact(|transaction| transaction.update_coordinator_job(JobStatus::RUNNING, &job)).unwrap();
            last = Some(job);
        }
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let all = JobFilter::default();
        check_page(&store, &all, (0, 10), (&[4, 3, 2, 1], 4));
        check_page(&store, &all, (1, 2), (&[3, 2], 4));
        check_page(&store, &all, (9, 2), (&[], 4));
        let named = |names: &[&str]| JobFilter { names: words(names), ..JobFilter::default() };
        check_page(&store, &named(&["a", "it's"]), (0, 10), (&[4, 3, 1], 3));
        let killed = JobFilter { statuses: words(&["KILLED"]), ..JobFilter::default() };
        check_page(&store, &killed, (0, 10), (&[2], 1));
        check_page(&store, &JobFilter { statuses: words(&["KILLED"]), ..named(&["a"]) }, (0, 10), (&[], 0));
        check_page(&store, &JobFilter { users: words(&["bob"]), ..JobFilter::default() }, (0, 10), (&[], 0));
        let ids = last.map(|job| job.id.to_string()).into_iter().collect();
        check_page(&store, &JobFilter { ids, ..JobFilter::default() }, (0, 10), (&[4], 1));
    }
}
