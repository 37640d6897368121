//! Attempts at work: starting their shims, watching them, ending them.
//!
//! The folder of an attempt says what is true; here is only what this process remembers of it, to wait for it
//! and not to ask too often. Forgetting all of it, as a new runner does, loses nothing.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::Result;
use crate::host::attempt::{self, AttemptState};
use crate::host::processes::{self, Children, Identity, Signal, Watcher};
use crate::model::time::Timestamp;
use crate::store::{Attempt, AttemptKey};

/// How often a shim is started for one attempt before it is given up.
const MOST_STARTS: u32 = 3;

/// Seconds between the request to end and the signal that cannot be refused.
const GRACE_SECONDS: i64 = 10;

/// The shims this process has started or found.
#[derive(Debug)]
pub(crate) struct Shims {
    children: Children,
    watcher: Watcher,
    watched: HashMap<AttemptKey, Watch>,
    /// Where a shim complains when it cannot write into its folder.
    log: PathBuf,
    /// The site file, for shims that need what it says and no order may hold.
    site: Option<PathBuf>,
}

#[derive(Debug, Default)]
struct Watch {
    process: Option<Identity>,
    starts: u32,
    /// When the attempt was asked to end.
    stopping: Option<Timestamp>,
}

/// What a look at an open attempt found.
#[derive(Debug)]
pub(crate) enum Look {
    /// It goes on; there is nothing to do.
    Going,
    /// It is over, or nobody will ever know.
    Over(AttemptState),
}

impl Shims {
    /// No shim known yet.
    pub(crate) fn new(log: PathBuf, site: Option<PathBuf>) -> Self {
        Self { children: Children::default(), watcher: Watcher::default(), watched: HashMap::new(), log, site }
    }

    /// Starts the shim of an attempt whose folder is prepared; harmless when there already is one.
    ///
    /// # Errors
    /// H0140 when no process can be started.
    pub(crate) fn start(&mut self, attempt: &Attempt) -> Result<()> {
        let watch = self.watched.entry(attempt.attempt).or_default();
        watch.starts += 1;
        let mut arguments: Vec<&OsStr> = vec!["attempt".as_ref(), attempt.directory.as_ref()];
        if let Some(site) = &self.site {
            arguments.extend(["--site".as_ref(), site.as_os_str()]);
        }
        let pid = self.children.spawn_howdah(&arguments, &self.log)?;
        watch.process = i32::try_from(pid).ok().and_then(Identity::of);
        Ok(())
    }

    /// Looks at an open attempt: starts its shim when there is none.
    ///
    /// # Errors
    /// H0110 when its folder cannot be read, H0140 when no process can be started.
    pub(crate) fn look(&mut self, row: &Attempt) -> Result<Look> {
        let watch = self.watched.entry(row.attempt).or_default();
        if watch.process.as_ref().is_some_and(processes::is_alive) {
            return Ok(Look::Going);
        }
        let folder = Path::new(&row.directory);
        match attempt::state(folder)? {
            AttemptState::Running(process) => {
                watch.process = Some(process);
                Ok(Look::Going)
            }
            AttemptState::Unclaimed if watch.starts < MOST_STARTS => {
                self.start(row)?;
                Ok(Look::Going)
            }
            AttemptState::Unclaimed => {
                // A shim that starts after all finds the claim taken.
                if !attempt::withdraw(folder)? {
                    return Ok(Look::Going);
                }
                let reason = format!("its supervisor did not begin, {MOST_STARTS} times");
                Ok(self.over(row, AttemptState::Lost { reason }))
            }
            state => Ok(self.over(row, state)),
        }
    }

    fn over(&mut self, row: &Attempt, state: AttemptState) -> Look {
        self.watched.remove(&row.attempt);
        self.children.reap();
        Look::Over(state)
    }

    /// Asks an attempt to end, and ends it when it does not within [`GRACE_SECONDS`].
    ///
    /// # Errors
    /// H0110, H0111 when its folder cannot be read or written.
    pub(crate) fn stop(&mut self, row: &Attempt, now: Timestamp) -> Result<()> {
        let watch = self.watched.entry(row.attempt).or_default();
        let signal = match watch.stopping {
            None => Signal::Terminate,
            Some(since) if now - since >= GRACE_SECONDS => Signal::Kill,
            Some(_) => return Ok(()),
        };
        watch.stopping = Some(now);
        attempt::kill(Path::new(&row.directory), signal).map(drop)
    }

    /// Whether waiting is enough to notice whatever happens to the attempts: each has a process that is watched, and none has
    /// been asked to end.
    pub(crate) fn may_rest(&self) -> bool {
        let is_watched = |watch: &Watch| watch.process.is_some() && watch.stopping.is_none();
        self.watched.len() <= Watcher::MOST && self.watched.values().all(is_watched)
    }

    /// Waits until a watched process ends, at most for `timeout`; whether one has ended.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        let processes: Vec<Identity> = self.watched.values().filter_map(|watch| watch.process.clone()).collect();
        let ended = self.watcher.wait(&processes, timeout);
        self.children.reap();
        ended
    }
}
