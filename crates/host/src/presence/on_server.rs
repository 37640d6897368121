//! The presence of paths of servers during one tick.
//!
//! A tick first does all that needs no server: meanwhile a path is only noted, and its state is deferred. Then what was
//! noted is asked for, side by side: a folder of several paths is listed once, and where several folders are in one
//! folder, that one is listed first, so that nothing is asked below a folder that is missing. What turns up later, such
//! as the next instance of a search, is asked for at once. A folder with far more entries than names that are wanted is
//! not listed: each path is asked for. A server that cannot tell is not asked again in this tick.
//! Must not depend on what a path means, or on how long a server is left alone after a failure.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use super::State;
use crate::clock::{Stopwatch, uptime};
use crate::file_store::{FileStore, Holder, MOST_ENTRIES, StoreAddress, StoreError, StoreSettings};
use crate::found::{Verdict, verdict};
use crate::session::handed_down;
use crate::{account, thread_pool};

/// How many paths of one folder, or folders of one folder, are worth a listing.
const WORTH_LISTING: usize = 8;
/// A listing may have this many entries for each name that is asked for: a server sends so many about as fast as it
/// answers one question.
const ENTRIES_PER_NAME: usize = 100;
/// A listing of this many entries is short: a name node sends them in one part.
const SHORT_LISTING: usize = 1_000;

/// A mount table, or why it cannot be used.
type Table = Result<Arc<dyn FileStore>, String>;

/// What servers have said so far, to each user.
#[derive(Debug, Default)]
pub struct Servers {
    known: HashMap<(Arc<StoreAddress>, u32), Arc<Mutex<Server>>>,
    /// Whether paths are only noted.
    deferring: bool,
    /// For how long each may be asked; `None`: as long as its own limits allow.
    limit: Option<Limit>,
    /// For how long they may be asked before what is left is deferred again.
    slice: Option<Limit>,
    /// The mount tables, as each user has them.
    tables: HashMap<(Arc<StoreAddress>, u32), Table>,
    /// Those that gave no answer before, by `scheme://authority`.
    failing: BTreeMap<String, Failing>,
}

/// A server that gave no answer when it was last asked.
#[derive(Clone, Debug)]
pub struct Failing {
    /// The time since when it gives none.
    pub since: String,
    /// Why it is not asked now; `None` when it is.
    pub not_asked: Option<String>,
}

#[derive(Debug)]
struct Server {
    /// The connection, or what it or a later call said when the server could not tell.
    connection: Result<Arc<dyn FileStore>, State>,
    /// What became of the questions so far; also those of a thread that is waited for no more.
    asked: Arc<Asked>,
    folders: HashMap<PathBuf, Folder>,
    deferred: BTreeSet<PathBuf>,
}

/// Whether a server was asked, and whether it has given an answer to anything.
#[derive(Debug, Default)]
struct Asked {
    once: AtomicBool,
    answered: AtomicBool,
}

#[derive(Debug, Default)]
struct Folder {
    asked: usize,
    /// Whether a listing was asked for.
    was_listed: bool,
    /// The names in it, when a listing has said them; none where there is no such folder.
    names: Option<HashSet<String>>,
    /// The answers for single names.
    alone: HashMap<String, State>,
}

impl Asked {
    /// Asks a store; what it refuses, or says about one path alone, is an answer too.
    fn note<T>(&self, store: &dyn FileStore, question: impl FnOnce(&dyn FileStore) -> io::Result<T>) -> io::Result<T> {
        self.once.store(true, Ordering::Relaxed);
        let answer = question(store);
        let is_answer = !answer.as_ref().is_err_and(is_of_server);
        self.answered.fetch_or(is_answer, Ordering::Relaxed);
        answer
    }
}

/// The state of one path.
fn state_at(store: &dyn FileStore, path: &Path) -> io::Result<State> {
    Ok(state_of(store.stat(&path.to_string_lossy())?.is_some()))
}

/// The names in a folder of which `asked` are wanted; none when there is no such folder: nothing is below a file. A
/// folder with far more entries than that is not listed whole.
fn names_in(store: &dyn FileStore, folder: &Path, asked: usize) -> io::Result<HashSet<String>> {
    let most = asked.saturating_mul(ENTRIES_PER_NAME).clamp(SHORT_LISTING, MOST_ENTRIES);
    match store.list_up_to(&folder.to_string_lossy(), most) {
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(HashSet::new()),
        listed => Ok(listed?.into_iter().flatten().map(|entry| entry.name).collect()),
    }
}

/// The time for which a server may be asked.
#[derive(Clone, Copy, Debug)]
struct Limit {
    since: Stopwatch,
    whole: Duration,
    /// Whether what was not answered in time is deferred, and not unknown.
    defers: bool,
}

impl Limit {
    fn left(self) -> Duration {
        self.whole.saturating_sub(self.since.elapsed())
    }

    fn is_over(self) -> bool {
        self.left().is_zero()
    }

    /// The state of what was not answered in time.
    fn over(self) -> State {
        if self.defers {
            return State::Deferred;
        }
        State::Unknown(format!("no answer in the {} s for which a tick asks one store", self.whole.as_secs_f32()))
    }

    /// Runs `work` in another thread and waits for it as long as the limit allows; then the thread is left alone: its
    /// own limits end it. `None` when there is no result in time.
    fn within<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let (sender, receiver) = mpsc::channel();
        let begun = thread::Builder::new().spawn(handed_down(move || sender.send(work())));
        begun.ok().and_then(|_| receiver.recv_timeout(self.left()).ok())
    }
}

impl Servers {
    /// Servers of which some gave no answer before.
    pub fn with(failing: BTreeMap<String, Failing>) -> Self {
        Self { failing, ..Self::default() }
    }

    /// The same; none is asked until [`Self::ask_deferred`].
    pub fn deferring(failing: BTreeMap<String, Failing>) -> Self {
        Self { deferring: true, ..Self::with(failing) }
    }

    /// The same, when there is no time left: none is asked, and each path is unknown.
    pub fn without_time() -> Self {
        let limit = Some(Limit { since: Stopwatch::start(), whole: Duration::ZERO, defers: false });
        Self { limit, ..Self::default() }
    }

    /// Whether a path of a server was checked, unless the server was left alone.
    pub fn know(&self, server: &str) -> bool {
        self.known.keys().any(|(address, _)| address.server == server)
    }

    /// The servers that were asked: whether each has given an answer to anything, or else why it could not tell.
    pub fn answers(&self) -> BTreeMap<String, Result<(), String>> {
        let mut answers = BTreeMap::new();
        for ((address, _), server) in &self.known {
            let Some(answer) = lock(server).answer() else { continue };
            let known = answers.entry(address.server.clone()).or_insert_with(|| answer.clone());
            if answer.is_ok() {
                *known = answer;
            }
        }
        answers
    }

    /// Whether a state was deferred.
    pub fn have_deferred(&self) -> bool {
        self.known.values().any(|server| !lock(server).deferred.is_empty())
    }

    /// Asks for all that was deferred, all servers side by side for at most the time of a tick since this was first
    /// called, and keeps what they have answered by then; from now on a path is asked for at once, within the same
    /// limit.
    pub fn ask_deferred(&mut self, settings: &StoreSettings) {
        let begin = || Limit { since: Stopwatch::start(), whole: settings.tick_time(), defers: false };
        let (limit, at_once) = (*self.limit.get_or_insert_with(begin), settings.requests);
        (self.deferring, self.slice) = (false, None);
        let (sender, receiver) = mpsc::channel();
        for server in self.known.values() {
            let (server, sender) = (Arc::clone(server), sender.clone());
            let work = move || {
                ask_deferred(&server, limit, at_once);
                // The tick may be over.
                let _ = sender.send(());
            };
            // Without a thread each path is asked for when it is needed.
            let _ = thread::Builder::new().spawn(handed_down(work));
        }
        drop(sender);
        while receiver.recv_timeout(limit.left()).is_ok() {}
        // One that has answered nothing is not waited for again.
        for server in self.known.values().filter(|_| limit.is_over()) {
            let mut server = lock(server);
            if !server.asked.answered.load(Ordering::Relaxed) && server.connection.is_ok() {
                server.connection = Err(limit.over());
            }
        }
    }

    /// From now on, paths are asked for at once only until `most` has passed; then they are deferred again. Changes
    /// nothing once the time for [`Self::ask_deferred`] is over.
    pub fn ask_at_most(&mut self, most: Duration) {
        let has_time = self.limit.is_some_and(|limit| !limit.is_over());
        self.slice = has_time.then(|| Limit { since: Stopwatch::start(), whole: most, defers: true });
    }

    /// Checks a path with the rights of this thread. The server behind a link of a mount table counts for itself.
    pub(super) fn check(&mut self, address: &Arc<StoreAddress>, path: &Path) -> State {
        let Some(text) = path.to_str().filter(|_| address.is_mount_table()) else { return self.ask(address, path) };
        let key = (Arc::clone(address), account::effective_uid());
        let table = self.tables.entry(key).or_insert_with(|| address.connect().map_err(|error| error.to_string()));
        // That a table cannot be used says nothing about its paths.
        match table.as_ref().map_err(String::clone).map(|table| table.holder(text)) {
            Err(why) => State::Unknown(why),
            Ok(Err(error)) => State::of_error(&error),
            Ok(Ok(Holder::Link { address, path, .. })) => self.ask(&address, Path::new(&path)),
            Ok(Ok(Holder::Store | Holder::Table)) => self.ask(address, path),
        }
    }

    fn ask(&mut self, address: &Arc<StoreAddress>, path: &Path) -> State {
        let failing = self.failing.get(&address.server);
        if let Some(why) = failing.and_then(|failing| failing.not_asked.as_ref()) {
            return State::Unknown(why.clone());
        }
        let key = (Arc::clone(address), account::effective_uid());
        let server = self.known.entry(key).or_insert_with(|| Arc::new(Mutex::new(Server::of(address))));
        let mut server = lock(server);
        if self.deferring && server.connection.is_ok() {
            server.deferred.insert(path.to_owned());
            return State::Deferred;
        }
        match (server.check(path, self.slice.or(self.limit)), failing) {
            (State::Deferred, _) => {
                server.deferred.insert(path.to_owned());
                State::Deferred
            }
            (State::Unknown(why), Some(Failing { since, .. })) => {
                State::Unknown(format!("{why}; no answer since {since}"))
            }
            (state, _) => state,
        }
    }
}

fn lock(server: &Mutex<Server>) -> MutexGuard<'_, Server> {
    server.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asks for what was deferred. What is not answered stays unknown until [`Server::check`] asks for it.
fn ask_deferred(server: &Mutex<Server>, limit: Limit, at_once: usize) {
    let mut names: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for path in std::mem::take(&mut lock(server).deferred) {
        if let Some((folder, name)) = split(&path).filter(|_| path.to_str().is_some()) {
            names.entry(folder.to_owned()).or_default().push(name.to_owned());
        }
    }
    let mut folders_in: BTreeMap<&Path, usize> = BTreeMap::new();
    for above in names.keys().filter_map(|folder| folder.parent()) {
        *folders_in.entry(above).or_default() += 1;
    }
    let list = |folders: Vec<(PathBuf, usize)>| {
        let names = |store: &dyn FileStore, (folder, asked): &(PathBuf, usize)| names_in(store, folder, *asked);
        ask_all(server, folders, (limit, at_once), names, |server, (folder, _), names| server.keep(folder, names));
    };
    let above = folders_in.into_iter().filter(|(above, count)| *count >= WORTH_LISTING && !names.contains_key(*above));
    list(above.map(|(above, count)| (above.to_owned(), count)).collect());
    names.retain(|folder, _| lock(server).is_in_listing(folder) != Some(false));
    let several = names.iter().filter(|(_, names)| names.len() >= WORTH_LISTING);
    list(several.map(|(folder, names)| (folder.clone(), names.len())).collect());
    // What no listing answers: single paths, and those in folders with far more entries.
    names.retain(|folder, _| !lock(server).has_names(folder));
    let paths = names.iter().flat_map(|(folder, names)| names.iter().map(|name| folder.join(name)));
    ask_all(
        server,
        paths.collect(),
        (limit, at_once),
        |store, path| state_at(store, path),
        |server, path, state| {
            keep_state(server, path, state);
        },
    );
}

/// Asks about several items, side by side, until the server cannot tell or the time is over; keeps each answer as it
/// comes.
fn ask_all<T: Sync, A>(
    server: &Mutex<Server>,
    mut items: Vec<T>,
    (limit, at_once): (Limit, usize),
    question: impl Fn(&dyn FileStore, &T) -> io::Result<A> + Sync,
    keep: impl Fn(&mut Server, &T, Option<A>) + Sync,
) {
    if items.is_empty() {
        return;
    }
    let asked = Arc::clone(&lock(server).asked);
    let Ok(store) = lock(server).connection.clone() else { return };
    // Another first one each time: when the time is too short for all, none is always the last.
    let first = uptime().subsec_micros() as usize % items.len();
    items.rotate_left(first);
    thread_pool::map_at_once(&items, at_once, |item| {
        if limit.is_over() || lock(server).connection.is_err() {
            return;
        }
        let answer = asked.note(store.as_ref(), |store| question(store, item));
        let mut server = lock(server);
        match answer {
            Ok(answer) => keep(&mut server, item, Some(answer)),
            Err(error) if is_of_server(&error) => server.connection = Err(State::of_error(&error)),
            // It is about one path, which is asked for again when it is needed.
            Err(_) => keep(&mut server, item, None),
        }
    });
}

fn keep_state(server: &mut Server, path: &Path, state: Option<State>) {
    if let (Some((folder, name)), Some(state)) = (split(path), state) {
        server.folders.entry(folder.to_owned()).or_default().alone.insert(name.to_owned(), state);
    }
}

impl Server {
    fn of(address: &StoreAddress) -> Self {
        // That it cannot be asked says nothing about its paths.
        let connection = address.connect().map_err(|error| State::Unknown(error.to_string()));
        Self { connection, asked: Arc::default(), folders: HashMap::new(), deferred: BTreeSet::new() }
    }

    /// Whether it has given an answer to anything, or else why it could not tell; `None` when it was not asked.
    fn answer(&self) -> Option<Result<(), String>> {
        match &self.connection {
            _ if self.asked.answered.load(Ordering::Relaxed) => Some(Ok(())),
            Err(State::Unknown(why)) if self.asked.once.load(Ordering::Relaxed) => Some(Err(why.clone())),
            _ => None,
        }
    }

    /// Keeps what a listing has said; `None` when it said nothing about the names.
    fn keep(&mut self, folder: &Path, names: Option<HashSet<String>>) {
        let folder = self.folders.entry(folder.to_owned()).or_default();
        (folder.was_listed, folder.names) = (true, names);
    }

    fn check(&mut self, path: &Path, limit: Option<Limit>) -> State {
        if path.to_str().is_none() {
            return State::Unreadable("the name of a file on a server must be UTF-8".to_owned());
        }
        let look_up = |server: &mut Self| {
            let path = path.to_owned();
            server.ask(limit, move |store| state_at(store, &path)).unwrap_or_else(|state| state)
        };
        let Some((folder, name)) = split(path) else {
            return look_up(self);
        };
        if !self.folders.contains_key(folder)
            && let Some((above, last)) = split(folder)
            && self.listed(above, last, limit) == Some(false)
        {
            return State::Missing;
        }
        if let Some(listed) = self.listed(folder, name, limit) {
            return state_of(listed);
        }
        if let Some(state) = self.folders.get(folder).and_then(|folder| folder.alone.get(name)) {
            return state.clone();
        }
        let state = look_up(self);
        if state == State::Deferred {
            return state;
        }
        self.folders.entry(folder.to_owned()).or_default().alone.insert(name.to_owned(), state.clone());
        state
    }

    /// Whether a listing says what is in a folder.
    fn has_names(&self, folder: &Path) -> bool {
        self.folders.get(folder).is_some_and(|folder| folder.names.is_some())
    }

    /// Whether a folder is in the folder above it, where a listing says so already.
    fn is_in_listing(&self, folder: &Path) -> Option<bool> {
        let (above, name) = split(folder)?;
        self.folders.get(above)?.names.as_ref().map(|names| names.contains(name))
    }

    /// Whether a name is in a folder, where a listing says so; lists the folder when enough of its names were asked
    /// for, once.
    fn listed(&mut self, folder: &Path, name: &str, limit: Option<Limit>) -> Option<bool> {
        let known = self.folders.entry(folder.to_owned()).or_default();
        known.asked += 1;
        if known.asked == WORTH_LISTING && !known.was_listed {
            let listed = folder.to_owned();
            let names = self.ask(limit, move |store| names_in(store, &listed, WORTH_LISTING));
            if !matches!(names, Err(State::Deferred)) {
                self.keep(folder, names.ok());
            }
        }
        self.folders.get(folder)?.names.as_ref().map(|names| names.contains(name))
    }

    /// Asks the server, unless it could not tell before or the time is over.
    fn ask<T: Send + 'static>(
        &mut self,
        limit: Option<Limit>,
        question: impl FnOnce(&dyn FileStore) -> io::Result<T> + Send + 'static,
    ) -> Result<T, State> {
        let store = Arc::clone(self.connection.as_ref().map_err(State::clone)?);
        let asked = Arc::clone(&self.asked);
        let answer = match limit {
            None => asked.note(store.as_ref(), question),
            Some(limit) if limit.is_over() => return Err(limit.over()),
            Some(limit) => limit.within(move || asked.note(store.as_ref(), question)).ok_or_else(|| {
                if !limit.defers {
                    self.connection = Err(limit.over());
                }
                limit.over()
            })?,
        };
        answer.map_err(|error| {
            let state = State::of_error(&error);
            if is_of_server(&error) {
                self.connection = Err(state.clone());
            }
            state
        })
    }
}

/// The folder and the name of a path; `None` for the root.
fn split(path: &Path) -> Option<(&Path, &str)> {
    Some((path.parent()?, path.file_name()?.to_str()?))
}

/// Whether the server cannot tell about any path at present.
fn is_of_server(error: &io::Error) -> bool {
    verdict(error) == Verdict::Unknown && !StoreError::in_error(error).is_some_and(|told| told.is_of_path)
}

const fn state_of(exists: bool) -> State {
    if exists { State::Present } else { State::Missing }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;
    use crate::file_store::testing::{self, LIMIT};

    /// Ticks that get all answers.
    fn settings() -> StoreSettings {
        StoreSettings { tick: LIMIT.as_millis().try_into().unwrap(), ..StoreSettings::default() }
    }

    #[test]
    fn a_huge_folder_is_not_listed_and_its_paths_are_asked_for_side_by_side() {
        let entries: Vec<String> = (0..5_000).map(|number| testing::status_of(&number.to_string(), "FILE")).collect();
        let listing = |entries: &[String]| {
            testing::json("200 OK", &format!(r#"{{"FileStatuses":{{"FileStatus":[{}]}}}}"#, entries.join(",")))
        };
        let (huge, short) = (listing(&entries), listing(&entries[5..10]));
        let (running, most) = (AtomicUsize::new(0), Arc::new(AtomicUsize::new(0)));
        let seen = Arc::clone(&most);
        let server = testing::Server::start(move |head| {
            seen.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            let since = Stopwatch::start();
            // The first one is answered when another one is asked beside it.
            while head.contains("/huge/") && seen.load(Ordering::SeqCst) < 2 && since.elapsed() < LIMIT {
                thread::sleep(Duration::from_millis(1));
            }
            running.fetch_sub(1, Ordering::SeqCst);
            match head {
                _ if head.contains("op=LISTSTATUS_BATCH") => {
                    testing::exception("400 Bad Request", "IllegalArgumentException")
                }
                _ if head.contains("/huge?op=LISTSTATUS") => huge.clone(),
                _ if head.contains("/short?op=LISTSTATUS") => short.clone(),
                _ if head.contains("/huge/5?") => testing::there("FILE"),
                _ => testing::absent(),
            }
        });
        let address = Arc::new(testing::address(&server.url(), LIMIT));
        let mut servers = Servers::deferring(BTreeMap::new());
        let paths: Vec<PathBuf> = ["/huge", "/short"]
            .iter()
            .flat_map(|folder| (0..10).map(move |number| Path::new(folder).join(number.to_string())))
            .collect();
        for path in &paths {
            assert_eq!(servers.check(&address, path), State::Deferred);
        }
        servers.ask_deferred(&StoreSettings { requests: 3, ..settings() });
        let asked = server.requests().len();
        for path in &paths {
            let number: u32 = path.file_name().unwrap().to_str().unwrap().parse().unwrap();
            let is_there = if path.starts_with("/huge") { number == 5 } else { number >= 5 };
            assert_eq!(servers.check(&address, path), state_of(is_there), "{path:?}");
        }
        let requests = server.requests();
        assert_eq!(requests.len(), asked, "all was answered before");
        let count = |part: &str| requests.iter().filter(|head| head.contains(part)).count();
        assert_eq!((count("op=LISTSTATUS&"), count("/huge/"), count("/short/")), (2, 10, 0), "{requests:?}");
        assert!((2..=3).contains(&most.load(Ordering::SeqCst)), "{most:?}");
    }
    #[test]
    fn the_servers_of_a_mount_table_count_each_for_itself() {
        let present = testing::Server::always(testing::there("FILE"));
        let dead = testing::Server::always(testing::Reply::Closes);
        let folder = tempfile::tempdir().unwrap();
        let link = |name: &str, server: &testing::Server| {
            let url = server.url();
            format!("<property><name>fs.viewfs.mounttable.c.link./{name}</name><value>{url}/in</value></property>")
        };
        let site = format!("<configuration>{}{}</configuration>", link("a", &present), link("b", &dead));
        std::fs::write(folder.path().join("core-site.xml"), site).unwrap();
        let hadoop_folder = Some(folder.path().display().to_string());
        let address = Arc::new(StoreAddress { hadoop_folder, ..testing::address("viewfs://c", LIMIT) });
        let mut servers = Servers::deferring(BTreeMap::new());
        let paths = ["/b/x", "/a/x", "/a", "/", "/none/x"].map(Path::new);
        for path in paths {
            assert_eq!(servers.check(&address, path), State::Deferred, "{path:?}");
        }
        servers.ask_deferred(&settings());
        let states = paths.map(|path| servers.check(&address, path));
        assert!(matches!(states[0], State::Unknown(_)), "{states:?}");
        assert_eq!(states[1..], [State::Present, State::Present, State::Present, State::Missing]);
        let answers = servers.answers();
        assert!(answers[&dead.url()].is_err() && answers[&present.url()].is_ok(), "{answers:?}");
        // What a server has not answered before is kept by its own name.
        let failing = Failing { since: "then".to_owned(), not_asked: Some("left alone".to_owned()) };
        let mut servers = Servers::with([(dead.url(), failing)].into());
        assert_eq!(servers.check(&address, Path::new("/b/x")), State::Unknown("left alone".to_owned()));
        assert_eq!(servers.check(&address, Path::new("/a/x")), State::Present);
        assert!(servers.know(&present.url()) && !servers.know(&dead.url()));
    }
}
