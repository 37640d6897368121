//! What an operator's commands do to a coordinator job and its actions (coordinator specification 6.1.2, 14).
//!
//! Decides from facts alone whether the statuses allow a command, which actions it means and how they and the job
//! change. Must not depend on the database, workflow jobs or the clock: the caller loads the facts and applies the
//! result. `job_state::from_actions` then computes what follows from the actions' new statuses.

pub(crate) mod change;
pub(crate) mod change_value;
pub(crate) mod ignore;
pub(crate) mod kill;
pub(crate) mod rerun;
pub(crate) mod scope;
pub(crate) mod suspend;
#[cfg(test)]
mod testing;

use std::collections::BTreeMap;

use crate::coordinator::action_state::{self, ActionEvent};
use crate::coordinator::job_state::{self, JobEvent};
use crate::error::Error;
use crate::model::status::{ActionStatus, CoordinatorStatus};
use crate::model::time::Timestamp;

/// What a command uses of a job, and what it may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobFacts {
    /// For the messages of refusals.
    pub(crate) id: String,
    pub(crate) status: CoordinatorStatus,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) pause: Option<Timestamp>,
    pub(crate) suspended: Option<Timestamp>,
    /// As in Oozie: negative is without limit.
    pub(crate) concurrency: i32,
    /// The first nominal time that is not created; `None` before the first.
    pub(crate) next: Option<Timestamp>,
    pub(crate) last_action_number: u32,
    pub(crate) done_materialization: bool,
    /// Whether an earlier command is still in progress, as in Oozie; howdah's commands complete in their own
    /// transaction, so the engine never sets it.
    pub(crate) pending: bool,
}

/// What a command uses of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ActionFacts {
    /// Starts at 1.
    pub(crate) number: u32,
    pub(crate) status: ActionStatus,
    pub(crate) nominal: Timestamp,
    pub(crate) created: Timestamp,
    /// Whether it was started before: it has a workflow job.
    pub(crate) has_run: bool,
}

/// What a command changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The job afterwards.
    pub(crate) job: JobFacts,
    /// The events that changed the job's status, in this order; none when the status is the same.
    pub(crate) job_events: Vec<JobEvent>,
    /// The actions that change, in their new state, with what happens to them.
    pub(crate) moved: Vec<(ActionFacts, ActionEvent)>,
    /// Actions that are deleted.
    pub(crate) deleted: Vec<ActionFacts>,
    /// Actions that were named and stay unchanged, because their status does not allow the command.
    pub(crate) unchanged: Vec<ActionFacts>,
}

/// Why a command changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declined {
    /// Oozie prints nothing: a note, not a failure.
    NotDone(Error),
    /// A failure.
    Refused(Error),
}

/// The result of a command.
pub(crate) type Decision = Result<Changes, Declined>;

/// How many actions a message lists by number.
const MOST_NAMED: usize = 5;

/// Groups the numbers of actions by their statuses.
pub(crate) fn by_status(actions: &[ActionFacts]) -> BTreeMap<ActionStatus, Vec<u32>> {
    let mut by_status: BTreeMap<ActionStatus, Vec<u32>> = BTreeMap::new();
    for action in actions {
        by_status.entry(action.status).or_default().push(action.number);
    }
    by_status
}

/// Lists the first actions and counts the others: `@1, @2, @3, @4, @5 and 7 more`.
pub(crate) fn named(numbers: &[u32]) -> String {
    let named = numbers.iter().take(MOST_NAMED).map(|number| format!("@{number}")).collect::<Vec<_>>().join(", ");
    match numbers.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Describes the statuses of actions: `@4 is READY; @2, @3 are RUNNING`.
fn statuses(actions: &[ActionFacts]) -> String {
    let texts = by_status(actions).into_iter().map(|(status, numbers)| {
        let are = if numbers.len() == 1 { "is" } else { "are" };
        format!("{} {are} {status}", named(&numbers))
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// Returns the advice for a job that has ended: how to reopen it.
pub(crate) fn reopen_advice(job: &str) -> String {
    format!("`howdah change {job} --status RUNNING` opens the job again")
}

impl Changes {
    /// Nothing changed so far.
    fn none(job: &JobFacts) -> Self {
        let job = job.clone();
        Self { job, job_events: Vec::new(), moved: Vec::new(), deleted: Vec::new(), unchanged: Vec::new() }
    }

    /// Applies an event to the job; `false` when it has no effect in the job's status.
    fn move_job(&mut self, event: JobEvent) -> bool {
        let Some(to) = job_state::transition(self.job.status, event) else { return false };
        if to != self.job.status {
            self.job_events.push(event);
            self.job.status = to;
        }
        true
    }

    /// Applies an event to an action; `false` when it has no effect in the action's status.
    fn move_action(&mut self, action: &ActionFacts, event: ActionEvent) -> bool {
        let Some(status) = action_state::transition(action.status, event) else { return false };
        self.moved.push((ActionFacts { status, ..*action }, event));
        true
    }

    /// Applies an event to an action, or skips the action.
    fn move_or_leave(&mut self, action: &ActionFacts, event: ActionEvent) {
        if !self.move_action(action, event) {
            self.unchanged.push(*action);
        }
    }
}
