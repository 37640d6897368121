//! Notifications that howdah sends: a URL that is fetched, a mail, a program that is run.
//!
//! Follows specification 15 (notifications); alerts use the same types. Must not depend on when or how something is
//! sent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The content of a delivery; the database stores its JSON, so fields are only ever added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Payload {
    /// A URL to fetch; delivered when the answer is 200.
    Http(HttpGet),
    /// A mail; delivered when the mail server accepts it.
    Mail(Mail),
    /// A program to run; delivered when it ends with 0.
    Command(AlertCommand),
    /// A JSON document for a URL; delivered when the status of the answer is 200 to 299.
    Post(HttpPost),
}

/// A JSON document for a URL.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpPost {
    pub url: String,
    pub body: String,
}

/// A URL to fetch, with its tokens replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HttpGet {
    /// Unchanged from the job; nothing is encoded.
    pub url: String,
    /// `[type@]host:port`, unchanged from the job; `None`: the site's proxy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proxy: Option<String>,
}

/// A mail of plain text; the mail server and the sender's address are the site's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mail {
    /// The recipients' addresses.
    pub to: Vec<String>,
    pub subject: String,
    pub body: String,
}

/// A program that receives an alert.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertCommand {
    /// The program and its arguments; no shell interprets them.
    pub command: Vec<String>,
    /// Variables in addition to those that every command inherits.
    #[serde(default)]
    pub environment: BTreeMap<String, String>,
    /// Its standard input.
    #[serde(default)]
    pub input: String,
}

/// Why something was not delivered, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Undelivered {
    /// Another try may succeed.
    Retryable(String),
    /// No other try can succeed.
    Permanent(String),
}

impl From<String> for Undelivered {
    fn from(reason: String) -> Self {
        Self::Retryable(reason)
    }
}

impl Payload {
    /// Returns the receiver: scheme and host of a URL, `mail`, or `command`. Deliveries to one receiver share its
    /// delays.
    pub fn receiver(&self) -> &str {
        match self {
            Self::Http(get) => authority(&get.url),
            Self::Post(post) => authority(&post.url),
            Self::Mail(_) => "mail",
            Self::Command(_) => "command",
        }
    }
}

/// The protocol of a proxy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProxyKind {
    Http,
    Socks,
}

/// The address of a proxy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyAddress {
    pub kind: ProxyKind,
    pub host: String,
    pub port: u16,
}

impl ProxyAddress {
    /// Reads `[type@]host:port`: SOCKS for the type `socks`, HTTP for every other; `None`, which means no proxy, for
    /// any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, address) = match text.trim().split_once('@') {
            Some((kind, address)) if kind.eq_ignore_ascii_case("socks") => (ProxyKind::Socks, address),
            Some((_, address)) => (ProxyKind::Http, address),
            None => (ProxyKind::Http, text.trim()),
        };
        let (host, port) = address.split_once(':')?;
        let port = port.parse().ok().filter(|port| *port > 0)?;
        (!host.is_empty()).then(|| Self { kind, host: host.to_owned(), port })
    }
}

/// Returns why a URL cannot be fetched, in words; `None` when its form is right.
pub fn wrong_url(url: &str) -> Option<&'static str> {
    let rest = ["http://", "https://"].iter().find_map(|scheme| url.strip_prefix(scheme));
    if rest.is_none_or(|rest| rest.is_empty() || rest.starts_with('/')) {
        return Some("it does not begin with http:// or https:// and a host");
    }
    let has_blank = url.contains(|character: char| character.is_whitespace() || character.is_control());
    has_blank.then_some("a URL must not contain blanks")
}

/// Returns a URL up to its path.
pub fn authority(url: &str) -> &str {
    let host = url.find("://").map_or(0, |scheme| scheme + "://".len());
    let end = url[host..].find(['/', '?', '#']).map_or(url.len(), |length| host + length);
    &url[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_receiver_is_the_url_up_to_its_path() {
        let check = |url: &str, expect: &str| {
            let get = Payload::Http(HttpGet { url: url.to_owned(), proxy: None });
            assert_eq!(get.receiver(), expect, "{url}");
        };
        check("http://ops:8080/oozie?id=1", "http://ops:8080");
        check("https://ops?id=http://x/", "https://ops");
        check("http://ops", "http://ops");
        check("nonsense/a", "nonsense");
        check("", "");
    }

    #[test]
    fn a_proxy_has_a_type_a_host_and_a_port() {
        let check = |text: &str, expect: Option<(ProxyKind, &str, u16)>| {
            let expect = expect.map(|(kind, host, port)| ProxyAddress { kind, host: host.to_owned(), port });
            assert_eq!(ProxyAddress::parse(text), expect, "{text}");
        };
        check("proxy.example.org:80", Some((ProxyKind::Http, "proxy.example.org", 80)));
        check(" socks@host:1080 ", Some((ProxyKind::Socks, "host", 1080)));
        check("SOCKS@host:1080", Some((ProxyKind::Socks, "host", 1080)));
        check("http@host:3128", Some((ProxyKind::Http, "host", 3128)));
        check("other@host:3128", Some((ProxyKind::Http, "host", 3128)));
        check("host", None);
        check("host:", None);
        check("host:port", None);
        check("host:70000", None);
        check("socks@:1", None);
        check("", None);
    }

    #[test]
    fn the_stored_form_names_its_kind() {
        let mail = Mail { to: vec!["a@b".to_owned()], subject: "s".to_owned(), body: "b".to_owned() };
        let check = |payload: Payload, expect: &str| {
            let text = serde_json::to_string(&payload).unwrap();
            assert_eq!(text, expect);
            assert_eq!(serde_json::from_str::<Payload>(&text).unwrap(), payload);
        };
        check(Payload::Mail(mail), r#"{"kind":"mail","to":["a@b"],"subject":"s","body":"b"}"#);
        let get = HttpGet { url: "http://x".to_owned(), proxy: Some("p:1".to_owned()) };
        check(Payload::Http(get), r#"{"kind":"http","url":"http://x","proxy":"p:1"}"#);
        let command =
            AlertCommand { command: vec!["page".to_owned()], environment: BTreeMap::new(), input: String::new() };
        check(Payload::Command(command), r#"{"kind":"command","command":["page"],"environment":{},"input":""}"#);
        let post = HttpPost { url: "http://x".to_owned(), body: "{}".to_owned() };
        check(Payload::Post(post), r#"{"kind":"post","url":"http://x","body":"{}"}"#);
    }
}
