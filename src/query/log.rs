//! `log`: where the output of attempts is.
//!
//! The filter of a log chooses attempts by time here; lines are chosen where they are printed.

use std::collections::HashMap;

use serde::Serialize;

use crate::error::Result;
use crate::model::id::JobId;
use crate::model::row::{ActionKey, AttemptKey, WorkflowJob, WorkflowNode};
use crate::query::attempt::{AttemptView, attempt_views};
use crate::query::context::Query;
use crate::query::filter::{LogFilter, LogSelection};
use crate::query::json;
use crate::query::kill_message::KillMessage;
use crate::query::status::AnyStatus;

/// Which attempts of each node are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Attempts {
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
pub(crate) struct LogView {
    pub(crate) id: String,
    #[serde(serialize_with = "json::word")]
    pub(crate) status: AnyStatus,
    /// Whether nothing more can follow.
    pub(crate) over: bool,
    pub(crate) attempts: Vec<AttemptView>,
    /// What the kill nodes say at which the jobs ended.
    #[serde(rename = "killMessages", skip_serializing_if = "Vec::is_empty")]
    pub(crate) kill_messages: Vec<KillMessage>,
    /// Which lines of the output are wanted.
    #[serde(skip)]
    pub(crate) selection: LogSelection,
}

impl LogView {
    /// The same with only some of the attempts; whether more can follow stays what it is.
    #[must_use]
    pub(crate) fn only(mut self, wanted: Attempts) -> Self {
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
    /// The output of every workflow job that an action started, oldest first.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or action.
    pub(crate) fn log_of_action(&self, id: &JobId, number: u32, filter: &LogFilter) -> Result<LogView> {
        let job = self.coordinator_job(id)?;
        let action = self.coordinator_action(&job, number)?;
        let mut attempts = Vec::new();
        let mut kill_messages = Vec::new();
        for workflow in self.snapshot.workflow_jobs_of_action(ActionKey { job: job.job, number })? {
            self.attempts(&workflow, None, 0, &mut attempts)?;
            kill_messages.extend(self.kill_message(&workflow)?);
        }
        let selection = filter.selection(action.created_at, self.now);
        let status = (action.status.into(), action.status.is_terminal());
        Ok(LogView { kill_messages, ..log(format!("{id}@{number}"), status, attempts, selection) })
    }

    /// The output of a workflow job and its sub-workflows, or of one node.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or node.
    pub(crate) fn log_of_workflow(&self, id: &JobId, node: Option<&str>, filter: &LogFilter) -> Result<LogView> {
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
    LogView { id, status, over, attempts, kill_messages: Vec::new(), selection }
}
