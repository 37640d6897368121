//! Opens a database: finds or creates the file, identifies it, and migrates it.
//!
//! The order matters: the identity is checked before any change to a foreign file. Must not depend on a table.

use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::rc::Rc;
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::config::DbConfig;
use rustix::fs::Access;

use super::connect::{configure, connect};
use super::new_file::{look, make_file};
use super::{OpenMode, Snapshot, Store, failure, kept, migrate, stamp};
use howdah_words::error::{Error, ErrorCode, Result, Signal, Unavailable};

impl Store {
    /// Opens the database at `path`, migrating it when an older howdah wrote it.
    ///
    /// Errors: H0100 cannot be opened, H0101 no howdah database, H0102 written by a newer howdah, H0103 no space,
    /// H0104 read-only, H0105 another process holds it too long, H0107 damaged, H0111 its file system fails, H0134 a
    /// backup beside the log of another database.
    pub fn open(path: &Path, mode: &OpenMode) -> Result<Self> {
        open(path, mode, failure::BUSY_WAIT)
    }
}

impl Store {
    /// Creates a database without jobs in the memory of this process, for a file at `path` that does not exist: what is
    /// read of it is what a new database would answer, and what is written is lost.
    ///
    /// # Errors
    /// H0100 when there is no memory for it.
    pub fn empty(path: &Path, birth: super::Birth) -> Result<Self> {
        let connection = Connection::open_in_memory().map_err(|cause| failure::explain(path, &cause))?;
        configure(&connection, failure::BUSY_WAIT).map_err(|cause| failure::explain(path, &cause))?;
        let store = Self { file: Rc::new(Snapshot::of(connection, path.to_owned())) };
        migrate::migrate(&store, 0, &OpenMode::Create(birth))?;
        Ok(store)
    }
}

/// Opens `path`; a statement waits for other processes at most `busy_wait`.
pub(super) fn open(path: &Path, mode: &OpenMode, busy_wait: Duration) -> Result<Store> {
    let refuse = |detail: &dyn std::fmt::Display| Error::with(ErrorCode::H0100, &[&path.display(), detail]);
    // Absolute, so that SQLite takes no name for one of its special ones (":memory:").
    let path = std::path::absolute(path).map_err(|cause| refuse(&cause))?;
    stamp::refuse_with_log(&path)?;
    let found = look(&path);
    if matches!(&found, Ok(Some(found)) if found.is_dir()) {
        return Err(refuse(&"it is a folder").help("name a file with --db or HOWDAH_DB"));
    }
    let on_disk = found.as_ref().ok().and_then(Option::as_ref);
    if *mode == OpenMode::ReadOnly
        && let Some(store) = kept::find(&path, on_disk)
    {
        return Ok(store);
    }
    match mode {
        OpenMode::Create(_) => make_file(&path).map_err(|cause| match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => failure::no_space(&path.display()),
            _ => {
                let help = "check the permissions of the folder, or name another file with --db or HOWDAH_DB";
                refuse(&cause).help(help)
            }
        })?,
        OpenMode::MustExist | OpenMode::ReadOnly if matches!(found, Ok(None)) => {
            let help = format!(
                "`howdah submit` creates the database [{}]; --db or HOWDAH_DB name another one",
                path.display()
            );
            return Err(refuse(&"there is no such file").help(help));
        }
        OpenMode::MustExist | OpenMode::ReadOnly => {}
    }
    match attach(&path, mode, busy_wait, Sharing::WithOthers) {
        Err(full) if full.signal() == Signal::Unavailable(Unavailable::Full) && *mode == OpenMode::ReadOnly => {
            attach(&path, mode, busy_wait, Sharing::Alone).map_err(|_| full)
        }
        outcome => outcome.inspect(|store| {
            if *mode == OpenMode::ReadOnly {
                kept::keep(store, on_disk);
            }
        }),
    }
}

/// How often a file may be replaced while it is opened.
const MOST_REPLACEMENTS: usize = 10;

/// Whether other processes may use the file at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sharing {
    WithOthers,
    /// SQLite keeps the index of the log in its own memory instead of a file beside the database, which needs space.
    Alone,
}

/// Opens a file that exists.
pub(super) fn attach(path: &Path, mode: &OpenMode, busy_wait: Duration, sharing: Sharing) -> Result<Store> {
    for _ in 0..MOST_REPLACEMENTS {
        if let Some(store) = try_attach(path, mode, busy_wait, sharing)? {
            return Ok(store);
        }
    }
    Err(Error::with(ErrorCode::H0105, &[&path.display(), &busy_wait.as_secs()]))
}

/// As [`attach`]; `None` when another file has the path now, because a backup was put in the place of the one that was
/// opened. The log beside it belongs to the new one.
fn try_attach(path: &Path, mode: &OpenMode, busy_wait: Duration, sharing: Sharing) -> Result<Option<Store>> {
    let explain = |cause: rusqlite::Error| failure::explain(path, &cause);
    let identity = || look(path).ok().flatten().map(|found| (found.dev(), found.ino()));
    let before = identity();
    let connection = connect(path, busy_wait).map_err(explain)?;
    // Until it is certain whose log that is, it is not moved into this file.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true).map_err(explain)?;
    refuse_half_opened(&connection, path)?;
    let store = Store { file: Rc::new(Snapshot::of(connection, path.to_owned())) };
    if sharing == Sharing::Alone {
        // Works only before the first access to the file.
        store.file.run(|connection| connection.pragma_update(None, "locking_mode", "exclusive"))?;
    }
    // From here on SQLite holds a lock on a file with a log, so that no restore replaces it.
    let version = migrate::identify(&store, mode);
    if before != identity() {
        return Ok(None);
    }
    let version = version?;
    store.file.run(|connection| {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
        configure(connection, busy_wait)
    })?;
    migrate::migrate(&store, version, mode)?;
    Ok(Some(store))
}

/// Refuses (H0100) a connection that can only read, although this process may write the file. SQLite opens a file
/// read-only whenever it could not open it for writing, for any reason; a file that may not be written can still be
/// read.
fn refuse_half_opened(connection: &Connection, path: &Path) -> Result<()> {
    let is_readonly = connection.is_readonly("main").map_err(|cause| failure::explain(path, &cause))?;
    if is_readonly && rustix::fs::access(path, Access::WRITE_OK).is_ok() {
        return Err(failure::cannot_open(
            &path.display(),
            &"it was opened for reading alone, though it may be written",
        ));
    }
    Ok(())
}
