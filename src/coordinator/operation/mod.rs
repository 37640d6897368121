//! What an operator's verbs do to a coordinator job and its actions (coordinator specification 6.1.2, 14).
//!
//! Decides over facts alone whether the statuses allow a verb, which actions it means and what becomes of them and of
//! the job. Must never know the database, workflow jobs or the clock: whoever asks loads the facts and applies the
//! answer. What then follows from the actions' new statuses is `job_state::from_actions`.

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

/// What a verb must know of a job, and what it may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JobFacts {
    /// For the words of a refusal.
    pub(crate) id: String,
    pub(crate) status: CoordinatorStatus,
    pub(crate) start: Timestamp,
    pub(crate) end: Timestamp,
    pub(crate) pause: Option<Timestamp>,
    pub(crate) suspended: Option<Timestamp>,
    /// As Oozie counts: negative is without limit.
    pub(crate) concurrency: i32,
    /// The first nominal time that is not created; `None` before the first.
    pub(crate) next: Option<Timestamp>,
    pub(crate) last_action_number: u32,
    pub(crate) done_materialization: bool,
    /// Whether an earlier verb is still being carried out, as Oozie's may be; howdah's verbs end in the transaction
    /// that begins them, so the engine never says so.
    pub(crate) pending: bool,
}

/// What a verb must know of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ActionFacts {
    /// From 1.
    pub(crate) number: u32,
    pub(crate) status: ActionStatus,
    pub(crate) nominal: Timestamp,
    pub(crate) created: Timestamp,
    /// Whether it was started before: a workflow job hangs below it.
    pub(crate) has_run: bool,
}

/// What a verb changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Changes {
    /// The job afterwards.
    pub(crate) job: JobFacts,
    /// What led the job's status there, in this order; none when the status is the same.
    pub(crate) job_events: Vec<JobEvent>,
    /// The actions that change, as they are afterwards, with what happens to them.
    pub(crate) moved: Vec<(ActionFacts, ActionEvent)>,
    /// Actions that are deleted.
    pub(crate) deleted: Vec<ActionFacts>,
    /// Actions that were named and are left as they are, because their status does not allow it.
    pub(crate) passed_over: Vec<ActionFacts>,
}

/// Why a verb changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Declined {
    /// Oozie would be silent: a note and no failure.
    NotDone(Error),
    /// A failure.
    Refused(Error),
}

/// What becomes of a verb.
pub(crate) type Decision = Result<Changes, Declined>;

/// How many actions are named one by one.
const MOST_NAMED: usize = 5;

/// The numbers of actions by their statuses.
pub(crate) fn by_status(actions: &[ActionFacts]) -> BTreeMap<ActionStatus, Vec<u32>> {
    let mut by_status: BTreeMap<ActionStatus, Vec<u32>> = BTreeMap::new();
    for action in actions {
        by_status.entry(action.status).or_default().push(action.number);
    }
    by_status
}

/// The first actions of a list, and how many more: `@1, @2, @3, @4, @5 and 7 more`.
pub(crate) fn named(numbers: &[u32]) -> String {
    let named = numbers.iter().take(MOST_NAMED).map(|number| format!("@{number}")).collect::<Vec<_>>().join(", ");
    match numbers.len().saturating_sub(MOST_NAMED) {
        0 => named,
        more => format!("{named} and {more} more"),
    }
}

/// The statuses of actions in words: `@4 is READY; @2, @3 are RUNNING`.
fn statuses(actions: &[ActionFacts]) -> String {
    let texts = by_status(actions).into_iter().map(|(status, numbers)| {
        let are = if numbers.len() == 1 { "is" } else { "are" };
        format!("{} {are} {status}", named(&numbers))
    });
    texts.collect::<Vec<_>>().join("; ")
}

/// The advice for a job that is over for good: how it is opened again.
pub(crate) fn opens_again(job: &str) -> String {
    format!("`howdah change {job} --status RUNNING` opens the job again")
}

impl Changes {
    /// No change so far.
    fn none(job: &JobFacts) -> Self {
        let job = job.clone();
        Self { job, job_events: Vec::new(), moved: Vec::new(), deleted: Vec::new(), passed_over: Vec::new() }
    }

    /// Moves the job by an event; `false` when it means nothing in the job's status.
    fn move_job(&mut self, event: JobEvent) -> bool {
        let Some(to) = job_state::transition(self.job.status, event) else { return false };
        if to != self.job.status {
            self.job_events.push(event);
            self.job.status = to;
        }
        true
    }

    /// Moves an action by an event; `false` when it means nothing in the action's status.
    fn move_action(&mut self, action: &ActionFacts, event: ActionEvent) -> bool {
        let Some(status) = action_state::transition(action.status, event) else { return false };
        self.moved.push((ActionFacts { status, ..*action }, event));
        true
    }

    /// Moves an action by an event, or passes it over.
    fn move_or_pass_over(&mut self, action: &ActionFacts, event: ActionEvent) {
        if !self.move_action(action, event) {
            self.passed_over.push(*action);
        }
    }
}
