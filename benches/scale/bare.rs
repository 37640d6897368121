//! What a tick had to do, observed once and then done again without howdah: as many durable transactions that leave the
//! same rows behind, and a look at the same paths.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use crate::howdah;
use crate::measure::{run, timed};

/// Bytes before the first frame of a write-ahead log, and of the head of a frame.
const LOG_HEAD: usize = 32;
const FRAME_HEAD: usize = 24;

/// What has to be done.
pub(crate) struct Needed {
    pub(crate) commits: usize,
    rows: Vec<Row>,
    paths: Vec<PathBuf>,
}

/// A row that is written, with its statement.
struct Row {
    sql: String,
    values: Vec<Value>,
}

impl Needed {
    /// Observes what `work` does to a copy of `database`, which nobody else uses.
    pub(crate) fn observe(database: &Path, paths: Vec<PathBuf>, work: impl FnOnce(&Path)) -> Self {
        let changed = copy(database);
        let connection = Connection::open(&changed).expect("the copy opens");
        // Whoever reads keeps the log as it is until it was looked at.
        connection.execute_batch("BEGIN; SELECT count(*) FROM birth").expect("the copy can be read");
        work(&changed);
        let log = fs::read(changed.with_extension("db-wal")).expect("the copy has a log");
        connection.execute_batch("COMMIT").expect("the end of reading");
        connection.execute("ATTACH ?1 AS old", [database.to_string_lossy()]).expect("the original opens");
        let tables = texts(&connection, "SELECT name FROM main.sqlite_schema WHERE type = 'table'");
        let rows = tables.iter().flat_map(|table| new_rows(&connection, table)).collect();
        Self { commits: commits(&log), rows, paths }
    }

    /// How many rows of which tables are written.
    pub(crate) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// Does it to a copy of `database`; the time from opening to closing it.
    pub(crate) fn repeat(&self, database: &Path) -> Duration {
        let copy = copy(database);
        timed(|| {
            let connection = Connection::open(&copy).expect("the copy opens");
            // What the rows refer to is not looked up: some come before what they refer to.
            connection.execute_batch("PRAGMA synchronous = FULL; PRAGMA foreign_keys = OFF").expect("pragmas");
            let there = self.paths.iter().filter(|path| fs::metadata(path).is_ok()).count();
            assert_eq!(there, self.paths.len());
            for number in 0..self.commits {
                connection.execute_batch("BEGIN IMMEDIATE").expect("a transaction");
                for row in self.rows.iter().skip(number).step_by(self.commits) {
                    let mut statement = connection.prepare_cached(&row.sql).expect("a statement");
                    statement.execute(params_from_iter(&row.values)).expect("a row");
                }
                connection.execute_batch("COMMIT").expect("a commit");
            }
        })
    }
}

/// Copies a database that is closed, and says that the copy is the one to be used; nothing of it waits to be written.
pub(crate) fn copy(database: &Path) -> PathBuf {
    let copy = database.with_file_name("copy.db");
    for extension in ["db-wal", "db-shm"] {
        let _ = fs::remove_file(copy.with_extension(extension));
    }
    fs::copy(database, &copy).expect("room for a copy");
    run(howdah(&copy).args(["db", "here"]), &[0]);
    fs::File::open(&copy).and_then(|file| file.sync_all()).expect("the copy is on the disk");
    copy
}

/// How many transactions a log holds: the frames that tell the size of the database end one each.
fn commits(log: &[u8]) -> usize {
    let page = u32::from_be_bytes(log[8..12].try_into().expect("four bytes")) as usize;
    log[LOG_HEAD..].chunks_exact(FRAME_HEAD + page).filter(|frame| frame[4..8] != [0; 4]).count()
}

/// The rows of a table that are not in the original, or not like this.
fn new_rows(connection: &Connection, table: &str) -> Vec<Row> {
    let columns = texts(connection, &format!("SELECT name FROM pragma_table_info('{table}')"));
    let keys = texts(connection, &format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0"));
    let marks = vec!["?"; columns.len()].join(", ");
    let updates: Vec<String> =
        columns.iter().filter(|name| !keys.contains(name)).map(|name| format!("{name} = excluded.{name}")).collect();
    let sql = format!(
        "INSERT INTO {table} ({}) VALUES ({marks}) ON CONFLICT ({}) DO UPDATE SET {}",
        columns.join(", "),
        keys.join(", "),
        updates.join(", ")
    );
    let differing = format!("SELECT * FROM main.{table} EXCEPT SELECT * FROM old.{table}");
    let mut statement = connection.prepare(&differing).expect("a comparison");
    let values = |row: &rusqlite::Row<'_>| (0..columns.len()).map(|index| row.get(index)).collect();
    let rows = statement.query_map([], values).expect("rows");
    rows.map(|values| Row { sql: sql.clone(), values: values.expect("a row") }).collect()
}

fn texts(connection: &Connection, sql: &str) -> Vec<String> {
    let mut statement = connection.prepare(sql).expect("a statement");
    let texts = statement.query_map([], |row| row.get(0)).expect("texts");
    texts.map(|text| text.expect("a text")).collect()
}
