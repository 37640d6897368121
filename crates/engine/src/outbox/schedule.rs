//! Which deliveries are in flight, and which come next.
//!
//! A few per receiver at a time, and the receivers in turn: a receiver that answers late or never blocks only its own
//! deliveries. The outbox is queried when the last result is used up or after some time, so its length does not matter.
//! Must not depend on how something is sent or stored.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use howdah_host::clock::Pace;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::{Delivery, DeliveryKey};
use howdah_words::model::time::Now;

/// Most deliveries in flight.
const MOST_IN_FLIGHT: usize = 32;
/// Most deliveries in flight to one receiver.
const MOST_PER_RECEIVER: usize = 4;
/// Most receivers in the result of one query.
const MOST_RECEIVERS: u32 = 256;
/// Most deliveries to one receiver in the result of one query.
const MOST_PER_QUERY: u32 = 256;
/// The outbox is queried again after this time, even if the last result is not used up.
const QUERY_INTERVAL: Duration = Duration::from_millis(250);

/// The deliveries of a running courier.
#[derive(Debug)]
pub struct Schedule {
    in_flight: BTreeMap<DeliveryKey, Delivery>,
    /// Due and not started yet, per receiver.
    waiting: BTreeMap<String, VecDeque<Delivery>>,
    queries: Pace,
}

impl Schedule {
    /// Returns a schedule without deliveries.
    pub const fn new() -> Self {
        Self { in_flight: BTreeMap::new(), waiting: BTreeMap::new(), queries: Pace::new(QUERY_INTERVAL) }
    }

    /// Checks whether the outbox is to be queried.
    pub(crate) fn wants_query(&self) -> bool {
        self.waiting.is_empty() || self.queries.is_due()
    }

    /// Queries the due deliveries.
    pub fn query(&mut self, snapshot: &Snapshot, now: &Now) -> Result<()> {
        self.queries.mark();
        self.waiting.clear();
        for receiver in snapshot.receivers_with_due_deliveries(now, MOST_RECEIVERS)? {
            let mut due = VecDeque::from(snapshot.due_deliveries(&receiver, now, MOST_PER_QUERY)?);
            due.retain(|delivery| !self.in_flight.contains_key(&delivery.delivery));
            if !due.is_empty() {
                self.waiting.insert(receiver, due);
            }
        }
        Ok(())
    }

    /// Returns the deliveries to start now; they are in flight from here on.
    pub(crate) fn next(&mut self) -> Vec<Delivery> {
        let mut started = Vec::new();
        loop {
            let before = started.len();
            for (receiver, due) in &mut self.waiting {
                let busy = self.in_flight.values().filter(|delivery| delivery.receiver == *receiver).count();
                if busy < MOST_PER_RECEIVER && self.in_flight.len() < MOST_IN_FLIGHT {
                    started.extend(due.pop_front().inspect(|delivery| {
                        self.in_flight.insert(delivery.delivery, delivery.clone());
                    }));
                }
            }
            self.waiting.retain(|_, due| !due.is_empty());
            if started.len() == before {
                return started;
            }
        }
    }

    /// Removes a delivery whose result is known.
    pub fn take(&mut self, key: DeliveryKey) -> Option<Delivery> {
        self.in_flight.remove(&key)
    }

    /// Checks whether nothing is in flight.
    pub(crate) fn is_idle(&self) -> bool {
        self.in_flight.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::model::delivery::{HttpGet, Payload};
    use howdah_words::model::time::Timestamp;

    /// Of each receiver so many are due; answers how many of each are started.
    fn check(due: &[(&str, usize)], expect: &[(&str, usize)]) -> Schedule {
        let mut schedule = Schedule::new();
        let now = Timestamp::from_seconds(0);
        let mut number = 0;
        for (receiver, count) in due {
            let deliveries = (0..*count).map(|_| {
                number += 1;
                let payload = Payload::Http(HttpGet { url: (*receiver).to_owned(), proxy: None });
                let receiver = (*receiver).to_owned();
                Delivery { delivery: DeliveryKey(number), receiver, ..Delivery::new(number.to_string(), payload, now) }
            });
            schedule.waiting.insert((*receiver).to_owned(), deliveries.collect());
        }
        let mut started: BTreeMap<String, usize> = BTreeMap::new();
        for delivery in schedule.next() {
            *started.entry(delivery.receiver).or_default() += 1;
        }
        let started: Vec<(&str, usize)> = started.iter().map(|(receiver, count)| (receiver.as_str(), *count)).collect();
        assert_eq!(started, expect);
        assert!(schedule.next().is_empty());
        schedule
    }

    #[test]
    fn no_receiver_gets_more_than_its_limit() {
        check(&[], &[]);
        check(&[("a", 1)], &[("a", 1)]);
        check(&[("a", 9), ("b", 2)], &[("a", 4), ("b", 2)]);
        let receivers: Vec<String> = (10..60).map(|number| number.to_string()).collect();
        let many: Vec<(&str, usize)> = receivers.iter().map(|receiver| (receiver.as_str(), 9)).collect();
        let first: Vec<(&str, usize)> = receivers.iter().take(32).map(|receiver| (receiver.as_str(), 1)).collect();
        check(&many, &first);
    }

    #[test]
    fn finished_deliveries_make_room() {
        let mut schedule = check(&[("a", 6)], &[("a", 4)]);
        assert!(schedule.take(DeliveryKey(1)).is_some());
        assert!(schedule.take(DeliveryKey(1)).is_none());
        assert_eq!(schedule.next().len(), 1);
        assert!(!schedule.is_idle());
        assert!(schedule.wants_query(), "no query was made yet");
    }
}
