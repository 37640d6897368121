//! Tables `sla` and `sla_event`: what was promised, how far that is decided, and what was recorded about it.
//!
//! A registration is about a coordinator action, a workflow job or one of its nodes; it disappears with what it is
//! about. Tick reads only those whose `due_at` has come, so those that wait or are over cost nothing.

use rusqlite::types::ToSqlOutput;
use rusqlite::{Row, ToSql, named_params, params};

use super::coordinator_action::ActionKey;
use super::job_filter::json_list;
use super::row::{TableRow as _, execute_row, query_one, query_rows, table_row};
use super::{CoordinatorKey, Page, SlaKey, Snapshot, Transaction, WorkflowKey};
use crate::error::Result;
use crate::model::status::{SlaEvent, SlaStatus, SlaSubject};
use crate::model::time::Timestamp;

table_row! {
    /// Something with an SLA element.
    SlaRegistration {
        sla: SlaKey,
        subject: SlaSubject,
        coordinator_job: Option<CoordinatorKey>,
        action_number: Option<u32>,
        workflow_job: Option<WorkflowKey>,
        node: Option<String>,
        app_name: String,
        user: String,
        created_at: Timestamp,
        modified_at: Timestamp,
        nominal_at: Timestamp,
        /// `None`: not promised.
        expected_start_at: Option<Timestamp>,
        expected_end_at: Timestamp,
        /// The longest duration promised; `None`: none is.
        expected_seconds: Option<i64>,
        /// Events separated by commas; `None`: those that the site names.
        alert_events: Option<String>,
        alert_contact: Option<String>,
        notification_message: Option<String>,
        upstream_apps: Option<String>,
        alerts_disabled: bool,
        /// How often it was begun anew.
        run: u32,
        /// The bits of what is decided.
        processed: u8,
        status: SlaStatus,
        /// The subject's status when it was last looked at.
        job_status: String,
        actual_start_at: Option<Timestamp>,
        actual_end_at: Option<Timestamp>,
        /// When tick must look; `None`: not before something happens to the subject.
        due_at: Option<Timestamp>,
    }
}

impl SlaRegistration {
    /// The coordinator action that it is about, if it is about one.
    pub(crate) fn action(&self) -> Option<ActionKey> {
        let (job, number) = self.coordinator_job.zip(self.action_number)?;
        Some(ActionKey { job, number })
    }
}

/// A registration under the ids that people know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlaSummary {
    pub(crate) registration: SlaRegistration,
    /// The id of what it is about.
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    /// The events of the present run, oldest first.
    pub(crate) events: Vec<SlaEvent>,
}

/// Bounds of a number, both included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Bounds {
    pub(crate) from: Option<i64>,
    pub(crate) until: Option<i64>,
}

/// What a listed registration must match; an empty list matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SlaFilter {
    /// Ids of subjects, or of the jobs that these belong to.
    pub(crate) ids: Vec<String>,
    pub(crate) parents: Vec<String>,
    /// Patterns of `GLOB`, as the three that follow.
    pub(crate) app_names: Vec<String>,
    pub(crate) subjects: Vec<String>,
    pub(crate) users: Vec<String>,
    pub(crate) job_statuses: Vec<String>,
    pub(crate) statuses: Vec<String>,
    /// Any of them is enough.
    pub(crate) events: Vec<String>,
    /// Seconds since the epoch, as the five that follow.
    pub(crate) nominal: Bounds,
    pub(crate) created: Bounds,
    pub(crate) expected_start: Bounds,
    pub(crate) expected_end: Bounds,
    pub(crate) actual_start: Bounds,
    pub(crate) actual_end: Bounds,
    /// Milliseconds.
    pub(crate) expected_duration: Bounds,
    /// Milliseconds.
    pub(crate) actual_duration: Bounds,
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
    pub(crate) fn sla_of_action(&self, action: ActionKey) -> Result<Option<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE coordinator_job = ?1 AND action_number = ?2";
        self.run(|connection| query_one(connection, sql, (action.job, action.number)))
    }

    /// The registrations of a job's actions, by number.
    pub(crate) fn sla_of_coordinator(&self, job: CoordinatorKey) -> Result<Vec<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE coordinator_job = ?1 ORDER BY action_number";
        self.run(|connection| query_rows(connection, sql, [job]))
    }

    /// At most `len` registrations that must be looked at, the longest due first.
    pub(crate) fn due_sla(&self, now: Timestamp, len: u32) -> Result<Vec<SlaRegistration>> {
        let sql = "SELECT * FROM sla WHERE due_at <= ?1 ORDER BY due_at, sla LIMIT ?2";
        self.run(|connection| query_rows(connection, sql, (now, len)))
    }

    /// A registration under the ids that people know.
    pub(crate) fn sla_summary(&self, key: SlaKey) -> Result<SlaSummary> {
        let sql = "SELECT * FROM sla_summary WHERE sla = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([key], summary))
    }

    /// A page of the registrations that match, by nominal time, and how many match in all.
    pub(crate) fn sla_page(&self, filter: &SlaFilter, page: Page) -> Result<(Vec<SlaSummary>, u32)> {
        let owned = filter.parameters();
        let mut parameters: Vec<(&str, &dyn ToSql)> = owned.iter().map(|(name, value)| (*name, &**value)).collect();
        self.run(|connection| {
            let count = concat!("SELECT count(*) AS total ", include_str!("sql/sla/matching.sql"));
            let total = connection.prepare_cached(count)?.query_row(&*parameters, |row| row.get("total"))?;
            parameters.extend([(":offset", &page.offset as &dyn ToSql), (":len", &page.len)]);
            let sql = concat!(
                "SELECT * ",
                include_str!("sql/sla/matching.sql"),
                "ORDER BY nominal_at, sla LIMIT :len OFFSET :offset"
            );
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map(&*parameters, summary)?.collect::<rusqlite::Result<_>>()?;
            Ok((rows, total))
        })
    }
}

fn summary(row: &Row<'_>) -> rusqlite::Result<SlaSummary> {
    let events: Option<String> = row.get("events")?;
    let events = events.as_deref().unwrap_or_default().split(',').filter_map(SlaEvent::from_word).collect();
    let registration = SlaRegistration::from_row(row, &SlaRegistration::places(row.as_ref())?)?;
    Ok(SlaSummary { registration, id: row.get("id")?, parent_id: row.get("parent_id")?, events })
}

impl Transaction<'_> {
    /// Stores a registration; its key is assigned here, the one given is ignored.
    pub(crate) fn insert_sla(&self, registration: &SlaRegistration) -> Result<()> {
        self.run(|connection| execute_row(connection, include_str!("sql/sla/insert.sql"), registration, &[])).map(drop)
    }

    /// Writes all that may change in a registration.
    pub(crate) fn update_sla(&self, registration: &SlaRegistration) -> Result<()> {
        self.run(|connection| execute_row(connection, include_str!("sql/sla/update.sql"), registration, &[])).map(drop)
    }

    /// Lets the next tick look at the registration of an action, if there is one that is not over.
    pub(crate) fn touch_sla(&self, action: ActionKey, at: Timestamp) -> Result<()> {
        let parameters = named_params! { ":job": action.job, ":number": action.number, ":at": at };
        self.run(|connection| connection.prepare_cached(include_str!("sql/sla/touch.sql"))?.execute(parameters))
            .map(drop)
    }

    /// Records an event of the present run of a registration.
    pub(crate) fn insert_sla_event(
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

/// Whether somebody is told of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alert {
    Told,
    Silent,
}

impl ToSql for Alert {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok((*self == Self::Told).into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::super::testing::{NOW, actions, coordinator, fresh, node, workflow};
    use super::*;

    fn registration(subject: SlaSubject) -> SlaRegistration {
        SlaRegistration {
            sla: SlaKey::default(),
            subject,
            coordinator_job: None,
            action_number: None,
            workflow_job: None,
            node: None,
            app_name: "daily".to_owned(),
            user: "ada".to_owned(),
            created_at: NOW,
            modified_at: NOW,
            nominal_at: NOW,
            expected_start_at: Some(NOW + 60),
            expected_end_at: NOW + 600,
            expected_seconds: Some(540),
            alert_events: Some("START_MISS,END_MISS".to_owned()),
            alert_contact: Some("ops@example.com".to_owned()),
            notification_message: Some("late".to_owned()),
            upstream_apps: Some("other".to_owned()),
            alerts_disabled: false,
            run: 0,
            processed: 0,
            status: SlaStatus::NotStarted,
            job_status: "WAITING".to_owned(),
            actual_start_at: None,
            actual_end_at: None,
            due_at: Some(NOW),
        }
    }

    /// Registrations of two actions, a workflow job and a node of it.
    fn stored() -> (tempfile::TempDir, Store, ActionKey) {
        let (folder, mut store) = fresh();
        let first = store
            .transact(|transaction| {
                let first = ActionKey { job: coordinator(transaction)?.job, number: 1 };
                actions(transaction, first, 2)?;
                let flow = workflow(transaction)?.job;
                transaction.insert_workflow_node(&node(flow, "load", 1))?;
                for number in [1, 2] {
                    transaction.insert_sla(&SlaRegistration {
                        coordinator_job: Some(first.job),
                        action_number: Some(number),
                        due_at: Some(NOW + i64::from(number)),
                        ..registration(SlaSubject::CoordinatorAction)
                    })?;
                }
                let of_job = registration(SlaSubject::WorkflowJob);
                transaction.insert_sla(&SlaRegistration { workflow_job: Some(flow), due_at: None, ..of_job })?;
                transaction.insert_sla(&SlaRegistration {
                    workflow_job: Some(flow),
                    node: Some("load".to_owned()),
                    due_at: None,
                    app_name: "load".to_owned(),
                    ..registration(SlaSubject::WorkflowAction)
                })?;
                Ok(first)
            })
            .unwrap();
        (folder, store, first)
    }

    /// The ids of what matches, without the birth's stamp.
    fn check(store: &Store, filter: &SlaFilter, expect: &[&str]) {
        let (rows, total) = store.read(|snapshot| snapshot.sla_page(filter, Page { offset: 0, len: 10 })).unwrap();
        let ids: Vec<String> = rows.iter().map(|row| row.id.replace("-261120093000123-howdah", "")).collect();
        assert_eq!(
            (ids.as_slice(), total as usize),
            (expect.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>().as_slice(), expect.len()),
            "{filter:?}"
        );
    }

    #[test]
    fn registrations_of_every_kind_are_listed() {
        let (_folder, store, _) = stored();
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let all = ["0000000-C@1", "0000000-C@2", "0000001-W", "0000001-W@load"];
        check(&store, &SlaFilter::default(), &all);
        check(
            &store,
            &SlaFilter { ids: words(&["0000000-261120093000123-howdah-C"]), ..SlaFilter::default() },
            &all[..2],
        );
        check(
            &store,
            &SlaFilter { parents: words(&["0000001-261120093000123-howdah-W"]), ..SlaFilter::default() },
            &all[3..],
        );
        check(&store, &SlaFilter { app_names: words(&["l*", "x"]), ..SlaFilter::default() }, &all[3..]);
        check(&store, &SlaFilter { subjects: words(&["WORKFLOW_*"]), ..SlaFilter::default() }, &all[2..]);
        check(&store, &SlaFilter { events: words(&["END_MISS"]), ..SlaFilter::default() }, &[]);
        let bounds = Bounds { from: Some(NOW.seconds() + 1), until: None };
        check(&store, &SlaFilter { nominal: bounds, ..SlaFilter::default() }, &[]);
        let bounds = Bounds { from: None, until: Some(540_000) };
        check(&store, &SlaFilter { expected_duration: bounds, ..SlaFilter::default() }, &all);
    }

    #[test]
    fn tick_reads_what_is_due_and_what_was_touched() {
        let (_folder, mut store, first) = stored();
        let numbers = |store: &Store, at| -> Vec<Option<u32>> {
            let due = store.read(|snapshot| snapshot.due_sla(at, 10)).unwrap();
            due.iter().map(|row| row.action_number).collect()
        };
        assert_eq!(numbers(&store, NOW), []);
        assert_eq!(numbers(&store, NOW + 2), [Some(1), Some(2)]);
        let mut row = store.read(|snapshot| snapshot.sla_of_action(first)).unwrap().unwrap();
        row.due_at = None;
        store.transact(|transaction| transaction.update_sla(&row)).unwrap();
        assert_eq!(numbers(&store, NOW + 2), [Some(2)]);
        store.transact(|transaction| transaction.touch_sla(first, NOW)).unwrap();
        assert_eq!(numbers(&store, NOW), [Some(1)]);
        (row.processed, row.due_at) = (8, None);
        store.transact(|transaction| transaction.update_sla(&row)).unwrap();
        store.transact(|transaction| transaction.touch_sla(first, NOW)).unwrap();
        assert_eq!(numbers(&store, NOW), []);
    }

    #[test]
    fn an_event_is_recorded_once_in_a_run() {
        let (_folder, mut store, first) = stored();
        let mut row = store.read(|snapshot| snapshot.sla_of_action(first)).unwrap().unwrap();
        let record = |store: &mut Store, row: &SlaRegistration| {
            store.transact(|transaction| {
                transaction.update_sla(row)?;
                transaction.insert_sla_event(row, SlaEvent::EndMiss, NOW, Alert::Told)
            })
        };
        record(&mut store, &row).unwrap();
        assert!(record(&mut store, &row).is_err());
        row.run += 1;
        record(&mut store, &row).unwrap();
        let summary = store.read(|snapshot| snapshot.sla_summary(row.sla)).unwrap();
        assert_eq!(summary.events, [SlaEvent::EndMiss]);
    }

    #[test]
    fn a_registration_disappears_with_its_action() {
        let (_folder, mut store, first) = stored();
        let row = store.read(|snapshot| snapshot.sla_of_action(first)).unwrap().unwrap();
        store
            .transact(|transaction| transaction.insert_sla_event(&row, SlaEvent::EndMiss, NOW, Alert::Silent))
            .unwrap();
        store.file.connection.execute("DELETE FROM coordinator_action WHERE number = 1", []).unwrap();
        assert_eq!(store.read(|snapshot| snapshot.sla_of_action(first)).unwrap(), None);
    }
}
