//! Jobs that a folder described before, and does not describe any more.

use std::collections::BTreeSet;

use super::state::{Item, Key, Manner, Step, source_in, source_of};
use howdah_store::{JobFilter, Page, Snapshot};
use howdah_words::error::Result;
use howdah_words::model::id::{JobId, JobKind};

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
        if is_candidate && is_ours(manner, source_of(snapshot, &job)?.as_deref()) {
            add(JobKind::Coordinator, key, job.id);
        }
    }
    let all = Page { offset: 0, len: u32::MAX };
    for job in snapshot.bundle_job_page(&JobFilter::default(), all)?.0 {
        let key = manner.key(&job.name, &job.app_path);
        let is_candidate = !job.status.is_terminal() && !described.contains(&key);
        if is_candidate && is_ours(manner, source_in(&snapshot.document(job.configuration)?)?.as_deref()) {
            add(JobKind::Bundle, key, job.id);
        }
    }
    Ok(gone)
}

fn is_ours(manner: &Manner, source: Option<&str>) -> bool {
    source.is_some_and(|source| manner.sources.contains(source))
}
