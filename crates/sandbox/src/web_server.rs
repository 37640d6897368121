//! A running `howdah serve`, and a client that sends requests byte by byte.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};

use serde_json::Value;

use crate::sandbox::{Howdah, PATIENCE, Sandbox, Started, wait_for};

/// A server of a sandbox.
pub struct Server {
    pub port: u16,
    started: Option<Started>,
}

impl Server {
    /// Starts a server on a free port.
    pub fn start(sandbox: &Sandbox, options: &[&str]) -> Self {
        Self::of(sandbox, sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).with_all(options))
    }

    /// Starts this command, which serves.
    pub fn of(sandbox: &Sandbox, command: Howdah) -> Self {
        let log = sandbox.path("serve.log");
        let started = command.errors_to(&log).start();
        let port = wait_for("the server to listen", || Self::port_in(&sandbox.read("serve.log")));
        Self { port, started: Some(started) }
    }

    /// Returns the port that a server has reported on standard error.
    pub fn port_in(log: &str) -> Option<u16> {
        let address = log.lines().find_map(|line| line.strip_prefix("serve: listens on http://")?.split('/').next())?;
        address.rsplit(':').next()?.parse().ok()
    }

    /// Returns the address of the web services.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/oozie", self.port)
    }

    /// Sends a request without a body.
    pub fn get(&self, path: &str) -> Reply {
        self.send("GET", path, &[], "")
    }

    /// Sends a request; the path begins with a slash.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Reply {
        let host = format!("127.0.0.1:{}", self.port);
        let length = body.len().to_string();
        let own = [("Connection", "close"), ("Content-Length", &length), ("Host", &host)];
        let is_given = |name: &str| headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name));
        let all = own.into_iter().filter(|(name, _)| !is_given(name)).chain(headers.iter().copied());
        let lines: Vec<String> = all.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{method} {path} HTTP/1.1\r\n{}", lines.concat());
        let mut stream = self.connect();
        stream.write_all(format!("{head}\r\n{body}").as_bytes()).expect("the server reads");
        Reply::read(&mut stream)
    }

    /// Sends a request without a body, and closes the sending half of the connection before the answer: whose client it
    /// is cannot be known.
    pub fn get_as_stranger(&self, path: &str) -> Reply {
        let mut stream = self.connect();
        let head = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", self.port);
        stream.write_all(head.as_bytes()).expect("the server reads");
        stream.shutdown(Shutdown::Write).expect("an open connection");
        Reply::read(&mut stream)
    }

    /// Kills the server.
    pub fn kill(mut self) {
        let started = self.started.take().expect("it runs");
        crate::sandbox::kill(started.pid());
        started.finish();
    }

    /// Opens a connection.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server accepts");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let Some(started) = self.started.take() else { return };
        if let Some(pid) = rustix::process::Pid::from_raw(started.pid()) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
        }
        let ran = started.finish();
        if !std::thread::panicking() {
            assert_eq!(ran.status, Some(0), "{ran:?}");
        }
    }
}

/// What a server returned.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    /// Reads until the server closes the connection.
    pub fn read(stream: &mut TcpStream) -> Self {
        let mut bytes = Vec::new();
        // A server that refuses a request may close the connection before it has read all of it.
        let _ = stream.read_to_end(&mut bytes);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or_default();
        Self { status, head: head.to_owned(), body: body.to_owned() }
    }

    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Returns the document of an answer that must have this status.
    pub fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json;charset=UTF-8"), "{self:?}");
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Checks that the answer is a refusal with this status and this code of Oozie.
    pub fn assert_refused(&self, status: u16, code: &str) {
        assert_eq!((self.status, self.header("oozie-error-code")), (status, Some(code)), "{self:?}");
        assert!(self.header("oozie-error-message").is_some_and(|message| message.contains(": ")), "{self:?}");
    }
}
