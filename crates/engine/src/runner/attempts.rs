//! Starts, watches and ends the shims of open attempts.
//!
//! The folder of an attempt has its true state. This module only caches what this process needs to wait for attempts
//! and to read the folders less often; a new runner starts without it. [`Cluster`] handles attempts on a cluster.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::runner::observation::{MOST_STARTS, Observation};
use crate::runner::slurm::Cluster;
use howdah_executor::{self as executor, Place};
use howdah_host::attempt::{self, AttemptState};
use howdah_host::clock::Pace;
use howdah_host::fork_server::ForkServer;
use howdah_host::processes::{self, Identity, Signal, Watcher};
use howdah_words::error::{Error, Result};
use howdah_words::model::row::{Attempt, AttemptKey};

/// The time between SIGTERM and SIGKILL.
const GRACE: Duration = Duration::from_secs(10);

/// The shims this process has started or found.
#[derive(Debug)]
pub(crate) struct Shims {
    fork_server: ForkServer,
    watcher: Watcher,
    watched: HashMap<AttemptKey, Watch>,
    /// Whether a shim may have ended that the fork server has not reaped.
    has_ended: bool,
    cluster: Cluster,
    /// Why shims cannot be started at the moment, and whether that was reported.
    shortage: Option<(Error, bool)>,
}

#[derive(Debug, Default)]
struct Watch {
    process: Option<Identity>,
    starts: u32,
    /// When the attempt was asked to end.
    stopping: Option<Pace>,
    /// Whether it was sent SIGKILL.
    forced: bool,
    /// Where the attempt runs, when its order was read.
    place: Option<Place>,
}

impl Shims {
    /// Creates the cache without any shim. Shims write into `log` when they cannot write into their folders. They read
    /// `site` for the settings that no order may contain.
    pub(crate) fn new(log: PathBuf, site: Option<PathBuf>, cluster: Cluster) -> Self {
        let mut arguments: Vec<OsString> = vec!["attempts".into()];
        arguments.extend(site.into_iter().flat_map(|site| ["--site".into(), site.into_os_string()]));
        Self {
            fork_server: ForkServer::new(arguments, log),
            watcher: Watcher::default(),
            watched: HashMap::new(),
            has_ended: false,
            cluster,
            shortage: None,
        }
    }

    /// Starts attempts that were stored just now. A later check starts those that cannot start now.
    ///
    /// # Errors
    /// H0110 when the folder of one cannot be read.
    pub(crate) fn start_new<'a>(&mut self, attempts: impl Iterator<Item = (&'a Attempt, &'a Place)>) -> Result<()> {
        let mut here = Vec::new();
        for (attempt, place) in attempts {
            self.watched.entry(attempt.attempt).or_default().place = Some(place.clone());
            match place {
                Place::Here => here.push(attempt),
                Place::Slurm { options } => self.cluster.start(attempt, options)?,
            }
        }
        self.start(&here);
        Ok(())
    }

    /// Starts the shims of attempts whose folders are prepared; a second shim does no harm. Only started shims count:
    /// when the machine cannot create a process, the next check tries again.
    fn start(&mut self, attempts: &[&Attempt]) {
        let folders: Vec<&Path> = attempts.iter().map(|attempt| Path::new(&attempt.directory)).collect();
        if folders.is_empty() {
            return;
        }
        let (started, shortage) = self.fork_server.start(&folders);
        for (attempt, pid) in attempts.iter().zip(started) {
            let watch = self.watched.entry(attempt.attempt).or_default();
            watch.starts += u32::from(pid.is_some());
            watch.process = pid.and_then(|pid| Identity::of(pid).known().ok().flatten());
        }
        let differs = |before: &(Error, bool), now: &Error| before.0.to_string() != now.to_string();
        self.shortage = match (self.shortage.take(), shortage) {
            (Some(before), Some(now)) if !differs(&before, &now) => Some(before),
            (_, now) => now.map(|now| (now, false)),
        };
    }

    /// Checks an open attempt. When it has no shim, starts one, or recalls the attempt when it must not start any more.
    ///
    /// # Errors
    /// H0110 or H0113 when its state cannot be read; then nothing is started or ended.
    pub(crate) fn observe(&mut self, row: &Attempt, may_start: bool) -> Result<Observation> {
        let place = self.place(row)?;
        if !may_start && place != Place::Here && attempt::cluster_job(Path::new(&row.directory))?.is_none() {
            attempt::recall(Path::new(&row.directory))?;
        }
        if let Place::Slurm { options } = place {
            let observation = self.cluster.observe(row, &options)?;
            return Ok(if let Observation::Over(state) = observation { self.over(row, state) } else { observation });
        }
        let watch = self.watched.entry(row.attempt).or_default();
        if let Some(process) = &watch.process
            && processes::look_for(process).known()?.is_some()
        {
            return Ok(Observation::Unchanged);
        }
        // A wait for an ended process would return immediately, again and again, while the folder cannot be read.
        watch.process = None;
        let folder = Path::new(&row.directory);
        match attempt::state(folder)? {
            AttemptState::Running(process) => {
                watch.process = Some(process);
                Ok(Observation::Unchanged)
            }
            // Its end was requested, and this machine cannot see its process: waiting longer would not help.
            AttemptState::OutOfSight(hidden) if watch.forced => {
                let reason = format!("its end was requested. {}", Error::from(hidden).message());
                Ok(self.over(row, AttemptState::Lost { reason }))
            }
            AttemptState::OutOfSight(hidden) => Err(hidden.into()),
            AttemptState::Unclaimed if !may_start => {
                let recalled = attempt::recall(folder)?;
                Ok(if recalled { self.over(row, AttemptState::Recalled) } else { Observation::Unchanged })
            }
            AttemptState::Unclaimed if watch.starts < MOST_STARTS => {
                self.start(&[row]);
                Ok(Observation::Unchanged)
            }
            AttemptState::Unclaimed => {
                let reason = format!("its supervisor did not start, {MOST_STARTS} times");
                // A shim that starts later finds the claim taken.
                if !attempt::give_up(folder, &reason)? {
                    return Ok(Observation::Unchanged);
                }
                Ok(self.over(row, AttemptState::Lost { reason }))
            }
            state => Ok(self.over(row, state)),
        }
    }

    fn place(&mut self, row: &Attempt) -> Result<Place> {
        let watch = self.watched.entry(row.attempt).or_default();
        if let Some(place) = &watch.place {
            return Ok(place.clone());
        }
        let place = executor::place_of(Path::new(&row.directory))?;
        Ok(watch.place.insert(place).clone())
    }

    /// Checks whether an attempt runs on this machine, as far as this process knows.
    pub(crate) fn is_here(&self, row: &Attempt) -> bool {
        let place = self.watched.get(&row.attempt).and_then(|watch| watch.place.as_ref());
        place.is_none_or(|place| *place == Place::Here)
    }

    /// Returns why shims cannot be started at the moment.
    pub(crate) fn shortage(&self) -> Option<&Error> {
        self.shortage.as_ref().map(|(error, _)| error)
    }

    /// Returns a problem of the machine or the cluster that was not reported yet.
    pub(crate) fn next_problem(&mut self) -> Option<Error> {
        if let Some((error, reported)) = self.shortage.as_mut().filter(|(_, reported)| !reported) {
            *reported = true;
            let help = "nothing is lost: waiting actions start as soon as the machine allows it";
            return Some(error.clone().help(help));
        }
        self.cluster.next_problem()
    }

    fn over(&mut self, row: &Attempt, state: AttemptState) -> Observation {
        self.watched.remove(&row.attempt);
        if self.watched.is_empty() {
            self.shortage = None;
        }
        self.has_ended = true;
        Observation::Over(state)
    }

    /// Sends SIGTERM to an attempt, and SIGKILL when it does not end within [`GRACE`].
    ///
    /// # Errors
    /// H0110, H0111 when its folder cannot be read or written.
    pub(crate) fn stop(&mut self, row: &Attempt) -> Result<()> {
        let watch = self.watched.entry(row.attempt).or_default();
        let signal = match &watch.stopping {
            None => Signal::Terminate,
            Some(grace) if grace.is_due() => Signal::Kill,
            Some(_) => return Ok(()),
        };
        watch.stopping.get_or_insert_with(|| Pace::new(GRACE)).mark();
        watch.forced |= signal == Signal::Kill;
        let killed = attempt::kill(Path::new(&row.directory), signal).map(drop);
        if let Place::Slurm { options } = self.place(row)? {
            self.cluster.stop(row, &options)?;
        }
        killed
    }

    /// Checks whether waiting for processes is enough to notice every change of the attempts: each has a watched
    /// process, and none was asked to end.
    pub(crate) fn may_only_wait(&self) -> bool {
        let is_watched = |watch: &Watch| watch.process.is_some() && watch.stopping.is_none();
        self.watched.len() <= Watcher::MOST && self.watched.values().all(is_watched)
    }

    /// Waits until a watched process ends or has written its outcome, or `wake` can be read, at most for `timeout`;
    /// returns whether the state of an attempt may have changed.
    pub(crate) fn wait(&mut self, timeout: Duration, wake: Option<BorrowedFd<'_>>) -> bool {
        let mut processes = self.cluster.processes();
        processes.extend(self.watched.values().filter_map(|watch| watch.process.clone()));
        let wakes: Vec<_> = wake.into_iter().chain(self.fork_server.connection()).collect();
        let has_ended = self.watcher.wait(&processes, timeout, &wakes) | self.forget_ended();
        // The next start reaps too, so only an idle fork server gets a request to reap.
        if !has_ended && std::mem::take(&mut self.has_ended) {
            self.fork_server.reap();
        }
        has_ended
    }

    /// Lets the next check read the folders of the shims that have told that their outcome is there; returns whether
    /// there are any.
    fn forget_ended(&mut self) -> bool {
        let told = self.fork_server.ended();
        let has_told = |process: &Identity| u32::try_from(process.pid).is_ok_and(|pid| told.contains(&pid));
        for watch in self.watched.values_mut() {
            watch.process.take_if(|process| has_told(process));
        }
        !told.is_empty()
    }
}
