//! What howdah costs, as ratios of two things measured side by side in one run: absolute times say little on a
//! machine that others share. Prints a line per ratio with the bound it should keep; run with `cargo bench`.
//!
//! Needs the `sqlite3` command for two of the comparisons and says so when it is not there.
#![allow(clippy::disallowed_methods, reason = "a benchmark meets the machine itself")]

mod measure;
#[path = "measure/waiting.rs"]
mod waiting;

use std::cell::Cell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use measure::{PAIRS, Pairs, howdah, program, timed};
use rusqlite::{Connection, params};
use waiting::{NOW, NOW_SECONDS, insert_waiting};

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let bench = Bench { folder: folder.path().to_owned() };
    measure::head();
    Bench::version();
    bench.idle_tick();
    bench.blocked_actions(500, 1.5);
    bench.blocked_actions(5_000, 0.5);
    bench.storing();
    bench.history();
}

struct Bench {
    folder: PathBuf,
}

impl Bench {
    fn version() {
        let ours = || run(howdah().arg("--version"));
        match program("sqlite3") {
            Some(sqlite3) => {
                let theirs = || run(Command::new(&sqlite3).arg("--version"));
                Pairs::measure(PAIRS, ours, theirs).report("howdah --version / sqlite3 --version", 1.8);
            }
            None => println!("howdah --version: no sqlite3 command to compare with"),
        }
    }

    /// A tick with 1,000 coordinators of which none is due.
    fn idle_tick(&self) {
        let database = self.database("idle");
        copy_coordinators(&database, 1_000);
        let ours = || tick(&database);
        match program("sqlite3") {
            Some(sqlite3) => {
                let count =
                    "SELECT count(*) FROM coordinator_action WHERE status IN ('WAITING','READY','SUBMITTED','RUNNING')";
                let theirs = || run(Command::new(&sqlite3).arg(&database).arg(count));
                Pairs::measure(PAIRS, ours, theirs)
                    .report("idle tick, 1,000 coordinators / sqlite3 counts open actions", 1.2);
            }
            None => println!("idle tick: no sqlite3 command to compare with"),
        }
    }

    /// A tick with 100,000 WAITING actions, each blocked on a path of its own below one of so many folders.
    fn blocked_actions(&self, folders: usize, bound: f64) {
        let database = self.database(&format!("blocked{folders}"));
        let folder = |n: usize| self.folder.join(format!("in{folders}/{:04}", n % folders));
        let paths: Vec<String> = (0..100_000).map(|n| format!("{}/{n}", folder(n).display())).collect();
        for n in 0..folders {
            fs::create_dir_all(folder(n)).expect("a folder");
        }
        insert_waiting(&database, &paths);
        let ours = || tick(&database);
        let stat = || {
            timed(|| {
                let missing = paths.iter().filter(|path| fs::metadata(path).is_err()).count();
                assert_eq!(missing, paths.len());
            })
        };
        let what = format!("tick, 100,000 actions blocked below {folders} folders / stat of each path");
        Pairs::measure(PAIRS, ours, stat).report(&what, bound);
    }

    /// Storing the actions of one materialization.
    fn storing(&self) {
        let times: Vec<i64> = (0..100_000).map(|n| NOW_SECONDS + n * 60).collect();
        let number = Cell::new(0);
        let fresh = || {
            number.set(number.get() + 1);
            let database = self.database(&format!("storing{}", number.get()));
            insert_waiting(&database, &[]);
            database
        };
        let ours = || howdah_internals::store_actions(&fresh(), &times);
        let pairs = Pairs::measure(7, ours, || bare_insert(&fresh(), &times));
        pairs.report("storing 100,000 actions / bare prepared insert of the rows", 2.0);
    }

    /// The same idle tick with a thousand and with a million finished actions in the file.
    fn history(&self) {
        let small = self.database("thousand");
        insert_finished(&small, 1_000);
        let large = self.database("million");
        insert_finished(&large, 1_000_000);
        let pairs = Pairs::measure(PAIRS, || tick(&large), || tick(&small));
        pairs.report("idle tick with 1,000,000 finished actions / with 1,000", 1.1);
    }

    fn database(&self, name: &str) -> PathBuf {
        waiting::database(&self.folder, name)
    }
}

fn tick(database: &Path) -> Duration {
    run(howdah().args(["--now", NOW, "--db"]).arg(database).arg("tick"))
}

/// The wall time of a command that must succeed.
fn run(command: &mut Command) -> Duration {
    measure::run(command, &[0])
}

/// Copies the one coordinator of a database until there are `count`.
fn copy_coordinators(database: &Path, count: i64) {
    let connection = Connection::open(database).expect("the database opens");
    let columns: Vec<String> = connection
        .prepare("SELECT name FROM pragma_table_info('coordinator_job') WHERE name NOT IN ('job', 'id')")
        .expect("columns")
        .query_map([], |row| row.get(0))
        .expect("columns")
        .map(|name| name.expect("a name"))
        .collect();
    let columns = columns.join(", ");
    connection.execute_batch("BEGIN").expect("a transaction");
    for n in 1..count {
        let sql = format!(
            "INSERT INTO coordinator_job (job, id, {columns}) SELECT ?1, 'copy-' || ?1 || '-C', {columns} FROM \
             coordinator_job WHERE job = 1"
        );
        connection.execute(&sql, [n + 1]).expect("a copy");
        connection
            .execute(
                "INSERT INTO coordinator_definition SELECT ?1, version, created_at, definition, configuration, \
                      includes FROM coordinator_definition WHERE job = 1",
                [n + 1],
            )
            .expect("a copy");
    }
    connection.execute_batch("COMMIT").expect("a commit");
}

fn insert_finished(database: &Path, count: i64) {
    let connection = Connection::open(database).expect("the database opens");
    let sql = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
        INSERT INTO coordinator_action (job, number, nominal_at, created_at, modified_at, status, definition_version, \
        timeout_minutes)
        SELECT 1, n, ?2 - 60 * n, ?2, ?2, 'SUCCEEDED', 1, -1 FROM n";
    connection.execute(sql, [count, NOW_SECONDS]).expect("actions");
    connection.execute("INSERT INTO coordinator_count VALUES (1, 'SUCCEEDED', ?1)", [count]).expect("a count");
}

/// The same rows as `store_actions` writes, by a bare prepared insert in one transaction.
fn bare_insert(database: &Path, times: &[i64]) -> Duration {
    let connection = Connection::open(database).expect("the database opens");
    connection.execute_batch("PRAGMA synchronous = FULL").expect("a pragma");
    let sql =
        "INSERT INTO coordinator_action (job, number, nominal_at, created_at, modified_at, status, definition_version,
        timeout_minutes) VALUES (1, ?1, ?2, ?3, ?3, 'WAITING', 1, -1)";
    timed(|| {
        connection.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
        let mut statement = connection.prepare(sql).expect("a statement");
        for (number, time) in (1_i64..).zip(times) {
            statement.execute(params![number, time, NOW_SECONDS]).expect("an action");
        }
        connection.execute_batch("COMMIT").expect("a commit");
    })
}
