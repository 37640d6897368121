//! The lock that lets one rerun at a time use a database.

use std::time::Duration;

use crate::{Engine, shadow};
use howdah_host::clock;
use howdah_host::lock::{self, Lock};
use howdah_words::error::{Error, ErrorCode, Result};

/// How often the lock is tried: a purge, which a tick may have started, holds it only for moments.
const MOST_TRIES: u32 = 25;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Locks the database for one rerun; meanwhile no purge may decide to delete a job.
///
/// # Errors
/// H0108 while another one does, H0245 in a shadow.
pub fn lock(engine: &Engine) -> Result<Lock> {
    engine.store.read(|snapshot| shadow::refuse(snapshot, "nothing runs again in it"))?;
    for _ in 0..MOST_TRIES {
        if let Some(lock) = try_lock(engine)? {
            return Ok(lock);
        }
        clock::pause(PAUSE);
    }
    let error = Error::new(ErrorCode::H0108, engine.store.path().display());
    Err(error.help("one at a time, so that no output is deleted while it is written: try again in a moment"))
}

/// As `lock`, without waiting: `None` while another process has the lock.
///
/// # Errors
/// H0111 when the lock cannot be taken.
pub fn try_lock(engine: &Engine) -> Result<Option<Lock>> {
    engine.store.read(|snapshot| shadow::refuse(snapshot, "nothing runs again in it"))?;
    lock::try_lock(&engine.rerun_lock())
}
