//! `actions`: actions of all coordinator jobs in one list, the latest changed first.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::Serialize;

use crate::query::context::Query;
use crate::query::error_text::error_text;
use crate::query::{json, target};
use howdah_store::{ActionFilter, ActionList, ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, CoordinatorKey, WorkflowJob, WorkflowNode};
use howdah_words::model::status::{ActionStatus, NodeStatus};
use howdah_words::model::time::Timestamp;

/// Which actions are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionRequest {
    pub statuses: Vec<ActionStatus>,
    /// Only the actions that changed at this time or later.
    pub since: Option<Timestamp>,
    /// Only the actions that have not ended so many seconds after their nominal time.
    pub late: Option<i64>,
    /// Patterns of names or ids of jobs; empty for all jobs.
    pub jobs: Vec<String>,
}

/// A part of the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ActionsView {
    pub offset: u32,
    pub len: u32,
    /// Whether more actions match.
    pub has_more: bool,
    pub actions: Vec<ListedAction>,
}

/// An action with its job and its workflow job; names as in Oozie's lists where Oozie has them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedAction {
    pub id: String,
    pub coord_job_id: String,
    pub coord_job_name: String,
    pub action_number: u32,
    #[serde(serialize_with = "json::word")]
    pub status: ActionStatus,
    #[serde(serialize_with = "json::time")]
    pub nominal_time: Timestamp,
    #[serde(serialize_with = "json::time")]
    pub created_time: Timestamp,
    #[serde(serialize_with = "json::time")]
    pub last_modified_time: Timestamp,
    /// The id of its workflow job.
    pub external_id: Option<String>,
    /// When its workflow job started and ended.
    #[serde(serialize_with = "json::time_or_null")]
    pub start_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time_or_null")]
    pub end_time: Option<Timestamp>,
    /// How long its workflow job has run, so far or in all.
    pub duration_seconds: Option<i64>,
    /// How long ago its nominal time was; `None` when it has ended.
    pub late_seconds: Option<i64>,
    /// Why it failed, or what it waits for.
    pub reason: Option<String>,
    /// The shortest name that a verb understands: `NAME@3` where the name is that of one job, else the id.
    #[serde(skip)]
    pub name: String,
}

impl Query<'_> {
    /// Returns a part of the list.
    ///
    /// # Errors
    /// E0604 when no job fits the patterns.
    pub fn actions(&mut self, request: &ActionRequest, page: Page) -> Result<ActionsView> {
        let jobs = match &request.jobs[..] {
            [] => None,
            patterns => Some(self.snapshot.coordinator_jobs_like(patterns)?),
        };
        if jobs.as_ref().is_some_and(Vec::is_empty) {
            let help = "a pattern is compared with the whole name or id of each coordinator job; * fits any text: \
                        `howdah jobs` lists them";
            return Err(Error::new(ErrorCode::E0604, request.jobs.join(", ")).help(help));
        }
        let nominal_until = request.late.map(|late| self.now - late);
        let list = ActionList { statuses: request.statuses.clone(), since: request.since, nominal_until, jobs };
        let found = self.snapshot.actions_of_all_jobs(&list, page)?;
        let mut names = BTreeMap::new();
        let actions = found.actions.iter().map(|action| self.listed(action, &mut names)).collect::<Result<_>>()?;
        Ok(ActionsView { offset: page.offset + 1, len: page.len, has_more: found.has_more, actions })
    }

    /// Returns the last actions of a coordinator job, the newest first.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn actions_of_job(&self, id: &JobId, most: u32) -> Result<Vec<ListedAction>> {
        let job = self.coordinator_job(id)?;
        let (filter, page) = (ActionFilter::default(), Page { offset: 0, len: most });
        let actions = self.snapshot.action_page(job.job, &filter, ActionOrder::NewestFirst, page)?.actions;
        let mut names = BTreeMap::new();
        actions.iter().map(|action| self.listed(action, &mut names)).collect()
    }

    fn listed(
        &self,
        action: &CoordinatorAction,
        jobs: &mut BTreeMap<CoordinatorKey, NamedJob>,
    ) -> Result<ListedAction> {
        let NamedJob { job, name } = match jobs.entry(action.job) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => new.insert(self.named(action.job)?),
        };
        let workflow = self.snapshot.workflow_job_of_action(action)?;
        let started = workflow.as_ref().and_then(|workflow| workflow.started_at);
        let ended = workflow.as_ref().and_then(|workflow| workflow.ended_at);
        let is_over = action.status.is_terminal();
        Ok(ListedAction {
            id: format!("{}@{}", job.id, action.number),
            coord_job_id: job.id.to_string(),
            coord_job_name: job.name.clone(),
            action_number: action.number,
            status: action.status,
            nominal_time: action.nominal_at,
            created_time: action.created_at,
            last_modified_time: action.modified_at,
            external_id: action.external_id.clone(),
            start_time: started,
            end_time: ended,
            duration_seconds: started.map(|started| ended.unwrap_or(self.now) - started),
            late_seconds: Some(self.now - action.nominal_at).filter(|late| !is_over && *late > 0),
            reason: self.reason(action, workflow.as_ref())?,
            name: format!("{name}@{}", action.number),
        })
    }

    /// Returns why an action failed, or what it waits for.
    pub(super) fn reason(&self, action: &CoordinatorAction, workflow: Option<&WorkflowJob>) -> Result<Option<String>> {
        let missing = action.first_missing.as_ref();
        Ok(match action.status {
            ActionStatus::Waiting => missing.map(|missing| format!("waits for {missing}")),
            ActionStatus::TimedOut => missing.map(|missing| format!("waited without result for {missing}")),
            ActionStatus::Failed | ActionStatus::Killed => {
                let of_node = workflow.map(|workflow| self.failed_node(workflow)).transpose()?.flatten();
                of_node.or_else(|| error_text(action.error_code.as_deref(), action.error_message.as_deref())).or_else(
                    || {
                        let workflow = workflow?;
                        error_text(workflow.error_code.as_deref(), workflow.error_message.as_deref())
                    },
                )
            }
            _ => None,
        })
    }

    /// Returns the node of a workflow job that failed last, with how its command ended or its error.
    fn failed_node(&self, workflow: &WorkflowJob) -> Result<Option<String>> {
        let nodes = self.snapshot.workflow_nodes(workflow.job)?;
        let failed = |node: &&WorkflowNode| matches!(node.status, NodeStatus::Error | NodeStatus::Failed);
        let Some(node) = nodes.iter().filter(failed).max_by_key(|node| node.sequence) else { return Ok(None) };
        let end = self.command_end(workflow, node)?.behind(None);
        let error = || error_text(node.error_code.as_deref(), node.error_message.as_deref());
        Ok(end.or_else(error).map(|why| format!("node {}: {why}", node.name)))
    }

    fn named(&self, key: CoordinatorKey) -> Result<NamedJob> {
        let missing = || Error::new(ErrorCode::E0604, key.0);
        let job = self.snapshot.coordinator_job_at(key)?.ok_or_else(missing)?;
        let name = target::shortest_name(self.snapshot, (&job.name, &job.id), job.status.is_terminal())?.to_owned();
        Ok(NamedJob { job, name })
    }
}

/// A job, and what its actions are called.
struct NamedJob {
    job: CoordinatorJob,
    name: String,
}
