//! `jobs` and `info` of coordinator jobs and their actions.
//!
//! How many actions a job has is read off their counts; missing paths are looked for on the shown page alone.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::query::action_detail::ActionDetail;
use crate::query::context::Query;
use crate::query::delivery::DeliveryView;
use crate::query::failure_policy::{FailurePolicyView, PlannedRerunView};
use crate::query::inputs::missing;
use crate::query::total::{total, total_of_minutes};
use crate::query::{json, target};
use howdah_engine::inputs::decision::Decision;
use howdah_engine::sla::summary::SlaSummaryView;
use howdah_store::{ActionFilter, ActionOrder, JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// A coordinator job under Oozie's field names; `info` prescribes every one of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoordinatorJobView {
    pub coord_job_id: String,
    pub coord_job_name: String,
    /// How a command line can name the job: by its name, else by its id.
    #[serde(skip)]
    pub short_name: String,
    pub coord_job_path: String,
    /// The bundle that submitted it.
    pub bundle_id: Option<String>,
    /// Its id in the Oozie from which it was taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    pub user: String,
    /// `group.name`, else the access control list.
    pub group: Option<String>,
    pub acl: Option<String>,
    #[serde(serialize_with = "json::word")]
    pub status: JobStatus,
    pub frequency: String,
    pub time_unit: String,
    pub time_zone: String,
    /// The clock that the frequency follows, in words; where one job is shown.
    #[serde(skip)]
    pub clock: Option<String>,
    #[serde(serialize_with = "json::time")]
    pub start_time: Timestamp,
    #[serde(serialize_with = "json::time")]
    pub end_time: Timestamp,
    #[serde(serialize_with = "json::time_or_null")]
    pub pause_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time_or_null")]
    pub next_materialized_time: Option<Timestamp>,
    /// The nominal time of the last action that was created.
    #[serde(serialize_with = "json::time_or_null")]
    pub last_action: Option<Timestamp>,
    pub concurrency: i32,
    pub execution_policy: String,
    pub mat_throttling: i32,
    pub time_out: i32,
    /// What is done after failures, where one job is shown that has such a policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure_policy: Option<FailurePolicyView>,
    /// Since when the failure policy has suspended it, and why; only where one job is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suspension: Option<String>,
    /// The number of actions the job will have in all; `None` when counting them would take too long.
    pub total: Option<u64>,
    /// How many actions wait for their inputs or for their turn.
    pub waiting: u32,
    /// How many actions ended without success.
    pub failed: u32,
    /// How long ago the nominal time of the oldest open action was, where it takes much longer than usual.
    pub late_seconds: Option<i64>,
    /// When the last of the actions that have succeeded ended.
    #[serde(serialize_with = "json::time_or_null")]
    pub last_success_time: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actions: Option<Vec<CoordinatorActionView>>,
    /// How many actions have each status, for the person's table.
    #[serde(skip)]
    pub counts: BTreeMap<ActionStatus, u32>,
    #[serde(skip)]
    pub created_time: Timestamp,
    /// The nominal time of the next action, when one will still be created; for the person's table.
    #[serde(skip)]
    pub next_time: Option<Timestamp>,
}

/// A coordinator action under Oozie's field names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CoordinatorActionView {
    pub id: String,
    pub action_number: u32,
    #[serde(serialize_with = "json::time")]
    pub nominal_time: Timestamp,
    #[serde(serialize_with = "json::time")]
    pub created_time: Timestamp,
    #[serde(serialize_with = "json::time")]
    pub last_modified_time: Timestamp,
    #[serde(serialize_with = "json::word")]
    pub status: ActionStatus,
    /// The id of its workflow job.
    pub external_id: Option<String>,
    pub external_status: Option<String>,
    /// What it waits for and is not there now.
    pub missing_dependencies: Vec<String>,
    /// What its searches and its input logic came to when it became READY or, before that, would now; only where one
    /// action is asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// What others were told about it; only where one action is shown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub deliveries: Vec<DeliveryView>,
    /// What was promised of it, where one action is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sla: Option<SlaSummaryView>,
    /// Its data, its configuration and its workflow job; only where one action is shown.
    #[serde(flatten)]
    pub detail: Option<Box<ActionDetail>>,
    /// Its next rerun by the failure policy, where one action is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub planned_rerun: Option<PlannedRerunView>,
}

/// A page of coordinator jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CoordinatorJobsView {
    pub total: u32,
    pub offset: u32,
    pub len: u32,
    pub coordinatorjobs: Vec<CoordinatorJobView>,
}

/// What is looked up of a coordinator job in a list, beside what Oozie shows: each of these needs statements of its
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Nothing: a total, a lateness or a success is not known, and the short name is the id.
    Oozie,
    /// When an action last succeeded.
    LastSuccess,
    /// Everything.
    Whole,
}

/// Which actions `info` lists.
#[derive(Clone, Debug)]
pub struct ActionSelection {
    /// `None` matches nothing.
    pub filter: Option<ActionFilter>,
    pub order: ActionOrder,
    pub page: Page,
}

/// What `info JOB` shows: the job with a page of its actions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorInfo {
    pub job: CoordinatorJobView,
    /// How many actions the filter matches.
    pub matching: u32,
    /// How many of them come before the page.
    pub offset: u32,
}

impl Query<'_> {
    /// A page of the coordinator jobs that match, newest first.
    pub fn coordinator_jobs(&mut self, filter: &JobFilter, page: Page, extent: Extent) -> Result<CoordinatorJobsView> {
        let (jobs, total) = self.snapshot.coordinator_job_page(filter, page)?;
        let views = jobs.iter().map(|job| self.coordinator_in_list(job, extent)).collect::<Result<_>>()?;
        Ok(CoordinatorJobsView { total, offset: page.offset + 1, len: page.len, coordinatorjobs: views })
    }

    /// A coordinator job with a page of its actions.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn coordinator_info(&mut self, id: &JobId, selection: &ActionSelection) -> Result<CoordinatorInfo> {
        let row = self.coordinator_job(id)?;
        let mut job = self.coordinator_in_list(&row, Extent::Whole)?;
        job.failure_policy = self.failure_policy(&row)?;
        job.suspension = self.suspension_by_policy(&row)?;
        let (actions, matching) = match &selection.filter {
            Some(filter) => {
                let page = self.snapshot.action_page(row.job, filter, selection.order, selection.page)?;
                (page.actions, page.total)
            }
            None => (Vec::new(), 0),
        };
        job.actions = Some(actions.iter().map(|action| self.action_view(&row, action)).collect());
        Ok(CoordinatorInfo { job, matching, offset: selection.page.offset })
    }

    /// One action of a coordinator job.
    ///
    /// # Errors
    /// E0604, E0605 when there is no such job or action.
    pub fn coordinator_action_info(&mut self, id: &JobId, number: u32) -> Result<CoordinatorActionView> {
        let job = self.coordinator_job(id)?;
        let action = self.coordinator_action(&job, number)?;
        let decision = match action.status {
            ActionStatus::Waiting => self.decision_now(&job, &action),
            _ => self.decision(&action)?,
        };
        let deliveries = DeliveryView::all(&self.snapshot.deliveries_of_action(action.key())?);
        let sla = self.sla_of(action.key())?;
        let detail = Some(Box::new(self.action_detail(&job, &action)?));
        let planned_rerun = self.planned_rerun(&job, &action)?;
        let view = self.action_view(&job, &action);
        Ok(CoordinatorActionView { decision, deliveries, sla, detail, planned_rerun, ..view })
    }

    /// A coordinator job as a list shows it.
    pub(crate) fn coordinator_in_list(&mut self, job: &CoordinatorJob, extent: Extent) -> Result<CoordinatorJobView> {
        let counts = self.snapshot.action_counts(job.job)?;
        let is_whole = extent == Extent::Whole;
        let total = if is_whole { self.total_of(job, &counts) } else { None };
        let late = if is_whole { self.late_action(job)? } else { None };
        let clock = if is_whole { self.clock_of(job) } else { None };
        let last_success_time = if extent == Extent::Oozie { None } else { self.last_success_of(job)? };
        let name = (job.name.as_str(), &job.id);
        let short_name = if is_whole {
            target::shortest_name(self.snapshot, name, job.status.is_terminal())?
        } else {
            job.id.as_str()
        };
        let last = ActionKey { job: job.job, number: job.last_action_number };
        let last = self.snapshot.coordinator_action(last)?;
        let bundle = job.parent_bundle.map(|bundle| self.snapshot.bundle_job_at(bundle)).transpose()?.flatten();
        let takeover = self.snapshot.takeover_of_job(job.job)?;
        let of = |statuses: &[ActionStatus]| -> u32 { statuses.iter().filter_map(|status| counts.get(status)).sum() };
        Ok(CoordinatorJobView {
            coord_job_id: job.id.to_string(),
            coord_job_name: job.name.clone(),
            short_name: short_name.to_owned(),
            coord_job_path: job.app_path.clone(),
            bundle_id: bundle.map(|bundle| bundle.id.to_string()),
            external_id: takeover.map(|takeover| takeover.oozie_id),
            user: job.user.clone(),
            group: job.group_name.clone(),
            acl: job.acl.clone(),
            status: job.status,
            frequency: job.frequency.clone(),
            time_unit: job.time_unit.clone(),
            time_zone: job.time_zone.clone(),
            clock,
            start_time: job.start_at,
            end_time: job.end_at,
            pause_time: job.pause_at,
            next_materialized_time: job.next_materialized_at,
            last_action: last.map(|action| action.nominal_at),
            concurrency: job.concurrency,
            execution_policy: job.execution.to_string(),
            mat_throttling: job.throttle,
            time_out: job.timeout_minutes,
            failure_policy: None,
            suspension: None,
            total,
            waiting: of(&[ActionStatus::Waiting, ActionStatus::Ready]),
            failed: of(&[ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut]),
            late_seconds: late.map(|late| late.seconds),
            last_success_time,
            actions: None,
            counts,
            created_time: job.created_at,
            next_time: Some(job.next_materialized_at.unwrap_or(job.start_at))
                .filter(|next| !job.status.is_terminal() && *next < job.end_at),
        })
    }

    /// How many actions a job will have in all, of which `counts` exist.
    fn total_of(&mut self, job: &CoordinatorJob, counts: &BTreeMap<ActionStatus, u32>) -> Option<u64> {
        let created = counts.values().map(|count| u64::from(*count)).sum();
        total_of_minutes(job, created).or_else(|| {
            // A definition that cannot be read any more must not hide the job.
            let application = self.application(job, job.definition_version).ok()?;
            total(&application.coordinator.schedule, job, created)
        })
    }

    /// The clock that the frequency of a job follows; `None` when its definition cannot be read any more.
    fn clock_of(&mut self, job: &CoordinatorJob) -> Option<String> {
        let application = self.application(job, job.definition_version).ok()?;
        Some(application.coordinator.schedule.clock())
    }

    /// An action as a list shows it.
    pub fn action_view(&mut self, job: &CoordinatorJob, action: &CoordinatorAction) -> CoordinatorActionView {
        CoordinatorActionView {
            id: format!("{}@{}", job.id, action.number),
            action_number: action.number,
            nominal_time: action.nominal_at,
            created_time: action.created_at,
            last_modified_time: action.modified_at,
            status: action.status,
            external_id: action.external_id.clone(),
            external_status: action.external_status.clone(),
            missing_dependencies: self.missing_dependencies(job, action),
            decision: None,
            error_code: action.error_code.clone(),
            error_message: action.error_message.clone(),
            deliveries: Vec::new(),
            sla: None,
            detail: None,
            planned_rerun: None,
        }
    }

    /// What is decided or would be now; `None` when nothing would or the inputs cannot be computed.
    fn decision_now(&mut self, job: &CoordinatorJob, action: &CoordinatorAction) -> Option<Decision> {
        let application = self.application(job, action.definition_version).ok()?;
        let inputs = self.inputs_of(&application, action).ok()?;
        Some(inputs.decision).filter(|decision| !decision.is_empty())
    }

    /// What an action waits for, or timed out waiting for, and is not there now.
    fn missing_dependencies(&mut self, job: &CoordinatorJob, action: &CoordinatorAction) -> Vec<String> {
        if !matches!(action.status, ActionStatus::Waiting | ActionStatus::TimedOut) {
            return Vec::new();
        }
        let inputs = self
            .application(job, action.definition_version)
            .and_then(|application| self.inputs_of(&application, action));
        match inputs {
            Ok(inputs) => missing(&inputs.views).map(|instance| instance.uri.clone()).collect(),
            // What the last tick found is better than nothing; `explain` shows the error.
            Err(_) => action.first_missing.iter().map(ToString::to_string).collect(),
        }
    }
}
