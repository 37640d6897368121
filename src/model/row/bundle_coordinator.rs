//! A coordinator that a bundle names, with the result for it.

use crate::model::job_status::JobStatus;
use crate::model::row::key::{BundleKey, CoordinatorKey};

/// A coordinator that a bundle names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BundleCoordinator {
    pub(crate) bundle: BundleKey,
    /// Its position among the enabled coordinators of the bundle, from 1.
    pub(crate) sequence: u32,
    /// Its name in the bundle.
    pub(crate) name: String,
    /// `None` until it is submitted.
    pub(crate) coordinator_job: Option<CoordinatorKey>,
    /// Why it could not be submitted.
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    /// Its id in the Oozie from which its bundle was taken over.
    pub(crate) oozie_id: Option<String>,
    /// Its status there, which counts while it has no job here.
    pub(crate) oozie_status: Option<JobStatus>,
}

impl BundleCoordinator {
    /// Returns whether the coordinator is in an Oozie, and not here.
    pub(crate) fn is_in_oozie(&self) -> bool {
        self.coordinator_job.is_none() && self.oozie_id.is_some()
    }
}

/// A coordinator that a bundle names, with the status of its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BundleMember {
    pub(crate) coordinator: BundleCoordinator,
    /// `None` until there is a job, here or in the Oozie from which the bundle was taken over.
    pub(crate) status: Option<JobStatus>,
}
