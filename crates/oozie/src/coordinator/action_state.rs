//! The state machine of a coordinator action (coordinator specification 6.1.3.2).
//!
//! Must not depend on the database, the clock or the job's other actions.

use howdah_words::model::status::ActionStatus;

/// What can happen to a coordinator action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionEvent {
    /// All inputs exist.
    InputsReady,
    /// The timeout ran out while inputs were missing.
    TimedOut,
    /// The execution strategy skips the action.
    Skipped,
    /// The concurrency allows another running action; the workflow job is about to be created.
    SlotFree,
    /// The workflow job exists and is running.
    WorkflowStarted,
    /// The start or the evaluation of the final configuration failed.
    StartFailed,
    /// The workflow job was suspended.
    WorkflowSuspended,
    /// The workflow job was resumed.
    WorkflowResumed,
    /// The workflow job succeeded.
    WorkflowSucceeded,
    /// The workflow job was killed.
    WorkflowKilled,
    /// The workflow job failed.
    WorkflowFailed,
    /// The operator kills the action.
    Kill,
    /// The operator kills the job.
    JobKilled,
    /// The operator reruns the action.
    Rerun,
    /// The operator reruns the action's workflow job.
    WorkflowRerun,
    /// The operator ignores the action.
    Ignore,
}

impl ActionEvent {
    /// Every event, for the table of transitions.
    #[cfg(test)]
    pub const ALL: &[Self] = &[
        Self::InputsReady,
        Self::TimedOut,
        Self::Skipped,
        Self::SlotFree,
        Self::WorkflowStarted,
        Self::StartFailed,
        Self::WorkflowSuspended,
        Self::WorkflowResumed,
        Self::WorkflowSucceeded,
        Self::WorkflowKilled,
        Self::WorkflowFailed,
        Self::Kill,
        Self::JobKilled,
        Self::Rerun,
        Self::WorkflowRerun,
        Self::Ignore,
    ];
}

/// Returns the status after an event; `None` when the event has no effect in that status.
pub fn transition(from: ActionStatus, event: ActionEvent) -> Option<ActionStatus> {
    match from {
        ActionStatus::Waiting => from_waiting(event),
        ActionStatus::Ready => from_ready(event),
        ActionStatus::Submitted => from_submitted(event),
        ActionStatus::Running | ActionStatus::Suspended => from_started(from, event),
        ActionStatus::Skipped => from_skipped(event),
        ActionStatus::TimedOut | ActionStatus::Killed | ActionStatus::Failed => from_ended_badly(event),
        ActionStatus::Succeeded | ActionStatus::Ignored => from_ended(event),
    }
}

fn from_waiting(event: ActionEvent) -> Option<ActionStatus> {
    match event {
        ActionEvent::InputsReady => Some(ActionStatus::Ready),
        ActionEvent::TimedOut => Some(ActionStatus::TimedOut),
        ActionEvent::Skipped => Some(ActionStatus::Skipped),
        ActionEvent::StartFailed => Some(ActionStatus::Failed),
        ActionEvent::Kill | ActionEvent::JobKilled => Some(ActionStatus::Killed),
        ActionEvent::SlotFree
        | ActionEvent::WorkflowStarted
        | ActionEvent::WorkflowSuspended
        | ActionEvent::WorkflowResumed
        | ActionEvent::WorkflowSucceeded
        | ActionEvent::WorkflowKilled
        | ActionEvent::WorkflowFailed
        | ActionEvent::Rerun
        | ActionEvent::WorkflowRerun
        | ActionEvent::Ignore => None,
    }
}

fn from_ready(event: ActionEvent) -> Option<ActionStatus> {
    match event {
        ActionEvent::SlotFree => Some(ActionStatus::Submitted),
        ActionEvent::Skipped => Some(ActionStatus::Skipped),
        ActionEvent::Kill | ActionEvent::JobKilled => Some(ActionStatus::Killed),
        ActionEvent::InputsReady
        | ActionEvent::TimedOut
        | ActionEvent::StartFailed
        | ActionEvent::WorkflowStarted
        | ActionEvent::WorkflowSuspended
        | ActionEvent::WorkflowResumed
        | ActionEvent::WorkflowSucceeded
        | ActionEvent::WorkflowKilled
        | ActionEvent::WorkflowFailed
        | ActionEvent::Rerun
        | ActionEvent::WorkflowRerun
        | ActionEvent::Ignore => None,
    }
}

fn from_submitted(event: ActionEvent) -> Option<ActionStatus> {
    match event {
        ActionEvent::WorkflowStarted => Some(ActionStatus::Running),
        ActionEvent::StartFailed => Some(ActionStatus::Failed),
        ActionEvent::Kill | ActionEvent::JobKilled => Some(ActionStatus::Killed),
        ActionEvent::InputsReady
        | ActionEvent::TimedOut
        | ActionEvent::Skipped
        | ActionEvent::SlotFree
        | ActionEvent::WorkflowSuspended
        | ActionEvent::WorkflowResumed
        | ActionEvent::WorkflowSucceeded
        | ActionEvent::WorkflowKilled
        | ActionEvent::WorkflowFailed
        | ActionEvent::Rerun
        | ActionEvent::WorkflowRerun
        | ActionEvent::Ignore => None,
    }
}

/// RUNNING and SUSPENDED: the action mirrors its workflow job.
fn from_started(from: ActionStatus, event: ActionEvent) -> Option<ActionStatus> {
    match event {
        ActionEvent::WorkflowSuspended => (from == ActionStatus::Running).then_some(ActionStatus::Suspended),
        ActionEvent::WorkflowResumed => (from == ActionStatus::Suspended).then_some(ActionStatus::Running),
        ActionEvent::WorkflowSucceeded => Some(ActionStatus::Succeeded),
        ActionEvent::WorkflowKilled | ActionEvent::Kill | ActionEvent::JobKilled => Some(ActionStatus::Killed),
        ActionEvent::WorkflowFailed => Some(ActionStatus::Failed),
        ActionEvent::InputsReady
        | ActionEvent::TimedOut
        | ActionEvent::Skipped
        | ActionEvent::SlotFree
        | ActionEvent::WorkflowStarted
        | ActionEvent::StartFailed
        | ActionEvent::Rerun
        | ActionEvent::WorkflowRerun
        | ActionEvent::Ignore => None,
    }
}

/// A SKIPPED action has not run; killing the job kills it too.
fn from_skipped(event: ActionEvent) -> Option<ActionStatus> {
    match event {
        ActionEvent::JobKilled => Some(ActionStatus::Killed),
        ActionEvent::Rerun => Some(ActionStatus::Waiting),
        _ => None,
    }
}

/// TIMEDOUT, KILLED and FAILED.
fn from_ended_badly(event: ActionEvent) -> Option<ActionStatus> {
    if event == ActionEvent::Ignore { Some(ActionStatus::Ignored) } else { from_ended(event) }
}

/// Only a rerun, of the action or of its workflow job, reopens an action that has ended.
fn from_ended(event: ActionEvent) -> Option<ActionStatus> {
    match event {
        ActionEvent::Rerun => Some(ActionStatus::Waiting),
        ActionEvent::WorkflowRerun => Some(ActionStatus::Running),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;

    /// Every status by every event; `-` where the event has no effect.
    #[test]
    fn matrix() {
        let mut text = String::new();
        for from in ActionStatus::ALL {
            writeln!(text, "{from}").unwrap();
            for event in ActionEvent::ALL {
                let to = transition(*from, *event).map_or("-", ActionStatus::as_str);
                writeln!(text, "    {:<18} {to}", format!("{event:?}")).unwrap();
            }
        }
        insta::assert_snapshot!(text);
    }
}
