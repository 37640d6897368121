//! Deletes texts to which no row refers any more.
//!
//! There are no reference counts: one query searches every column that can refer to a text. It must not miss such a
//! column; a test of the schema checks this.

use super::super::{Snapshot, Store};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::row::DocumentKey;

/// Texts that are deleted in one transaction.
const AT_ONCE: usize = 5_000;

/// The column `document` of every text to which a row refers.
const REFERENCED: &str = include_str!("../sql/purge/referenced_documents.sql");

impl Snapshot {
    fn unreferenced_documents(&self) -> Result<Vec<DocumentKey>> {
        let sql = format!("SELECT document FROM document WHERE document NOT IN ({REFERENCED})");
        self.run(|connection| connection.prepare(&sql)?.query_map([], |row| row.column(0))?.collect())
    }
}

impl Store {
    /// Deletes the texts to which no row refers, and returns their number. Calls `pause` between two transactions.
    pub fn purge_documents(&mut self, mut pause: impl FnMut()) -> Result<u64> {
        let version = self.data_version()?;
        let documents = self.read(Snapshot::unreferenced_documents)?;
        // No index finds the rows that refer to a text, so SQLite would read every table for each deleted text.
        self.set_foreign_keys(false)?;
        let deleted = documents.chunks(AT_ONCE).try_fold(0, |deleted, documents| {
            let number = self.delete_unreferenced(documents, version)?;
            pause();
            Ok(deleted + number)
        });
        self.set_foreign_keys(true)?;
        deleted
    }

    /// Deletes those of the documents that are still unreferenced. If no other connection has written since `version`,
    /// all are, and the query is not repeated.
    pub(super) fn delete_unreferenced(&mut self, documents: &[DocumentKey], version: i64) -> Result<u64> {
        let keys: Vec<i64> = documents.iter().map(|document| document.0).collect();
        let keys = serde_json::to_string(&keys).expect("numbers become JSON");
        self.transact(|transaction| {
            transaction.run(|connection| {
                let now: i64 = connection.pragma_query_value(None, "data_version", |row| row.column(0))?;
                let named = if now == version { "SELECT NULL" } else { REFERENCED };
                let sql = format!(
                    "DELETE FROM document WHERE document IN (
                        SELECT value FROM json_each(?1) EXCEPT SELECT * FROM ({named}))"
                );
                Ok(connection.execute(&sql, params![&keys])? as u64)
            })
        })
    }

    fn set_foreign_keys(&self, on: bool) -> Result<()> {
        self.file.run(|connection| connection.pragma_update(None, "foreign_keys", on))
    }
}
