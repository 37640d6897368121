//! Where mails are taken to.

use std::time::Duration;

use crate::http::Authorities;

/// The mail server, and the sender of the mails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailServer {
    pub host: String,
    pub port: u16,
    /// User and password, when the server requires them.
    pub login: Option<(String, String)>,
    /// Encrypt the connection, and send nothing when that is not possible.
    pub starttls: bool,
    /// For each exchange with the server.
    pub timeout: Duration,
    /// The sender's address.
    pub from: String,
}

/// The mail server for mails of actions, and the authorities to trust for its certificate.
#[derive(Debug)]
pub struct Mailer {
    pub server: MailServer,
    pub authorities: Option<Authorities>,
}
