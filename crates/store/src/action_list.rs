//! Actions of all coordinator jobs in one list, the latest changed first.

use rusqlite::ToSql;

use super::job_filter::json_list;
use super::row::query_rows;
use super::{Page, Snapshot};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorAction, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The actions that a list contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionList {
    /// The statuses; SKIPPED ones are never listed: they may be as many as a job has nominal times.
    pub statuses: Vec<ActionStatus>,
    /// Only the actions that changed at this time or later.
    pub since: Option<Timestamp>,
    /// Only actions that have not ended, and whose nominal time is this or earlier.
    pub nominal_until: Option<Timestamp>,
    /// The jobs; `None` for all.
    pub jobs: Option<Vec<CoordinatorKey>>,
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selected {
    pub actions: Vec<CoordinatorAction>,
    /// Whether the list has more behind it.
    pub has_more: bool,
}

impl Snapshot {
    /// Returns a part of a list of actions, the latest changed first.
    pub fn actions_of_all_jobs(&self, list: &ActionList, page: Page) -> Result<Selected> {
        use ActionStatus::{
            Failed, Ignored, Killed, Ready, Running, Submitted, Succeeded, Suspended, TimedOut, Waiting,
        };
        let has = |group: &[ActionStatus]| group.iter().any(|status| list.statuses.contains(status));
        let ended = list.nominal_until.is_none();
        let (unsuccessful, successful) =
            (ended && has(&[Killed, Failed, TimedOut]), ended && has(&[Succeeded, Ignored]));
        let (active, waiting) = (has(&[Ready, Submitted, Running, Suspended]), has(&[Waiting]));
        let words: Vec<&str> = list.statuses.iter().map(|status| status.as_str()).collect();
        let statuses = json_list(&words);
        let jobs = list.jobs.as_ref().map(|jobs| serde_json::json!(jobs.iter().map(|job| job.0).collect::<Vec<_>>()));
        let jobs = jobs.map(|jobs| jobs.to_string());
        let since = list.since.map_or(i64::MIN, Timestamp::seconds);
        let nominal_until = list.nominal_until.map_or(i64::MAX, Timestamp::seconds);
        let len = i64::from(page.len) + 1;
        let parameters: [(&str, &dyn ToSql); 10] = [
            (":unsuccessful", &unsuccessful),
            (":successful", &successful),
            (":active", &active),
            (":waiting", &waiting),
            (":statuses", &statuses),
            (":jobs", &jobs),
            (":since", &since),
            (":nominal_until", &nominal_until),
            (":len", &len),
            (":offset", &page.offset),
        ];
        let sql = include_str!("sql/coordinator_action/across_jobs.sql");
        let mut actions: Vec<CoordinatorAction> =
            self.run(|connection| query_rows(connection, sql, &parameters[..]))?;
        let has_more = actions.len() > page.len as usize;
        actions.truncate(page.len as usize);
        Ok(Selected { actions, has_more })
    }

    /// Returns the keys of the coordinator jobs that one of several patterns fits: with `*` and `?`, compared with the
    /// name and with the id.
    pub fn coordinator_jobs_like(&self, patterns: &[String]) -> Result<Vec<CoordinatorKey>> {
        let sql = "SELECT job FROM coordinator_job WHERE EXISTS (
            SELECT 1 FROM json_each(?1) WHERE coordinator_job.name GLOB value OR coordinator_job.id GLOB value)";
        let patterns = serde_json::Value::from(patterns).to_string();
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_map(params![patterns], |row| row.column("job"))?.collect()
        })
    }
}
