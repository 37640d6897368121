//! Who may ask: only clients of this machine, or with the token, may change something, and no page of another site may
//! use a browser of this machine.

use std::net::{IpAddr, SocketAddr};

use crate::cli::serve::refusal::Refusal;
use crate::cli::serve::token::Token;
use crate::error::{Error, ErrorCode};
use crate::host::account;
use crate::host::web::{Request, user_of};

/// Who may change something.
#[derive(Clone, Debug)]
pub(super) enum Writers {
    /// No client: the server only reads.
    None,
    /// A client that sends the token.
    WithToken(Token),
    /// A client on this machine whose process belongs to root or to the user of the server.
    OwnUser,
}

/// The rules for requests.
#[derive(Debug)]
pub(super) struct Guard {
    address: SocketAddr,
    writers: Writers,
}

impl Guard {
    pub(super) const fn new(address: SocketAddr, writers: Writers) -> Self {
        Self { address, writers }
    }

    /// Refuses a request that a page of another site may have sent: one under a foreign name for this machine, while
    /// the server listens on this machine alone.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let host = request.header("host").unwrap_or_default();
        if self.address.ip().is_loopback() && !is_this_machine(host, self.address.ip()) {
            return Err(refused(&format!("the host [{host}] is not this machine"), 403));
        }
        Ok(())
    }

    /// Refuses a change by a client that may not change anything, or one that a page of another site may have sent.
    ///
    /// # Errors
    /// H0197.
    pub(super) fn check_change(&self, request: &Request) -> Result<(), Refusal> {
        check_origin(request)?;
        match &self.writers {
            Writers::None => Err(refused("it only reads; --allow-write allows changes", 403)),
            Writers::WithToken(token) if token.is_in(request.header("authorization")) => Ok(()),
            Writers::WithToken(_) => Err(refused("the header Authorization has no valid token", 401)),
            Writers::OwnUser => {
                let user = user_of(request.peer, request.local);
                if user.is_some_and(|user| user == 0 || user == account::own_uid()) {
                    return Ok(());
                }
                Err(refused("the client runs as another user of this machine, who needs a token (--token-file)", 403))
            }
        }
    }
}

/// Refuses what a browser sends for a page of another site. Such a page can send a form without a question, which is
/// never XML; other clients send neither of the two headers.
///
/// # Errors
/// H0197.
pub(super) fn check_origin(request: &Request) -> Result<(), Refusal> {
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

/// Returns whether a host header names this machine: a loopback address, `localhost`, or the address listened on.
fn is_this_machine(host: &str, own: IpAddr) -> bool {
    let name = without_port(host);
    name.eq_ignore_ascii_case("localhost") || name.parse().is_ok_and(|ip: IpAddr| ip.is_loopback() || ip == own)
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
        let own = IpAddr::from([127, 0, 0, 1]);
        for (host, expect) in [
            ("localhost", true),
            ("LOCALHOST:11000", true),
            ("127.0.0.1:11000", true),
            ("127.8.8.8", true),
            ("[::1]:11000", true),
            ("", false),
            ("evil.example:11000", false),
            ("localhost.evil.example", false),
            ("10.0.0.1", false),
            ("[::1", true),
        ] {
            assert_eq!(is_this_machine(host, own), expect, "{host}");
        }
    }
}
