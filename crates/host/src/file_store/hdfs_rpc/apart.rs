//! Calls that may wait in a library that knows no time limit, as that of Kerberos does for its server: each has a
//! thread of its own, which a limit can leave. Must not depend on what is asked.

use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::super::StoreError;
use super::super::runtime::Runtime;
use crate::session::handed_down;

/// How long the thread may take to say that the limit has passed, before it counts as one that waits in the library.
pub(super) const LATE: Duration = Duration::from_millis(500);
/// How many threads may be left to wait; with so many the library is asked no more.
const MOST_LEFT: usize = 8;

/// The threads of a store's calls.
#[derive(Debug)]
pub(super) struct Apart {
    runtime: Arc<Runtime>,
    late: Duration,
    /// Each thread that was left, as long as it lives.
    left: Mutex<Vec<Weak<()>>>,
}

impl Apart {
    pub(super) fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime, late: LATE, left: Mutex::new(Vec::new()) }
    }

    /// The answer of a call. It starts with the rights of this thread, on another one. After `limit` it is given up; a
    /// change may then have been done nevertheless.
    ///
    /// # Errors
    /// Unknown after the limit, when the client panics, and when the machine gives no thread; `server` is named in the
    /// text.
    pub(super) fn within<T, C>(&self, limit: Duration, server: &str, call: C) -> io::Result<T>
    where
        C: AsyncFnOnce() -> io::Result<T> + Send + 'static,
        T: Send + 'static,
    {
        if self.count_left() >= MOST_LEFT {
            return Err(waits(server, "earlier calls still wait for it"));
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let (runtime, name) = (Arc::clone(&self.runtime), server.to_owned());
        let token = Arc::new(());
        let alive = Arc::downgrade(&token);
        let work = move || {
            let told = runtime.within(limit, &name, call()).flatten();
            // The caller may have left.
            let _ = sender.send(told);
            drop(token);
        };
        let started = thread::Builder::new().name("hdfs".to_owned()).spawn(handed_down(work));
        started.map_err(|error| StoreError::unknown(format!("{server} was not asked: no thread: {error}")))?;
        match receiver.recv_timeout(limit + self.late) {
            Ok(told) => told,
            Err(RecvTimeoutError::Disconnected) => {
                Err(StoreError::unknown(format!("the client cannot read what {server} answers")))
            }
            Err(RecvTimeoutError::Timeout) => {
                self.left.lock().unwrap_or_else(PoisonError::into_inner).push(alive);
                Err(waits(server, &format!("no answer within {} s", limit.as_secs_f32())))
            }
        }
    }

    fn count_left(&self) -> usize {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        left.retain(|thread| thread.strong_count() > 0);
        left.len()
    }
}

/// The error of a call that waits in the library.
pub(super) fn waits(server: &str, why: &str) -> io::Error {
    StoreError::unknown(format!("no answer of {server}: the Kerberos library waits, perhaps for its KDC: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::found::{Verdict, verdict};
    use howdah_tier::PATIENCE;

    /// For calls that never end.
    const LIMIT: Duration = Duration::from_millis(50);

    fn apart() -> Apart {
        Apart::new(Runtime::with_thread_of_process().unwrap())
    }

    #[test]
    fn answers_and_errors_arrive() {
        let apart = apart();
        assert_eq!(apart.within(PATIENCE, "s", async || Ok(7)).unwrap(), 7);
        let refused = apart.within(PATIENCE, "s", async || -> io::Result<()> { Err(StoreError::absent("not there")) });
        assert_eq!(verdict(&refused.unwrap_err()), Verdict::Absent);
        let panicked = apart.within(PATIENCE, "s", async || -> io::Result<()> { panic!("on purpose") });
        assert_eq!(verdict(&panicked.unwrap_err()), Verdict::Unknown);
        assert_eq!(apart.count_left(), 0);
    }

    #[test]
    fn a_call_that_waits_for_a_server_ends_with_its_limit() {
        let apart = Apart { late: PATIENCE, ..apart() };
        let error = apart.within(LIMIT, "s", std::future::pending::<io::Result<()>>).unwrap_err();
        assert!(error.to_string().contains("s has not answered within 0.05 s"), "{error}");
        assert_eq!(apart.count_left(), 0);
    }

    #[test]
    fn a_call_that_waits_in_a_library_is_left_and_others_are_answered() {
        let apart = apart();
        let (end, wait) = mpsc::channel::<()>();
        let call = async move || {
            let _ = wait.recv();
            Ok(())
        };
        let error = apart.within(LIMIT, "s", call).unwrap_err();
        assert_eq!(verdict(&error), Verdict::Unknown);
        assert!(error.to_string().contains("KDC"), "{error}");
        assert_eq!(apart.count_left(), 1);
        assert_eq!(apart.within(PATIENCE, "s", async || Ok(7)).unwrap(), 7);
        drop(end);
        while apart.count_left() > 0 {
            thread::yield_now();
        }
    }

    #[test]
    fn no_more_threads_are_left_than_a_few() {
        let apart = apart();
        let (end, wait) = mpsc::channel::<()>();
        let wait = Arc::new(Mutex::new(wait));
        for _ in 0..MOST_LEFT {
            let wait = Arc::clone(&wait);
            let call = async move || {
                let _ = wait.lock().map(|wait| wait.recv());
                Ok(())
            };
            apart.within(Duration::ZERO, "s", call).unwrap_err();
        }
        let error = apart.within(PATIENCE, "s", async || Ok(7)).unwrap_err();
        assert!(error.to_string().contains("earlier calls still wait"), "{error}");
        drop(end);
        while apart.count_left() > 0 {
            thread::yield_now();
        }
        assert_eq!(apart.within(PATIENCE, "s", async || Ok(7)).unwrap(), 7);
    }
}
