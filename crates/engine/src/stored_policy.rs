//! The failure policy of a stored coordinator.

use crate::settings::failure_policy::{FailurePolicy, RERUN, SUSPEND};
use crate::stored_properties::read_properties;
use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::Properties;
use howdah_words::model::row::CoordinatorJob;

/// Returns the policy of a job: that of its present configuration, over that of the site.
///
/// # Errors
/// A failure of the database.
pub fn of_job(snapshot: &Snapshot, of_site: FailurePolicy, job: &CoordinatorJob) -> Result<FailurePolicy> {
    Ok(of_site.of_job(&properties(snapshot, job)?))
}

/// Checks whether a job has a policy of its own.
///
/// # Errors
/// A failure of the database.
pub fn is_own(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<bool> {
    let properties = properties(snapshot, job)?;
    Ok([RERUN, SUSPEND].iter().any(|name| properties.contains_key(*name)))
}

fn properties(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<Properties> {
    match snapshot.coordinator_definition(job.job, job.definition_version)? {
        Some(definition) => read_properties(&snapshot.document(definition.configuration)?),
        None => Ok(Properties::new()),
    }
}
