//! The lock that lets one rerun at a time use a database.

use std::time::Duration;

use crate::{Engine, shadow};
use howdah_host::clock;
use howdah_host::lock::{self, Lock};
use howdah_words::error::{Error, ErrorCode, Result};

/// How long a person waits: a purge, which a tick may have started, holds the lock only for moments.
const SHORT_WAIT: Duration = Duration::from_millis(500);
/// How long a client that does not try again waits for the reruns of others.
const LONG_WAIT: Duration = Duration::from_secs(20);
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(20);

/// Locks the database for one rerun; meanwhile no purge may decide to delete a job.
///
/// # Errors
/// H0108 while another one does, H0245 in a shadow.
pub fn lock(engine: &Engine) -> Result<Lock> {
    lock_within(engine, SHORT_WAIT)
}

/// As `lock`, and waits some seconds for the reruns of others.
///
/// # Errors
/// As `lock`.
pub(crate) fn lock_in_turn(engine: &Engine) -> Result<Lock> {
    lock_within(engine, LONG_WAIT)
}

fn lock_within(engine: &Engine, wait: Duration) -> Result<Lock> {
    let mut waited = Duration::ZERO;
    loop {
        if let Some(lock) = try_lock(engine)? {
            return Ok(lock);
        }
        if waited >= wait {
            break;
        }
        clock::pause(PAUSE);
        waited += PAUSE;
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
