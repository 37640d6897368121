//! A receiver of notifications: a small HTTP server that responds well, late, badly or not at all, or that is a proxy.

use std::io::{self, BufRead, BufReader, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use howdah_tier::PATIENCE;

use crate::http_message::{Message, WithoutLength};

/// What the receiver does with a request.
#[derive(Clone, Copy, Debug)]
pub enum Manner {
    /// Responds with this status.
    Answers(u16),
    /// Responds with this status and this JSON.
    Says(u16, &'static str),
    /// Responds with 200 after a while.
    Late(Duration),
    /// Closes the connection without a response.
    HangsUp,
    /// Accepts the connection and sends nothing, until the client gives up or [`Receiver::hang_up`] is called.
    Silent,
    /// Speaks SOCKS5 first, then responds with 200 in place of the target.
    Socks,
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Request {
    /// The text between the method and `HTTP/1.1`; preceded by the target's name and port when SOCKS was used.
    pub target: String,
    /// Empty without a `Content-Length`.
    pub body: String,
    pub at: Instant,
}

/// A server that listens until the test program ends.
pub struct Receiver {
    port: u16,
    requests: Arc<Mutex<Vec<Request>>>,
    /// The connections on which nothing is sent.
    silent: Silent,
}

type Silent = Arc<Mutex<Vec<TcpStream>>>;

impl Receiver {
    /// A receiver that always does the same.
    pub fn that(manner: Manner) -> Self {
        Self::whose(move |_| manner)
    }

    /// A receiver that decides for each request, counted from 1.
    pub fn whose(manner: impl Fn(usize) -> Manner + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let silent = Silent::default();
        let (heard, waiting, manner) = (Arc::clone(&requests), Arc::clone(&silent), Arc::new(manner));
        std::thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                let (heard, waiting, manner) = (Arc::clone(&heard), Arc::clone(&waiting), Arc::clone(&manner));
                std::thread::spawn(move || serve(connection, (&heard, &waiting), &*manner));
            }
        });
        Self { port, requests, silent }
    }

    /// Ends all connections on which nothing is sent.
    pub fn hang_up(&self) {
        for connection in self.silent.lock().expect("no test panics while it holds this").drain(..) {
            // The client may have ended it.
            let _ = connection.shutdown(Shutdown::Both);
        }
    }

    /// A URL of this receiver.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}/{path}", self.port)
    }

    /// `host:port`.
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// Every request so far, in the order of its arrival.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test panics while it holds this").clone()
    }

    /// The targets of the requests, in the order of arrival.
    pub fn targets(&self) -> Vec<String> {
        self.requests().into_iter().map(|request| request.target).collect()
    }
}

fn serve(
    mut connection: TcpStream,
    (heard, silent): (&Mutex<Vec<Request>>, &Mutex<Vec<TcpStream>>),
    manner: &dyn Fn(usize) -> Manner,
) {
    let _ = connection.set_read_timeout(Some(PATIENCE));
    let mut reader = BufReader::new(connection.try_clone().expect("a second handle"));
    // A SOCKS5 greeting starts with its version, a request with the name of its method.
    let first = reader.fill_buf().ok().and_then(|buffer| buffer.first().copied());
    let through = if first == Some(5) { socks(&mut reader, &mut connection) } else { String::new() };
    let Ok(Some(request)) = Message::read(&mut reader, WithoutLength::Empty, || Ok(())) else { return };
    let number = {
        let mut heard = heard.lock().expect("no test panics while it holds this");
        heard.push(Request { target: through + request.word(1), body: request.text(), at: Instant::now() });
        heard.len()
    };
    let (status, body) = match manner(number) {
        Manner::Answers(status) => (status, ""),
        Manner::Says(status, json) => (status, json),
        Manner::Socks => (200, ""),
        Manner::Late(wait) => {
            std::thread::sleep(wait);
            (200, "")
        }
        Manner::HangsUp => return,
        Manner::Silent => {
            let kept = connection.try_clone().expect("a second handle");
            silent.lock().expect("no test panics while it holds this").push(kept);
            // Until the client or the test ends the connection.
            let _ = connection.set_read_timeout(None);
            let _ = io::copy(&mut reader, &mut io::sink());
            return;
        }
    };
    let kind = if body.is_empty() { "" } else { "Content-Type: application/json\r\n" };
    let head = format!("HTTP/1.1 {status} said\r\n{kind}Content-Length: {}\r\n\r\n", body.len());
    let _ = connection.write_all(format!("{head}{body}").as_bytes());
}

/// Acts as a SOCKS5 proxy that connects to itself; returns `host:port` of the requested target.
fn socks(reader: &mut impl BufRead, connection: &mut TcpStream) -> String {
    let mut bytes = |length: usize| {
        let mut buffer = vec![0; length];
        reader.read_exact(&mut buffer).expect("a SOCKS5 client");
        buffer
    };
    let methods = bytes(2)[1];
    bytes(methods.into());
    connection.write_all(&[5, 0]).expect("a SOCKS5 client");
    let head = bytes(4);
    assert_eq!((head[1], head[3]), (1, 3), "it connects, to a name that the proxy looks up");
    let length = bytes(1)[0];
    let host = String::from_utf8(bytes(length.into())).expect("a name");
    let port = bytes(2);
    connection.write_all(&[5, 0, 0, 1, 127, 0, 0, 1, 0, 1]).expect("a SOCKS5 client");
    format!("{host}:{}", u16::from_be_bytes([port[0], port[1]]))
}
