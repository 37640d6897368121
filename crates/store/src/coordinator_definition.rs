//! Table `coordinator_definition`: the numbered versions of the submitted definition of a coordinator job.
//!
//! Stored verbatim; other modules parse it again when needed. Rows are never changed.

use rusqlite::types::{FromSqlError, FromSqlResult, ToSqlOutput, ValueRef};
use serde_json::{Value, json};

use super::row::{execute_row, query_one, table_row};
use super::{Snapshot, Transaction};
use crate::column::{FromColumn, ToColumn, params};
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorDefinition, CoordinatorKey, DocumentKey, Include, Includes};

table_row! { CoordinatorDefinition { job, version, created_at, definition, configuration, includes } }

impl ToColumn for Includes {
    fn to_column(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let rows = self.0.iter().map(|include| json!({"uri": include.uri, "document": include.document.0}));
        Ok(Value::Array(rows.collect()).to_string().into())
    }
}

impl FromColumn for Includes {
    fn from_column(value: ValueRef<'_>) -> FromSqlResult<Self> {
        let rows: Vec<Value> =
            serde_json::from_str(value.as_str()?).map_err(|cause| FromSqlError::Other(Box::new(cause)))?;
        rows.iter().map(include).collect::<Option<Vec<_>>>().map(Self).ok_or(FromSqlError::InvalidType)
    }
}

fn include(row: &Value) -> Option<Include> {
    let document = DocumentKey(row.get("document")?.as_i64()?);
    Some(Include { uri: row.get("uri")?.as_str()?.to_owned(), document })
}

impl Snapshot {
    /// One version of a job's definition.
    pub fn coordinator_definition(&self, job: CoordinatorKey, version: u32) -> Result<Option<CoordinatorDefinition>> {
        let sql = "SELECT * FROM coordinator_definition WHERE job = ?1 AND version = ?2";
        self.run(|connection| query_one(connection, sql, params![job, version]))
    }
}

impl Transaction<'_> {
    /// Stores a new version, and the beginnings of the URIs that it writes.
    pub fn insert_coordinator_definition(&self, definition: &CoordinatorDefinition, outputs: &[String]) -> Result<()> {
        let sql = include_str!("sql/coordinator_definition/insert.sql");
        self.run(|connection| execute_row(connection, sql, definition, &[]).map(drop))?;
        self.insert_outputs(definition.job, definition.version, outputs)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, coordinator, fresh};
    use super::*;

    #[test]
    fn a_version_reads_back_with_its_includes() {
        let (_folder, mut store) = fresh();
        let definition = store
            .transact(|transaction| {
                let document = transaction.store_document("<datasets/>")?;
                let include = Include { uri: "file:///with \"quotes\"".to_owned(), document };
                let definition = CoordinatorDefinition {
                    job: coordinator(transaction)?.job,
                    version: 2,
                    created_at: NOW,
                    definition: document,
                    configuration: document,
                    includes: Includes(vec![include]),
                };
                transaction.insert_coordinator_definition(&definition, &[])?;
                Ok(definition)
            })
            .unwrap();
        let read = |version| store.read(|snapshot| snapshot.coordinator_definition(definition.job, version)).unwrap();
        assert_eq!(read(2), Some(definition.clone()));
        assert_eq!(read(1).map(|first| first.includes), Some(Includes::default()));
        assert_eq!(read(3), None);
    }
}
