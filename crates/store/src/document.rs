//! Table `document`: texts stored verbatim, each once, found by their SHA-256.
//!
//! Must not depend on what a text is: a definition, a configuration, an included file.

use ring::digest::{SHA256, digest};
use rusqlite::OptionalExtension as _;

use super::{Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::row::DocumentKey;

impl Snapshot {
    /// Reads the text with a key.
    pub fn document(&self, key: DocumentKey) -> Result<String> {
        let sql = "SELECT text FROM document WHERE document = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.query_row(params![key], |row| row.column("text")))
    }
}

impl Transaction<'_> {
    /// Stores a text, or finds the key of the same text.
    pub fn store_document(&self, text: &str) -> Result<DocumentKey> {
        let digest = digest(&SHA256, text.as_bytes());
        let digest = digest.as_ref();
        self.run(|connection| {
            let find = "SELECT document FROM document WHERE digest = ?1";
            let found =
                connection.prepare_cached(find)?.query_row(params![digest], |row| row.column("document")).optional()?;
            if let Some(key) = found {
                return Ok(key);
            }
            let insert = "INSERT INTO document (digest, text) VALUES (?1, ?2)";
            connection.prepare_cached(insert)?.insert(params![digest, text]).map(DocumentKey)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::fresh;
    use crate::column::Columns as _;

    #[test]
    fn a_text_is_stored_once_and_verbatim() {
        let (_folder, mut store) = fresh();
        let texts = ["", "<a>\r\n  \u{e4}</a>", "<a/>"];
        for text in texts {
            let key = store.transact(|transaction| transaction.store_document(text)).unwrap();
            assert_eq!(store.transact(|transaction| transaction.store_document(text)).unwrap(), key);
            assert_eq!(store.read(|snapshot| snapshot.document(key)).unwrap(), text);
        }
        let count: i64 =
            store.file.connection.query_row("SELECT count(*) FROM document", [], |row| row.column(0)).unwrap();
        assert_eq!(count, 3);
    }
}
