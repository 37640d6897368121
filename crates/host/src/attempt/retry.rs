//! Retries of a shim while the machine fails: a full disk, too few processes, a file system that does not answer. It
//! retries with growing pauses, and writes into its attempt's folder what it waits for.
//!
//! Meanwhile the shim is alive, so the attempt counts as running. Must not depend on what is retried.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::folder::{missing_tree, read_start_of_any};
use super::kill::is_kill_requested;
use crate::fault::failing_point;
use crate::files::{self, Lasting};
use crate::found::{self, Found, Unknown};
use crate::metadata;
use howdah_words::error::Error;

/// The file with the reason for the wait.
const FILE: &str = "waiting";
/// The most bytes of it that are read.
const LONGEST_REASON: u64 = 1000;
/// The pause after the first failure; each is twice as long as the one before.
const FIRST_PAUSE: Duration = Duration::from_millis(50);
/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// How long a shim waits, for anything except disk space, before it gives up work that has not begun. That work is
/// then started again, and in the end waits for the user.
pub const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// One operation that is retried until it succeeds.
#[derive(Debug)]
pub struct Retry {
    folder: PathBuf,
    pause: Duration,
    started: Instant,
    reported: Option<String>,
}

impl Retry {
    /// No try yet, in the attempt's `folder`.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), pause: FIRST_PAUSE, started: Instant::now(), reported: None }
    }

    /// Whether to retry after a failure to begin the work: for disk space without a limit, for any other temporary
    /// error for [`LONGEST_WAIT`].
    pub fn allows(&self, error: &io::Error) -> bool {
        let is_about_room = matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded);
        found::may_pass(error) && (is_about_room || self.has_time())
    }

    /// The same for a failure that is known to be temporary, with whether it is about disk space; never for an attempt
    /// whose folder is gone.
    pub fn allows_passing(&self, is_about_room: bool) -> bool {
        (is_about_room || self.has_time()) && is_there(&self.folder)
    }

    /// Whether it has waited for less than [`LONGEST_WAIT`].
    pub(super) fn has_time(&self) -> bool {
        self.started.elapsed() < LONGEST_WAIT
    }

    /// Waits before the next try, and records why.
    pub fn wait(&mut self, why: &impl ToString) {
        let why = why.to_string();
        if self.reported.as_ref() != Some(&why) {
            let path = self.folder.join(FILE);
            // Only for information; there may be no space for it.
            let _ = files::remove(&path);
            let _ = files::write_new(&path, why.as_bytes());
            self.reported = Some(why);
        }
        std::thread::sleep(self.pause);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }
}

impl Drop for Retry {
    fn drop(&mut self) {
        if self.reported.is_some() {
            let _ = files::remove(&self.folder.join(FILE));
        }
    }
}

/// Repeats an operation of the shim until it succeeds. Ends with the first error for which `passes` is false, and with
/// any error when the folder of the attempt is gone: then the operation has no purpose.
pub(super) fn until_done<T>(
    folder: &Path,
    passes: impl Fn(&Error, &Retry) -> bool,
    act: impl Fn() -> Result<T, Error>,
) -> Result<T, Error> {
    let mut retry = Retry::new(folder);
    loop {
        match act() {
            Err(error) if passes(&error, &retry) && is_there(folder) => retry.wait(&error.message()),
            outcome => return outcome,
        }
    }
}

/// Replaces the outcome of the attempt, with the file `used` of its shim, and retries without a limit while the machine
/// fails. Other errors, for example because of what the command has put there, are retried for [`LONGEST_WAIT`]. H0103,
/// H0111.
pub(super) fn until_written(
    folder: &Path,
    (name, used): (&str, &str),
    content: &[u8],
    lasting: Lasting,
) -> Result<(), Error> {
    let allows = |error: &io::Error, retry: &Retry| found::may_pass(error) || retry.has_time();
    let used = folder.join(used);
    write_with_retries(folder, allows, |path| files::replace_with(&used, path, content, lasting), name)
}

/// Writes a file of the work beside the outcome, in the same way, until the end of the attempt is requested. Ends at
/// once on an error that is not the machine's. H0103, H0111.
pub fn write_when_possible(folder: &Path, name: &str, content: &[u8]) -> Result<(), Error> {
    let allows = |error: &io::Error, _: &Retry| found::may_pass(error) && !is_kill_requested(folder);
    write_with_retries(folder, allows, |path| files::replace(path, content, Lasting::Always), name)
}

fn write_with_retries(
    folder: &Path,
    allows: impl Fn(&io::Error, &Retry) -> bool,
    write: impl Fn(&Path) -> io::Result<()>,
    name: &str,
) -> Result<(), Error> {
    let path = folder.join(name);
    let mut retry = Retry::new(folder);
    loop {
        match failing_point("write-lasting").and_then(|()| write(&path)) {
            Ok(()) => return Ok(()),
            Err(error) if allows(&error, &retry) && is_there(folder) => {
                retry.wait(&files::cannot_write(&path, &error).message());
            }
            Err(error) => return Err(files::cannot_write(&path, &error)),
        }
    }
}

/// Repeats a query to the machine until there is an answer.
///
/// # Errors
/// H0110 when the folder of the attempt is gone.
pub fn until_known<T>(folder: &Path, ask: impl Fn() -> Result<T, Unknown>) -> Result<T, Error> {
    until_done(folder, |error, _| error.may_pass(), || Ok(ask()?))
}

/// Whether the folder of the attempt is there, or may come back: when the folders of all attempts are away, so is the
/// disk, or somebody has moved them.
fn is_there(folder: &Path) -> bool {
    !matches!(metadata::of(folder), Found::Absent) || !matches!(missing_tree(folder), Ok(None))
}

/// What the shim of the attempt in `folder` waits for, in one line; `None` when it does not wait.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub fn waits_for(folder: &Path) -> Result<Option<String>, Error> {
    let text = read_start_of_any(folder, FILE, LONGEST_REASON).known()?;
    let line = |text: Vec<u8>| {
        let text = String::from_utf8_lossy(&text).into_owned();
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    Ok(text.map(line).filter(|line: &String| !line.is_empty()))
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use rustix::io::Errno;

    use super::*;
    use howdah_words::error::ErrorCode;

    #[test]
    fn temporary_failures_are_retried() {
        let folder = tempfile::tempdir().unwrap();
        let mut retry = Retry::new(folder.path());
        let allows = |retry: &Retry, error: Errno| retry.allows(&error.into());
        for (error, expect) in [
            (Errno::AGAIN, true),
            (Errno::MFILE, true),
            (Errno::NOSPC, true),
            (Errno::NOENT, false),
            (Errno::TOOBIG, false),
        ] {
            assert_eq!(allows(&retry, error), expect, "{error}");
        }
        let Some(started) = Instant::now().checked_sub(LONGEST_WAIT) else { return };
        retry.started = started;
        assert!(!allows(&retry, Errno::AGAIN) && allows(&retry, Errno::NOSPC));
    }

    #[test]
    fn the_reason_is_written_and_removed() {
        let folder = tempfile::tempdir().unwrap();
        let tries = Cell::new(0);
        let act = || {
            tries.set(tries.get() + 1);
            match tries.get() {
                1 | 2 => Err(Error::new(ErrorCode::H0103, "a\nb")),
                _ => Ok(waits_for(folder.path()).unwrap()),
            }
        };
        let reported = until_done(folder.path(), |_, _| true, act).unwrap();
        assert_eq!(reported.as_deref(), Some("No space left to write [a b]"));
        assert_eq!((tries.get(), waits_for(folder.path()).unwrap()), (3, None));
    }

    #[test]
    fn no_retries_in_a_folder_that_is_gone() {
        let fails = || Err::<(), _>(Error::new(ErrorCode::H0103, "x"));
        assert!(until_done(Path::new("/nonexistent/attempt"), |_, _| true, fails).is_err());
        let folder = tempfile::tempdir().unwrap();
        assert!(until_done(folder.path(), |_, _| false, fails).is_err());
    }
}
