//! Declares that a database is used here from now on, after it was used elsewhere.
//!
//! Commands that were started there may still run: this machine cannot see them, counts them as lost, and a node with
//! retries starts again beside them. So they are listed before.

use std::path::Path;

use crate::Engine;
use crate::copy_check::{self, Place};
use howdah_host::attempt::{self, AttemptState};
use howdah_words::error::Result;
use howdah_words::model::row::Attempt;
use howdah_words::model::time::Timestamp;

/// A command that may still run where the database was used before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftBehind {
    /// The workflow job and its node, `JOB@NODE`.
    pub id: String,
    pub attempt: u32,
    /// When it was prepared.
    pub since: Timestamp,
    /// The number of its process there, if it had begun.
    pub pid: Option<i32>,
}

/// Returns what may still run elsewhere; nothing when the database was used here.
///
/// # Errors
/// H0110 when its file cannot be read, or a failure of the database.
pub fn left_behind(engine: &Engine) -> Result<Vec<LeftBehind>> {
    if !matches!(copy_check::look(engine)?, Place::Elsewhere(_)) {
        return Ok(Vec::new());
    }
    engine.store.read(|snapshot| {
        let mut left = Vec::new();
        for row in snapshot.open_attempts()? {
            if may_run_elsewhere(&row) {
                let job = snapshot.workflow_job_at(row.job)?;
                let id = job.map(|job| format!("{}@{}", job.id, row.node)).unwrap_or_default();
                let pid = attempt::holder_of(Path::new(&row.directory));
                left.push(LeftBehind { id, attempt: row.number, since: row.created_at, pid });
            }
        }
        Ok(left)
    })
}

/// Whether nothing here shows that the attempt is over, or alive here. What runs on a cluster is found from anywhere.
fn may_run_elsewhere(row: &Attempt) -> bool {
    let folder = Path::new(&row.directory);
    let is_on_cluster = attempt::cluster_job(folder).is_ok_and(|job| job.is_some());
    !is_on_cluster
        && matches!(attempt::state(folder), Ok(AttemptState::Lost { .. } | AttemptState::OutOfSight(_)) | Err(_))
}
