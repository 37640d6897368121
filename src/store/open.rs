//! Opens a connection with howdah's settings.
//!
//! Uses files and pragmas, no table. The order matters: the busy timeout comes before the first pragma (without it,
//! processes that create one database at the same time fail), and the identity check before any change to a foreign
//! file.

use std::fs::{DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use rustix::fs::{Access, CWD, FileType, Mode};

use super::{OpenMode, Snapshot, Store, failure, migrate};
use crate::error::{Error, ErrorCode, Result, Signal, Unavailable};

/// Prepared statements that a connection caches; more than this module has.
const STATEMENT_CACHE: usize = 128;

/// The most memory for pages per connection; SQLite allocates it only as it reads.
const CACHE_KIB: i64 = 16 * 1024;

/// The pause between two tries to switch the journal mode.
const PAUSE: Duration = Duration::from_millis(5);

/// Opens `path`; a statement waits for other processes at most `busy_wait`.
pub(super) fn open(path: &Path, mode: &OpenMode, busy_wait: Duration) -> Result<Store> {
    let refuse = |detail: &dyn std::fmt::Display| Error::with(ErrorCode::H0100, &[&path.display(), detail]);
    // Absolute, so that SQLite takes no name for one of its special ones (":memory:").
    let path = std::path::absolute(path).map_err(|cause| refuse(&cause))?;
    let found = look(&path);
    if matches!(&found, Ok(Some(found)) if found.is_dir()) {
        return Err(refuse(&"it is a folder").help("name a file with --db or HOWDAH_DB"));
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
        outcome => outcome,
    }
}

/// The metadata of the path; `None` when the system says that nothing exists. When the query fails, the caller opens
/// the file all the same, which gives a better error.
pub(super) fn look(path: &Path) -> io::Result<Option<std::fs::Metadata>> {
    match std::fs::metadata(path) {
        Ok(found) => Ok(Some(found)),
        Err(cause) if matches!(cause.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => Ok(None),
        Err(cause) => Err(cause),
    }
}

/// Whether other processes may use the file at the same time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sharing {
    WithOthers,
    /// SQLite keeps the index of the log in its own memory instead of a file beside the database, which needs space.
    Alone,
}

fn attach(path: &Path, mode: &OpenMode, busy_wait: Duration, sharing: Sharing) -> Result<Store> {
    let connection = connect(path, busy_wait).map_err(|cause| failure::explain(path, &cause))?;
    refuse_half_opened(&connection, path)?;
    let store = Store { file: Snapshot { connection, path: path.to_owned() } };
    if sharing == Sharing::Alone {
        // Works only before the first access to the file.
        store.file.run(|connection| connection.pragma_update(None, "locking_mode", "exclusive"))?;
    }
    let version = migrate::identify(&store, mode)?;
    configure(&store.file.connection, busy_wait).map_err(|cause| store.file.explain(&cause))?;
    migrate::migrate(&store, version, mode)?;
    Ok(store)
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

/// Opens a second connection to the database of `store`, to copy from while the first one writes.
pub(super) fn reconnect(store: &Store) -> Result<Connection> {
    connect(&store.file.path, failure::BUSY_WAIT).map_err(|cause| store.file.explain(&cause))
}

fn connect(path: &Path, busy_wait: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy_wait)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // A plan never depends on a bound value: without this SQLite prepares a statement again whenever its LIMIT is
    // bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Sets the options of a connection, and write-ahead logging: readers never block the writer, nor the writer readers.
fn configure(connection: &Connection, busy_wait: Duration) -> rusqlite::Result<()> {
    if !connection.is_readonly("main")? {
        write_ahead(connection, busy_wait)?;
    }
    // A materialized range or a killed backlog fits, so that a long transaction writes each page once.
    connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
    // FULL: an attempt is started only after its intent is on the disk.
    connection.pragma_update(None, "synchronous", "full")?;
    connection.pragma_update(None, "foreign_keys", true)
}

/// Switches to write-ahead logging; a file that is there already costs one read.
///
/// Has its own wait: SQLite upgrades a read lock here, and an upgrade fails at once whatever the busy timeout is. Two
/// processes that create one database at the same time compete here.
fn write_ahead(connection: &Connection, busy_wait: Duration) -> rusqlite::Result<()> {
    let mut waited = Duration::ZERO;
    loop {
        let outcome = connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()));
        match outcome {
            Err(cause)
                if waited < busy_wait && cause.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) =>
            {
                thread::sleep(PAUSE);
                waited += PAUSE;
            }
            outcome => return outcome,
        }
    }
}

/// Creates the file, readable by its owner only, and the folders above it.
///
/// Uses `mknod` instead of an open: closing a descriptor of a database drops every lock that this process has on it.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
        // A failed query about the folder is reported as if it were no folder.
        made.or_else(|error| match look(folder) {
            Ok(Some(found)) if found.is_dir() => Ok(()),
            Err(cause) if error.kind() == io::ErrorKind::AlreadyExists => Err(cause),
            _ => Err(error),
        })?;
    }
    match make_new_file(path) {
        Err(cause) if cause.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

/// Creates a file, readable by its owner only, if the name does not exist yet, not even as a link.
pub(super) fn make_new_file(path: &Path) -> io::Result<()> {
    rustix::fs::mknodat(CWD, path, FileType::RegularFile, Mode::RUSR | Mode::WUSR, 0)?;
    // The umask may have removed rights of the owner too.
    std::fs::set_permissions(path, Permissions::from_mode(0o600))
}
