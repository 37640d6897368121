//! How far jobs are, for the progress and the last table of `run`.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::query::context::Query;
use crate::query::error_text::error_text;
use crate::query::json;
use crate::query::kill_message::KillMessage;
use crate::query::status::AnyStatus;
use crate::query::total::total;
use howdah_engine::Engine;
use howdah_engine::lookup::Job;
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot};
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::node_type::NodeType;
use howdah_words::model::row::{BundleJob, CoordinatorAction, CoordinatorJob, WorkflowJob};
use howdah_words::model::status::{ActionStatus, NodeStatus, WorkflowStatus};
use howdah_words::model::time::Timestamp;

/// How far a job is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgressView {
    pub name: String,
    pub status: AnyStatus,
    pub succeeded: u64,
    pub running: u64,
    pub waiting: u64,
    pub failed: u64,
    /// Passed over; neither a success nor a failure.
    pub skipped: u64,
    /// When nothing runs: the oldest WAITING action and what it waits for.
    pub blocked: Option<(String, String)>,
}

impl ProgressView {
    /// Nothing counted yet.
    fn new(name: String, status: impl Into<AnyStatus>) -> Self {
        let status = status.into();
        Self { name, status, succeeded: 0, running: 0, waiting: 0, failed: 0, skipped: 0, blocked: None }
    }

    /// How many actions are over.
    pub fn over(&self) -> u64 {
        self.succeeded + self.failed + self.skipped
    }
}

/// A line of the last table of `run`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SummaryView {
    pub id: String,
    pub name: String,
    #[serde(serialize_with = "json::word")]
    pub status: AnyStatus,
    pub succeeded: u64,
    pub failed: u64,
    #[serde(serialize_with = "json::time")]
    pub created_time: Timestamp,
    #[serde(serialize_with = "json::time_or_null")]
    pub end_time: Option<Timestamp>,
    /// From the submission to the end, or to now; whole seconds.
    pub seconds: i64,
    /// Of a job that did not succeed: the code and the message that say why, of a coordinator those of the action that
    /// failed last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What the kill node says at which a workflow job ended, where that is not its error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kill_message: Option<KillMessage>,
    /// The action, or the job, whose log tells most: the last that failed, else the last that succeeded.
    #[serde(skip)]
    pub telling: Option<String>,
    /// An action that did not succeed, or is still on its way.
    #[serde(skip)]
    pub unexplained: Option<String>,
}

/// The number of actions (of a workflow job: none; of a bundle: of all its coordinators) that each job will have;
/// `None` where that is not known.
///
/// # Errors
/// A failure of the database.
pub fn totals(query: &mut Query<'_>, jobs: &[JobId]) -> Result<Vec<Option<u64>>> {
    let mut totals = Vec::new();
    for id in jobs {
        let job = Job::find(query.snapshot, id)?;
        let of = job.map_or_else(|| Ok(Vec::new()), |job| job.into_coordinators(query.snapshot))?;
        let of = of.iter().map(|job| total_of(query, job)).collect::<Result<Vec<_>>>()?;
        totals.push(if of.is_empty() { None } else { of.into_iter().sum() });
    }
    Ok(totals)
}

fn total_of(query: &mut Query<'_>, job: &CoordinatorJob) -> Result<Option<u64>> {
    let application = query.application(job, job.definition_version)?;
    let created = query.snapshot.action_counts(job.job)?.values().map(|count| u64::from(*count)).sum();
    Ok(total(&application.coordinator.schedule, job, created))
}

/// How far a job is now.
///
/// # Errors
/// E0604 when there is no such job, or a failure of the database.
pub fn progress(engine: &Engine, id: &JobId) -> Result<ProgressView> {
    engine.store.read(|snapshot| match Job::of(snapshot, id)? {
        Job::Coordinator(job) => of_coordinator(snapshot, job),
        Job::Bundle(job) => of_bundle(snapshot, &job),
        Job::Workflow(job) => of_nodes(snapshot, &job),
    })
}

fn of_coordinator(snapshot: &Snapshot, job: CoordinatorJob) -> Result<ProgressView> {
    let counts = snapshot.action_counts(job.job)?;
    let blocked = blocked(snapshot, &job)?;
    let progress = of_actions(job.name, job.status, &counts);
    Ok(ProgressView { blocked: blocked.filter(|_| progress.running == 0), ..progress })
}

/// The progress of a bundle counts the actions of all its coordinators.
fn of_bundle(snapshot: &Snapshot, job: &BundleJob) -> Result<ProgressView> {
    let mut progress = ProgressView::new(job.name.clone(), job.status);
    for coordinator in snapshot.coordinator_jobs_of_bundle(job.job)? {
        let of = of_coordinator(snapshot, coordinator)?;
        progress.succeeded += of.succeeded;
        progress.running += of.running;
        progress.waiting += of.waiting;
        progress.failed += of.failed;
        progress.skipped += of.skipped;
        progress.blocked = progress.blocked.or(of.blocked);
    }
    progress.blocked = progress.blocked.filter(|_| progress.running == 0);
    Ok(progress)
}

/// The oldest action of a job that waits for its inputs, and what it waits for.
fn blocked(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<Option<(String, String)>> {
    let first = snapshot.oldest_waiting_action(job.job)?;
    Ok(first.and_then(|action| Some((format!("{}@{}", job.id, action.number), action.first_missing?.to_string()))))
}

fn of_actions(name: String, status: JobStatus, counts: &BTreeMap<ActionStatus, u32>) -> ProgressView {
    let mut progress = ProgressView::new(name, status);
    for (status, count) in counts {
        let place = match status {
            ActionStatus::Succeeded => &mut progress.succeeded,
            ActionStatus::Waiting | ActionStatus::Ready => &mut progress.waiting,
            ActionStatus::Submitted | ActionStatus::Running | ActionStatus::Suspended => &mut progress.running,
            ActionStatus::Failed | ActionStatus::Killed | ActionStatus::TimedOut => &mut progress.failed,
            ActionStatus::Skipped | ActionStatus::Ignored => &mut progress.skipped,
        };
        *place += u64::from(*count);
    }
    progress
}

/// The progress of a workflow job counts the nodes that do work: its actions.
fn of_nodes(snapshot: &Snapshot, job: &WorkflowJob) -> Result<ProgressView> {
    let mut progress = ProgressView::new(job.name.clone(), job.status);
    let nodes = snapshot.workflow_nodes(job.job)?;
    for node in nodes.iter().filter(|node| matches!(node.kind, NodeType::Action(_))) {
        match node.status {
            NodeStatus::Ok => progress.succeeded += 1,
            NodeStatus::Error | NodeStatus::Failed | NodeStatus::Killed => progress.failed += 1,
            NodeStatus::Running | NodeStatus::Done => progress.running += 1,
            NodeStatus::Prep
            | NodeStatus::UserRetry
            | NodeStatus::StartRetry
            | NodeStatus::StartManual
            | NodeStatus::EndRetry
            | NodeStatus::EndManual => progress.waiting += 1,
        }
    }
    Ok(progress)
}

impl Query<'_> {
    /// How a job stands at the end of a run.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn summary(&self, id: &JobId) -> Result<SummaryView> {
        match Job::of(self.snapshot, id)? {
            Job::Coordinator(job) => self.coordinator_summary(&job),
            Job::Bundle(job) => self.bundle_summary(&job),
            Job::Workflow(job) => self.workflow_summary(&job),
        }
    }

    /// The line of a job of which nothing needs an explanation.
    fn bare_summary(&self, id: &JobId, progress: ProgressView, times: (Timestamp, Option<Timestamp>)) -> SummaryView {
        let (created_time, end_time) = times;
        SummaryView {
            id: id.to_string(),
            name: progress.name,
            status: progress.status,
            succeeded: progress.succeeded,
            failed: progress.failed,
            created_time,
            end_time,
            seconds: end_time.unwrap_or(self.now) - created_time,
            error: None,
            kill_message: None,
            telling: None,
            unexplained: None,
        }
    }

    fn coordinator_summary(&self, job: &CoordinatorJob) -> Result<SummaryView> {
        let id = &job.id;
        let progress = of_actions(job.name.clone(), job.status, &self.snapshot.action_counts(job.job)?);
        let newest_action = |statuses: &[ActionStatus]| -> Result<Option<CoordinatorAction>> {
            let filter = ActionFilter { statuses: statuses.to_vec(), ..ActionFilter::default() };
            let page = Page { offset: 0, len: 1 };
            let page = self.snapshot.action_page(job.job, &filter, ActionOrder::NewestFirst, page)?;
            Ok(page.actions.into_iter().next())
        };
        let name = |action: CoordinatorAction| format!("{id}@{}", action.number);
        let newest = |statuses: &[ActionStatus]| Ok::<_, Error>(newest_action(statuses)?.map(name));
        let failed = newest_action(&[ActionStatus::Failed, ActionStatus::Killed])?;
        let error = failed.as_ref().map(|action| self.action_error(action)).transpose()?.flatten();
        let failed = failed.map(name);
        let telling = match failed {
            Some(failed) => Some(failed),
            None => newest(&[ActionStatus::Succeeded, ActionStatus::Running])?,
        };
        let unexplained = newest(&[
            ActionStatus::Failed,
            ActionStatus::Killed,
            ActionStatus::TimedOut,
            ActionStatus::Waiting,
            ActionStatus::Ready,
        ])?;
        Ok(SummaryView {
            error,
            telling,
            unexplained,
            ..self.bare_summary(id, progress, (job.created_at, job.ended_at))
        })
    }

    /// What tells most of a bundle is what tells most of the first coordinator that did not succeed.
    fn bundle_summary(&self, job: &BundleJob) -> Result<SummaryView> {
        let progress = of_bundle(self.snapshot, job)?;
        let mut coordinators = Vec::new();
        for coordinator in self.snapshot.coordinator_jobs_of_bundle(job.job)? {
            coordinators.push(self.coordinator_summary(&coordinator)?);
        }
        let error = coordinators
            .iter()
            .find_map(|of| of.error.as_ref().map(|error| format!("coordinator {} ({}), {error}", of.name, of.id)));
        let telling = coordinators.iter().find(|of| of.unexplained.is_some()).or(coordinators.last());
        let of_bundle = (job.status != JobStatus::SUCCEEDED).then(|| job.id.to_string());
        Ok(SummaryView {
            error,
            telling: telling.and_then(|of| of.telling.clone()),
            unexplained: telling.and_then(|of| of.unexplained.clone()).or(of_bundle),
            ..self.bare_summary(&job.id, progress, (job.created_at, job.ended_at))
        })
    }

    /// Why an action failed: the error of its workflow job, or its own where none was started.
    fn action_error(&self, action: &CoordinatorAction) -> Result<Option<String>> {
        let error = match self.snapshot.workflow_job_of_action(action)? {
            Some(workflow) => self.workflow_error(&workflow)?,
            None => error_text(action.error_code.as_deref(), action.error_message.as_deref()),
        };
        Ok(error.map(|error| format!("action {}: {error}", action.number)))
    }

    /// The error of a workflow job with how the command really ended that failed it.
    fn workflow_error(&self, job: &WorkflowJob) -> Result<Option<String>> {
        let error = error_text(job.error_code.as_deref(), job.error_message.as_deref());
        let Some((owner, node)) = self.culprit(job, 0)? else { return Ok(error) };
        let how = self.command_end(&owner, &node)?.behind(error.as_deref());
        Ok(match (error, how) {
            (Some(error), Some(how)) => Some(format!("{error} (node {}: {how})", node.name)),
            (error, _) => error,
        })
    }

    fn workflow_summary(&self, job: &WorkflowJob) -> Result<SummaryView> {
        let progress = of_nodes(self.snapshot, job)?;
        let succeeded = job.status == WorkflowStatus::Succeeded;
        Ok(SummaryView {
            error: if succeeded { None } else { self.workflow_error(job)? },
            kill_message: self.kill_message(job)?.filter(|of| job.error_message.as_ref() != Some(&of.message)),
            telling: Some(job.id.to_string()),
            unexplained: (!succeeded).then(|| job.id.to_string()),
            ..self.bare_summary(&job.id, progress, (job.created_at, job.ended_at))
        })
    }
}
