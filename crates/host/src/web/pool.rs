//! Processes that work on requests, one request at a time each: as many as are needed, up to a bound.
//!
//! A request that gets no answer in time costs its process, and no other request. Must not depend on what is requested.

use std::collections::HashMap;
use std::ffi::OsString;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::partner::{Message, NoAnswer, Partner};
use howdah_words::error::Error;

/// How many requests about one subject are worked on at once: a subject that hangs leaves room for the others.
const MOST_OF_ONE: usize = 2;

/// Processes of one kind.
#[derive(Debug)]
pub struct Pool {
    arguments: Vec<OsString>,
    most: usize,
    limit: Duration,
    wait: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Partner>,
    /// How many are working.
    working: usize,
    /// Those that were killed and have not ended.
    left_behind: Vec<Partner>,
    /// How many requests are worked on, of each subject.
    subjects: HashMap<String, usize>,
}

/// Why a request has no answer.
#[derive(Debug)]
pub enum Failed {
    /// No process was free: this many work already.
    Busy(usize),
    /// The answer did not come within this time.
    Late(Duration),
    /// The process ended, and how.
    Ended(String),
    /// No process could be started.
    NotStarted(Error),
}

impl Pool {
    /// Returns a pool without processes. Each is howdah with these arguments; a request takes at most `limit`, after it
    /// has waited at most `wait` for a free process.
    pub fn new(arguments: Vec<OsString>, most: usize, (limit, wait): (Duration, Duration)) -> Self {
        Self { arguments, most, limit, wait, state: Mutex::default(), changed: Condvar::new() }
    }

    /// Lets a process work on a request about a subject.
    ///
    /// # Errors
    /// Why there is no answer.
    pub fn ask(&self, subject: Option<&str>, request: &Message) -> Result<Message, Failed> {
        let place = self.place(subject)?;
        let mut partner = match self.idle() {
            Some(partner) => partner,
            None => Partner::start(&self.arguments).map_err(Failed::NotStarted)?,
        };
        let answer = partner.ask(request, self.limit);
        let failed = match answer {
            Ok(answer) => {
                if !answer.is_last {
                    self.locked().idle.push(partner);
                } else if partner.end().is_none() {
                    self.locked().left_behind.push(partner);
                }
                drop(place);
                return Ok(answer);
            }
            Err(NoAnswer::Late) => Failed::Late(self.limit),
            Err(NoAnswer::Ended(error)) => {
                partner.await_end(Duration::from_secs(1));
                Failed::Ended(partner.end().map_or_else(|| error.to_string(), |status| status.to_string()))
            }
        };
        partner.kill();
        if partner.end().is_none() {
            self.locked().left_behind.push(partner);
        }
        drop(place);
        Err(failed)
    }

    /// Waits until one more request about the subject may be worked on.
    fn place<'p>(&'p self, subject: Option<&str>) -> Result<Place<'p>, Failed> {
        let until = Instant::now() + self.wait;
        let mut state = self.locked();
        loop {
            state.left_behind.retain_mut(|partner| partner.end().is_none());
            let used = state.working + state.left_behind.len();
            let same = subject.and_then(|subject| state.subjects.get(subject)).copied().unwrap_or_default();
            if used < self.most && same < MOST_OF_ONE.min(self.most) {
                state.working += 1;
                if let Some(subject) = subject {
                    *state.subjects.entry(subject.to_owned()).or_default() += 1;
                }
                return Ok(Place { pool: self, subject: subject.map(str::to_owned) });
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Failed::Busy(used));
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Returns an idle process that has not ended meanwhile.
    fn idle(&self) -> Option<Partner> {
        let mut state = self.locked();
        while let Some(mut partner) = state.idle.pop() {
            if partner.end().is_none() {
                return Some(partner);
            }
        }
        None
    }

    /// Returns the state. A thread that panicked has left it whole: each change is one step.
    fn locked(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that is worked on.
struct Place<'p> {
    pool: &'p Pool,
    subject: Option<String>,
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.pool.locked();
        state.working -= 1;
        if let Some(subject) = &self.subject {
            let left = state.subjects.get_mut(subject).map_or(0, |count| {
                *count -= 1;
                *count
            });
            if left == 0 {
                state.subjects.remove(subject);
            }
        }
        drop(state);
        self.pool.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pool(most: usize) -> Pool {
        Pool::new(Vec::new(), most, (Duration::from_millis(20), Duration::from_millis(20)))
    }

    #[test]
    fn one_subject_leaves_room_for_others() {
        let pool = pool(4);
        let _first = pool.place(Some("a")).ok().unwrap();
        let second = pool.place(Some("a")).ok().unwrap();
        assert!(matches!(pool.place(Some("a")), Err(Failed::Busy(2))));
        let _other = pool.place(Some("b")).ok().unwrap();
        let _none = pool.place(None).ok().unwrap();
        assert!(matches!(pool.place(Some("c")), Err(Failed::Busy(4))));
        drop(second);
        assert!(pool.place(Some("a")).is_ok());
        assert_eq!(pool.locked().subjects.len(), 2);
    }

    #[test]
    fn a_request_waits_for_a_free_place() {
        let pool = Pool::new(Vec::new(), 1, (Duration::from_secs(20), Duration::from_secs(20)));
        let first = pool.place(None).ok().unwrap();
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| pool.place(None).is_ok());
            std::thread::sleep(Duration::from_millis(20));
            drop(first);
            assert!(waits.join().unwrap());
        });
    }
}
