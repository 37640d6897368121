//! What the benchmarks of the store call: storing the actions of one materialization, as the engine does, and filling a
//! database with many coordinators and their actions.

use std::path::Path;
use std::time::{Duration, Instant};

use howdah_engine::stored_properties::{properties_text, read_properties};
use howdah_engine::transition::cause::Cause;
use howdah_engine::transition::coordinator::create_actions;
use howdah_store::{NewActions, OpenMode, Snapshot, Store, Transaction};
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{HOUR, Timestamp};

/// Stores one action per nominal time (seconds of UTC) for the only coordinator of a database; returns the time it
/// took.
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
    let cause = Cause::new(job.created_at, howdah_words::model::origin::Origin::Materialize);
    let started = Instant::now();
    let last_action_number = job.last_action_number + u32::try_from(times.len()).expect("a number");
    let job = CoordinatorJob { last_action_number, ..job.clone() };
    let stored = store.transact(|transaction| {
        create_actions(transaction, (&job, &times), cause)?;
        transaction.update_coordinator_job(job.status, &job)
    });
    assert!(stored.expect("the actions are stored"));
    started.elapsed()
}

/// The contents of a database for benchmarks.
#[derive(Clone, Copy, Debug)]
pub struct Filling {
    /// How many coordinators, each running with nothing due.
    pub coordinators: u32,
    /// Finished actions of each, one an hour from its start on.
    pub finished: u32,
    /// How many of the coordinators, the oldest ones, have one more action: it waits for its inputs.
    pub waiting: u32,
}

/// Copies the only coordinator of a database until there are as many as wanted, and stores their actions.
///
/// Each copy has a configuration of its own, in which the properties `number` and `before` are its key and the one of
/// the coordinator before it; it writes where the first one does, with its number in the place of `/1/`.
///
/// # Panics
/// When the database has no coordinator, or cannot be written.
pub fn fill(database: &Path, filling: Filling) {
    let mut store = Store::open(database, &OpenMode::MustExist).expect("the database opens");
    let filled = store.transact(|transaction| {
        let mut job = transaction.live_coordinator_jobs()?.pop().expect("the database has a coordinator");
        let definition = transaction.coordinator_definition(job.job, job.definition_version)?;
        let mut definition = definition.expect("a job has a definition");
        let mut configuration = read_properties(&transaction.document(definition.configuration)?)?;
        let outputs = transaction.output_beginnings(job.job, job.definition_version)?;
        let before = job.status;
        job.status = JobStatus::RUNNING;
        job.due_at = None;
        job.last_action_number = filling.finished + u32::from(filling.waiting > 0);
        transaction.update_coordinator_job(before, &job)?;
        store_actions_of(transaction, &job, filling)?;
        for number in 2..=filling.coordinators {
            configuration.insert("number".to_owned(), number.to_string());
            configuration.insert("before".to_owned(), (number - 1).to_string());
            definition.configuration = transaction.store_document(&properties_text(&configuration))?;
            let mut copy = CoordinatorJob {
                id: transaction.next_job_id(job.id.kind())?,
                created_at: job.created_at + i64::from(number),
                last_action_number: filling.finished + u32::from(number <= filling.waiting),
                ..job.clone()
            };
            definition.job = transaction.insert_coordinator_job(&mut copy)?;
            let outputs = outputs.iter().map(|text| text.replace("/1/", &format!("/{number}/"))).collect::<Vec<_>>();
            transaction.insert_coordinator_definition(&definition, &outputs)?;
            store_actions_of(transaction, &copy, filling)?;
        }
        Ok(())
    });
    filled.expect("the rows are stored");
}

fn store_actions_of(transaction: &Transaction<'_>, job: &CoordinatorJob, filling: Filling) -> Result<()> {
    let nominal_at: Vec<Timestamp> =
        (0..job.last_action_number).map(|index| job.start_at + i64::from(index) * HOUR).collect();
    let (finished, waiting) = nominal_at.split_at(filling.finished as usize);
    for (nominal_at, status, number) in
        [(finished, ActionStatus::Succeeded, 1), (waiting, ActionStatus::Waiting, filling.finished + 1)]
    {
        transaction.insert_actions(&NewActions {
            first: ActionKey { job: job.job, number },
            nominal_at,
            created_at: job.created_at,
            status,
            definition_version: job.definition_version,
            timeout_minutes: -1,
        })?;
    }
    Ok(())
}
