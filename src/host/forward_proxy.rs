//! Asks an HTTP proxy to fetch a plain `http:` URL.
//!
//! The library behind `host::http` opens a tunnel through every proxy; proxies commonly refuse tunnels to other ports
//! than that of https and want the whole URL in the request instead (RFC 9112, absolute form). Only the status is read.

use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpStream, ToSocketAddrs as _};
use std::time::Duration;

use crate::model::delivery::ProxyAddress;

/// The longest status line that is read, in bytes.
const LONGEST_LINE: u64 = 8 * 1024;

/// Whether a URL is fetched without encryption, so that a proxy can fetch it.
pub(super) fn is_plain(url: &str) -> bool {
    url.get(..7).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http://"))
}

/// The status with which the receiver, or the proxy in its place, answers.
pub(super) fn get(url: &str, proxy: &ProxyAddress, timeout: Duration) -> io::Result<u16> {
    let invalid = |text: &str| io::Error::new(io::ErrorKind::InvalidInput, text.to_owned());
    if url.chars().any(|character| character.is_control() || character == ' ') {
        return Err(invalid("the URL holds a blank or a control character"));
    }
    let host = url["http://".len()..].split(['/', '?', '#']).next().unwrap_or_default();
    let mut connection = connect(proxy, timeout)?;
    connection.set_read_timeout(Some(timeout))?;
    connection.set_write_timeout(Some(timeout))?;
    let agent = concat!("howdah/", env!("CARGO_PKG_VERSION"));
    let request = format!(
        "GET {url} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: {agent}\r\nAccept: */*\r\nConnection: close\r\n\r\n"
    );
    connection.write_all(request.as_bytes())?;
    let mut line = String::new();
    BufReader::new(connection.take(LONGEST_LINE)).read_line(&mut line)?;
    let status =
        line.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1)).and_then(|word| word.trim().parse().ok());
    status.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the proxy's answer is not HTTP"))
}

fn connect(proxy: &ProxyAddress, timeout: Duration) -> io::Result<TcpStream> {
    let mut last = io::Error::new(io::ErrorKind::NotFound, "the proxy has no address");
    for address in (proxy.host.as_str(), proxy.port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(connection) => return Ok(connection),
            Err(error) => last = error,
        }
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::delivery::ProxyKind;

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
            let status = get("http://ops:8080/a?b=$c", &proxy, Duration::from_secs(5)).ok();
            assert_eq!(status, expect, "{answer}");
            assert_eq!(server.join().unwrap(), "GET http://ops:8080/a?b=$c HTTP/1.1\r\n");
        };
        check("HTTP/1.1 200 OK\r\n\r\n", Some(200));
        check("HTTP/1.0 503\r\n\r\n", Some(503));
        check("220 mail ready\r\n", None);
        check("", None);
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
