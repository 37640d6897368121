//! The jobs that a vendor's launcher starts on a cluster. They are found in the launcher's output, they end with the
//! action, and their state is queried where the launcher's exit status does not show it.
//!
//! Follows the workflow specification, section 3.2.1.2: an action runs elsewhere and its end is observed. The settings
//! of the cluster are stored with the attempt; the shim does the rest while the launcher runs. Must not depend on a
//! type of action.

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
use crate::context::ActionContext;
use crate::note::note;
use crate::remote_jobs::cluster::Elsewhere;
use howdah_host::attempt;
use howdah_host::command::{self, CommandLine, WorkOutcome};
use howdah_host::processes::Signal;
use state::{Jobs, Launcher, Settled};
use watch::Watch;

pub(super) use crate::remote_jobs::cluster::FinalState;

/// Time between two reads of the launcher's output.
const READ_INTERVAL: Duration = Duration::from_millis(500);

impl Elsewhere {
    /// Jobs on YARN, whose launcher waits for them and exits with their result.
    pub(super) fn on_yarn(context: &ActionContext<'_>) -> Self {
        let yarn = Program::beside("yarn", "hadoop", context).path;
        Self { yarn, spark: None, end: FinalState::Launcher }
    }
}

/// Runs a launcher with `launch` in the attempt `folder` and follows its jobs: their ids are in the attempt's report
/// while it runs, a kill ends them too, and the outcome is theirs. Jobs that a failed launcher may have left running
/// are ended as well. `line` is the launcher.
pub(super) fn run(
    elsewhere: &Elsewhere,
    line: &CommandLine,
    folder: &Path,
    launch: impl FnOnce() -> WorkOutcome,
) -> WorkOutcome {
    let (outcome, mut watch) = watched(folder, launch);
    let settled = match outcome {
        WorkOutcome::Failed { .. } => return outcome,
        _ if attempt::is_kill_requested(folder) => Settled { outcome, jobs: Jobs::MayRun },
        _ => {
            // Written before the wait, which may be long.
            let _ = watch.report.write(folder);
            state::settle(elsewhere, outcome, &mut watch, Launcher { line, folder })
        }
    };
    // This comes first, even when the rest failed: a retry must not start while they run.
    let is_killed = attempt::is_kill_requested(folder);
    if is_killed || settled.jobs == Jobs::MayRun {
        if !is_killed && !watch.report.jobs.is_empty() {
            note(folder, "the launcher failed: jobs that it may have left running on the cluster are ended");
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
            while ended.recv_timeout(READ_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                if watch.read_new() {
                    // Only for readers while it runs; the final report is written at the end.
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
            // The thread could not be started: all output is read now.
            let mut watch = Watch::new(folder);
            watch.finish();
            watch
        };
        (outcome, watch)
    })
}

#[cfg(test)]
mod tests;
