//! The lock that lets one rerun at a time use a database.

use crate::engine::Engine;
use crate::error::{Error, ErrorCode, Result};
use crate::host::lock::{self, Lock};

/// Locks the database for one rerun; meanwhile no purge may decide to delete a job.
///
/// # Errors
/// H0108 while another one does.
pub(crate) fn lock(engine: &Engine) -> Result<Lock> {
    lock::try_lock(&engine.rerun_lock())?.ok_or_else(|| {
        let error = Error::new(ErrorCode::H0108, engine.store.path().display());
        error.help("one at a time, so that no output is deleted while it is written: try again in a moment")
    })
}
