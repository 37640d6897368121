//! What the benchmark of the store calls: storing the actions of one materialization, as the engine does.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::engine::Cause;
use crate::engine::materialize::insert_range;
use crate::model::time::Timestamp;
use crate::store::{OpenMode, Snapshot, Store};

/// Stores one action per nominal time (seconds of UTC) for the only coordinator of a database; the time it took.
///
/// # Panics
/// When the database has no coordinator, or cannot be written.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "a benchmark measures time")]
pub fn store_actions(database: &Path, times: &[i64]) -> Duration {
    let mut store = Store::open(database, &OpenMode::MustExist).expect("the database opens");
    let jobs = store.read(Snapshot::live_coordinator_jobs).expect("the database can be read");
    let job = jobs.first().expect("the database has a coordinator");
    let times: Vec<Timestamp> = times.iter().map(|time| Timestamp::from_seconds(*time)).collect();
    let cause = Cause::new(job.created_at, "benchmark");
    let started = Instant::now();
    store.transact(|transaction| insert_range(transaction, job, &times, -1, cause)).expect("the actions are stored");
    started.elapsed()
}
