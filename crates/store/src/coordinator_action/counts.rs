//! Table `coordinator_count`: how many actions of a job have a status.

use rusqlite::Connection;

use crate::column::params;
use howdah_words::model::row::CoordinatorKey;
use howdah_words::model::status::ActionStatus;

/// Counts an action that has changed its status.
pub(super) fn recount(
    connection: &Connection,
    job: CoordinatorKey,
    from: ActionStatus,
    to: ActionStatus,
) -> rusqlite::Result<()> {
    if from != to {
        count(connection, job, from, -1)?;
        count(connection, job, to, 1)?;
    }
    Ok(())
}

/// Adds to the number of actions of a job that have a status.
pub(super) fn count(
    connection: &Connection,
    job: CoordinatorKey,
    status: ActionStatus,
    change: i64,
) -> rusqlite::Result<()> {
    let sql = "UPDATE coordinator_count SET count = count + ?3 WHERE job = ?1 AND status = ?2";
    if connection.prepare_cached(sql)?.execute(params![job, status, change])? == 0 {
        let sql = "INSERT INTO coordinator_count (job, status, count) VALUES (?1, ?2, ?3)";
        connection.prepare_cached(sql)?.execute(params![job, status, change])?;
    }
    Ok(())
}
