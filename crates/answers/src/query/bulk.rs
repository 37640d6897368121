//! `jobs --bulk`: actions of the coordinators of bundles in one list, such as everything of last night that failed.
//!
//! Bundle by bundle, newest first; of each its coordinators in document order, and of each its actions by number. Only
//! the jobs of which an action is shown are looked at closely.

use serde::Serialize;

use crate::query::bundle::BundleJobView;
use crate::query::context::Query;
use crate::query::coordinator::{CoordinatorActionView, CoordinatorJobView, Extent};
use crate::query::filter::BulkSelection;
use howdah_store::{ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{BundleJob, CoordinatorAction, CoordinatorJob};

/// A page of actions of bundles, under Oozie's field names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BulkView {
    pub total: u32,
    pub offset: u32,
    pub len: u32,
    pub bulkresponses: Vec<BulkActionView>,
}

/// An action with the jobs above it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BulkActionView {
    pub bulkbundle: BundleJobView,
    pub bulkcoord: CoordinatorJobView,
    pub bulkaction: CoordinatorActionView,
}

impl Query<'_> {
    /// A page of the actions that match.
    ///
    /// # Errors
    /// E0604 when there is no such bundle.
    pub fn bulk(&mut self, selection: &BulkSelection, page: Page) -> Result<BulkView> {
        let every = Page { offset: 0, len: u32::MAX };
        let (bundles, _) = self.snapshot.bundle_job_page(&selection.bundles, every)?;
        if bundles.is_empty() {
            let asked = [&selection.bundles.ids, &selection.bundles.names].map(|list| list.join(", ")).concat();
            let help = "`howdah jobs --jobtype bundle` lists the names and the ids";
            return Err(Error::new(ErrorCode::E0604, asked).help(help));
        }
        let mut view = BulkView { total: 0, offset: page.offset + 1, len: page.len, bulkresponses: Vec::new() };
        for bundle in &bundles {
            let jobs = self.snapshot.coordinator_jobs_of_bundle(bundle.job)?;
            for job in jobs.iter().filter(|job| selection.takes(job)) {
                let shown = u32::try_from(view.bulkresponses.len()).unwrap_or(u32::MAX);
                let rest = Page { offset: page.offset.saturating_sub(view.total), len: page.len - shown };
                let found = self.snapshot.action_page(job.job, &selection.actions, ActionOrder::OldestFirst, rest)?;
                view.total = view.total.saturating_add(found.total);
                if !found.actions.is_empty() {
                    view.bulkresponses.extend(self.with_jobs(bundle, job, &found.actions)?);
                }
            }
        }
        Ok(view)
    }

    fn with_jobs(
        &mut self,
        bundle: &BundleJob,
        job: &CoordinatorJob,
        actions: &[CoordinatorAction],
    ) -> Result<Vec<BulkActionView>> {
        let bulkbundle = self.bundle_in_list(bundle)?;
        let bulkcoord = self.coordinator_in_list(job, Extent::Whole)?;
        let with_jobs = |action| BulkActionView {
            bulkbundle: bulkbundle.clone(),
            bulkcoord: bulkcoord.clone(),
            bulkaction: self.action_view(job, action),
        };
        Ok(actions.iter().map(with_jobs).collect())
    }
}
