//! Turns SQLite's failures into messages that an operator can act on.
//!
//! Uses result codes only; SQLite's own message is shown only where nothing better is known.

use std::fs::File;
use std::io;
use std::path::Path;
use std::time::Duration;

use rusqlite::ffi;

use howdah_words::error::{Error, ErrorCode};

/// How long a statement waits for another process; the message of a busy database repeats it.
pub(super) const BUSY_WAIT: Duration = Duration::from_secs(30);

/// What the trigger of a shadow says (`migrations/0001_initial.sql`).
const SHADOW: &str = "a shadow database starts nothing";

/// The least that a change of a job writes: a few pages and the files of an attempt, in bytes.
const LEAST_ROOM: u64 = 64 * 1024;

/// The error for a failure of SQLite on the database `path`.
pub(super) fn explain(path: &Path, failure: &rusqlite::Error) -> Error {
    let read_only = || is_read_only(path);
    let (file, path) = (path, path.display());
    if is_damaged_row(failure) {
        return damaged(&path, failure);
    }
    let Some(code) = failure.sqlite_error().map(|error| error.extended_code) else {
        return Error::new(ErrorCode::E0603, failure);
    };
    match code & 0xff {
        ffi::SQLITE_BUSY | ffi::SQLITE_LOCKED => Error::with(ErrorCode::H0105, &[&path, &BUSY_WAIT.as_secs()])
            .help("try again; `fuser` shows who holds the file"),
        ffi::SQLITE_FULL => no_space(&path),
        ffi::SQLITE_CONSTRAINT if code == ffi::SQLITE_CONSTRAINT_TRIGGER && failure.to_string().contains(SHADOW) => {
            Error::new(ErrorCode::H0245, "no workflow job is created in it")
        }
        // The other triggers of the schema only protect what a purge has begun to delete.
        ffi::SQLITE_CONSTRAINT if code == ffi::SQLITE_CONSTRAINT_TRIGGER => Error::new(ErrorCode::H0109, path)
            .passing(false)
            .help("it is too late for this job: `howdah db purge` has begun to delete it, and run again it goes on"),
        ffi::SQLITE_READONLY => Error::new(ErrorCode::H0104, path)
            .help("the file and its folder must be writable for the user who runs howdah"),
        ffi::SQLITE_CANTOPEN if takes_no_files(file) => no_space(&path),
        ffi::SQLITE_CANTOPEN if read_only() => Error::new(ErrorCode::H0104, path).help(
            "its file system is mounted read-only; a log of changes beside the file must be writable even to read it",
        ),
        ffi::SQLITE_NOTADB => not_a_database(&path),
        ffi::SQLITE_CORRUPT => damaged(&path, failure),
        ffi::SQLITE_CANTOPEN | ffi::SQLITE_PERM | ffi::SQLITE_AUTH => match open_nothing() {
            Some(why) => cannot_open(&path, &why),
            None => Error::with(ErrorCode::H0100, &[&path, failure])
                .help("check the path and the permissions of its folder"),
        },
        ffi::SQLITE_PROTOCOL => Error::with(ErrorCode::H0111, &[&path, failure])
            .help("its file system could not set or clear a lock: try again; the change that failed is not stored"),
        ffi::SQLITE_NOMEM => Error::with(ErrorCode::H0111, &[&path, failure])
            .help("there is too little memory: try again; the change that failed is not stored"),
        // Growing the file of shared memory fails for no other reason.
        ffi::SQLITE_IOERR if code == ffi::SQLITE_IOERR_SHMSIZE => no_space(&path),
        ffi::SQLITE_IOERR => Error::with(ErrorCode::H0111, &[&path, failure])
            .help("look for an exhausted quota or a failing disk; the change that failed is not stored"),
        _ => Error::new(ErrorCode::E0603, failure),
    }
}

/// Refuses (H0103) when the file system has less space than a small transaction needs.
pub(super) fn check_room(path: &Path) -> Result<(), Error> {
    let Ok(system) = rustix::fs::statvfs(path) else { return Ok(()) };
    // Some file systems report no size.
    let full =
        system.f_blocks > 0 && system.f_bavail.saturating_mul(system.f_frsize) < LEAST_ROOM || has_no_names(&system);
    if full { Err(no_space(&path.display())) } else { Ok(()) }
}

/// Whether the file system can create no more files, though it may have free blocks. Then no file beside the database
/// can be created, which SQLite reports as a file that cannot be opened.
fn takes_no_files(path: &Path) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|system| has_no_names(&system))
}

const fn has_no_names(system: &rustix::fs::StatVfs) -> bool {
    system.f_files > 0 && system.f_favail == 0
}

/// Why this process can open no file at all at present; `None` when it can. SQLite does not report the reason, and the
/// database itself must not be opened here: closing it again would drop the locks that this process has on it.
fn open_nothing() -> Option<io::Error> {
    File::open("/dev/null").err().filter(|error| error.kind() != io::ErrorKind::NotFound)
}

/// The error for a database that could not be opened for a reason other than its permissions.
pub(super) fn cannot_open(path: &impl std::fmt::Display, why: &dyn std::fmt::Display) -> Error {
    Error::with(ErrorCode::H0100, &[path, &why])
        .help("try again; `ulimit -n` shows how many files a process may have open")
}

/// Whether the file system is read-only, which SQLite reports as a file that cannot be opened.
fn is_read_only(path: &Path) -> bool {
    let flags = rustix::fs::statvfs(path).map(|system| system.f_flag);
    flags.is_ok_and(|flags| flags.contains(rustix::fs::StatVfsMountFlags::RDONLY))
}

/// Refuses a file that is no howdah database.
pub(super) fn not_a_database(path: &impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::H0101, path).help("name another file with --db or HOWDAH_DB; howdah never writes to this one")
}

fn damaged(path: &impl std::fmt::Display, failure: &rusqlite::Error) -> Error {
    Error::with(ErrorCode::H0107, &[path, failure]).help(
        "copy the file and its -wal aside, then restore the last backup; sqlite3 may recover what is left (.recover)",
    )
}

/// Whether a row contains a value that this program never writes.
const fn is_damaged_row(failure: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    matches!(failure, E::FromSqlConversionFailure(..) | E::InvalidColumnType(..) | E::IntegralValueOutOfRange(..))
}

pub(super) fn no_space(path: &impl std::fmt::Display) -> Error {
    Error::new(ErrorCode::H0103, path).help(
        "make room on its file system; the change that failed is not stored; where `df` shows free blocks, `df -i` \
         shows how many more files it takes",
    )
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use rusqlite::{Connection, OpenFlags};

    use crate::column::Columns as _;

    use super::super::testing::{coordinator, create, fresh};
    use super::super::{OpenMode, Snapshot, Store, Transaction, open};
    use super::*;
    use howdah_words::error::Result;

    fn check<T>(outcome: Result<T>, expect: ErrorCode) {
        let Err(error) = outcome else { panic!("{expect} expected, nothing failed") };
        assert_eq!(error.code(), expect, "{error}");
        assert!(!error.message().contains("database is locked"), "{error}");
        assert!(error.help_text().is_some(), "{error}");
    }

    #[test]
    fn a_busy_database_is_named_in_our_words() {
        let (folder, mut store) = fresh();
        let path = folder.path().join("howdah.db");
        let mut other = open::open(&path, &OpenMode::MustExist, Duration::from_millis(10)).unwrap();
        let outcome = store.transact(|_| other.transact(|transaction| transaction.store_document("x")));
        check(outcome, ErrorCode::H0105);
    }

    #[test]
    fn a_full_disk_stores_nothing() {
        let (_folder, mut store) = fresh();
        let pages: i64 = store.file.connection.pragma_query_value(None, "page_count", |row| row.column(0)).unwrap();
        store.file.connection.pragma_update(None, "max_page_count", pages + 1).unwrap();
        let long = "x".repeat(100_000);
        check(store.transact(|transaction| transaction.store_document(&long)), ErrorCode::H0103);
        store.transact(coordinator).unwrap();
    }

    #[test]
    fn a_read_only_database_can_be_read() {
        let (_folder, store) = fresh();
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&store.file.path, flags).unwrap();
        let file = Snapshot::of(connection, store.file.path.clone());
        let transaction = Transaction(&file);
        assert!(transaction.live_coordinator_jobs().is_ok());
        check(transaction.store_document("x"), ErrorCode::H0104);
    }

    #[test]
    fn garbage_is_no_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("garbage");
        fs::write(&path, "not a database, but long enough to have a header. ".repeat(40)).unwrap();
        check(Store::open(&path, &OpenMode::MustExist), ErrorCode::H0101);
        check(Store::open(&path, &create()), ErrorCode::H0101);
    }

    #[test]
    fn a_damaged_page_and_a_damaged_row_are_damage() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        let path: PathBuf = store.file.path.clone();
        store.file.connection.pragma_update(None, "ignore_check_constraints", true).unwrap();
        store.file.connection.execute("UPDATE coordinator_job SET status = 'LOST'", []).unwrap();
        check(store.read(|snapshot| snapshot.coordinator_job(&job.id)), ErrorCode::H0107);
        drop(store);

        let mut bytes = fs::read(&path).unwrap();
        bytes[4096..].fill(0x5a);
        fs::write(&path, bytes).unwrap();
        check(Store::open(&path, &OpenMode::MustExist), ErrorCode::H0107);
    }

    #[test]
    fn result_codes_without_a_file_that_provokes_them() {
        for (code, expect) in [
            (ffi::SQLITE_LOCKED, ErrorCode::H0105),
            (ffi::SQLITE_CONSTRAINT_TRIGGER, ErrorCode::H0109),
            (ffi::SQLITE_BUSY_SNAPSHOT, ErrorCode::H0105),
            (ffi::SQLITE_IOERR_SHMSIZE, ErrorCode::H0103),
            (ffi::SQLITE_IOERR_WRITE, ErrorCode::H0111),
            (ffi::SQLITE_PROTOCOL, ErrorCode::H0111),
            (ffi::SQLITE_NOMEM, ErrorCode::H0111),
            (ffi::SQLITE_READONLY_DBMOVED, ErrorCode::H0104),
            (ffi::SQLITE_CANTOPEN, ErrorCode::H0100),
        ] {
            let failure = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            check::<()>(Err(explain(Path::new("x.db"), &failure)), expect);
        }
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        check(Store::open(&file.join("howdah.db"), &create()), ErrorCode::H0100);
    }
}
