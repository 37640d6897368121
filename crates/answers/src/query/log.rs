//! `log`: where the output of attempts is.
//!
//! The filter of a log chooses attempts by time here; lines are chosen where they are printed.

use std::collections::{BTreeSet, HashMap};

use serde::Serialize;

use crate::query::attempt::{AttemptView, attempt_views};
use crate::query::context::Query;
use crate::query::filter::{LogFilter, LogSelection};
use crate::query::json;
use crate::query::kill_message::KillMessage;
use crate::query::status::AnyStatus;
use howdah_engine::apply::selection::{named_actions, refuse_many};
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, AttemptKey, CoordinatorJob, WorkflowJob, WorkflowKey, WorkflowNode};

/// Which attempts of each node are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempts {
    /// All of them.
    All,
    /// That of a number, in every run.
    Number(u32),
    /// The latest.
    Last,
}

/// How deep sub-workflows are followed; beyond the deepest that can be started by default.
const DEEPEST: u32 = 64;

/// The output of a job, an action or a node.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LogView {
    pub id: String,
    #[serde(serialize_with = "json::word")]
    pub status: AnyStatus,
    /// Whether nothing more can follow.
    pub over: bool,
    pub attempts: Vec<AttemptView>,
    /// What the kill nodes say at which the jobs ended.
    #[serde(rename = "killMessages", skip_serializing_if = "Vec::is_empty")]
    pub kill_messages: Vec<KillMessage>,
    /// Which lines of the output are wanted.
    #[serde(skip)]
    pub selection: LogSelection,
    /// What a later query of the same coordinator job needs not read again.
    #[serde(skip)]
    pub progress: Option<LogProgress>,
}

/// The workflow jobs of so many actions are read action by action, those of more with one query for all of the job.
const FEW_ACTIONS: usize = 10_000;

/// How far the log of a coordinator job was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogProgress {
    /// The latest attempt of the database.
    newest: AttemptKey,
    /// The workflow jobs that have not ended, or have running commands.
    open: BTreeSet<WorkflowKey>,
}

/// Which part of the log of a coordinator job is wanted.
#[derive(Clone, Debug, Default)]
pub struct LogRequest {
    pub filter: LogFilter,
    /// Only these actions.
    pub scope: Option<Scope>,
    /// Only what can have changed since an earlier query.
    pub after: Option<LogProgress>,
    /// Only so many of the latest workflow jobs; `None` for all.
    pub latest: Option<u32>,
}

/// The actions of a coordinator job whose output is wanted.
struct WantedActions {
    /// `None` for all.
    numbers: Option<BTreeSet<u32>>,
    /// Whether all of them have ended.
    over: bool,
}

impl LogView {
    /// Returns what the kill nodes say that follow an attempt.
    pub fn kill_messages_after(&self, attempt: AttemptKey) -> impl Iterator<Item = &KillMessage> {
        self.kill_messages.iter().filter(move |message| message.after == Some(attempt))
    }

    /// The same with only some of the attempts; whether more can follow stays what it is.
    #[must_use]
    pub fn only(mut self, wanted: Attempts) -> Self {
        match wanted {
            Attempts::All => {}
            Attempts::Number(number) => self.attempts.retain(|attempt| attempt.attempt == number),
            Attempts::Last => {
                // The oldest stands first, so what comes later in the map is the later one.
                let last: HashMap<String, AttemptKey> =
                    self.attempts.iter().map(|attempt| (attempt.id.clone(), attempt.key())).collect();
                self.attempts.retain(|attempt| last.get(&attempt.id) == Some(&attempt.key()));
            }
        }
        self
    }
}

impl Query<'_> {
    /// The output of the workflow jobs of a coordinator's actions in the order of time.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn log_of_coordinator(&self, id: &JobId, request: &LogRequest) -> Result<LogView> {
        let job = self.coordinator_job(id)?;
        let wanted = self.wanted_actions(&job, request.scope.as_ref())?;
        let mut progress = LogProgress { newest: self.snapshot.newest_attempt()?, ..LogProgress::default() };
        let mut attempts = Vec::new();
        let mut kill_messages = Vec::new();
        for workflow in self.changed_workflows(&job, &wanted, request)? {
            let number = workflow.parent_action.unwrap_or_default();
            if wanted.numbers.as_ref().is_some_and(|numbers| !numbers.contains(&number)) {
                continue;
            }
            let from = attempts.len();
            kill_messages.extend(self.attempts_of_action(&workflow, &format!("{id}@{number}"), &mut attempts)?);
            if !workflow.status.is_terminal() || attempts[from..].iter().any(|attempt| !attempt.is_over()) {
                progress.open.insert(workflow.job);
            }
        }
        kill_messages.sort_by(|one, other| one.id.cmp(&other.id));
        let selection = request.filter.selection(job.created_at, self.now);
        let over = wanted.over && progress.open.is_empty();
        let view = log(id.to_string(), (job.status.into(), over), attempts, selection);
        Ok(LogView { kill_messages, progress: Some(progress), ..view })
    }

    /// Refuses a scope with more than `most` actions of a coordinator job.
    ///
    /// # Errors
    /// E0604 when there is no such job, E0302.
    pub fn check_scope(&self, id: &JobId, scope: &Scope, most: u32) -> Result<()> {
        refuse_many(self.snapshot, &self.coordinator_job(id)?, (scope, None), most)
    }

    fn wanted_actions(&self, job: &CoordinatorJob, scope: Option<&Scope>) -> Result<WantedActions> {
        let Some(scope) = scope else { return Ok(WantedActions { numbers: None, over: job.status.is_terminal() }) };
        let named = named_actions(self.snapshot, job, scope)?;
        Ok(WantedActions {
            over: job.status.is_terminal() || named.iter().all(|action| action.status.is_terminal()),
            numbers: Some(named.iter().map(|action| action.number).collect()),
        })
    }

    /// The wanted workflow jobs of a coordinator's actions; after an earlier query, those that it found open and those
    /// with newer attempts.
    fn changed_workflows(
        &self,
        job: &CoordinatorJob,
        wanted: &WantedActions,
        request: &LogRequest,
    ) -> Result<Vec<WorkflowJob>> {
        let Some(after) = &request.after else {
            if let Some(numbers) = wanted.numbers.as_ref().filter(|numbers| numbers.len() <= FEW_ACTIONS) {
                let of =
                    |number: &u32| self.snapshot.workflow_jobs_of_action(ActionKey { job: job.job, number: *number });
                let workflows = numbers.iter().rev().map(of).collect::<Result<Vec<_>>>()?;
                return Ok(workflows.into_iter().flatten().collect());
            }
            return self.snapshot.workflow_jobs_of_coordinator(job.job, request.latest.unwrap_or(u32::MAX));
        };
        let mut workflows = self.snapshot.workflow_jobs_with_new_attempts(job.job, after.newest)?;
        let known: BTreeSet<WorkflowKey> = workflows.iter().map(|workflow| workflow.job).collect();
        for open in after.open.difference(&known) {
            workflows.extend(self.snapshot.workflow_job_at(*open)?);
        }
        Ok(workflows)
    }

    /// The output of every workflow job that an action started, oldest first.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or action.
    pub fn log_of_action(&self, id: &JobId, number: u32, filter: &LogFilter) -> Result<LogView> {
        let job = self.coordinator_job(id)?;
        let action = self.coordinator_action(&job, number)?;
        let mut attempts = Vec::new();
        let mut kill_messages = Vec::new();
        for workflow in self.snapshot.workflow_jobs_of_action(ActionKey { job: job.job, number })? {
            kill_messages.extend(self.attempts_of_action(&workflow, &format!("{id}@{number}"), &mut attempts)?);
        }
        let selection = filter.selection(action.created_at, self.now);
        let status = (action.status.into(), action.status.is_terminal());
        Ok(LogView { kill_messages, ..log(format!("{id}@{number}"), status, attempts, selection) })
    }

    /// The output of a workflow job and its sub-workflows, or of one node.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or node.
    pub fn log_of_workflow(&self, id: &JobId, node: Option<&str>, filter: &LogFilter) -> Result<LogView> {
        let job = self.workflow_job(id)?;
        let node = node.map(|name| self.workflow_node(&job, name)).transpose()?;
        let selection = filter.selection(job.created_at, self.now);
        let mut attempts = Vec::new();
        self.attempts(&job, node.as_ref(), 0, &mut attempts)?;
        let kill_message = match &node {
            Some(node) => KillMessage::of(&job, node),
            None => self.kill_message(&job)?,
        };
        let log = match node {
            Some(node) => {
                let over = node.status.is_terminal() || job.status.is_terminal();
                log(format!("{id}@{}", node.name), (node.status.into(), over), attempts, selection)
            }
            None => log(id.to_string(), (job.status.into(), job.status.is_terminal()), attempts, selection),
        };
        Ok(LogView { kill_messages: kill_message.into_iter().collect(), ..log })
    }

    /// Adds the attempts of a workflow job of an action, and of its sub-workflows; returns what its kill node says.
    fn attempts_of_action(
        &self,
        job: &WorkflowJob,
        action: &str,
        attempts: &mut Vec<AttemptView>,
    ) -> Result<Option<KillMessage>> {
        let from = attempts.len();
        self.attempts(job, None, 0, attempts)?;
        attempts[from..].iter_mut().for_each(|attempt| attempt.action_id = Some(action.to_owned()));
        let after = attempts[from..].iter().map(AttemptView::key).max();
        let message = self.kill_message(job)?;
        Ok(message.map(|message| KillMessage { action_id: Some(action.to_owned()), after, ..message }))
    }

    fn attempts(
        &self,
        job: &WorkflowJob,
        only: Option<&WorkflowNode>,
        depth: u32,
        attempts: &mut Vec<AttemptView>,
    ) -> Result<()> {
        let nodes = match only {
            Some(node) => vec![node.clone()],
            None => self.snapshot.workflow_nodes_of_all_runs(job.job)?,
        };
        for node in &nodes {
            let of_node = self.snapshot.attempts_of_node(job.job, &node.name)?;
            attempts.extend(attempt_views(job, node, &of_node, self.now));
            if depth < DEEPEST && node.kind.is_sub_workflow() {
                for child in self.snapshot.workflow_jobs_of_node(job.job, &node.name)? {
                    self.attempts(&child, None, depth + 1, attempts)?;
                }
            }
        }
        Ok(())
    }
}

/// Attempts in the order in which they were begun, across nodes and jobs.
fn log(
    id: String,
    (status, over): (AnyStatus, bool),
    mut attempts: Vec<AttemptView>,
    selection: LogSelection,
) -> LogView {
    attempts.sort_by_key(AttemptView::key);
    let over = over && attempts.iter().all(AttemptView::is_over);
    attempts.retain(|attempt| attempt.is_within(&selection));
    LogView { id, status, over, attempts, kill_messages: Vec::new(), selection, progress: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::model::status::ActionStatus;

    #[test]
    fn a_kill_message_follows_the_last_attempt_of_its_job() {
        let message = |id: &str, after: Option<i64>| KillMessage {
            id: id.to_owned(),
            message: String::new(),
            action_id: None,
            after: after.map(AttemptKey),
        };
        let status = (ActionStatus::Killed.into(), true);
        let view = log("x".to_owned(), status, Vec::new(), LogSelection::default());
        let messages = vec![message("b", Some(7)), message("a", Some(4)), message("none", None)];
        let view = LogView { kill_messages: messages, ..view };
        let of = |key: i64| view.kill_messages_after(AttemptKey(key)).map(|message| message.id.as_str()).next();
        assert_eq!([of(4), of(5), of(7)], [Some("a"), None, Some("b")]);
    }
}
