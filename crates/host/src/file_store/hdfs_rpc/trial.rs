//! Tries a login in a process of its own before this process uses the Kerberos library.
//!
//! The library is C code, and a file of tickets or a setting can make it crash. That ends the whole process that uses
//! it, whatever thread it is on. So a short-lived process, `howdah login`, logs in first and asks for one path: when it
//! dies, or takes too long, nothing is known about any path, and this process goes on. What the answer is to that path
//! counts for nothing. Must not depend on what is asked.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::super::StoreError;
use super::super::hdfs::Failure;
use super::super::runtime::Runtime;
use super::apart::{Apart, LATE, waits};
use super::client::builder;
use super::ticket_cache::Source;
use super::tickets::Tickets;
use crate::clock::uptime;
use crate::fault::fault_point;
use crate::partner::{self, Message, NoAnswer, Partner};
use crate::{account, acting, handover, looks, processes, variables, watch};
use howdah_words::error::Error;

/// The hidden verb that calls [`try_logins`].
const VERB: &str = "login";
/// What is asked for after the login.
const PATH: &str = "/";
/// How long the result of a trial counts whatever has changed since: callers that have waited for it share it.
const SHARED: Duration = Duration::from_secs(1);
/// How long a process that is dead may take until the system says how it has ended.
const LAST_TIME: Duration = Duration::from_secs(1);
/// The exit status of a trial that the process which wants it has left.
const LEFT: i32 = 75;

/// A login to try.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Trial {
    /// As `hdfs://host:port`.
    pub(super) server: String,
    pub(super) properties: Vec<(String, String)>,
    pub(super) tickets: Tickets,
    /// How long an answer may take.
    pub(super) limit: Duration,
}

/// A trial, and the user and the group with whose rights it is made, where these are not those of the process.
#[derive(Debug, Serialize, Deserialize)]
struct Request {
    trial: Trial,
    rights: Option<(u32, u32)>,
}

/// The last trial of a login.
#[derive(Debug, Default)]
pub(super) struct Trials(Mutex<Option<Tried>>);

#[derive(Debug)]
struct Tried {
    /// The uptime of its end.
    ended: Duration,
    /// The tickets before it.
    tickets: Option<State>,
    /// Why the library must not be used.
    failure: Option<String>,
}

/// A file of tickets at one moment; after each change it has another state.
#[derive(Debug, PartialEq, Eq)]
struct State {
    source: Source,
    place: (u64, u64),
    length: u64,
    changed: SystemTime,
}

impl State {
    /// `None` where the tickets are in no file that is known here: each connection then needs a trial.
    fn of(source: Source) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;

        let Source::Cache { path, .. } = &source else { return None };
        let metadata: fs::Metadata = looks::metadata(path.as_ref()).ok()?;
        let (place, changed) = ((metadata.dev(), metadata.ino()), metadata.modified().ok()?);
        Some(Self { source, place, length: metadata.len(), changed })
    }
}

impl Trials {
    /// Checks that the library can be used for a login with the tickets that are there now; to be called before each
    /// call that may connect.
    ///
    /// # Errors
    /// Unknown when there are no tickets, for whichever server; and when the login fails, kills the process that tries
    /// it, or takes too long.
    pub(super) fn check(&self, trial: &Trial) -> Result<(), Failure> {
        let source = trial.tickets.source(&trial.server);
        let tickets = State::of(source.map_err(|error| Failure { error, is_for_another: false })?);
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|tried| tried.counts(tickets.as_ref(), uptime())) {
            let failure = trial.make().err().map(|error| error.to_string());
            *last = Some(Tried { ended: uptime(), tickets, failure });
        }
        match last.as_ref().and_then(|tried| tried.failure.as_ref()) {
            None => Ok(()),
            Some(why) => Err(Failure { error: StoreError::unknown(why), is_for_another: true }),
        }
    }
}

impl Tried {
    /// Whether this result holds for tickets in a state.
    fn counts(&self, tickets: Option<&State>, now: Duration) -> bool {
        let is_same = tickets.is_some() && tickets == self.tickets.as_ref();
        now.saturating_sub(self.ended) < SHARED || (is_same && self.failure.is_none())
    }
}

impl Trial {
    /// Lets another process try the login.
    fn make(&self) -> io::Result<()> {
        let refuse = |why: String| StoreError::unknown(format!("{} was not asked: no process: {why}", self.server));
        let user = account::effective_uid();
        let rights = (user != account::own_uid()).then(|| (user, rustix::process::getegid().as_raw()));
        let head = serde_json::to_vec(&Request { trial: self.clone(), rights });
        let message = Message { head: head.map_err(|error| refuse(error.to_string()))?, ..Message::default() };
        let mut partner = start().map_err(|error| refuse(error.to_string()))?;
        match partner.ask(&message, self.limit + 2 * LATE) {
            Ok(Message { head, .. }) if head.is_empty() => Ok(()),
            Ok(Message { head, .. }) => Err(StoreError::unknown(String::from_utf8_lossy(&head))),
            Err(NoAnswer::Late) => {
                partner.kill();
                Err(waits(&self.server, &format!("no login within {} s", self.limit.as_secs_f32())))
            }
            Err(NoAnswer::Ended(_)) => Err(self.tickets.not_asked(&self.server, &death(partner))),
        }
    }

    /// Tries the login, in the process that is there for it, and as another process would do it: what the library does
    /// with memory that it never wrote depends on the thread and on the calls before.
    fn log_in(self) -> io::Result<()> {
        // A process that left this one may wait no more, and the library knows no limit.
        watch::end_after(2 * self.limit + 2 * LATE, LEFT);
        let runtime = Runtime::with_thread_of_process()?;
        let handle = runtime.handle().clone();
        let (server, limit, tickets) = (self.server.clone(), self.limit, self.tickets.clone());
        let told = Apart::new(runtime).within(limit, &server, async move || {
            fault_point("login");
            let client = self.tickets.client(&self.server, builder(&self.server, &self.properties, &handle))?;
            Ok(client.get_file_info(PATH).await)
        })?;
        // What an answer means beyond the login is found out by the process that asks.
        told.err().and_then(|error| tickets.failure(&server, &error)).map_or(Ok(()), Err)
    }
}

/// Starts the process that tries a login. It has the rights of this process first, and takes those of the thread's user
/// when it is asked.
fn start() -> Result<Partner, Error> {
    // A process that has become a user keeps root's environment to itself.
    let environment = account::has_changed().then(variables::of_kerberos);
    acting::act_as_self(|| Partner::start_with(&[OsString::from(VERB)], environment))?
}

/// How a process has ended that gives no answer.
fn death(mut partner: Partner) -> String {
    partner.await_end(LAST_TIME);
    let end = partner.end().map_or_else(|| "without an answer".to_owned(), |end| format!("with {end}"));
    format!("the process that tried to log in with the Kerberos library ended {end}")
}

/// Tries the login that another process of howdah asks for on standard input, and answers why it fails; nothing when
/// the library can be used. To be called before any thread is started.
///
/// # Errors
/// Fails when that process is gone.
pub fn try_logins() -> io::Result<()> {
    processes::leave_no_core();
    partner::work(|message| Message { head: answer(&message), ..Message::default() }, || {})
}

fn answer(message: &Message) -> Vec<u8> {
    let request = serde_json::from_slice::<Request>(&message.head);
    let tried = request.map_err(|error| error.to_string()).and_then(|Request { trial, rights }| {
        let became = rights.map_or(Ok(()), |(user, group)| handover::become_user(user, group));
        became.map_err(|error| format!("{} was not asked: {error}", trial.server))?;
        trial.log_in().map_err(|error| error.to_string())
    });
    tried.err().unwrap_or_default().into_bytes()
}

#[cfg(test)]
mod tests {
    use super::super::ticket_cache::OF_ANN;
    use super::*;

    #[test]
    fn a_change_of_the_tickets_needs_another_trial() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tickets");
        let source = || Source::Cache { principal: "ann@E".to_owned(), path: path.display().to_string() };
        assert_eq!(State::of(source()), None, "there is no file");
        fs::write(&path, OF_ANN).unwrap();
        let state = || State::of(source());
        let tried = |failure: Option<&str>| Tried {
            ended: Duration::from_secs(100),
            tickets: state(),
            failure: failure.map(str::to_owned),
        };
        let (good, bad) = (tried(None), tried(Some("it died")));
        let (soon, late) = (Duration::from_millis(100_900), Duration::from_secs(101));
        assert!(good.counts(state().as_ref(), soon) && good.counts(state().as_ref(), late));
        assert!(bad.counts(state().as_ref(), soon) && !bad.counts(state().as_ref(), late));
        fs::write(&path, [OF_ANN, b"a ticket"].concat()).unwrap();
        assert!(good.counts(state().as_ref(), soon) && !good.counts(state().as_ref(), late));
        let elsewhere = Tried { tickets: State::of(Source::Library), ..tried(None) };
        assert!(elsewhere.counts(None, soon) && !elsewhere.counts(None, late));
    }
}
