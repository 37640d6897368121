//! Table `delivery`: the outbox. A message is stored in the transaction of its event, so that there is no message
//! without its event and no event without its message.
//!
//! Must not depend on how or how often a message is sent: the delivery module of the engine reports the result of each
//! try. Delivered rows are kept, as events are.

use super::row::{execute_row, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::delivery::Payload;
use howdah_words::model::row::{ActionKey, Delivery, DeliveryKey, Incident, WorkflowKey};
use howdah_words::model::time::{Now, Timestamp};

table_row! {
    Delivery {
        delivery, payload, receiver, sequence, coordinator_job, action_number, workflow_job, node, bundle_job, state,
        created_at, next_try_at, next_try_boot, next_try_uptime, ended_at, tries, last_error,
    }
}

/// The subject of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeliverySubject<'a> {
    Action(ActionKey),
    Workflow(WorkflowKey),
    Node(WorkflowKey, &'a str),
}

impl DeliverySubject<'_> {
    /// The name of the sequence of the messages to one receiver about this.
    fn sequence(&self, receiver: &str) -> String {
        match self {
            Self::Action(action) => format!("C{}@{} {receiver}", action.job.0, action.number),
            Self::Workflow(job) => format!("W{} {receiver}", job.0),
            Self::Node(job, node) => format!("W{}@{node} {receiver}", job.0),
        }
    }
}

impl Snapshot {
    /// Whether a delivery is due at `now`: one that was not tried yet always is; the pause after a try is counted on
    /// the clock that cannot be set if the machine was not restarted since, else by the time of day.
    pub fn is_delivery_due(&self, now: &Now) -> Result<bool> {
        let sql = include_str!("sql/delivery/is_due.sql");
        let parameters = named_params! { ":at": now.at, ":boot": now.moment.boot, ":uptime": now.moment.seconds };
        self.run(|connection| connection.prepare_cached(sql)?.query_row(parameters, |row| row.column("is_due")))
    }

    /// At most `len` receivers with deliveries due at `now`, those that have waited longest first.
    pub fn receivers_with_due_deliveries(&self, now: &Now, len: u32) -> Result<Vec<String>> {
        let sql = include_str!("sql/delivery/receivers.sql");
        let parameters =
            named_params! { ":at": now.at, ":boot": now.moment.boot, ":uptime": now.moment.seconds, ":len": len };
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map(parameters, |row| row.column("receiver"))?.collect()
        })
    }

    /// At most `len` deliveries to one receiver that are due at `now`, the longest overdue first; of each sequence only
    /// the first.
    pub fn due_deliveries(&self, receiver: &str, now: &Now, len: u32) -> Result<Vec<Delivery>> {
        let sql = include_str!("sql/delivery/due.sql");
        let parameters = named_params! {
            ":receiver": receiver, ":at": now.at, ":boot": now.moment.boot, ":uptime": now.moment.seconds, ":len": len
        };
        self.run(|connection| query_rows(connection, sql, parameters))
    }

    /// The deliveries about an action, oldest first.
    pub fn deliveries_of_action(&self, action: ActionKey) -> Result<Vec<Delivery>> {
        let sql = "SELECT * FROM delivery WHERE coordinator_job = ?1 AND action_number = ?2 ORDER BY delivery";
        self.run(|connection| query_rows(connection, sql, params![action.job, action.number]))
    }

    /// The deliveries about a workflow job and its nodes, oldest first.
    pub fn deliveries_of_workflow(&self, job: WorkflowKey) -> Result<Vec<Delivery>> {
        let sql = "SELECT * FROM delivery WHERE workflow_job = ?1 ORDER BY delivery";
        self.run(|connection| query_rows(connection, sql, params![job]))
    }

    /// Whether a delivery was given up that has not been reported.
    pub fn has_unreported_failures(&self) -> Result<bool> {
        let sql = "SELECT EXISTS (SELECT 1 FROM delivery WHERE state = 'GIVEN_UP' AND told = 0) AS untold";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column("untold")))
    }
}

impl Transaction<'_> {
    /// Adds a delivery to the outbox at `at`; it is due as soon as the earlier deliveries of its sequence are over.
    pub fn enqueue(&self, subject: DeliverySubject<'_>, payload: Payload, at: Timestamp) -> Result<DeliveryKey> {
        let mut delivery = Delivery::new(subject.sequence(payload.receiver()), payload, at);
        match subject {
            DeliverySubject::Action(action) => {
                delivery.coordinator_job = Some(action.job);
                delivery.action_number = Some(action.number);
            }
            DeliverySubject::Workflow(job) => delivery.workflow_job = Some(job),
            DeliverySubject::Node(job, node) => {
                delivery.workflow_job = Some(job);
                delivery.node = Some(node.to_owned());
            }
        }
        self.insert_delivery(&delivery)
    }

    /// Adds an alert of the site to the outbox, which is sent after the earlier ones to its receiver about the same
    /// job.
    pub fn enqueue_alert(&self, incident: &Incident, hook: &str, payload: Payload) -> Result<DeliveryKey> {
        let job = incident.coordinator_job.map(|job| format!("C{}", job.0));
        let job = job.or(incident.workflow_job.map(|job| format!("W{}", job.0)));
        let job = job.or(incident.bundle_job.map(|job| format!("B{}", job.0))).unwrap_or_default();
        let receiver = payload.receiver().to_owned();
        self.insert_delivery(&Delivery {
            coordinator_job: incident.coordinator_job,
            action_number: incident.action_number,
            workflow_job: incident.workflow_job,
            bundle_job: incident.bundle_job,
            ..Delivery::new(format!("alert {hook} {job} {receiver}"), payload, incident.at)
        })
    }

    fn insert_delivery(&self, delivery: &Delivery) -> Result<DeliveryKey> {
        self.run(|connection| {
            let sql = include_str!("sql/delivery/insert.sql");
            execute_row(connection, sql, delivery, &[("at", &delivery.created_at)])?;
            Ok(DeliveryKey(connection.last_insert_rowid()))
        })
    }

    /// Writes the result of a try; returns `false` and writes nothing when the delivery is over already.
    pub fn update_delivery(&self, delivery: &Delivery) -> Result<bool> {
        let sql = include_str!("sql/delivery/update.sql");
        self.run(|connection| Ok(execute_row(connection, sql, delivery, &[])? > 0))
    }

    /// The given-up deliveries that have not been reported, oldest first; marks them as reported.
    pub fn take_unreported_failures(&self) -> Result<Vec<Delivery>> {
        let mut failures: Vec<Delivery> =
            self.run(|connection| query_rows(connection, include_str!("sql/delivery/mark_reported.sql"), []))?;
        failures.sort_by_key(|delivery| delivery.delivery);
        Ok(failures)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Store;
    use super::super::testing::{NOW, coordinator, fresh, workflow};
    use super::*;
    use howdah_words::model::delivery::HttpGet;
    use howdah_words::model::row::DeliveryState;
    use howdah_words::model::time::Moment;

    fn get(url: &str) -> Payload {
        Payload::Http(HttpGet { url: url.to_owned(), proxy: None })
    }

    /// The clocks `seconds` after `NOW`, in a boot of the machine that started in 1970.
    fn later(seconds: i64) -> Now {
        Now { at: NOW + seconds, moment: Moment { boot: "this".to_owned(), seconds: NOW.seconds() + seconds } }
    }

    /// The deliveries due to a receiver, in order.
    fn due(store: &Store, receiver: &str, now: &Now) -> Vec<Delivery> {
        store.read(|snapshot| snapshot.due_deliveries(receiver, now, 10)).unwrap()
    }

    #[test]
    fn of_one_sequence_only_the_first_is_due() {
        let (_folder, mut store) = fresh();
        store
            .transact(|transaction| {
                let job = coordinator(transaction)?.job;
                for number in [1, 2] {
                    for path in ["first", "second"] {
                        let url = format!("http://a/{path}/{number}");
                        transaction.enqueue(DeliverySubject::Action(ActionKey { job, number }), get(&url), NOW)?;
                    }
                }
                transaction.enqueue(DeliverySubject::Workflow(workflow(transaction)?.job), get("http://b/"), NOW + 1)
            })
            .unwrap();
        let check = |store: &Store, receiver: &str, seconds: i64, expect: &[&str]| {
            let urls: Vec<Payload> =
                due(store, receiver, &later(seconds)).into_iter().map(|delivery| delivery.payload).collect();
            assert_eq!(urls, expect.iter().map(|url| get(url)).collect::<Vec<_>>(), "{receiver}");
        };
        // A delivery before its first try is due, even where the clock was set back since.
        for seconds in [-3600, 0] {
            check(&store, "http://a", seconds, &["http://a/first/1", "http://a/first/2"]);
            check(&store, "http://b", seconds, &["http://b/"]);
            let receivers = store.read(|snapshot| snapshot.receivers_with_due_deliveries(&later(seconds), 9));
            assert_eq!(receivers.unwrap(), ["http://a", "http://b"]);
        }

        let mut first = due(&store, "http://a", &later(0)).swap_remove(0);
        first.tries = 1;
        first.try_in(60, &later(0));
        assert!(store.transact(|transaction| transaction.update_delivery(&first)).unwrap());
        check(&store, "http://a", 59, &["http://a/first/2"]);
        check(&store, "http://a", 60, &["http://a/first/2", "http://a/first/1"]);
        first.state = DeliveryState::Delivered;
        first.clear_next_try();
        first.ended_at = Some(NOW + 60);
        assert!(store.transact(|transaction| transaction.update_delivery(&first)).unwrap());
        check(&store, "http://a", 0, &["http://a/second/1", "http://a/first/2"]);
        // A delivery that is over stays over.
        assert!(!store.transact(|transaction| transaction.update_delivery(&first)).unwrap());
    }

    #[test]
    fn a_pause_uses_the_clock_that_cannot_be_set() {
        let (_folder, mut store) = fresh();
        let enqueue = |transaction: &Transaction<'_>| {
            transaction.enqueue(DeliverySubject::Workflow(workflow(transaction)?.job), get("http://a/"), NOW)
        };
        store.transact(enqueue).unwrap();
        let mut delivery = due(&store, "http://a", &later(0)).swap_remove(0);
        delivery.tries = 1;
        delivery.try_in(60, &later(0));
        store.transact(|transaction| transaction.update_delivery(&delivery)).unwrap();
        let check = |at: i64, (boot, uptime): (&str, i64), expect: bool| {
            let moment = Moment { boot: boot.to_owned(), seconds: NOW.seconds() + uptime };
            let now = Now { at: NOW + at, moment };
            let receivers = store.read(|snapshot| snapshot.receivers_with_due_deliveries(&now, 9)).unwrap();
            let is_due = store.read(|snapshot| snapshot.is_delivery_due(&now)).unwrap();
            let found = (due(&store, "http://a", &now).len(), receivers.len(), is_due);
            assert_eq!(found, (usize::from(expect), usize::from(expect), expect), "{at} {boot} {uptime}");
        };
        check(-3600, ("this", 60), true);
        check(3600, ("this", 59), false);
        // After a restart of the machine the time of day counts.
        check(59, ("another", 3600), false);
        check(60, ("another", -3600), true);
    }

    #[test]
    fn given_up_deliveries_are_reported_once() {
        let (_folder, mut store) = fresh();
        let action = store
            .transact(|transaction| {
                let action = ActionKey { job: coordinator(transaction)?.job, number: 1 };
                transaction.enqueue(DeliverySubject::Action(action), get("http://a/"), NOW)?;
                Ok(action)
            })
            .unwrap();
        assert!(!store.read(Snapshot::has_unreported_failures).unwrap());
        let mut given_up = due(&store, "http://a", &later(0)).swap_remove(0);
        given_up.state = DeliveryState::GivenUp;
        given_up.clear_next_try();
        given_up.ended_at = Some(NOW);
        given_up.last_error = Some("the receiver answered 500".to_owned());
        store.transact(|transaction| transaction.update_delivery(&given_up)).unwrap();
        assert!(store.read(Snapshot::has_unreported_failures).unwrap());
        assert!(!store.read(|snapshot| snapshot.is_delivery_due(&later(9999))).unwrap());
        let mut tell = || {
            let failures = store.transact(|transaction| {
                assert!(!transaction.is_delivery_due(&later(9999))?);
                transaction.take_unreported_failures()
            });
            failures.unwrap()
        };
        assert_eq!(tell(), [given_up.clone()]);
        assert_eq!(tell(), []);
        assert_eq!(store.read(|snapshot| snapshot.deliveries_of_action(action)).unwrap(), [given_up]);
    }

    #[test]
    fn every_state_is_accepted_and_no_other_word() {
        let (_folder, mut store) = fresh();
        for state in DeliveryState::ALL {
            assert_eq!(DeliveryState::from_word(state.as_str()), Some(*state));
        }
        store
            .transact(|transaction| {
                transaction.enqueue(DeliverySubject::Workflow(workflow(transaction)?.job), get("http://a/"), NOW)
            })
            .unwrap();
        for sql in [
            "UPDATE delivery SET state = 'LOST'",
            "UPDATE delivery SET state = 'DELIVERED'",
            "UPDATE delivery SET payload = '{\"kind\":\"pigeon\"}'",
        ] {
            assert!(store.file.connection.execute(sql, []).is_err(), "{sql}");
        }
    }
}
