//! Jobs that a folder described before, and does not describe any more.

use std::collections::BTreeSet;

use super::state::{Item, Key, Manner, SOURCE, Step};
use crate::engine::stored_properties::read_properties;
use crate::error::Result;
use crate::model::id::{JobId, JobKind};
use crate::model::row::CoordinatorJob;
use crate::store::{JobFilter, Page, Snapshot};

/// Returns the live jobs with one of the sources that are not among the described ones.
///
/// # Errors
/// H0107 for properties that howdah did not write, or a failure of the database.
pub(super) fn gone(snapshot: &Snapshot, manner: &Manner, described: &BTreeSet<Key>) -> Result<Vec<Item>> {
    let mut gone = Vec::new();
    let mut add = |kind: JobKind, key: Key, id: JobId| {
        gone.push(Item { key, kind, wanted: None, step: Step::Gone(id) });
    };
    for job in snapshot.live_coordinator_jobs()? {
        let key = manner.key(&job.name, &job.app_path);
        let is_candidate = job.parent_bundle.is_none() && !described.contains(&key);
        if is_candidate && is_ours(manner, configuration(snapshot, &job)?.as_deref())? {
            add(JobKind::Coordinator, key, job.id);
        }
    }
    let all = Page { offset: 0, len: u32::MAX };
    for job in snapshot.bundle_job_page(&JobFilter::default(), all)?.0 {
        let key = manner.key(&job.name, &job.app_path);
        if !job.status.is_terminal()
            && !described.contains(&key)
            && is_ours(manner, Some(&snapshot.document(job.configuration)?))?
        {
            add(JobKind::Bundle, key, job.id);
        }
    }
    Ok(gone)
}

fn configuration(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<Option<String>> {
    let stored = snapshot.coordinator_definition(job.job, job.definition_version)?;
    stored.map(|stored| snapshot.document(stored.configuration)).transpose()
}

fn is_ours(manner: &Manner, configuration: Option<&str>) -> Result<bool> {
    // Most jobs were never applied: their configurations need not be parsed.
    let Some(text) = configuration.filter(|text| text.contains(SOURCE)) else { return Ok(false) };
    Ok(read_properties(text)?.get(SOURCE).is_some_and(|source| manner.sources.contains(source)))
}
