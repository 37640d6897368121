//! Deletes jobs that are over, with everything that belongs to them, in short transactions.
//!
//! A family is a job without a parent and everything below it; a purge deletes all of it or nothing. That of a workflow
//! job is deleted in one transaction. A coordinator may have a million actions: it is first marked as condemned, in the
//! transaction that finds all of it over; then its parts are deleted, and the coordinator last. Triggers of the schema
//! prevent changes to a condemned job, and the next purge continues with it. Must not depend on folders or read a
//! clock.

mod documents;
mod rows;
#[cfg(test)]
mod tests;

pub use rows::Kind;
use rows::Rows;

use super::{Snapshot, Store, Transaction};
use crate::column::{Columns as _, named_params, params};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{BundleKey, CoordinatorKey, WorkflowKey};
use howdah_words::model::time::Timestamp;

/// Jobs that ended before these times may be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EndedBefore {
    pub workflow: Timestamp,
    pub coordinator: Timestamp,
    pub bundle: Timestamp,
}

/// How many rows of each kind were deleted, or would be.
pub type Counts = std::collections::BTreeMap<Kind, u64>;

const TREE: &str = include_str!("../sql/purge/tree.sql");

impl Snapshot {
    /// The bundles that ended before a given time, oldest first, and those that are already condemned.
    pub fn ended_bundles(&self, before: Timestamp) -> Result<Vec<BundleKey>> {
        let sql = "SELECT job FROM bundle_job
            WHERE status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED') AND coalesce(ended_at, modified_at) < ?1
                OR job IN (SELECT bundle_job FROM condemned) ORDER BY job";
        self.run(|connection| connection.prepare(sql)?.query_map(params![before], |row| row.column(0))?.collect())
    }

    /// The coordinators without a bundle that ended before a given time, oldest first, and those that are condemned.
    pub fn ended_coordinators(&self, before: Timestamp) -> Result<Vec<CoordinatorKey>> {
        let sql = "SELECT job FROM coordinator_job
            WHERE parent_bundle IS NULL AND coalesce(ended_at, modified_at) < ?1
                AND status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED')
                OR job IN (SELECT coordinator_job FROM condemned) ORDER BY job";
        self.run(|connection| connection.prepare(sql)?.query_map(params![before], |row| row.column(0))?.collect())
    }

    /// The next workflow jobs without a parent that ended before a given time, after the job `after`.
    pub fn ended_workflows(&self, before: Timestamp, after: WorkflowKey, limit: u32) -> Result<Vec<WorkflowKey>> {
        let parameters = named_params! { ":before": before, ":after": after, ":limit": limit };
        self.run(|connection| {
            let mut statement = connection.prepare_cached(include_str!("../sql/purge/ended_workflows.sql"))?;
            statement.query_map(parameters, |row| row.column(0))?.collect()
        })
    }

    /// The next workflow jobs that a condemned coordinator started itself; all of them when nothing is deleted.
    pub fn workflows_of(&self, job: CoordinatorKey, limit: Limit) -> Result<Vec<WorkflowKey>> {
        let sql = "SELECT job FROM workflow_job WHERE parent_coordinator = ?1 LIMIT ?2";
        self.run(|connection| {
            connection.prepare_cached(sql)?.query_map(params![job, limit.rows()], |row| row.column(0))?.collect()
        })
    }

    /// The ids that no workflow job has.
    pub fn unknown_workflows(&self, ids: &[JobId]) -> Result<Vec<JobId>> {
        let ids = serde_json::to_string(&ids.iter().map(JobId::as_str).collect::<Vec<_>>()).expect("texts become JSON");
        let sql = "SELECT value FROM json_each(?1) WHERE value NOT IN (SELECT id FROM workflow_job WHERE id = value)";
        self.run(|connection| connection.prepare_cached(sql)?.query_map(params![ids], |row| row.column(0))?.collect())
    }

    /// Bytes of the file that are free and will be used again.
    pub fn free_bytes(&self) -> Result<u64> {
        self.run(|connection| {
            let pages: i64 = connection.pragma_query_value(None, "freelist_count", |row| row.column(0))?;
            let size: i64 = connection.pragma_query_value(None, "page_size", |row| row.column(0))?;
            Ok(u64::try_from(pages * size).unwrap_or_default())
        })
    }

    fn is_over(&self, job: CoordinatorKey, ended: &EndedBefore) -> Result<bool> {
        let sql =
            concat!(include_str!("../sql/purge/coordinator_is_over.sql"), include_str!("../sql/purge/alive.sql"), ")");
        let parameters = named_params! { ":job": job, ":coordinator": ended.coordinator, ":workflow": ended.workflow };
        self.run(|connection| connection.prepare_cached(sql)?.query_row(parameters, |row| row.column(0)))
    }

    fn is_condemned(&self, column: &str, key: i64) -> Result<bool> {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM condemned WHERE {column} = ?1)");
        self.run(|connection| connection.prepare_cached(&sql)?.query_row(params![key], |row| row.column(0)))
    }
}

impl Transaction<'_> {
    /// Condemns a coordinator without a bundle; returns `false` when it, or a part of it, is not over long enough.
    pub fn condemn_coordinator(&self, job: CoordinatorKey, ended: &EndedBefore) -> Result<bool> {
        if self.is_condemned("coordinator_job", job.0)? {
            return Ok(true);
        }
        let over = self.is_over(job, ended)?;
        if over {
            let sql = "INSERT INTO condemned (coordinator_job) VALUES (?1)";
            self.run(|connection| connection.execute(sql, params![job]))?;
        }
        Ok(over)
    }

    /// Condemns a bundle with its coordinators, which it returns; `None` when one of them is not over long enough.
    pub fn condemn_bundle(&self, job: BundleKey, ended: &EndedBefore) -> Result<Option<Vec<CoordinatorKey>>> {
        let sql = "SELECT job FROM coordinator_job WHERE parent_bundle = ?1
            UNION SELECT coordinator_job FROM bundle_coordinator WHERE bundle = ?1 AND coordinator_job IS NOT NULL";
        let members: Vec<CoordinatorKey> = self.run(|connection| {
            connection.prepare_cached(sql)?.query_map(params![job], |row| row.column(0))?.collect()
        })?;
        if self.is_condemned("bundle_job", job.0)? {
            return Ok(Some(members));
        }
        let sql = "SELECT EXISTS (SELECT 1 FROM bundle_job WHERE job = ?1 AND coalesce(ended_at, modified_at) < ?2
            AND status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED'))";
        if !self.run(|connection| connection.query_row(sql, params![job, ended.bundle], |row| row.column(0)))? {
            return Ok(None);
        }
        for member in &members {
            if !self.is_over(*member, ended)? {
                return Ok(None);
            }
        }
        // All or none: only now is it known that all of them may be deleted.
        for member in &members {
            self.condemn_coordinator(*member, ended)?;
        }
        self.run(|connection| connection.execute("INSERT INTO condemned (bundle_job) VALUES (?1)", params![job]))?;
        Ok(Some(members))
    }

    /// Deletes those of these workflow jobs, with all below them, that were over before a given time; returns the ids
    /// of the deleted jobs. Their parents must not be alive.
    pub fn purge_workflows(
        &self,
        roots: &[WorkflowKey],
        (before, effect): (Timestamp, Effect),
        counts: &mut Counts,
    ) -> Result<Vec<JobId>> {
        let alive = concat!(include_str!("../sql/purge/tree.sql"), include_str!("../sql/purge/alive.sql"));
        let roots = list(roots);
        let alive: Vec<WorkflowKey> = self.run(|connection| {
            let parameters = named_params! { ":roots": roots, ":workflow": before };
            connection.prepare_cached(alive)?.query_map(parameters, |row| row.column(0))?.collect()
        })?;
        let sql = format!(
            "{TREE} SELECT job, id FROM tree JOIN workflow_job USING (job)
            WHERE root NOT IN (SELECT value FROM json_each(:alive))"
        );
        let members: Vec<(WorkflowKey, JobId)> = self.run(|connection| {
            let parameters = named_params! { ":roots": roots, ":alive": list(&alive) };
            let row = |row: &rusqlite::Row<'_>| Ok((row.column(0)?, row.column(1)?));
            connection.prepare_cached(&sql)?.query_map(parameters, row)?.collect()
        })?;
        let keys: Vec<WorkflowKey> = members.iter().map(|(key, _)| *key).collect();
        let jobs = list(&keys);
        for rows in rows::OF_WORKFLOWS {
            self.sweep(rows, named_params! { ":jobs": jobs }, effect, counts)?;
        }
        Ok(members.into_iter().map(|(_, id)| id).collect())
    }

    /// Deletes the next events, deliveries and actions of a condemned coordinator without workflow jobs; returns
    /// whether there was something left to delete.
    pub fn purge_parts(
        &self,
        job: CoordinatorKey,
        (limit, effect): (Limit, Effect),
        counts: &mut Counts,
    ) -> Result<bool> {
        let parameters = named_params! { ":job": job, ":limit": limit.rows() };
        for rows in rows::PARTS_OF_COORDINATOR {
            if rows.kind == Kind::Actions && effect == Effect::Stored {
                let sql = include_str!("../sql/purge/uncount_actions.sql");
                self.run(|connection| connection.prepare_cached(sql)?.execute(parameters))?;
            }
            if self.sweep(rows, parameters, effect, counts)? > 0 && effect == Effect::Stored {
                return Ok(true);
            }
        }
        self.purge_ranges(job, effect, counts)
    }

    /// Deletes the ranges of a condemned coordinator, and counts their actions; returns whether there were some.
    fn purge_ranges(&self, job: CoordinatorKey, effect: Effect, counts: &mut Counts) -> Result<bool> {
        let of = rows::RANGES_OF_COORDINATOR;
        let actions: i64 = self.run(|connection| {
            let sql = format!("SELECT coalesce(sum(last_number - number + 1), 0) FROM {of}");
            connection.prepare_cached(&sql)?.query_row(named_params! { ":job": job }, |row| row.column(0))
        })?;
        *counts.entry(Kind::Actions).or_default() += actions.unsigned_abs();
        if actions > 0 && effect == Effect::Stored {
            self.run(|connection| {
                let uncount = include_str!("../sql/purge/uncount_ranges.sql");
                connection.prepare_cached(uncount)?.execute(named_params! { ":job": job })?;
                connection.prepare_cached(&format!("DELETE FROM {of}"))?.execute(named_params! { ":job": job })
            })?;
        }
        Ok(actions > 0 && effect == Effect::Stored)
    }

    /// Deletes a condemned coordinator that has no other rows left.
    pub fn purge_coordinator(&self, job: CoordinatorKey, effect: Effect, counts: &mut Counts) -> Result<()> {
        for rows in rows::OF_COORDINATOR {
            self.sweep(rows, named_params! { ":job": job }, effect, counts)?;
        }
        Ok(())
    }

    /// Deletes a condemned bundle whose coordinators are gone.
    pub fn purge_bundle(&self, job: BundleKey, effect: Effect, counts: &mut Counts) -> Result<()> {
        for rows in rows::OF_BUNDLE {
            self.sweep(rows, named_params! { ":job": job }, effect, counts)?;
        }
        Ok(())
    }

    /// Deletes rows, or only counts them.
    fn sweep(
        &self,
        rows: &Rows,
        parameters: &[(&str, &dyn rusqlite::ToSql)],
        effect: Effect,
        counts: &mut Counts,
    ) -> Result<u64> {
        let number = self.run(|connection| match effect {
            Effect::Stored => connection.prepare_cached(&format!("DELETE FROM {}", rows.of))?.execute(parameters),
            Effect::DryRun => {
                let sql = format!("SELECT count(*) FROM {}", rows.of);
                let number: i64 = connection.prepare_cached(&sql)?.query_row(parameters, |row| row.column(0))?;
                Ok(usize::try_from(number).unwrap_or_default())
            }
        })?;
        *counts.entry(rows.kind).or_default() += number as u64;
        Ok(number as u64)
    }
}

/// How much one transaction deletes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    Rows(u32),
    None,
}

impl Limit {
    /// The limit as SQLite takes it.
    fn rows(self) -> i64 {
        match self {
            Self::Rows(rows) => rows.into(),
            Self::None => -1,
        }
    }
}

impl Store {
    /// Returns free space to the file system; returns the bytes by which the file became smaller.
    ///
    /// Writes the whole file again: needs the same space a second time, and blocks other writers meanwhile.
    pub fn shrink(&mut self) -> Result<u64> {
        self.file.run(|connection| {
            let size = |connection: &rusqlite::Connection| -> rusqlite::Result<i64> {
                let pages: i64 = connection.pragma_query_value(None, "page_count", |row| row.column(0))?;
                let size: i64 = connection.pragma_query_value(None, "page_size", |row| row.column(0))?;
                Ok(pages * size)
            };
            let before = size(connection)?;
            connection.execute_batch("VACUUM")?;
            // The new file is in the write-ahead log until that is copied back.
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            Ok(u64::try_from(before - size(connection)?).unwrap_or_default())
        })
    }
}

/// Keys as a JSON list for `json_each`.
fn list(keys: &[WorkflowKey]) -> String {
    let keys: Vec<i64> = keys.iter().map(|key| key.0).collect();
    serde_json::to_string(&keys).expect("numbers become JSON")
}
