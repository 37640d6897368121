//! The presence of paths of servers during one tick.
//!
//! A tick first does all that needs no server: meanwhile a path is only noted, and its state is deferred. Then what was
//! noted is asked for, side by side: a folder of several paths is listed once, and where several folders are in one
//! folder, that one is listed first, so that nothing is asked below a folder that is missing. What turns up later, such
//! as the next instance of a search, is asked for at once. A server that cannot tell is not asked again in this tick.
//! Must not depend on what a path means, or on how long a server is left alone after a failure.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use super::State;
use crate::host::clock::{Stopwatch, uptime};
use crate::host::file_store::{FileStore, StoreAddress, StoreError};
use crate::host::found::{Verdict, verdict};
use crate::host::{account, thread_pool};

/// How many paths of one folder, or folders of one folder, are worth a listing.
const WORTH_LISTING: usize = 8;
/// How many requests run side by side.
const AT_ONCE: usize = 16;

/// What servers have said so far, to each user.
#[derive(Debug, Default)]
pub(crate) struct Servers {
    known: HashMap<(Arc<StoreAddress>, u32), Arc<Mutex<Server>>>,
    /// Whether paths are only noted.
    deferring: bool,
    /// For how long each may be asked; `None`: as long as its own limits allow.
    limit: Option<Limit>,
    /// For how long they may be asked before what is left is deferred again.
    slice: Option<Limit>,
    /// Those that gave no answer before, by `scheme://authority`.
    failing: BTreeMap<String, Failing>,
}

/// A server that gave no answer when it was last asked.
#[derive(Clone, Debug)]
pub(crate) struct Failing {
    /// The time since when it gives none.
    pub(crate) since: String,
    /// Why it is not asked now; `None` when it is.
    pub(crate) not_asked: Option<String>,
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
    /// The names in it, once it was listed; none where there is no such folder.
    names: Option<HashSet<String>>,
    /// The answers for single names.
    alone: HashMap<String, State>,
}

/// What a server is asked.
#[derive(Clone, Debug)]
enum Question {
    /// Whether something is at a path.
    IsThere(String),
    /// The names in a folder.
    Names(String),
}

#[derive(Debug)]
enum Answer {
    IsThere(bool),
    /// None when there is no such folder: nothing is below a file.
    Names(HashSet<String>),
}

impl Question {
    /// Asks a store; what it refuses, or says about one path alone, is an answer too.
    fn ask(&self, store: &dyn FileStore, asked: &Asked) -> io::Result<Answer> {
        asked.once.store(true, Ordering::Relaxed);
        let answer = self.ask_store(store);
        let is_answer = !answer.as_ref().is_err_and(is_of_server);
        asked.answered.fetch_or(is_answer, Ordering::Relaxed);
        answer
    }

    fn ask_store(&self, store: &dyn FileStore) -> io::Result<Answer> {
        match self {
            Self::IsThere(path) => Ok(Answer::IsThere(store.stat(path)?.is_some())),
            Self::Names(folder) => match store.list(folder) {
                Err(error) if error.kind() == io::ErrorKind::NotADirectory => Ok(Answer::Names(HashSet::new())),
                listed => Ok(Answer::Names(listed?.into_iter().flatten().map(|entry| entry.name).collect())),
            },
        }
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
        let begun = thread::Builder::new().spawn(move || sender.send(work()));
        begun.ok().and_then(|_| receiver.recv_timeout(self.left()).ok())
    }
}

impl Servers {
    /// Servers of which some gave no answer before.
    pub(crate) fn with(failing: BTreeMap<String, Failing>) -> Self {
        Self { failing, ..Self::default() }
    }

    /// The same; none is asked until [`Self::ask_deferred`].
    pub(crate) fn deferring(failing: BTreeMap<String, Failing>) -> Self {
        Self { deferring: true, ..Self::with(failing) }
    }

    /// Whether a path of a server was checked, unless the server was left alone.
    pub(crate) fn know(&self, server: &str) -> bool {
        self.known.keys().any(|(address, _)| address.server == server)
    }

    /// The servers that were asked: whether each has given an answer to anything, or else why it could not tell.
    pub(crate) fn answers(&self) -> BTreeMap<String, Result<(), String>> {
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
    pub(crate) fn have_deferred(&self) -> bool {
        self.known.values().any(|server| !lock(server).deferred.is_empty())
    }

    /// Asks for all that was deferred, all servers side by side for at most `whole` since this was first called, and
    /// keeps what they have answered by then; from now on a path is asked for at once, within the same limit.
    pub(crate) fn ask_deferred(&mut self, whole: Duration) {
        let limit = *self.limit.get_or_insert_with(|| Limit { since: Stopwatch::start(), whole, defers: false });
        (self.deferring, self.slice) = (false, None);
        let (sender, receiver) = mpsc::channel();
        for server in self.known.values() {
            let (server, sender) = (Arc::clone(server), sender.clone());
            let work = move || {
                ask_deferred(&server, limit);
                // The tick may be over.
                let _ = sender.send(());
            };
            // Without a thread each path is asked for when it is needed.
            let _ = thread::Builder::new().spawn(work);
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
    pub(crate) fn ask_at_most(&mut self, most: Duration) {
        let has_time = self.limit.is_some_and(|limit| !limit.is_over());
        self.slice = has_time.then(|| Limit { since: Stopwatch::start(), whole: most, defers: true });
    }

    /// Checks a path with the rights of this thread.
    pub(super) fn check(&mut self, address: &Arc<StoreAddress>, path: &Path) -> State {
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
fn ask_deferred(server: &Mutex<Server>, limit: Limit) {
    let mut names: BTreeMap<PathBuf, Vec<String>> = BTreeMap::new();
    for path in std::mem::take(&mut lock(server).deferred) {
        if let Some((folder, name)) = split(&path) {
            names.entry(folder.to_owned()).or_default().push(name.to_owned());
        }
    }
    let mut folders_in: BTreeMap<&Path, usize> = BTreeMap::new();
    for above in names.keys().filter_map(|folder| folder.parent()) {
        *folders_in.entry(above).or_default() += 1;
    }
    let above = folders_in.into_iter().filter(|(_, count)| *count >= WORTH_LISTING).map(|(above, _)| above);
    let above = above.filter(|above| !names.contains_key(*above)).map(Path::to_owned).collect();
    ask_all(server, above, limit, Question::Names);
    names.retain(|folder, _| lock(server).is_in_listing(folder) != Some(false));
    let (several, single): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, names)| names.len() >= WORTH_LISTING);
    ask_all(server, several.into_iter().map(|(folder, _)| folder).collect(), limit, Question::Names);
    let paths = single.iter().flat_map(|(folder, names)| names.iter().map(|name| folder.join(name)));
    ask_all(server, paths.collect(), limit, Question::IsThere);
}

/// Asks the same of several paths, side by side, until the server cannot tell or the time is over; keeps each answer as
/// it comes.
fn ask_all(server: &Mutex<Server>, mut paths: Vec<PathBuf>, limit: Limit, question: fn(String) -> Question) {
    if paths.is_empty() {
        return;
    }
    let asked = Arc::clone(&lock(server).asked);
    let Ok(store) = lock(server).connection.clone() else { return };
    // Another first path each time: when the time is too short for all, no path is always the last.
    let first = uptime().subsec_micros() as usize % paths.len();
    paths.rotate_left(first);
    thread_pool::map_at_once(&paths, AT_ONCE, |path| {
        let Some(text) = path.to_str() else { return };
        if limit.is_over() || lock(server).connection.is_err() {
            return;
        }
        let answer = question(text.to_owned()).ask(store.as_ref(), &asked);
        let mut server = lock(server);
        match answer {
            Ok(answer) => server.keep(path, answer),
            Err(error) if is_of_server(&error) => server.connection = Err(cannot_tell(&error)),
            // It is about one path, which is asked for again when it is needed.
            Err(_) => {}
        }
    });
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

    fn keep(&mut self, path: &Path, answer: Answer) {
        match (answer, split(path)) {
            (Answer::Names(names), _) => self.folders.entry(path.to_owned()).or_default().names = Some(names),
            (Answer::IsThere(is_there), Some((folder, name))) => {
                let folder = self.folders.entry(folder.to_owned()).or_default();
                folder.alone.insert(name.to_owned(), state_of(is_there));
            }
            (Answer::IsThere(_), None) => {}
        }
    }

    fn check(&mut self, path: &Path, limit: Option<Limit>) -> State {
        let Some(text) = path.to_str() else {
            return State::Unreadable("the name of a file on a server must be UTF-8".to_owned());
        };
        let Some((folder, name)) = split(path) else {
            return self.is_there(text, limit);
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
        let state = self.is_there(text, limit);
        if state == State::Deferred {
            return state;
        }
        self.folders.entry(folder.to_owned()).or_default().alone.insert(name.to_owned(), state.clone());
        state
    }

    fn is_there(&mut self, path: &str, limit: Option<Limit>) -> State {
        match self.ask(Question::IsThere(path.to_owned()), limit) {
            Ok(Answer::IsThere(is_there)) => state_of(is_there),
            Ok(Answer::Names(_)) => State::Unknown(State::NOT_ASKED.to_owned()),
            Err(state) => state,
        }
    }

    /// Whether a folder is in the folder above it, where a listing says so already.
    fn is_in_listing(&self, folder: &Path) -> Option<bool> {
        let (above, name) = split(folder)?;
        self.folders.get(above)?.names.as_ref().map(|names| names.contains(name))
    }

    /// Whether a name is in a folder, where a listing says so; lists the folder when enough of its names were asked
    /// for.
    fn listed(&mut self, folder: &Path, name: &str, limit: Option<Limit>) -> Option<bool> {
        let known = self.folders.entry(folder.to_owned()).or_default();
        known.asked += 1;
        if known.asked == WORTH_LISTING && known.names.is_none() {
            let answer = self.ask(Question::Names(folder.to_str()?.to_owned()), limit).ok()?;
            self.keep(folder, answer);
        }
        self.folders.get(folder)?.names.as_ref().map(|names| names.contains(name))
    }

    /// Asks the server, unless it could not tell before or the time is over.
    fn ask(&mut self, question: Question, limit: Option<Limit>) -> Result<Answer, State> {
        let store = Arc::clone(self.connection.as_ref().map_err(State::clone)?);
        let asked = Arc::clone(&self.asked);
        let answer = match limit {
            None => question.ask(store.as_ref(), &asked),
            Some(limit) if limit.defers && limit.is_over() => return Err(State::Deferred),
            Some(limit) => limit.within(move || question.ask(store.as_ref(), &asked)).ok_or_else(|| {
                if !limit.defers {
                    self.connection = Err(limit.over());
                }
                limit.over()
            })?,
        };
        answer.map_err(|error| {
            let state = cannot_tell(&error);
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

fn cannot_tell(error: &io::Error) -> State {
    match verdict(error) {
        Verdict::Absent => State::Missing,
        Verdict::Refused => State::Unreadable(error.to_string()),
        Verdict::Unknown => State::Unknown(error.to_string()),
    }
}
