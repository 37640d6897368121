//! Asks the name nodes of a store, each within the time limits, and finds the one that answers.
//!
//! A request that only reads goes to the next name node when one gives no answer. One that changes something is sent
//! again only when the first cannot have done it: no connection was made, or the server is a standby. The client sends
//! nothing again that changes something. Must not depend on what the answers say, beyond that.

use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use hdfs_native::Client;
use tokio::net::TcpStream;

use super::super::hdfs::Failure;
use super::super::{StoreError, StoreLimits};
use super::answer::unreached;
use super::calls::Calls;
use super::client::Login;
use super::configuration::Configuration;
use super::greeting;
use super::trial::{Trial, Trials};
use crate::clock::uptime;
use crate::found::{Verdict, verdict};

/// How often a call lets the tasks of the client run first. One finds that the server has closed the connection, and
/// another tells it; a change on such a connection would have an unknown end.
const TURNS: usize = 4;
/// How long after an answer the client surely has the same connection: no server restarts sooner. After that it may
/// connect again by itself, so with Kerberos the server is greeted first.
const SAME_CONNECTION: Duration = Duration::from_secs(1);

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Read,
    Change,
}

/// The name nodes of a store.
#[derive(Debug)]
pub(super) struct NameNodes {
    pub(super) calls: Arc<Calls>,
    nodes: Vec<Arc<NameNode>>,
    /// The place of the one that answered last.
    current: AtomicUsize,
}

#[derive(Debug)]
struct NameNode {
    /// As `host:port`.
    place: String,
    /// As `hdfs://host:port`.
    name: String,
    properties: Arc<Vec<(String, String)>>,
    /// Created by the first call.
    client: Mutex<Option<Client>>,
    /// The uptime of the last answer, if nothing has failed since.
    answered: Mutex<Option<Duration>>,
    /// With Kerberos: the logins that were tried.
    trials: Trials,
}

impl NameNode {
    fn answered(&self) -> Option<Duration> {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_answered(&self, uptime: Option<Duration>) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = uptime;
    }

    /// The client that all calls use.
    fn client(&self, calls: &Calls) -> io::Result<Client> {
        let known = || self.client.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = known().as_ref() {
            return Ok(client.clone());
        }
        // Not under the lock: the library of Kerberos may wait.
        let client = calls.login.client(&self.name, &self.properties, calls.runtime.handle())?;
        Ok(known().get_or_insert(client).clone())
    }

    /// Uses a new client from now on: the old one would wait on a connection that no answer comes from.
    fn give_up(&self) {
        self.set_answered(None);
        *self.client.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl NameNodes {
    /// Connects to nothing.
    ///
    /// # Errors
    /// A refusal of an address that the client cannot use.
    pub(super) fn new(configuration: Configuration, limits: StoreLimits, login: Login) -> io::Result<Self> {
        let Configuration { name_nodes, properties, .. } = configuration;
        let (calls, properties) = (Calls::new(login, limits)?, Arc::new(properties));
        let node = |place: String| {
            let name = format!("hdfs://{place}");
            // One that names a user tells whether the address can be used, without any ticket.
            Login::Name(calls.login.account().to_owned()).client(&name, &[], calls.runtime.handle())?;
            let (client, answered, trials) = (Mutex::default(), Mutex::default(), Trials::default());
            Ok(Arc::new(NameNode { place, name, properties: Arc::clone(&properties), client, answered, trials }))
        };
        let nodes = name_nodes.into_iter().map(node).collect::<io::Result<Vec<_>>>()?;
        Ok(Self { calls: Arc::new(calls), nodes, current: AtomicUsize::new(0) })
    }

    /// The answer of the first name node that gives one, with its name.
    pub(super) fn ask<T, C>(&self, does: Does, call: C) -> io::Result<(&str, T)>
    where
        C: AsyncFn(&Client) -> hdfs_native::Result<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        let (first, call) = (self.current.load(Ordering::Relaxed), Arc::new(call));
        let mut reasons: Vec<String> = Vec::new();
        for turn in 0..self.nodes.len() {
            let place = (first + turn) % self.nodes.len();
            let node = &self.nodes[place];
            match self.ask_one(node, does, &call) {
                Err(failure) if failure.is_for_another => reasons.push(failure.error.to_string()),
                Err(failure) => {
                    // After a change without an answer the next call begins with another server.
                    let next = if node.answered().is_some() { place } else { place + 1 };
                    self.current.store(next % self.nodes.len(), Ordering::Relaxed);
                    return Err(failure.error);
                }
                Ok(answer) => {
                    self.current.store(place, Ordering::Relaxed);
                    return Ok((&node.name, answer));
                }
            }
        }
        Err(StoreError::unknown(reasons.join("; ")))
    }

    fn ask_one<T, C>(&self, node: &Arc<NameNode>, does: Does, call: &Arc<C>) -> Result<T, Failure>
    where
        C: AsyncFn(&Client) -> hdfs_native::Result<T> + Send + Sync + 'static,
        T: Send + 'static,
    {
        self.reach(node)?;
        let (asked, calls, call) = (Arc::clone(node), Arc::clone(&self.calls), Arc::clone(call));
        let told = self.calls.within(&node.name, async move || {
            let client = asked.client(&calls)?;
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
            Ok(call(&client).await)
        });
        let failed = match told {
            Ok(Ok(answer)) => {
                node.set_answered(Some(uptime()));
                return Ok(answer);
            }
            Ok(Err(error)) => self.calls.login.failure(&node.name, &error),
            Err(error) => Failure { error, is_for_another: false },
        };
        let told = StoreError::in_error(&failed.error);
        if told.is_none_or(|told| told.verdict == Verdict::Unknown && !told.is_of_path) {
            node.give_up();
        }
        let is_unknown = verdict(&failed.error) == Verdict::Unknown;
        Err(Failure { is_for_another: failed.is_for_another || (does == Does::Read && is_unknown), ..failed })
    }

    /// Checks, within the limit for a connection, that a server listens which has not answered yet: the client has no
    /// such limit, and nothing that it would send is sent yet. With Kerberos the server is also asked how it wants its
    /// clients to log in, and the login is tried.
    fn reach(&self, node: &NameNode) -> Result<(), Failure> {
        let (calls, for_another) = (&self.calls, |error| Failure { error, is_for_another: true });
        let server = match (&calls.login, node.answered()) {
            (Login::Name(_), Some(_)) => return Ok(()),
            (Login::Name(_), None) => None,
            (Login::Kerberos { .. }, Some(last)) if uptime().saturating_sub(last) < SAME_CONNECTION => return Ok(()),
            (Login::Kerberos { server, .. }, _) => Some(server.as_deref()),
        };
        let connected = calls.runtime.within(calls.limits.connect(), &node.name, TcpStream::connect(&node.place));
        let connected = connected.and_then(|told| told.map_err(|error| unreached(&node.name, &error)));
        let connection = connected.map_err(for_another)?;
        let Some(principal) = server else { return Ok(()) };
        let offer = calls.runtime.within(calls.limits.answer(), &node.name, greeting::offer(connection));
        let offer = offer.and_then(|told| told.map_err(|error| unreached(&node.name, &error)));
        let offer = offer.map_err(for_another)?;
        let checked = greeting::check(&node.name, offer.as_ref(), principal);
        // A refusal is an answer: the site files and the server do not belong together.
        checked.map_err(|error| Failure { is_for_another: verdict(&error) == Verdict::Unknown, error })?;
        self.try_login(node)
    }

    /// Checks that the library of Kerberos can be used with the tickets that are there.
    fn try_login(&self, node: &NameNode) -> Result<(), Failure> {
        let Some(tickets) = self.calls.login.tickets() else { return Ok(()) };
        node.trials.check(&Trial {
            server: node.name.clone(),
            properties: node.properties.to_vec(),
            tickets: tickets.clone(),
            limit: self.calls.limits.answer(),
        })
    }
}
