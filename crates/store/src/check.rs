//! The checks of `db check`: damage that SQLite finds, and rows that contradict each other.
//!
//! Each finding is a sentence for the user; nothing is repaired here.

use rusqlite::Connection;

use super::{Snapshot, Store};
use crate::column::Columns as _;
use howdah_words::error::Result;

/// The most findings of each kind; a badly damaged file is not listed page by page.
const MOST: usize = 100;

/// Howdah's own invariants: each statement returns one column, `finding`, per row that violates it.
const INVARIANTS: &[&str] = &[
    include_str!("sql/check/counts.sql"),
    include_str!("sql/check/numbers.sql"),
    include_str!("sql/check/ranges.sql"),
    include_str!("sql/check/attempts.sql"),
    include_str!("sql/check/birth.sql"),
];

impl Store {
    /// Checks for damage and for rows that contradict each other; returns one finding per element, none if there are no
    /// problems.
    pub fn check(&self) -> Result<Vec<String>> {
        self.read(findings)
    }
}

/// All findings; none if there are no problems.
pub(super) fn findings(snapshot: &Snapshot) -> Result<Vec<String>> {
    snapshot.run(|connection| {
        // Statuses and similar columns have CHECK conditions, which the integrity check evaluates for every row.
        let mut findings = texts(connection, &format!("PRAGMA integrity_check({MOST})"))?;
        findings.retain(|finding| finding != "ok");
        if findings.is_empty() {
            findings.extend(orphans(connection)?);
            for sql in INVARIANTS {
                findings.extend(texts(connection, sql)?);
            }
        }
        Ok(findings)
    })
}

fn texts(connection: &Connection, sql: &str) -> rusqlite::Result<Vec<String>> {
    connection.prepare(sql)?.query_map([], |row| row.column(0))?.take(MOST).collect()
}

fn orphans(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let rows = statement.query_map([], |row| {
        let (table, parent): (String, String) = (row.column("table")?, row.column("parent")?);
        Ok(format!("a row of {table} refers to a row of {parent} that does not exist"))
    })?;
    rows.take(MOST).collect()
}
