//! The connections: HTTP/1.1 with limits on their number, their time, the head and the body of a request.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Body as _, Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use super::message::{Answer, Ends, Request};
use howdah_words::error::{Error, ErrorCode, Result};

/// How many connections are open at once; others wait to be accepted.
const MOST_CONNECTIONS: usize = 256;
/// How many requests wait for their answers at once: one on each connection.
const MOST_THREADS: usize = MOST_CONNECTIONS;
/// How long the head of a request may take, and how long a connection may be idle.
const HEAD_TIME: Duration = Duration::from_secs(15);
/// How long the body of a request may take.
const BODY_TIME: Duration = Duration::from_secs(30);
/// How long a connection lives; it then ends behind its current request.
const CONNECTION_TIME: Duration = Duration::from_secs(300);
/// How long the last request of a connection may take.
const LAST_TIME: Duration = Duration::from_secs(60);
/// The largest head of a request, in bytes.
const LARGEST_HEAD: usize = 64 * 1024;
/// How many headers a request may have.
const MOST_HEADERS: usize = 64;
/// The largest body of a request, in bytes: a configuration, maybe with a definition in it.
const LARGEST_BODY: usize = 2 * 1024 * 1024;
/// A larger body needs one of a few places, so that the bodies of all connections need little memory together.
const LARGEST_FREE_BODY: u64 = 64 * 1024;
/// How many larger bodies there are at once.
const MOST_LARGE_BODIES: usize = 16;
/// How often the flag that ends the server is looked at.
const WAKE: Duration = Duration::from_millis(200);
/// How long requests may continue when the server ends.
const GRACE: Duration = Duration::from_secs(5);

/// What answers a request; called on a thread that may wait.
pub type Handler = Arc<dyn Fn(Request) -> Answer + Send + Sync>;

/// What all connections share.
struct Shared {
    handler: Handler,
    /// The places of large bodies.
    large: Semaphore,
}

/// A socket that accepts connections.
#[derive(Debug)]
pub struct Listener(std::net::TcpListener);

impl Listener {
    /// Listens on an address; port 0 means a free one.
    ///
    /// # Errors
    /// H0195.
    pub fn bind(address: SocketAddr) -> Result<Self> {
        let bind = || {
            let listener = std::net::TcpListener::bind(address)?;
            listener.set_nonblocking(true)?;
            Ok(Self(listener))
        };
        bind().map_err(|error: io::Error| cannot_listen(address, &error))
    }

    /// Returns the address with its real port.
    ///
    /// # Errors
    /// H0195.
    pub fn address(&self) -> Result<SocketAddr> {
        self.0.local_addr().map_err(|error| cannot_listen("?", &error))
    }
}

fn cannot_listen(address: impl std::fmt::Display, error: &io::Error) -> Error {
    Error::with(ErrorCode::H0195, &[&address, error]).help("name a free port of this machine with --listen")
}

/// Answers requests until the flag is set.
///
/// # Errors
/// H0195 when the system does not allow to wait for connections.
pub fn run(listener: Listener, stop: &AtomicBool, handler: &Handler) -> Result<()> {
    let address = listener.address()?;
    let failed = |error: io::Error| cannot_listen(address, &error);
    let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MOST_THREADS).build();
    let runtime = runtime.map_err(failed)?;
    let served = runtime.block_on(accept(listener.0, stop, handler));
    runtime.shutdown_timeout(GRACE);
    served.map_err(failed)
}

async fn accept(listener: std::net::TcpListener, stop: &AtomicBool, handler: &Handler) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let places = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    let shared = Arc::new(Shared { handler: Arc::clone(handler), large: Semaphore::new(MOST_LARGE_BODIES) });
    while !stop.load(Ordering::Relaxed) {
        let Ok(Ok(place)) = timeout(WAKE, Arc::clone(&places).acquire_owned()).await else { continue };
        match timeout(WAKE, listener.accept()).await {
            Err(_) => {}
            // Such as too many open files: the next attempt may succeed.
            Ok(Err(_)) => tokio::time::sleep(WAKE).await,
            Ok(Ok((stream, peer))) => {
                tokio::spawn(serve(stream, peer, (Arc::clone(&shared), Arc::new(place))));
            }
        }
    }
    drop(listener);
    let all = u32::try_from(MOST_CONNECTIONS).unwrap_or(u32::MAX);
    // Idle connections end with the process.
    let _ = timeout(WAKE, places.acquire_many(all)).await;
    Ok(())
}

/// Serves a connection. Its place is free when its last request is answered too: a client that goes away at once cannot
/// leave more requests behind than there are places.
async fn serve(stream: TcpStream, peer: SocketAddr, (shared, place): (Arc<Shared>, Arc<OwnedSemaphorePermit>)) {
    let Ok(local) = stream.local_addr() else { return };
    let socket = rustix::fs::fstat(&stream).ok().map(|found| found.st_ino);
    // A small answer must not wait for the peer's confirmation of the one before.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let (shared, place) = (Arc::clone(&shared), Arc::clone(&place));
        async move { Ok::<_, Infallible>(written(answer(request, (peer, local, socket), (&shared, place)).await)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        // A client that has closed its sending half waits for its answer.
        .half_close(true)
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(LARGEST_HEAD)
        .max_headers(MOST_HEADERS)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    // What goes wrong on a connection concerns its client alone.
    if timeout(CONNECTION_TIME, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(LAST_TIME, connection).await;
    }
}

async fn answer(
    request: hyper::Request<Incoming>,
    ends: Ends,
    (shared, connection): (&Shared, Arc<OwnedSemaphorePermit>),
) -> Answer {
    let (head, body) = request.into_parts();
    if body.size_hint().lower() > LARGEST_BODY as u64 {
        return closing(413);
    }
    let is_small = body.size_hint().upper().is_some_and(|most| most <= LARGEST_FREE_BODY);
    // It is kept until the answer is there.
    let place = async { if is_small { None } else { shared.large.acquire().await.ok() } };
    let Ok(_place) = timeout(BODY_TIME, place).await else { return closing(503) };
    let body = match timeout(BODY_TIME, Limited::new(body, LARGEST_BODY).collect()).await {
        Ok(Ok(body)) => body.to_bytes().to_vec(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => return closing(413),
        Ok(Err(_)) => return closing(400),
        Err(_) => return closing(408),
    };
    let Some(request) = Request::read(&head, body, ends) else { return closing(400) };
    let handler = Arc::clone(&shared.handler);
    let handle = move || {
        let answer = handler(request);
        drop(connection);
        answer
    };
    match tokio::task::spawn_blocking(handle).await {
        Ok(answer) => answer,
        Err(_) => closing(500),
    }
}

fn closing(status: u16) -> Answer {
    Answer::empty(status).with("connection", "close")
}

fn written(answer: Answer) -> hyper::Response<Full<Bytes>> {
    let mut response = hyper::Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name.as_ref(), value);
    }
    response.body(Full::new(Bytes::from(answer.body))).unwrap_or_else(|_| {
        let mut failure = hyper::Response::new(Full::new(Bytes::new()));
        *failure.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
        failure
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_client_that_goes_away_keeps_its_place_until_its_request_is_answered() {
        let (begun, is_begun) = channel();
        let (release, is_released) = channel::<()>();
        let is_released = Mutex::new(is_released);
        let handler: Handler = Arc::new(move |_| {
            begun.send(()).unwrap();
            // A test that fails must end: its runtime waits for this thread.
            let _ = is_released.lock().unwrap().recv_timeout(Duration::from_secs(60));
            Answer::empty(200)
        });
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let mut client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").unwrap();
        let (stream, peer) = listener.accept().unwrap();
        stream.set_nonblocking(true).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let places = Arc::new(Semaphore::new(1));
            let place = Arc::new(Arc::clone(&places).acquire_owned().await.unwrap());
            let shared = Arc::new(Shared { handler, large: Semaphore::new(1) });
            let served = tokio::spawn(serve(TcpStream::from_std(stream).unwrap(), peer, (shared, place)));
            while is_begun.try_recv().is_err() {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
            drop(client);
            assert!(timeout(Duration::from_millis(100), places.acquire()).await.is_err(), "nothing was answered");
            release.send(()).unwrap();
            timeout(Duration::from_secs(60), served).await.unwrap().unwrap();
            let free = timeout(Duration::from_secs(60), places.acquire()).await;
            assert!(free.is_ok_and(|place| place.is_ok()));
        });
    }
}
