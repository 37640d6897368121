//! Stores of files that give no answer: a tick leaves them alone for a growing while. Must not depend on how a store is
//! asked.

use std::collections::BTreeMap;

use crate::Engine;
use crate::format::time;
use howdah_host::presence::{Failing, Servers};
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::StoreFailure;
use howdah_words::model::time::Timestamp;

/// Returns what is known of the servers that gave no answer. With `leaves_alone`, those whose time has not come are not
/// asked at `now`.
pub fn failing(failures: &[StoreFailure], leaves_alone: bool, now: Timestamp) -> BTreeMap<String, Failing> {
    let known = |failure: &StoreFailure| {
        let not_asked = (leaves_alone && failure.is_left_alone(now)).then(|| words(failure));
        (failure.server.clone(), Failing { since: time(failure.since), not_asked })
    };
    failures.iter().map(known).collect()
}

/// Returns since when a store gives no answer, when it is asked again, and its last words.
pub fn words(failure: &StoreFailure) -> String {
    let StoreFailure { server, since, next_at, why, .. } = failure;
    format!(
        "the store {server} gives no answer since {}, and is asked again at {}: {why}",
        time(*since),
        time(*next_at)
    )
}

/// Stores which servers gave no answer when a tick asked them, and forgets it of those that gave one.
///
/// # Errors
/// A failure of the database.
pub fn record(engine: &mut Engine, now: Timestamp, servers: &Servers) -> Result<()> {
    let answers = servers.answers();
    let before = engine.store.read(Snapshot::store_failures)?;
    if before.is_empty() && answers.values().all(Result::is_ok) {
        return Ok(());
    }
    engine.store.transact(|transaction| {
        for (server, answer) in &answers {
            let known = before.iter().find(|failure| failure.server == *server);
            match (answer, known) {
                (Err(why), _) => transaction.set_store_failure(&StoreFailure::again(known, server, why, now))?,
                (Ok(()), Some(_)) => transaction.delete_store_failure(server)?,
                (Ok(()), None) => {}
            }
        }
        Ok(())
    })
}

/// Forgets the failures of servers that could be asked again, and of which a tick of all jobs wanted nothing: no job
/// waits for them now.
///
/// # Errors
/// A failure of the database.
pub(crate) fn forget_unwanted(engine: &mut Engine, now: Timestamp, servers: &Servers) -> Result<()> {
    let mut failures = engine.store.read(Snapshot::store_failures)?;
    failures.retain(|failure| !failure.is_left_alone(now) && !servers.know(&failure.server));
    if failures.is_empty() {
        return Ok(());
    }
    engine.store.transact(|transaction| {
        failures.iter().try_for_each(|failure| transaction.delete_store_failure(&failure.server))
    })
}
