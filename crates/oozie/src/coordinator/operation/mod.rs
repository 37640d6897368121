//! What an operator's commands do to a coordinator job and its actions (coordinator specification 6.1.2, 14).
//!
//! Decides from rows alone whether the statuses allow a command, which actions it means and how they and the job
//! change. Must not depend on the database, workflow jobs or the clock: the caller loads the rows and applies the
//! result. `job_state::from_actions` then computes what follows from the actions' new statuses.

pub mod change;
pub mod change_value;
pub mod ignore;
pub mod kill;
pub mod rerun;
pub mod scope;
pub mod suspend;
#[cfg(test)]
mod testing;

use std::collections::BTreeMap;

use crate::coordinator::action_state::{self, ActionEvent};
use crate::coordinator::job_state::{self, JobEvent};
use howdah_words::error::Error;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionGroup, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;

/// What a command changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changes {
    /// The job afterwards.
    pub job: CoordinatorJob,
    /// The events that changed the job's status, in this order; none when the status is the same.
    pub job_events: Vec<JobEvent>,
    /// The actions that change, in their new state, with what happens to them.
    pub moved: Vec<(CoordinatorAction, ActionEvent)>,
    /// The groups of actions that change together: they are over, or have never started.
    pub groups: Vec<(ActionGroup, ActionEvent)>,
    /// Actions that are deleted.
    pub deleted: Vec<CoordinatorAction>,
    /// Actions that were named and stay unchanged, because their status does not allow the command.
    pub unchanged: Vec<ActionGroup>,
}

/// The actions that an operator named, so that a million of them need little memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChosenGroups {
    /// Consecutive actions of one status that change together: they are over, or have never started.
    pub groups: Vec<ActionGroup>,
    /// The others: each of them has, or had, a workflow job.
    pub started: Vec<CoordinatorAction>,
}

impl ChosenGroups {
    /// Returns whether nothing is chosen.
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty() && self.started.is_empty()
    }
}

/// Why a command changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Declined {
    /// Oozie prints nothing: a note, not a failure.
    NotDone(Error),
    /// A failure.
    Refused(Error),
}

/// The result of a command.
pub type Decision = Result<Changes, Declined>;

/// How many actions a message lists by number.
const MOST_NAMED: usize = 5;

/// Groups the numbers of actions by their statuses.
pub fn by_status(groups: &[ActionGroup]) -> BTreeMap<ActionStatus, Vec<u32>> {
    let mut by_status: BTreeMap<ActionStatus, Vec<u32>> = BTreeMap::new();
    for group in groups {
        by_status.entry(group.status).or_default().extend(group.numbers());
    }
    by_status
}

/// Lists the first actions and counts the others: `@1, @2, @3, @4, @5 and 7 more`.
pub fn named(numbers: &[u32]) -> String {
    let named = numbers.iter().take(MOST_NAMED).map(|number| format!("@{number}")).collect::<Vec<_>>().join(", ");
    match numbers.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// Describes the statuses of actions: `@4 is READY; @2, @3 are RUNNING`.
fn statuses(groups: &[ActionGroup]) -> String {
    let texts = by_status(groups).into_iter().map(|(status, numbers)| {
        let are = if numbers.len() == 1 { "is" } else { "are" };
        format!("{} {are} {status}", named(&numbers))
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// Returns the advice for a job that has ended: how to reopen it.
pub fn reopen_advice(job: &JobId) -> String {
    format!("`howdah change {job} --status RUNNING` opens the job again")
}

impl Changes {
    /// Nothing changed so far.
    fn none(job: &CoordinatorJob) -> Self {
        let job = job.clone();
        let (moved, groups) = (Vec::new(), Vec::new());
        Self { job, job_events: Vec::new(), moved, groups, deleted: Vec::new(), unchanged: Vec::new() }
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
    fn move_action(&mut self, action: &CoordinatorAction, event: ActionEvent) -> bool {
        let Some(status) = action_state::transition(action.status, event) else { return false };
        self.moved.push((CoordinatorAction { status, ..action.clone() }, event));
        true
    }

    /// Applies an event to an action, or skips the action.
    fn move_or_leave(&mut self, action: &CoordinatorAction, event: ActionEvent) {
        if !self.move_action(action, event) {
            self.unchanged.push(action.group());
        }
    }

    /// Applies an event to the chosen actions, or skips those whose status does not allow it.
    fn move_chosen(&mut self, chosen: ChosenGroups, event: ActionEvent) {
        for action in &chosen.started {
            self.move_or_leave(action, event);
        }
        for group in chosen.groups {
            if action_state::transition(group.status, event).is_some() {
                self.groups.push((group, event));
            } else {
                self.unchanged.push(group);
            }
        }
    }
}
