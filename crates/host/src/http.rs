//! Fetches URLs and sends documents to them, to notify receivers and to read texts.
//!
//! Specification 15: only status 200 is success of a fetch. Every wait has a limit; redirections are followed. Must not
//! depend on the content of notifications or on retries.

use std::path::Path;
use std::time::Duration;

use ureq::tls::{Certificate, PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::{Agent, Error as Trouble, Proxy, ProxyProtocol};

use super::files;
use super::forward_proxy::{self, JSON, TimeLimits};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::delivery::{ProxyAddress, ProxyKind};

/// The largest file of certificates, in bytes.
const LARGEST_CERTIFICATES: u64 = 4 * 1024 * 1024;
/// A fetch may take this many times its timeout when every step of it is slow.
const STEPS: u32 = 3;

/// Fetches URLs, all with the same timeout.
#[derive(Debug)]
pub struct HttpClient {
    timeout: Duration,
    tls: TlsConfig,
}

impl HttpClient {
    /// A client that allows a connection, and then an answer, `timeout` each.
    pub fn new(timeout: Duration, authorities: Option<&Authorities>) -> Self {
        let roots = authorities.map_or(RootCerts::WebPki, Authorities::roots);
        Self { timeout, tls: TlsConfig::builder().root_certs(roots).build() }
    }

    /// Fetches a URL, through a proxy or directly; returns a message when it is not delivered.
    pub fn get(&self, url: &str, proxy: Option<&ProxyAddress>) -> Result<(), String> {
        match self.status(url, None, proxy)? {
            200 => Ok(()),
            status => Err(format!("the receiver answered {status} instead of 200")),
        }
    }

    /// Sends a JSON document to a URL, through a proxy or directly; returns a message when it is not delivered.
    pub fn post(&self, url: &str, body: &str, proxy: Option<&ProxyAddress>) -> Result<(), String> {
        match self.status(url, Some(body), proxy)? {
            200..=299 => Ok(()),
            status => Err(format!("the receiver answered {status}")),
        }
    }

    /// Fetches a URL, or sends a document to it; returns the status of the answer.
    fn status(&self, url: &str, body: Option<&str>, proxy: Option<&ProxyAddress>) -> Result<u16, String> {
        let limits = TimeLimits { step: self.timeout, whole: self.timeout * STEPS };
        match proxy {
            Some(proxy) if proxy.kind == ProxyKind::Http && forward_proxy::is_plain(url) => {
                forward_proxy::fetch((url, body), proxy, limits).map_err(|error| self.explain(&Trouble::Io(error)))
            }
            _ => self.fetch_directly(url, body, proxy),
        }
    }

    /// Fetches a text with status 200 without a proxy, at most `limit` bytes of it; returns a message when that fails.
    pub fn text(&self, url: &str, limit: u64) -> Result<String, String> {
        let mut answer = self.agent(None).get(url).call().map_err(|error| self.explain(&error))?;
        match answer.status().as_u16() {
            200 => answer.body_mut().with_config().limit(limit).read_to_string().map_err(|error| self.explain(&error)),
            status => Err(format!("the receiver answered {status} instead of 200")),
        }
    }

    fn fetch_directly(&self, url: &str, body: Option<&str>, proxy: Option<&ProxyAddress>) -> Result<u16, String> {
        let proxy = proxy.map(connector).transpose().map_err(|error| self.explain(&error))?;
        let agent = self.agent(proxy);
        let answer = match body {
            None => agent.get(url).call(),
            Some(body) => agent.post(url).header("Content-Type", JSON).send(body),
        };
        answer.map(|answer| answer.status().as_u16()).map_err(|error| self.explain(&error))
    }

    fn agent(&self, proxy: Option<Proxy>) -> Agent {
        Agent::config_builder()
            .timeout_resolve(Some(self.timeout))
            .timeout_connect(Some(self.timeout))
            .timeout_send_request(Some(self.timeout))
            .timeout_recv_response(Some(self.timeout))
            .timeout_global(Some(self.timeout * STEPS))
            .http_status_as_error(false)
            .max_redirects_will_error(false)
            .user_agent(concat!("howdah/", env!("CARGO_PKG_VERSION")))
            .tls_config(self.tls.clone())
            // Set even when there is none: otherwise the client would use a proxy of the environment of cron or of the
            // user.
            .proxy(proxy)
            .build()
            .into()
    }

    /// A message for the error.
    fn explain(&self, error: &Trouble) -> String {
        let late = || format!("no answer within {} ms", self.timeout.as_millis());
        match error {
            Trouble::Io(cause) if cause.kind() == std::io::ErrorKind::TimedOut => late(),
            Trouble::Io(cause) if cause.kind() == std::io::ErrorKind::WouldBlock => late(),
            Trouble::Timeout(_) => late(),
            Trouble::Io(cause) => format!("the receiver cannot be reached: {cause}"),
            Trouble::HostNotFound => "the receiver cannot be reached: no such host is known".to_owned(),
            Trouble::BadUri(_) | Trouble::Http(_) => format!("the URL cannot be fetched: {error}"),
            other => format!("the receiver cannot be reached: {other}"),
        }
    }
}

/// A proxy that passes a connection on: SOCKS, or HTTP with a tunnel. The proxy resolves the receiver's name.
fn connector(address: &ProxyAddress) -> Result<Proxy, Trouble> {
    let protocol = match address.kind {
        ProxyKind::Http => ProxyProtocol::Http,
        ProxyKind::Socks => ProxyProtocol::Socks5,
    };
    Proxy::builder(protocol).host(&address.host).port(address.port).resolve_target(false).build()
}

/// The certificate authorities that are trusted instead of the public ones.
#[derive(Debug)]
pub struct Authorities(Vec<Certificate<'static>>);

impl Authorities {
    /// Reads a file of certificates in PEM. H0110 when it cannot be read, H0112 when it contains none.
    pub fn read(file: &Path) -> Result<Self, Error> {
        let text = files::read_text(file, LARGEST_CERTIFICATES)?;
        let certificates: Vec<Certificate<'static>> = parse_pem(text.as_bytes())
            .filter_map(|item| match item {
                Ok(PemItem::Certificate(certificate)) => Some(certificate),
                _ => None,
            })
            .collect();
        if certificates.is_empty() {
            return Err(Error::with(ErrorCode::H0112, &[&file.display(), &"certificate (PEM)"]));
        }
        Ok(Self(certificates))
    }

    /// The certificates as what an HTTP client trusts.
    pub(super) fn roots(&self) -> RootCerts {
        RootCerts::new_with_certs(&self.0)
    }

    /// The certificates in binary form.
    #[cfg(feature = "mail")]
    pub(crate) fn certificates(&self) -> impl Iterator<Item = &[u8]> {
        self.0.iter().map(Certificate::der)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn says_why_a_url_is_not_delivered() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let silent = format!("http://{}/", silent.local_addr().unwrap());
        let check_within = |limit: Duration, url: &str, expect: &str| {
            let client = HttpClient::new(limit, None);
            let message = client.get(url, None).unwrap_err();
            assert!(message.contains(expect), "{url}: {message}");
        };
        check_within(Duration::from_millis(300), &silent, "no answer within 300 ms");
        let check = |url: &str, expect: &str| check_within(howdah_tier::PATIENCE, url, expect);
        check("http://127.0.0.1:1/", "the receiver cannot be reached: ");
        check("http://a b/", "the URL cannot be fetched: ");
        check("ops:8080", "the ");
        check("", "the URL cannot be fetched: ");
    }

    #[test]
    fn a_file_without_certificates_is_refused() {
        let file = tempfile::NamedTempFile::new().unwrap();
        assert_eq!(Authorities::read(file.path()).unwrap_err().code(), ErrorCode::H0112);
        assert_eq!(Authorities::read(Path::new("/nonexistent/ca.pem")).unwrap_err().code(), ErrorCode::H0110);
    }
}
