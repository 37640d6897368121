//! Places where a test may make the process die, to prove that nothing is lost or done twice.
//!
//! In a build with debug assertions `HOWDAH_FAULT=name` (or `name:N`, the N-th time) kills the process with SIGKILL at the
//! point of that name. With `HOWDAH_FAULT_LEDGER=FILE` the times are counted over all processes, one byte of the file
//! for each, so that exactly one of them dies. In a release build every point is empty.

/// Dies here when a test asked for it; see the module's head.
#[cfg(debug_assertions)]
pub(crate) fn fault_point(name: &str) {
    let Some(wanted) = super::environment::variable("HOWDAH_FAULT") else { return };
    let (wanted, nth) = match wanted.split_once(':') {
        Some((wanted, nth)) => (wanted, nth.parse().unwrap_or(1)),
        None => (wanted.as_str(), 1),
    };
    if wanted == name && passage() == nth {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// How often the point was passed, this time included.
#[cfg(debug_assertions)]
fn passage() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static SEEN: AtomicU64 = AtomicU64::new(0);

    match super::environment::variable("HOWDAH_FAULT_LEDGER") {
        None => SEEN.fetch_add(1, Ordering::SeqCst) + 1,
        Some(ledger) => note(&ledger).expect("a test names a ledger that can be written"),
    }
}

/// Adds a byte to the ledger; its place in the file is its number, whoever else writes.
#[cfg(debug_assertions)]
fn note(ledger: &str) -> std::io::Result<u64> {
    use std::io::{Seek as _, Write as _};
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(ledger)?;
    file.write_all(b".")?;
    file.stream_position()
}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(crate) fn fault_point(_name: &str) {}
