//! Asks an HTTP proxy to fetch a plain `http:` URL.
//!
//! The library behind `host::http` opens a tunnel through every proxy. Proxies commonly refuse tunnels to ports other
//! than that of https and want the whole URL in the request instead (RFC 9112, absolute form). Only the status is read.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::{Duration, Instant};

use howdah_words::model::delivery::ProxyAddress;

/// The type of the documents that are sent.
pub(super) const JSON: &str = "application/json";

/// The longest status line that is read, in bytes.
const LONGEST_LINE: u64 = 8 * 1024;

/// Whether a URL is fetched without encryption, so that a proxy can fetch it.
pub(super) fn is_plain(url: &str) -> bool {
    url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"))
}

/// How long a fetch may take.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeLimits {
    /// For each single wait.
    pub(super) step: Duration,
    /// For the whole request, once the addresses of the proxy are known.
    pub(super) whole: Duration,
}

/// A connection with a limit for each wait and for all waits together, so that a proxy that sends one byte at a time
/// cannot hold it open.
struct Connection {
    stream: TcpStream,
    step: Duration,
    deadline: Instant,
}

/// The time left for one wait, at most `step`; `TimedOut` when the deadline has passed.
fn until(deadline: Instant, step: Duration) -> io::Result<Duration> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left.min(step)) }
}

/// Maps the error for a wait that was too long: it differs between systems.
fn too_long(error: io::Error) -> io::Error {
    if error.kind() == io::ErrorKind::WouldBlock { io::ErrorKind::TimedOut.into() } else { error }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.set_read_timeout(Some(until(self.deadline, self.step)?))?;
        self.stream.read(buffer).map_err(too_long)
    }
}

impl Write for Connection {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.stream.set_write_timeout(Some(until(self.deadline, self.step)?))?;
        self.stream.write(buffer).map_err(too_long)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Fetches a URL, or sends a JSON document to it, and returns the status of the answer, which the receiver or the proxy
/// itself sends.
pub(super) fn fetch((url, body): (&str, Option<&str>), proxy: &ProxyAddress, limits: TimeLimits) -> io::Result<u16> {
    let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidInput, text.to_owned());
    if url.chars().any(|character| character.is_control() || character == ' ') {
        return Err(invalid("the URL holds a blank or a control character"));
    }
    let host = url["http://".len()..].split(['/', '?', '#']).next().unwrap_or_default();
    let mut connection = connect(proxy, limits)?;
    let agent = concat!("howdah/", env!("CARGO_PKG_VERSION"));
    let (method, about_body) = match body {
        None => ("GET", String::new()),
        Some(body) => ("POST", format!("Content-Type: {JSON}\r\nContent-Length: {}\r\n", body.len())),
    };
    let request = format!(
        "{method} {url} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {agent}\r\nAccept: */*\r\n{about_body}\
         Connection: close\r\n\r\n{}",
        body.unwrap_or_default()
    );
    connection.write_all(request.as_bytes())?;
    let mut line = String::new();
    BufReader::new(connection.take(LONGEST_LINE)).read_line(&mut line)?;
    let status =
        line.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1)).and_then(|word| word.trim().parse().ok());
    status.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the proxy's answer is not HTTP"))
}

fn connect(proxy: &ProxyAddress, TimeLimits { step, whole }: TimeLimits) -> io::Result<Connection> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the proxy has no address");
    let addresses = (proxy.host.as_str(), proxy.port).to_socket_addrs()?;
    let deadline = Instant::now() + whole;
    for address in addresses {
        match TcpStream::connect_timeout(&address, until(deadline, step)?) {
            Ok(stream) => return Ok(Connection { stream, step, deadline }),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_tier::PATIENCE;
    use howdah_words::model::delivery::ProxyKind;

    #[test]
    fn the_request_has_the_whole_url_and_the_status_is_read() {
        let check = |answer: &'static str, expect: Option<u16>| {
            let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
            let port = listener.local_addr().unwrap().port();
            let proxy = ProxyAddress { kind: ProxyKind::Http, host: "127.0.0.1".to_owned(), port };
            let server = std::thread::spawn(move || {
                let (mut connection, _) = listener.accept().unwrap();
                let mut line = String::new();
                BufReader::new(connection.try_clone().unwrap()).read_line(&mut line).unwrap();
                connection.write_all(answer.as_bytes()).unwrap();
                line
            });
            let limits = TimeLimits { step: PATIENCE, whole: PATIENCE };
            let status = fetch(("http://ops:8080/a?b=$c", None), &proxy, limits).ok();
            assert_eq!(status, expect, "{answer}");
            assert_eq!(server.join().unwrap(), "GET http://ops:8080/a?b=$c HTTP/1.1\r\n");
        };
        check("HTTP/1.1 200 OK\r\n\r\n", Some(200));
        check("HTTP/1.0 503\r\n\r\n", Some(503));
        check("220 mail ready\r\n", None);
        check("", None);
    }

    #[test]
    fn a_proxy_that_sends_single_bytes_is_dropped() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let proxy = ProxyAddress { kind: ProxyKind::Http, host: "127.0.0.1".to_owned(), port };
        let server = std::thread::spawn(move || {
            let (mut connection, _) = listener.accept().unwrap();
            // Each wait stays far below its own limit, until the connection is closed.
            (0..100_000)
                .take_while(|_| {
                    std::thread::sleep(Duration::from_millis(5));
                    connection.write_all(b"H").is_ok()
                })
                .count()
        });
        let limits = TimeLimits { step: PATIENCE, whole: Duration::from_millis(200) };
        assert_eq!(fetch(("http://ops/", None), &proxy, limits).unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(server.join().unwrap() < 8192, "it is left before its line is full");
    }

    #[test]
    fn only_http_urls_are_plain() {
        let check = |url: &str, expect: bool| assert_eq!(is_plain(url), expect, "{url}");
        check("http://a/", true);
        check("HTTP://a/", true);
        check("https://a/", false);
        check("http:/", false);
        check("", false);
    }
}
