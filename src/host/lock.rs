//! Exclusive locks on files, which vanish with their holder.
//!
//! A lock is an `flock` on a file of its own: the kernel drops it when the holder dies, so there is no
//! age to guess. The file stays behind; removing it would let two holders lock two files of one name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use super::found::{Found, Unknown};
use super::{files, ownership};
use crate::error::Error;

/// Holds the lock until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    /// Writes into the file what others should know of the holder; it stays there when the lock is gone.
    pub(crate) fn sign(&self, text: &str) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.write_all_at(text.as_bytes(), 0)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Said, not left to the closing of the file: a process that another thread is about to start has it open as
        // well.
        let _ = self.file.unlock();
    }
}

/// Bytes of what a holder writes that are read.
const LONGEST_SIGNATURE: u64 = 1 << 20;
/// How often a lock is tried that others only ask for.
const MOST_TRIES: usize = 1_000;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// Takes the lock `path`, creating the file for its owner alone; `None` when somebody else holds it.
/// H0111 when the file cannot be opened, is a link, for root another user's, or when the file system has no locks.
pub(crate) fn try_lock(path: &Path) -> Result<Option<Lock>, Error> {
    let refuse = |error: &io::Error| files::cannot_write(path, error);
    let file = open(path)?;
    for _ in 0..MOST_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock { file })),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(refuse(&error)),
        }
        // Whoever only asks shares the lock for a moment; a holder shares it with nobody.
        match file.try_lock_shared() {
            Ok(()) => file.unlock().map_err(|error| refuse(&error))?,
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(refuse(&error)),
        }
        std::thread::sleep(PAUSE);
    }
    Ok(None)
}

/// Opens the file of a lock, creating it for its owner alone. H0103, H0111.
fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    let flags = files::flags(files::PLAIN);
    let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path);
    opened
        .and_then(|file| ownership::check_open(&file).map(|()| file))
        .map_err(|error| files::cannot_write(path, &error))
}

/// Refuses (H0103, H0111) where the lock `path` could never be taken.
pub(crate) fn check(path: &Path) -> Result<(), Error> {
    open(path).map(drop)
}

/// Whether some process holds the lock `path` at this moment; the answer may be old when it arrives.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub(crate) fn is_held(path: &Path) -> Result<bool, Error> {
    let opened = files::open_plain(path);
    if opened.as_ref().is_err_and(|error| error.raw_os_error().is_none()) {
        // It is no regular file, so it is no lock that a process could have taken.
        return Ok(false);
    }
    let Some(file) = Found::of(path, opened).known()? else { return Ok(false) };
    let shared = file.try_lock_shared();
    // As a holder does.
    let _ = file.unlock();
    match shared {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(Unknown::about(path, &error).into()),
    }
}

/// What the last holder of the lock has written into it; whether that one is at work still, it must say itself.
pub(crate) fn signature(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = files::open_plain(path).and_then(|file| ownership::check_open(&file).map(|()| file));
    file.and_then(|file| file.take(LONGEST_SIGNATURE).read_to_string(&mut text)).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::error::ErrorCode;

    #[test]
    fn one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.tick.lock");
        assert!(!is_held(&path).unwrap());
        let first = try_lock(&path).unwrap();
        assert!(first.is_some());
        assert!(is_held(&path).unwrap());
        assert!(try_lock(&path).unwrap().is_none());
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        drop(first);
        assert!(!is_held(&path).unwrap());
        assert!(try_lock(&path).unwrap().is_some());
    }

    #[test]
    fn a_lock_does_not_live_on_in_a_copy_of_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.runner.lock");
        let lock = try_lock(&path).unwrap().unwrap();
        let copy = lock.file.try_clone().unwrap();
        drop(lock);
        assert!(!is_held(&path).unwrap() && try_lock(&path).unwrap().is_some());
        drop(copy);
    }

    /// Whoever asks at the wrong moment must not keep a runner from its work.
    #[test]
    fn a_question_is_no_holder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.runner.lock");
        drop(try_lock(&path).unwrap());
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(std::sync::atomic::Ordering::Relaxed) {
                        is_held(&path).unwrap();
                    }
                });
            }
            let taken = (0..2_000).filter(|_| try_lock(&path).unwrap().is_some()).count();
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(taken, 2_000);
        });
    }

    #[test]
    fn a_missing_folder_is_refused() {
        assert_eq!(try_lock(Path::new("/nonexistent/x.lock")).unwrap_err().code(), ErrorCode::H0111);
        assert_eq!(check(Path::new("/nonexistent/x.lock")).unwrap_err().code(), ErrorCode::H0111);
    }

    #[test]
    fn a_lock_that_cannot_be_looked_at_is_not_free() {
        let name = "x".repeat(300);
        assert_eq!(is_held(Path::new(&name)).unwrap_err().code(), ErrorCode::H0110);
        assert!(!is_held(Path::new("/nonexistent/x.lock")).unwrap());
    }
}
