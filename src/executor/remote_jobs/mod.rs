//! The jobs that a vendor's launcher starts on a cluster: known by what the launcher prints, ended with the action, and
//! asked how they ended where the launcher's exit status does not say it.
//!
//! Follows the workflow specification, section 3.2.1.2: an action runs elsewhere and its end is learnt. What is known
//! of the cluster is decided with the action and kept in the attempt; the shim does the rest beside the launcher. Knows
//! no type of action.

pub(crate) mod cluster;
mod counters;
mod ids;
mod kill;
mod state;
mod watch;

use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::launch::Program;
use crate::executor::context::ActionContext;
use crate::executor::note::note;
use crate::executor::remote_jobs::cluster::Elsewhere;
use crate::host::attempt;
use crate::host::command::{self, CommandLine, WorkOutcome};
use crate::host::processes::Signal;
use state::{Jobs, Launcher, Settled};
use watch::Watch;

pub(super) use crate::executor::remote_jobs::cluster::FinalState;

/// Between two looks at what the launcher has printed.
const LOOK: Duration = Duration::from_millis(500);

impl Elsewhere {
    /// Jobs on YARN, whose launcher waits for them and ends as they do.
    pub(super) fn on_yarn(context: &ActionContext<'_>) -> Self {
        let yarn = Program::beside("yarn", "hadoop", context).path;
        Self { yarn, spark: None, end: FinalState::Launcher }
    }
}

/// Follows what a launcher starts, which `launch` runs to its end in the attempt `folder`: the ids of its jobs are in
/// the attempt's report while it runs, a kill ends them too, and the outcome is theirs. Those that a failed launcher
/// may have left at work are ended as well. `line` is the launcher.
pub(super) fn run(
    elsewhere: &Elsewhere,
    line: &CommandLine,
    folder: &Path,
    launch: impl FnOnce() -> WorkOutcome,
) -> WorkOutcome {
    let (outcome, mut watch) = watched(folder, launch);
    let settled = match outcome {
        WorkOutcome::Failed { .. } => return outcome,
        _ if attempt::is_kill_requested(folder) => Settled { outcome, jobs: Jobs::PerhapsAtWork },
        _ => {
            // Told before the wait, which may be long.
            let _ = watch.report.write(folder);
            state::settle(elsewhere, outcome, &mut watch, Launcher { line, folder })
        }
    };
    // First of all, and whatever came of the rest: a retry must not find them at work.
    let is_killed = attempt::is_kill_requested(folder);
    if is_killed || settled.jobs == Jobs::PerhapsAtWork {
        if !is_killed && !watch.report.jobs.is_empty() {
            note(folder, "the launcher did not end well: what it may have left at work on the cluster is ended");
        }
        kill::all(elsewhere, &watch.report.jobs, line, folder);
    }
    match watch.report.write(folder) {
        _ if is_killed => WorkOutcome::Signaled(Signal::Terminate.number()),
        Err(error) => command::failed(&error.to_string()),
        Ok(()) => settled.outcome,
    }
}

/// Runs the launcher while a thread reads its output as it grows.
fn watched(folder: &Path, launch: impl FnOnce() -> WorkOutcome) -> (WorkOutcome, Watch) {
    let (running, ended) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let watch = move || {
            let mut watch = Watch::new(folder);
            while ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if watch.look() {
                    // Only tells while it runs; what counts is written at the end.
                    let _ = watch.report.write(folder);
                }
            }
            watch.finish();
            watch
        };
        let watcher = thread::Builder::new().spawn_scoped(scope, watch);
        let outcome = launch();
        drop(running);
        let watch = if let Ok(watcher) = watcher {
            watcher.join().unwrap_or_else(|panic| resume_unwind(panic))
        } else {
            // There was no thread to be had: what it would have read while the launcher ran is read now.
            let mut watch = Watch::new(folder);
            watch.finish();
            watch
        };
        (outcome, watch)
    })
}

#[cfg(test)]
mod tests;
