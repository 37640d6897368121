//! Notices new files where actions wait for their inputs, between two ticks of a daemon.
//!
//! For each folder in which a tick missed something, the folder itself is watched, or the nearest one above it that
//! exists. An event says only which jobs to look at: the next step runs a tick that checks their inputs. A folder is
//! watched with the rights of the job's user, and its path comes from the tick, so nothing is watched that the check of
//! an input would not touch. What cannot be watched is found by the ticks at the daemon's interval.

mod pacing;

use std::collections::{BTreeMap, BTreeSet, HashMap, hash_map};
use std::os::fd::BorrowedFd;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::run_as;
use crate::service::notice::pacing::Pacing;
use crate::tick::report::Seen;
use howdah_host::folder_events::{Events, FolderEvents, Unwatched, WatchId, Watched};
use howdah_host::presence::Awaited;
use howdah_store::{Snapshot, Store};
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorKey;

/// The most folders for which events are asked: each watch takes about a kilobyte of the kernel's memory.
const MOST_FOLDERS: usize = 8_192;

/// A folder in which something is missing, for the jobs of one user.
type Folder = (String, PathBuf);

/// What a daemon waits for.
#[derive(Debug)]
pub(crate) struct Notices {
    /// `Err` says why there are no events at all.
    events: Result<FolderEvents, String>,
    most: usize,
    folders: BTreeMap<Folder, Entry>,
    /// The folders that need each watch.
    watches: HashMap<WatchId, BTreeSet<Folder>>,
    /// The user of each job that waited at some time.
    users: HashMap<CoordinatorKey, String>,
    /// How many folders are above the bound.
    beyond: usize,
    /// The jobs to look at.
    changed: BTreeSet<CoordinatorKey>,
    pacing: Pacing,
    problem: Option<Problem>,
}

/// Why some folders are not watched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    pub unwatched: usize,
    pub all: usize,
    pub why: String,
}

#[derive(Debug)]
struct Entry {
    jobs: BTreeSet<CoordinatorKey>,
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum State {
    /// To be watched; it was under this watch, which may not be the nearest folder any more.
    New(Option<WatchId>),
    /// Under the watch of the folder itself, or of the nearest one above it.
    On {
        watch: WatchId,
        is_itself: bool,
    },
    Not(Unwatched),
}

impl Notices {
    /// Watches nothing yet.
    pub(crate) fn new() -> Self {
        Self::with_bound(FolderEvents::open(), MOST_FOLDERS)
    }

    fn with_bound(events: Result<FolderEvents, String>, most: usize) -> Self {
        Self {
            events,
            most,
            folders: BTreeMap::new(),
            watches: HashMap::new(),
            users: HashMap::new(),
            beyond: 0,
            changed: BTreeSet::new(),
            pacing: Pacing::default(),
            problem: None,
        }
    }

    /// Returns the jobs to look at now, if any.
    pub(crate) fn due(&mut self, at: Duration) -> Option<BTreeSet<CoordinatorKey>> {
        let events = self.events.as_ref().map(FolderEvents::read).unwrap_or_default();
        if self.note(events) {
            self.pacing.event(at);
        }
        (!self.changed.is_empty() && self.pacing.is_due(at)).then(|| self.changed.clone())
    }

    /// Returns how long to wait at most, and what ends the wait earlier.
    pub(crate) fn patience(&self, at: Duration) -> (Option<Duration>, Option<BorrowedFd<'_>>) {
        match self.pacing.left(at) {
            // Events that arrive now may wait, and must not wake anyone.
            Some(left) => (Some(left), None),
            None => (None, self.events.as_ref().ok().and_then(FolderEvents::descriptor)),
        }
    }

    /// Notes that a tick looked because of an event, and whether it found anything.
    pub(crate) fn looked(&mut self, at: Duration, found: bool) {
        self.pacing.looked(at, found);
    }

    /// Returns why some folders are not watched.
    pub(crate) fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// Watches the folders in which a tick missed something. A folder that was not watched during the tick may have
    /// changed since, so its jobs are looked at again.
    ///
    /// # Errors
    /// A failure of the database.
    pub(crate) fn follow(&mut self, store: &Store, seen: Seen) -> Result<()> {
        let awaited = store.read(|snapshot| self.by_user(snapshot, seen.awaited))?;
        self.replace(seen.checked.as_ref(), awaited);
        self.watch_new();
        self.forget_unused();
        self.problem = self.find_problem();
        Ok(())
    }

    /// Notes the jobs that events concern; returns whether there are any.
    fn note(&mut self, events: Events) -> bool {
        let mut concern_any = events.overflow;
        if events.overflow {
            self.folders.values().for_each(|entry| self.changed.extend(&entry.jobs));
        }
        for watch in events.changed.iter().chain(&events.gone) {
            // A watch that was ended has a last event.
            concern_any |= self.watches.contains_key(watch);
            for folder in self.watches.get(watch).into_iter().flatten() {
                let Some(entry) = self.folders.get_mut(folder) else { continue };
                self.changed.extend(&entry.jobs);
                // A folder between may exist now.
                if entry.state != (State::On { watch: *watch, is_itself: true }) {
                    entry.state = State::New(Some(*watch));
                }
            }
        }
        for watch in events.gone {
            for folder in self.watches.remove(&watch).into_iter().flatten() {
                self.folders.entry(folder).and_modify(|entry| entry.state = State::New(None));
            }
        }
        concern_any
    }

    /// Returns the same folders for each user whose jobs wait there.
    fn by_user(&mut self, snapshot: &Snapshot, awaited: Awaited) -> Result<BTreeMap<Folder, BTreeSet<CoordinatorKey>>> {
        let mut folders: BTreeMap<Folder, BTreeSet<CoordinatorKey>> = BTreeMap::new();
        for (path, jobs) in awaited {
            for job in jobs {
                let user = match self.users.entry(job) {
                    hash_map::Entry::Occupied(known) => known.get().clone(),
                    hash_map::Entry::Vacant(unknown) => {
                        let row = snapshot.coordinator_job_at(job)?;
                        unknown.insert(row.map(|row| row.user).unwrap_or_default()).clone()
                    }
                };
                folders.entry((user, path.clone())).or_default().insert(job);
            }
        }
        Ok(folders)
    }

    /// Replaces what the checked jobs wait for.
    fn replace(
        &mut self,
        checked: Option<&BTreeSet<CoordinatorKey>>,
        mut awaited: BTreeMap<Folder, BTreeSet<CoordinatorKey>>,
    ) {
        match checked {
            None => {
                self.changed.clear();
                let waiting: BTreeSet<CoordinatorKey> = awaited.values().flatten().copied().collect();
                self.users.retain(|job, _| waiting.contains(job));
            }
            Some(jobs) => self.changed.retain(|job| !jobs.contains(job)),
        }
        self.folders.retain(|folder, entry| {
            entry.jobs.retain(|job| checked.is_some_and(|jobs| !jobs.contains(job)));
            entry.jobs.extend(awaited.remove(folder).unwrap_or_default());
            // What could not be watched may be watched now.
            if checked.is_none() && matches!(entry.state, State::Not(_)) {
                entry.state = State::New(None);
            }
            !entry.jobs.is_empty()
        });
        let room = self.most.saturating_sub(self.folders.len());
        if checked.is_none() {
            self.beyond = awaited.len().saturating_sub(room);
        }
        for (folder, jobs) in awaited.into_iter().take(room) {
            self.folders.insert(folder, Entry { jobs, state: State::New(None) });
        }
    }

    /// Watches what is not watched yet, each folder with the rights of its user.
    fn watch_new(&mut self) {
        let Ok(events) = &self.events else { return };
        let is_new = |(_, entry): &(&Folder, &Entry)| matches!(entry.state, State::New(_));
        let new: Vec<Folder> = self.folders.iter().filter(is_new).map(|(folder, _)| folder.clone()).collect();
        let mut climb = Climb { events, limit: None, passed: Vec::new() };
        for of_user in new.chunk_by(|one, other| one.0 == other.0) {
            let reader = run_as::reader(of_user.first().map(|(user, _)| user.as_str()).unwrap_or_default());
            let watch = || of_user.iter().map(|(_, path)| climb.nearest(path)).collect::<Vec<_>>();
            let refused = |why: String| vec![State::Not(Unwatched::Refused(why)); of_user.len()];
            let states = reader.act(watch).unwrap_or_else(|error| refused(error.message().to_owned()));
            for (folder, state) in of_user.iter().zip(states) {
                let Some(entry) = self.folders.get_mut(folder) else { continue };
                if let State::On { watch, .. } = state {
                    self.watches.entry(watch).or_default().insert(folder.clone());
                    if entry.state != State::New(Some(watch)) {
                        self.changed.extend(&entry.jobs);
                    }
                }
                entry.state = state;
            }
        }
        for watch in climb.passed {
            // Without a folder it ends soon.
            self.watches.entry(watch).or_default();
        }
    }

    /// Ends the watches that no folder needs any more.
    fn forget_unused(&mut self) {
        let Ok(events) = &self.events else { return };
        let folders = &self.folders;
        self.watches.retain(|watch, needed| {
            let needs = |entry: &Entry| matches!(entry.state, State::On { watch: on, .. } if on == *watch);
            needed.retain(|folder| folders.get(folder).is_some_and(needs));
            if needed.is_empty() {
                events.forget(*watch);
            }
            !needed.is_empty()
        });
    }

    fn find_problem(&self) -> Option<Problem> {
        let all = self.folders.len() + self.beyond;
        let problem = |unwatched, why: &str| Some(Problem { unwatched, all, why: why.to_owned() });
        if let Err(why) = &self.events {
            return if all == 0 { None } else { problem(all, why) };
        }
        let reasons: Vec<&Unwatched> = self
            .folders
            .values()
            .filter_map(|entry| if let State::Not(why) = &entry.state { Some(why) } else { None })
            .collect();
        let unwatched = reasons.len() + self.beyond;
        // A limit concerns all folders, so it is the one to be told.
        let limit = reasons.iter().find(|why| matches!(why, Unwatched::Limit(_)));
        match limit.or(reasons.first()) {
            _ if self.beyond > 0 => problem(unwatched, &format!("at most {} are watched", self.most)),
            None => None,
            Some(Unwatched::Network) => problem(unwatched, "other machines may write to their file system"),
            Some(Unwatched::Limit(why) | Unwatched::Refused(why)) => problem(unwatched, why),
        }
    }
}

/// Watches folders, or the nearest ones above them that exist.
struct Climb<'a> {
    events: &'a FolderEvents,
    /// What allows no more watches.
    limit: Option<Unwatched>,
    /// Watches of folders above those that were found in the end.
    passed: Vec<WatchId>,
}

impl Climb<'_> {
    fn nearest(&mut self, folder: &Path) -> State {
        let above: Vec<&Path> = folder.ancestors().collect();
        let mut found = None;
        for (steps, path) in above.iter().enumerate() {
            match self.watch(path) {
                Watched::On(watch) => {
                    found = Some((steps, watch));
                    break;
                }
                Watched::Absent => {}
                Watched::Not(why) => return State::Not(why),
            }
        }
        let Some((mut steps, mut watch)) = found else {
            return State::Not(Unwatched::Refused("no folder above it exists".to_owned()));
        };
        // A folder that appeared before the one above it was watched has caused no event.
        while steps > 0
            && let Watched::On(lower) = self.watch(above[steps - 1])
        {
            self.passed.push(watch);
            (steps, watch) = (steps - 1, lower);
        }
        State::On { watch, is_itself: steps == 0 }
    }

    fn watch(&mut self, path: &Path) -> Watched {
        if let Some(limit) = &self.limit {
            return Watched::Not(limit.clone());
        }
        let watched = self.events.watch(path);
        if let Watched::Not(limit @ Unwatched::Limit(_)) = &watched {
            self.limit = Some(limit.clone());
        }
        watched
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests;
