//! The outcome of a command on a job, or of its `--dry-run`: the same for every command, in text and in JSON.

use serde::Serialize;

use crate::format::time;
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionGroup, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The outcome of a command on one job.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Outcome {
    pub id: String,
    /// What changed in the job itself, under Oozie's field names.
    pub changes: Vec<Change>,
    /// The first actions that changed, in the order in which the operator named them.
    pub actions: Vec<ActionChange>,
    /// How many changed in all, when `actions` lists only the first of them.
    #[serde(skip_serializing_if = "ActionCounts::are_listed")]
    pub action_counts: ActionCounts,
    /// The nodes of a workflow job whose work is ended while the job continues.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes: Vec<NodeChange>,
    /// What changed in the SLAs of actions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sla_changes: Vec<SlaChange>,
    /// For a bundle: the outcomes of its coordinators.
    #[serde(skip)]
    pub coordinators: Vec<Outcome>,
    /// Notes for the operator; one sentence each.
    pub notes: Vec<String>,
    /// Why nothing was done, when Oozie would print nothing; not a failure.
    #[serde(skip)]
    pub not_done: Option<Error>,
    /// Why the command was refused; a failure.
    #[serde(skip)]
    pub refused: Option<Error>,
}

/// A value of a job before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Oozie's name of the field, such as `endTime`.
    pub name: &'static str,
    /// `None` when it had none.
    pub from: Option<String>,
    /// `None` when it has none any more.
    pub to: Option<String>,
}

/// An action before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionChange {
    pub id: String,
    pub action_number: u32,
    pub nominal_time: String,
    pub former_status: String,
    /// `None` when the action was deleted.
    pub status: Option<String>,
}

/// How many actions changed, per status before and after.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ActionCounts(pub Vec<ActionCount>);

/// How many actions changed from one status to another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionCount {
    pub former_status: String,
    /// `None` when the actions were deleted.
    pub status: Option<String>,
    pub count: u32,
}

/// The former status of an action that was created.
pub const NO_STATUS: &str = "none";

/// The most actions that an outcome lists; it counts the others.
pub const MOST_LISTED: usize = 100;

impl ActionCounts {
    /// The number of all actions that changed.
    pub fn total(&self) -> u64 {
        self.0.iter().map(|count| u64::from(count.count)).sum()
    }

    /// Whether all actions are listed; then the counts say nothing more.
    fn are_listed(&self) -> bool {
        self.total() <= MOST_LISTED as u64
    }

    fn add(&mut self, (from, to): (ActionStatus, Option<ActionStatus>), more: u32) {
        let (from, to) = (from.to_string(), to.map(|status| status.to_string()));
        match self.0.iter_mut().find(|count| count.former_status == from && count.status == to) {
            Some(known) => known.count += more,
            None => self.0.push(ActionCount { former_status: from, status: to, count: more }),
        }
    }
}

/// A node whose work is being ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeChange {
    pub id: String,
    pub name: String,
    /// Its status, which changes when the work has ended.
    pub status: String,
    #[serde(flatten)]
    pub work: NodeWork,
}

/// The work of a node that is being ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum NodeWork {
    /// The number of the attempt.
    Attempt { attempt: u32 },
    /// The id of the workflow job, which is killed.
    SubWorkflow { external_id: String },
}

/// A value of the SLA of an action, before and after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SlaChange {
    pub id: String,
    pub action_number: u32,
    pub nominal_time: String,
    /// Its name: `slaAlertStatus`, or `slaExpected` for the expected times.
    pub name: &'static str,
    pub from: String,
    pub to: String,
}

impl Outcome {
    /// Creates the outcome of a job without changes.
    pub fn of(id: &JobId) -> Self {
        let id = id.to_string();
        Self {
            id,
            changes: Vec::new(),
            actions: Vec::new(),
            action_counts: ActionCounts::default(),
            nodes: Vec::new(),
            sla_changes: Vec::new(),
            coordinators: Vec::new(),
            notes: Vec::new(),
            not_done: None,
            refused: None,
        }
    }

    /// Creates the outcome of a job whose status does not allow the command.
    pub fn not_done(id: &JobId, why: Error) -> Self {
        Self { not_done: Some(why), ..Self::of(id) }
    }

    /// Checks whether anything changed or was refused.
    pub fn is_news(&self) -> bool {
        !self.has_changed_nothing() || self.refused.is_some()
    }

    /// Checks whether neither the job nor an action or a node changed.
    pub fn has_changed_nothing(&self) -> bool {
        let of_parts = self.actions.is_empty() && self.nodes.is_empty() && self.sla_changes.is_empty();
        of_parts && self.changes.is_empty()
    }

    /// Adds a value that changed.
    pub fn change(&mut self, name: &'static str, from: Option<String>, to: Option<String>) {
        if from != to {
            self.changes.push(Change { name, from, to });
        }
    }

    /// Adds the differences of a coordinator job.
    pub(crate) fn changed_job(&mut self, before: &CoordinatorJob, after: &CoordinatorJob) {
        let both = |of: fn(&CoordinatorJob) -> Option<String>| (of(before), of(after));
        for (name, (from, to)) in [
            ("status", both(|job| Some(job.status.to_string()))),
            ("endTime", both(|job| Some(time(job.end_at)))),
            ("pauseTime", both(|job| job.pause_at.map(time))),
            ("concurrency", both(|job| Some(job.concurrency.to_string()))),
        ] {
            self.change(name, from, to);
        }
    }

    /// Adds an action with its new status; `None` when it was deleted.
    pub(crate) fn changed_action(&mut self, before: &CoordinatorAction, to: Option<ActionStatus>) {
        self.action_counts.add((before.status, to), 1);
        self.list(before, to);
    }

    /// Adds an action that is created.
    pub(crate) fn created_action(&mut self, number: u32, nominal: Timestamp, status: ActionStatus) {
        let (from, to) = (NO_STATUS.to_owned(), Some(status.to_string()));
        match self.action_counts.0.iter_mut().find(|count| count.former_status == from && count.status == to) {
            Some(known) => known.count += 1,
            None => self.action_counts.0.push(ActionCount { former_status: from, status: to.clone(), count: 1 }),
        }
        if self.room() > 0 {
            self.actions.push(ActionChange {
                id: format!("{}@{number}", self.id),
                action_number: number,
                nominal_time: time(nominal),
                former_status: NO_STATUS.to_owned(),
                status: to,
            });
        }
    }

    /// Adds a group of actions with their new status; `first` are those of them that there is room for.
    pub(crate) fn changed_group(&mut self, group: &ActionGroup, first: &[CoordinatorAction], to: ActionStatus) {
        self.action_counts.add((group.status, Some(to)), group.len());
        for before in first {
            self.list(before, Some(to));
        }
    }

    /// How many more actions are listed.
    pub fn room(&self) -> u32 {
        u32::try_from(MOST_LISTED.saturating_sub(self.actions.len())).unwrap_or_default()
    }

    fn list(&mut self, before: &CoordinatorAction, to: Option<ActionStatus>) {
        if self.room() == 0 {
            return;
        }
        self.actions.push(ActionChange {
            id: format!("{}@{}", self.id, before.number),
            action_number: before.number,
            nominal_time: time(before.nominal_at),
            former_status: before.status.to_string(),
            status: to.map(|status| status.to_string()),
        });
    }

    /// Adds a note for the operator.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }
}

/// Applies a command to each job; a refusal for one job does not stop the others.
///
/// # Errors
/// Every error that is not a refusal, such as a busy database; the changes of earlier jobs stay.
pub fn for_each<'a, T: 'a>(
    targets: impl IntoIterator<Item = &'a T>,
    id: impl Fn(&T) -> &JobId,
    mut verb: impl FnMut(&T) -> Result<Outcome>,
) -> Result<Vec<Outcome>> {
    let one = |target: &'a T| match verb(target) {
        Err(error) if error.is_answer() => Ok(Outcome { refused: Some(error), ..Outcome::of(id(target)) }),
        done => done,
    };
    targets.into_iter().map(one).collect()
}
