//! Stops nodes that are just starting when their job is suspended: when the verb returns, none can start any more.
//!
//! After the transaction that suspends a job, the runner starts no more of its nodes. Attempts that it had stored
//! before are claimed here, unless a shim has started them; the runner sees the claim and lets the node wait. A runner
//! that finds an attempt of a suspended job without a shim does the same, so a crash of the verb leaves nothing behind.

use std::path::Path;

use crate::Engine;
use howdah_executor::{self as executor, Place};
use howdah_host::attempt;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::Attempt;

/// Takes back the attempts of suspended workflow jobs that no shim has started, and waits for the commands of those
/// that a shim has just started. Returns notes for the operator, one sentence each.
///
/// # Errors
/// A failure of the database.
pub(crate) fn recall_starts(engine: &Engine) -> Result<Vec<String>> {
    let open = engine.store.read(Snapshot::attempts_of_suspended_jobs)?;
    let mut notes = Vec::new();
    let mut started = Vec::new();
    for row in &open {
        let folder = Path::new(&row.directory);
        match recall(folder) {
            Ok(Recall::OnCluster) => {}
            Ok(Recall::Done) => {
                notes.push(format!("{} had not started; it starts when its job is resumed", name(engine, row)?));
            }
            Ok(Recall::Started) => started.push(folder),
            Err(error) => {
                let name = name(engine, row)?;
                notes.push(format!("{name} may still start, because its folder cannot be used: {error}"));
            }
        }
    }
    if !attempt::await_beginnings(&started) {
        notes.push("a node that started just before is still being prepared; its command may start later".to_owned());
    }
    Ok(notes)
}

/// The result of a recall.
enum Recall {
    /// The attempt never starts.
    Done,
    /// A shim has claimed it.
    Started,
    /// It runs on a cluster.
    OnCluster,
}

fn recall(folder: &Path) -> Result<Recall> {
    // A job of a cluster counts as running, also while it waits in the queue.
    if executor::place_of(folder)? != Place::Here && attempt::cluster_job(folder)?.is_some() {
        return Ok(Recall::OnCluster);
    }
    Ok(if attempt::recall(folder)? { Recall::Done } else { Recall::Started })
}

/// Returns the node of an attempt as operators name it.
fn name(engine: &Engine, row: &Attempt) -> Result<String> {
    let job = engine.store.read(|snapshot| snapshot.workflow_job_at(row.job))?;
    Ok(format!("{}@{}", job.map(|job| job.id.to_string()).unwrap_or_default(), row.node))
}
