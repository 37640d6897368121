//! A client of `howdah serve`: requests one after another, and a steady number of them in each second.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Connections that send requests at the same time.
const SENDERS: u32 = 4;

/// A running server.
pub(crate) struct Served {
    child: Child,
    port: u16,
}

impl Served {
    /// Starts a server of a database on a free port of this machine.
    pub(crate) fn start(mut howdah: Command) -> Self {
        let mut child = howdah
            .args(["serve", "--listen", "127.0.0.1:0"])
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .expect("the server starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let line = lines.next().expect("a line").expect("a text");
        let port = line.rsplit_once(':').and_then(|(_, rest)| rest.split('/').next()?.parse().ok());
        Self { child, port: port.unwrap_or_else(|| panic!("no port: {line}")) }
    }

    /// The median time from the start of a connection to the first byte of the answer.
    pub(crate) fn first_byte(&self, path: &str, count: usize) -> Duration {
        let mut times: Vec<Duration> = (0..=count).map(|_| self.get(path)).collect();
        // The first one starts a process of the server.
        times.remove(0);
        times.sort_unstable();
        times[times.len() / 2]
    }

    fn get(&self, path: &str) -> Duration {
        let started = Instant::now();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server accepts");
        write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n").expect("it reads");
        let mut first = [0; 13];
        stream.read_exact(&mut first).expect("an answer");
        let elapsed = started.elapsed();
        assert_eq!(&first, b"HTTP/1.1 200 ", "{path}");
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("the whole answer");
        elapsed
    }

    /// Does something while `rate` requests are sent in each second; returns what it returns, and the number of answers
    /// in each second.
    pub(crate) fn beside<T>(&self, paths: &[String], rate: u32, work: impl FnOnce() -> T) -> (T, f64) {
        let (over, answers) = (AtomicBool::new(false), AtomicU32::new(0));
        let started = Instant::now();
        let done = std::thread::scope(|scope| {
            for sender in 0..SENDERS {
                let (over, answers) = (&over, &answers);
                scope.spawn(move || {
                    let pause = Duration::from_secs(1) * SENDERS / rate;
                    let mut next = started + pause / SENDERS * sender;
                    for path in paths.iter().cycle() {
                        if over.load(Ordering::Relaxed) {
                            return;
                        }
                        std::thread::sleep(next.saturating_duration_since(Instant::now()));
                        next += pause;
                        self.get(path);
                        answers.fetch_add(1, Ordering::Relaxed);
                    }
                });
            }
            let done = work();
            over.store(true, Ordering::Relaxed);
            done
        });
        (done, f64::from(answers.load(Ordering::Relaxed)) / started.elapsed().as_secs_f64())
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
