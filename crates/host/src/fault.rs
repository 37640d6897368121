//! Points where a test can make the process die, to prove that nothing is lost or done twice.
//!
//! In a build with debug assertions `HOWDAH_FAULT=name` (or `name:N`, the N-th time) kills the process with SIGKILL at
//! the point with that name. With `HOWDAH_FAULT_LEDGER=FILE` all processes count together, one byte of the file for
//! each time, so that exactly one of them dies. In a release build every point is empty.
//!
//! `HOWDAH_FAIL=name:FROM-TO:ERROR` makes the call to the machine at the point with that name fail, from its FROM-th to
//! its TO-th time, with an error such as EIO; `HOWDAH_FAIL_LEDGER` counts as above.
//!
//! `HOWDAH_SLOW=name` makes the process wait for a moment at the point with that name, and `HOWDAH_PANIC=name` makes it
//! panic there.
//!
//! `HOWDAH_HOLD=name:FILE` makes the process create `FILE.held` at the fault point with that name, and wait there until
//! FILE exists.

use std::io;

/// Waits here for a moment when a test requests it; see the module's head.
#[cfg(debug_assertions)]
pub(crate) fn slow_point(name: &str) {
    if super::variables::get("HOWDAH_SLOW").is_some_and(|wanted| wanted == name) {
        std::thread::sleep(std::time::Duration::from_millis(300));
    }
}

/// Panics here when a test requests it; see the module's head.
#[cfg(debug_assertions)]
pub fn panic_point(name: &str) {
    let is_wanted = super::variables::get("HOWDAH_PANIC").is_some_and(|wanted| wanted == name);
    assert!(!is_wanted, "a test requests a panic at {name}");
}

/// Dies here when a test requests it; see the module's head.
#[cfg(debug_assertions)]
pub fn fault_point(name: &str) {
    hold(name);
    let Some(wanted) = super::variables::get("HOWDAH_FAULT") else { return };
    let (wanted, nth) = match wanted.split_once(':') {
        Some((wanted, nth)) => (wanted, nth.parse().unwrap_or(1)),
        None => (wanted.as_str(), 1),
    };
    if wanted == name && passage("HOWDAH_FAULT_LEDGER") == nth {
        let _ = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Waits here until a test creates a file; see the module's head.
#[cfg(debug_assertions)]
fn hold(name: &str) {
    const MOST_TRIES: u32 = 1_200;
    const PAUSE: std::time::Duration = std::time::Duration::from_millis(50);

    let Some(asked) = super::variables::get("HOWDAH_HOLD") else { return };
    let Some((_, file)) = asked.split_once(':').filter(|(wanted, _)| *wanted == name) else { return };
    std::fs::write(format!("{file}.held"), name).expect("a test names a file that can be written");
    for _ in 0..MOST_TRIES {
        if std::fs::File::open(file).is_ok() {
            return;
        }
        std::thread::sleep(PAUSE);
    }
}

/// Fails here when a test requests it; see the module's head.
#[cfg(debug_assertions)]
pub fn failing_point(name: &str) -> io::Result<()> {
    use rustix::io::Errno;

    let Some(asked) = super::variables::get("HOWDAH_FAIL") else { return Ok(()) };
    let parts: Vec<&str> = asked.split(':').collect();
    let [wanted, times, error] = parts[..] else { panic!("HOWDAH_FAIL=[{asked}]") };
    let (from, to) = times.split_once('-').unwrap_or((times, times));
    let between = |passage: u64| (from.parse().unwrap_or(1)..=to.parse().unwrap_or(1)).contains(&passage);
    if wanted != name || !between(passage("HOWDAH_FAIL_LEDGER")) {
        return Ok(());
    }
    Err(match error {
        "EAGAIN" => Errno::AGAIN,
        "ENOMEM" => Errno::NOMEM,
        "EMFILE" => Errno::MFILE,
        "ENOSPC" => Errno::NOSPC,
        "EROFS" => Errno::ROFS,
        "ETIMEDOUT" => Errno::TIMEDOUT,
        _ => Errno::IO,
    }
    .into())
}

/// How often the point was passed, this time included.
#[cfg(debug_assertions)]
fn passage(ledger: &str) -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static SEEN: AtomicU64 = AtomicU64::new(0);

    match super::variables::get(ledger) {
        None => SEEN.fetch_add(1, Ordering::SeqCst) + 1,
        Some(ledger) => note(&ledger).expect("a test names a ledger that can be written"),
    }
}

/// Adds a byte to the ledger; the offset of the byte is its number, even when other processes write.
#[cfg(debug_assertions)]
fn note(ledger: &str) -> std::io::Result<u64> {
    use std::io::{Seek as _, Write as _};
    let mut file = std::fs::OpenOptions::new().append(true).create(true).open(ledger)?;
    file.write_all(b".")?;
    file.stream_position()
}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub fn fault_point(_name: &str) {}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub(crate) fn slow_point(_name: &str) {}

/// Does nothing in a release build.
#[cfg(not(debug_assertions))]
pub fn panic_point(_name: &str) {}

/// Never fails in a release build.
#[cfg(not(debug_assertions))]
#[expect(clippy::unnecessary_wraps, reason = "in other builds a test makes it fail")]
pub fn failing_point(_name: &str) -> io::Result<()> {
    Ok(())
}
