//! What `db check` looks for: damage that SQLite finds, and rows that contradict each other.
//!
//! Each finding is a sentence for a person; repairing is not done here.

use rusqlite::Connection;

use super::Snapshot;
use crate::error::Result;

/// Findings per kind; a file in ruins is not listed page by page.
const MOST: usize = 100;

/// Our own invariants: each statement yields one column, `finding`, per row that breaks it.
const INVARIANTS: &[&str] = &[
    include_str!("sql/check/counts.sql"),
    include_str!("sql/check/numbers.sql"),
    include_str!("sql/check/attempts.sql"),
    include_str!("sql/check/birth.sql"),
];

/// All findings, none when all is well.
pub(super) fn findings(snapshot: &Snapshot) -> Result<Vec<String>> {
    snapshot.run(|connection| {
        // Statuses and the like are CHECK conditions, which the integrity check evaluates for every row.
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
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.take(MOST).collect()
}

fn orphans(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("PRAGMA foreign_key_check")?;
    let rows = statement.query_map([], |row| {
        let (table, parent): (String, String) = (row.get("table")?, row.get("parent")?);
        Ok(format!("a row of {table} refers to a row of {parent} that does not exist"))
    })?;
    rows.take(MOST).collect()
}
