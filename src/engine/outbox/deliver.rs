//! The courier: delivers what stands in the outbox, outside the transactions in which it was put there.
//!
//! Several receivers are served at once, each with a few deliveries at a time, so that a dead one delays no other. What
//! one receiver is told about one action keeps its order. What was sent is recorded afterwards: a crash between the two
//! sends again, and never loses anything. Decides when something is tried; what comes next is `round`'s, how it is sent
//! is `carrier`'s. Follows specification 15.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::fault::Fault;
use crate::engine::outbox::retry::{self, RetryPolicy};
use crate::engine::outbox::schedule::Round;
use crate::engine::outbox::subject;
use crate::engine::outbox::transport::{self, Carrier};
use crate::error::{Error, ErrorCode, Result};
use crate::host::clock::Clock;
use crate::host::fault::fault_point;
use crate::host::thread_pool::ThreadPool;
use crate::model::delivery::Undelivered;
use crate::model::row::{Delivery, DeliveryKey, DeliveryState};
use crate::model::time::Now;
use crate::store::Snapshot;

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
pub(crate) fn is_wanted(engine: &Engine, now: &Now) -> Result<bool> {
    engine.store.read(|snapshot| snapshot.is_delivery_due(now))
}

/// Delivers until nothing is due any more; the caller holds the courier's lock. What was given up is said to `fault`.
///
/// # Errors
/// A failure of the database.
pub(crate) fn deliver(engine: &mut Engine, clock: &dyn Clock, fault: &mut dyn FnMut(&Fault)) -> Result<()> {
    let mut work = Work {
        carrier: Arc::new(Carrier::new(&engine.settings.delivery)),
        pool: ThreadPool::new(),
        round: Round::new(),
        policy: RetryPolicy::of(&engine.settings.delivery),
    };
    let mut idle_looks = 0;
    loop {
        let now = clock.both();
        work.take_up(engine, &now)?;
        idle_looks = if work.round.is_idle() { idle_looks + 1 } else { 0 };
        if work.round.is_idle() {
            // The clock may stand still, so the looks are counted too.
            if idle_looks > MOST_IDLE_LOOKS || !is_wanted(engine, &now.after(SOON_SECONDS))? {
                return Ok(());
            }
        }
        let results = work.pool.finished(PATIENCE);
        if !results.is_empty() {
            work.record(engine, results, &clock.both(), fault)?;
        }
    }
}

/// A try and what became of it: what of it could not be delivered, or why nothing was.
type Tried = (DeliveryKey, Result<Option<String>, Undelivered>);

/// A courier at work.
struct Work {
    carrier: Arc<Carrier>,
    pool: ThreadPool<Tried>,
    round: Round,
    policy: RetryPolicy,
}

impl Work {
    /// Begins as many of the due deliveries as may be on their way.
    fn take_up(&mut self, engine: &Engine, now: &Now) -> Result<()> {
        if self.round.wants_look() {
            engine.store.read(|snapshot| self.round.look(snapshot, now))?;
        }
        for delivery in self.round.next() {
            let identity = transport::identity(engine.store.path(), &delivery);
            let (key, carrier) = (delivery.delivery, Arc::clone(&self.carrier));
            let defect = (key, Err("the courier failed; this is a defect of howdah".to_owned().into()));
            self.pool.begin(move || (key, carrier.carry(&delivery.payload, &identity)), defect);
        }
        Ok(())
    }

    /// Stores what became of tries.
    fn record(
        &mut self,
        engine: &mut Engine,
        results: Vec<Tried>,
        now: &Now,
        fault: &mut dyn FnMut(&Fault),
    ) -> Result<()> {
        let settle = |(key, result)| Some(retry::settle(self.round.take(key)?, result, self.policy, now));
        let settled: Vec<Delivery> = results.into_iter().filter_map(settle).collect();
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
    if !engine.store.read(Snapshot::has_unreported_failures)? {
        return Ok(Vec::new());
    }
    engine.store.transact(|transaction| {
        let mut by_receiver: BTreeMap<String, (Delivery, usize)> = BTreeMap::new();
        for delivery in transaction.take_unreported_failures()? {
            let count = by_receiver.get(&delivery.receiver).map_or(0, |(_, count)| *count);
            by_receiver.insert(delivery.receiver.clone(), (delivery, count + 1));
        }
        by_receiver.values().map(|(latest, count)| given_up(transaction, latest, *count)).collect()
    })
}

/// The fault for `count` deliveries to one receiver that were given up, of which this is the latest.
fn given_up(snapshot: &Snapshot, latest: &Delivery, count: usize) -> Result<Fault> {
    let subject = subject::subject(snapshot, latest)?;
    let what = match count {
        1 => "a notification or alert".to_owned(),
        count => format!("{count} notifications or alerts, this the last,"),
    };
    let reason = latest.last_error.as_deref().unwrap_or_default();
    Ok(Fault { subject, error: Error::with(ErrorCode::H0160, &[&what, &latest.receiver, &reason]) })
}
