//! An open database, and the only places where a transaction begins.
//!
//! `open`, `check` and `backup` add what they do to it. Must not depend on a table.

use std::path::Path;
use std::rc::Rc;

use rusqlite::Connection;

use super::snapshot::{Snapshot, Transaction};
use super::{NominalTimes, failure};
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;

/// What became of changes to rows that were read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Saved {
    /// They are stored.
    Done,
    /// Another process changed the rows since they were read: none of the changes may be stored.
    Conflict,
}

/// A transaction that is rolled back unless it is committed. A step of the runner begins many: their statements are
/// prepared once, as all others.
#[derive(Debug)]
#[must_use]
pub(super) struct Pending<'c>(&'c Connection);

impl<'c> Pending<'c> {
    fn begin(connection: &'c Connection, sql: &str) -> rusqlite::Result<Self> {
        connection.prepare_cached(sql)?.execute([])?;
        Ok(Self(connection))
    }

    pub(super) fn commit(self) -> rusqlite::Result<()> {
        self.0.prepare_cached("COMMIT")?.execute([]).map(drop)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        // After a commit, and after some failures, there is none any more.
        if !self.0.is_autocommit() {
            let _ = self.0.prepare_cached("ROLLBACK").and_then(|mut rollback| rollback.execute([]));
        }
    }
}

/// An open database.
#[derive(Debug)]
pub struct Store {
    /// Given to the work of [`Store::read`] and [`Store::transact`] while a transaction is open, and not otherwise. No
    /// other store uses it at the same time; `kept` may keep it for the next one.
    pub(super) file: Rc<Snapshot>,
}

impl Store {
    /// The absolute path of the database.
    pub fn path(&self) -> &Path {
        &self.file.path
    }

    /// The length of the file with SQLite's log beside it, in bytes; 0 when the machine cannot tell.
    pub fn length(&self) -> u64 {
        let mut log = self.path().as_os_str().to_owned();
        log.push("-wal");
        let length = |path: &Path| std::fs::metadata(path).map_or(0, |metadata| metadata.len());
        length(self.path()) + length(Path::new(&log))
    }

    /// From now on `known` says which nominal times the actions of a range have.
    pub fn ask_nominal_times(&mut self, known: &'static dyn NominalTimes) {
        self.file.nominal_times.set(Some(known));
    }

    /// The permissions of the file, when other users than its owner have some: they can read every job's properties.
    pub fn open_to_others(&self) -> Option<u32> {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(self.path()).ok()?.permissions().mode() & 0o777;
        (mode & 0o077 != 0).then_some(mode)
    }

    /// Whether this process may write the file, whatever it has opened it for.
    pub fn may_be_written(&self) -> bool {
        rustix::fs::access(self.path(), rustix::fs::Access::WRITE_OK).is_ok()
    }

    /// Refuses (H0103) when the file system of the database is full.
    pub fn check_room(&self) -> Result<()> {
        failure::check_room(self.path())
    }

    /// Runs `work` in one write transaction: all of it is stored durably, or nothing when it fails or panics.
    ///
    /// Write transactions begin only here and in the two methods below. They are IMMEDIATE: a deferred one that
    /// upgrades from reading to writing fails under contention without waiting. `work` must not wait, touch files or
    /// start processes.
    pub fn transact<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let inner = self.begin()?;
        let value = work(&Transaction(&self.file))?;
        inner.commit().map_err(|failure| self.file.explain(&failure))?;
        Ok(value)
    }

    /// Runs `work` in a write transaction that is stored, or rolled back when `work` meets a conflict.
    pub fn transact_unless_conflict(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<Saved>) -> Result<Saved> {
        let inner = self.begin()?;
        let saved = work(&Transaction(&self.file))?;
        if saved == Saved::Done {
            inner.commit().map_err(|failure| self.file.explain(&failure))?;
        }
        Ok(saved)
    }

    /// Runs `work` in a write transaction that is stored, or rolled back whatever `work` returns.
    pub fn transact_for<T>(&mut self, effect: Effect, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let Effect::DryRun = effect else { return self.transact(work) };
        let _until_return = self.begin()?;
        work(&Transaction(&self.file))
    }

    // rusqlite does not check this; the exclusive borrow of the store forbids nested transactions.
    pub(super) fn begin(&self) -> Result<Pending<'_>> {
        self.file.run(|connection| Pending::begin(connection, "BEGIN IMMEDIATE"))
    }

    /// Runs `work` on one consistent state of the database; does not block writers or see their changes.
    /// One snapshot at a time: SQLite refuses a second `read` inside `work` (E0603).
    pub fn read<T>(&self, work: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        let _until_return = self.file.run(|connection| Pending::begin(connection, "BEGIN DEFERRED"))?;
        work(&self.file)
    }

    /// As [`Snapshot::data_version`], of the present state.
    pub fn data_version(&self) -> Result<i64> {
        self.file.data_version()
    }

    /// As [`Snapshot::change_mark`], of the present state.
    pub fn change_mark(&self) -> Result<(i64, u64)> {
        self.file.change_mark()
    }
}
