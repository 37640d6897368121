//! What a suspension does to nodes that are just starting: when the verb returns, none can begin any more.
//!
//! The transaction that suspends a job keeps the runner from starting more of its nodes. Those that it had stored
//! before are taken back here, by their claims, or have begun; the runner sees the claim and lets the node wait. A
//! runner that finds an attempt of a suspended job that no shim has begun does the same, so a verb that dies in between
//! leaves nothing behind.

use std::path::Path;

use crate::engine::Engine;
use crate::error::Result;
use crate::executor::{self, Place};
use crate::host::attempt;
use crate::model::row::Attempt;
use crate::store::Snapshot;

/// Takes back the attempts of suspended workflow jobs that no shim has begun, and waits for the commands of those that
/// a shim has begun just now. Answers what an operator should know; one sentence each.
///
/// # Errors
/// A failure of the database.
pub(crate) fn recall_starts(engine: &Engine) -> Result<Vec<String>> {
    let open = engine.store.read(Snapshot::attempts_of_suspended_jobs)?;
    let mut notes = Vec::new();
    let mut begun = Vec::new();
    for row in &open {
        let folder = Path::new(&row.directory);
        match recall(folder) {
            Ok(Recall::AtWork) => {}
            Ok(Recall::Done) => {
                notes.push(format!("{} had not begun; it begins when its job is resumed", name(engine, row)?));
            }
            Ok(Recall::Begun) => begun.push(folder),
            Err(error) => {
                let name = name(engine, row)?;
                notes.push(format!("{name} may still begin, for its folder cannot be used: {error}"));
            }
        }
    }
    if !attempt::await_beginnings(&begun) {
        notes.push("a node that began just before is still being prepared; its command may start later".to_owned());
    }
    Ok(notes)
}

/// What became of a recall.
enum Recall {
    /// The attempt never begins.
    Done,
    /// A shim has claimed it.
    Begun,
    /// It is at work on a cluster.
    AtWork,
}

fn recall(folder: &Path) -> Result<Recall> {
    // What a cluster has is at work, also while it waits in the queue.
    if executor::place_of(folder)? != Place::Here && attempt::cluster_job(folder)?.is_some() {
        return Ok(Recall::AtWork);
    }
    Ok(if attempt::recall(folder)? { Recall::Done } else { Recall::Begun })
}

/// The node of an attempt as an operator names it.
fn name(engine: &Engine, row: &Attempt) -> Result<String> {
    let job = engine.store.read(|snapshot| snapshot.workflow_job_at(row.job))?;
    Ok(format!("{}@{}", job.map(|job| job.id.to_string()).unwrap_or_default(), row.node))
}
