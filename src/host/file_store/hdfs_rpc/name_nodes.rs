//! Asks the name nodes of a store, each within the time limits, and finds the one that answers.
//!
//! A request that only reads goes to the next name node when one gives no answer. One that changes something is sent
//! again only when the first cannot have done it: no connection was made, or the server is a standby. The client sends
//! nothing again that changes something. Must not depend on what the answers say, beyond that.

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use hdfs_native::{Client, ClientBuilder, HdfsError};
use tokio::net::TcpStream;

use super::super::hdfs::{Failure, cannot_be_asked};
use super::super::runtime::Runtime;
use super::super::{StoreError, StoreLimits};
use super::answer::{failure, unreached};
use super::configuration::Configuration;
use crate::host::found::{Verdict, verdict};

/// No file can exist below it: the client reads no site files of its own.
const NO_FOLDER: &str = "/dev/null";
/// How often a call lets the tasks of the client run first. One finds that the server has closed the connection, and
/// another tells it; a change on such a connection would have an unknown end.
const TURNS: usize = 4;

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Does {
    Read,
    Change,
}

/// The name nodes of a store.
#[derive(Debug)]
pub(super) struct NameNodes {
    pub(super) runtime: Arc<Runtime>,
    pub(super) limits: StoreLimits,
    nodes: Vec<NameNode>,
    /// The place of the one that answered last.
    current: AtomicUsize,
    user: String,
    properties: Vec<(String, String)>,
}

#[derive(Debug)]
struct NameNode {
    /// As `host:port`.
    place: String,
    /// As `hdfs://host:port`.
    name: String,
    client: Mutex<Client>,
    /// Whether it has answered, and not failed since.
    answers: AtomicBool,
}

impl NameNodes {
    /// Connects to nothing.
    ///
    /// # Errors
    /// A refusal of an address that the client cannot use.
    pub(super) fn new(configuration: Configuration, limits: StoreLimits, user: &str) -> io::Result<Self> {
        let Configuration { name_nodes, properties, .. } = configuration;
        let runtime = Runtime::of_process()?;
        let node = |place: String| {
            let name = format!("hdfs://{place}");
            let client = client(&runtime, &name, user, &properties);
            let client = client.map_err(|error| cannot_be_asked(&name, &error.to_string()))?;
            Ok(NameNode { place, name, client: Mutex::new(client), answers: AtomicBool::new(false) })
        };
        let nodes = name_nodes.into_iter().map(node).collect::<io::Result<Vec<_>>>()?;
        Ok(Self { runtime, limits, nodes, current: AtomicUsize::new(0), user: user.to_owned(), properties })
    }

    /// The answer of the first name node that gives one, with its name.
    pub(super) fn ask<T>(
        &self,
        does: Does,
        call: &impl AsyncFn(&Client) -> hdfs_native::Result<T>,
    ) -> io::Result<(&str, T)> {
        let first = self.current.load(Ordering::Relaxed);
        let mut reasons: Vec<String> = Vec::new();
        for turn in 0..self.nodes.len() {
            let place = (first + turn) % self.nodes.len();
            let node = &self.nodes[place];
            match self.ask_one(node, does, call) {
                Err(failure) if failure.is_for_another => reasons.push(failure.error.to_string()),
                Err(failure) => {
                    // After a change without an answer the next call begins with another server.
                    let next = if node.answers.load(Ordering::Relaxed) { place } else { place + 1 };
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

    /// The next answer of a call that has begun.
    pub(super) fn go_on<T>(&self, server: &str, call: impl Future<Output = hdfs_native::Result<T>>) -> io::Result<T> {
        let told = self.runtime.within(self.limits.answer(), server, call)?;
        told.map_err(|error| failure(server, &error).error)
    }

    fn ask_one<T>(
        &self,
        node: &NameNode,
        does: Does,
        call: &impl AsyncFn(&Client) -> hdfs_native::Result<T>,
    ) -> Result<T, Failure> {
        let client = node.client.lock().unwrap_or_else(PoisonError::into_inner).clone();
        self.reach(node)?;
        let told = self.runtime.within(self.limits.answer(), &node.name, async {
            for _ in 0..TURNS {
                tokio::task::yield_now().await;
            }
            call(&client).await
        });
        let failed = match told {
            Ok(Ok(answer)) => {
                node.answers.store(true, Ordering::Relaxed);
                return Ok(answer);
            }
            Ok(Err(error)) => failure(&node.name, &error),
            Err(error) => Failure { error, is_for_another: false },
        };
        let told = StoreError::in_error(&failed.error);
        if told.is_none_or(|told| told.verdict == Verdict::Unknown && !told.is_of_path) {
            self.give_up(node);
        }
        let is_unknown = verdict(&failed.error) == Verdict::Unknown;
        Err(Failure { is_for_another: failed.is_for_another || (does == Does::Read && is_unknown), ..failed })
    }

    /// Checks, within the limit for a connection, that a server listens which has not answered yet: the client has no
    /// such limit, and nothing that it would send is sent yet.
    fn reach(&self, node: &NameNode) -> Result<(), Failure> {
        if node.answers.load(Ordering::Relaxed) {
            return Ok(());
        }
        let connected = self.runtime.within(self.limits.connect(), &node.name, TcpStream::connect(&node.place));
        let told = connected.and_then(|connected| match connected {
            Ok(_) => Ok(()),
            Err(error) => Err(unreached(&node.name, &error)),
        });
        told.map_err(|error| Failure { error, is_for_another: true })
    }

    /// Uses a new client from now on: the old one would wait on a connection that no answer comes from.
    fn give_up(&self, node: &NameNode) {
        node.answers.store(false, Ordering::Relaxed);
        if let Ok(client) = client(&self.runtime, &node.name, &self.user, &self.properties) {
            *node.client.lock().unwrap_or_else(PoisonError::into_inner) = client;
        }
    }
}

/// A client for one name node; it sends nothing yet.
fn client(runtime: &Runtime, server: &str, user: &str, properties: &[(String, String)]) -> Result<Client, HdfsError> {
    let builder = ClientBuilder::new().with_url(server).with_user(user).with_config_dir(NO_FOLDER);
    builder.with_config(properties.iter().cloned()).with_io_runtime(runtime.handle().clone()).build()
}
