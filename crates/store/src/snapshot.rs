//! A consistent state of the database, for reading, and the same for writing; each table adds its methods to the two.
//! Must not depend on a table, or on how a transaction begins.

use std::cell::Cell;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{NominalTimes, failure};
use crate::column::Columns as _;
use howdah_words::error::{Error, Result};

/// One consistent state of the database, for reading; only `Store::read` provides it.
#[derive(Debug)]
pub struct Snapshot {
    pub(super) connection: Connection,
    pub(super) path: PathBuf,
    /// Who knows the nominal times of ranges; none while the file is only opened or checked.
    pub(super) nominal_times: Cell<Option<&'static dyn NominalTimes>>,
}

impl Snapshot {
    /// What a connection to the file at `path` reads.
    pub(super) const fn of(connection: Connection, path: PathBuf) -> Self {
        Self { connection, path, nominal_times: Cell::new(None) }
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Runs SQL and explains its failure.
    pub(super) fn run<'s, T>(&'s self, work: impl FnOnce(&'s Connection) -> rusqlite::Result<T>) -> Result<T> {
        work(&self.connection).map_err(|failure| self.explain(&failure))
    }

    /// A number that changes when *another* connection has committed; if it is equal, there is nothing to reload.
    pub fn data_version(&self) -> Result<i64> {
        let sql = "PRAGMA data_version";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column(0)))
    }

    /// A value that changes with every commit, of another connection or this one. At the end of a transaction it is the
    /// value that the state which is committed then has.
    pub fn change_mark(&self) -> Result<(i64, u64)> {
        Ok((self.data_version()?, self.connection.total_changes()))
    }

    pub(super) fn explain(&self, failure: &rusqlite::Error) -> Error {
        failure::explain(&self.path, failure)
    }
}

/// A snapshot that may also write; only `Store::transact` provides it.
#[derive(Debug)]
pub struct Transaction<'s>(pub(super) &'s Snapshot);

impl Deref for Transaction<'_> {
    type Target = Snapshot;

    fn deref(&self) -> &Snapshot {
        self.0
    }
}
