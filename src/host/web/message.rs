//! A request as the rest of the program reads it, and its answer.

use std::net::SocketAddr;

use percent_encoding::percent_decode_str;

/// A request, with its path and its parameters decoded.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// The parts of the path between its slashes.
    pub(crate) path: Vec<String>,
    parameters: Vec<(String, String)>,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// The two ends of the connection.
    pub(crate) peer: SocketAddr,
    pub(crate) local: SocketAddr,
}

impl Request {
    /// Reads a request; `None` when its path, its parameters or its headers are not UTF-8.
    pub(super) fn read(
        head: &hyper::http::request::Parts,
        body: Vec<u8>,
        ends: (SocketAddr, SocketAddr),
    ) -> Option<Self> {
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
            peer: ends.0,
            local: ends.1,
        })
    }

    /// Returns the first value of a parameter of the query.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns the first value of a header; the name is in small letters.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Returns whether the request only reads.
    pub(crate) fn is_reading(&self) -> bool {
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    /// Returns an answer without a body.
    pub(crate) const fn empty(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    /// Returns an answer with a body of this type.
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, headers: vec![("content-type", content_type.to_owned())], body: body.into() }
    }

    /// Adds a header. A character that a header cannot contain becomes a question mark, a line break a blank.
    #[must_use]
    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        let safe = |character: char| match character {
            ' '..='~' => character,
            character if character.is_ascii_control() => ' ',
            _ => '?',
        };
        self.headers.push((name, value.chars().map(safe).collect()));
        self
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
    fn a_header_never_breaks_a_line() {
        let answer = Answer::empty(400).with("x", "a\r\nset-cookie: b\u{e4}\u{7f}");
        assert_eq!(answer.headers, [("x", "a  set-cookie: b? ".to_owned())]);
    }
}
