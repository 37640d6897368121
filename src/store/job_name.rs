//! Finds jobs of every kind by what a user may write instead of an id: a name, or the beginning of an id.

use rusqlite::ToSql;

use super::Snapshot;
use crate::error::Result;
use crate::model::id::JobId;

impl Snapshot {
    /// Returns at most `most` jobs with this name that no other job has started; first those that are not over, the
    /// latest first.
    pub(crate) fn jobs_named(&self, name: &str, most: u32) -> Result<Vec<JobId>> {
        self.job_ids(include_str!("sql/job/named.sql"), &[(":name", &name), (":most", &most)])
    }

    /// Returns at most `most` jobs whose id has this beginning, in the order of their ids.
    pub(crate) fn jobs_beginning_with(&self, beginning: &str, most: u32) -> Result<Vec<JobId>> {
        self.job_ids(include_str!("sql/job/beginning.sql"), &[(":beginning", &beginning), (":most", &most)])
    }

    /// Returns the job that a user submitted last; `None` when there is no job.
    pub(crate) fn latest_job(&self) -> Result<Option<JobId>> {
        Ok(self.job_ids(include_str!("sql/job/latest.sql"), &[(":most", &1)])?.pop())
    }

    /// Returns the workflow job that failed last, of those that a user submitted; `None` when there is none.
    pub(crate) fn latest_failed_workflow_job(&self) -> Result<Option<JobId>> {
        Ok(self.job_ids(include_str!("sql/job/latest_failed.sql"), &[(":most", &1)])?.pop())
    }

    /// Returns the different names of the jobs that no other job has started, at most `most`.
    pub(crate) fn submitted_names(&self, most: u32) -> Result<Vec<String>> {
        let sql = include_str!("sql/job/names.sql");
        self.run(|connection| connection.prepare_cached(sql)?.query_map([most], |row| row.get("name"))?.collect())
    }

    fn job_ids(&self, sql: &str, parameters: &[(&str, &dyn ToSql)]) -> Result<Vec<JobId>> {
        self.run(|connection| connection.prepare_cached(sql)?.query_map(parameters, |row| row.get("id"))?.collect())
    }
}
