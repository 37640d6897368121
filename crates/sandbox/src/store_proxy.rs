//! A proxy between howdah and the web servers of a store, which breaks single requests as a plan says and records all.
//!
//! A name node sends a client to a data node by host and port. The proxy replaces that place by one of its own, so that
//! every request comes through it.

use std::io::{self, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use crate::dice::Dice;
use crate::http_message::{Message, WithoutLength};
use crate::sandbox::{PATIENCE, wait_for};

/// The setting of a test whose store gives no answer. Elsewhere the default counts: a store that is slow because the
/// machine is busy gives an answer.
pub const SHORT_LIMIT: (&str, &str) = ("howdah.store.answer-timeout", "2000");
/// The setting of a test in which each tick has to get all answers of its stores.
pub const LONG_TICK: (&str, &str) = ("howdah.store.tick-time", "120000");

/// How long a connection may be idle.
const IDLE: Duration = PATIENCE;
/// Between two checks whether the proxy was healed.
const PAUSE: Duration = Duration::from_millis(5);

/// What goes wrong with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection ends before the request is sent on.
    Closes,
    /// The request is sent on; the connection ends in the middle of the answer.
    HalfAnswer,
    /// The answer comes after this time, or when the proxy is healed.
    Waits(Duration),
    /// 503, and the request is not sent on.
    Unavailable,
    /// 404 with a page of HTML, as from a server that is something else, and the request is not sent on.
    AnotherPage,
    /// The answer of a name node that is not active; the request is not sent on.
    Standby,
    /// The request is sent on; the connection ends before the answer.
    LosesAnswer,
    /// The connection ends, and no new one is accepted for this time, or until the proxy is healed.
    Refuses(Duration),
}

impl Fault {
    /// Every fault, with this time where one is needed.
    pub const fn all(time: Duration) -> [Self; 8] {
        [
            Self::Closes,
            Self::HalfAnswer,
            Self::Waits(time),
            Self::Unavailable,
            Self::AnotherPage,
            Self::Standby,
            Self::LosesAnswer,
            Self::Refuses(time),
        ]
    }
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub method: String,
    /// The path with its escapes, without the query.
    pub path: String,
    /// The parameters of the query, separated by `&`.
    pub query: String,
    /// The operation in capital letters; empty without one.
    pub op: String,
    pub at: Instant,
    /// When the last byte of the answer was written, or the connection was closed; `None`: not yet.
    pub ended: Option<Instant>,
    pub fault: Option<Fault>,
    /// Whether the store received it.
    pub is_sent_on: bool,
    /// What the store answered.
    pub answer: Option<Message>,
}

impl Recorded {
    fn new(request: &Message) -> Self {
        let (path, query) = request.word(1).split_once('?').unwrap_or((request.word(1), ""));
        let parameter = |parameter: &str| {
            parameter.split_once('=').filter(|(name, _)| name.eq_ignore_ascii_case("op")).map(|(_, op)| op.to_owned())
        };
        Self {
            method: request.word(0).to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            op: query.split('&').find_map(parameter).unwrap_or_default().to_ascii_uppercase(),
            at: Instant::now(),
            ended: None,
            fault: None,
            is_sent_on: false,
            answer: None,
        }
    }
}

/// Decides about a request, by its number from 1 on and itself.
type Plan = Box<dyn FnMut(usize, &Recorded) -> Option<Fault> + Send>;

struct State {
    plan: Plan,
    requests: Vec<Recorded>,
    refuses_until: Instant,
    healed_at: Instant,
}

/// A way through the proxy: a port of its own, and the server behind it.
#[derive(Clone, Copy, Debug)]
struct Way {
    port: u16,
    server: u16,
}

/// A proxy that works until the test program ends.
pub struct StoreProxy {
    /// The port in place of the first server's.
    pub port: u16,
    state: Arc<Mutex<State>>,
}

impl StoreProxy {
    /// A proxy for servers on these ports of loopback: the name node first. It breaks nothing yet.
    pub fn start(servers: &[u16]) -> Self {
        let now = Instant::now();
        let state = State { plan: Box::new(|_, _| None), requests: Vec::new(), refuses_until: now, healed_at: now };
        let state = Arc::new(Mutex::new(state));
        let listen = |server: &u16| {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
            let port = listener.local_addr().expect("it is bound").port();
            (listener, Way { port, server: *server })
        };
        let listening: Vec<(TcpListener, Way)> = servers.iter().map(listen).collect();
        let ways: Arc<[Way]> = listening.iter().map(|(_, way)| *way).collect();
        for (listener, way) in listening {
            let (ways, state) = (Arc::clone(&ways), Arc::clone(&state));
            thread::spawn(move || accept(listener, way, &ways, &state));
        }
        Self { port: ways[0].port, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds this")
    }

    /// Breaks the requests from now on as a plan says: it gets the number of the request, counted from now, and the
    /// request.
    pub fn plan(&self, mut plan: impl FnMut(usize, &Recorded) -> Option<Fault> + Send + 'static) {
        let mut state = self.state();
        let before = state.requests.len();
        state.plan = Box::new(move |number, request| plan(number - before, request));
    }

    /// Breaks no request from now on, and lets go of those that wait.
    pub fn heal(&self) {
        self.plan(|_, _| None);
        let mut state = self.state();
        state.healed_at = Instant::now();
        state.refuses_until = state.healed_at;
    }

    /// Breaks a request with a probability of `per_mille` in a thousand, by one of these faults; the same ones for the
    /// same seed and the same order of requests.
    pub fn break_some(&self, seed: u64, per_mille: i64, faults: Vec<Fault>) {
        let mut dice = Dice::new(seed);
        self.plan(move |_, _| dice.happens(per_mille).then(|| dice.one_of(&faults)));
    }

    /// Every request so far, in the order of its arrival.
    pub fn requests(&self) -> Vec<Recorded> {
        self.state().requests.clone()
    }

    /// The requests of an operation that the store received.
    pub fn received(&self, op: &str) -> Vec<Recorded> {
        let requests = self.requests().into_iter();
        requests.filter(|request| request.is_sent_on && request.op == op).collect()
    }

    /// How many requests were broken.
    pub fn faults(&self) -> usize {
        self.state().requests.iter().filter(|request| request.fault.is_some()).count()
    }

    /// The largest number of requests that were open at one time.
    pub fn most_at_once(&self) -> usize {
        let requests = self.requests();
        let open_at = |time: Instant| {
            let is_open = |request: &&Recorded| request.at <= time && request.ended.is_none_or(|ended| ended > time);
            requests.iter().filter(is_open).count()
        };
        requests.iter().map(|request| open_at(request.at)).max().unwrap_or_default()
    }
}

/// Accepts connections, except while the proxy refuses them.
fn accept(mut listener: TcpListener, way: Way, ways: &Arc<[Way]>, state: &Arc<Mutex<State>>) {
    loop {
        let connection = listener.accept();
        let until = state.lock().expect("no test panics while it holds this").refuses_until;
        if until > Instant::now() {
            drop((listener, connection));
            while state.lock().expect("no test panics while it holds this").refuses_until > Instant::now() {
                thread::sleep(PAUSE);
            }
            // Another connection of this machine may have the port for a moment.
            listener = wait_for("the port of the proxy", || TcpListener::bind(("127.0.0.1", way.port)).ok());
        } else if let Ok((connection, _)) = connection {
            let connection = Connection { way, ways: Arc::clone(ways), state: Arc::clone(state) }.serving(connection);
            thread::spawn(connection);
        }
    }
}

/// What a client receives; after an answer that is not whole its connection ends.
struct Reply {
    bytes: Vec<u8>,
    is_whole: bool,
}

impl Reply {
    const NOTHING: Self = Self { bytes: Vec::new(), is_whole: false };

    fn whole(answer: &Message) -> Self {
        Self { bytes: answer.bytes(), is_whole: true }
    }

    /// The first half of the body, or of the head when there is hardly a body.
    fn half(answer: &Message) -> Self {
        let (mut bytes, body) = (answer.bytes(), answer.body.len());
        let kept = if body > 1 { bytes.len() - body + body / 2 } else { bytes.len() / 2 };
        bytes.truncate(kept);
        Self { bytes, is_whole: false }
    }
}

/// A connection of a client.
struct Connection {
    way: Way,
    ways: Arc<[Way]>,
    state: Arc<Mutex<State>>,
}

impl Connection {
    fn serving(self, client: TcpStream) -> impl FnOnce() {
        move || {
            // The client may close the connection at any time.
            let _ = self.serve(&client);
        }
    }

    /// Serves the requests of a client until it ends the connection, or a fault does.
    fn serve(&self, mut client: &TcpStream) -> io::Result<()> {
        client.set_read_timeout(Some(IDLE))?;
        client.set_nodelay(true)?;
        let mut reader = BufReader::new(client);
        loop {
            let proceed = || client.write_all(b"HTTP/1.1 100 Continue\r\n\r\n");
            let request = Message::read(&mut reader, WithoutLength::Empty, proceed)?;
            let Some((number, request)) = request.and_then(|request| Some((self.record(&request)?, request))) else {
                return Ok(());
            };
            let reply = self.reply(number, request);
            // Before the client can have the answer: its next request is another one.
            self.update(number, |recorded| recorded.ended = Some(Instant::now()));
            let written = reply.and_then(|reply| client.write_all(&reply.bytes).map(|()| reply.is_whole));
            if !written? {
                return Ok(());
            }
        }
    }

    /// Records a request and returns its place, unless the proxy refuses connections now.
    fn record(&self, request: &Message) -> Option<usize> {
        let mut state = self.state.lock().expect("no test panics while it holds this");
        if state.refuses_until > Instant::now() {
            return None;
        }
        let mut recorded = Recorded::new(request);
        let place = state.requests.len();
        recorded.fault = (state.plan)(place + 1, &recorded);
        state.requests.push(recorded);
        Some(place)
    }

    fn update(&self, place: usize, change: impl FnOnce(&mut Recorded)) {
        change(&mut self.state.lock().expect("no test panics while it holds this").requests[place]);
    }

    fn fault(&self, place: usize) -> Option<Fault> {
        self.state.lock().expect("no test panics while it holds this").requests[place].fault
    }

    fn reply(&self, place: usize, request: Message) -> io::Result<Reply> {
        let Some(fault) = self.fault(place) else { return Ok(Reply::whole(&self.send_on(place, request)?)) };
        let own = |status: &str, kind: &str, body: &str| Ok(Reply::whole(&Message::answer(status, kind, body)));
        match fault {
            Fault::Closes => Ok(Reply::NOTHING),
            Fault::HalfAnswer => Ok(Reply::half(&self.send_on(place, request)?)),
            Fault::Waits(time) => {
                let answer = self.send_on(place, request)?;
                self.wait(place, time);
                Ok(Reply::whole(&answer))
            }
            Fault::Unavailable => own("503 Service Unavailable", "text/html", "<html>Try again later.</html>"),
            Fault::AnotherPage => own("404 Not Found", "text/html", "<html>There is no such page.</html>"),
            Fault::Standby => own("403 Forbidden", "application/json", STANDBY),
            Fault::LosesAnswer => self.send_on(place, request).map(|_| Reply::NOTHING),
            Fault::Refuses(time) => {
                self.refuse(time);
                Ok(Reply::NOTHING)
            }
        }
    }

    /// Waits for this time, or until the proxy is healed.
    fn wait(&self, place: usize, time: Duration) {
        let until = Instant::now() + time;
        let is_healed = || {
            let state = self.state.lock().expect("no test panics while it holds this");
            state.healed_at >= state.requests[place].at
        };
        while Instant::now() < until && !is_healed() {
            thread::sleep(PAUSE.min(until.saturating_duration_since(Instant::now())));
        }
    }

    /// Lets the server answer, and replaces the place that it sends the client to.
    fn send_on(&self, place: usize, request: Message) -> io::Result<Message> {
        let answer = request.exchange(self.way.server);
        let is_refused = matches!(&answer, Err(error) if error.kind() == io::ErrorKind::ConnectionRefused);
        self.update(place, |recorded| {
            recorded.is_sent_on = !is_refused;
            recorded.answer = answer.as_ref().ok().cloned();
        });
        let answer = answer?.with("Connection", "keep-alive");
        let through = answer.header("Location").and_then(|location| self.through(location));
        Ok(match through {
            Some(location) => answer.with("Location", &location),
            None => answer,
        })
    }

    /// A URL of one of the servers, with the place of the proxy.
    fn through(&self, location: &str) -> Option<String> {
        let (authority, path) = location.strip_prefix("http://")?.split_once('/')?;
        let port: u16 = authority.rsplit(':').next()?.parse().ok()?;
        let way = self.ways.iter().find(|way| way.server == port)?;
        Some(format!("http://127.0.0.1:{}/{path}", way.port))
    }

    /// Refuses connections for this time; returns when none is accepted any more.
    fn refuse(&self, time: Duration) {
        let until = Instant::now() + time;
        self.state.lock().expect("no test panics while it holds this").refuses_until = until;
        // Each listener reads the time after a connection, and is closed then.
        for way in &*self.ways {
            while Instant::now() < until && TcpStream::connect(("127.0.0.1", way.port)).is_ok() {
                thread::yield_now();
            }
        }
    }
}

const STANDBY: &str = "{\"RemoteException\":{\"exception\":\"StandbyException\",\
    \"javaClassName\":\"org.apache.hadoop.ipc.StandbyException\",\
    \"message\":\"Operation category READ is not supported in state standby\"}}";
