//! Finds the jobs that match a filter, for verbs on many jobs.

use crate::Engine;
use howdah_store::{JobFilter, Page};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind};

/// Returns the ids of all jobs of a kind that match; Oozie stops after one page, howdah does not.
///
/// # Errors
/// Any failure of the database.
pub fn matching(engine: &Engine, kind: JobKind, filter: &JobFilter) -> Result<Vec<JobId>> {
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
