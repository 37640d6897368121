//! Table `store_failure`: the stores of files that give no answer.

use super::row::{execute_row, query_rows, table_row};
use super::{Snapshot, Transaction};
use crate::column::params;
use howdah_words::error::Result;
use howdah_words::model::row::StoreFailure;

table_row! { StoreFailure { server, since, failures, next_at, why } }

impl Snapshot {
    /// The stores that gave no answer when they were last asked, by server.
    pub fn store_failures(&self) -> Result<Vec<StoreFailure>> {
        self.run(|connection| query_rows(connection, "SELECT * FROM store_failure ORDER BY server", []))
    }
}

impl Transaction<'_> {
    /// Records that a store gave no answer.
    pub fn set_store_failure(&self, failure: &StoreFailure) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO store_failure (server, since, failures, next_at, why)
            VALUES (:server, :since, :failures, :next_at, :why)";
        self.run(|connection| execute_row(connection, sql, failure, &[]).map(drop))
    }

    /// Forgets that a store gave no answer.
    pub fn delete_store_failure(&self, server: &str) -> Result<()> {
        let sql = "DELETE FROM store_failure WHERE server = ?1";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![server]).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, fresh};
    use super::*;

    #[test]
    fn a_server_has_one_row_until_it_is_forgotten() {
        let (_folder, mut store) = fresh();
        let first = StoreFailure::again(None, "webhdfs://b", "refused", NOW);
        let second = StoreFailure::again(Some(&first), "webhdfs://b", "silent", first.next_at);
        let other = StoreFailure::again(None, "webhdfs://a", "refused", NOW);
        let rows = store.transact(|transaction| {
            for failure in [&first, &second, &other] {
                transaction.set_store_failure(failure)?;
            }
            transaction.store_failures()
        });
        assert_eq!(rows.unwrap(), [other.clone(), second]);
        store.transact(|transaction| transaction.delete_store_failure("webhdfs://b")).unwrap();
        assert_eq!(store.read(Snapshot::store_failures).unwrap(), [other]);
    }
}
