//! A connection to the database file with howdah's settings.
//!
//! Uses pragmas, no table. The busy timeout comes before the first pragma: without it, processes that create one
//! database at the same time fail.

use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::stamp;

/// Prepared statements that a connection caches; more than this module has.
const STATEMENT_CACHE: usize = 128;

/// The most memory for pages per connection; SQLite allocates it only as it reads.
const CACHE_KIB: i64 = 16 * 1024;

/// The pause between two tries to switch the journal mode.
const PAUSE: Duration = Duration::from_millis(5);

/// Returns the version of SQLite in this program.
pub fn sqlite_version() -> &'static str {
    rusqlite::version()
}

/// Opens a connection to an existing file; a statement waits for other processes at most `busy_wait`.
pub(super) fn connect(path: &Path, busy_wait: Duration) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(busy_wait)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // A plan never depends on a bound value: without this SQLite prepares a statement again whenever its LIMIT is
    // bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Sets the options of a connection, and write-ahead logging: readers never block the writer, nor the writer readers. A
/// backup gets no log: it would count as that of another database.
pub(super) fn configure(connection: &Connection, busy_wait: Duration) -> rusqlite::Result<()> {
    if !connection.is_readonly("main")? && !stamp::is_on(connection)? {
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
