//! Table `workflow_job`: one row per workflow job, with the state of its execution in the graph.
//!
//! Its nodes are in `workflow_node`. The parent of a job is a coordinator action, a node of another workflow job, or
//! nothing.

use rusqlite::OptionalExtension as _;

use super::job_filter::{JobStatements, job_page, job_statements};
use super::row::{execute_row, query_one, query_rows, table_row};
use super::{JobFilter, Page, Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, AttemptKey, CoordinatorAction, CoordinatorKey, WorkflowJob, WorkflowKey};
use howdah_words::model::status::WorkflowStatus;

const STATEMENTS: JobStatements = job_statements!("workflow_job", "sql/job/matching.sql");

table_row! {
    WorkflowJob {
        job, id, name, app_path, user, group_name, status, run, parent_coordinator, parent_action, parent_workflow,
        parent_node, depth, created_at, started_at, ended_at, modified_at, definition, configuration, instance,
        external_id, error_code, error_message,
    }
}

impl Snapshot {
    /// The workflow job with an id.
    pub fn workflow_job(&self, id: &JobId) -> Result<Option<WorkflowJob>> {
        self.run(|connection| query_one(connection, "SELECT * FROM workflow_job WHERE id = ?1", params![id]))
    }

    /// The workflow job with a key.
    pub fn workflow_job_at(&self, job: WorkflowKey) -> Result<Option<WorkflowJob>> {
        self.run(|connection| query_one(connection, "SELECT * FROM workflow_job WHERE job = ?1", params![job]))
    }

    /// The workflow jobs in PREP, RUNNING or SUSPENDED, oldest first.
    pub fn active_workflow_jobs(&self) -> Result<Vec<WorkflowJob>> {
        self.run(|connection| query_rows(connection, include_str!("sql/workflow_job/active.sql"), []))
    }

    /// The jobs that are not started yet.
    pub fn workflow_jobs_to_start(&self) -> Result<Vec<WorkflowKey>> {
        let sql = include_str!("sql/workflow_job/to_start.sql");
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map([], |row| row.column("job"))?.collect()
        })
    }

    /// The workflow jobs that an action started, the latest first.
    pub fn workflow_jobs_of_action(&self, action: ActionKey) -> Result<Vec<WorkflowJob>> {
        let sql = include_str!("sql/workflow_job/of_action.sql");
        self.run(|connection| query_rows(connection, sql, params![action.job, action.number]))
    }

    /// The last `most` workflow jobs that the actions of a coordinator job started, the latest first.
    pub fn workflow_jobs_of_coordinator(&self, job: CoordinatorKey, most: u32) -> Result<Vec<WorkflowJob>> {
        let sql = "SELECT * FROM workflow_job WHERE parent_coordinator = ?1 ORDER BY job DESC LIMIT ?2";
        self.run(|connection| query_rows(connection, sql, params![job, most]))
    }

    /// Those of them in which, or below which, an attempt later than this one was started.
    pub fn workflow_jobs_with_new_attempts(&self, job: CoordinatorKey, after: AttemptKey) -> Result<Vec<WorkflowJob>> {
        let sql = include_str!("sql/workflow_job/with_new_attempts.sql");
        self.run(|connection| query_rows(connection, sql, params![job, after]))
    }

    /// The workflow job that an action runs now: of those that it started, the one that it refers to.
    pub fn workflow_job_of_action(&self, action: &CoordinatorAction) -> Result<Option<WorkflowJob>> {
        let jobs = self.workflow_jobs_of_action(action.key())?;
        Ok(jobs.into_iter().find(|job| action.external_id.as_deref() == Some(job.id.as_str())))
    }

    /// The id of the latest workflow job to which another system gave this id.
    pub fn workflow_job_of_external_id(&self, external_id: &str) -> Result<Option<String>> {
        let sql = "SELECT id FROM workflow_job WHERE external_id = ?1 ORDER BY job DESC LIMIT 1";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![external_id], |row| row.column("id")).optional()
        })
    }

    /// The workflow jobs that a sub-workflow node started, the latest first.
    pub fn workflow_jobs_of_node(&self, job: WorkflowKey, node: &str) -> Result<Vec<WorkflowJob>> {
        self.run(|connection| query_rows(connection, include_str!("sql/workflow_job/of_node.sql"), params![job, node]))
    }

    /// The id of the present run of a job, which its attempts have too; empty for a job from before these ids.
    pub fn workflow_life(&self, job: WorkflowKey) -> Result<String> {
        let sql = "SELECT coalesce(life, '') AS life FROM workflow_job WHERE job = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![job], |row| row.column("life")))
    }

    /// A page of the matching workflow jobs, and how many match in all.
    pub fn workflow_job_page(&self, filter: &JobFilter, page: Page) -> Result<(Vec<WorkflowJob>, u32)> {
        self.run(|connection| job_page(connection, &STATEMENTS, filter, page))
    }
}

impl Transaction<'_> {
    /// Stores a new job and sets its key.
    pub fn insert_workflow_job(&self, job: &mut WorkflowJob) -> Result<WorkflowKey> {
        job.job = self.run(|connection| {
            execute_row(connection, include_str!("sql/workflow_job/insert.sql"), job, &[])?;
            Ok(WorkflowKey(connection.last_insert_rowid()))
        })?;
        Ok(job.job)
    }

    /// Gives a job a new run id because it runs again.
    pub fn renew_workflow_life(&self, job: WorkflowKey) -> Result<()> {
        let sql = "UPDATE workflow_job SET life = lower(hex(randomblob(8))) WHERE job = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![job]).map(drop))
    }

    /// Writes everything that may change in a job; returns `false` and writes nothing when its status is no longer
    /// `from`.
    pub fn update_workflow_job(&self, from: WorkflowStatus, job: &WorkflowJob) -> Result<bool> {
        let (progress, all) =
            (include_str!("sql/workflow_job/progress.sql"), include_str!("sql/workflow_job/update.sql"));
        self.run(|connection| {
            let write = |sql: &str| execute_row(connection, sql, job, &[("from", &from)]);
            Ok(from == job.status && write(progress)? > 0 || write(all)? > 0)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, actions, coordinator, fresh, workflow};
    use super::*;
    use howdah_words::model::row::CoordinatorKey;

    #[test]
    fn a_job_reads_back_after_every_column_was_set() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(workflow).unwrap();
        assert_eq!(store.read(|snapshot| snapshot.workflow_job(&job.id)).unwrap(), Some(job.clone()));
        job.status = WorkflowStatus::Failed;
        job.run = 4;
        job.started_at = None;
        job.ended_at = Some(NOW + 5);
        job.instance = None;
        job.external_id = None;
        job.error_code = Some("E0729".to_owned());
        job.error_message = Some("said so".to_owned());
        for (from, expect) in [(WorkflowStatus::Prep, false), (WorkflowStatus::Running, true)] {
            let changed = store.transact(|transaction| transaction.update_workflow_job(from, &job)).unwrap();
            assert_eq!(changed, expect, "{from}");
        }
        assert_eq!(store.read(|snapshot| snapshot.workflow_job_at(job.job)).unwrap(), Some(job));
    }

    #[test]
    fn progress_is_written_without_the_pages_of_indexes() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(workflow).unwrap();
        let mut pages = |job: &WorkflowJob| {
            let before = store.length();
            assert!(
                store.transact(|transaction| transaction.update_workflow_job(WorkflowStatus::Running, job)).unwrap()
            );
            // A page of the log has a head of 24 bytes.
            (store.length() - before) / (4096 + 24)
        };
        job.instance = Some("{}".to_owned());
        job.modified_at = NOW + 1;
        assert_eq!(pages(&job), 1);
        job.name = "other".to_owned();
        assert!(pages(&job) > 1, "the name is in an index");
        assert_eq!(store.read(|snapshot| snapshot.workflow_job_at(job.job)).unwrap(), Some(job));
    }

    #[test]
    fn jobs_are_found_by_their_parents() {
        let (_folder, mut store) = fresh();
        store
            .transact(|transaction| {
                let action = ActionKey { job: coordinator(transaction)?.job, number: 1 };
                actions(transaction, action, 1)?;
                let top = workflow(transaction)?;
                let mut below_action = WorkflowJob { id: transaction.next_job_id(top.id.kind())?, ..top.clone() };
                below_action.parent_coordinator = Some(action.job);
                below_action.parent_action = Some(1);
                transaction.insert_workflow_job(&mut below_action)?;
                let mut below_node =
                    WorkflowJob { id: transaction.next_job_id(top.id.kind())?, depth: 1, ..top.clone() };
                below_node.parent_workflow = Some(top.job);
                below_node.parent_node = Some("sub".to_owned());
                transaction.insert_workflow_job(&mut below_node)?;
                assert_eq!(transaction.workflow_jobs_of_action(action)?, [below_action]);
                assert_eq!(transaction.workflow_jobs_of_action(ActionKey { number: 2, ..action })?, []);
                assert_eq!(transaction.workflow_jobs_of_node(top.job, "sub")?, [below_node]);
                assert_eq!(transaction.workflow_jobs_of_node(top.job, "other")?, []);
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn half_a_parent_or_one_that_does_not_exist_is_refused() {
        let (_folder, mut store) = fresh();
        let key = Some(CoordinatorKey(1));
        for (parent_coordinator, parent_action) in [(key, None), (None, Some(1)), (key, Some(1))] {
            let outcome = store.transact(|transaction| {
                let job = workflow(transaction)?;
                let id = transaction.next_job_id(job.id.kind())?;
                transaction.insert_workflow_job(&mut WorkflowJob { id, parent_coordinator, parent_action, ..job })
            });
            assert!(outcome.is_err(), "{parent_coordinator:?} {parent_action:?}");
        }
    }

    #[test]
    fn every_status_is_accepted_and_listed_and_no_other_word() {
        let (_folder, mut store) = fresh();
        let mut job = store.transact(workflow).unwrap();
        for status in WorkflowStatus::ALL {
            let from = std::mem::replace(&mut job.status, *status);
            assert!(store.transact(|transaction| transaction.update_workflow_job(from, &job)).unwrap(), "{status}");
            let active = store.read(Snapshot::active_workflow_jobs).unwrap();
            assert_eq!(active.is_empty(), status.is_terminal(), "{status}");
            for (word, expect) in [(status.as_str(), 1), ("ELSE", 0)] {
                let filter = JobFilter { statuses: vec![word.to_owned()], ..JobFilter::default() };
                let page = Page { offset: 0, len: 9 };
                let (jobs, total) = store.read(|snapshot| snapshot.workflow_job_page(&filter, page)).unwrap();
                assert_eq!((jobs.len(), total), (expect as usize, expect), "{word}");
            }
        }
        assert!(store.file.connection.execute("UPDATE workflow_job SET status = 'READY'", []).is_err());
    }
}
