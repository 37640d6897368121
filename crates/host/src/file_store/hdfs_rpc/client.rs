//! The clients of name nodes, and how they log in. Must not depend on what is asked.

use std::io;
use std::sync::Arc;

use hdfs_native::{Client, ClientBuilder, HdfsError};
use tokio::runtime::Handle;

use super::super::hdfs::{Failure, cannot_be_asked};
use super::answer;
use super::tickets::Tickets;

/// No file can exist below it: the client reads no site files of its own.
const NO_FOLDER: &str = "/dev/null";

/// How a user logs in.
#[derive(Clone, Debug)]
pub(super) enum Login {
    /// The user's name is stated.
    Name(String),
    Kerberos {
        tickets: Arc<Tickets>,
        /// The principal of the name nodes, as the site files have it.
        server: Option<String>,
    },
}

impl Login {
    /// The tickets that ask; `None` without Kerberos.
    pub(super) fn tickets(&self) -> Option<&Tickets> {
        match self {
            Self::Name(_) => None,
            Self::Kerberos { tickets, .. } => Some(tickets),
        }
    }

    /// The account whose home counts.
    pub(super) fn account(&self) -> &str {
        match self {
            Self::Name(user) => user,
            Self::Kerberos { tickets, .. } => tickets.account(),
        }
    }

    /// A client for one name node; it sends nothing to it yet. With Kerberos it may ask the KDC.
    ///
    /// # Errors
    /// A refusal of an address that the client cannot use; unknown without tickets.
    pub(super) fn client(&self, server: &str, properties: &[(String, String)], handle: &Handle) -> io::Result<Client> {
        let builder = builder(server, properties, handle);
        match self {
            Self::Name(user) => {
                builder.with_user(user).build().map_err(|error| cannot_be_asked(server, &error.to_string()))
            }
            Self::Kerberos { tickets, .. } => tickets.client(server, builder),
        }
    }

    /// What an error of the client means.
    pub(super) fn failure(&self, server: &str, told: &HdfsError) -> Failure {
        match self.tickets().and_then(|tickets| tickets.failure(server, told)) {
            Some(error) => Failure { error, is_for_another: false },
            None => answer::failure(server, told),
        }
    }
}

/// What all clients have.
pub(super) fn builder(server: &str, properties: &[(String, String)], handle: &Handle) -> ClientBuilder {
    let builder = ClientBuilder::new().with_url(server).with_config_dir(NO_FOLDER);
    builder.with_config(properties.iter().cloned()).with_io_runtime(handle.clone())
}
