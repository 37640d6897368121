//! `jobs` that lists nothing: which jobs of the other kinds there are.
//!
//! A person who forgot the type must not think that a job is lost. Lists nothing itself.

use crate::query::context::Query;
use crate::query::filter::JobsFilter;
use howdah_store::Page;
use howdah_words::error::Result;
use howdah_words::model::id::JobKind;

/// Matching jobs are counted, none is read.
const NONE: Page = Page { offset: 0, len: 0 };

impl Query<'_> {
    /// How many jobs of each kind but `kind` match a filter; kinds of which none does are left out, and so are those
    /// that do not know a name or a status of the filter.
    ///
    /// # Errors
    /// A failure of the database.
    pub fn jobs_of_other_kinds(&self, kind: JobKind, filter: &str) -> Result<Vec<(JobKind, u32)>> {
        let mut others = Vec::new();
        for other in [JobKind::Coordinator, JobKind::Workflow, JobKind::Bundle] {
            let filter = JobsFilter::parse(filter, other).and_then(|filter| filter.matching(self.now));
            let Some(filter) = filter.ok().filter(|_| other != kind) else { continue };
            let number = match other {
                JobKind::Coordinator => self.snapshot.coordinator_job_page(&filter, NONE)?.1,
                JobKind::Workflow => self.snapshot.workflow_job_page(&filter, NONE)?.1,
                JobKind::Bundle => self.snapshot.bundle_job_page(&filter, NONE)?.1,
            };
            if number > 0 {
                others.push((other, number));
            }
        }
        Ok(others)
    }
}
