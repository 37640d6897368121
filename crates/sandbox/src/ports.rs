//! Ports of loopback for the servers of the tests.
//!
//! The system takes the port of an outgoing connection, and that of a server that asks for any, from a range of its own.
//! A port of that range which is free now may be taken before the server of the test listens there: a name node needs
//! seconds. So these ports are from below that range, and a process hands each out once.

use std::net::TcpListener;
use std::sync::atomic::{AtomicU32, Ordering};

/// Above the ports of well-known servers, and below the ranges of Linux (32768) and of macOS (49152).
const FIRST: u32 = 15_000;
const COUNT: u32 = 17_000;
/// Processes that start one after the other begin this far apart.
const APART: u32 = 499;

/// A port on which no process listens and no test starts another server.
pub fn free_port() -> u16 {
    static HANDED_OUT: AtomicU32 = AtomicU32::new(0);
    let begin = std::process::id().wrapping_mul(APART) % COUNT;
    loop {
        let number = HANDED_OUT.fetch_add(1, Ordering::Relaxed);
        assert!(number < COUNT, "each port was handed out once");
        let port = u16::try_from(FIRST + (begin + number) % COUNT).expect("the last one is 31999");
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Several ports, each another one.
pub fn free_ports<const N: usize>() -> [u16; N] {
    [(); N].map(|()| free_port())
}
