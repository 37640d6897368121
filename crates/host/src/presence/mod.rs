//! Checks whether files exist, each at most once per tick.
//!
//! Each distinct path is looked up at most once; at a few siblings a listing of their parent answers for many of them.
//! "Missing" and "not readable" are different answers. A server is asked for its paths, and a metastore for HCatalog
//! partitions, unless a mount maps them to folders. Must not depend on datasets or done-flags.

mod known_only;
mod looked_up;
mod on_server;
mod state;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::account;
use super::default_store::Qualified;
use super::looks;
#[cfg(feature = "hcat")]
use super::metastore::Metastores;
use super::mounts::{Mounts, Resolved};
use howdah_words::model::partition::HCATALOG;
use howdah_words::model::row::CoordinatorKey;
pub use known_only::KnownOnly;
use looked_up::LookedUp;
pub use on_server::{Failing, Servers};
pub use state::State;

/// How many siblings are queried one by one before their parent is listed; it is listed again at each fourfold.
const SIBLINGS_BEFORE_LISTING: usize = 16;
/// The same for a parent that is probably short.
const SIBLINGS_BEFORE_SHORT_LISTING: usize = 4;
/// The most bytes of a short folder: a block, in which file systems with blocks have up to a hundred names.
const SHORT: u64 = 4096;
/// A listing stops after this many entries per queried sibling: reading an entry costs about a fourth of a look-up.
const ENTRIES_PER_SIBLING: usize = 8;

/// Checks whether a URI or path exists.
pub trait Presence {
    /// The state of `uri`; the answer stays the same.
    fn check(&self, uri: &Qualified<'_>) -> State;

    /// The same, when it is known without a look at anything; else `None`.
    fn known(&self, _uri: &Qualified<'_>) -> Option<State> {
        None
    }

    /// Says for which job the next checks are.
    fn asks_for(&self, _job: CoordinatorKey) {}
}

/// The folders of this machine with a missing path, each with the jobs that asked for one.
pub type Awaited = BTreeMap<PathBuf, BTreeSet<CoordinatorKey>>;

/// The presence of real files during one tick.
#[derive(Debug)]
pub struct PresenceCache<'a> {
    mounts: &'a Mounts,
    /// The user for whom this process works.
    own_uid: u32,
    known: RefCell<Known>,
    /// The same with the rights of other users, by their numbers: a file that one user sees may be hidden from another.
    known_to_others: RefCell<HashMap<u32, Known>>,
    /// The job for which it is asked now, and what is missing so far, when that is noted.
    job: Cell<CoordinatorKey>,
    awaited: Option<RefCell<HashMap<PathBuf, BTreeSet<CoordinatorKey>>>>,
    servers: RefCell<Servers>,
    #[cfg(feature = "hcat")]
    metastores: RefCell<Metastores>,
}

#[derive(Debug, Default)]
struct Known {
    parents: Vec<Parent>,
    /// The place of each parent, by its path as bytes: a `Path` is compared part by part.
    places: HashMap<Rc<OsStr>, usize>,
    /// The parent of the last path, which most often is that of the next one too.
    current: Option<usize>,
    /// What has no name in a parent, such as the root.
    nameless: HashMap<PathBuf, State>,
    looks: Looks,
}

/// What the looks have cost, and what one of them says for many folders.
#[derive(Debug, Default)]
struct Looks {
    system_calls: usize,
    /// Whether file systems mount what no listing shows, by their devices.
    on_demand: HashMap<u64, bool>,
}

impl Looks {
    /// Whether the file system of a folder mounts what no listing shows; `None` when the system does not say its kind.
    fn is_on_demand(&mut self, folder: &Path, device: u64) -> Option<bool> {
        if let Some(known) = self.on_demand.get(&device) {
            return Some(*known);
        }
        let found = mounts_on_demand(folder)?;
        self.on_demand.insert(device, found);
        Some(found)
    }
}

#[derive(Debug)]
struct Parent {
    path: Rc<OsStr>,
    asked: usize,
    /// What was looked up alone. What a listing answers is not here: the listing stays and answers the same again.
    alone: LookedUp,
    /// Every name in the folder, once it has been listed completely; `true` where the name alone proves nothing: it
    /// is no regular file.
    names: Option<HashMap<OsString, bool>>,
}

impl<'a> PresenceCache<'a> {
    /// An empty cache, for one tick.
    pub fn new(mounts: &'a Mounts) -> Self {
        Self {
            mounts,
            own_uid: account::own_uid(),
            known: RefCell::default(),
            known_to_others: RefCell::default(),
            job: Cell::default(),
            awaited: None,
            servers: RefCell::default(),
            #[cfg(feature = "hcat")]
            metastores: RefCell::default(),
        }
    }

    /// The same, for servers that were deferred or asked before; it also notes where something is missing, if wanted.
    pub fn with(mounts: &'a Mounts, servers: Servers, notes_missing: bool) -> Self {
        let awaited = notes_missing.then(RefCell::default);
        Self { awaited, servers: RefCell::new(servers), ..Self::new(mounts) }
    }

    /// The folders in which something is missing, when that was noted; and what servers have said.
    pub fn into_parts(self) -> (Awaited, Servers) {
        let awaited = self.awaited.map(RefCell::into_inner).unwrap_or_default().into_iter().collect();
        (awaited, self.servers.into_inner())
    }

    /// Checks a path with the rights of this thread.
    fn check_local(&self, path: &Path) -> State {
        let state = match account::effective_uid() {
            user if user == self.own_uid => self.known.borrow_mut().check(path),
            other => self.known_to_others.borrow_mut().entry(other).or_default().check(path),
        };
        self.note(path, &state);
        state
    }

    /// What is known of a path with the rights of this thread.
    fn known_local(&self, path: &Path) -> Option<State> {
        let state = match account::effective_uid() {
            user if user == self.own_uid => self.known.borrow().known(path),
            other => self.known_to_others.borrow().get(&other)?.known(path),
        };
        state.inspect(|state| self.note(path, state))
    }

    /// Notes where something is missing, if wanted.
    fn note(&self, path: &Path, state: &State) {
        let Some(awaited) = self.awaited.as_ref().filter(|_| *state == State::Missing) else { return };
        let Some(folder) = path.parent() else { return };
        let mut awaited = awaited.borrow_mut();
        match awaited.get_mut(folder) {
            Some(jobs) => drop(jobs.insert(self.job.get())),
            None => drop(awaited.insert(folder.to_owned(), BTreeSet::from([self.job.get()]))),
        }
    }
}

impl Presence for PresenceCache<'_> {
    fn check(&self, uri: &Qualified<'_>) -> State {
        match self.mounts.resolve(uri) {
            Resolved::Local { path, .. } => self.check_local(&path),
            Resolved::Server { server, path } => self.servers.borrow_mut().check(&server, &path),
            Resolved::Unmapped(_) if uri.as_str().starts_with(HCATALOG) => self.partition(uri.as_str()),
            Resolved::Unmapped(store) => State::Unmapped(store),
            Resolved::Invalid(why) => State::Unreadable(why.to_owned()),
        }
    }

    fn known(&self, uri: &Qualified<'_>) -> Option<State> {
        match self.mounts.resolve(uri) {
            Resolved::Local { path, .. } => self.known_local(&path),
            Resolved::Server { .. } | Resolved::Unmapped(_) => None,
            Resolved::Invalid(why) => Some(State::Unreadable(why.to_owned())),
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

    fn known(&self, uri: &Qualified<'_>) -> Option<State> {
        Some(self.check(uri))
    }
}

impl Known {
    fn check(&mut self, path: &Path) -> State {
        let Some((folder, name)) = split_name(path.as_os_str()) else {
            return self.nameless.entry(path.to_owned()).or_insert_with(|| look_up(path)).clone();
        };
        if !self.knows(folder) && self.is_absent(folder) {
            return State::Missing;
        }
        let place = self.place_of(folder);
        let parent = &mut self.parents[place];
        if let Some(state) = parent.alone.get(name).or_else(|| parent.listed(name, &mut self.looks)) {
            return state;
        }
        self.looks.system_calls += 1;
        let state = look_up(path);
        parent.alone.insert(name, &state);
        state
    }

    /// What is known of a path without a system call.
    fn known(&self, path: &Path) -> Option<State> {
        let Some((folder, name)) = split_name(path.as_os_str()) else {
            return self.nameless.get(path).cloned();
        };
        if let Some(parent) = self.places.get(folder).map(|place| &self.parents[*place]) {
            return parent.alone.get(name).or_else(|| parent.in_listing(name));
        }
        let (above, name) = split_name(folder)?;
        let listed = self.parents[*self.places.get(above)?].in_listing(name);
        listed.filter(|state| *state == State::Missing)
    }

    /// Whether a path in this folder was looked up before.
    fn knows(&self, folder: &OsStr) -> bool {
        self.current.is_some_and(|current| *self.parents[current].path == *folder) || self.places.contains_key(folder)
    }

    /// Whether the listing of the folder above answers that this folder does not exist. Of a million actions that each
    /// wait for a file in a folder of its own, none is then looked up, and nothing is kept of them.
    fn is_absent(&mut self, folder: &OsStr) -> bool {
        let Some((above, name)) = split_name(folder) else { return false };
        let place = self.place_of(above);
        self.parents[place].listed(name, &mut self.looks) == Some(State::Missing)
    }

    /// Makes a folder the current one, and returns its place.
    fn place_of(&mut self, folder: &OsStr) -> usize {
        if let Some(current) = self.current.filter(|current| *self.parents[*current].path == *folder) {
            return current;
        }
        let place = self.places.get(folder).copied().unwrap_or_else(|| {
            let path: Rc<OsStr> = folder.into();
            self.places.insert(Rc::clone(&path), self.parents.len());
            self.parents.push(Parent { path, asked: 0, alone: LookedUp::default(), names: None });
            self.parents.len() - 1
        });
        self.current = Some(place);
        place
    }
}

impl Parent {
    /// The answer from the listing of the folder; lists it when enough siblings were queried.
    fn listed(&mut self, name: &OsStr, costs: &mut Looks) -> Option<State> {
        self.asked += 1;
        let is_soon = self.asked == SIBLINGS_BEFORE_SHORT_LISTING;
        if self.names.is_none() && (is_soon || is_listing_due(self.asked)) {
            let longest = if is_soon { SHORT } else { u64::MAX };
            self.names = list(Path::new(&*self.path), longest, self.asked * ENTRIES_PER_SIBLING, costs);
        }
        self.in_listing(name)
    }

    /// The answer from the listing of the folder, when it has been listed.
    fn in_listing(&self, name: &OsStr) -> Option<State> {
        match self.names.as_ref()?.get(name) {
            None => Some(State::Missing),
            Some(false) => Some(State::Present),
            Some(true) => None,
        }
    }
}

/// The folder of a path and the name in it; `None` for a path that ends with no name, such as the root.
fn split_name(path: &OsStr) -> Option<(&OsStr, &OsStr)> {
    let bytes = path.as_bytes();
    let slash = memchr::memrchr(b'/', bytes)?;
    let (folder, name) = (&bytes[..slash.max(1)], &bytes[slash + 1..]);
    (!matches!(name, b"" | b"." | b"..")).then_some((OsStr::from_bytes(folder), OsStr::from_bytes(name)))
}

/// At 16, 64, 256, ... siblings: a failed listing never costs more than the look-ups that it would have saved.
fn is_listing_due(asked: usize) -> bool {
    asked.is_power_of_two() && asked >= SIBLINGS_BEFORE_LISTING && asked.trailing_zeros().is_multiple_of(2)
}

/// The names in `folder`, unless it has more bytes than `longest` or more names than `limit`, or one cannot be read;
/// none where there is no such folder.
fn list(folder: &Path, longest: u64, limit: usize, costs: &mut Looks) -> Option<HashMap<OsString, bool>> {
    let mut names = HashMap::new();
    costs.system_calls += 2;
    // What is in a folder that may be read and not entered can be listed, and still not be looked up.
    let found = match looks::metadata(&folder.join(".")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(names),
        found => found.ok().filter(|found| found.len() <= longest)?,
    };
    if costs.is_on_demand(folder, found.dev())? {
        return None;
    }
    for entry in looks::read_dir(folder).ok()? {
        let (entry, kind) = entry.ok()?;
        if names.len() >= limit {
            return None;
        }
        // A folder may be a mount point whose file system does not answer, and a link may lead nowhere.
        let needs_look_up = kind.map_or(true, |kind| !kind.is_file());
        names.insert(entry.file_name(), needs_look_up);
    }
    Some(names)
}

/// Whether looking a name up may mount what no listing shows (autofs).
#[cfg(target_os = "linux")]
fn mounts_on_demand(folder: &Path) -> Option<bool> {
    const AUTOFS: u32 = 0x0187;
    looks::file_system(folder).ok().map(|kind| kind == AUTOFS)
}

/// Whether looking a name up may mount what no listing shows.
#[cfg(not(target_os = "linux"))]
fn mounts_on_demand(_folder: &Path) -> Option<bool> {
    Some(false)
}

fn look_up(path: &Path) -> State {
    match looks::metadata(path) {
        Ok(_) => State::Present,
        Err(error) => State::of_error(&error),
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
        assert_eq!(cache.known.borrow().looks.system_calls, 1);
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
        assert!(known.looks.system_calls <= 20, "{}", known.looks.system_calls);
        // A million siblings are not kept twice.
        assert!(known.parents.iter().all(|parent| parent.alone.len() < 20));
    }

    #[test]
    fn what_is_known_costs_no_look() {
        let folder = tempfile::tempdir().unwrap();
        let mounts = Mounts::default();
        let cache = PresenceCache::with(&mounts, Servers::default(), true);
        let path = |number: usize| folder.path().join(format!("{}/{}", number % 40, number % 50));
        for number in (0..400).filter(|number| number % 3 == 0) {
            fs::create_dir_all(path(number).parent().unwrap()).unwrap();
            fs::write(path(number), "").unwrap();
        }
        let known = |number: usize| {
            let known = KnownOnly::of(&cache);
            let state = check(&known, path(number).to_str().unwrap());
            (state, known.has_deferred())
        };
        assert_eq!(known(0), (State::Deferred, true));
        assert_eq!(cache.known.borrow().looks.system_calls, 0);
        let states: Vec<State> = (0..200).map(|number| check(&cache, path(number).to_str().unwrap())).collect();
        let before = cache.known.borrow().looks.system_calls;
        for (number, state) in states.into_iter().enumerate() {
            assert_eq!(known(number), (state, false), "{number}");
        }
        assert_eq!(cache.known.borrow().looks.system_calls, before);
        // Who waits for it is noted as after a look.
        cache.asks_for(CoordinatorKey(7));
        let missing = (0..200).find(|number| known(*number).0 == State::Missing).unwrap();
        assert!(cache.into_parts().0[path(missing).parent().unwrap()].contains(&CoordinatorKey(7)));
    }

    #[test]
    fn a_folder_is_not_present_by_its_name_alone() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..100 {
            fs::create_dir(folder.path().join(number.to_string())).unwrap();
        }
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        for number in 0..300 {
            let expect = if number < 100 { State::Present } else { State::Missing };
            assert_eq!(check(&cache, folder.path().join(number.to_string()).to_str().unwrap()), expect, "{number}");
        }
        // Each of the hundred was looked up, and few others.
        let known = cache.known.borrow();
        assert!((100..130).contains(&known.looks.system_calls), "{}", known.looks.system_calls);
    }

    #[test]
    fn siblings_in_a_folder_that_is_missing_are_answered_by_one_listing() {
        let folder = tempfile::tempdir().unwrap();
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        let check_all = || {
            for number in 0..200 {
                let path = folder.path().join(format!("missing/{number}"));
                assert_eq!(check(&cache, path.to_str().unwrap()), State::Missing, "{number}");
            }
        };
        check_all();
        // The answers stay.
        fs::create_dir(folder.path().join("missing")).unwrap();
        for number in [0, 100] {
            fs::write(folder.path().join(format!("missing/{number}")), "").unwrap();
        }
        check_all();
        let known = cache.known.borrow();
        assert!(known.looks.system_calls < 20, "{}", known.looks.system_calls);
        assert!(known.parents.iter().all(|parent| parent.alone.len() < 20));
    }

    #[test]
    fn folders_that_are_missing_are_answered_by_the_listing_of_the_folder_above() {
        let folder = tempfile::tempdir().unwrap();
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        let is_there = |number: usize| number % 100 == 50;
        for number in (0..1000).filter(|number| is_there(*number)) {
            fs::create_dir(folder.path().join(number.to_string())).unwrap();
            fs::write(folder.path().join(format!("{number}/_SUCCESS")), "").unwrap();
        }
        std::os::unix::fs::symlink("50", folder.path().join("1000")).unwrap();
        let check_all = || {
            for number in 0..=1000 {
                let path = folder.path().join(format!("{number}/_SUCCESS"));
                let expect = if is_there(number) || number == 1000 { State::Present } else { State::Missing };
                assert_eq!(check(&cache, path.to_str().unwrap()), expect, "{number}");
            }
        };
        check_all();
        // The answers stay.
        for number in [0, 300] {
            fs::create_dir(folder.path().join(number.to_string())).unwrap();
            fs::write(folder.path().join(format!("{number}/_SUCCESS")), "").unwrap();
        }
        check_all();
        let known = cache.known.borrow();
        assert!(known.looks.system_calls < 50, "{}", known.looks.system_calls);
        assert!(known.parents.len() < 40, "{}", known.parents.len());
    }

    #[test]
    fn a_short_folder_is_listed_for_a_few_siblings() {
        let folder = tempfile::tempdir().unwrap();
        let mounts = Mounts::default();
        let cache = PresenceCache::new(&mounts);
        for number in 0..8 {
            let path = folder.path().join(number.to_string());
            assert_eq!(check(&cache, path.to_str().unwrap()), State::Missing);
        }
        // Three paths, the folder itself, and its listing.
        assert_eq!(cache.known.borrow().looks.system_calls, 5);
    }

    #[test]
    fn a_file_system_that_mounts_on_demand_is_not_listed() {
        let folder = tempfile::tempdir().unwrap();
        let device = fs::metadata(folder.path()).unwrap().dev();
        for (mounts, expect) in [(true, None), (false, Some(HashMap::new()))] {
            let mut costs = Looks { on_demand: HashMap::from([(device, mounts)]), ..Looks::default() };
            assert_eq!(list(folder.path(), SHORT, 10, &mut costs), expect);
        }
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
        assert!(cache.known.borrow().looks.system_calls < 60, "{}", cache.known.borrow().looks.system_calls);
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
        let cache = PresenceCache::with(&mounts, Servers::default(), true);
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
        assert_eq!(cache.into_parts().0, BTreeMap::from(expect));
        assert_eq!(PresenceCache::new(&mounts).into_parts().0, BTreeMap::new());
    }

    #[test]
    fn a_set_is_enough_for_a_test() {
        let set: HashSet<String> = ["/a".to_owned()].into();
        assert_eq!((check(&set, "/a"), check(&set, "/b")), (State::Present, State::Missing));
    }
}
