//! The failure policy of a stored coordinator.

use crate::engine::settings::failure_policy::FailurePolicy;
use crate::engine::stored_properties::read_properties;
use crate::error::Result;
use crate::model::row::CoordinatorJob;
use crate::store::Snapshot;

/// Returns the policy of a job: that of its present configuration, over that of the site.
///
/// # Errors
/// A failure of the database.
pub(crate) fn of_job(snapshot: &Snapshot, of_site: FailurePolicy, job: &CoordinatorJob) -> Result<FailurePolicy> {
    let Some(definition) = snapshot.coordinator_definition(job.job, job.definition_version)? else {
        return Ok(of_site);
    };
    Ok(of_site.of_job(&read_properties(&snapshot.document(definition.configuration)?)?))
}
