//! Finds jobs of every kind by what a user may write instead of an id: a name, or the beginning of an id.

use rusqlite::ToSql;

use super::Snapshot;
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;

impl Snapshot {
    /// Returns at most `most` jobs with this name that no other job has started; first those that are not over, the
    /// latest first.
    pub fn jobs_named(&self, name: &str, most: u32) -> Result<Vec<JobId>> {
        self.job_ids(include_str!("sql/job/named.sql"), &[(":name", &name), (":most", &most)])
    }

    /// Returns whether another job that no other job has started has the name of a job: any one, or one that is not
    /// over. As soon as one is found, no other is read.
    pub fn has_namesake(&self, name: &str, id: &JobId, any: bool) -> Result<bool> {
        let sql = include_str!("sql/job/has_namesake.sql");
        let parameters = named_params! { ":name": name, ":id": id, ":any": any };
        self.run(|connection| connection.prepare_cached(sql)?.query_row(parameters, |row| row.column(0)))
    }

    /// Returns at most `most` jobs whose id has this beginning, in the order of their ids.
    pub fn jobs_beginning_with(&self, beginning: &str, most: u32) -> Result<Vec<JobId>> {
        self.job_ids(include_str!("sql/job/beginning.sql"), &[(":beginning", &beginning), (":most", &most)])
    }

    /// Returns the job that a user submitted last; `None` when there is no job.
    pub fn latest_job(&self) -> Result<Option<JobId>> {
        Ok(self.job_ids(include_str!("sql/job/latest.sql"), &[(":most", &1)])?.pop())
    }

    /// Returns the workflow job that failed last, of those that a user submitted; `None` when there is none.
    pub fn latest_failed_workflow_job(&self) -> Result<Option<JobId>> {
        Ok(self.job_ids(include_str!("sql/job/latest_failed.sql"), &[(":most", &1)])?.pop())
    }

    /// Returns the different names of the jobs that no other job has started, at most `most`.
    pub fn submitted_names(&self, most: u32) -> Result<Vec<String>> {
        let sql = include_str!("sql/job/names.sql");
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_map(params![most], |row| row.column("name"))?.collect()
        })
    }

    fn job_ids(&self, sql: &str, parameters: &[(&str, &dyn ToSql)]) -> Result<Vec<JobId>> {
        self.run(|connection| connection.prepare_cached(sql)?.query_map(parameters, |row| row.column("id"))?.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{coordinator, fresh, workflow};
    use super::super::{Store, Transaction};
    use super::*;
    use howdah_words::model::id::JobKind;
    use howdah_words::model::job_status::JobStatus;
    use howdah_words::model::row::WorkflowJob;

    const NAME: &str = "day";

    fn named(transaction: &Transaction<'_>, status: JobStatus) -> Result<JobId> {
        let mut job = coordinator(transaction)?;
        let from = std::mem::replace(&mut job.status, status);
        NAME.clone_into(&mut job.name);
        transaction.update_coordinator_job(from, &job)?;
        Ok(job.id)
    }

    fn add(transaction: &Transaction<'_>, job: WorkflowJob) -> Result<()> {
        let id = transaction.next_job_id(JobKind::Workflow)?;
        transaction.insert_workflow_job(&mut WorkflowJob { id, ..job }).map(drop)
    }

    #[test]
    fn a_namesake_is_another_job_that_no_other_job_has_started() {
        let (_folder, mut store) = fresh();
        let own = store.transact(|transaction| named(transaction, JobStatus::RUNNING)).unwrap();
        let has = |store: &Store| {
            let has = |any| store.read(|snapshot| snapshot.has_namesake(NAME, &own, any)).unwrap();
            (has(false), has(true))
        };
        assert_eq!(has(&store), (false, false));
        let parent = store.transact(workflow).unwrap();
        let child = WorkflowJob {
            name: NAME.to_owned(),
            parent_workflow: Some(parent.job),
            parent_node: Some("node".to_owned()),
            ..parent.clone()
        };
        store.transact(|transaction| add(transaction, child.clone())).unwrap();
        assert_eq!(has(&store), (false, false));
        store.transact(|transaction| named(transaction, JobStatus::Killed)).unwrap();
        assert_eq!(has(&store), (false, true));
        let submitted = WorkflowJob { parent_workflow: None, parent_node: None, ..child };
        store.transact(|transaction| add(transaction, submitted)).unwrap();
        assert_eq!(has(&store), (true, true));
    }
}
