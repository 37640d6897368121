//! Finds the jobs that match a filter, for verbs on many jobs.

use crate::engine::Engine;
use crate::error::Result;
use crate::model::id::{JobId, JobKind};
use crate::store::{JobFilter, Page};

/// Returns the ids of all jobs of a kind that match; Oozie stops after one page, howdah does not.
///
/// # Errors
/// Any failure of the database.
pub(crate) fn matching(engine: &Engine, kind: JobKind, filter: &JobFilter) -> Result<Vec<JobId>> {
    let all = Page { offset: 0, len: u32::MAX };
    engine.store.read(|snapshot| {
        Ok(match kind {
            JobKind::Workflow => snapshot.workflow_job_page(filter, all)?.0.into_iter().map(|job| job.id).collect(),
            JobKind::Bundle => snapshot.bundle_job_page(filter, all)?.0.into_iter().map(|job| job.id).collect(),
            JobKind::Coordinator => {
                snapshot.coordinator_job_page(filter, all)?.0.into_iter().map(|job| job.id).collect()
            }
        })
    })
}
