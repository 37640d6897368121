//! One HTTP message as a server or a client of the tests reads and writes it: a first line, headers, a body in memory.

use std::io::{self, BufRead, Read, Write};

/// A request or an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// `GET /path HTTP/1.1` or `HTTP/1.1 200 OK`.
    pub first: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// What a message without a length has as its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithoutLength {
    /// Nothing: it is a request.
    Empty,
    /// All that comes until the connection ends: it is an answer.
    ToTheEnd,
}

impl Message {
    /// A message without headers.
    pub fn new(first: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { first: first.to_owned(), headers: Vec::new(), body: body.into() }
    }

    /// An answer with a type.
    pub fn answer(status: &str, kind: &str, body: &str) -> Self {
        Self::new(&format!("HTTP/1.1 {status}"), body).with("Content-Type", kind)
    }

    /// Sets a header; an earlier one with the same name is replaced.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(found, _)| !found.eq_ignore_ascii_case(name));
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(found, _)| found.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The word with this number of the first line.
    pub fn word(&self, number: usize) -> &str {
        self.first.split(' ').nth(number).unwrap_or_default()
    }

    /// The status of an answer; 0 for a request.
    pub fn status(&self) -> u16 {
        self.word(1).parse().unwrap_or_default()
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// Reads a message; `None` when the connection ended before its first byte. `proceed` is called when the sender
    /// waits for a word before it sends the body.
    pub fn read(
        reader: &mut impl BufRead,
        without_length: WithoutLength,
        proceed: impl FnOnce() -> io::Result<()>,
    ) -> io::Result<Option<Self>> {
        let Some(first) = next_line(reader)? else { return Ok(None) };
        let mut message = Self::new(&first, "");
        loop {
            let line = line(reader)?;
            let Some((name, value)) = line.split_once(':') else { break };
            message.headers.push((name.to_owned(), value.trim().to_owned()));
        }
        if message.status() == 100 {
            // The answer itself follows.
            return Self::read(reader, without_length, proceed);
        }
        if message.header("Expect").is_some() {
            proceed()?;
        }
        let length = message.header("Content-Length").map(|length| length.parse().map_err(io::Error::other));
        message.body = match length.transpose()? {
            _ if message.header("Transfer-Encoding").is_some() => chunks(reader)?,
            Some(length) => bytes(reader, length)?,
            None if without_length == WithoutLength::ToTheEnd => {
                let mut body = Vec::new();
                reader.read_to_end(&mut body)?;
                body
            }
            None => Vec::new(),
        };
        Ok(Some(message))
    }

    /// The message as it is sent, with the length of its body.
    pub fn bytes(&self) -> Vec<u8> {
        let own = ["Transfer-Encoding", "Content-Length", "Expect"];
        let kept = self.headers.iter().filter(|(name, _)| !own.iter().any(|own| own.eq_ignore_ascii_case(name)));
        let lines: Vec<String> = kept.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let head = format!("{}\r\n{}Content-Length: {}\r\n\r\n", self.first, lines.concat(), self.body.len());
        [head.as_bytes(), &self.body].concat()
    }

    /// Sends the message to a server that closes the connection after its answer; returns the answer.
    pub fn exchange(self, port: u16) -> io::Result<Self> {
        let mut server = std::net::TcpStream::connect(("127.0.0.1", port))?;
        // The name in a request that has one may be signed.
        let named = if self.header("Host").is_some() { self } else { self.with("Host", &format!("127.0.0.1:{port}")) };
        let request = named.with("Connection", "close");
        server.write_all(&request.bytes())?;
        let answer = Self::read(&mut io::BufReader::new(server), WithoutLength::ToTheEnd, || Ok(()))?;
        answer.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// The next line, which need not be UTF-8; `None` at the end.
fn next_line(reader: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    let length = reader.read_until(b'\n', &mut line)?;
    Ok((length > 0).then(|| String::from_utf8_lossy(&line).trim_end().to_owned()))
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    next_line(reader)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

fn bytes(reader: &mut impl Read, length: usize) -> io::Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

/// A body that comes in parts, each after its length.
fn chunks(reader: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let length = usize::from_str_radix(line(reader)?.split(';').next().unwrap_or_default(), 16);
        let part = bytes(reader, length.map_err(io::Error::other)?)?;
        body.extend(&part);
        // An empty line after each part, and after the trailers that may follow the last one.
        while !line(reader)?.is_empty() {}
        if part.is_empty() {
            return Ok(body);
        }
    }
}
