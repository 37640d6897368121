//! The state machine of one node of a workflow job.
//!
//! Must not depend on how a node's work is done, or on whether a retry is allowed (`user_retry`). The transition to the
//! next node is `step`.

use std::fmt;

use howdah_words::model::status::NodeStatus;

/// What can happen to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeEvent {
    /// Its work was started and continues without the engine.
    Launch,
    /// The job was suspended before its work began.
    Recall,
    /// The outcome of its work is known.
    Complete,
    /// The start failed for a reason that may be temporary.
    StartTransient,
    /// The start, or watching the work, failed until an operator intervenes.
    StartBlocked,
    /// Watching the work failed for a reason that may be temporary.
    CheckTransient,
    /// Processing the outcome failed for a reason that may be temporary.
    EndTransient,
    /// Processing the outcome failed until an operator intervenes.
    EndBlocked,
    /// The outcome is a success.
    Succeed,
    /// The outcome is an error for which the definition has a transition.
    Err,
    /// The outcome is an error, and the user's retry rule allows another attempt.
    UserRetry,
    /// The outcome is a failure of the whole job.
    Fail,
    /// The job ends before the node does.
    Kill,
    /// Ending the work of a killed node did not succeed.
    KillFailed,
}

/// An event that the status does not allow: a bug of the engine when it asks for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a node in status {from} cannot take the event {event}")]
pub struct IllegalNodeTransition {
    pub from: NodeStatus,
    pub event: NodeEvent,
}

impl NodeEvent {
    /// Every event.
    #[cfg(test)]
    pub const ALL: &[Self] = &[
        Self::Launch,
        Self::Recall,
        Self::Complete,
        Self::StartTransient,
        Self::StartBlocked,
        Self::CheckTransient,
        Self::EndTransient,
        Self::EndBlocked,
        Self::Succeed,
        Self::Err,
        Self::UserRetry,
        Self::Fail,
        Self::Kill,
        Self::KillFailed,
    ];
}

impl fmt::Display for NodeEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Launch => "launch",
            Self::Recall => "recall",
            Self::Complete => "complete",
            Self::StartTransient => "start-transient",
            Self::StartBlocked => "start-blocked",
            Self::CheckTransient => "check-transient",
            Self::EndTransient => "end-transient",
            Self::EndBlocked => "end-blocked",
            Self::Succeed => "succeed",
            Self::Err => "error",
            Self::UserRetry => "user-retry",
            Self::Fail => "fail",
            Self::Kill => "kill",
            Self::KillFailed => "kill-failed",
        })
    }
}

/// Returns the status after `event`; an error when the status does not allow it.
pub const fn transition(from: NodeStatus, event: NodeEvent) -> Result<NodeStatus, IllegalNodeTransition> {
    use {NodeEvent as E, NodeStatus as S};
    Ok(match (from, event) {
        (S::Prep | S::StartRetry | S::StartManual | S::UserRetry, E::Launch) | (S::Running, E::CheckTransient) => {
            S::Running
        }
        (S::Running, E::Recall) => S::Prep,
        (S::Prep | S::StartRetry | S::StartManual | S::UserRetry | S::Running, E::Complete) => S::Done,
        // RUNNING and DONE too: on one machine the attempt itself detects that its work cannot be started.
        (S::Prep | S::StartRetry | S::StartManual | S::UserRetry | S::Running | S::Done, E::StartTransient) => {
            S::StartRetry
        }
        (S::Prep | S::StartRetry | S::StartManual | S::UserRetry | S::Running | S::Done, E::StartBlocked) => {
            S::StartManual
        }
        (S::Done | S::EndRetry | S::EndManual, E::EndTransient) => S::EndRetry,
        (S::Done | S::EndRetry | S::EndManual, E::EndBlocked) => S::EndManual,
        (S::Done | S::EndRetry | S::EndManual, E::Succeed) => S::Ok,
        (S::Done | S::EndRetry | S::EndManual, E::Err) => S::Error,
        (
            S::Prep | S::StartRetry | S::StartManual | S::UserRetry | S::Running | S::Done | S::EndRetry | S::EndManual,
            E::UserRetry,
        ) => S::UserRetry,
        (
            S::Prep | S::StartRetry | S::StartManual | S::UserRetry | S::Running | S::Done | S::EndRetry | S::EndManual,
            E::Fail,
        )
        | (S::Killed, E::KillFailed) => S::Failed,
        (
            S::Prep | S::StartRetry | S::StartManual | S::UserRetry | S::Running | S::Done | S::EndRetry | S::EndManual,
            E::Kill,
        ) => S::Killed,
        (
            S::Prep | S::StartRetry | S::StartManual | S::UserRetry,
            E::Recall | E::CheckTransient | E::EndTransient | E::EndBlocked | E::Succeed | E::Err | E::KillFailed,
        )
        | (S::Running, E::Launch | E::EndTransient | E::EndBlocked | E::Succeed | E::Err | E::KillFailed)
        | (
            S::Done | S::EndRetry | S::EndManual,
            E::Launch | E::Recall | E::Complete | E::CheckTransient | E::KillFailed,
        )
        | (S::EndRetry | S::EndManual, E::StartTransient | E::StartBlocked)
        | (
            S::Ok | S::Error | S::Killed | S::Failed,
            E::Launch
            | E::Recall
            | E::Complete
            | E::StartTransient
            | E::StartBlocked
            | E::CheckTransient
            | E::EndTransient
            | E::EndBlocked
            | E::Succeed
            | E::Err
            | E::UserRetry
            | E::Fail
            | E::Kill,
        )
        | (S::Ok | S::Error | S::Failed, E::KillFailed) => return Err(IllegalNodeTransition { from, event }),
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;

    use super::*;

    #[test]
    fn the_whole_matrix() {
        let mut matrix = String::new();
        for from in NodeStatus::ALL {
            for event in NodeEvent::ALL {
                let answer = match transition(*from, *event) {
                    Ok(to) => to.to_string(),
                    Err(_) => "-".to_owned(),
                };
                writeln!(matrix, "{from:<12} {event:<15} -> {answer}").expect("writing to a String");
            }
        }
        insta::assert_snapshot!(matrix);
    }

    #[test]
    fn a_finished_node_stays_finished() {
        for from in NodeStatus::ALL.iter().filter(|status| status.is_terminal()) {
            for event in NodeEvent::ALL.iter().filter(|event| **event != NodeEvent::KillFailed) {
                assert!(transition(*from, *event).is_err(), "{from} {event}");
            }
        }
    }
}
