//! The events that the alerts of a site report.

use super::status::words;

words! {
    /// An event that the alerts of a site report.
    AlertEvent {
        /// An action, or a workflow job without a coordinator, failed; or a coordinator job, or a bundle, which may
        /// also be DONEWITHERROR.
        Failed = "FAILED",
        /// An action, a bundle, or a workflow job without a coordinator, was killed.
        Killed = "KILLED",
        /// The inputs of an action did not come in time.
        TimedOut = "TIMEDOUT",
        /// The failure policy suspended a coordinator, or a workflow job is suspended because a node cannot be started.
        Suspended = "SUSPENDED",
        /// The oldest open action of a coordinator is late.
        Overdue = "OVERDUE",
        /// Workflow jobs need a runner, and there was none.
        Runner = "RUNNER",
        /// After one of the others, an action succeeded.
        Recovered = "RECOVERED",
    }
}

impl AlertEvent {
    /// Returns those that a site may ask for; a recovery follows from them.
    pub fn wanted() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|event| event.is_wanted())
    }

    /// Checks whether a site may ask for it.
    pub const fn is_wanted(self) -> bool {
        !matches!(self, Self::Recovered)
    }
}
