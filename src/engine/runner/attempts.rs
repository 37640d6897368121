//! Attempts at work: starting their shims, watching them, ending them.
//!
//! The folder of an attempt says what is true; here is only what this process remembers of it, to wait for it
//! and not to ask too often. Forgetting all of it, as a new runner does, loses nothing. Attempts whose shim works on a
//! cluster are handed to [`Cluster`].

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::engine::runner::observation::{Look, MOST_STARTS};
use crate::engine::runner::slurm::Cluster;
use crate::error::{Error, Result};
use crate::executor::{self, Place};
use crate::host::attempt::{self, AttemptState};
use crate::host::clock::Pace;
use crate::host::fork_server::ForkServer;
use crate::host::processes::{self, Identity, Signal, Watcher};
use crate::host::slurm::Programs;
use crate::model::row::{Attempt, AttemptKey};

/// Between the request to end and the signal that cannot be refused.
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
    /// Why shims cannot be started at the moment, and whether that was told.
    shortage: Option<(Error, bool)>,
}

#[derive(Debug, Default)]
struct Watch {
    process: Option<Identity>,
    starts: u32,
    /// When the attempt was asked to end.
    stopping: Option<Pace>,
    /// Whether it was sent the signal that cannot be refused.
    forced: bool,
    /// Where the attempt is worked on, once its order was read.
    place: Option<Place>,
}

impl Shims {
    /// No shim known yet. Shims complain in `log` when they cannot write into their folders; those that need what the
    /// site file says and no order may hold read `site`.
    pub(crate) fn new(log: PathBuf, site: Option<PathBuf>, slurm: Programs) -> Self {
        let mut arguments: Vec<OsString> = vec!["attempts".into()];
        arguments.extend(site.into_iter().flat_map(|site| ["--site".into(), site.into_os_string()]));
        Self {
            fork_server: ForkServer::new(arguments, log),
            watcher: Watcher::default(),
            watched: HashMap::new(),
            has_ended: false,
            cluster: Cluster::new(slurm),
            shortage: None,
        }
    }

    /// Begins the work of attempts that were stored just now, in each one's place. What cannot begin now is begun by a
    /// later look.
    ///
    /// # Errors
    /// H0110 when the folder of one cannot be read.
    pub(crate) fn begin<'a>(&mut self, attempts: impl Iterator<Item = (&'a Attempt, &'a Place)>) -> Result<()> {
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

    /// Starts the shims of attempts whose folders are prepared; harmless where there already is one. Only a shim that
    /// was started counts: a machine that has no process to spare is asked again at the next look.
    fn start(&mut self, attempts: &[&Attempt]) {
        let folders: Vec<&Path> = attempts.iter().map(|attempt| Path::new(&attempt.directory)).collect();
        if folders.is_empty() {
            return;
        }
        let (begun, shortage) = self.fork_server.start(&folders);
        for (attempt, pid) in attempts.iter().zip(begun) {
            let watch = self.watched.entry(attempt.attempt).or_default();
            watch.starts += u32::from(pid.is_some());
            watch.process = pid.and_then(|pid| Identity::of(pid).known().ok().flatten());
        }
        let is_news = |before: &(Error, bool), now: &Error| before.0.to_string() != now.to_string();
        self.shortage = match (self.shortage.take(), shortage) {
            (Some(before), Some(now)) if !is_news(&before, &now) => Some(before),
            (_, now) => now.map(|now| (now, false)),
        };
    }

    /// Looks at an open attempt: starts its shim when there is none, or, when it `may_begin` no more, takes it back.
    ///
    /// # Errors
    /// H0110 or H0113 when the machine cannot say how it stands: then nothing is concluded and nothing is started.
    pub(crate) fn look(&mut self, row: &Attempt, may_begin: bool) -> Result<Look> {
        let place = self.place(row)?;
        if !may_begin && place != Place::Here && attempt::cluster_job(Path::new(&row.directory))?.is_none() {
            attempt::recall(Path::new(&row.directory))?;
        }
        if let Place::Slurm { options } = place {
            let look = self.cluster.look(row, &options)?;
            return Ok(if let Look::Over(state) = look { self.over(row, state) } else { look });
        }
        let watch = self.watched.entry(row.attempt).or_default();
        if let Some(process) = &watch.process
            && processes::look_for(process).known()?.is_some()
        {
            return Ok(Look::Going);
        }
        // Waiting for the dead would end at once, again and again, while the folder cannot be read.
        watch.process = None;
        let folder = Path::new(&row.directory);
        match attempt::state(folder)? {
            AttemptState::Running(process) => {
                watch.process = Some(process);
                Ok(Look::Going)
            }
            // The person who asked for its end does not wait for an answer that this machine cannot have.
            AttemptState::OutOfSight(hidden) if watch.forced => {
                let reason = format!("it was asked to end. {}", Error::from(hidden).message());
                Ok(self.over(row, AttemptState::Lost { reason }))
            }
            AttemptState::OutOfSight(hidden) => Err(hidden.into()),
            AttemptState::Unclaimed if !may_begin => {
                let recalled = attempt::recall(folder)?;
                Ok(if recalled { self.over(row, AttemptState::Recalled) } else { Look::Going })
            }
            AttemptState::Unclaimed if watch.starts < MOST_STARTS => {
                self.start(&[row]);
                Ok(Look::Going)
            }
            AttemptState::Unclaimed => {
                let reason = format!("its supervisor did not begin, {MOST_STARTS} times");
                // A shim that starts after all finds the claim taken; a later query finds the reason.
                if !attempt::give_up(folder, &reason)? {
                    return Ok(Look::Going);
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

    /// Whether an attempt is worked on by this machine, as far as that is known.
    pub(crate) fn is_here(&self, row: &Attempt) -> bool {
        let place = self.watched.get(&row.attempt).and_then(|watch| watch.place.as_ref());
        place.is_none_or(|place| *place == Place::Here)
    }

    /// Why shims cannot be started at the moment.
    pub(crate) fn shortage(&self) -> Option<&Error> {
        self.shortage.as_ref().map(|(error, _)| error)
    }

    /// What the machine or the cluster cannot do at the moment, each thing once.
    pub(crate) fn complaint(&mut self) -> Option<Error> {
        if let Some((error, told)) = self.shortage.as_mut().filter(|(_, told)| !told) {
            *told = true;
            let help = "nothing is lost: what waits begins as soon as the machine lets it";
            return Some(error.clone().help(help));
        }
        self.cluster.complaint()
    }

    fn over(&mut self, row: &Attempt, state: AttemptState) -> Look {
        self.watched.remove(&row.attempt);
        if self.watched.is_empty() {
            self.shortage = None;
        }
        self.has_ended = true;
        Look::Over(state)
    }

    /// Asks an attempt to end, and ends it when it does not within [`GRACE`].
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

    /// Whether waiting is enough to notice whatever happens to the attempts: each has a process that is watched, and
    /// none has been asked to end.
    pub(crate) fn may_rest(&self) -> bool {
        let is_watched = |watch: &Watch| watch.process.is_some() && watch.stopping.is_none();
        self.watched.len() <= Watcher::MOST && self.watched.values().all(is_watched)
    }

    /// Waits until a watched process ends, at most for `timeout`; whether one has ended.
    pub(crate) fn wait(&mut self, timeout: Duration) -> bool {
        let mut processes = self.cluster.processes();
        processes.extend(self.watched.values().filter_map(|watch| watch.process.clone()));
        let has_ended = self.watcher.wait(&processes, timeout);
        // The next start reaps as well: only a fork server that has nothing to do is woken for it.
        if !has_ended && std::mem::take(&mut self.has_ended) {
            self.fork_server.reap();
        }
        has_ended
    }
}
