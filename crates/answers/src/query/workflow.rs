//! `jobs` and `info` of workflow jobs and their nodes.

use std::path::Path;

use crate::query::error_text::error_text;
use howdah_words::model::status::{NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;
use serde::Serialize;

use crate::query::attempt::{AttemptView, CommandEnd};
use crate::query::context::Query;
use crate::query::delivery::DeliveryView;
use crate::query::veil::Veil;
use crate::query::{json, target};
use howdah_engine::format::url_encoded;
use howdah_engine::run_as;
use howdah_engine::sla::summary::SlaSummaryView;
use howdah_engine::stored_properties::read_properties;
use howdah_executor as executor;
use howdah_store::{JobFilter, Page};
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{WorkflowJob, WorkflowNode};

/// A workflow job under Oozie's field names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkflowJobView {
    pub id: String,
    pub app_name: String,
    pub app_path: String,
    #[serde(serialize_with = "json::word")]
    pub status: WorkflowStatus,
    pub user: String,
    /// `group.name`, else the access control list.
    pub group: Option<String>,
    /// Who else Oozie would let work on it; only where one job is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acl: Option<String>,
    pub run: u32,
    /// The coordinator action or the workflow job that started it.
    pub parent_id: Option<String>,
    /// The id that another system gave it (`oozie.wf.external.id`).
    #[serde(skip)]
    pub external_id: Option<String>,
    /// How a command line can name the job, and what started it: by names where they are enough, else by ids.
    #[serde(skip)]
    pub short_name: String,
    #[serde(skip)]
    pub short_parent: Option<String>,
    #[serde(serialize_with = "json::time")]
    pub created_time: Timestamp,
    #[serde(serialize_with = "json::time_or_null")]
    pub start_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time_or_null")]
    pub end_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time")]
    pub last_mod_time: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<NodeView>>,
    /// Why it did not succeed, for the person's table.
    #[serde(skip)]
    pub error: Option<String>,
    /// What others were told about it and its nodes; only where one job is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deliveries: Vec<DeliveryView>,
    /// What its SLA element promises and what became of it; only where one job is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sla: Option<SlaSummaryView>,
}

/// A node of a workflow job under Oozie's field names.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeView {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub kind: String,
    #[serde(serialize_with = "json::word")]
    pub status: NodeStatus,
    pub transition: Option<String>,
    #[serde(serialize_with = "json::second_or_null")]
    pub start_time: Option<Timestamp>,
    #[serde(serialize_with = "json::second_or_null")]
    pub end_time: Option<Timestamp>,
    /// How long it has run, so far or in all.
    pub duration_seconds: Option<i64>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    pub external_id: Option<String>,
    pub external_status: Option<String>,
    /// What its work runs on.
    #[serde(skip)]
    pub tracker_uri: Option<String>,
    pub user_retry_count: u32,
    /// The captured output.
    pub data: Option<String>,
    /// How the command of a node that failed really ended, whatever Oozie's message says.
    #[serde(flatten)]
    pub end: CommandEnd,
    /// The counters of its work, where its configuration wants them shown; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<String>,
    /// Where the files of its latest attempt are, as a URL; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub console_url: Option<String>,
    /// The element after evaluation; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conf: Option<String>,
    /// Every start of its work, of earlier runs too, oldest first; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attempts: Option<Vec<AttemptView>>,
    /// What its SLA element promises and what became of it; only where one node is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sla: Option<SlaSummaryView>,
}

/// A page of workflow jobs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkflowJobsView {
    pub total: u32,
    pub offset: u32,
    pub len: u32,
    pub workflows: Vec<WorkflowJobView>,
}

impl Query<'_> {
    /// A page of the workflow jobs that match, newest first.
    pub fn workflow_jobs(&self, filter: &JobFilter, page: Page) -> Result<WorkflowJobsView> {
        let (jobs, total) = self.snapshot.workflow_job_page(filter, page)?;
        let workflows = jobs.iter().map(|job| self.workflow_view(job)).collect::<Result<_>>()?;
        Ok(WorkflowJobsView { total, offset: page.offset + 1, len: page.len, workflows })
    }

    /// The latest workflow job to which another system gave this id.
    pub fn workflow_of_external_id(&self, external_id: &str) -> Result<Option<String>> {
        self.snapshot.workflow_job_of_external_id(external_id)
    }

    /// Every workflow job that an action has run, the latest first.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or action.
    pub fn runs_of_action(&self, id: &JobId, number: u32) -> Result<WorkflowJobsView> {
        let job = self.coordinator_job(id)?;
        let action = self.coordinator_action(&job, number)?;
        let jobs = self.snapshot.workflow_jobs_of_action(action.key())?;
        let workflows = jobs.iter().map(|job| self.workflow_view(job)).collect::<Result<Vec<_>>>()?;
        let total = u32::try_from(workflows.len()).unwrap_or(u32::MAX);
        Ok(WorkflowJobsView { total, offset: 1, len: total, workflows })
    }

    /// A workflow job with its nodes in the order they began.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn workflow_info(&self, id: &JobId) -> Result<WorkflowJobView> {
        let job = self.workflow_job(id)?;
        let nodes = self.snapshot.workflow_nodes(job.job)?;
        let veil = self.veil(id)?;
        let view = |node| {
            let view = node_view(&job, node, self.now);
            Ok(NodeView { end: self.command_end(&job, node)?, data: veil.captured(view.data), ..view })
        };
        let actions = nodes.iter().map(view).collect::<Result<_>>()?;
        let deliveries = DeliveryView::all(&self.snapshot.deliveries_of_workflow(job.job)?);
        let sla = self.sla_of_workflow(job.job, None)?;
        let acl = run_as::acl(&read_properties(&self.snapshot.document(job.configuration)?)?);
        Ok(WorkflowJobView { acl, actions: Some(actions), deliveries, sla, ..self.workflow_view(&job)? })
    }

    /// One node of a workflow job with its attempts.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or the job has not reached such a node.
    pub fn node_info(&self, id: &JobId, name: &str) -> Result<NodeView> {
        let job = self.workflow_job(id)?;
        let node = self.workflow_node(&job, name)?;
        let attempts = self.attempts_of_node(&job, &node)?;
        let console_url =
            attempts.last().map(|attempt| format!("file://{}", url_encoded(&attempt.folder.to_string_lossy())));
        let veil = self.veil(id)?;
        let conf = self.body(&node, attempts.last().map(|attempt| attempt.folder.as_path()))?;
        let sla = self.sla_of_workflow(job.job, Some(name))?;
        let end = self.command_end(&job, &node)?;
        let stats = self.external_stats(&job, &node)?;
        let view = node_view(&job, &node, self.now);
        let (conf, data) = (conf.map(|conf| veil.xml(conf)), veil.captured(view.data));
        Ok(NodeView { end, stats, console_url, conf, data, attempts: Some(attempts), sla, ..view })
    }

    /// The element of a node after evaluation, behind the veil of its job; `None` for a node without one.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or node.
    pub fn node_body(&self, id: &JobId, name: &str, veil: &Veil) -> Result<Option<String>> {
        let job = self.workflow_job(id)?;
        let node = self.workflow_node(&job, name)?;
        let attempts = self.snapshot.attempts_of_node(job.job, name)?;
        let body = self.body(&node, attempts.last().map(|attempt| Path::new(&attempt.directory)))?;
        Ok(body.map(|body| veil.xml(body)))
    }

    /// The stored element of a node, else that of its latest attempt.
    fn body(&self, node: &WorkflowNode, latest: Option<&Path>) -> Result<Option<String>> {
        match node.body {
            Some(body) => self.snapshot.document(body).map(Some),
            None => Ok(latest.map(executor::body_of).transpose()?.flatten()),
        }
    }

    /// A node that the job has reached; E0605 with help that names those.
    pub fn workflow_node(&self, job: &WorkflowJob, name: &str) -> Result<WorkflowNode> {
        if let Some(node) = self.snapshot.workflow_node(job.job, name)? {
            return Ok(node);
        }
        let nodes = self.snapshot.workflow_nodes(job.job)?;
        let names: Vec<&str> = nodes.iter().map(|node| node.name.as_str()).collect();
        let help = match did_you_mean(name, names.iter().copied()) {
            Some(near) => format!("did you mean {}@{near}?", job.id),
            None if names.is_empty() => "the job has not reached a node yet".to_owned(),
            None => format!("the nodes reached so far are {}", names.join(", ")),
        };
        Err(Error::new(ErrorCode::E0605, format!("{}@{name}", job.id)).help(help))
    }

    fn workflow_view(&self, job: &WorkflowJob) -> Result<WorkflowJobView> {
        let error = error_text(job.error_code.as_deref(), job.error_message.as_deref());
        Ok(WorkflowJobView {
            id: job.id.to_string(),
            app_name: job.name.clone(),
            app_path: job.app_path.clone(),
            status: job.status,
            user: job.user.clone(),
            group: job.group_name.clone(),
            acl: None,
            run: job.run,
            parent_id: self.parent(job)?,
            external_id: job.external_id.clone(),
            short_name: self.short_name(job)?.to_owned(),
            short_parent: self.short_parent(job)?,
            created_time: job.created_at,
            start_time: job.started_at,
            end_time: job.ended_at,
            last_mod_time: job.modified_at,
            actions: None,
            error: error.map(|error| Ok::<_, Error>(self.veil(&job.id)?.text(error))).transpose()?,
            deliveries: Vec::new(),
            sla: None,
        })
    }

    /// How a command line can name a workflow job: never by a name when another job has started it.
    fn short_name<'n>(&self, job: &'n WorkflowJob) -> Result<&'n str> {
        if job.parent_coordinator.is_some() || job.parent_workflow.is_some() {
            return Ok(job.id.as_str());
        }
        target::shortest_name(self.snapshot, (&job.name, &job.id), job.status.is_terminal())
    }

    /// How a command line can name what started a workflow job.
    fn short_parent(&self, job: &WorkflowJob) -> Result<Option<String>> {
        if let (Some(coordinator), Some(number)) = (job.parent_coordinator, job.parent_action) {
            let Some(coordinator) = self.snapshot.coordinator_job_at(coordinator)? else { return Ok(None) };
            let (name, is_over) = ((&*coordinator.name, &coordinator.id), coordinator.status.is_terminal());
            let name = target::shortest_name(self.snapshot, name, is_over)?;
            return Ok(Some(format!("{name}@{number}")));
        }
        self.parent(job)
    }

    /// The id of what started a workflow job.
    pub fn parent(&self, job: &WorkflowJob) -> Result<Option<String>> {
        if let (Some(coordinator), Some(number)) = (job.parent_coordinator, job.parent_action) {
            let coordinator = self.snapshot.coordinator_job_at(coordinator)?;
            return Ok(coordinator.map(|coordinator| format!("{}@{number}", coordinator.id)));
        }
        let Some(parent) = job.parent_workflow else { return Ok(None) };
        Ok(self.snapshot.workflow_job_at(parent)?.map(|parent| parent.id.to_string()))
    }
}

fn node_view(job: &WorkflowJob, node: &WorkflowNode, now: Timestamp) -> NodeView {
    NodeView {
        id: format!("{}@{}", job.id, node.name),
        name: node.name.clone(),
        kind: node.kind.to_string(),
        status: node.status,
        transition: node.transition.clone(),
        start_time: node.started_at,
        end_time: node.ended_at,
        duration_seconds: node.started_at.map(|started| (node.ended_at.unwrap_or(now) - started).max(0)),
        error_code: node.error_code.clone(),
        error_message: node.error_message.clone(),
        external_id: node.external_id.clone(),
        external_status: node.external_status.clone(),
        tracker_uri: node.tracker_uri.clone(),
        user_retry_count: node.user_retry_count,
        data: node.data.clone(),
        end: CommandEnd::default(),
        stats: None,
        console_url: None,
        conf: None,
        attempts: None,
        sla: None,
    }
}
