//! The state of one attempt on the cluster that this process caches. Must not depend on other attempts.

use std::time::Duration;

use crate::runner::observation::{ClusterState, Observation};
use howdah_host::call::Call;
use howdah_host::clock::Pace;
use howdah_host::slurm::Job;

/// The time that shared storage may take to show what another machine wrote, where nothing says that it wrote anything.
pub(super) const STORAGE_GRACE: Duration = Duration::from_secs(5);

/// The cached state of one attempt.
#[derive(Debug)]
pub(super) struct SlurmAttempt {
    pub(super) options: Vec<String>,
    /// The user that its jobs belong to.
    pub(super) user: u32,
    /// The number of its Slurm job.
    pub(super) job: Option<String>,
    pub(super) sending: Option<Call>,
    /// Whether it waits because enough other submissions are running.
    pub(super) waits: bool,
    /// How often one of its jobs ended before its shim started.
    pub(super) starts: u32,
    /// The last query of the queue before the last submission: its answer cannot contain the new job.
    pub(super) stale: u64,
    /// The answer of the queue after which the folder was last read.
    pub(super) checked: u64,
    /// Runs since no active job of it was found.
    pub(super) vanished: Option<Pace>,
    /// The state that was last reported.
    pub(super) reported: Option<ClusterState>,
    pub(super) ending: Option<Ending>,
}

/// The progress of ending an attempt.
#[derive(Debug, Default)]
pub(super) struct Ending {
    pub(super) call: Option<Call>,
    /// Whether a call succeeded since the last request.
    pub(super) done: bool,
}

impl SlurmAttempt {
    /// Returns the state of the job when it is another one than the last reported.
    pub(super) fn report(&mut self, job: &Job) -> Observation {
        let state = ClusterState { id: job.id.clone(), status: job.state_with_reason() };
        if self.reported.as_ref() == Some(&state) {
            return Observation::Unchanged;
        }
        self.reported = Some(state.clone());
        Observation::OnCluster(state)
    }

    /// Like [`Self::report`], of a job that is COMPLETED and whose outcome cannot be read yet.
    pub(super) fn report_awaited(&mut self, job: &Job, wait: Duration) -> Observation {
        let minutes = wait.as_secs().div_ceil(60);
        let reason = format!("its outcome cannot be read here yet; it has {minutes} minutes");
        self.report(&Job { reason, ..job.clone() })
    }
}

/// Returns what the cluster last reported about a job, as the start of a sentence.
pub(super) fn last_report(job: Option<&Job>, attempt: &SlurmAttempt) -> String {
    match (job, &attempt.job) {
        (Some(job), _) => format!("Slurm job {} is {}", job.id, job.state_with_reason()),
        (None, Some(id)) => format!("Slurm no longer knows job {id}"),
        (None, None) => "Slurm has no job of it".to_owned(),
    }
}

/// Starts the time that shared storage gets to show what another machine wrote.
pub(super) fn started(wait: Duration) -> Pace {
    let mut pace = Pace::new(wait);
    pace.mark();
    pace
}
