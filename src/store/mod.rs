//! The SQLite file with the state of all jobs.
//!
//! Decides nothing: it stores rows, returns them, and reports whether a status was still the expected one. Must not
//! depend on what a status means, read a clock or touch other files. No query text exists outside this module. Follows
//! section "State" of `ARCHITECTURE.md`.
//!
//! [`Store`] opens the file; [`Snapshot`] reads; [`Transaction`] is a snapshot that may also write. Each table has a
//! file in this folder that adds its methods to the two.
#![expect(clippy::disallowed_methods, reason = "the file of the database is created and copied here")]

mod attempt;
mod backup;
mod birth;
mod bundle_coordinator;
mod bundle_job;
mod check;
mod column;
mod coordinator_action;
mod coordinator_definition;
mod coordinator_job;
mod coordinator_output;
mod delivery;
mod document;
mod event;
mod failure;
mod job_filter;
mod last_tick;
mod migrate;
mod notification;
mod open;
mod place;
mod purge;
mod row;
mod sla;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod workflow_job;
mod workflow_node;

use std::ops::Deref;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};

use crate::error::{Error, Result};
use crate::model::effect::Effect;

pub(crate) use birth::Birth;
pub(crate) use coordinator_action::{ActionFilter, ActionOrder, FirstMissing, NewActions, WaitingAction};
pub(crate) use delivery::DeliverySubject;
pub(crate) use job_filter::{FrequencyFilter, JobFilter, JobOrder, Page};
pub(crate) use purge::{Counts, EndedBefore, Kind, Limit};
pub(crate) use sla::{Alert, Bounds, SlaFilter};

/// What to do when there is no database yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OpenMode {
    /// Create one, with its folder: for the verbs that add jobs or advance them.
    Create(Birth),
    /// Refuse (H0100): for the verbs that only read or change what exists.
    MustExist,
    /// The same, for a short read: when the disk has no space for the files that processes share, the file is opened
    /// for this process only, and others wait until it is closed.
    ReadOnly,
}

/// What became of changes to rows that were read before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub(crate) enum Saved {
    /// They are stored.
    Done,
    /// Another process changed the rows since they were read: none of the changes may be stored.
    Conflict,
}

/// An open database.
#[derive(Debug)]
pub(crate) struct Store {
    /// Given to the work of [`Store::read`] and [`Store::transact`] while a transaction is open, and not otherwise.
    file: Snapshot,
}

impl Store {
    /// Opens the database at `path`, migrating it when an older howdah wrote it.
    ///
    /// Errors: H0100 cannot be opened, H0101 no howdah database, H0102 written by a newer howdah, H0103 no space,
    /// H0104 read-only, H0105 another process holds it too long, H0107 damaged, H0111 its file system fails.
    pub(crate) fn open(path: &Path, mode: &OpenMode) -> Result<Self> {
        open::open(path, mode, failure::BUSY_WAIT)
    }

    /// The absolute path of the database.
    pub(crate) fn path(&self) -> &Path {
        &self.file.path
    }

    /// The permissions of the file, when other users than its owner have some: they can read every job's properties.
    pub(crate) fn open_to_others(&self) -> Option<u32> {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(self.path()).ok()?.permissions().mode() & 0o777;
        (mode & 0o077 != 0).then_some(mode)
    }

    /// Whether this process may write the file, whatever it has opened it for.
    pub(crate) fn may_be_written(&self) -> bool {
        rustix::fs::access(self.path(), rustix::fs::Access::WRITE_OK).is_ok()
    }

    /// Refuses (H0103) when the file system of the database is full.
    pub(crate) fn check_room(&self) -> Result<()> {
        failure::check_room(self.path())
    }

    /// Runs `work` in one write transaction: all of it is stored durably, or nothing when it fails or panics.
    ///
    /// Write transactions begin only here and in the two methods below. They are IMMEDIATE: a deferred one that
    /// upgrades from reading to writing fails under contention without waiting. `work` must not wait, touch files or
    /// start processes.
    pub(crate) fn transact<T>(&mut self, work: impl FnOnce(&Transaction<'_>) -> Result<T>) -> Result<T> {
        let inner = self.begin()?;
        let value = work(&Transaction(&self.file))?;
        inner.commit().map_err(|failure| self.file.explain(&failure))?;
        Ok(value)
    }

    /// Runs `work` in a write transaction that is stored, or rolled back when `work` meets a conflict.
    pub(crate) fn transact_unless_conflict(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> Result<Saved>,
    ) -> Result<Saved> {
        let inner = self.begin()?;
        let saved = work(&Transaction(&self.file))?;
        if saved == Saved::Done {
            inner.commit().map_err(|failure| self.file.explain(&failure))?;
        }
        Ok(saved)
    }

    /// Runs `work` in a write transaction that is stored, or rolled back whatever `work` returns.
    pub(crate) fn transact_for<T>(
        &mut self,
        effect: Effect,
        work: impl FnOnce(&Transaction<'_>) -> Result<T>,
    ) -> Result<T> {
        let Effect::DryRun = effect else { return self.transact(work) };
        let _until_return = self.begin()?;
        work(&Transaction(&self.file))
    }

    // rusqlite does not check this; the exclusive borrow of the store forbids nested transactions.
    fn begin(&self) -> Result<rusqlite::Transaction<'_>> {
        self.file.run(|connection| rusqlite::Transaction::new_unchecked(connection, TransactionBehavior::Immediate))
    }

    /// Runs `work` on one consistent state of the database; does not block writers or see their changes.
    /// One snapshot at a time: SQLite refuses a second `read` inside `work` (E0603).
    pub(crate) fn read<T>(&self, work: impl FnOnce(&Snapshot) -> Result<T>) -> Result<T> {
        let _until_return = self.file.run(Connection::unchecked_transaction)?;
        work(&self.file)
    }

    /// A number that changes when *another* connection has committed; if it is equal, there is nothing to reload.
    pub(crate) fn data_version(&self) -> Result<i64> {
        self.file.run(|connection| connection.pragma_query_value(None, "data_version", |row| row.get(0)))
    }

    /// A value that changes with every commit, of another connection or this one.
    pub(crate) fn change_mark(&self) -> Result<(i64, u64)> {
        let own = self.file.run(|connection| Ok(connection.total_changes()))?;
        Ok((self.data_version()?, own))
    }

    /// Checks for damage and for rows that contradict each other; returns one finding per element, none if there are no
    /// problems.
    pub(crate) fn check(&self) -> Result<Vec<String>> {
        self.read(check::findings)
    }

    /// Writes a consistent copy to `to`, which must not exist (H0111); other processes may continue to write.
    pub(crate) fn backup(&self, to: &Path) -> Result<()> {
        backup::backup(self, to)
    }
}

/// One consistent state of the database, for reading; only [`Store::read`] provides it.
#[derive(Debug)]
pub(crate) struct Snapshot {
    connection: Connection,
    path: PathBuf,
}

impl Snapshot {
    /// Runs SQL and explains its failure.
    fn run<'s, T>(&'s self, work: impl FnOnce(&'s Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|failure| self.explain(&failure))
    }

    fn explain(&self, failure: &rusqlite::Error) -> Error {
        failure::explain(&self.path, failure)
    }
}

/// A snapshot that may also write; only [`Store::transact`] provides it.
#[derive(Debug)]
pub(crate) struct Transaction<'s>(&'s Snapshot);

impl Deref for Transaction<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        self.0
    }
}
