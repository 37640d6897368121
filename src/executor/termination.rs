//! A shim that its cluster ends: SIGTERM to it is a request to end the attempt.
//!
//! On one machine only the processes of the command are signalled, and the shim lives on to end what the command has
//! started elsewhere and to write the outcome. A cluster signals the shim as well (it was cancelled, or its time is
//! over) and soon kills it; here it is made to live as long as it is let. Knows no type of action.

use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Duration;

use crate::executor::note::note;
use crate::host::command::WorkOutcome;
use crate::host::processes::Signal;
use crate::host::termination::Termination;
use crate::host::{attempt, clock, variables};

/// Between SIGTERM and SIGKILL to the command: by default the cluster leaves 30 s for this and for what follows.
const GRACE: Duration = Duration::from_secs(5);
/// How long the signal may reach the supervisor after it has reached the command: a cluster signals one after the
/// other.
const SIGNALS_APART: Duration = Duration::from_secs(1);
/// The code of work that was taken away.
const TAKEN_AWAY: &str = "JA017";

/// Notices when the cluster asks this shim to end and no process here has asked before.
#[derive(Debug)]
pub(super) struct Requests(Receiver<()>);

/// Takes SIGTERM from now on as a request to end the attempt in `folder`, which this process has claimed.
pub(super) fn heed(folder: &Path) -> Requests {
    let (by_cluster, requests) = mpsc::channel();
    match Termination::watch() {
        Ok(termination) => {
            let own = folder.to_owned();
            let begun = thread::Builder::new().spawn(move || end(termination, &own, by_cluster));
            if let Err(error) = begun {
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
        note(folder, &format!("{}; its command is ended", told(variables::cluster_job_number().as_deref())));
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
    /// The outcome of work that ended with `outcome`: work that the cluster took away is told from work that failed.
    pub(super) fn outcome(&self, outcome: WorkOutcome) -> WorkOutcome {
        if outcome == WorkOutcome::Exited(0) || self.0.recv_timeout(SIGNALS_APART).is_err() {
            return outcome;
        }
        WorkOutcome::Failed { code: TAKEN_AWAY.to_owned(), message: told(variables::cluster_job_number().as_deref()) }
    }
}

fn told(job: Option<&str>) -> String {
    let (job, asked) = match job {
        Some(job) => (format!("Slurm job {job}"), format!("scontrol show job {job}")),
        None => ("the Slurm job".to_owned(), "scontrol show job".to_owned()),
    };
    format!("{job} was told to end (cancelled, preempted or out of time: [{asked}] says which)")
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
    fn only_what_the_cluster_took_away_is_lost_to_it() {
        check(false, WorkOutcome::Signaled(15), "Signaled(15)");
        check(true, WorkOutcome::Signaled(15), "JA017");
        check(true, WorkOutcome::Exited(143), "JA017");
        check(true, WorkOutcome::Exited(0), "Exited(0)");
    }

    #[test]
    fn an_operator_is_told_where_to_look() {
        assert_eq!(
            told(Some("7")),
            "Slurm job 7 was told to end (cancelled, preempted or out of time: [scontrol show job 7] says which)"
        );
    }
}
