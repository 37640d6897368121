//! The HTTP client of a store: limits of time, names that are looked up seldom, and errors that say whether a request
//! can have been sent.
//!
//! Must not depend on what a request asks for.

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use ureq::config::Config;
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig};
use ureq::unversioned::resolver::{DefaultResolver, ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::{ConnectionDetails, Connector, DefaultConnector, NextTimeout, Transport};
use ureq::{Agent, Error as Trouble, Timeout};

use super::{StoreError, StoreLimits};
use crate::found::Found;
use crate::http::Authorities;
use crate::{metadata, variables};

/// How long the addresses of a name are kept. The library would look each name up before each request.
const NAMES_KEPT: Duration = Duration::from_secs(60);
/// How many connections stay open to one server: as many as requests that `howdah.store.requests` allows at once.
const KEPT_CONNECTIONS: usize = 64;
/// Where systems keep the certificate authorities that they trust.
const SYSTEM_AUTHORITIES: [&str; 4] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The clients of one store.
#[derive(Debug)]
pub(super) struct Agents {
    /// For answers that are read whole.
    pub(super) documents: Agent,
    /// For contents, which may take any time as long as each part comes soon enough.
    pub(super) contents: Agent,
}

impl Agents {
    /// Clients with the limits of a store. With `is_secure` they trust the system's authorities, or the public ones
    /// where the system names none.
    ///
    /// # Errors
    /// A [`StoreError`] when the file of authorities cannot be read.
    pub(super) fn new(limits: StoreLimits, is_secure: bool) -> io::Result<Self> {
        let roots = if is_secure { authorities()? } else { RootCerts::WebPki };
        let agent = |body: Option<Duration>| {
            let config = Agent::config_builder()
                .timeout_connect(Some(limits.connect()))
                .timeout_send_request(Some(limits.answer()))
                .timeout_recv_response(Some(limits.answer()))
                .timeout_recv_body(body)
                .timeout_per_read(Some(limits.answer()))
                .timeout_per_write(Some(limits.answer()))
                .http_status_as_error(false)
                // Redirections have a meaning here and are followed one by one.
                .max_redirects(0)
                .max_redirects_will_error(false)
                .max_idle_connections(2 * KEPT_CONNECTIONS)
                .max_idle_connections_per_host(KEPT_CONNECTIONS)
                .user_agent(concat!("howdah/", env!("CARGO_PKG_VERSION")))
                .tls_config(TlsConfig::builder().root_certs(roots.clone()).build())
                // Set even though there is none: otherwise the client would use a proxy of the environment.
                .proxy(None)
                .build();
            Agent::with_parts(config, Marked(DefaultConnector::default()), Names::new(limits.connect()))
        };
        Ok(Self { documents: agent(Some(limits.whole_answer())), contents: agent(None) })
    }
}

/// The authorities of `SSL_CERT_FILE`, else of the system, else the public ones.
fn authorities() -> io::Result<RootCerts> {
    let named = variables::get("SSL_CERT_FILE").map(PathBuf::from);
    let of_system = || {
        let exists = |path: &Path| matches!(metadata::of(path), Found::Present(_));
        SYSTEM_AUTHORITIES.iter().map(PathBuf::from).find(|path| exists(path))
    };
    let Some(file) = named.or_else(of_system) else { return Ok(RootCerts::WebPki) };
    let read = Authorities::read(&file).map_err(|error| {
        let text = format!("the certificate authorities cannot be used: {error}");
        if error.may_pass() { StoreError::unknown(text) } else { StoreError::refused(io::ErrorKind::InvalidData, text) }
    })?;
    Ok(read.roots())
}

/// A failure before the first byte of a request was sent.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotConnected(Trouble);

fn not_connected(trouble: Trouble) -> Trouble {
    Trouble::Other(Box::new(NotConnected(trouble)))
}

/// Whether the request cannot have reached the server.
pub(super) fn was_not_sent(trouble: &Trouble) -> bool {
    matches!(trouble, Trouble::Other(cause) if cause.is::<NotConnected>())
}

/// Whether a kept connection was closed by the server meanwhile, as far as can be told.
pub(super) fn was_closed(trouble: &Trouble) -> bool {
    use io::ErrorKind as K;
    const CLOSED: [K; 4] = [K::UnexpectedEof, K::ConnectionReset, K::ConnectionAborted, K::BrokenPipe];
    matches!(trouble, Trouble::Io(error) if CLOSED.contains(&error.kind()))
}

/// In words what went wrong.
pub(super) fn explain(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Other(cause) => match cause.downcast_ref::<NotConnected>() {
            Some(NotConnected(cause)) => format!("cannot be reached: {}", explain(cause)),
            None => cause.to_string(),
        },
        Trouble::Timeout(Timeout::Resolve) => "no answer from the name service in time".to_owned(),
        Trouble::Timeout(Timeout::Connect) => "no connection in time".to_owned(),
        Trouble::Timeout(_) => "no answer in time".to_owned(),
        Trouble::HostNotFound => "no such host is known".to_owned(),
        Trouble::Io(error) => error.to_string(),
        other => other.to_string(),
    }
}

/// A connector whose errors say that nothing was sent.
#[derive(Debug)]
struct Marked(DefaultConnector);

impl Connector for Marked {
    type Out = Box<dyn Transport>;

    fn connect(&self, details: &ConnectionDetails, chained: Option<()>) -> Result<Option<Self::Out>, Trouble> {
        self.0.connect(details, chained).map_err(not_connected)
    }
}

/// Looks names up within a limit, and keeps the addresses for a while.
#[derive(Debug)]
struct Names {
    limit: Duration,
    inner: DefaultResolver,
    known: Mutex<HashMap<String, (Instant, Vec<SocketAddr>)>>,
}

impl Names {
    fn new(limit: Duration) -> Self {
        Self { limit, inner: DefaultResolver::default(), known: Mutex::default() }
    }

    fn kept(&self, authority: &str) -> Option<ResolvedSocketAddrs> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, addresses) = known.get(authority).filter(|(since, _)| since.elapsed() < NAMES_KEPT)?;
        let mut result = self.inner.empty();
        for address in addresses {
            result.push(*address);
        }
        Some(result)
    }
}

impl Resolver for Names {
    fn resolve(&self, uri: &Uri, config: &Config, _: NextTimeout) -> Result<ResolvedSocketAddrs, Trouble> {
        let authority = uri.authority().map(ToString::to_string).unwrap_or_default();
        if let Some(kept) = self.kept(&authority) {
            return Ok(kept);
        }
        let limit = NextTimeout { after: self.limit.into(), reason: Timeout::Resolve, ..NextTimeout::default() };
        let found = self.inner.resolve(uri, config, limit).map_err(not_connected)?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(authority, (Instant::now(), found.iter().copied().collect()));
        Ok(found)
    }
}

/// The error of a request that got no whole answer.
pub(super) fn unanswered(server: &str, trouble: &Trouble) -> io::Error {
    StoreError::unknown(format!("{server}: {}", explain(trouble)))
}
