//! The session: what one run of the program gets from the place where it was started, as a value.
//!
//! A process has one session, that of the process itself. A test can run verbs in its own process, each in a session of
//! its own: with other arguments, other variables, and output that is kept in memory. A thread works for the session
//! that was entered in it; a thread that it starts does so after [`handed_down`]. Must not depend on what the variables
//! mean.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use super::account::Account;

/// One run of the program. A clone is the same session.
#[derive(Clone, Debug)]
pub struct Session(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// The name of the program, then its arguments.
    arguments: Vec<OsString>,
    variables: BTreeMap<OsString, OsString>,
    /// What is used in place of this process's own.
    apart: Option<Apart>,
    /// The user whose environment it has, when root has become another user.
    owner: OnceLock<Account>,
    kept: Mutex<HashMap<TypeId, Arc<dyn Any + Send + Sync>>>,
}

/// What a session has in place of the program, the output and the errors of its process. Its standard input is empty.
#[derive(Debug)]
struct Apart {
    program: PathBuf,
    output: Captured,
    errors: Captured,
}

/// Output that is kept in memory. A clone writes to the same place.
#[derive(Clone, Debug, Default)]
pub struct Captured(Arc<Mutex<Vec<u8>>>);

impl Captured {
    /// Returns what was written so far.
    pub fn bytes(&self) -> Vec<u8> {
        locked(&self.0).clone()
    }
}

impl Write for Captured {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        locked(&self.0).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Session {
    /// Returns the session of this process: its arguments, variables and standard streams.
    pub fn of_process() -> Self {
        /// The system gives them to the process, and they do not change while it runs.
        static OF_PROCESS: OnceLock<Session> = OnceLock::new();
        let new = || Self::new(std::env::args_os().collect(), std::env::vars_os().collect(), None);
        OF_PROCESS.get_or_init(new).clone()
    }

    /// Returns a session beside that of the process: `program` is what it starts as howdah, its output and its errors
    /// are kept in memory, and its standard input is empty. Its current folder is that of the thread that runs it.
    pub fn apart(arguments: Vec<OsString>, variables: BTreeMap<OsString, OsString>, program: &Path) -> Self {
        let (output, errors) = Default::default();
        Self::new(arguments, variables, Some(Apart { program: program.to_owned(), output, errors }))
    }

    fn new(arguments: Vec<OsString>, variables: BTreeMap<OsString, OsString>, apart: Option<Apart>) -> Self {
        Self(Arc::new(Inner { arguments, variables, apart, owner: OnceLock::new(), kept: Mutex::default() }))
    }

    /// Returns the session for which this thread works: the one that was entered last, else that of the process.
    pub fn current() -> Self {
        ENTERED.with_borrow(Clone::clone).unwrap_or_else(Self::of_process)
    }

    /// Makes this thread work for the session until the result is dropped.
    pub fn enter(&self) -> Entered {
        Entered { before: ENTERED.replace(Some(self.clone())) }
    }

    /// Returns the name of the program and its arguments.
    pub fn arguments(&self) -> &[OsString] {
        &self.0.arguments
    }

    /// Returns whether it is the session of its process, which the process may change: its signals, its open files, the
    /// time when it ends.
    pub fn is_of_process(&self) -> bool {
        self.0.apart.is_none()
    }

    /// Returns where its output is kept, unless it goes to the standard output of the process.
    pub fn output(&self) -> Option<Captured> {
        self.0.apart.as_ref().map(|apart| apart.output.clone())
    }

    /// Returns where its errors are kept, unless they go to the standard error of the process.
    pub fn errors(&self) -> Option<Captured> {
        self.0.apart.as_ref().map(|apart| apart.errors.clone())
    }

    /// Returns what a part of the program keeps for the time of this session; what is not there yet has its default.
    pub fn kept<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut kept = locked(&self.0.kept);
        let value = kept.entry(TypeId::of::<T>()).or_insert_with(|| Arc::new(T::default()));
        Arc::clone(value).downcast().unwrap_or_default()
    }

    /// The program that it starts as howdah; `None` for the one that is running.
    pub(super) fn program(&self) -> Option<&Path> {
        self.0.apart.as_ref().map(|apart| apart.program.as_path())
    }

    /// A variable as it was given, whosever the environment is.
    pub(super) fn variable(&self, name: &str) -> Option<&OsStr> {
        self.0.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// All variables as they were given.
    pub(super) fn variables(&self) -> &BTreeMap<OsString, OsString> {
        &self.0.variables
    }

    pub(super) fn owner(&self) -> &OnceLock<Account> {
        &self.0.owner
    }
}

thread_local! {
    /// The session for which this thread works, where that is not the one of the process.
    static ENTERED: RefCell<Option<Session>> = const { RefCell::new(None) };
}

/// A thread works for a session until this is dropped.
#[derive(Debug)]
pub struct Entered {
    before: Option<Session>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let _ = ENTERED.try_with(|entered| entered.replace(self.before.take()));
    }
}

/// Returns the work for another thread, which does it for the session of this thread.
pub fn handed_down<T>(work: impl FnOnce() -> T) -> impl FnOnce() -> T {
    let session = ENTERED.with_borrow(Clone::clone);
    move || {
        let _entered = session.as_ref().map(Session::enter);
        work()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::super::variables;
    use super::*;

    fn session(value: &str) -> Session {
        let variables = [("COLOUR", value)].map(|(name, value)| (name.into(), value.into()));
        Session::apart(vec!["howdah".into()], variables.into(), Path::new("/usr/bin/howdah"))
    }

    #[test]
    fn a_thread_has_the_variables_of_the_session_that_it_works_for() {
        let colour = || variables::get("COLOUR");
        assert_eq!(colour(), None);
        let (red, blue) = (session("red"), session("blue"));
        {
            let _red = red.enter();
            {
                let _blue = blue.enter();
                assert_eq!(colour().as_deref(), Some("blue"));
                assert_eq!(std::thread::spawn(colour).join().unwrap(), None);
                let started = std::thread::spawn(handed_down(colour));
                assert_eq!(started.join().unwrap().as_deref(), Some("blue"));
            }
            assert_eq!(colour().as_deref(), Some("red"));
        }
        assert_eq!(colour(), None);
    }

    #[test]
    fn what_is_written_and_kept_belongs_to_one_session() {
        let (red, blue) = (session("red"), session("blue"));
        red.output().unwrap().write_all(b"out").unwrap();
        red.errors().unwrap().write_all(b"err").unwrap();
        red.kept::<AtomicU32>().store(7, Ordering::Relaxed);
        assert_eq!((red.output().unwrap().bytes(), red.errors().unwrap().bytes()), (b"out".into(), b"err".into()));
        assert_eq!(blue.output().unwrap().bytes(), b"");
        assert_eq!(red.clone().kept::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(blue.kept::<AtomicU32>().load(Ordering::Relaxed), 0);
        assert!(Session::of_process().output().is_none() && Session::of_process().is_of_process());
    }
}
