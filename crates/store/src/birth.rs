//! Table `birth`: when the database was created, and the number of the next job.
//!
//! The time of creation is the middle part of every job id, as the start time of the server is in Oozie.

use rusqlite::Connection;

use super::Transaction;
use crate::column::{Columns as _, params};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::time::Timestamp;

/// The time when a database is created.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Birth {
    created_at: Timestamp,
    stamp: String,
    system: String,
}

impl Birth {
    /// The birth at `created_at` plus `milliseconds` (below 1000): the stamp in ids is `yyMMddHHmmssSSS` of UTC.
    pub fn at(created_at: Timestamp, milliseconds: u16) -> Self {
        let created = created_at.to_utc().unwrap_or_default();
        let stamp = format!("{}{:03}", created.format("%y%m%d%H%M%S"), milliseconds.min(999));
        Self { created_at, stamp, system: JobId::SYSTEM.to_owned() }
    }

    /// The same with another system, which ids have behind the stamp.
    #[must_use]
    pub fn of_system(self, system: &str) -> Self {
        Self { system: system.to_owned(), ..self }
    }

    pub(super) fn insert(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO birth (birth, created_at, stamp) VALUES (1, ?1, ?2)";
        let stamp = format!("{}-{}", self.stamp, self.system);
        connection.execute(sql, params![self.created_at, stamp]).map(drop)
    }
}

impl Transaction<'_> {
    /// A new id; all kinds of jobs share the numbers, and a number is never used twice.
    pub fn next_job_id(&self, kind: JobKind) -> Result<JobId> {
        self.run(|connection| {
            // Not RETURNING: SQLite makes a table in memory for its row, which costs ten times the two statements.
            let mut read = connection.prepare_cached("SELECT next_number, stamp FROM birth")?;
            let id = read.query_row([], |row| {
                let number: u32 = row.column("next_number")?;
                Ok(JobId::build(number.into(), &row.column::<String>("stamp")?, kind))
            })?;
            connection.prepare_cached("UPDATE birth SET next_number = next_number + 1")?.execute([])?;
            Ok(id)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stamp_is_the_time_of_birth() {
        for (seconds, milliseconds, expect) in
            [(0, 0, "700101000000000"), (1_795_167_000, 7, "261120093000007"), (1_795_167_000, 5000, "261120093000999")]
        {
            assert_eq!(Birth::at(Timestamp::from_seconds(seconds), milliseconds).stamp, expect);
        }
    }
}
