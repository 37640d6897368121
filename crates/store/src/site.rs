//! Counts over all jobs, for the state of the whole database.

use std::collections::BTreeMap;

use rusqlite::OptionalExtension as _;

use super::Snapshot;
use super::row::query_rows;
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The statuses of actions that have not ended and do not wait for their inputs.
const ACTIVE: [ActionStatus; 4] =
    [ActionStatus::Ready, ActionStatus::Submitted, ActionStatus::Running, ActionStatus::Suspended];

/// The oldest action of a job that has not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OldestOpen {
    pub number: u32,
    pub nominal_at: Timestamp,
}

/// What ended without success in a period, and was not killed by a user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Unsuccessful {
    /// Actions of coordinators.
    pub actions: u32,
    /// Workflow jobs that no other job has started, and coordinators that could not create their actions.
    pub jobs: u32,
}

/// The deliveries that are not over, and those that were given up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryCounts {
    pub pending: u32,
    pub given_up: u32,
}

impl Snapshot {
    /// Returns how many coordinator jobs have each status.
    pub fn coordinator_job_counts(&self) -> Result<BTreeMap<String, u32>> {
        self.counts("SELECT status, count(*) FROM coordinator_job GROUP BY status")
    }

    /// Returns how many bundles have each status.
    pub fn bundle_job_counts(&self) -> Result<BTreeMap<String, u32>> {
        self.counts("SELECT status, count(*) FROM bundle_job GROUP BY status")
    }

    /// Returns how many workflow jobs have each status; those that have ended are not counted.
    pub fn active_workflow_counts(&self) -> Result<BTreeMap<String, u32>> {
        self.counts(
            "SELECT status, count(*) FROM workflow_job
                WHERE status IN ('PREP', 'RUNNING', 'SUSPENDED') GROUP BY status",
        )
    }

    /// Returns how many actions of all coordinator jobs have each status.
    pub fn action_counts_of_all_jobs(&self) -> Result<BTreeMap<String, u32>> {
        self.counts("SELECT status, sum(count) FROM coordinator_count GROUP BY status HAVING sum(count) > 0")
    }

    fn counts(&self, sql: &str) -> Result<BTreeMap<String, u32>> {
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_map([], |row| Ok((row.column(0)?, row.column(1)?)))?.collect()
        })
    }

    /// Returns how many actions and jobs ended without success at a time or later, without those that a user killed.
    pub fn unsuccessful_since(&self, since: Timestamp) -> Result<Unsuccessful> {
        let actions = include_str!("sql/coordinator_action/failed_since.sql");
        let workflows = include_str!("sql/workflow_job/failed_since.sql");
        let coordinators = "SELECT count(*) FROM coordinator_job WHERE status = 'FAILED' AND ended_at >= ?1";
        self.run(|connection| {
            let count = |sql| connection.prepare_cached(sql)?.query_row(params![since], |row| row.column::<u32>(0));
            Ok(Unsuccessful { actions: count(actions)?, jobs: count(workflows)?.saturating_add(count(coordinators)?) })
        })
    }

    /// Returns whether something can happen only when a tick comes: a coordinator is live, or a bundle is not started.
    pub fn needs_ticks(&self) -> Result<bool> {
        let sql =
            "SELECT EXISTS (SELECT 1 FROM coordinator_job WHERE status IN ('PREP', 'RUNNING', 'RUNNINGWITHERROR'))
            OR EXISTS (SELECT 1 FROM bundle_job WHERE status = 'PREP')";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// Returns how many coordinators the failure policy has suspended.
    pub fn suspended_by_policy_count(&self) -> Result<u32> {
        let sql = include_str!("sql/coordinator_job/suspended_by_policy.sql");
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// Returns how many workflow jobs are suspended because a node cannot be started.
    pub fn blocked_workflow_count(&self) -> Result<u32> {
        let sql = include_str!("sql/workflow_job/blocked.sql");
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// Returns the action of a job with the earliest nominal time among those that have not ended.
    pub fn oldest_open_action(&self, job: CoordinatorKey) -> Result<Option<OldestOpen>> {
        // One search for each status: a single statement would sort what it finds, and needs a table for that.
        let waiting = "SELECT number, nominal_at FROM coordinator_action INDEXED BY coordinator_action_waiting
            WHERE job = ?1 AND status = 'WAITING' ORDER BY nominal_at LIMIT 1";
        let active = "SELECT number, nominal_at FROM coordinator_action INDEXED BY coordinator_action_active
            WHERE job = ?1 AND status = ?2
                AND (status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING' OR status = 'SUSPENDED')
            ORDER BY nominal_at LIMIT 1";
        let read = |row: &rusqlite::Row<'_>| Ok(OldestOpen { number: row.column(0)?, nominal_at: row.column(1)? });
        self.run(|connection| {
            let mut oldest = connection.prepare_cached(waiting)?.query_row(params![job], read).optional()?;
            let mut active = connection.prepare_cached(active)?;
            for status in ACTIVE {
                let found = active.query_row(params![job, status], read).optional()?;
                oldest = oldest.into_iter().chain(found).min_by_key(|open| open.nominal_at);
            }
            Ok(oldest)
        })
    }

    /// Returns how long after their nominal times the actions ended that succeeded among the `most` before a number, in
    /// seconds.
    pub fn delays_before(&self, job: CoordinatorKey, number: u32, most: u32) -> Result<Vec<i64>> {
        let sql = "SELECT modified_at - nominal_at FROM coordinator_action
            WHERE job = ?1 AND number BETWEEN ?2 AND ?3 AND status = 'SUCCEEDED'";
        let (first, last) = (number.saturating_sub(most), number.saturating_sub(1));
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_map(params![job, first, last], |row| row.column(0))?.collect()
        })
    }

    /// Returns the number of the last action of a job that succeeded among the `most` before a number.
    pub fn last_success_before(&self, job: CoordinatorKey, number: u32, most: u32) -> Result<Option<u32>> {
        let sql = "SELECT number FROM coordinator_action
            WHERE job = ?1 AND number BETWEEN ?2 AND ?3 AND status = 'SUCCEEDED' ORDER BY number DESC LIMIT 1";
        let (first, last) = (number.saturating_sub(most), number.saturating_sub(1));
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![job, first, last], |row| row.column(0)).optional()
        })
    }

    /// Returns when the last action of a job ended that succeeded among the `most` up to a number.
    pub fn last_success_at(&self, job: CoordinatorKey, last: u32, most: u32) -> Result<Option<Timestamp>> {
        let sql = "SELECT modified_at FROM coordinator_action
            WHERE job = ?1 AND number BETWEEN ?2 AND ?3 AND status = 'SUCCEEDED' ORDER BY number DESC LIMIT 1";
        let first = last.saturating_sub(most);
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_row(params![job, first, last], |row| row.column(0)).optional()
        })
    }

    /// Returns when an action of each job last ended without success, of the jobs in which one did at a time or later.
    pub fn latest_failures_since(&self, since: Timestamp) -> Result<BTreeMap<CoordinatorKey, Timestamp>> {
        let sql = "SELECT job, max(modified_at) FROM coordinator_action INDEXED BY coordinator_action_unsuccessful
            WHERE (status = 'KILLED' OR status = 'FAILED' OR status = 'TIMEDOUT') AND modified_at >= ?1 GROUP BY job";
        self.run(|connection| {
            connection
                .prepare_cached(sql)?
                .query_map(params![since], |row| Ok((row.column(0)?, row.column(1)?)))?
                .collect()
        })
    }

    /// Returns how many workflow nodes have not started although their turn has come or will come.
    pub fn waiting_node_count(&self) -> Result<u32> {
        let sql = "SELECT count(*) FROM workflow_node INDEXED BY workflow_node_waiting
            WHERE status IN ('PREP', 'START_MANUAL')";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// Returns the live coordinator jobs that create an action next, the earliest first.
    pub fn next_coordinator_jobs(&self, most: u32) -> Result<Vec<CoordinatorJob>> {
        let sql = "SELECT * FROM coordinator_job
            WHERE status IN ('PREP', 'RUNNING', 'RUNNINGWITHERROR')
                AND coalesce(next_materialized_at, start_at) < end_at
            ORDER BY coalesce(next_materialized_at, start_at), job LIMIT ?1";
        self.run(|connection| query_rows(connection, sql, params![most]))
    }

    /// Returns how many deliveries wait, and how many were given up at a time or later.
    pub fn delivery_counts(&self, since: Timestamp) -> Result<DeliveryCounts> {
        let pending = "SELECT count(*) FROM delivery WHERE state = 'PENDING'";
        let given_up = "SELECT count(*) FROM delivery WHERE state = 'GIVEN_UP' AND ended_at >= ?1";
        self.run(|connection| {
            Ok(DeliveryCounts {
                pending: connection.prepare_cached(pending)?.query_row([], |row| row.column(0))?,
                given_up: connection.prepare_cached(given_up)?.query_row(params![since], |row| row.column(0))?,
            })
        })
    }

    /// Returns when the database was created; `None` before the first job.
    pub fn created_at(&self) -> Result<Option<Timestamp>> {
        let sql = "SELECT created_at FROM birth";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)).optional())
    }
}
