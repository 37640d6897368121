//! Opening, transactions, migration, and many connections at once.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Barrier;

use rusqlite::Connection;

use super::testing::{NOW, actions, coordinator, create, fresh};
use super::{OpenMode, Saved, Store, migrate};
use crate::column::Columns as _;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::id::JobKind;
use howdah_words::model::row::ActionKey;
use howdah_words::model::status::ActionStatus;

fn mode_of(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn jobs(store: &Store) -> usize {
    store.read(|snapshot| Ok(snapshot.live_coordinator_jobs()?.len())).unwrap()
}

#[test]
fn a_new_database_belongs_to_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state/howdah.db");
    let mut store = Store::open(&path, &create()).unwrap();
    store.transact(|transaction| transaction.store_document("x")).unwrap();
    assert_eq!(mode_of(path.parent().unwrap()), 0o700);
    for file in ["howdah.db", "howdah.db-wal", "howdah.db-shm"] {
        assert_eq!(mode_of(&path.with_file_name(file)), 0o600, "{file}");
    }
}

#[test]
fn the_settings_hold() {
    let (_folder, store) = fresh();
    for (pragma, expect) in [
        ("journal_mode", "wal"),
        ("synchronous", "2"),
        ("foreign_keys", "1"),
        ("busy_timeout", "30000"),
        ("application_id", "1752135524"),
        ("user_version", &migrate::MIGRATIONS.len().to_string()),
    ] {
        let sql = format!("SELECT CAST((SELECT * FROM pragma_{pragma}) AS TEXT)");
        let value: String = store.file.connection.query_row(&sql, [], |row| row.column(0)).unwrap();
        assert_eq!(value, expect, "{pragma}");
    }
    let stable_plans = rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG;
    assert_eq!(store.file.connection.db_config(stable_plans), Ok(true));
}

#[test]
fn an_absent_or_empty_file_or_a_folder_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty");
    fs::write(&empty, "").unwrap();
    for path in [folder.path().join("absent/x.db"), empty.clone(), folder.path().to_owned()] {
        let error = Store::open(&path, &OpenMode::MustExist).unwrap_err();
        assert_eq!(error.code(), ErrorCode::H0100, "{error}");
        assert!(error.message().contains(path.to_str().unwrap()), "{error}");
        assert!(error.help_text().is_some_and(|help| help.contains("--db")), "{error}");
    }
    assert!(!folder.path().join("absent").exists());
    assert_eq!(fs::read(&empty).unwrap(), b"");
}

#[test]
fn a_foreign_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.db");
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let before = fs::read(&path).unwrap();
    for mode in [create(), OpenMode::MustExist] {
        assert_eq!(Store::open(&path, &mode).unwrap_err().code(), ErrorCode::H0101);
    }
    assert_eq!(fs::read(&path).unwrap(), before);
}

#[test]
fn a_newer_database_is_refused() {
    let (folder, store) = fresh();
    store.file.connection.pragma_update(None, "user_version", 700).unwrap();
    let error = Store::open(&folder.path().join("howdah.db"), &OpenMode::MustExist).unwrap_err();
    assert_eq!(error.code(), ErrorCode::H0102);
    let known = migrate::MIGRATIONS.len();
    assert!(error.message().contains(&format!("its version is 700, this program knows {known}")), "{error}");
    assert!(error.help_text().is_some());
}

#[test]
fn a_second_open_keeps_the_birth() {
    let (folder, mut store) = fresh();
    let first = store.transact(|transaction| transaction.next_job_id(JobKind::Coordinator)).unwrap();
    assert_eq!(first.as_str(), "0000000-261120093000123-oozie-oozi-C");
    let later = OpenMode::Create(super::Birth::at(NOW + 3600, 0));
    let mut again = Store::open(&folder.path().join("howdah.db"), &later).unwrap();
    let second = again.transact(|transaction| transaction.next_job_id(JobKind::Workflow)).unwrap();
    assert_eq!(second.as_str(), "0000001-261120093000123-oozie-oozi-W");
}

#[test]
fn a_failing_transaction_stores_nothing() {
    let (_folder, mut store) = fresh();
    let failed: Result<(), Error> = store.transact(|transaction| {
        coordinator(transaction)?;
        Err(Error::new(ErrorCode::H0001, "no"))
    });
    assert_eq!(failed.unwrap_err().code(), ErrorCode::H0001);
    assert_eq!(jobs(&store), 0);
    store.transact(coordinator).unwrap();
    assert_eq!(jobs(&store), 1);
}

#[test]
fn a_conflict_takes_back_everything_and_is_no_error() {
    let (_folder, mut store) = fresh();
    for (saved, expect) in [(Saved::Conflict, 0), (Saved::Done, 1)] {
        let answer = store.transact_unless_conflict(|transaction| {
            coordinator(transaction)?;
            Ok(saved)
        });
        assert_eq!((answer.unwrap(), jobs(&store)), (saved, expect));
    }
}

#[test]
fn a_panicking_transaction_stores_nothing_and_holds_no_lock() {
    let (folder, mut store) = fresh();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        store.transact(|transaction| -> Result<(), Error> {
            coordinator(transaction)?;
            panic!("in the middle");
        })
    }));
    assert!(panic.is_err());
    assert_eq!(jobs(&store), 0);
    let mut other = Store::open(&folder.path().join("howdah.db"), &OpenMode::MustExist).unwrap();
    other.transact(coordinator).unwrap();
    assert_eq!(jobs(&store), 1);
}

#[test]
fn a_snapshot_does_not_see_later_commits_but_the_version_changes() {
    let (folder, store) = fresh();
    let mut other = Store::open(&folder.path().join("howdah.db"), &OpenMode::MustExist).unwrap();
    let before = store.data_version().unwrap();
    store
        .read(|snapshot| {
            assert_eq!(snapshot.live_coordinator_jobs()?.len(), 0);
            other.transact(coordinator)?;
            assert_eq!(snapshot.live_coordinator_jobs()?.len(), 0);
            Ok(())
        })
        .unwrap();
    assert_eq!(jobs(&store), 1);
    assert_ne!(store.data_version().unwrap(), before);
}

#[test]
fn fifty_connections_create_and_write_at_once() {
    const CONNECTIONS: usize = 50;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/howdah.db");
    let start = Barrier::new(CONNECTIONS);
    let ids: Vec<String> = std::thread::scope(|scope| {
        let connect = || {
            start.wait();
            let mut store = Store::open(&path, &create())?;
            let job = store.transact(coordinator)?;
            store.transact(|transaction| actions(transaction, ActionKey { job: job.job, number: 1 }, 3))?;
            Ok(job.id.to_string())
        };
        let threads: Vec<_> = (0..CONNECTIONS).map(|_| scope.spawn(connect)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect::<Result<_, Error>>().unwrap()
    });
    let mut unique = ids.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), CONNECTIONS);
    let store = Store::open(&path, &OpenMode::MustExist).unwrap();
    assert_eq!(jobs(&store), CONNECTIONS);
}

#[test]
fn opening_waits_for_a_writer_of_a_file_that_is_not_in_wal_mode_yet() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("howdah.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    std::thread::scope(|scope| {
        let opening = scope.spawn(|| Store::open(&path, &create()).map(drop));
        // Long enough that the open meets the lock; if it were shorter, the test would still pass.
        std::thread::sleep(std::time::Duration::from_millis(100));
        other.execute_batch("ROLLBACK").unwrap();
        opening.join().unwrap().unwrap();
    });
}

#[test]
fn the_check_finds_contradictions() {
    let (_folder, mut store) = fresh();
    let job = store
        .transact(|transaction| {
            let mut job = coordinator(transaction)?;
            actions(transaction, ActionKey { job: job.job, number: 1 }, 3)?;
            job.last_action_number = 3;
            transaction.update_coordinator_job(job.status, &job)?;
            Ok(job)
        })
        .unwrap();
    assert_eq!(store.check().unwrap(), Vec::<String>::new());
    for (damage, expect) in [
        ("UPDATE coordinator_count SET count = 4", "count of WAITING actions"),
        ("UPDATE coordinator_job SET last_action_number = 2", "but action 3 exists"),
        ("DELETE FROM coordinator_job", "refers to a row of coordinator_job that does not exist"),
        ("UPDATE coordinator_action SET status = 'LOST'", "CHECK constraint failed"),
        ("DELETE FROM birth", "the row that numbers jobs is missing"),
    ] {
        store.file.connection.execute_batch("PRAGMA foreign_keys = off; PRAGMA ignore_check_constraints = on").unwrap();
        store.file.connection.execute_batch(&format!("SAVEPOINT damage; {damage}")).unwrap();
        store.file.connection.execute_batch("PRAGMA ignore_check_constraints = off").unwrap();
        let findings = super::check::findings(&store.file).unwrap();
        assert!(findings.iter().any(|finding| finding.contains(expect)), "{damage}: {findings:?}");
        store.file.connection.execute_batch("ROLLBACK TO damage; RELEASE damage").unwrap();
    }
    let key = ActionKey { job: job.job, number: 1 };
    let action = store.read(|snapshot| snapshot.coordinator_action(key)).unwrap().unwrap();
    assert_eq!(action.status, ActionStatus::Waiting);
}

/// A list of more than two words after IN, in a check or in the condition of an index, becomes a table with its own
/// pages whenever a row is written.
#[test]
fn what_starts_or_ends_a_command_builds_no_table_of_words() {
    let (_folder, store) = fresh();
    for sql in [
        include_str!("sql/attempt/insert.sql"),
        include_str!("sql/attempt/update.sql"),
        include_str!("sql/event/insert.sql"),
        include_str!("sql/sla/touch_workflow.sql"),
        include_str!("sql/workflow_job/active.sql"),
        include_str!("sql/workflow_job/to_start.sql"),
        include_str!("sql/workflow_job/update.sql"),
        include_str!("sql/workflow_node/insert.sql"),
        include_str!("sql/workflow_node/update.sql"),
        include_str!("sql/workflow_node/waiting.sql"),
    ] {
        let mut program = store.file.connection.prepare(&format!("EXPLAIN {sql}")).unwrap();
        let mut rows = program.raw_query();
        while let Some(row) = rows.next().unwrap() {
            assert_ne!(row.column::<String>("opcode").unwrap(), "OpenEphemeral", "{sql}");
        }
    }
}
