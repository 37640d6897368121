//! One rerun works on a database at a time.

use crate::engine::Engine;
use crate::error::{Error, ErrorCode, Result};
use crate::host::lock::{self, Lock};

/// Lets one rerun at a time work on a database, and no purge decide at that time that a job may go.
///
/// # Errors
/// H0108 while another one does.
pub(crate) fn lock(engine: &Engine) -> Result<Lock> {
    lock::try_lock(&engine.rerun_lock())?.ok_or_else(|| {
        let error = Error::new(ErrorCode::H0108, engine.store.path().display());
        error.help(
            "one at a time, so that no output is deleted that is being written or for nothing: try again in a moment",
        )
    })
}
