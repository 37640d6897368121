//! The state machine of a bundle job's status.
//!
//! Two questions: which status follows from its coordinators ([`from_coordinators`]), and which from an event
//! ([`transition`]). Must not depend on the database, the clock or the coordinators themselves. The specification of
//! coordinators has no chapter on bundles; decisions W33 and W34 settle what Oozie's answers leave open.

use howdah_words::model::job_status::{Ends, JobHold, JobStatus};

/// The coordinators of a bundle as far as its status needs them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coordinators {
    /// Those that were submitted and count: all but the IGNORED ones.
    submitted: Vec<JobStatus>,
    /// How many could not be submitted.
    pub refused: u32,
    /// How many are still to be submitted.
    pub outstanding: u32,
}

impl Coordinators {
    /// Counts another coordinator in a status.
    pub fn add(&mut self, status: JobStatus) {
        if status != JobStatus::Ignored {
            self.submitted.push(status);
        }
    }

    fn any(&self, of: impl Fn(JobStatus) -> bool) -> bool {
        self.submitted.iter().any(|status| of(*status))
    }

    /// Whether every coordinator was submitted and is in such a status.
    fn all(&self, of: impl Fn(JobStatus) -> bool) -> bool {
        self.outstanding == 0 && self.submitted.iter().all(|status| of(*status))
    }

    fn count(&self, of: impl Fn(JobStatus) -> bool) -> u64 {
        self.submitted.iter().map(|status| u64::from(of(*status))).sum()
    }
}

/// The status a bundle has because of its coordinators (the first rule that matches wins). `own`: what holds the bundle
/// by itself, whatever its coordinators do.
///
/// A KILLED bundle stays KILLED: its coordinators are killed one after the other, and this must not set it to RUNNING
/// meanwhile. A bundle with a coordinator that could not be submitted is FAILED. Any other finished bundle follows a
/// coordinator that is opened again.
pub fn from_coordinators(job: JobStatus, own: JobHold, coordinators: &Coordinators) -> JobStatus {
    use JobStatus as B;
    if job.is_before_start() || job == B::Killed {
        return job;
    }
    if coordinators.refused > 0 {
        return B::Failed;
    }
    if coordinators.all(JobStatus::is_terminal) {
        return ended(coordinators);
    }
    let hold = if own == JobHold::Free { common_hold(coordinators) } else { own };
    // An error of a coordinator that is held shows when the bundle is held too.
    let shows =
        |status: JobStatus| status.went_wrong() && (hold != JobHold::Free || status.is_free() || status.is_terminal());
    B::Running { hold, with_error: coordinators.any(shows) }
}

fn ended(coordinators: &Coordinators) -> JobStatus {
    use JobStatus as C;
    let [succeeded, killed, failed] =
        [C::SUCCEEDED, C::Killed, C::Failed].map(|end| coordinators.count(|status| status == end));
    Ends { total: coordinators.count(|_| true), succeeded, killed, failed }.status()
}

/// What holds all coordinators: all are paused, or all that have not ended are suspended.
fn common_hold(coordinators: &Coordinators) -> JobHold {
    use JobStatus as C;
    if coordinators.all(|status| matches!(status, C::Running { hold: JobHold::Paused, .. })) {
        JobHold::Paused
    } else if coordinators
        .all(|status| status.is_terminal() || matches!(status, C::Running { hold: JobHold::Suspended, .. }))
    {
        JobHold::Suspended
    } else {
        JobHold::Free
    }
}

/// The events of a bundle job as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEvent {
    /// Its coordinators were submitted.
    KickedOff,
    /// One of its coordinators could not be submitted.
    SubmissionFailed,
    /// The operator's `suspend`.
    Suspend,
    /// The operator's `resume`.
    Resume,
    /// The operator's `kill`.
    Kill,
    /// The pause time is reached.
    PauseTimeReached,
    /// The pause time was reset or is in the future again.
    PauseTimeGone,
    /// The operator's `rerun` of coordinators.
    Rerun,
}

impl JobEvent {
    /// Every event, for the table of transitions.
    #[cfg(test)]
    const ALL: &[Self] = &[
        Self::KickedOff,
        Self::SubmissionFailed,
        Self::Suspend,
        Self::Resume,
        Self::Kill,
        Self::PauseTimeReached,
        Self::PauseTimeGone,
        Self::Rerun,
    ];
}

/// The status after an event, or `None` when the event has no effect in that status.
pub fn transition(from: JobStatus, event: JobEvent) -> Option<JobStatus> {
    match event {
        JobEvent::KickedOff => from.start(),
        JobEvent::SubmissionFailed => (from == JobStatus::PREP).then_some(JobStatus::Failed),
        JobEvent::Kill => from.kill(),
        // Unlike a coordinator, a suspended bundle is not suspended again.
        JobEvent::Suspend => from.suspend(),
        JobEvent::Resume => from.resume(),
        JobEvent::PauseTimeReached => from.pause(),
        JobEvent::PauseTimeGone => from.unpause(),
        // Unlike a coordinator, a paused bundle goes on. What was killed or failed is not run again (decision W34).
        JobEvent::Rerun => from.rerun(),
    }
}

#[cfg(test)]
mod tests;
