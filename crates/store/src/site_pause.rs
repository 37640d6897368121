//! Table `site_pause`: whether all jobs are paused.

use super::row::{execute_row, query_one, query_rows, table_row};
use super::{Snapshot, Transaction};
use howdah_words::error::Result;
use howdah_words::model::row::{Event, SitePause};

table_row! { SitePause { at, actor } }

impl Snapshot {
    /// Returns since when all jobs are paused, and by whom; `None` when they are not.
    pub fn site_pause(&self) -> Result<Option<SitePause>> {
        self.run(|connection| query_one(connection, "SELECT * FROM site_pause", []))
    }

    /// Returns the events of all jobs together, oldest first.
    pub fn events_of_site(&self) -> Result<Vec<Event>> {
        let sql = "SELECT * FROM event INDEXED BY event_of_site
            WHERE coordinator_job IS NULL AND workflow_job IS NULL AND bundle_job IS NULL ORDER BY event";
        self.run(|connection| query_rows(connection, sql, []))
    }
}

impl Transaction<'_> {
    /// Records that all jobs are paused, or are not.
    pub fn set_site_pause(&self, pause: Option<&SitePause>) -> Result<()> {
        self.run(|connection| {
            connection.prepare_cached("DELETE FROM site_pause")?.execute([])?;
            let Some(pause) = pause else { return Ok(()) };
            let sql = "INSERT INTO site_pause (site_pause, at, actor) VALUES (1, :at, :actor)";
            execute_row(connection, sql, pause, &[]).map(drop)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOW, fresh};
    use super::*;

    #[test]
    fn the_pause_is_the_one_recorded_last() {
        let (_folder, mut store) = fresh();
        assert_eq!(store.read(Snapshot::site_pause).unwrap(), None);
        let pause = SitePause { at: NOW, actor: "ann".to_owned() };
        for expect in [Some(&pause), Some(&SitePause { at: NOW + 1, ..pause.clone() }), None] {
            store.transact(|transaction| transaction.set_site_pause(expect)).unwrap();
            assert_eq!(store.read(Snapshot::site_pause).unwrap().as_ref(), expect);
        }
    }
}
