//! The job of an id that a person wrote.

use crate::error::{Error, ErrorCode, Result};
use crate::model::id::{JobId, JobKind};
use crate::store::{CoordinatorJob, Snapshot};

/// The error for a job that is not in the database.
pub(crate) fn unknown(id: &JobId) -> Error {
    Error::new(ErrorCode::E0604, id).help("`howdah jobs` lists the ids")
}

/// The coordinator job of an id.
///
/// # Errors
/// E0604 when there is no such job, E0302 when the id is none of a coordinator job.
pub(crate) fn coordinator(snapshot: &Snapshot, id: &JobId) -> Result<CoordinatorJob> {
    if id.kind() != JobKind::Coordinator {
        return Err(Error::new(ErrorCode::E0302, id).help("this verb is for coordinator jobs; their ids end in -C"));
    }
    snapshot.coordinator_job(id)?.ok_or_else(|| unknown(id))
}
