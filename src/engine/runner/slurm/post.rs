//! What is remembered of one attempt on the cluster. Losing it loses nothing. Must not depend on the other attempts.

use std::time::Duration;

use crate::engine::runner::observation::{Look, Whereabouts};
use crate::host::call::Call;
use crate::host::clock::Pace;
use crate::host::slurm::Job;

/// How long shared storage may take to show what was written on another machine.
const STORAGE_GRACE: Duration = Duration::from_secs(5);

/// What is remembered of one attempt.
#[derive(Debug)]
pub(super) struct Post {
    pub(super) options: Vec<String>,
    /// The user that its jobs belong to.
    pub(super) user: u32,
    /// The number under which it was sent.
    pub(super) job: Option<String>,
    pub(super) sending: Option<Call>,
    /// Whether it waits because enough others are on their way.
    pub(super) waits: bool,
    /// How often a job of its own ended before its shim began.
    pub(super) starts: u32,
    /// The last question for the queue that was asked before something was sent: its answer says nothing of it.
    pub(super) stale: u64,
    /// The answer of the queue after which the folder was looked at last.
    pub(super) looked: u64,
    /// Marked when no job of it was found at work any more.
    pub(super) vanished: Option<Pace>,
    /// What was last told of it.
    pub(super) told: Option<Whereabouts>,
    pub(super) ending: Option<Ending>,
}

/// How far an attempt is ended that was told to.
#[derive(Debug, Default)]
pub(super) struct Ending {
    /// The call, and whether one went well since the attempt was last told.
    pub(super) call: Option<Call>,
    pub(super) done: bool,
}

impl Post {
    /// Tells where the job stands, when that is news.
    pub(super) fn tell(&mut self, job: &Job) -> Look {
        let whereabouts = Whereabouts { id: job.id.clone(), status: job.state_with_reason() };
        if self.told.as_ref() == Some(&whereabouts) {
            return Look::Going;
        }
        self.told = Some(whereabouts.clone());
        Look::Elsewhere(whereabouts)
    }
}

/// What the cluster last said of a job, as the beginning of a sentence.
pub(super) fn last_words(job: Option<&Job>, post: &Post) -> String {
    match (job, &post.job) {
        (Some(job), _) => format!("Slurm job {} is {}", job.id, job.state_with_reason()),
        (None, Some(id)) => format!("Slurm no longer knows job {id}"),
        (None, None) => "Slurm has no job of it".to_owned(),
    }
}

/// The time from which shared storage is given to show what was written elsewhere.
pub(super) fn marked() -> Pace {
    let mut pace = Pace::new(STORAGE_GRACE);
    pace.mark();
    pace
}
