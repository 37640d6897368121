//! Table `coordinator_action`, one small row per materialized action, and `coordinator_count`, actions per status.
//!
//! Actions that a catch-up passed over are ranges of table `coordinator_action_range` (`range`). A caller that reads an
//! action or a page of them (`page`) sees one as if it had a row; one that changes leaves its range for a row.
//!
//! Other modules compute from its definition version what an action resolves to. The functions that write a status also
//! update the counts, not triggers, so that a materialized range costs one update of a count and not one each.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;

mod counts;
mod filter;
mod group;
mod page;
mod range;

use rusqlite::ToSql;

pub use filter::{ActionFilter, ActionOrder};

use counts::{count, recount};

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::missing_input::MissingInput;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

#[cfg(test)]
mod range_tests;
#[cfg(test)]
mod tests;

table_row! {
    CoordinatorAction {
        job, number, nominal_at, created_at, modified_at, status, definition_version, timeout_minutes, run,
        first_missing, missing_from, external_id, external_status, error_code, error_message, configuration, decided,
        rerun_configuration,
    }
}

/// Actions materialized together: consecutive numbers, one nominal time each.
#[derive(Clone, Copy, Debug)]
pub struct NewActions<'a> {
    pub first: ActionKey,
    pub nominal_at: &'a [Timestamp],
    pub created_at: Timestamp,
    pub status: ActionStatus,
    pub definition_version: u32,
    pub timeout_minutes: i32,
}

/// The columns of a waiting action that the input check needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingAction<'r> {
    pub key: ActionKey,
    pub nominal_at: Timestamp,
    pub created_at: Timestamp,
    pub definition_version: u32,
    pub timeout_minutes: i32,
    pub missing: Option<FirstMissing<'r>>,
}

/// Where an action is in the order of all that wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct WaitingPlace {
    job: CoordinatorKey,
    nominal_at: Timestamp,
    number: u32,
}

impl WaitingAction<'_> {
    /// Where it is in the order of all that wait.
    pub const fn place(&self) -> WaitingPlace {
        WaitingPlace { job: self.key.job, nominal_at: self.nominal_at, number: self.key.number }
    }
}

/// The first missing input of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstMissing<'r> {
    pub input: MissingInput<&'r str>,
    /// Its position in the list of dependencies, from 0.
    pub place: u32,
}

impl Snapshot {
    /// Reads an action.
    pub fn coordinator_action(&self, key: ActionKey) -> Result<Option<CoordinatorAction>> {
        let sql = "SELECT * FROM coordinator_action WHERE job = ?1 AND number = ?2";
        match self.run(|connection| query_one(connection, sql, params![key.job, key.number]))? {
            None => self.action_of_range(key),
            stored => Ok(stored),
        }
    }

    /// Passes every action that waits for its inputs at `now` (nominal time reached) to `visit`, by job and nominal
    /// time, until `visit` wants no more; of all jobs or only of `jobs`, and behind a place where an earlier call has
    /// stopped. Stops at the first error of `visit`.
    pub fn each_waiting_action(
        &self,
        (jobs, after): (Option<&BTreeSet<CoordinatorKey>>, Option<WaitingPlace>),
        now: Timestamp,
        visit: &mut dyn FnMut(WaitingAction<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        const OF_JOB: &str = include_str!("../sql/coordinator_action/waiting_of_job.sql");
        let mut first_job = CoordinatorKey::default();
        if let Some(after) = after {
            // The rest of that job, found through the index; then the jobs behind it.
            let mut visit_rest = |action: WaitingAction<'_>| {
                if action.place() <= after { Ok(ControlFlow::Continue(())) } else { visit(action) }
            };
            let parameters = named_params! { ":job": after.job, ":from": after.nominal_at, ":now": now };
            if self.visit_waiting(OF_JOB, parameters, &mut visit_rest)?.is_break() {
                return Ok(());
            }
            first_job = CoordinatorKey(after.job.0.saturating_add(1));
        }
        if let Some(jobs) = jobs {
            for job in jobs.range(first_job..) {
                let parameters = named_params! { ":job": job, ":from": i64::MIN, ":now": now };
                if self.visit_waiting(OF_JOB, parameters, visit)?.is_break() {
                    return Ok(());
                }
            }
            return Ok(());
        }
        let parameters = named_params! { ":first": first_job, ":now": now };
        let all = include_str!("../sql/coordinator_action/waiting.sql");
        self.visit_waiting(all, parameters, visit).map(drop)
    }

    fn visit_waiting(
        &self,
        sql: &str,
        parameters: &[(&str, &dyn ToSql)],
        visit: &mut dyn FnMut(WaitingAction<'_>) -> Result<ControlFlow<()>>,
    ) -> Result<ControlFlow<()>> {
        let explain = |cause: rusqlite::Error| self.explain(&cause);
        let mut statement = self.connection.prepare_cached(sql).map_err(explain)?;
        // Find the columns by name once: doing it for each of a hundred thousand rows would cost the most.
        let columns = WaitingColumns::of(&statement).map_err(explain)?;
        let mut rows = statement.query(parameters).map_err(explain)?;
        while let Some(row) = rows.next().map_err(explain)? {
            if visit(columns.read(row).map_err(explain)?)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// The smallest number that an action of a job has.
    pub fn first_action_number(&self, job: CoordinatorKey) -> Result<Option<u32>> {
        let sql = "SELECT min(number) FROM (SELECT min(number) AS number FROM coordinator_action WHERE job = ?1
            UNION ALL SELECT min(number) FROM coordinator_action_range WHERE job = ?1)";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![job], |row| row.column(0)))
    }

    /// The WAITING action of a job with the earliest nominal time.
    pub fn oldest_waiting_action(&self, job: CoordinatorKey) -> Result<Option<CoordinatorAction>> {
        let sql = include_str!("../sql/coordinator_action/oldest_waiting.sql");
        self.run(|connection| query_one(connection, sql, params![job]))
    }

    /// The actions of a job that are ready to start, at most `len`.
    pub fn ready_actions(&self, job: CoordinatorKey, order: ActionOrder, len: u32) -> Result<Vec<CoordinatorAction>> {
        let sql = match order {
            ActionOrder::OldestFirst => include_str!("../sql/coordinator_action/ready_oldest.sql"),
            ActionOrder::NewestFirst => include_str!("../sql/coordinator_action/ready_newest.sql"),
        };
        self.run(|connection| query_rows(connection, sql, params![job, len]))
    }

    /// The WAITING actions that were ready before they were rerun: their inputs are not checked again.
    pub fn decided_actions(&self) -> Result<BTreeSet<ActionKey>> {
        let sql = include_str!("../sql/coordinator_action/decided.sql");
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let key =
                |row: &rusqlite::Row<'_>| Ok(ActionKey { job: row.column("job")?, number: row.column("number")? });
            statement.query_map([], key)?.collect()
        })
    }

    /// The jobs that have READY actions.
    pub fn coordinators_with_ready_actions(&self) -> Result<Vec<CoordinatorKey>> {
        let sql = include_str!("../sql/coordinator_action/jobs_with_ready.sql");
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map([], |row| row.column("job"))?.collect()
        })
    }

    /// The actions of a job that are started and not over: SUBMITTED, RUNNING, SUSPENDED; oldest first.
    pub fn started_actions(&self, job: CoordinatorKey) -> Result<Vec<CoordinatorAction>> {
        self.run(|connection| {
            query_rows(connection, include_str!("../sql/coordinator_action/started.sql"), params![job])
        })
    }

    /// The actions of a job that are not over, by number.
    #[cfg(test)]
    pub fn open_actions(&self, job: CoordinatorKey) -> Result<Vec<CoordinatorAction>> {
        self.run(|connection| query_rows(connection, include_str!("../sql/coordinator_action/open.sql"), params![job]))
    }

    /// How many actions of a job have each status; statuses without an action are absent.
    pub fn action_counts(&self, job: CoordinatorKey) -> Result<BTreeMap<ActionStatus, u32>> {
        let sql = "SELECT status, count FROM coordinator_count WHERE job = ?1 AND count > 0";
        self.run(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map(params![job], |row| Ok((row.column("status")?, row.column("count")?)))?.collect()
        })
    }
}

impl Transaction<'_> {
    /// Stores the actions of one materialization.
    pub fn insert_actions(&self, new: &NewActions<'_>) -> Result<()> {
        self.run(|connection| {
            let mut statement = connection.prepare_cached(include_str!("../sql/coordinator_action/insert.sql"))?;
            for (number, nominal_at) in (new.first.number..).zip(new.nominal_at) {
                statement.execute(params![
                    new.first.job,
                    number,
                    nominal_at,
                    new.created_at,
                    new.status,
                    new.definition_version,
                    new.timeout_minutes,
                ])?;
            }
            count(connection, new.first.job, new.status, i64::try_from(new.nominal_at.len()).unwrap_or(i64::MAX))
        })
    }

    /// Writes everything that may change in an action; returns `false` and writes nothing when its status is no longer
    /// `from`.
    pub fn update_action(&self, from: ActionStatus, action: &CoordinatorAction) -> Result<bool> {
        Ok(self.update_row(from, action)?
            || from.is_terminal() && self.take_from_range(from, action.key())? && self.update_row(from, action)?)
    }

    fn update_row(&self, from: ActionStatus, action: &CoordinatorAction) -> Result<bool> {
        self.run(|connection| {
            let sql = include_str!("../sql/coordinator_action/update.sql");
            let changed = execute_row(connection, sql, action, &[("from", &from)])? > 0;
            if changed {
                recount(connection, action.job, from, action.status)?;
            }
            Ok(changed)
        })
    }

    /// Deletes an action without workflow jobs; returns `false` and deletes nothing when its status is not `from`.
    pub fn delete_action(&self, from: ActionStatus, key: ActionKey) -> Result<bool> {
        self.run(|connection| {
            let sql = "DELETE FROM coordinator_action WHERE job = ?1 AND number = ?2 AND status = +?3";
            let deleted = connection.prepare_cached(sql)?.execute(params![key.job, key.number, from])? > 0;
            if deleted {
                count(connection, key.job, from, -1)?;
            }
            Ok(deleted)
        })
    }

    /// Records what a waiting action waits for; `false` when it no longer waits.
    pub fn set_missing(&self, key: ActionKey, missing: Option<FirstMissing<'_>>, at: Timestamp) -> Result<bool> {
        let parameters = named_params! {
            ":job": key.job, ":number": key.number, ":at": at,
            ":input": missing.as_ref().map(|missing| missing.input.as_str()),
            ":place": missing.as_ref().map(|missing| missing.place),
        };
        self.run(|connection| {
            let sql = include_str!("../sql/coordinator_action/set_missing.sql");
            Ok(connection.prepare_cached(sql)?.execute(parameters)? > 0)
        })
    }
}

/// The positions of the columns of `waiting.sql`.
struct WaitingColumns {
    job: usize,
    number: usize,
    nominal_at: usize,
    created_at: usize,
    definition_version: usize,
    timeout_minutes: usize,
    missing_from: usize,
    first_missing: usize,
}

impl WaitingColumns {
    fn of(statement: &rusqlite::Statement<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            job: statement.column_index("job")?,
            number: statement.column_index("number")?,
            nominal_at: statement.column_index("nominal_at")?,
            created_at: statement.column_index("created_at")?,
            definition_version: statement.column_index("definition_version")?,
            timeout_minutes: statement.column_index("timeout_minutes")?,
            missing_from: statement.column_index("missing_from")?,
            first_missing: statement.column_index("first_missing")?,
        })
    }

    fn read<'r>(&self, row: &'r rusqlite::Row<'_>) -> rusqlite::Result<WaitingAction<'r>> {
        let text = row.get_ref(self.first_missing)?.as_str_or_null()?;
        let place: Option<u32> = row.column(self.missing_from)?;
        Ok(WaitingAction {
            key: ActionKey { job: row.column(self.job)?, number: row.column(self.number)? },
            nominal_at: row.column(self.nominal_at)?,
            created_at: row.column(self.created_at)?,
            definition_version: row.column(self.definition_version)?,
            timeout_minutes: row.column(self.timeout_minutes)?,
            missing: text.zip(place).map(|(text, place)| FirstMissing { input: MissingInput::parse(text), place }),
        })
    }
}
