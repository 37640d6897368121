//! A proxy between howdah and a name node's own protocol, which breaks single calls and records all.
//!
//! A connection begins with seven bytes, and goes on with frames of a length and as many bytes: each way a header with
//! the number of the call, then what the call is about.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;

use howdah_sandbox::dice::Dice;
use howdah_sandbox::store_proxy::Fault;

/// What a client sends before its first frame.
const PREAMBLE: usize = 7;

/// A call that the name node received.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: String,
    /// The first path that it names.
    pub(crate) path: String,
    /// What the name node answered, after the header.
    pub(crate) answer: Option<Vec<u8>>,
}

#[derive(Default)]
struct State {
    calls: Vec<Call>,
    faults: usize,
    plan: Option<Plan>,
}

/// Decides about a call.
type Plan = Box<dyn FnMut(&Call) -> Option<Fault> + Send>;

/// A proxy that works until the test program ends.
pub(crate) struct RpcProxy {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl RpcProxy {
    /// A proxy for the name node on this port of loopback. It breaks nothing yet.
    pub(crate) fn start(server: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("it is bound").port();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                let state = Arc::clone(&shared);
                // Either side may close the connection at any time.
                thread::spawn(move || serve(&client, server, &state).unwrap_or_default());
            }
        });
        Self { port, state }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no test panics while it holds this")
    }

    /// Breaks the calls from now on as a plan says.
    pub(crate) fn plan(&self, plan: impl FnMut(&Call) -> Option<Fault> + Send + 'static) {
        self.state().plan = Some(Box::new(plan));
    }

    /// Breaks a call with a probability of `per_mille` in a thousand, by one of these faults.
    pub(crate) fn break_some(&self, seed: u64, per_mille: i64, faults: Vec<Fault>) {
        let mut dice = Dice::new(seed);
        self.plan(move |_| dice.happens(per_mille).then(|| dice.one_of(&faults)));
    }

    /// How many calls were broken.
    pub(crate) fn faults(&self) -> usize {
        self.state().faults
    }

    /// The calls of a method that the name node received, in the order of their arrival.
    pub(crate) fn received(&self, method: &str) -> Vec<Call> {
        self.calls().into_iter().filter(|call| call.method == method).collect()
    }

    /// All calls that the name node received, in the order of their arrival.
    pub(crate) fn calls(&self) -> Vec<Call> {
        self.state().calls.clone()
    }
}

/// The calls of a connection that have no answer yet: their places and their faults.
type Open = Arc<Mutex<HashMap<u64, (usize, Option<Fault>)>>>;

fn serve(mut client: &TcpStream, server: u16, state: &Arc<Mutex<State>>) -> io::Result<()> {
    let mut preamble = [0; PREAMBLE];
    // Who only looks whether the port is open sends nothing.
    client.read_exact(&mut preamble)?;
    let mut server = TcpStream::connect(("127.0.0.1", server))?;
    server.write_all(&preamble)?;
    let open = Open::default();
    let (answers, to, waiting, shared) =
        (server.try_clone()?, client.try_clone()?, Arc::clone(&open), Arc::clone(state));
    thread::spawn(move || {
        let _ = pass_answers(&answers, &to, &waiting, &shared);
        close(&[&answers, &to]);
    });
    while let Ok(frame) = frame(client) {
        let Some((number, call)) = call(&frame) else {
            server.write_all(&framed(&frame))?;
            continue;
        };
        {
            let mut state = state.lock().expect("no test panics while it holds this");
            let fault = state.plan.as_mut().and_then(|plan| plan(&call));
            state.faults += usize::from(fault.is_some());
            if fault == Some(Fault::Closes) {
                break;
            }
            let place = state.calls.len();
            state.calls.push(call);
            open.lock().expect("no test panics while it holds this").insert(number, (place, fault));
        }
        server.write_all(&framed(&frame))?;
    }
    close(&[client, &server]);
    Ok(())
}

fn pass_answers(server: &TcpStream, mut client: &TcpStream, open: &Open, state: &Mutex<State>) -> io::Result<()> {
    loop {
        let frame = frame(server)?;
        let mut rest = frame.as_slice();
        let number = delimited(&mut rest).and_then(|header| field(header, 1)).map_or(u64::MAX, |number| number.0);
        let known = open.lock().expect("no test panics while it holds this").remove(&number);
        if let Some((place, _)) = known {
            state.lock().expect("no test panics while it holds this").calls[place].answer = Some(rest.to_vec());
        }
        match known.and_then(|(_, fault)| fault) {
            None => client.write_all(&framed(&frame))?,
            Some(Fault::Waits(time)) => {
                thread::sleep(time);
                client.write_all(&framed(&frame))?;
            }
            Some(Fault::HalfAnswer) => return client.write_all(&framed(&frame)[..frame.len() / 2 + 2]),
            Some(Fault::LosesAnswer) => return Ok(()),
            Some(fault) => panic!("{fault:?} is no fault of this proxy"),
        }
    }
}

fn close(connections: &[&TcpStream]) {
    for connection in connections {
        // The other side may have closed it.
        let _ = connection.shutdown(Shutdown::Both);
    }
}

fn frame(mut from: &TcpStream) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut frame = vec![0; u32::from_be_bytes(length) as usize];
    from.read_exact(&mut frame)?;
    Ok(frame)
}

fn framed(frame: &[u8]) -> Vec<u8> {
    let length = u32::try_from(frame.len()).expect("it was read with such a length");
    [&length.to_be_bytes()[..], frame].concat()
}

/// The number of a call and what it is; `None` for a frame of the connection itself.
fn call(frame: &[u8]) -> Option<(u64, Call)> {
    let mut rest = frame;
    let number = field(delimited(&mut rest)?, 3)?.0;
    // Zigzag: an odd one is negative, which no call is.
    let number = (number % 2 == 0).then_some(number / 2)?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let method = text(field(delimited(&mut rest)?, 1)?.1);
    let path = delimited(&mut rest).and_then(|request| field(request, 1)).map(|field| text(field.1));
    Some((number, Call { method, path: path.unwrap_or_default(), answer: None }))
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for place in 0..10 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn delimited<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = usize::try_from(number(bytes)?).ok()?;
    let (message, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(message)
}

/// A field of a message: its number, or its bytes.
fn field(mut message: &[u8], wanted: u64) -> Option<(u64, &[u8])> {
    loop {
        let tag = number(&mut message)?;
        let value = match tag & 7 {
            0 => (number(&mut message)?, &[][..]),
            2 => (0, delimited(&mut message)?),
            _ => return None,
        };
        if tag >> 3 == wanted {
            return Some(value);
        }
    }
}
