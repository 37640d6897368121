//! The courier: delivers the contents of the outbox, outside the transactions that write it.
//!
//! Sends to several receivers at once, with a few deliveries each, so that a dead receiver delays no other. Deliveries
//! about one action to one receiver keep their order. A delivery is recorded after it is sent: after a crash in between
//! it is sent again, and none is lost. Decides when a delivery is tried; `schedule` selects the next ones, `transport`
//! sends them. Follows specification 15.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::Engine;
use crate::fault::Fault;
use crate::outbox::retry::{self, RetryPolicy};
use crate::outbox::schedule::Schedule;
use crate::outbox::subject;
use crate::outbox::transport::{self, Transport};
use howdah_host::clock::{Clock, pause};
use howdah_host::fault::fault_point;
use howdah_host::thread_pool::ThreadPool;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::delivery::Undelivered;
use howdah_words::model::row::{Delivery, DeliveryKey, DeliveryState};
use howdah_words::model::time::Now;

/// How long to wait for a result before the outbox is queried again.
const RESULT_WAIT: Duration = Duration::from_millis(100);
/// How often in a row the courier queries again when something is due within [`SOON_SECONDS`].
const MOST_IDLE_QUERIES: u32 = 30;
/// How long to wait after a result could not be stored.
const AFTER_FAILURE: Duration = Duration::from_secs(1);
/// The courier waits for deliveries that are due within this time; the next courier sends later ones.
const SOON_SECONDS: i64 = 2;

/// Checks whether something is to be delivered at `now`.
///
/// # Errors
/// A failure of the database.
pub fn is_wanted(engine: &Engine, now: &Now) -> Result<bool> {
    engine.store.read(|snapshot| snapshot.is_delivery_due(now))
}

/// Delivers until nothing is due any more; the caller holds the courier's lock. Reports given-up deliveries to `fault`.
/// Sends nothing while the disk has no room for the result.
///
/// # Errors
/// A failure of the database before something was sent, H0103 for a full disk.
pub fn deliver(engine: &mut Engine, clock: &dyn Clock, fault: &mut dyn FnMut(&Fault)) -> Result<()> {
    let mut work = Work {
        transport: Arc::new(Transport::new(&engine.settings.delivery)),
        pool: ThreadPool::new(),
        schedule: Schedule::new(),
        policy: RetryPolicy::of(&engine.settings.delivery),
    };
    engine.store.check_room()?;
    let mut idle_queries = 0;
    loop {
        let now = clock.both();
        match work.start_due(engine, &now) {
            // The results of what is in flight must still be stored.
            Err(error) if error.may_pass() && !work.schedule.is_idle() => {}
            started => started?,
        }
        idle_queries = if work.schedule.is_idle() { idle_queries + 1 } else { 0 };
        if work.schedule.is_idle() {
            // The clock may be fixed, so the queries are counted too.
            if idle_queries > MOST_IDLE_QUERIES || !is_wanted(engine, &now.after(SOON_SECONDS))? {
                return Ok(());
            }
        }
        let results = work.pool.finished(RESULT_WAIT);
        if !results.is_empty() {
            work.record(engine, results, &clock.both(), fault)?;
        }
    }
}

/// A try and its result: the part that could not be delivered, or why nothing was.
type Tried = (DeliveryKey, Result<Option<String>, Undelivered>);

/// The state of a running courier.
struct Work {
    transport: Arc<Transport>,
    pool: ThreadPool<Tried>,
    schedule: Schedule,
    policy: RetryPolicy,
}

impl Work {
    /// Starts as many due deliveries as may be in flight.
    fn start_due(&mut self, engine: &Engine, now: &Now) -> Result<()> {
        if self.schedule.wants_query() {
            engine.store.read(|snapshot| self.schedule.query(snapshot, now))?;
        }
        for delivery in self.schedule.next() {
            let identity = transport::identity(engine.store.path(), &delivery);
            let (key, transport) = (delivery.delivery, Arc::clone(&self.transport));
            let defect = (key, Err("the courier failed; this is a defect of howdah".to_owned().into()));
            self.pool.begin(move || (key, transport.send(&delivery.payload, &identity)), defect);
        }
        Ok(())
    }

    /// Stores the results of tries.
    fn record(
        &mut self,
        engine: &mut Engine,
        results: Vec<Tried>,
        now: &Now,
        fault: &mut dyn FnMut(&Fault),
    ) -> Result<()> {
        let settle = |(key, result)| Some(retry::settle(self.schedule.take(key)?, result, self.policy, now));
        let settled: Vec<Delivery> = results.into_iter().filter_map(settle).collect();
        fault_point("before-delivery-commit");
        until_stored(|| {
            engine.store.transact(|transaction| {
                settled.iter().try_for_each(|delivery| transaction.update_delivery(delivery).map(drop))
            })
        })?;
        engine.store.read(|snapshot| {
            for delivery in settled.iter().filter(|delivery| delivery.state == DeliveryState::GivenUp) {
                fault(&given_up(snapshot, delivery, 1)?);
            }
            Ok(())
        })
    }
}

/// Stores what was sent, and tries again as long as the disk is full or the database is busy: a courier that ended
/// instead would be followed by one that sends the same again.
fn until_stored(mut store: impl FnMut() -> Result<()>) -> Result<()> {
    loop {
        match store() {
            Err(error) if error.may_pass() => pause(AFTER_FAILURE),
            stored => return stored,
        }
    }
}

/// Returns the deliveries that were given up since the last call, one fault for each receiver.
///
/// # Errors
/// A failure of the database.
pub fn failures(engine: &mut Engine) -> Result<Vec<Fault>> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_stored_as_soon_as_that_is_possible() {
        let mut tries = [Err(Error::new(ErrorCode::H0103, "h.db")), Ok(()), Ok(())].into_iter();
        until_stored(|| tries.next().expect("it ends")).expect("the second try stores it");
        assert_eq!(tries.len(), 1);
        let refused = until_stored(|| Err(Error::new(ErrorCode::E0603, "a constraint")));
        assert_eq!(refused.expect_err("it will not go better later").code(), ErrorCode::E0603);
    }
}
