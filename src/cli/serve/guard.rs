//! Who may ask, and for whom: only clients of this machine, or with the token, may change something, and no page of
//! another site may use a browser of this machine.

use std::net::{IpAddr, SocketAddr};

use clap::ValueEnum;

use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::token::Token;
use howdah_host::user_set::UserSet;
use howdah_host::web::{Client, Request, user_of};
use howdah_host::{account, user_table};
use howdah_words::error::{Error, ErrorCode, Result};

/// Who may change something.
#[derive(Clone, Debug)]
pub(super) enum Writers {
    /// No client: the server only reads.
    None,
    /// A client that sends the token.
    WithToken,
    /// A client on this machine whose process belongs to root or to the user of the server.
    OwnUser,
}

/// Who may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Readers {
    /// Every client that reaches the address
    All,
    /// Every user of this machine, the own jobs; root and the user of the server, and with the token, those of others
    Own,
    /// Only clients that send the token
    Token,
}

/// A token, and for whose jobs it may be used.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    pub(super) token: Token,
    pub(super) users: UserSet,
}

/// Whom the server answers.
#[derive(Clone, Debug)]
pub(super) struct Access {
    pub(super) readers: Readers,
    pub(super) writers: Writers,
    pub(super) pass: Option<Pass>,
}

/// The rules for requests.
#[derive(Debug)]
pub(super) struct Guard {
    address: SocketAddr,
    /// The names of this machine that clients may use.
    names: Vec<String>,
    access: Access,
}

impl Guard {
    /// Returns the rules of a server on an address that clients may also call by these names.
    ///
    /// # Errors
    /// H0002 for what is not a name.
    pub(super) fn new(address: SocketAddr, names: Vec<String>, access: Access) -> Result<Self> {
        match names.iter().find(|name| name.is_empty() || name.contains([':', '/', '@']) || name.contains(' ')) {
            Some(bad) => {
                let error = Error::new(ErrorCode::H0002, format!("--host [{bad}] is not the name of a machine"));
                Err(error.help("write it without http:// and without a port, such as --host edge01.example.com"))
            }
            None => Ok(Self { address, names, access }),
        }
    }

    /// Returns the rules of a server that listens on this machine alone and changes nothing.
    pub(super) fn of_a_reader() -> Self {
        let access = Access { readers: Readers::All, writers: Writers::None, pass: None };
        Self { address: ([127, 0, 0, 1], 11000).into(), names: Vec::new(), access }
    }

    /// Refuses a request that a page of another site may have sent: one under a foreign name for this machine. Such a
    /// page can let its own name lead to this machine, but it has no part in an address.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let host = request.header("host").unwrap_or_default();
        if self.is_this_machine(host) {
            return Ok(());
        }
        let why = format!("the host [{host}] is not known as this machine; use its address, or start with --host NAME");
        Err(refused(&why, 403))
    }

    /// Returns whether a host header names this machine: `localhost`, a name that was given, or an address; where only
    /// this machine is listened to, only one of this machine.
    fn is_this_machine(&self, host: &str) -> bool {
        let (name, own) = (without_port(host), self.address.ip());
        let is_own = |ip: IpAddr| !own.is_loopback() || ip.is_loopback() || ip == own;
        name.eq_ignore_ascii_case("localhost")
            || self.names.iter().any(|known| known.eq_ignore_ascii_case(name))
            || name.parse().is_ok_and(is_own)
    }

    /// Refuses a change by a client that may not change anything, or one that a page of another site may have sent.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check_change(&self, request: &Request) -> Result<(), Refusal> {
        check_origin(request)?;
        match self.access.writers {
            Writers::None => Err(refused("it only reads; --allow-write allows changes", 403)),
            Writers::WithToken if self.pass_of(request).is_some() => Ok(()),
            Writers::WithToken => Err(no_token()),
            Writers::OwnUser => {
                if user_behind(request).is_some_and(is_trusted) {
                    return Ok(());
                }
                let why = "no open process of root or of the user of the server is at the other end of the connection; \
                           other clients need a token (--token-file)";
                Err(refused(why, 403))
            }
        }
    }

    /// Returns for whom the client of a request may ask.
    ///
    /// # Errors
    /// H0197 for one that may not read.
    pub(super) fn client(&self, request: &Request) -> Result<Client, Refusal> {
        let is_open = self.access.readers == Readers::All;
        if let Some(pass) = self.pass_of(request) {
            let sees = match &pass.users {
                UserSet::These(_) if !is_open => pass.users.clone(),
                _ => UserSet::All,
            };
            return Ok(Client { acts_for: pass.users.clone(), sees });
        }
        if self.access.readers == Readers::Token {
            return Err(no_token());
        }
        match user_behind(request) {
            Some(user) if is_trusted(user) => Ok(Client::of_all()),
            user => {
                let account = user.and_then(|user| user_table::numbered(user).ok().flatten());
                let own = account.map(|account| UserSet::of(&account.name));
                let sees = if is_open { Some(UserSet::All) } else { own.clone() };
                let acts_for = own.unwrap_or_default();
                sees.map(|sees| Client { acts_for, sees }).ok_or_else(unknown_reader)
            }
        }
    }

    /// Returns the token of the server, when the request has it.
    fn pass_of(&self, request: &Request) -> Option<&Pass> {
        self.access.pass.as_ref().filter(|pass| pass.token.is_in(request.header("authorization")))
    }
}

/// Returns the user of this machine whose process sent a request, when that is certain.
fn user_behind(request: &Request) -> Option<u32> {
    request.socket.and_then(|socket| user_of(request.peer, request.local, socket))
}

/// Returns whether a user may read and change all that the server may.
fn is_trusted(user: u32) -> bool {
    user == 0 || user == account::own_uid()
}

fn no_token() -> Refusal {
    refused("the header Authorization has no valid token", 401)
}

fn unknown_reader() -> Refusal {
    refused("no open process of a user of this machine is at the other end of the connection, and it has no token", 403)
}

/// Refuses what a browser sends for a page of another site. Such a page can send a form without a question, which is
/// never XML; other clients send neither of the two headers.
///
/// # Errors
/// H0197.
fn check_origin(request: &Request) -> Result<(), Refusal> {
    let host = request.header("host").unwrap_or_default();
    let is_own = |origin: &str| {
        let named = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        named.is_some_and(|named| named.eq_ignore_ascii_case(host))
    };
    let of_site = request.header("sec-fetch-site");
    if request.header("origin").is_some_and(|origin| !is_own(origin))
        || of_site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
    {
        return Err(refused("it comes from a page of another site", 403));
    }
    let content = request.header("content-type").unwrap_or_default().to_ascii_lowercase();
    if !request.body.is_empty() && !content.starts_with("application/xml") && !content.starts_with("text/xml") {
        return Err(refused("its content type is not application/xml", 415));
    }
    Ok(())
}

/// Returns the name or the address of `name:port` and `[address]:port`.
fn without_port(host: &str) -> &str {
    match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    }
}

fn refused(why: &str, status: u16) -> Refusal {
    Refusal::with_status(&Error::new(ErrorCode::H0197, why), status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine() {
        let access = Guard::of_a_reader().access;
        let guard = |ip: [u8; 4]| Guard::new((ip, 11000).into(), vec!["edge01".to_owned()], access.clone()).unwrap();
        let (local, open) = (guard([127, 0, 0, 1]), guard([0, 0, 0, 0]));
        for (host, on_loopback, elsewhere) in [
            ("localhost", true, true),
            ("LOCALHOST:11000", true, true),
            ("127.0.0.1:11000", true, true),
            ("127.8.8.8", true, true),
            ("[::1]:11000", true, true),
            ("[::1", true, true),
            ("Edge01:11000", true, true),
            ("10.0.0.1", false, true),
            ("10.0.0.1:80", false, true),
            ("[2001:db8::1]:80", false, true),
            ("", false, false),
            ("edge011", false, false),
            ("evil.example:11000", false, false),
            ("localhost.evil.example", false, false),
            ("10.0.0.1.evil.example", false, false),
        ] {
            assert_eq!((local.is_this_machine(host), open.is_this_machine(host)), (on_loopback, elsewhere), "{host}");
        }
        for bad in ["", "edge01:80", "http://edge01", "edge 01"] {
            assert!(Guard::new(open.address, vec![bad.to_owned()], access.clone()).is_err(), "{bad}");
        }
    }
}
