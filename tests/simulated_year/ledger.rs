//! The test's own record of every job and action, built only from the events that howdah writes.
//!
//! Each event is checked against the rules before it is recorded; sometimes the record is compared with the tables.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use rusqlite::{Connection, OpenFlags, params};

use crate::laws;
use crate::oracle::{self, day_of, text};
use crate::plan::{Input, Plan};

/// How much later than planned a job may end, in seconds.
pub(crate) const MOST_EXTENDED: i64 = 60 * 86_400;

/// A job in the test's record.
pub(crate) struct Job {
    pub(crate) plan: &'static Plan,
    pub(crate) id: String,
    key: i64,
    /// The nominal times of the schedule, including those that a later end would add.
    times: Vec<i64>,
    pub(crate) end: i64,
    pub(crate) status: String,
    pub(crate) concurrency: i64,
    /// Whether an operator set it to RUNNING, and nothing happened since.
    pub(crate) reopened: bool,
    pub(crate) pause: Option<i64>,
    /// Whether howdah reports that no action follows.
    pub(crate) done: bool,
    pub(crate) actions: Vec<Action>,
    /// The days whose data exist.
    pub(crate) present: HashSet<i64>,
}

/// An action in the test's record.
pub(crate) struct Action {
    pub(crate) nominal: i64,
    pub(crate) created: i64,
    pub(crate) status: String,
    /// The id of its workflow job.
    pub(crate) workflow: Option<String>,
    /// Whether it waits again.
    pub(crate) again: bool,
    /// Whether its inputs existed all at once before.
    pub(crate) decided: bool,
}

/// An event about a coordinator job or its actions.
pub(crate) struct Event {
    pub(crate) at: i64,
    pub(crate) numbers: Option<(u32, u32)>,
    pub(crate) from: Option<String>,
    pub(crate) to: String,
    pub(crate) origin: String,
    pub(crate) reason: Option<String>,
}

impl Job {
    /// Returns the nominal time of an action, starting at 1; none from the end on.
    pub(crate) fn nominal(&self, number: u32) -> Option<i64> {
        self.times.get(number as usize - 1).copied().filter(|nominal| *nominal < self.end)
    }

    /// Returns the nominal time that overtakes an action: the next one. The last action of a job has none.
    pub(crate) fn next_nominal(&self, number: u32) -> Option<i64> {
        self.times.get(number as usize).copied().filter(|nominal| *nominal < self.end)
    }

    /// Returns the nominal time of the first action that does not exist.
    pub(crate) fn not_created(&self) -> Option<i64> {
        self.nominal(u32::try_from(self.actions.len()).expect("few") + 1)
    }

    /// How many actions are in one of the statuses.
    pub(crate) fn count(&self, statuses: &[&str]) -> usize {
        self.actions.iter().filter(|action| statuses.contains(&action.status.as_str())).count()
    }

    /// Returns whether the inputs of an action at a nominal time exist when the clock shows `now`.
    pub(crate) fn inputs_present(&self, nominal: i64, now: i64) -> bool {
        let day = day_of(nominal);
        match self.plan.input {
            Input::Nothing => true,
            Input::Day => self.present.contains(&day),
            Input::ThreeDays => (day - 2..=day).all(|day| self.present.contains(&day)),
            Input::Latest => self.present.iter().any(|day| day * 86_400 <= now),
        }
    }
}

/// The record of all jobs.
pub(crate) struct Ledger {
    connection: Connection,
    last_event: i64,
    pub(crate) jobs: Vec<Job>,
    by_key: HashMap<i64, usize>,
}

impl Ledger {
    /// Creates an empty record for a database.
    pub(crate) fn open(database: &Path) -> Self {
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(database, flags).expect("a database");
        Self { connection, last_event: 0, jobs: Vec::new(), by_key: HashMap::new() }
    }

    /// Adds a job that was just submitted.
    pub(crate) fn enter(&mut self, plan: &'static Plan, id: String) {
        let sql = "SELECT job FROM coordinator_job WHERE id = ?1";
        let key = self.connection.query_row(sql, [&id], |row| row.get(0)).expect("a job");
        let (start, end) = (oracle::instant(plan.start), oracle::instant(plan.end));
        let times = oracle::nominal_times(plan.rule, plan.zone, start, end + MOST_EXTENDED);
        self.by_key.insert(key, self.jobs.len());
        self.jobs.push(Job {
            plan,
            id,
            key,
            times,
            end,
            status: "PREP".to_owned(),
            concurrency: plan.concurrency,
            reopened: false,
            pause: None,
            done: false,
            actions: Vec::new(),
            present: HashSet::new(),
        });
    }

    /// The job in which an action runs with a workflow job.
    pub(crate) fn running(&self, workflow: &str) -> Option<&Job> {
        let runs = |action: &Action| action.status == "RUNNING" && action.workflow.as_deref() == Some(workflow);
        self.jobs.iter().find(|job| job.actions.iter().any(runs))
    }

    /// Checks and records every event since the last time; returns how many actions each job got.
    pub(crate) fn book(&mut self, now: i64) -> Vec<usize> {
        let before: Vec<usize> = self.jobs.iter().map(|job| job.actions.len()).collect();
        for (key, event) in self.new_events() {
            let job = &mut self.jobs[self.by_key[&key]];
            assert_eq!(event.at, now, "{}: an event of {} has another time", job.id, event.origin);
            job.reopened &= event.numbers.is_none();
            match (event.numbers, &event.from) {
                (None, None) => {}
                // New values of a job that keeps its status.
                (None, Some(from)) if *from == event.to => {
                    assert_eq!(*from, job.status, "{}: {}", job.id, event.origin);
                }
                (None, Some(from)) => {
                    laws::job_may_move(job, &event, now);
                    job.reopened |= laws::is_over(from);
                    job.status.clone_from(&event.to);
                }
                (Some(_), None) => create(&self.connection, job, &event, now),
                (Some((first, last)), Some(_)) => {
                    for number in first..=last {
                        move_action(&self.connection, job, number, &event, now);
                    }
                }
            }
        }
        self.read_jobs();
        self.jobs.iter().zip(before).map(|(job, before)| job.actions.len().saturating_sub(before)).collect()
    }

    fn new_events(&mut self) -> Vec<(i64, Event)> {
        let sql =
            "SELECT event, coordinator_job, at, action_number, last_action_number, from_status, to_status, origin,
            reason FROM event WHERE event > ?1 AND coordinator_job IS NOT NULL ORDER BY event";
        let mut statement = self.connection.prepare_cached(sql).expect(sql);
        let rows = statement.query_map([self.last_event], |row| {
            let (first, last): (Option<u32>, Option<u32>) = (row.get(3)?, row.get(4)?);
            let event = Event {
                at: row.get(2)?,
                numbers: first.map(|first| (first, last.unwrap_or(first))),
                from: row.get(5)?,
                to: row.get(6)?,
                origin: row.get(7)?,
                reason: row.get(8)?,
            };
            Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, event))
        });
        let rows: Vec<_> = rows.and_then(Iterator::collect).expect(sql);
        self.last_event = rows.last().map_or(self.last_event, |(number, ..)| *number);
        rows.into_iter().map(|(_, key, event)| (key, event)).collect()
    }

    /// What no event says about a job; its status must be the one of its last event.
    fn read_jobs(&mut self) {
        let sql = "SELECT job, status, done_materialization, pause_at, concurrency, end_at FROM coordinator_job";
        let mut statement = self.connection.prepare_cached(sql).expect(sql);
        let mut rows = statement.query([]).expect(sql);
        while let Some(row) = rows.next().expect(sql) {
            let Some(index) = self.by_key.get(&row.get::<_, i64>(0).expect(sql)) else { continue };
            let job = &mut self.jobs[*index];
            assert_eq!(row.get::<_, String>(1).expect(sql), job.status, "{}: its status has no event", job.id);
            job.done = row.get(2).expect(sql);
            job.pause = row.get(3).expect(sql);
            job.concurrency = row.get(4).expect(sql);
            job.end = row.get(5).expect(sql);
        }
    }

    /// Compares every row of every action with the record.
    pub(crate) fn compare(&self) {
        for job in &self.jobs {
            let sql = "SELECT number, nominal_at, status FROM coordinator_action WHERE job = ?1 ORDER BY number";
            let mut statement = self.connection.prepare_cached(sql).expect(sql);
            let rows = statement.query_map([job.key], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)));
            let rows: Vec<(u32, i64, String)> = rows.and_then(Iterator::collect).expect(sql);
            let booked = (1..).zip(&job.actions);
            let booked: Vec<_> =
                booked.map(|(number, action)| (number, action.nominal, action.status.clone())).collect();
            assert_eq!(rows, booked, "{}: the rows are not what the events say", job.id);
            let sql = "SELECT status, count FROM coordinator_count WHERE job = ?1 AND count > 0";
            let mut statement = self.connection.prepare_cached(sql).expect(sql);
            let counts = statement.query_map([job.key], |row| Ok((row.get(0)?, row.get(1)?)));
            let counts: BTreeMap<String, u32> = counts.and_then(Iterator::collect).expect(sql);
            let mut booked = BTreeMap::new();
            for action in &job.actions {
                *booked.entry(action.status.clone()).or_insert(0) += 1;
            }
            assert_eq!(counts, booked, "{}: the counts are wrong", job.id);
        }
    }
}

fn create(connection: &Connection, job: &mut Job, event: &Event, now: i64) {
    let (first, last) = event.numbers.expect("actions have numbers");
    let sql = "SELECT nominal_at, created_at FROM coordinator_action WHERE job = ?1 AND number = ?2";
    let mut statement = connection.prepare_cached(sql).expect(sql);
    for number in first..=last {
        let row = statement.query_row(params![job.key, number], |row| Ok((row.get(0)?, row.get(1)?)));
        let (nominal, created) = row.unwrap_or_else(|error| panic!("{}@{number}: {error}", job.id));
        laws::may_be_created(job, (number, nominal), now);
        assert_eq!(created, now, "{}@{number} was created at {}", job.id, text(created));
        let status = event.to.clone();
        job.actions.push(Action { nominal, created, status, workflow: None, again: false, decided: false });
    }
}

fn move_action(connection: &Connection, job: &mut Job, number: u32, event: &Event, now: i64) {
    laws::action_may_move(job, number, event, now);
    let index = number as usize - 1;
    if event.to == "DELETED" {
        job.actions.pop();
        return;
    }
    job.actions[index].status.clone_from(&event.to);
    job.actions[index].decided |= event.to == "READY";
    if event.to == "WAITING" {
        let sql = "SELECT created_at FROM coordinator_action WHERE job = ?1 AND number = ?2";
        let mut statement = connection.prepare_cached(sql).expect(sql);
        let created = statement.query_row(params![job.key, number], |row| row.get(0)).expect("the action that waits");
        job.actions[index].created = created;
        job.actions[index].again = true;
    }
    if event.to == "RUNNING" && event.from.as_deref() == Some("SUBMITTED") {
        let sql = "SELECT external_id FROM coordinator_action WHERE job = ?1 AND number = ?2";
        let mut statement = connection.prepare_cached(sql).expect(sql);
        let workflow: Option<String> =
            statement.query_row(params![job.key, number], |row| row.get(0)).expect("the action that runs");
        assert!(workflow.is_some(), "{}@{number} runs without a workflow job", job.id);
        job.actions[index].workflow = workflow;
    }
    if event.to == "SUBMITTED" {
        laws::concurrency_holds(job, now);
    }
}
