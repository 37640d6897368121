//! Tables `sla` and `sla_event`: the promised times, which of them are decided, and the recorded events.
//!
//! The subject of a registration is a coordinator action, a workflow job or one of its nodes; a registration is deleted
//! with its subject. Tick reads only those whose `due_at` has come, so those that wait or are over cost nothing.

#[cfg(test)]
mod tests;

use rusqlite::types::ToSqlOutput;
use rusqlite::{Row, ToSql};

use super::job_filter::json_list;
use super::row::{TableRow as _, execute_row, query_one, query_rows, table_row};
use super::{Page, Snapshot, Transaction};
use crate::column::{Columns as _, ToColumn, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::row::{
    ActionGroup, ActionKey, CoordinatorKey, SlaKey, SlaRegistration, SlaSummary, WorkflowKey,
};
use howdah_words::model::status::SlaEvent;
use howdah_words::model::time::Timestamp;

table_row! {
    SlaRegistration {
        sla, subject, coordinator_job, action_number, workflow_job, node, app_name, user, created_at, modified_at,
        nominal_at, expected_start_at, expected_end_at, expected_seconds, alert_events, alert_contact,
        notification_message, upstream_apps, alerts_disabled, run, processed, status, job_status, actual_start_at,
        actual_end_at, due_at,
    }
}

/// Bounds of a number, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub from: Option<i64>,
    pub until: Option<i64>,
}

/// What a listed registration must match; an empty list matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlaFilter {
    /// Ids of subjects, or of the jobs that these belong to.
    pub ids: Vec<String>,
    pub parents: Vec<String>,
    /// Patterns of `GLOB`, as in the next three fields.
    pub app_names: Vec<String>,
    pub subjects: Vec<String>,
    pub users: Vec<String>,
    pub job_statuses: Vec<String>,
    pub statuses: Vec<String>,
    /// Any of these events.
    pub events: Vec<String>,
    /// Seconds since the epoch, as in the next five fields.
    pub nominal: Bounds,
    pub created: Bounds,
    pub expected_start: Bounds,
    pub expected_end: Bounds,
    pub actual_start: Bounds,
    pub actual_end: Bounds,
    /// Milliseconds.
    pub expected_duration: Bounds,
    /// Milliseconds.
    pub actual_duration: Bounds,
}

impl SlaFilter {
    /// The parameters of `matching.sql`.
    fn parameters(&self) -> Vec<(&'static str, Box<dyn ToSql>)> {
        let list = |words: &[String]| Box::new(json_list(words)) as Box<dyn ToSql>;
        let bound = |bound: Option<i64>| Box::new(bound) as Box<dyn ToSql>;
        vec![
            (":ids", list(&self.ids)),
            (":parents", list(&self.parents)),
            (":app_names", list(&self.app_names)),
            (":subjects", list(&self.subjects)),
            (":users", list(&self.users)),
            (":job_statuses", list(&self.job_statuses)),
            (":statuses", list(&self.statuses)),
            (":events", list(&self.events)),
            (":nominal_from", bound(self.nominal.from)),
            (":nominal_until", bound(self.nominal.until)),
            (":created_from", bound(self.created.from)),
            (":created_until", bound(self.created.until)),
            (":expected_start_from", bound(self.expected_start.from)),
            (":expected_start_until", bound(self.expected_start.until)),
            (":expected_end_from", bound(self.expected_end.from)),
            (":expected_end_until", bound(self.expected_end.until)),
            (":actual_start_from", bound(self.actual_start.from)),
            (":actual_start_until", bound(self.actual_start.until)),
            (":actual_end_from", bound(self.actual_end.from)),
            (":actual_end_until", bound(self.actual_end.until)),
            (":expected_duration_from", bound(self.expected_duration.from)),
            (":expected_duration_until", bound(self.expected_duration.until)),
            (":actual_duration_from", bound(self.actual_duration.from)),
            (":actual_duration_until", bound(self.actual_duration.until)),
        ]
    }
}

impl Snapshot {
    /// The registration of a coordinator action; `None` when its definition promises nothing.
    pub fn sla_of_action(&self, action: ActionKey) -> Result<Option<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE coordinator_job = ?1 AND action_number = ?2";
        self.run(|connection| query_one(connection, sql, params![action.job, action.number]))
    }

    /// The registrations of a job's actions, by number.
    pub fn sla_of_coordinator(&self, job: CoordinatorKey) -> Result<Vec<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE coordinator_job = ?1 ORDER BY action_number";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// The registrations of a workflow job and of its nodes, the job's first.
    pub fn sla_of_workflow(&self, job: WorkflowKey) -> Result<Vec<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE workflow_job = ?1 ORDER BY coalesce(node, '')";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// At most `len` registrations that are due for a check, the longest overdue first.
    pub fn due_sla(&self, now: Timestamp, len: u32) -> Result<Vec<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE due_at <= ?1 ORDER BY due_at, sla LIMIT ?2";
        self.run(|connection| query_rows(connection, sql, params![now, len]))
    }

    /// A registration with the ids that users know.
    pub fn sla_summary(&self, key: SlaKey) -> Result<SlaSummary> {
        let sql = "SELECT * FROM sla_summary WHERE sla = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![key], summary))
    }

    /// A page of the matching registrations, by nominal time, and how many match in all.
    pub fn sla_page(&self, filter: &SlaFilter, page: Page) -> Result<(Vec<SlaSummary>, u32)> {
        let owned = filter.parameters();
        let mut parameters: Vec<(&str, &dyn ToSql)> = owned.iter().map(|(name, value)| (*name, &**value)).collect();
        self.run(|connection| {
            let count = concat!("SELECT count(*) AS total ", include_str!("../sql/sla/matching.sql"));
            let total = connection.prepare_cached(count)?.query_row(&*parameters, |row| row.column("total"))?;
            parameters.extend([(":offset", &page.offset as &dyn ToSql), (":len", &page.len)]);
            let sql = concat!(
                "SELECT * ",
                include_str!("../sql/sla/matching.sql"),
                "ORDER BY nominal_at, sla LIMIT :len OFFSET :offset"
            );
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(&*parameters, summary)?.collect::<rusqlite::Result<_>>()?;
            Ok((rows, total))
        })
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<SlaSummary> {
    let events: Option<String> = row.column("events")?;
    let events = events.as_deref().unwrap_or_default().split(',').filter_map(SlaEvent::from_word).collect();
    let registration = SlaRegistration::from_row(row, &SlaRegistration::places(row.as_ref())?)?;
    Ok(SlaSummary { registration, id: row.column("id")?, parent_id: row.column("parent_id")?, events })
}

impl Transaction<'_> {
    /// Stores a registration; assigns its key and ignores the given one.
    pub fn insert_sla(&self, registration: &SlaRegistration) -> Result<()> {
        self.run(|connection| execute_row(connection, include_str!("../sql/sla/insert.sql"), registration, &[]))
            .map(drop)
    }

    /// Writes everything that may change in a registration.
    pub fn update_sla(&self, registration: &SlaRegistration) -> Result<()> {
        self.run(|connection| execute_row(connection, include_str!("../sql/sla/update.sql"), registration, &[]))
            .map(drop)
    }

    /// Makes the next tick check the registration of an action, if there is one that is not over.
    pub fn touch_sla(&self, action: ActionKey, at: Timestamp) -> Result<()> {
        let parameters = named_params! { ":job": action.job, ":number": action.number, ":at": at };
        self.run(|connection| connection.prepare_cached(include_str!("../sql/sla/touch.sql"))?.execute(parameters))
            .map(drop)
    }

    /// Makes the next tick check the registrations of a group of actions that are not over.
    pub fn touch_group_sla(&self, group: &ActionGroup, at: Timestamp) -> Result<()> {
        let parameters =
            named_params! { ":job": group.job, ":first": group.number, ":last": group.last_number, ":at": at };
        self.run(|connection| {
            connection.prepare_cached(include_str!("../sql/sla/touch_group.sql"))?.execute(parameters)
        })
        .map(drop)
    }

    /// Makes the next tick check the registrations of a workflow job and of its nodes that are not over.
    pub fn touch_workflow_sla(&self, job: WorkflowKey, at: Timestamp) -> Result<()> {
        let parameters = named_params! { ":job": job, ":at": at };
        self.run(|connection| {
            connection.prepare_cached(include_str!("../sql/sla/touch_workflow.sql"))?.execute(parameters)
        })
        .map(drop)
    }

    /// Records an event of the present run of a registration.
    pub fn insert_sla_event(
        &self,
        registration: &SlaRegistration,
        event: SlaEvent,
        at: Timestamp,
        alert: Alert,
    ) -> Result<()> {
        let sql = "INSERT INTO sla_event (sla, run, event, at, alerted) VALUES (?1, ?2, ?3, ?4, ?5)";
        let parameters = params![registration.sla, registration.run, event, at, alert];
        self.run(|connection| connection.prepare_cached(sql)?.execute(parameters)).map(drop)
    }
}

/// Whether an alert is sent for an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alert {
    Told,
    Silent,
}

impl ToColumn for Alert {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self == Self::Told).into())
    }
}
