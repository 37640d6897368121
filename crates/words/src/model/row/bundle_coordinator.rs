//! A coordinator that a bundle names, with the result for it.

use crate::model::job_status::JobStatus;
use crate::model::row::key::{BundleKey, CoordinatorKey};

/// A coordinator that a bundle names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BundleCoordinator {
    pub bundle: BundleKey,
    /// Its position among the enabled coordinators of the bundle, from 1.
    pub sequence: u32,
    /// Its name in the bundle.
    pub name: String,
    /// `None` until it is submitted.
    pub coordinator_job: Option<CoordinatorKey>,
    /// Why it could not be submitted.
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// Its id in the Oozie from which its bundle was taken over.
    pub oozie_id: Option<String>,
    /// Its status there, which counts while it has no job here.
    pub oozie_status: Option<JobStatus>,
}

impl BundleCoordinator {
    /// Returns whether the coordinator is in an Oozie, and not here.
    pub fn is_in_oozie(&self) -> bool {
        self.coordinator_job.is_none() && self.oozie_id.is_some()
    }
}

/// A coordinator that a bundle names, with the status of its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BundleMember {
    pub coordinator: BundleCoordinator,
    /// `None` until there is a job, here or in the Oozie from which the bundle was taken over.
    pub status: Option<JobStatus>,
}
