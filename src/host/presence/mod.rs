//! Checks whether files exist, each at most once per tick.
//!
//! Each distinct path costs at most one system call, a listing of the parent may answer for siblings, and "missing" and
//! "not readable" are different answers. A metastore is asked for HCatalog partitions, unless a mount maps them to
//! folders. Must not depend on datasets or done-flags.

mod state;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::account;
use super::default_store::Qualified;
use super::found::{Verdict, verdict};
use super::looks;
#[cfg(feature = "hcat")]
use super::metastore::Metastores;
use super::mounts::{Mounts, Resolved};
use crate::model::partition::HCATALOG;
use crate::model::row::CoordinatorKey;

pub(crate) use state::State;

/// How many siblings are queried one by one before their parent is listed; it is listed again at each fourfold.
const SIBLINGS_BEFORE_LISTING: usize = 16;
/// A listing stops after this many entries per queried sibling: reading an entry costs about a fourth of a look-up.
const ENTRIES_PER_SIBLING: usize = 8;

/// Checks whether a URI or path exists.
pub(crate) trait Presence {
    /// The state of `uri`; the answer stays the same.
    fn check(&self, uri: &Qualified<'_>) -> State;

    /// Says for which job the next checks are.
    fn asks_for(&self, _job: CoordinatorKey) {}
}

/// The folders of this machine with a missing path, each with the jobs that asked for one.
pub(crate) type Awaited = BTreeMap<PathBuf, BTreeSet<CoordinatorKey>>;

/// The presence of real files during one tick.
#[derive(Debug)]
pub(crate) struct PresenceCache<'a> {
    mounts: &'a Mounts,
    known: RefCell<Known>,
    /// The same with the rights of other users, by their numbers: a file that one user sees may be hidden from another.
    known_to_others: RefCell<HashMap<u32, Known>>,
    /// The job for which it is asked now, and what is missing so far, when that is noted.
    job: Cell<CoordinatorKey>,
    awaited: Option<RefCell<HashMap<PathBuf, BTreeSet<CoordinatorKey>>>>,
    #[cfg(feature = "hcat")]
    metastores: RefCell<Metastores>,
}

#[derive(Debug, Default)]
struct Known {
    /// What was looked up alone. What a listing answers is not here: the listing stays and answers the same again.
    paths: HashMap<PathBuf, State>,
    parents: HashMap<PathBuf, Parent>,
    /// The parent of the last path, which most often is that of the next one too; it is not in `parents` meanwhile.
    current: Option<(PathBuf, Parent)>,
    system_calls: usize,
}

#[derive(Debug, Default)]
struct Parent {
    asked: usize,
    /// Every name in the folder, once it has been listed completely; `true` where the name alone proves nothing because
    /// it is a symbolic link.
    names: Option<HashMap<OsString, bool>>,
}

impl<'a> PresenceCache<'a> {
    /// An empty cache, for one tick.
    pub(crate) fn new(mounts: &'a Mounts) -> Self {
        Self {
            mounts,
            known: RefCell::default(),
            known_to_others: RefCell::default(),
            job: Cell::default(),
            awaited: None,
            #[cfg(feature = "hcat")]
            metastores: RefCell::default(),
        }
    }

    /// The same; it also notes where something is missing.
    pub(crate) fn noting_what_is_missing(mounts: &'a Mounts) -> Self {
        Self { awaited: Some(RefCell::default()), ..Self::new(mounts) }
    }

    /// The folders in which something is missing, when that was noted.
    pub(crate) fn awaited(self) -> Awaited {
        self.awaited.map(RefCell::into_inner).unwrap_or_default().into_iter().collect()
    }

    /// Checks a path with the rights of this thread.
    fn check_local(&self, path: &Path) -> State {
        let state = match account::effective_uid() {
            user if user == account::own_uid() => self.known.borrow_mut().check(path),
            other => self.known_to_others.borrow_mut().entry(other).or_default().check(path),
        };
        if let (State::Missing, Some(awaited), Some(folder)) = (&state, &self.awaited, path.parent()) {
            let mut awaited = awaited.borrow_mut();
            let known = awaited.get_mut(folder).map(|jobs| jobs.insert(self.job.get()));
            if known.is_none() {
                awaited.insert(folder.to_owned(), BTreeSet::from([self.job.get()]));
            }
        }
        state
    }
}

impl Presence for PresenceCache<'_> {
    fn check(&self, uri: &Qualified<'_>) -> State {
        match self.mounts.resolve(uri) {
            Resolved::Local { path, .. } => self.check_local(&path),
            Resolved::Unmapped(_) if uri.as_str().starts_with(HCATALOG) => self.partition(uri.as_str()),
            Resolved::Unmapped(store) => State::Unmapped(store),
            Resolved::Invalid(why) => State::Unreadable(why.to_owned()),
        }
    }

    fn asks_for(&self, job: CoordinatorKey) {
        self.job.set(job);
    }
}

impl PresenceCache<'_> {
    #[cfg(feature = "hcat")]
    fn partition(&self, uri: &str) -> State {
        self.metastores.borrow_mut().check(uri)
    }

    #[cfg(not(feature = "hcat"))]
    #[expect(clippy::unused_self, reason = "with the feature it asks the metastores")]
    fn partition(&self, _uri: &str) -> State {
        State::Unreadable("this howdah was built without the feature hcat and cannot ask a metastore".to_owned())
    }
}

/// A fixed set of paths that exist; everything else is missing. For tests and simulation.
impl Presence for HashSet<String> {
    fn check(&self, uri: &Qualified<'_>) -> State {
        if self.contains(uri.as_str()) { State::Present } else { State::Missing }
    }
}

impl Known {
    fn check(&mut self, path: &Path) -> State {
        if let Some(state) = self.paths.get(path) {
            return state.clone();
        }
        if let Some(state) = self.answer_of_parent(path) {
            return state;
        }
        self.system_calls += 1;
        let state = look_up(path);
        self.paths.insert(path.to_owned(), state.clone());
        state
    }

    /// The answer from the listing of the parent; lists it when enough siblings were queried.
    fn answer_of_parent(&mut self, path: &Path) -> Option<State> {
        let (folder, name) = (path.parent()?, path.file_name()?);
        let (_, parent) = self.turn_to(folder);
        parent.asked += 1;
        let limit = parent.asked * ENTRIES_PER_SIBLING;
        if parent.names.is_none() && is_listing_due(parent.asked) {
            parent.names = list(folder, limit);
            self.system_calls += 1;
        }
        match self.current.as_ref()?.1.names.as_ref()?.get(name) {
            None => Some(State::Missing),
            Some(false) => Some(State::Present),
            Some(true) => None,
        }
    }

    /// Makes a folder the current one.
    fn turn_to(&mut self, folder: &Path) -> &mut (PathBuf, Parent) {
        let is_current = self.current.as_ref().is_some_and(|(current, _)| current == folder);
        if !is_current {
            if let Some((before, parent)) = self.current.take() {
                self.parents.insert(before, parent);
            }
            let known = self.parents.remove_entry(folder);
            self.current = Some(known.unwrap_or_else(|| (folder.to_owned(), Parent::default())));
        }
        self.current.get_or_insert_with(|| (folder.to_owned(), Parent::default()))
    }
}

/// At 16, 64, 256, ... siblings: a failed listing never costs more than the look-ups that it would have saved.
fn is_listing_due(asked: usize) -> bool {
    asked.is_power_of_two() && asked >= SIBLINGS_BEFORE_LISTING && asked.trailing_zeros().is_multiple_of(2)
}

/// The names in `folder`, unless there are more than `limit` or one cannot be read.
fn list(folder: &Path, limit: usize) -> Option<HashMap<OsString, bool>> {
    let mut names = HashMap::new();
    for entry in looks::read_dir(folder).ok()? {
        let (entry, kind) = entry.ok()?;
        if names.len() >= limit {
            return None;
        }
        let needs_look_up = kind.map_or(true, |kind| kind.is_symlink());
        names.insert(entry.file_name(), needs_look_up);
    }
    Some(names)
}

fn look_up(path: &Path) -> State {
    match looks::metadata(path) {
        Ok(_) => State::Present,
        Err(error) => match verdict(&error) {
            Verdict::Absent => State::Missing,
            Verdict::Refused => State::Unreadable(error.to_string()),
            Verdict::Unknown => State::Unknown(error.to_string()),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::default_store::DefaultStore;
    use super::*;

    fn check(presence: &dyn Presence, uri: &str) -> State {
        presence.check(&DefaultStore::default().qualify(uri))
    }

    #[test]
    fn each_path_is_asked_once_and_the_answer_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let uri = path.to_str().unwrap();
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        assert_eq!(check(&cache, uri), State::Missing);
        fs::write(&path, "").unwrap();
        assert_eq!(check(&cache, uri), State::Missing);
        assert_eq!(check(&cache, &format!("file://{uri}/")), State::Missing);
        assert_eq!(cache.known.borrow().system_calls, 1);
        assert_eq!(check(&PresenceCache::new(&mounts), uri), State::Present);
        assert_eq!(check(&PresenceCache::new(&mounts), &format!("{uri}/below-a-file")), State::Missing);
    }

    #[test]
    fn many_siblings_are_answered_by_one_listing() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..100 {
            fs::write(folder.path().join(format!("{number}")), "").unwrap();
        }
        std::os::unix::fs::symlink("nowhere", folder.path().join("100")).unwrap();
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        for number in 0..200 {
            let expect = if number < 100 { State::Present } else { State::Missing };
            assert_eq!(check(&cache, folder.path().join(format!("{number}")).to_str().unwrap()), expect, "{number}");
        }
        let known = cache.known.borrow();
        assert!(known.system_calls < 20, "{}", known.system_calls);
        // A million siblings are not kept twice.
        assert!(known.paths.len() < 20, "{}", known.paths.len());
    }

    #[test]
    fn two_folders_in_turn_are_listed_as_each_would_be() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a", "b"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        for number in 0..200 {
            for name in ["a", "b"] {
                let path = folder.path().join(format!("{name}/{number}"));
                assert_eq!(check(&cache, path.to_str().unwrap()), State::Missing);
                fs::write(&path, "").unwrap();
                assert_eq!(check(&cache, path.to_str().unwrap()), State::Missing);
            }
        }
        assert!(cache.known.borrow().system_calls < 60, "{}", cache.known.borrow().system_calls);
    }

    #[test]
    fn says_why_it_cannot_tell() {
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        assert_eq!(check(&cache, "hdfs://foo:8020/x"), State::Unmapped("hdfs://foo:8020".to_owned()));
        let too_long = format!("/{}", "x".repeat(300));
        assert!(matches!(check(&cache, &too_long), State::Unreadable(_)));
        assert!(matches!(check(&cache, "relative"), State::Unreadable(_)));
    }

    #[test]
    fn it_notes_in_which_folders_each_job_misses_something() {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().to_str().unwrap();
        fs::write(folder.path().join("there"), "").unwrap();
        let mounts = Mounts::parse([format!("hdfs://n={base}").as_str()]).unwrap();
        let cache = PresenceCache::noting_what_is_missing(&mounts);
        let (first, second) = (CoordinatorKey(1), CoordinatorKey(2));
        for (job, name) in [(first, "there"), (first, "a/x"), (second, "a/x"), (second, "b/x"), (second, "c")] {
            cache.asks_for(job);
            check(&cache, &format!("{base}/{name}"));
        }
        check(&cache, "hdfs://n/d/x");
        check(&cache, "hdfs://elsewhere/d/x");
        let in_folder = |name: &str| folder.path().join(name);
        let expect = [
            (folder.path().to_owned(), BTreeSet::from([second])),
            (in_folder("a"), BTreeSet::from([first, second])),
            (in_folder("b"), BTreeSet::from([second])),
            (in_folder("d"), BTreeSet::from([second])),
        ];
        assert_eq!(cache.awaited(), BTreeMap::from(expect));
        assert_eq!(PresenceCache::new(&mounts).awaited(), BTreeMap::new());
    }

    #[test]
    fn a_set_is_enough_for_a_test() {
        let set: HashSet<String> = ["/a".to_owned()].into();
        assert_eq!((check(&set, "/a"), check(&set, "/b")), (State::Present, State::Missing));
    }
}
