//! The state machine of a coordinator job (coordinator specification 6.1.2).
//!
//! Two questions: which status follows from the actions ([`from_actions`]), and which from an event ([`transition`]).
//! Must not depend on the database, the clock or the actions themselves.

use howdah_words::model::job_status::{Ends, JobHold, JobStatus};
use howdah_words::model::status::ActionStatus;

/// How many actions of a job are in each status.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActionCounts([u64; ActionStatus::ALL.len()]);

impl ActionCounts {
    /// Sets the number of actions in a status.
    pub fn set(&mut self, status: ActionStatus, count: u64) {
        self.0[status as usize] = count;
    }

    /// The number of actions in a status.
    pub fn of(&self, status: ActionStatus) -> u64 {
        self.0[status as usize]
    }

    /// The number of actions in any of the statuses.
    pub fn sum(&self, statuses: &[ActionStatus]) -> u64 {
        statuses.iter().map(|status| self.of(*status)).sum()
    }

    /// The number of actions that count for the job's status: all but the IGNORED ones.
    pub fn counted(&self) -> u64 {
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
pub fn from_actions(job: JobStatus, done_materialization: bool, pending: bool, actions: &ActionCounts) -> JobStatus {
    if job.is_terminal() {
        return job;
    }
    if done_materialization && all_ended(actions) {
        return ended(actions);
    }
    let JobStatus::Running { mut hold, .. } = job else { return job };
    if hold == JobHold::Free && done_materialization && !pending && all_suspended(actions) {
        hold = JobHold::Suspended;
    }
    JobStatus::Running { hold, with_error: actions.any_error() }
}

fn all_ended(actions: &ActionCounts) -> bool {
    use ActionStatus as A;
    actions.counted() == actions.sum(&[A::Succeeded, A::Failed, A::Killed, A::TimedOut, A::Skipped])
}

/// Rows 2 to 5 of the table, for a job that gets no further actions: every action has ended.
fn ended(actions: &ActionCounts) -> JobStatus {
    use ActionStatus as A;
    let succeeded = actions.sum(&[A::Succeeded, A::Skipped]);
    let [killed, failed] = [A::Killed, A::Failed].map(|status| actions.of(status));
    Ends { total: actions.counted(), succeeded, killed, failed }.status()
}

/// Rows 9 and 10: every action that has not ended is suspended. A SKIPPED one keeps the job RUNNING.
fn all_suspended(actions: &ActionCounts) -> bool {
    use ActionStatus as A;
    actions.of(A::Suspended) > 0
        && actions.counted() == actions.sum(&[A::Suspended, A::Succeeded, A::Killed, A::Failed, A::TimedOut])
}

/// What can happen to a coordinator job as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobEvent {
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
    pub const ALL: &[Self] = &[
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
pub fn transition(from: JobStatus, event: JobEvent) -> Option<JobStatus> {
    use JobStatus as S;
    match event {
        JobEvent::Materialized => from.start(),
        JobEvent::MaterializationFailed => from.is_free().then_some(S::Failed),
        JobEvent::Kill => from.kill(),
        // Unlike a bundle, a suspended coordinator is suspended again: actions of it may run nevertheless.
        JobEvent::Suspend => from.suspend().or_else(|| from.is_suspended().then_some(from)),
        JobEvent::Resume => from.resume(),
        JobEvent::PauseTimeReached => from.pause(),
        JobEvent::PauseTimeGone => from.unpause(),
        // Unlike a bundle, a paused coordinator stays paused. What was killed or failed has no rerun (decision C11).
        JobEvent::Rerun => from.rerun().map(|to| if from.is_paused() { from } else { to }),
        JobEvent::EndedBeforeStart => matches!(from, S::PREP | S::RUNNING).then_some(S::SUCCEEDED),
        JobEvent::EndTimeMoved => revive(from),
        JobEvent::Reopened => matches!(from, S::Failed | S::Killed | S::Ignored).then_some(S::RUNNING),
        JobEvent::Ignored => matches!(from, S::Failed | S::Killed).then_some(S::Ignored),
    }
}

/// A job that has more time than before goes on, unless it was killed or ignored.
const fn revive(from: JobStatus) -> Option<JobStatus> {
    use JobStatus as S;
    match from {
        S::Prep { .. } | S::Running { .. } => Some(from),
        S::Done { with_error } => Some(S::Running { hold: JobHold::Free, with_error }),
        S::Failed => Some(S::Running { hold: JobHold::Free, with_error: true }),
        S::Killed | S::Ignored => None,
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
        for from in JobStatus::ALL {
            writeln!(text, "{from}").unwrap();
            for event in JobEvent::ALL {
                let to = transition(*from, *event).map_or("-", JobStatus::as_str);
                writeln!(text, "    {:<22} {to}", format!("{event:?}")).unwrap();
            }
        }
        insta::assert_snapshot!(text);
    }

    #[test]
    fn an_empty_job_that_is_done_has_succeeded() {
        let none = ActionCounts::default();
        assert_eq!(from_actions(JobStatus::RUNNING, true, false, &none), JobStatus::SUCCEEDED);
        assert_eq!(from_actions(JobStatus::RUNNING, false, false, &none), JobStatus::RUNNING);
    }
}
