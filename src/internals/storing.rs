//! What the benchmarks of the store call: storing the actions of one materialization, as the engine does, and filling a
//! database with many finished ones.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::engine::Cause;
use crate::engine::materialize::insert_range;
use crate::model::status::{ActionStatus, CoordinatorStatus};
use crate::model::time::{HOUR, Timestamp};
use crate::store::{ActionKey, NewActions, OpenMode, Snapshot, Store};

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

/// Copies the only coordinator of a database until there are `coordinators`, each running with nothing due and with
/// `actions` finished actions, one an hour from its start on.
///
/// # Panics
/// When the database has no coordinator, or cannot be written.
pub fn store_finished(database: &Path, coordinators: u32, actions: u32) {
    let mut store = Store::open(database, &OpenMode::MustExist).expect("the database opens");
    let filled = store.transact(|transaction| {
        let mut job = transaction.live_coordinator_jobs()?.pop().expect("the database has a coordinator");
        let definition = transaction.coordinator_definition(job.job, job.definition_version)?;
        let mut definition = definition.expect("a job has a definition");
        let before = job.status;
        job.status = CoordinatorStatus::Running;
        job.due_at = None;
        job.last_action_number = actions;
        transaction.update_coordinator_job(before, &job)?;
        let hour = |number: u32| job.start_at + i64::from(number) * HOUR;
        let nominal_at: Vec<Timestamp> = (0..actions).map(hour).collect();
        let mut copy = job.clone();
        for number in 0..coordinators {
            if number > 0 {
                copy.id = transaction.next_job_id(job.id.kind())?;
                copy.created_at = job.created_at + i64::from(number);
                definition.job = transaction.insert_coordinator_job(&mut copy)?;
                transaction.insert_coordinator_definition(&definition)?;
            }
            transaction.insert_actions(&NewActions {
                first: ActionKey { job: copy.job, number: 1 },
                nominal_at: &nominal_at,
                created_at: job.created_at,
                status: ActionStatus::Succeeded,
                definition_version: job.definition_version,
                timeout_minutes: -1,
            })?;
        }
        Ok(())
    });
    filled.expect("the rows are stored");
}
