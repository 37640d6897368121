//! Handles a cluster that ends a shim: SIGTERM to the shim requests the end of the attempt.
//!
//! On one machine only the processes of the command are signalled, and the shim continues: it ends what the command has
//! started elsewhere and writes the outcome. A cluster signals the shim as well (the job was cancelled, or its time is
//! over) and soon kills it; this module lets the shim run until then. Must not depend on a type of action.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use crate::note::note;
use howdah_host::command::WorkOutcome;
use howdah_host::processes::Signal;
use howdah_host::termination::Termination;
use howdah_host::{attempt, clock, variables};

/// Between SIGTERM and SIGKILL to the command: by default the cluster allows 30 s for this and the next steps.
const GRACE: Duration = Duration::from_secs(5);
/// How much later than the command the supervisor may get the signal: a cluster signals one after the other.
const SIGNALS_APART: Duration = Duration::from_secs(1);
/// The code of work that the cluster ended.
const ENDED_BY_CLUSTER: &str = "JA017";

/// Receives the cluster's request to end this shim, if no process here has requested it before.
#[derive(Debug)]
pub(super) struct Requests(Receiver<()>);

/// Treats SIGTERM from now on as a request to end the attempt in `folder`, which this process has claimed.
pub(super) fn watch_signals(folder: &Path) -> Requests {
    let (by_cluster, requests) = mpsc::channel();
    match Termination::watch() {
        Ok(termination) => {
            let own = folder.to_owned();
            let started = thread::Builder::new().spawn(move || end(termination, &own, by_cluster));
            if let Err(error) = started {
                note(folder, &format!("a signal to this supervisor does nothing: {error}"));
            }
        }
        Err(error) => note(folder, &format!("a signal to this supervisor ends it without an outcome: {error}")),
    }
    Requests(requests)
}

fn end(mut termination: Termination, folder: &Path, by_cluster: Sender<()>) {
    if termination.wait().is_err() {
        return;
    }
    if !attempt::is_kill_requested(folder) {
        // It has no effect when the work is already over.
        let _ = by_cluster.send(());
        note(folder, &format!("{}; its command is ended", reason(variables::cluster_job_number().as_deref())));
    }
    drop(by_cluster);
    for signal in [Signal::Terminate, Signal::Kill] {
        if let Err(error) = attempt::end_own(folder, signal) {
            note(folder, &format!("the request to end cannot be written down: {error}"));
        }
        clock::pause(GRACE);
    }
}

impl Requests {
    /// Returns the outcome of work that ended with `outcome`: work that the cluster ended differs from work that
    /// failed, and is never a success. A command that gets the signal may end with 0 (a script goes on behind the
    /// program that was ended, a driver stops in order) with half of its output.
    pub(super) fn outcome(&self, outcome: WorkOutcome) -> WorkOutcome {
        if self.0.recv_timeout(SIGNALS_APART).is_err() {
            return outcome;
        }
        WorkOutcome::Failed {
            code: ENDED_BY_CLUSTER.to_owned(),
            message: reason(variables::cluster_job_number().as_deref()),
        }
    }
}

fn reason(job: Option<&str>) -> String {
    let (job, asked) = match job {
        Some(job) => (format!("Slurm job {job}"), format!("scontrol show job {job}")),
        None => ("the Slurm job".to_owned(), "scontrol show job".to_owned()),
    };
    format!("{job} was ended by the cluster (cancelled, preempted or out of time: [{asked}] says which)")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(by_cluster: bool, outcome: WorkOutcome, expect: &str) {
        let (sender, requests) = mpsc::channel();
        if by_cluster {
            sender.send(()).unwrap();
        }
        drop(sender);
        let requests = Requests(requests);
        let got = match requests.outcome(outcome) {
            WorkOutcome::Failed { code, .. } => code,
            other => format!("{other:?}"),
        };
        assert_eq!(got, expect);
    }

    #[test]
    fn work_that_the_cluster_ended_is_lost_whatever_its_exit_status() {
        check(false, WorkOutcome::Signaled(15), "Signaled(15)");
        check(true, WorkOutcome::Signaled(15), "JA017");
        check(true, WorkOutcome::Exited(143), "JA017");
        check(true, WorkOutcome::Exited(0), "JA017");
        check(false, WorkOutcome::Exited(0), "Exited(0)");
        check(false, WorkOutcome::Exited(1), "Exited(1)");
    }

    #[test]
    fn the_message_names_the_command_with_the_reason() {
        assert_eq!(
            reason(Some("7")),
            "Slurm job 7 was ended by the cluster (cancelled, preempted or out of time: [scontrol show job 7] says which)"
        );
    }
}
