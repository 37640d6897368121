//! Sends requests to the name nodes of a store, and finds the one that answers.
//!
//! A request that only reads goes to the next name node when one gives no answer. One that changes something is sent
//! again only when the first cannot have done it: no connection was made, or the server is a standby. Must not depend
//! on what the answers say, beyond that.
//!
//! Some versions of Hadoop decode the names in an address twice, so that a request about `a%20b` reaches `a b`. Before
//! the first such name is sent to a server, it is asked about a name that shows this.

use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use percent_encoding::percent_decode_str;
use ureq::http::Response;
use ureq::{Agent, Body, Error as Trouble, SendBody};

use super::super::StoreError;
use super::super::agent::{self, Agents};
use super::super::hdfs::Failure;
use super::super::store_path::{StorePath, value};
use super::answer;
use crate::found;

/// The path of the interface on every server.
const ROOT: &str = "/webhdfs/v1";
/// The most bytes of a document, besides those of the entries in it.
const LARGEST_DOCUMENT: u64 = 1 << 20;
/// The most bytes of an entry in a listing, on average; about 250 are usual.
const LARGEST_ENTRY: u64 = 512;
/// How many redirections lead to a content.
const MOST_REDIRECTIONS: usize = 3;
const CONTENT: &str = "application/octet-stream";
/// A path that no store has; a server that decodes names twice takes it for the root.
const PROBE: &str = "/%2F";

/// What a request does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    /// Changes something, except the first step of a write, which only asks where to send it.
    Put,
    Delete,
}

/// A request.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) method: Method,
    pub(super) operation: &'a str,
    pub(super) path: &'a StorePath,
    /// Names and values, which are not escaped yet.
    pub(super) parameters: &'a [(&'a str, &'a str)],
}

/// The whole answer of a server.
pub(super) struct Told {
    pub(super) server: String,
    pub(super) body: Vec<u8>,
}

/// The name nodes of a store, and who asks them.
#[derive(Debug)]
pub(super) struct Exchange {
    /// Each as `http://host:port`.
    servers: Vec<String>,
    /// The place of the one that answered last.
    current: AtomicUsize,
    /// The parameters that name the user, escaped.
    user: String,
    agents: Agents,
    /// Whether the name nodes are known to decode names once.
    is_exact: AtomicBool,
}

impl Exchange {
    pub(super) fn new(servers: Vec<String>, user: &str, proxy: Option<&str>, agents: Agents) -> Self {
        let user = match proxy.filter(|proxy| *proxy != user) {
            None => format!("user.name={}", value(user)),
            Some(proxy) => format!("user.name={}&doas={}", value(proxy), value(user)),
        };
        Self { servers, current: AtomicUsize::new(0), user, agents, is_exact: AtomicBool::new(false) }
    }

    /// Sends a request; returns its answer if that is status 200.
    pub(super) fn ask(&self, request: &Request<'_>) -> io::Result<Told> {
        let told = self.ask_for_entries(request, 0)?;
        told.ok_or_else(|| StoreError::unknown("the answer is too long for a document of WebHDFS"))
    }

    /// As [`Self::ask`], for an answer with at most so many entries of a folder; `None` when it is longer.
    pub(super) fn ask_for_entries(&self, request: &Request<'_>, most: usize) -> io::Result<Option<Told>> {
        let is_change = request.method != Method::Get;
        let (server, answer) = self.send(&self.agents.documents, request, is_change)?;
        if answer.status().as_u16() != 200 {
            return Err(unexpected(server, &answer));
        }
        match whole(answer, LARGEST_DOCUMENT + LARGEST_ENTRY * most as u64) {
            Ok(body) => Ok(Some(Told { server: server.to_owned(), body })),
            Err(Trouble::BodyExceedsLimit(_)) => Ok(None),
            Err(trouble) => Err(agent::unanswered(server, &trouble)),
        }
    }

    /// The content of a file.
    pub(super) fn content(&self, path: &StorePath) -> io::Result<Box<dyn Read + Send>> {
        let request = Request { method: Method::Get, operation: "OPEN", path, parameters: &[] };
        let (server, mut answer) = self.send(&self.agents.contents, &request, false)?;
        let mut server = server.to_owned();
        for _ in 0..MOST_REDIRECTIONS {
            if answer.status().as_u16() != 307 {
                break;
            }
            let place = self.redirection(&server, &answer, path)?;
            server_of(&place).clone_into(&mut server);
            answer = checked(&server, self.agents.contents.get(&place).call()).map_err(|failure| failure.error)?;
        }
        if answer.status().as_u16() != 200 || header(&answer, "content-type").split(';').next() != Some(CONTENT) {
            return Err(unexpected(&server, &answer));
        }
        // Without either of them an end that comes too early looks like the end.
        if header(&answer, "content-length").is_empty() && header(&answer, "transfer-encoding").is_empty() {
            return Err(StoreError::unknown(format!("{server} sends a content without its length")));
        }
        let reader = answer.into_body().into_with_config().limit(u64::MAX).reader();
        Ok(Box::new(Content { reader, server }))
    }

    /// Sends the content of a new file: a name node says where to, and it is sent there once.
    pub(super) fn put_content(&self, request: &Request<'_>, content: &mut dyn Read) -> io::Result<()> {
        let (server, answer) = self.send(&self.agents.documents, request, false)?;
        if answer.status().as_u16() != 307 {
            return Err(unexpected(server, &answer));
        }
        let place = self.redirection(server, &answer, request.path)?;
        drop(answer);
        let server = server_of(&place);
        let mut source = Source { content, failed: None };
        let sent = self.agents.contents.put(&place).content_type(CONTENT).send(SendBody::from_reader(&mut source));
        if let Some(error) = source.failed {
            let text = format!("what should be written to {server} cannot be read: {error}");
            return Err(StoreError::unknown(text));
        }
        let answer = checked(server, sent).map_err(|failure| failure.error)?;
        if answer.status().as_u16() == 201 { Ok(()) } else { Err(unexpected(server, &answer)) }
    }

    /// Sends a request to the name nodes, one after another; returns the first answer that is no failure, with its
    /// server.
    fn send(&self, agent: &Agent, request: &Request<'_>, is_change: bool) -> io::Result<(&str, Response<Body>)> {
        if request.path.has_escapes() && !self.is_exact.load(Ordering::Relaxed) {
            let probe = Request {
                method: Method::Get,
                operation: "GETFILESTATUS",
                path: &StorePath::of(PROBE)?,
                parameters: &[],
            };
            match self.send_to_any(&self.agents.documents, &probe, false) {
                Err(error) if found::is_absence(&error) => self.is_exact.store(true, Ordering::Relaxed),
                Err(error) => return Err(error),
                Ok((server, _)) => return Err(inexact(server, request.path)),
            }
        }
        self.send_to_any(agent, request, is_change)
    }

    fn send_to_any(&self, agent: &Agent, request: &Request<'_>, is_change: bool) -> io::Result<(&str, Response<Body>)> {
        let first = self.current.load(Ordering::Relaxed);
        let mut reasons: Vec<String> = Vec::new();
        for place in (0..self.servers.len()).map(|turn| (first + turn) % self.servers.len()) {
            let server = self.servers[place].as_str();
            match self.send_to(server, agent, request, is_change) {
                Err(failure) if failure.is_for_another => reasons.push(failure.error.to_string()),
                answer => {
                    self.current.store(place, Ordering::Relaxed);
                    return answer.map(|answer| (server, answer)).map_err(|failure| failure.error);
                }
            }
        }
        Err(StoreError::unknown(reasons.join("; ")))
    }

    fn send_to(
        &self,
        server: &str,
        agent: &Agent,
        request: &Request<'_>,
        is_change: bool,
    ) -> Result<Response<Body>, Failure> {
        let url = self.url(server, request);
        let call = || match request.method {
            Method::Get => agent.get(&url).call(),
            Method::Put => agent.put(&url).send_empty(),
            Method::Delete => agent.delete(&url).call(),
        };
        let mut answer = call();
        // The server may have closed a connection that was kept; a second one is new.
        if !is_change && answer.as_ref().is_err_and(agent::was_closed) {
            answer = call();
        }
        if let Err(trouble) = &answer {
            let is_for_another = !is_change || agent::was_not_sent(trouble);
            return Err(Failure { error: agent::unanswered(server, trouble), is_for_another });
        }
        checked(server, answer)
    }

    /// The address that an answer about a path sends to. Only an address of WebHDFS with the same path counts, so that
    /// no page where people log in gets the request; and an encrypted exchange stays encrypted.
    fn redirection(&self, server: &str, answer: &Response<Body>, path: &StorePath) -> io::Result<String> {
        let place = header(answer, "location");
        let is_secure = place.starts_with("https://");
        if !is_secure && (!place.starts_with("http://") || server.starts_with("https://")) {
            return Err(unexpected(server, answer));
        }
        let target = server_of(place);
        let (escaped, query) = place[target.len()..].split_once('?').unwrap_or_default();
        let named = escaped.strip_prefix(ROOT).map(|path| percent_decode_str(path).decode_utf8_lossy());
        if named.is_none_or(|named| named != path.as_str()) {
            return Err(unexpected(server, answer));
        }
        if path.has_escapes() {
            self.check_data_node(target, query, path)?;
        }
        Ok(place.to_owned())
    }

    /// Checks that a data node decodes names once: it must say of the probe's own name that it is absent.
    fn check_data_node(&self, server: &str, query: &str, path: &StorePath) -> io::Result<()> {
        let query = query.replace("op=CREATE", "op=OPEN");
        let url = format!("{server}{ROOT}{}?{query}", StorePath::of(PROBE)?.escaped());
        match checked(server, self.agents.contents.get(&url).call()) {
            Err(Failure { error, .. }) if !found::is_absence(&error) => Err(error),
            Err(Failure { error, .. }) if error.to_string().contains(PROBE) => Ok(()),
            Err(_) | Ok(_) => Err(inexact(server, path)),
        }
    }

    fn url(&self, server: &str, request: &Request<'_>) -> String {
        let mut url = format!("{server}{ROOT}{}?op={}&{}", request.path.escaped(), request.operation, self.user);
        for (name, text) in request.parameters {
            url.extend(["&", name, "=", &value(text)]);
        }
        url
    }
}

/// An answer that is no failure. The answer of a data node is final: no other server has the request.
fn checked(server: &str, answer: Result<Response<Body>, Trouble>) -> Result<Response<Body>, Failure> {
    let lost = |trouble: &Trouble| Failure { error: agent::unanswered(server, trouble), is_for_another: false };
    let answer = answer.map_err(|trouble| lost(&trouble))?;
    let status = answer.status().as_u16();
    if status < 400 {
        return Ok(answer);
    }
    let wants = header(&answer, "www-authenticate").to_owned();
    let body = whole(answer, LARGEST_DOCUMENT).map_err(|trouble| lost(&trouble))?;
    Err(answer::failure(server, status, &wants, &body))
}

fn whole(mut answer: Response<Body>, limit: u64) -> Result<Vec<u8>, Trouble> {
    answer.body_mut().with_config().limit(limit).read_to_vec()
}

fn header<'a>(answer: &'a Response<Body>, name: &str) -> &'a str {
    answer.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

/// The `scheme://host:port` of an address.
fn server_of(address: &str) -> &str {
    let host = address.find("://").map_or(0, |place| place + "://".len());
    let end = address[host..].find(['/', '?', '#']).map_or(address.len(), |place| host + place);
    &address[..end]
}

/// The refusal to send a name to a server that takes it for another one.
fn inexact(server: &str, path: &StorePath) -> io::Error {
    let text =
        format!("{server} decodes the percent signs of names twice, so it cannot be asked for [{}]", path.as_str());
    StoreError::refused(io::ErrorKind::Unsupported, text)
}

/// The error for an answer that is none of WebHDFS.
fn unexpected(server: &str, answer: &Response<Body>) -> io::Error {
    let (status, kind, place) = (answer.status().as_u16(), header(answer, "content-type"), header(answer, "location"));
    let mut text = format!("{server} answers {status} in a way that WebHDFS does not");
    for (name, value) in [("type", kind), ("location", place)].into_iter().filter(|(_, value)| !value.is_empty()) {
        // What is behind the question mark can name a secret.
        text.extend([", ", name, " ", value.split('?').next().unwrap_or_default()]);
    }
    StoreError::unknown(text)
}

/// A content that arrives; its errors are those of a store.
struct Content {
    reader: ureq::BodyReader<'static>,
    server: String,
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer).map_err(|error| agent::unanswered(&self.server, &error.into()))
    }
}

/// A content that is sent; keeps its own error apart from those of the connection.
struct Source<'a> {
    content: &'a mut dyn Read,
    failed: Option<io::Error>,
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.content.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    let kind = error.kind();
                    self.failed = Some(error);
                    return Err(kind.into());
                }
                read => return read,
            }
        }
    }
}
