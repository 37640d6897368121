//! Identifies the file, and migrates an older schema to the present one.
//!
//! The numbered files in `migrations/` are append-only; `user_version` counts those that were applied. Uses no table
//! except `birth`, which the first step fills.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{OpenMode, Snapshot, Store, backup, failure, stamp};
use crate::column::Columns as _;
use howdah_words::error::{Error, ErrorCode, Result};

/// The steps in order; the length is the version this program writes.
pub(super) const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_initial.sql"),
    include_str!("migrations/0002_reruns.sql"),
    include_str!("migrations/0003_restore.sql"),
    include_str!("migrations/0004_earlier.sql"),
];

/// The schema version of the file, 0 for an empty one; refuses a foreign file (H0101), a newer one (H0102), and an
/// empty one that should have content (H0100). Writes nothing.
pub(super) fn identify(store: &Store, mode: &OpenMode) -> Result<usize> {
    let identity = store.file.run(identity)?;
    let version = version_of(identity, &store.file.path, MIGRATIONS.len())?;
    if version == 0 && !matches!(mode, OpenMode::Create(_)) {
        return Err(Error::with(ErrorCode::H0100, &[&store.file.path.display(), &"it is empty"])
            .help("`howdah submit` fills it; --db or HOWDAH_DB name another one"));
    }
    Ok(version)
}

/// Whether an open file has the version that this program writes; not when that cannot be read.
pub(super) fn is_present(file: &Snapshot) -> bool {
    let sql = "PRAGMA user_version";
    let version = file.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column::<i64>(0)));
    version.is_ok_and(|version| usize::try_from(version) == Ok(MIGRATIONS.len()))
}

/// Migrates the file to the present version.
pub(super) fn migrate(store: &Store, version: usize, mode: &OpenMode) -> Result<()> {
    migrate_with(store, version, mode, MIGRATIONS)
}

/// The identity of a file, from its header and its schema.
#[derive(Clone, Copy)]
struct Identity {
    application_id: i64,
    user_version: i64,
    tables: i64,
}

/// Reads the identity in one snapshot, so that a file that another process is creating is seen whole or empty.
fn identity(connection: &Connection) -> rusqlite::Result<Identity> {
    let inside = connection.is_autocommit().then(|| connection.unchecked_transaction()).transpose()?;
    let identity = Identity {
        application_id: connection.pragma_query_value(None, "application_id", |row| row.column(0))?,
        user_version: connection.pragma_query_value(None, "user_version", |row| row.column(0))?,
        tables: connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.column(0))?,
    };
    drop(inside);
    Ok(identity)
}

fn version_of(identity: Identity, path: &Path, known: usize) -> Result<usize> {
    if (identity.application_id, identity.user_version, identity.tables) == (0, 0, 0) {
        return Ok(0);
    }
    let version = usize::try_from(identity.user_version).unwrap_or(0);
    let is_own = [stamp::DATABASE, stamp::BACKUP].map(i64::from).contains(&identity.application_id);
    if !is_own || version == 0 {
        return Err(failure::not_a_database(&path.display()));
    }
    if version > known {
        return Err(Error::with(ErrorCode::H0102, &[&path.display(), &version, &known])
            .help("run the newer howdah on it, or name another file with --db or HOWDAH_DB"));
    }
    Ok(version)
}

/// Applies the missing steps in one transaction; an older file is copied first.
///
/// The version is read again under the write lock: another process may have migrated meanwhile.
fn migrate_with(store: &Store, version: usize, mode: &OpenMode, migrations: &[&str]) -> Result<()> {
    if version >= migrations.len() {
        return Ok(());
    }
    let explain = |cause: rusqlite::Error| store.file.explain(&cause);
    let transaction = store.begin()?;
    let version = version_of(identity(&store.file.connection).map_err(explain)?, &store.file.path, migrations.len())?;
    if version > 0 && version < migrations.len() {
        backup::copy_before_migration(store, &aside(&store.file.path, version))?;
    }
    for (applied, sql) in migrations.iter().enumerate().skip(version) {
        apply(&store.file.connection, sql, applied + 1, mode).map_err(explain)?;
    }
    transaction.commit().map_err(explain)
}

fn apply(connection: &Connection, sql: &str, version: usize, mode: &OpenMode) -> rusqlite::Result<()> {
    connection.execute_batch(sql)?;
    if let (1, OpenMode::Create(birth)) = (version, mode) {
        birth.insert(connection)?;
    }
    // A backup of an earlier version stays one.
    if version == 1 {
        stamp::write(connection, stamp::DATABASE)?;
    }
    connection.pragma_update(None, "user_version", i64::try_from(version).unwrap_or(i64::MAX))
}

/// The path of the copy of a file of version `version`: `<db>.v<version>.bak`.
fn aside(path: &Path, version: usize) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".v{version}.bak"));
    name.into()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{coordinator, create, fresh};
    use super::*;

    /// A step of a later version.
    const NEXT: &str = "ALTER TABLE birth ADD COLUMN motto TEXT";

    #[test]
    fn an_empty_file_becomes_a_database() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("howdah.db");
        std::fs::write(&path, "").unwrap();
        let store = Store::open(&path, &create()).unwrap();
        assert_eq!(identify(&store, &OpenMode::MustExist).unwrap(), MIGRATIONS.len());
        assert!(store.read(Snapshot::live_coordinator_jobs).unwrap().is_empty());
        assert!(!aside(&path, 0).exists());
    }

    /// The known steps and one more.
    fn steps(last: &str) -> Vec<&str> {
        MIGRATIONS.iter().copied().chain([last]).collect()
    }

    #[test]
    fn an_older_file_is_copied_aside_and_migrated() {
        let (_folder, mut store) = fresh();
        let job = store.transact(coordinator).unwrap();
        let known = MIGRATIONS.len();
        migrate_with(&store, known, &OpenMode::MustExist, &steps(NEXT)).unwrap();
        store.file.connection.execute("UPDATE birth SET motto = 'x'", []).unwrap();
        assert_eq!(identity(&store.file.connection).unwrap().user_version, i64::try_from(known).unwrap() + 1);
        let copy = Store::open(&aside(&store.file.path, known), &OpenMode::MustExist).unwrap();
        assert_eq!(copy.read(|snapshot| snapshot.coordinator_job(&job.id)).unwrap(), Some(job));
        assert_eq!(identity(&copy.file.connection).unwrap().user_version, i64::try_from(known).unwrap());
    }

    #[test]
    fn a_failing_step_changes_nothing() {
        let (_folder, store) = fresh();
        let bad = format!("{NEXT}; SELECT broken FROM nowhere");
        let known = MIGRATIONS.len();
        let error = migrate_with(&store, known, &OpenMode::MustExist, &steps(&bad)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::E0603);
        assert_eq!(identify(&store, &OpenMode::MustExist).unwrap(), known);
        assert!(store.file.connection.prepare("SELECT motto FROM birth").is_err());
    }

    /// Two processes find the same older file; the second one waits for the lock, and then has nothing to do.
    #[test]
    fn a_file_that_another_process_brought_up_to_date_stays_as_it_is() {
        let (_folder, store) = fresh();
        let known = MIGRATIONS.len();
        migrate_with(&store, known, &OpenMode::MustExist, &steps(NEXT)).unwrap();
        let copy = std::fs::read(aside(&store.file.path, known)).unwrap();
        // The step would fail because the column exists.
        migrate_with(&store, known, &OpenMode::MustExist, &steps(NEXT)).unwrap();
        assert_eq!(std::fs::read(aside(&store.file.path, known)).unwrap(), copy);
    }

    #[test]
    fn an_older_file_that_cannot_be_copied_aside_stays_as_it_is() {
        let (_folder, store) = fresh();
        let known = MIGRATIONS.len();
        std::fs::create_dir(aside(&store.file.path, known)).unwrap();
        migrate_with(&store, known, &OpenMode::MustExist, &steps(NEXT)).unwrap_err();
        assert_eq!(identify(&store, &OpenMode::MustExist).unwrap(), known);
        assert!(store.file.connection.prepare("SELECT motto FROM birth").is_err());
    }
}
