//! The courier: delivers what stands in the outbox, outside the transactions in which it was put there.
//!
//! Several receivers are served at once, each with a few deliveries at a time, so that a dead one delays no other. What
//! one receiver is told about one action keeps its order. What was sent is recorded afterwards: a crash between the two
//! sends again, and never loses anything. Decides when something is tried; how it is sent is `carrier`'s.
//! Follows specification 15.

mod carrier;
mod outcome;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use crate::engine::courier::carrier::Carrier;
use crate::engine::courier::outcome::RetryPolicy;
use crate::engine::{Engine, Fault, view};
use crate::error::{Error, ErrorCode, Result};
use crate::host::clock::Clock;
use crate::host::fault::fault_point;
use crate::host::workers::Crew;
use crate::model::time::Timestamp;
use crate::store::{Delivery, DeliveryKey, DeliveryState, Snapshot};

/// Most deliveries at a time.
const MOST_IN_FLIGHT: usize = 32;
/// Most deliveries to one receiver at a time.
const MOST_PER_RECEIVER: usize = 4;
/// How long a result is waited for before the outbox is looked at again.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often in a row the courier looks again when something is due within [`SOON_SECONDS`].
const MOST_IDLE_LOOKS: u32 = 30;
/// What is due within so many seconds is waited for; what is due later is for the next courier.
const SOON_SECONDS: i64 = 2;

/// Whether something is to be delivered at `now`.
///
/// # Errors
/// A failure of the database.
pub(crate) fn is_wanted(engine: &Engine, now: Timestamp) -> Result<bool> {
    Ok(engine.store.read(Snapshot::next_delivery_at)?.is_some_and(|at| at <= now))
}

/// Delivers until nothing is due any more; the caller holds the courier's lock. What was given up is said to `fault`.
///
/// # Errors
/// A failure of the database, or of the file of certificates that a setting names.
pub(crate) fn deliver(engine: &mut Engine, clock: &dyn Clock, fault: &mut dyn FnMut(&Fault)) -> Result<()> {
    let mut round = Round {
        carrier: Arc::new(Carrier::new(&engine.settings.delivery)?),
        crew: Crew::new(),
        in_flight: BTreeMap::new(),
        policy: RetryPolicy::of(&engine.settings.delivery),
    };
    let mut idle_looks = 0;
    loop {
        let now = clock.now();
        round.take_up(engine, now)?;
        if round.crew.busy() == 0 {
            let next = engine.store.read(Snapshot::next_delivery_at)?;
            idle_looks += 1;
            // The clock may stand still, so the looks are counted too.
            if next.is_none_or(|at| at > now + SOON_SECONDS) || idle_looks > MOST_IDLE_LOOKS {
                return Ok(());
            }
        } else {
            idle_looks = 0;
        }
        let results = round.crew.finished(PATIENCE);
        if !results.is_empty() {
            round.record(engine, results, clock.now(), fault)?;
        }
    }
}

/// What became of a try: why it failed, in words.
type Tried = (DeliveryKey, Result<(), String>);

/// A courier at work.
struct Round {
    carrier: Arc<Carrier>,
    crew: Crew<Tried>,
    in_flight: BTreeMap<DeliveryKey, Delivery>,
    policy: RetryPolicy,
}

impl Round {
    /// Begins as many of the due deliveries as may be in flight, in turn for each receiver.
    fn take_up(&mut self, engine: &Engine, now: Timestamp) -> Result<()> {
        if self.in_flight.len() >= MOST_IN_FLIGHT {
            return Ok(());
        }
        let mut queues = engine.store.read(|snapshot| {
            let receivers = snapshot.receivers_with_due_deliveries(now)?;
            receivers.iter().map(|receiver| self.due(snapshot, receiver, now)).collect::<Result<Vec<_>>>()
        })?;
        // Those with the fewest in flight come first, so that slow receivers cannot take every place.
        queues.sort_by_key(Vec::len);
        queues.reverse();
        while self.in_flight.len() < MOST_IN_FLIGHT && queues.iter().any(|queue| !queue.is_empty()) {
            for queue in &mut queues {
                if let Some(delivery) = queue.pop().filter(|_| self.in_flight.len() < MOST_IN_FLIGHT) {
                    self.begin(engine, delivery);
                }
            }
        }
        Ok(())
    }

    /// What may be begun now for a receiver; the first is the last in the list.
    fn due(&self, snapshot: &Snapshot, receiver: &str, now: Timestamp) -> Result<Vec<Delivery>> {
        let busy = self.in_flight.values().filter(|delivery| delivery.receiver == receiver).count();
        // Those in flight are still due.
        let len = u32::try_from(MOST_PER_RECEIVER + busy).unwrap_or(u32::MAX);
        let known: BTreeSet<&str> = self.in_flight.values().map(|delivery| delivery.sequence.as_str()).collect();
        let mut due = snapshot.due_deliveries(receiver, now, len)?;
        due.retain(|delivery| !known.contains(delivery.sequence.as_str()));
        due.truncate(MOST_PER_RECEIVER.saturating_sub(busy));
        due.reverse();
        Ok(due)
    }

    fn begin(&mut self, engine: &Engine, delivery: Delivery) {
        let (key, payload) = (delivery.delivery, delivery.payload.clone());
        let identity = carrier::identity(engine.store.path(), &delivery);
        self.in_flight.insert(key, delivery);
        let carrier = Arc::clone(&self.carrier);
        let defect = (key, Err("the courier failed; this is a defect of howdah".to_owned()));
        self.crew.begin(move || (key, carrier.carry(&payload, &identity)), defect);
    }

    /// Stores what became of tries.
    fn record(
        &mut self,
        engine: &mut Engine,
        results: Vec<Tried>,
        now: Timestamp,
        fault: &mut dyn FnMut(&Fault),
    ) -> Result<()> {
        let mut settled = Vec::new();
        for (key, result) in results {
            let Some(delivery) = self.in_flight.remove(&key) else { continue };
            settled.push(outcome::settle(delivery, result, self.policy, now));
        }
        fault_point("before-delivery-commit");
        engine.store.transact(|transaction| {
            settled.iter().try_for_each(|delivery| transaction.update_delivery(delivery).map(drop))
        })?;
        engine.store.read(|snapshot| {
            for delivery in settled.iter().filter(|delivery| delivery.state == DeliveryState::GivenUp) {
                fault(&given_up(snapshot, delivery, 1)?);
            }
            Ok(())
        })
    }
}

/// What was given up since somebody asked last, one fault for each receiver.
///
/// # Errors
/// A failure of the database.
pub(crate) fn failures(engine: &mut Engine) -> Result<Vec<Fault>> {
    if !engine.store.read(Snapshot::has_untold_failures)? {
        return Ok(Vec::new());
    }
    engine.store.transact(|transaction| {
        let mut by_receiver: BTreeMap<String, (Delivery, usize)> = BTreeMap::new();
        for delivery in transaction.tell_failures()? {
            let count = by_receiver.get(&delivery.receiver).map_or(0, |(_, count)| *count);
            by_receiver.insert(delivery.receiver.clone(), (delivery, count + 1));
        }
        by_receiver.values().map(|(latest, count)| given_up(transaction, latest, *count)).collect()
    })
}

/// The fault for `count` deliveries to one receiver that were given up, of which this is the latest.
fn given_up(snapshot: &Snapshot, latest: &Delivery, count: usize) -> Result<Fault> {
    let subject = view::delivery::subject(snapshot, latest)?;
    let what = match count {
        1 => latest.receiver.clone(),
        count => format!("{}, {count} times", latest.receiver),
    };
    let reason = latest.last_error.as_deref().unwrap_or_default();
    Ok(Fault { subject, error: Error::with(ErrorCode::H0150, &[&what, &reason]) })
}
