//! `jobs` and `info` of bundle jobs.

use serde::Serialize;

use crate::query::context::Query;
use crate::query::coordinator::{CoordinatorJobView, Extent};
use crate::query::json;
use howdah_engine::lookup::unknown;
use howdah_store::{JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleJob, BundleMember};
use howdah_words::model::time::Timestamp;

/// A bundle job under Oozie's field names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BundleJobView {
    pub bundle_job_id: String,
    pub bundle_job_name: String,
    pub bundle_job_path: String,
    /// Its id in the Oozie from which it was taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    pub user: String,
    pub group: Option<String>,
    pub acl: Option<String>,
    #[serde(serialize_with = "json::word")]
    pub status: JobStatus,
    /// `None`: at once.
    #[serde(serialize_with = "json::time_or_null")]
    pub kickoff_time: Option<Timestamp>,
    /// When its coordinators were submitted.
    #[serde(serialize_with = "json::time_or_null")]
    pub start_time: Option<Timestamp>,
    /// The end of its coordinators, when a command set it.
    #[serde(serialize_with = "json::time_or_null")]
    pub end_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time_or_null")]
    pub pause_time: Option<Timestamp>,
    #[serde(serialize_with = "json::time")]
    pub created_time: Timestamp,
    /// The coordinator jobs; of a list of bundles none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundle_coord_jobs: Option<Vec<CoordinatorJobView>>,
    /// The coordinators that have no job here.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub not_submitted: Vec<NotSubmittedView>,
    /// When it was over, for the person's table.
    #[serde(skip)]
    pub ended_time: Option<Timestamp>,
    /// How many coordinators have which status, for the person's table.
    #[serde(skip)]
    pub tally: String,
}

/// A coordinator of a bundle that has no job here, not yet or never.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NotSubmittedView {
    pub coord_job_name: String,
    /// Why it was refused; `None` when it is not its turn, or another one was refused.
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// Its id and its status in the Oozie from which its bundle was taken over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "json::word_or_null")]
    pub status: Option<JobStatus>,
}

/// A page of bundle jobs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BundleJobsView {
    pub total: u32,
    pub offset: u32,
    pub len: u32,
    pub bundlejobs: Vec<BundleJobView>,
}

impl Query<'_> {
    /// A page of the bundle jobs that match, newest first.
    pub fn bundle_jobs(&self, filter: &JobFilter, page: Page) -> Result<BundleJobsView> {
        let (jobs, total) = self.snapshot.bundle_job_page(filter, page)?;
        let bundlejobs = jobs.iter().map(|job| self.bundle_in_list(job)).collect::<Result<_>>()?;
        Ok(BundleJobsView { total, offset: page.offset + 1, len: page.len, bundlejobs })
    }

    /// A bundle job with its coordinators.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn bundle_info(&mut self, id: &JobId) -> Result<BundleJobView> {
        let job = self.bundle_job(id)?;
        let members = self.snapshot.bundle_members(job.job)?;
        let mut view = self.bundle_in_list(&job)?;
        let mut coordinators = Vec::new();
        for coordinator in self.snapshot.coordinator_jobs_of_bundle(job.job)? {
            coordinators.push(self.coordinator_in_list(&coordinator, Extent::Whole)?);
        }
        view.bundle_coord_jobs = Some(coordinators);
        view.not_submitted = members.into_iter().filter_map(not_submitted).collect();
        Ok(view)
    }

    /// A bundle job as a list shows it, without its coordinators.
    pub(crate) fn bundle_in_list(&self, job: &BundleJob) -> Result<BundleJobView> {
        let takeover = self.snapshot.takeover_of_bundle(job.job)?;
        let external_id = takeover.map(|takeover| takeover.oozie_id);
        Ok(bundle_view(job, external_id, &self.snapshot.bundle_members(job.job)?))
    }

    /// The bundle job of an id; E0604 when there is none.
    pub fn bundle_job(&self, id: &JobId) -> Result<BundleJob> {
        self.snapshot.bundle_job(id)?.ok_or_else(|| unknown(id))
    }
}

fn bundle_view(job: &BundleJob, external_id: Option<String>, members: &[BundleMember]) -> BundleJobView {
    BundleJobView {
        bundle_job_id: job.id.to_string(),
        bundle_job_name: job.name.clone(),
        bundle_job_path: job.app_path.clone(),
        external_id,
        user: job.user.clone(),
        group: job.group_name.clone(),
        acl: job.acl.clone(),
        status: job.status,
        kickoff_time: job.kickoff_at,
        start_time: job.started_at,
        end_time: job.end_at,
        pause_time: job.pause_at,
        created_time: job.created_at,
        bundle_coord_jobs: None,
        not_submitted: Vec::new(),
        ended_time: job.ended_at,
        tally: tally(members),
    }
}

/// How many coordinators of a bundle have which status: `2 RUNNING, 1 not submitted`.
pub fn tally(members: &[BundleMember]) -> String {
    let mut parts = Vec::new();
    for status in JobStatus::ALL {
        match members.iter().filter(|member| member.status == Some(*status)).count() {
            0 => {}
            count => parts.push(format!("{count} {status}")),
        }
    }
    match members.iter().filter(|member| member.status.is_none()).count() {
        0 => {}
        count => parts.push(format!("{count} not submitted")),
    }
    parts.join(", ")
}

fn not_submitted(member: BundleMember) -> Option<NotSubmittedView> {
    let coordinator = member.coordinator;
    coordinator.coordinator_job.is_none().then_some(NotSubmittedView {
        coord_job_name: coordinator.name,
        error_code: coordinator.error_code,
        error_message: coordinator.error_message,
        external_id: coordinator.oozie_id,
        status: coordinator.oozie_status,
    })
}
