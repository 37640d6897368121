//! Which deliveries are on their way, and which come next.
//!
//! A few per receiver at a time, and the receivers in turn: one that answers late, or never, fills its own places only.
//! The outbox is looked at when nothing is left of the last look, or some time has passed, so that its length does not
//! matter. Knows neither how something is sent nor what is stored of it.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::error::Result;
use crate::host::clock::Pace;
use crate::model::row::{Delivery, DeliveryKey};
use crate::model::time::Now;
use crate::store::Snapshot;

/// Most deliveries on their way.
const MOST_ON_THE_WAY: usize = 32;
/// Most deliveries on their way to one receiver.
const MOST_PER_RECEIVER: usize = 4;
/// Most receivers that one look finds.
const MOST_RECEIVERS: u32 = 256;
/// Most deliveries to one receiver that one look finds.
const MOST_PER_LOOK: u32 = 256;
/// The outbox is looked at again after this time, even if something is left of the last look.
const LOOK_PAUSE: Duration = Duration::from_millis(250);

/// What a courier has in its hands.
#[derive(Debug)]
pub(crate) struct Round {
    on_the_way: BTreeMap<DeliveryKey, Delivery>,
    /// Found due and not begun yet, per receiver.
    waiting: BTreeMap<String, VecDeque<Delivery>>,
    looks: Pace,
}

impl Round {
    /// Empty hands.
    pub(crate) const fn new() -> Self {
        Self { on_the_way: BTreeMap::new(), waiting: BTreeMap::new(), looks: Pace::new(LOOK_PAUSE) }
    }

    /// Whether the outbox is to be looked at.
    pub(crate) fn wants_look(&self) -> bool {
        self.waiting.is_empty() || self.looks.is_due()
    }

    /// Looks at what is due.
    pub(crate) fn look(&mut self, snapshot: &Snapshot, now: &Now) -> Result<()> {
        self.looks.mark();
        self.waiting.clear();
        for receiver in snapshot.receivers_with_due_deliveries(now, MOST_RECEIVERS)? {
            let mut due = VecDeque::from(snapshot.due_deliveries(&receiver, now, MOST_PER_LOOK)?);
            due.retain(|delivery| !self.on_the_way.contains_key(&delivery.delivery));
            if !due.is_empty() {
                self.waiting.insert(receiver, due);
            }
        }
        Ok(())
    }

    /// What is to be begun now; from here on it is on its way.
    pub(crate) fn next(&mut self) -> Vec<Delivery> {
        let mut begun = Vec::new();
        loop {
            let before = begun.len();
            for (receiver, due) in &mut self.waiting {
                let busy = self.on_the_way.values().filter(|delivery| delivery.receiver == *receiver).count();
                if busy < MOST_PER_RECEIVER && self.on_the_way.len() < MOST_ON_THE_WAY {
                    begun.extend(due.pop_front().inspect(|delivery| {
                        self.on_the_way.insert(delivery.delivery, delivery.clone());
                    }));
                }
            }
            self.waiting.retain(|_, due| !due.is_empty());
            if begun.len() == before {
                return begun;
            }
        }
    }

    /// Takes back a delivery of which the result is known.
    pub(crate) fn take(&mut self, key: DeliveryKey) -> Option<Delivery> {
        self.on_the_way.remove(&key)
    }

    /// Whether nothing is on its way.
    pub(crate) fn is_idle(&self) -> bool {
        self.on_the_way.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::delivery::{HttpGet, Payload};
    use crate::model::row::DeliveryState;
    use crate::model::time::Timestamp;

    /// Of each receiver so many are due; answers how many of each are begun.
    fn check(due: &[(&str, usize)], expect: &[(&str, usize)]) -> Round {
        let mut round = Round::new();
        let now = Timestamp::from_seconds(0);
        let mut number = 0;
        for (receiver, count) in due {
            let deliveries = (0..*count).map(|_| {
                number += 1;
                Delivery {
                    delivery: DeliveryKey(number),
                    payload: Payload::Http(HttpGet { url: (*receiver).to_owned(), proxy: None }),
                    receiver: (*receiver).to_owned(),
                    sequence: number.to_string(),
                    coordinator_job: None,
                    action_number: None,
                    workflow_job: None,
                    node: None,
                    state: DeliveryState::Pending,
                    created_at: now,
                    next_try_at: Some(now),
                    next_try_boot: None,
                    next_try_uptime: None,
                    ended_at: None,
                    tries: 0,
                    last_error: None,
                }
            });
            round.waiting.insert((*receiver).to_owned(), deliveries.collect());
        }
        let mut begun: BTreeMap<String, usize> = BTreeMap::new();
        for delivery in round.next() {
            *begun.entry(delivery.receiver).or_default() += 1;
        }
        let begun: Vec<(&str, usize)> = begun.iter().map(|(receiver, count)| (receiver.as_str(), *count)).collect();
        assert_eq!(begun, expect);
        assert!(round.next().is_empty());
        round
    }

    #[test]
    fn no_receiver_takes_more_than_its_places() {
        check(&[], &[]);
        check(&[("a", 1)], &[("a", 1)]);
        check(&[("a", 9), ("b", 2)], &[("a", 4), ("b", 2)]);
        let receivers: Vec<String> = (10..60).map(|number| number.to_string()).collect();
        let many: Vec<(&str, usize)> = receivers.iter().map(|receiver| (receiver.as_str(), 9)).collect();
        let first: Vec<(&str, usize)> = receivers.iter().take(32).map(|receiver| (receiver.as_str(), 1)).collect();
        check(&many, &first);
    }

    #[test]
    fn what_is_over_makes_room() {
        let mut round = check(&[("a", 6)], &[("a", 4)]);
        assert!(round.take(DeliveryKey(1)).is_some());
        assert!(round.take(DeliveryKey(1)).is_none());
        assert_eq!(round.next().len(), 1);
        assert!(!round.is_idle());
        assert!(round.wants_look(), "no query was made yet");
    }
}
