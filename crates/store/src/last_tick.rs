//! Table `last_tick`: when a tick last ran.

use rusqlite::OptionalExtension as _;

use super::{Snapshot, Transaction};
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::time::Timestamp;

impl Snapshot {
    /// When a tick last ran, as far as it was recorded; `None` before the first.
    pub fn last_tick_at(&self) -> Result<Option<Timestamp>> {
        let sql = "SELECT at FROM last_tick";
        self.run(|connection| connection.prepare_cached(sql)?.query_row([], |row| row.column("at")).optional())
    }
}

impl Transaction<'_> {
    /// Records that a tick runs.
    pub fn set_last_tick_at(&self, at: Timestamp) -> Result<()> {
        let sql = "INSERT INTO last_tick (last_tick, at) VALUES (1, ?1) ON CONFLICT DO UPDATE SET at = excluded.at";
        self.run(|connection| connection.prepare_cached(sql)?.execute(params![at]).map(drop))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Snapshot;
    use super::super::testing::{NOW, fresh};

    #[test]
    fn the_last_tick_is_the_one_noted_last() {
        let (_folder, mut store) = fresh();
        assert_eq!(store.read(Snapshot::last_tick_at).unwrap(), None);
        for at in [NOW, NOW - 5] {
            store.transact(|transaction| transaction.set_last_tick_at(at)).unwrap();
            assert_eq!(store.read(Snapshot::last_tick_at).unwrap(), Some(at));
        }
    }
}
