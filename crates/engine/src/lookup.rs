//! Finds the job of an id that a user gave.

use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleJob, CoordinatorJob, WorkflowJob};
use howdah_words::model::status::WorkflowStatus;

/// A job of any kind.
#[derive(Clone, Debug)]
pub enum Job {
    Coordinator(CoordinatorJob),
    Workflow(WorkflowJob),
    Bundle(BundleJob),
}

impl Job {
    /// Returns the job of an id.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn of(snapshot: &Snapshot, id: &JobId) -> Result<Self> {
        Self::find(snapshot, id)?.ok_or_else(|| unknown(id))
    }

    /// Returns the same; `None` when there is no such job.
    pub fn find(snapshot: &Snapshot, id: &JobId) -> Result<Option<Self>> {
        Ok(match id.kind() {
            JobKind::Coordinator => snapshot.coordinator_job(id)?.map(Self::Coordinator),
            JobKind::Workflow => snapshot.workflow_job(id)?.map(Self::Workflow),
            JobKind::Bundle => snapshot.bundle_job(id)?.map(Self::Bundle),
        })
    }

    /// Returns the name of the job.
    pub fn name(&self) -> &str {
        match self {
            Self::Coordinator(job) => &job.name,
            Self::Workflow(job) => &job.name,
            Self::Bundle(job) => &job.name,
        }
    }

    /// Returns the user of the job.
    pub fn user(&self) -> &str {
        match self {
            Self::Coordinator(job) => &job.user,
            Self::Workflow(job) => &job.user,
            Self::Bundle(job) => &job.user,
        }
    }

    /// Returns the word of the job's status.
    pub const fn status(&self) -> &'static str {
        match self {
            Self::Coordinator(job) => job.status.as_str(),
            Self::Workflow(job) => job.status.as_str(),
            Self::Bundle(job) => job.status.as_str(),
        }
    }

    /// Checks whether nothing more happens to it without a command.
    pub const fn is_over(&self) -> bool {
        match self {
            Self::Coordinator(job) => job.status.is_terminal(),
            Self::Workflow(job) => job.status.is_terminal(),
            Self::Bundle(job) => job.status.is_terminal(),
        }
    }

    /// Checks whether it is over and succeeded.
    pub fn has_succeeded(&self) -> bool {
        match self {
            Self::Coordinator(job) => job.status == JobStatus::SUCCEEDED,
            Self::Workflow(job) => matches!(job.status, WorkflowStatus::Succeeded),
            Self::Bundle(job) => job.status == JobStatus::SUCCEEDED,
        }
    }

    /// Returns the coordinator jobs of it: itself, or those of a bundle.
    pub fn into_coordinators(self, snapshot: &Snapshot) -> Result<Vec<CoordinatorJob>> {
        match self {
            Self::Coordinator(job) => Ok(vec![job]),
            Self::Workflow(_) => Ok(Vec::new()),
            Self::Bundle(job) => snapshot.coordinator_jobs_of_bundle(job.job),
        }
    }
}

/// Returns the error for a job that is not in the database.
pub fn unknown(id: &JobId) -> Error {
    Error::new(ErrorCode::E0604, id).help("`howdah jobs` lists the ids")
}

/// Returns the coordinator job of an id.
///
/// # Errors
/// E0604 when there is no such job, E0302 when the id is not that of a coordinator job.
pub fn coordinator(snapshot: &Snapshot, id: &JobId) -> Result<CoordinatorJob> {
    if id.kind() != JobKind::Coordinator {
        return Err(Error::new(ErrorCode::E0302, id).help("this verb is for coordinator jobs; their ids end in -C"));
    }
    snapshot.coordinator_job(id)?.ok_or_else(|| unknown(id))
}
