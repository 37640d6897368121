//! The state machine of a workflow job.
//!
//! Must not depend on why an event happened or what follows from it; the status of single nodes is `action_state`.

use std::fmt;

use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::status::WorkflowStatus;

/// What can happen to a workflow job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEvent {
    /// A user, a coordinator action or a parent workflow starts it.
    Start,
    /// A user suspends it, a node to suspend at was reached, or a node needs an operator.
    Suspend,
    /// A user resumes it.
    Resume,
    /// A user kills it.
    Kill,
    /// The end node was reached.
    ReachEnd,
    /// A kill node was reached.
    ReachKill,
    /// A node failed, or the graph could not be followed.
    Fail,
    /// A user reruns it.
    Rerun,
}

/// An event that the status does not allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a workflow job in status {from} cannot {event}")]
pub struct IllegalJobTransition {
    pub from: WorkflowStatus,
    pub event: JobEvent,
}

impl JobEvent {
    /// Every event.
    #[cfg(test)]
    pub const ALL: &[Self] = &[
        Self::Start,
        Self::Suspend,
        Self::Resume,
        Self::Kill,
        Self::ReachEnd,
        Self::ReachKill,
        Self::Fail,
        Self::Rerun,
    ];
}

impl fmt::Display for JobEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Start => "start",
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Kill => "be killed",
            Self::ReachEnd => "reach its end",
            Self::ReachKill => "reach a kill node",
            Self::Fail => "fail",
            Self::Rerun => "rerun",
        })
    }
}

/// Returns the status after `event`; an error when the status does not allow it.
pub const fn transition(from: WorkflowStatus, event: JobEvent) -> Result<WorkflowStatus, IllegalJobTransition> {
    use JobEvent as E;
    use WorkflowStatus as S;
    Ok(match (from, event) {
        (S::Prep, E::Start) | (S::Suspended, E::Resume) => S::Running,
        (S::Running, E::Suspend) => S::Suspended,
        (S::Running, E::ReachEnd) => S::Succeeded,
        (S::Prep | S::Running | S::Suspended, E::Kill) | (S::Running, E::ReachKill) => S::Killed,
        // A kill of a FAILED job changes nothing and is not an error.
        (S::Running, E::Fail) | (S::Failed, E::Kill) => S::Failed,
        (S::Succeeded | S::Killed | S::Failed, E::Rerun) => S::Prep,
        (S::Prep, E::Suspend | E::Resume | E::ReachEnd | E::ReachKill | E::Fail | E::Rerun)
        | (S::Running, E::Start | E::Resume | E::Rerun)
        | (S::Suspended, E::Start | E::Suspend | E::ReachEnd | E::ReachKill | E::Fail | E::Rerun)
        | (
            S::Succeeded | S::Killed,
            E::Start | E::Suspend | E::Resume | E::Kill | E::ReachEnd | E::ReachKill | E::Fail,
        )
        | (S::Failed, E::Start | E::Suspend | E::Resume | E::ReachEnd | E::ReachKill | E::Fail) => {
            return Err(IllegalJobTransition { from, event });
        }
    })
}

impl IllegalJobTransition {
    /// Returns the refusal with Oozie's message, for the job `job`.
    pub fn refusal(self, job: &dyn fmt::Display) -> Error {
        match self.event {
            JobEvent::Start if self.from == WorkflowStatus::Running => Error::new(ErrorCode::E0801, job),
            JobEvent::Suspend => Error::with(ErrorCode::E0727, &[job, &self.from]),
            JobEvent::Kill => Error::new(ErrorCode::E0725, format!("{job} is {}", self.from)),
            JobEvent::Rerun => Error::new(ErrorCode::E0805, self.from),
            JobEvent::Start | JobEvent::Resume => Error::new(ErrorCode::E1100, format!("{job}: {self}")),
            JobEvent::ReachEnd | JobEvent::ReachKill | JobEvent::Fail => Error::new(ErrorCode::E0716, self.from),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn the_whole_matrix() {
        let mut matrix = String::new();
        for from in WorkflowStatus::ALL {
            for event in JobEvent::ALL {
                let answer = match transition(*from, *event) {
                    Ok(to) => to.to_string(),
                    Err(illegal) => format!("- {}", illegal.refusal(&"JOB")),
                };
                writeln!(matrix, "{from:<9} {event:<17} -> {answer}").expect("writing to a String");
            }
        }
        insta::assert_snapshot!(matrix);
    }
}
