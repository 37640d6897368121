//! How long a single look at a file may take.
//!
//! On a file system whose server is away a `stat`, `open` or `read` may wait for ever, and no flag forbids it. So each
//! look at a path of a definition or a job is noted by its thread ([`look`]), and one thread of the process watches the
//! notes: when a look gets no answer for [`LIMIT`], that thread says so and ends the process. This ends also a thread
//! that waits in the kernel, and lets go of every lock; nothing was decided, and the next step looks again.
//!
//! Only a process that asked for it ([`begin`]) is watched; one that supervises a command never is. Never watched are
//! the database, what is written, and the standard files. No clock is read: the watching thread counts how often it
//! wakes up during the same look, so a process that was stopped, or a machine that slept, has lost at most one of these
//! intervals.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc};
use std::thread;
use std::time::Duration;

use super::found;
use howdah_words::error::Error;

/// A look without an answer ends the process after this time, and before a fourth of it more has passed.
pub const LIMIT: Duration = Duration::from_secs(60);
/// How often the watching thread wakes up within the limit.
const INTERVALS: u32 = 4;
/// How long the last words of the process may take: another thread may hold the stream.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Whether this process is watched.
static IS_WATCHED: AtomicBool = AtomicBool::new(false);
/// The notes of all threads that looked at something.
static NOTES: Mutex<Vec<Weak<Note>>> = Mutex::new(Vec::new());

thread_local! {
    static OWN: Arc<Note> = Note::registered();
}

/// What a thread looks at.
#[derive(Debug, Default)]
struct Note {
    /// Counts the beginnings and ends of looks: odd while one goes on.
    number: AtomicU64,
    asked: Mutex<Asked>,
    /// The watching thread's own: the look that it saw last, and how many whole intervals ago it saw it first.
    seen: Mutex<(u64, u32)>,
}

/// What a look asks for.
#[derive(Debug, Default)]
struct Asked {
    /// The bytes of a path; empty where a descriptor says more.
    path: Vec<u8>,
    descriptor: i32,
}

impl Asked {
    /// The path, for people. Where a descriptor leads the system knows without asking the file system.
    fn path(&self) -> PathBuf {
        if self.path.is_empty() {
            let link = format!("/proc/self/fd/{}", self.descriptor);
            return std::fs::read_link(link).unwrap_or_else(|_| PathBuf::from("an open file"));
        }
        PathBuf::from(OsStr::from_bytes(&self.path))
    }
}

impl Note {
    fn registered() -> Arc<Self> {
        let note = Arc::new(Self::default());
        let mut notes = locked(&NOTES);
        // Threads come and go; their notes go with them.
        if notes.len() == notes.capacity() {
            notes.retain(|note| note.strong_count() > 0);
        }
        notes.push(Arc::downgrade(&note));
        note
    }

    /// Notes the beginning of a look; the number that stands for its end. `None` within another look, of which it is a
    /// part.
    fn begin(&self, path: &[u8], descriptor: i32) -> Option<u64> {
        let number = self.number.load(Ordering::Relaxed);
        if number % 2 == 1 {
            return None;
        }
        {
            let mut asked = locked(&self.asked);
            asked.path.clear();
            asked.path.extend_from_slice(path);
            asked.descriptor = descriptor;
        }
        self.number.store(number + 1, Ordering::Release);
        Some(number + 2)
    }

    /// What is looked at since [`INTERVALS`] whole intervals; to be called at the end of each.
    fn outlasting(&self) -> Option<PathBuf> {
        let number = self.number.load(Ordering::Acquire);
        let mut seen = locked(&self.seen);
        *seen = if number % 2 == 1 && number == seen.0 { (number, seen.1 + 1) } else { (number, 0) };
        if seen.1 < INTERVALS {
            return None;
        }
        let path = locked(&self.asked).path();
        // It may have ended just now.
        (self.number.load(Ordering::Acquire) == number).then_some(path)
    }
}

/// A look of this thread: its end is noted when this is dropped, also by a panic.
struct LookGuard(u64);

impl Drop for LookGuard {
    fn drop(&mut self) {
        let _ = OWN.try_with(|note| note.number.store(self.0, Ordering::Release));
    }
}

/// The data of a mutex. A thread that panicked has left it whole: each change is one step.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does one look at `path`, which is expected to be short.
pub(super) fn look<T>(path: &Path, work: impl FnOnce() -> T) -> T {
    noted(path.as_os_str().as_bytes(), 0, work)
}

/// Does one look at what is open as `descriptor`: a piece of a file, an entry of a folder.
pub(super) fn look_into<T>(descriptor: i32, work: impl FnOnce() -> T) -> T {
    noted(&[], descriptor, work)
}

fn noted<T>(path: &[u8], descriptor: i32, work: impl FnOnce() -> T) -> T {
    if !IS_WATCHED.load(Ordering::Relaxed) {
        return work();
    }
    // A thread that is about to end has no note any more.
    let _look = OWN.try_with(|note| note.begin(path, descriptor)).ok().flatten().map(LookGuard);
    work()
}

/// Watches all looks of this process from here on. The first one that gets no answer within `limit` ends it with
/// `status`, after `tell` was given the error. To be called once the process has the rights that it keeps, because the
/// watching thread has the same. Where no thread is to be had the process works without.
pub fn begin((status, limit): (i32, Duration), tell: impl Fn(&Error) + Send + Sync + 'static) {
    let limit = self::limit(limit);
    let tell = Arc::new(tell);
    let watch = move || loop {
        thread::sleep(limit / INTERVALS);
        if let Some(path) = outlasting() {
            end(&path, limit, status, &tell);
        }
    };
    let begun = thread::Builder::new().name("watch".to_owned()).spawn(watch);
    IS_WATCHED.store(begun.is_ok(), Ordering::Relaxed);
}

/// Ends this process with `status` when it still works after `limit`, whatever it waits for then: a lock, a disk. For
/// work that nothing needs.
pub fn end_after(limit: Duration, status: i32) {
    // Where no thread is to be had the process works without a limit.
    let _ = thread::Builder::new().name("limit".to_owned()).spawn(move || {
        thread::sleep(limit);
        std::process::exit(status)
    });
}

/// The first look of all threads that has lasted too long.
fn outlasting() -> Option<PathBuf> {
    let notes: Vec<Arc<Note>> = locked(&NOTES).iter().filter_map(Weak::upgrade).collect();
    // Every note is visited, because each counts the intervals.
    notes.iter().fold(None, |found, note| note.outlasting().or(found))
}

/// Says that `path` gave no answer and ends the process. No destructor is of use: what is half done is what a kill
/// leaves.
fn end(path: &Path, limit: Duration, status: i32, tell: &Arc<impl Fn(&Error) + Send + Sync + 'static>) -> ! {
    let why = format!("no answer within {} s", limit.as_secs_f32());
    let error = found::unknown(&path.display().to_string(), &why);
    let plain = format!("error[{}]: {}\n", error.code(), error.message());
    let (tell, (sender, told)) = (Arc::clone(tell), mpsc::channel());
    let telling = thread::Builder::new().spawn(move || {
        tell(&error);
        let _ = sender.send(());
    });
    if telling.is_err() || told.recv_timeout(LAST_WORDS).is_err() {
        // Past every lock of a stream that the thread without an answer may hold.
        let _ = rustix::io::write(rustix::stdio::stderr(), plain.as_bytes());
    }
    std::process::exit(status)
}

/// The time limit of a look: `usual`, unless a test wants another one.
pub fn limit(usual: Duration) -> Duration {
    test_limit().unwrap_or(usual)
}

/// The limit that a test wants, in milliseconds: `HOWDAH_TEST_PATIENCE`.
#[cfg(debug_assertions)]
fn test_limit() -> Option<Duration> {
    super::variables::get("HOWDAH_TEST_PATIENCE")?.parse().ok().map(Duration::from_millis)
}

#[cfg(not(debug_assertions))]
const fn test_limit() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends(note: &Note) {
        note.number.fetch_add(1, Ordering::Release);
    }

    #[test]
    fn only_one_look_that_goes_on_for_the_whole_limit_is_told() {
        let note = Note::default();
        assert_eq!(note.begin(b"/slow", 0), Some(2));
        // The interval in which it began is no whole one.
        for _ in 0..INTERVALS {
            assert_eq!(note.outlasting(), None);
        }
        assert_eq!(note.outlasting(), Some(PathBuf::from("/slow")));
        ends(&note);
        assert_eq!(note.outlasting(), None);
        // Many short looks one after another are not one long one, however often the watching thread meets one.
        for _ in 0..10 * INTERVALS {
            assert!(note.begin(b"/quick", 0).is_some());
            assert_eq!(note.outlasting(), None);
            ends(&note);
        }
    }

    #[test]
    fn a_look_within_a_look_is_part_of_it() {
        let note = Note::default();
        assert_eq!(note.begin(b"/outer", 0), Some(2));
        assert_eq!(note.begin(b"/inner", 0), None);
        assert_eq!(locked(&note.asked).path(), PathBuf::from("/outer"));
        ends(&note);
        assert_eq!(note.begin(b"/next", 0), Some(4));
    }

    #[test]
    fn an_open_file_has_the_path_that_the_system_knows() {
        use std::os::fd::AsRawFd as _;
        let file = tempfile::NamedTempFile::new().unwrap();
        let note = Note::default();
        note.begin(b"", file.as_file().as_raw_fd());
        assert_eq!(locked(&note.asked).path(), file.path().canonicalize().unwrap());
    }

    #[test]
    fn every_thread_has_a_note_of_its_own_that_goes_with_it() {
        let count = || locked(&NOTES).iter().filter(|note| note.strong_count() > 0).count();
        let own = OWN.with(Arc::downgrade);
        let other = thread::spawn(|| OWN.with(Arc::downgrade)).join().unwrap();
        assert!(own.upgrade().is_some() && other.upgrade().is_none() && count() > 0);
    }
}
