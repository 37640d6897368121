//! The state machine of a bundle job's status.
//!
//! Two questions: which status follows from its coordinators ([`from_coordinators`]), and which from an event
//! ([`transition`]). Must not depend on the database, the clock or the coordinators themselves. The specification of
//! coordinators has no chapter on bundles; decisions W33 and W34 settle what Oozie's answers leave open.

use crate::model::status::{BundleStatus, CoordinatorStatus};

/// The coordinators of a bundle as far as its status needs them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Coordinators {
    statuses: [u32; CoordinatorStatus::ALL.len()],
    /// How many could not be submitted.
    pub(crate) refused: u32,
    /// How many are still to be submitted.
    pub(crate) outstanding: u32,
}

impl Coordinators {
    /// Counts another coordinator in a status.
    pub(crate) fn add(&mut self, status: CoordinatorStatus) {
        self.statuses[status as usize] += 1;
    }

    /// The number of coordinators in any of the statuses.
    fn sum(&self, statuses: &[CoordinatorStatus]) -> u32 {
        statuses.iter().map(|status| self.statuses[*status as usize]).sum()
    }

    /// The number of coordinators that count: all but the IGNORED ones.
    fn counted(&self) -> u32 {
        let submitted: u32 = self.statuses.iter().sum();
        submitted + self.outstanding - self.sum(&[CoordinatorStatus::Ignored])
    }

    /// Whether a coordinator had an error and still runs, or is over.
    fn any_error(&self) -> bool {
        use CoordinatorStatus as C;
        self.sum(&[C::Killed, C::Failed, C::DoneWithError, C::RunningWithError]) > 0
    }

    /// Like [`Self::any_error`], including coordinators that are paused or suspended.
    fn any_error_however_held(&self) -> bool {
        use CoordinatorStatus as C;
        self.any_error() || self.sum(&[C::SuspendedWithError, C::PausedWithError]) > 0
    }
}

/// What pauses or suspends the bundle itself, whatever its coordinators do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hold {
    /// Nothing.
    Free,
    /// Its pause time is reached.
    Paused,
    /// A command.
    Suspended,
}

/// The status a bundle has because of its coordinators (the first rule that matches wins).
///
/// A KILLED bundle stays KILLED: its coordinators are killed one after the other, and this must not set it to RUNNING
/// meanwhile. A bundle with a coordinator that could not be submitted is FAILED. Any other finished bundle follows a
/// coordinator that is opened again.
pub(crate) fn from_coordinators(job: BundleStatus, hold: Hold, coordinators: &Coordinators) -> BundleStatus {
    use BundleStatus as B;
    if job.is_before_start() || job == B::Killed {
        return job;
    }
    if coordinators.refused > 0 {
        return B::Failed;
    }
    if let Some(end) = ended(coordinators) {
        return end;
    }
    let with_error = coordinators.any_error_however_held();
    match hold {
        Hold::Paused => return if with_error { B::PausedWithError } else { B::Paused },
        Hold::Suspended => return if with_error { B::SuspendedWithError } else { B::Suspended },
        Hold::Free => {}
    }
    let running = if coordinators.any_error() { B::RunningWithError } else { B::Running };
    paused(coordinators).or_else(|| suspended(coordinators)).unwrap_or(running)
}

/// All coordinators are over.
fn ended(coordinators: &Coordinators) -> Option<BundleStatus> {
    use BundleStatus as B;
    use CoordinatorStatus as C;
    let total = coordinators.counted();
    if total != coordinators.sum(&[C::Succeeded, C::Failed, C::Killed, C::DoneWithError]) {
        return None;
    }
    Some(if total == coordinators.sum(&[C::Succeeded]) {
        B::Succeeded
    } else if total == coordinators.sum(&[C::Killed]) {
        B::Killed
    } else if total == coordinators.sum(&[C::Failed]) {
        B::Failed
    } else {
        B::DoneWithError
    })
}

/// All coordinators are paused.
fn paused(coordinators: &Coordinators) -> Option<BundleStatus> {
    use CoordinatorStatus as C;
    let total = coordinators.counted();
    if total == coordinators.sum(&[C::Paused]) {
        Some(BundleStatus::Paused)
    } else if total == coordinators.sum(&[C::Paused, C::PausedWithError]) {
        Some(BundleStatus::PausedWithError)
    } else {
        None
    }
}

/// All coordinators that are not over are suspended.
fn suspended(coordinators: &Coordinators) -> Option<BundleStatus> {
    use CoordinatorStatus as C;
    let total = coordinators.counted();
    let well = coordinators.sum(&[C::Suspended, C::Succeeded]);
    if total == well {
        Some(BundleStatus::Suspended)
    } else if total == well + coordinators.sum(&[C::SuspendedWithError, C::Killed, C::Failed, C::DoneWithError]) {
        Some(BundleStatus::SuspendedWithError)
    } else {
        None
    }
}

/// The events of a bundle job as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobEvent {
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
pub(crate) fn transition(from: BundleStatus, event: JobEvent) -> Option<BundleStatus> {
    use BundleStatus as B;
    match event {
        JobEvent::KickedOff => (from == B::Prep).then_some(B::Running),
        JobEvent::SubmissionFailed => (from == B::Prep).then_some(B::Failed),
        JobEvent::Kill => (!from.is_terminal()).then_some(B::Killed),
        JobEvent::Suspend => suspend(from),
        JobEvent::Resume => resume(from),
        JobEvent::PauseTimeReached => pause(from),
        JobEvent::PauseTimeGone => unpause(from),
        JobEvent::Rerun => rerun(from),
    }
}

fn suspend(from: BundleStatus) -> Option<BundleStatus> {
    use BundleStatus as B;
    match from {
        B::Prep | B::PrepPaused => Some(B::PrepSuspended),
        B::Running | B::Paused => Some(B::Suspended),
        B::RunningWithError | B::PausedWithError => Some(B::SuspendedWithError),
        B::PrepSuspended
        | B::Suspended
        | B::SuspendedWithError
        | B::Succeeded
        | B::DoneWithError
        | B::Killed
        | B::Failed => None,
    }
}

fn resume(from: BundleStatus) -> Option<BundleStatus> {
    use BundleStatus as B;
    match from {
        B::PrepSuspended => Some(B::Prep),
        B::Suspended => Some(B::Running),
        B::SuspendedWithError => Some(B::RunningWithError),
        B::Prep
        | B::PrepPaused
        | B::Running
        | B::RunningWithError
        | B::Paused
        | B::PausedWithError
        | B::Succeeded
        | B::DoneWithError
        | B::Killed
        | B::Failed => None,
    }
}

fn pause(from: BundleStatus) -> Option<BundleStatus> {
    use BundleStatus as B;
    match from {
        B::Prep => Some(B::PrepPaused),
        B::Running => Some(B::Paused),
        B::RunningWithError => Some(B::PausedWithError),
        B::PrepSuspended
        | B::PrepPaused
        | B::Suspended
        | B::SuspendedWithError
        | B::Paused
        | B::PausedWithError
        | B::Succeeded
        | B::DoneWithError
        | B::Killed
        | B::Failed => None,
    }
}

fn unpause(from: BundleStatus) -> Option<BundleStatus> {
    use BundleStatus as B;
    match from {
        B::PrepPaused => Some(B::Prep),
        B::Paused => Some(B::Running),
        B::PausedWithError => Some(B::RunningWithError),
        B::Prep
        | B::PrepSuspended
        | B::Running
        | B::RunningWithError
        | B::Suspended
        | B::SuspendedWithError
        | B::Succeeded
        | B::DoneWithError
        | B::Killed
        | B::Failed => None,
    }
}

/// Decision W34: a bundle that never started, or was killed or failed, is not run again.
fn rerun(from: BundleStatus) -> Option<BundleStatus> {
    use BundleStatus as B;
    match from {
        B::Running | B::Paused | B::Suspended | B::Succeeded => Some(B::Running),
        B::RunningWithError | B::PausedWithError | B::SuspendedWithError | B::DoneWithError => {
            Some(B::RunningWithError)
        }
        B::Prep | B::PrepSuspended | B::PrepPaused | B::Killed | B::Failed => None,
    }
}

#[cfg(test)]
mod tests;
