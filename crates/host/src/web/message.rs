//! A request as the rest of the program reads it, and its answer.

use std::borrow::Cow;
use std::net::SocketAddr;

use percent_encoding::percent_decode_str;
use serde::{Deserialize, Serialize};

use crate::partner::Message;
use crate::user_set::UserSet;

/// The two ends of a connection, and the inode of the socket at this end.
pub(super) type Ends = (SocketAddr, SocketAddr, Option<u64>);

/// For whom a client may ask, as the server has found out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Client {
    /// Whose jobs it may change, where it may change some, and whose secret values it may read.
    pub acts_for: UserSet,
    /// Whose jobs it may see.
    pub sees: UserSet,
}

impl Client {
    /// Returns a client that may ask for everybody.
    pub const fn of_all() -> Self {
        Self { acts_for: UserSet::All, sees: UserSet::All }
    }
}

/// A request, with its path and its parameters decoded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    pub method: String,
    /// The parts of the path between its slashes.
    pub path: Vec<String>,
    parameters: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    #[serde(skip)]
    pub body: Vec<u8>,
    /// The two ends of the connection.
    pub peer: SocketAddr,
    pub local: SocketAddr,
    /// The inode of the socket at this end.
    pub socket: Option<u64>,
    /// For whom its client may ask: for no user until the server has found out.
    #[serde(default)]
    pub client: Client,
}

impl Request {
    /// Reads a request; `None` when its path, its parameters or its headers are not UTF-8.
    pub(super) fn read(head: &hyper::http::request::Parts, body: Vec<u8>, (peer, local, socket): Ends) -> Option<Self> {
        let path = head.uri.path().split('/').skip(1).map(decoded).collect::<Option<Vec<_>>>()?;
        let header = |(name, value): (&hyper::header::HeaderName, &hyper::header::HeaderValue)| {
            Some((name.as_str().to_owned(), std::str::from_utf8(value.as_bytes()).ok()?.to_owned()))
        };
        Some(Self {
            method: head.method.as_str().to_owned(),
            path: without_last_slash(path),
            parameters: parameters(head.uri.query().unwrap_or_default())?,
            headers: head.headers.iter().map(header).collect::<Option<Vec<_>>>()?,
            body,
            peer,
            local,
            socket,
            client: Client::default(),
        })
    }

    /// Reads a request from its text, as a client on this machine sends it; `None` for what the server refuses to read.
    pub fn of_text(text: &str) -> Option<Self> {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((text, ""));
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let mut read = hyper::Request::builder().method(words.next()?).uri(words.next()?);
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            read = read.header(name, value.trim());
        }
        let end = SocketAddr::from(([127, 0, 0, 1], 11000));
        Self::read(&read.body(()).ok()?.into_parts().0, body.as_bytes().to_vec(), (end, end, None))
    }

    /// Returns the first value of a parameter of the query.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the first value of a header; the name is in small letters.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Removes a header that nothing behind the server needs.
    pub fn remove_header(&mut self, name: &str) {
        self.headers.retain(|(known, _)| known != name);
    }

    /// Writes the request for another process; the inverse of [`Self::from_message`].
    pub fn into_message(self) -> Message {
        // Texts and numbers always have a form in JSON.
        Message { head: serde_json::to_vec(&self).unwrap_or_default(), body: self.body, is_last: false }
    }

    /// Reads what [`Self::into_message`] wrote; `None` for anything else.
    pub fn from_message(message: Message) -> Option<Self> {
        let request: Self = serde_json::from_slice(&message.head).ok()?;
        Some(Self { body: message.body, ..request })
    }

    /// Returns whether the request only reads.
    pub fn is_reading(&self) -> bool {
        matches!(self.method.as_str(), "GET" | "HEAD")
    }
}

fn decoded(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

fn without_last_slash(mut path: Vec<String>) -> Vec<String> {
    if path.last().is_some_and(String::is_empty) {
        path.pop();
    }
    path
}

/// Reads `name=value&name=value` as a form writes it: a plus is a blank, and a semicolon belongs to the value.
fn parameters(query: &str) -> Option<Vec<(String, String)>> {
    let pair = |pair: &str| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        Some((decoded(&name.replace('+', " "))?, decoded(&value.replace('+', " "))?))
    };
    query.split('&').filter(|part| !part.is_empty()).map(pair).collect()
}

/// What is returned for a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(Cow<'static, str>, String)>,
    #[serde(skip)]
    pub body: Vec<u8>,
}

impl Answer {
    /// Returns an answer without a body.
    pub const fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// Returns an answer with a body of this type.
    pub fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: vec![("content-type".into(), content_type.to_owned())], body: body.into() }
    }

    /// Adds a header. A character that a header cannot contain becomes a question mark, a line break a blank.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        let safe = |character: char| match character {
            ' '..='~' => character,
            character if character.is_ascii_control() => ' ',
            _ => '?',
        };
        self.headers.push((name.into(), value.chars().map(safe).collect()));
        self
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Writes the answer for another process; the inverse of [`Self::from_message`].
    pub fn into_message(self) -> Message {
        // Texts and numbers always have a form in JSON.
        Message { head: serde_json::to_vec(&self).unwrap_or_default(), body: self.body, is_last: false }
    }

    /// Reads what [`Self::into_message`] wrote; `None` for anything else.
    pub fn from_message(message: Message) -> Option<Self> {
        let answer: Self = serde_json::from_slice(&message.head).ok()?;
        Some(Self { body: message.body, ..answer })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_as_clients_write_them() {
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        for (query, expect) in [
            ("", Some(vec![])),
            ("a=1&b=2", Some(vec![pair("a", "1"), pair("b", "2")])),
            ("filter=status=A;status=B&&x", Some(vec![pair("filter", "status=A;status=B"), pair("x", "")])),
            ("filter=name%3Da+b%2B", Some(vec![pair("filter", "name=a b+")])),
            ("a=%ff", None),
            ("a=%zz", Some(vec![pair("a", "%zz")])),
        ] {
            assert_eq!(parameters(query), expect, "{query}");
        }
    }

    #[test]
    fn another_process_reads_what_was_written() {
        let head = serde_json::json!({
            "method": "PUT", "path": ["oozie", "\u{e4}\n"], "parameters": [["a", "b=c"]],
            "headers": [["authorization", "Bearer x"], ["host", "h"]],
            "peer": "127.0.0.1:1", "local": "[::1]:11000",
        });
        let message = Message { head: head.to_string().into_bytes(), body: vec![0, 255], is_last: false };
        let request = Request::from_message(message).expect("a request");
        assert_eq!(Request::from_message(request.clone().into_message()), Some(request.clone()));
        let mut without = request;
        without.remove_header("authorization");
        assert_eq!((without.header("authorization"), without.header("host")), (None, Some("h")));
        let answer = Answer::new(200, "text/plain", [1, 255]).with("x", "y");
        assert_eq!(Answer::from_message(answer.clone().into_message()), Some(answer));
        assert_eq!(Answer::from_message(Message::default()), None);
    }

    #[test]
    fn a_header_never_breaks_a_line() {
        let answer = Answer::empty(400).with("x", "a\r\nset-cookie: b\u{e4}\u{7f}");
        assert_eq!(answer.headers, [(Cow::Borrowed("x"), "a  set-cookie: b? ".to_owned())]);
    }
}
