//! The state machine of a coordinator job (coordinator specification 6.1.2).
//!
//! Two questions: which status follows from the actions ([`from_actions`]), and which from an event ([`transition`]).
//! Must not depend on the database, the clock or the actions themselves.

use crate::model::status::{ActionStatus, CoordinatorStatus};

/// How many actions of a job are in each status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActionCounts([u64; ActionStatus::ALL.len()]);

impl ActionCounts {
    /// Sets the number of actions in a status.
    pub(crate) fn set(&mut self, status: ActionStatus, count: u64) {
        self.0[status as usize] = count;
    }

    /// The number of actions in a status.
    pub(crate) fn of(&self, status: ActionStatus) -> u64 {
        self.0[status as usize]
    }

    /// The number of actions in any of the statuses.
    pub(crate) fn sum(&self, statuses: &[ActionStatus]) -> u64 {
        statuses.iter().map(|status| self.of(*status)).sum()
    }

    /// The number of actions that count for the job's status: all but the IGNORED ones.
    pub(crate) fn counted(&self) -> u64 {
        self.0.iter().sum::<u64>() - self.of(ActionStatus::Ignored)
    }

    /// Whether an action ended badly (KILLED, FAILED or TIMEDOUT).
    pub(crate) fn any_error(&self) -> bool {
        self.sum(&[ActionStatus::Killed, ActionStatus::Failed, ActionStatus::TimedOut]) > 0
    }
}

/// Returns the status that a job has because of its actions (the first row that matches wins).
///
/// A job that has ended keeps its status whatever happens to its actions: only a command reopens it.
///
/// `pending`: a command is still in progress for at least one action; it prevents SUSPENDED. Oozie applies commands
/// later, howdah in the transaction that receives them: the engine never sets it.
pub(crate) fn from_actions(
    job: CoordinatorStatus,
    done_materialization: bool,
    pending: bool,
    actions: &ActionCounts,
) -> CoordinatorStatus {
    use CoordinatorStatus as S;
    if job.is_terminal() {
        return job;
    }
    if let Some(end) = done_materialization.then(|| terminal(actions)).flatten() {
        return end;
    }
    let with_error = |plain, error| if actions.any_error() { error } else { plain };
    match job {
        S::Paused | S::PausedWithError => with_error(S::Paused, S::PausedWithError),
        S::Suspended | S::SuspendedWithError => with_error(S::Suspended, S::SuspendedWithError),
        S::Running | S::RunningWithError => {
            let held = if pending { None } else { done_materialization.then(|| suspended(actions)).flatten() };
            held.unwrap_or_else(|| with_error(S::Running, S::RunningWithError))
        }
        S::Prep
        | S::PrepPaused
        | S::PrepSuspended
        | S::Succeeded
        | S::DoneWithError
        | S::Killed
        | S::Failed
        | S::Ignored => job,
    }
}

/// Rows 2 to 5 of the table, for a job that gets no further actions: every action has ended.
fn terminal(actions: &ActionCounts) -> Option<CoordinatorStatus> {
    use ActionStatus as A;
    use CoordinatorStatus as S;
    let total = actions.counted();
    if total != actions.sum(&[A::Succeeded, A::Failed, A::Killed, A::TimedOut, A::Skipped]) {
        return None;
    }
    Some(if total == actions.sum(&[A::Succeeded, A::Skipped]) {
        S::Succeeded
    } else if total == actions.of(A::Killed) {
        S::Killed
    } else if total == actions.of(A::Failed) {
        S::Failed
    } else {
        S::DoneWithError
    })
}

/// Rows 9 and 10: the actions that have not ended are suspended.
fn suspended(actions: &ActionCounts) -> Option<CoordinatorStatus> {
    use ActionStatus as A;
    if actions.of(A::Suspended) == 0 {
        return None;
    }
    let total = actions.counted();
    let well = actions.sum(&[A::Suspended, A::Succeeded]);
    if total == well {
        Some(CoordinatorStatus::Suspended)
    } else if total == well + actions.sum(&[A::Killed, A::Failed, A::TimedOut]) {
        Some(CoordinatorStatus::SuspendedWithError)
    } else {
        None
    }
}

/// What can happen to a coordinator job as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobEvent {
    /// The first materialization run.
    Materialized,
    /// Materialization met an error from which it cannot recover.
    MaterializationFailed,
    /// The operator's `suspend`.
    Suspend,
    /// The operator's `resume`.
    Resume,
    /// The operator's `kill`.
    Kill,
    /// The pause time has come.
    PauseTimeReached,
    /// The pause time was reset or lies ahead again.
    PauseTimeGone,
    /// The operator reruns actions.
    Rerun,
    /// The operator moves the end time to or before the start.
    EndedBeforeStart,
    /// The operator moves the end time, and it is after the start.
    EndTimeMoved,
    /// The operator changes the status to RUNNING.
    Reopened,
    /// The operator changes the status to IGNORED.
    Ignored,
}

impl JobEvent {
    /// Every event, for the table of transitions.
    #[cfg(test)]
    pub(crate) const ALL: &[Self] = &[
        Self::Materialized,
        Self::MaterializationFailed,
        Self::Suspend,
        Self::Resume,
        Self::Kill,
        Self::PauseTimeReached,
        Self::PauseTimeGone,
        Self::Rerun,
        Self::EndedBeforeStart,
        Self::EndTimeMoved,
        Self::Reopened,
        Self::Ignored,
    ];
}

/// Returns the status after an event; `None` when the event has no effect in that status.
pub(crate) fn transition(from: CoordinatorStatus, event: JobEvent) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match event {
        JobEvent::Materialized => (from == S::Prep).then_some(S::Running),
        JobEvent::MaterializationFailed => {
            matches!(from, S::Prep | S::Running | S::RunningWithError).then_some(S::Failed)
        }
        JobEvent::Kill => (!from.is_terminal()).then_some(S::Killed),
        JobEvent::Suspend => suspend(from),
        JobEvent::Resume => resume(from),
        JobEvent::PauseTimeReached => pause(from),
        JobEvent::PauseTimeGone => unpause(from),
        JobEvent::Rerun => rerun(from),
        JobEvent::EndedBeforeStart => matches!(from, S::Prep | S::Running).then_some(S::Succeeded),
        JobEvent::EndTimeMoved => revive(from),
        JobEvent::Reopened => matches!(from, S::Failed | S::Killed | S::Ignored).then_some(S::Running),
        JobEvent::Ignored => matches!(from, S::Failed | S::Killed).then_some(S::Ignored),
    }
}

fn suspend(from: CoordinatorStatus) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match from {
        S::Prep | S::PrepPaused => Some(S::PrepSuspended),
        S::Running | S::Paused => Some(S::Suspended),
        S::RunningWithError | S::PausedWithError => Some(S::SuspendedWithError),
        // Again: actions that run nevertheless are to be suspended too.
        S::PrepSuspended | S::Suspended | S::SuspendedWithError => Some(from),
        S::Succeeded | S::DoneWithError | S::Killed | S::Failed | S::Ignored => None,
    }
}

fn resume(from: CoordinatorStatus) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match from {
        S::PrepSuspended => Some(S::Prep),
        S::Suspended => Some(S::Running),
        S::SuspendedWithError => Some(S::RunningWithError),
        S::Prep
        | S::PrepPaused
        | S::Running
        | S::RunningWithError
        | S::Paused
        | S::PausedWithError
        | S::Succeeded
        | S::DoneWithError
        | S::Killed
        | S::Failed
        | S::Ignored => None,
    }
}

fn pause(from: CoordinatorStatus) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match from {
        S::Prep => Some(S::PrepPaused),
        S::Running => Some(S::Paused),
        S::RunningWithError => Some(S::PausedWithError),
        S::PrepSuspended
        | S::PrepPaused
        | S::Suspended
        | S::SuspendedWithError
        | S::Paused
        | S::PausedWithError
        | S::Succeeded
        | S::DoneWithError
        | S::Killed
        | S::Failed
        | S::Ignored => None,
    }
}

fn unpause(from: CoordinatorStatus) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match from {
        S::PrepPaused => Some(S::Prep),
        S::Paused => Some(S::Running),
        S::PausedWithError => Some(S::RunningWithError),
        S::Prep
        | S::PrepSuspended
        | S::Running
        | S::RunningWithError
        | S::Suspended
        | S::SuspendedWithError
        | S::Succeeded
        | S::DoneWithError
        | S::Killed
        | S::Failed
        | S::Ignored => None,
    }
}

/// A rerun resumes a suspended job; a paused one stays paused. KILLED and FAILED jobs have no rerun (decision C11).
fn rerun(from: CoordinatorStatus) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match from {
        S::Running | S::Suspended | S::Succeeded => Some(S::Running),
        S::RunningWithError | S::SuspendedWithError | S::DoneWithError => Some(S::RunningWithError),
        S::Paused | S::PausedWithError => Some(from),
        S::Prep | S::PrepSuspended | S::PrepPaused | S::Killed | S::Failed | S::Ignored => None,
    }
}

/// A job that gets more time continues, unless it was killed or ignored.
fn revive(from: CoordinatorStatus) -> Option<CoordinatorStatus> {
    use CoordinatorStatus as S;
    match from {
        S::Succeeded => Some(S::Running),
        S::DoneWithError | S::Failed => Some(S::RunningWithError),
        S::Killed | S::Ignored => None,
        S::Prep
        | S::PrepSuspended
        | S::PrepPaused
        | S::Running
        | S::RunningWithError
        | S::Suspended
        | S::SuspendedWithError
        | S::Paused
        | S::PausedWithError => Some(from),
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
        for from in CoordinatorStatus::ALL {
            writeln!(text, "{from}").unwrap();
            for event in JobEvent::ALL {
                let to = transition(*from, *event).map_or("-", CoordinatorStatus::as_str);
                writeln!(text, "    {:<22} {to}", format!("{event:?}")).unwrap();
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn an_empty_job_that_is_done_has_succeeded() {
        let none = ActionCounts::default();
        assert_eq!(from_actions(CoordinatorStatus::Running, true, false, &none), CoordinatorStatus::Succeeded);
        assert_eq!(from_actions(CoordinatorStatus::Running, false, false, &none), CoordinatorStatus::Running);
    }
}
