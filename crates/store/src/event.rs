//! Table `event`: every change of a status, its origin and its reason. Append-only.
//!
//! A range of actions materialized together is one row, so the log does not grow with the size of ranges.

use super::row::{execute_row, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::row::{ActionKey, BundleKey, CoordinatorKey, Event, EventKey, WorkflowKey};
use howdah_words::model::time::Timestamp;

table_row! {
    Event {
        event, at, coordinator_job, action_number, last_action_number, workflow_job, node, bundle_job, from_status,
        to_status, origin, actor, reason, sets_pause,
    }
}

impl Snapshot {
    /// At most the `most` oldest events of a coordinator job and its actions, oldest first.
    pub fn events_of_coordinator(&self, job: CoordinatorKey, most: u32) -> Result<Vec<Event>> {
        let sql = include_str!("sql/event/of_coordinator.sql");
        self.run(|connection| query_rows(connection, sql, params![job, most]))
    }

    /// The events of one action, including those of ranges that contain it, oldest first.
    pub fn events_of_action(&self, action: ActionKey) -> Result<Vec<Event>> {
        let sql = include_str!("sql/event/of_action.sql");
        self.run(|connection| query_rows(connection, sql, params![action.job, action.number]))
    }

    /// The events of a workflow job and its nodes, oldest first.
    pub fn events_of_workflow(&self, job: WorkflowKey) -> Result<Vec<Event>> {
        let sql = "SELECT * FROM event WHERE workflow_job = ?1 ORDER BY event";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// The events of a bundle job, oldest first, without those of its coordinators.
    pub fn events_of_bundle(&self, job: BundleKey) -> Result<Vec<Event>> {
        let sql = "SELECT * FROM event WHERE bundle_job = ?1 ORDER BY event";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// At most `len` events after `last`, oldest first.
    pub fn events_after(&self, last: EventKey, len: u32) -> Result<Vec<Event>> {
        let sql = "SELECT * FROM event WHERE event > ?1 ORDER BY event LIMIT ?2";
        self.run(|connection| query_rows(connection, sql, params![last, len]))
    }

    /// When the last suspension of a job ended; `None` when it was never suspended.
    pub fn last_resumed_at(&self, job: CoordinatorKey) -> Result<Option<Timestamp>> {
        let sql = include_str!("sql/event/last_resumed.sql");
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![job], |row| row.column("at")))
    }

    /// The events of a job itself, without those of its actions, oldest first.
    pub fn events_of_job_alone(&self, job: CoordinatorKey) -> Result<Vec<Event>> {
        let sql = "SELECT * FROM event WHERE coordinator_job = ?1 AND action_number IS NULL ORDER BY event";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// The time of the latest event; `None` before the first.
    pub fn last_event_at(&self) -> Result<Option<Timestamp>> {
        use rusqlite::OptionalExtension as _;
        let sql = "SELECT at FROM event ORDER BY event DESC LIMIT 1";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column("at")).optional())
    }
}

impl Transaction<'_> {
    /// Appends an event; assigns its key and ignores the given one.
    pub fn insert_event(&self, event: &Event) -> Result<EventKey> {
        self.run(|connection| {
            execute_row(connection, include_str!("sql/event/insert.sql"), event, &[])?;
            Ok(EventKey(connection.last_insert_rowid()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh, workflow};
    use super::*;
    use howdah_words::model::origin::Origin;

    fn event() -> Event {
        let (actor, reason) = (Some("ann".to_owned()), Some("due".to_owned()));
        Event { actor, reason, sets_pause: true, ..Event::new(NOW, "WAITING", Origin::Change) }
    }

    #[test]
    fn events_are_found_by_what_they_are_about() {
        let (_folder, mut store) = fresh();
        let (job, flow) =
            store.transact(|transaction| Ok((coordinator(transaction)?.job, workflow(transaction)?.job))).unwrap();
        let about = |action_number, last_action_number| Event {
            coordinator_job: Some(job),
            action_number,
            last_action_number,
            ..event()
        };
        let node = Event { workflow_job: Some(flow), node: Some("load".to_owned()), at: NOW + 1, ..event() };
        let mut stored =
            vec![about(None, None), about(Some(1), Some(3)), about(Some(4), None), about(Some(3), None), node];
        for event in &mut stored {
            event.event = store.transact(|transaction| transaction.insert_event(event)).unwrap();
        }
        store
            .read(|snapshot| {
                let of_action = |number| snapshot.events_of_action(ActionKey { job, number });
                assert_eq!(snapshot.events_of_coordinator(job, u32::MAX)?, stored[..4]);
                assert_eq!(snapshot.events_of_coordinator(job, 2)?, stored[..2]);
                assert_eq!(of_action(3)?, [stored[1].clone(), stored[3].clone()]);
                assert_eq!(of_action(4)?, stored[2..3]);
                assert_eq!(of_action(5)?, []);
                assert_eq!(snapshot.events_of_workflow(flow)?, stored[4..]);
                assert_eq!(snapshot.events_after(stored[1].event, 2)?, stored[2..4]);
                assert_eq!(snapshot.last_event_at()?, Some(NOW + 1));
                Ok(())
            })
            .unwrap();
    }

    #[test]
    fn the_last_resumption_is_the_last_end_of_a_suspension() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap().job;
        let mut check = |seconds: i64, (from, to): (&str, &str), action_number, expect: Option<i64>| {
            let about = Event { coordinator_job: Some(job), action_number, at: NOW + seconds, ..event() };
            let change = Event { from_status: Some(from.to_owned()), to_status: to.to_owned(), ..about };
            store.transact(|transaction| transaction.insert_event(&change)).unwrap();
            let found = store.read(|snapshot| snapshot.last_resumed_at(job)).unwrap();
            assert_eq!(found, expect.map(|seconds| NOW + seconds), "{from} -> {to}");
        };
        check(1, ("RUNNING", "SUSPENDED"), None, None);
        check(2, ("SUSPENDED", "SUSPENDEDWITHERROR"), None, None);
        check(3, ("SUSPENDED", "RUNNING"), Some(1), None);
        check(4, ("SUSPENDEDWITHERROR", "RUNNINGWITHERROR"), None, Some(4));
        check(5, ("RUNNING", "SUSPENDED"), None, Some(4));
        let alone = store.read(|snapshot| snapshot.events_of_job_alone(job)).unwrap();
        assert_eq!(alone.len(), 4);
    }

    #[test]
    fn a_range_that_runs_backwards_is_refused() {
        let (_folder, mut store) = fresh();
        assert_eq!(store.read(Snapshot::last_event_at).unwrap(), None);
        let backwards = Event { action_number: Some(3), last_action_number: Some(2), ..event() };
        assert!(store.transact(|transaction| transaction.insert_event(&backwards)).is_err());
    }
}
