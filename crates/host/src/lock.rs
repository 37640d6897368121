//! Exclusive locks on files, which vanish with their holder.
//!
//! A lock is an `flock` on its own file: the kernel drops it when the holder dies, so no age must be guessed. The file
//! stays: after a removal two holders could lock two files of one name.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

use super::found::{Found, Unknown};
use super::{files, ownership};
use howdah_words::error::Error;

/// Holds the lock until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Writes into the file what others should know about the holder; the text stays when the lock is gone.
    ///
    /// Cuts the file behind the text and not before it: file systems write a file that was emptied to the disk when it
    /// is closed. Between the two steps a reader may find a text with the end of the old one behind it.
    pub fn sign(&self, text: &str) -> io::Result<()> {
        let written = self.file.write_all_at(text.as_bytes(), 0);
        self.file.set_len(if written.is_ok() { text.len() as u64 } else { 0 })?;
        written
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Unlock explicitly: another process that is being started may have a copy of the open file.
        let _ = self.file.unlock();
    }
}

/// The most bytes of a holder's text that are read.
const LONGEST_SIGNATURE: u64 = 1 << 20;
/// How often to try a lock that another process is only querying.
const MOST_TRIES: usize = 1_000;
/// Between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// Takes the lock `path` and creates its file with access for the owner only; `None` when another process holds it.
/// H0111 when the file cannot be opened, is a link, belongs to another user while this process is root, or when the
/// file system has no locks.
pub fn try_lock(path: &Path) -> Result<Option<Lock>, Error> {
    let refuse = |error: &io::Error| files::cannot_write(path, error);
    let file = open(path)?;
    for _ in 0..MOST_TRIES {
        match file.try_lock() {
            Ok(()) => return Ok(Some(Lock { file })),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(refuse(&error)),
        }
        // A process that only queries takes the lock shared, for a moment; a holder takes it exclusively.
        match file.try_lock_shared() {
            Ok(()) => file.unlock().map_err(|error| refuse(&error))?,
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(refuse(&error)),
        }
        std::thread::sleep(PAUSE);
    }
    Ok(None)
}

/// Opens the file of a lock; creates it with access for the owner only. H0103, H0111.
fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    let flags = files::flags(files::PLAIN);
    let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).custom_flags(flags).open(path);
    opened
        .and_then(|file| ownership::check_open(&file).map(|()| file))
        .map_err(|error| files::cannot_write(path, &error))
}

/// Checks that the lock `path` can be taken at all. H0103, H0111.
pub fn check(path: &Path) -> Result<(), Error> {
    open(path).map(drop)
}

/// Whether a process holds the lock `path` at this moment; the answer may already be out of date.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub fn is_held(path: &Path) -> Result<bool, Error> {
    let opened = files::open_plain(path);
    if opened.as_ref().is_err_and(|error| error.raw_os_error().is_none()) {
        // It is no regular file, so no process can hold it as a lock.
        return Ok(false);
    }
    let Some(file) = Found::of(path, opened).known()? else { return Ok(false) };
    let shared = file.try_lock_shared();
    // Explicitly, as a holder does.
    let _ = file.unlock();
    match shared {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(Unknown::about(path, &error).into()),
    }
}

/// The text that the last holder of the lock wrote; it does not say whether that process still runs.
pub fn signature(path: &Path) -> Option<String> {
    let mut text = String::new();
    let file = files::open_plain(path).and_then(|file| ownership::check_open(&file).map(|()| file));
    file.and_then(|file| file.take(LONGEST_SIGNATURE).read_to_string(&mut text)).ok()?;
    Some(text)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use howdah_words::error::ErrorCode;

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
    fn a_lock_ends_although_its_file_is_open_in_a_child() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("db.runner.lock");
        let lock = try_lock(&path).unwrap().unwrap();
        let copy = lock.file.try_clone().unwrap();
        drop(lock);
        assert!(!is_held(&path).unwrap() && try_lock(&path).unwrap().is_some());
        drop(copy);
    }

    /// A query at the wrong moment must not stop a runner from working.
    #[test]
    fn a_query_does_not_take_the_lock() {
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
    fn a_lock_that_cannot_be_queried_is_not_free() {
        let name = "x".repeat(300);
        assert_eq!(is_held(Path::new(&name)).unwrap_err().code(), ErrorCode::H0110);
        assert!(!is_held(Path::new("/nonexistent/x.lock")).unwrap());
    }
}
