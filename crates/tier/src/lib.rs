//! Which tests run, decided in one place for all programs of `tests/`.
//!
//! `cargo test` runs the quick tier: it uses no network, creates no user, mounts and installs nothing, and behaves the
//! same for root and for all other users. `HOWDAH_TESTS=all cargo test` runs the full tier: everything, with a sample of
//! each campaign of random trials. `HOWDAH_TESTS=soak` runs everything with the whole campaigns. A test that does not run
//! prints one line that says why. In the full tier nothing is left out: a test whose program or right is missing fails and
//! says what is missing.
#![allow(clippy::disallowed_methods, reason = "tests meet the machine themselves")]

use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::process::geteuid;

/// The variable that chooses the tier, and its values.
const VARIABLE: &str = "HOWDAH_TESTS";
const ALL: &str = "all";
const SOAK: &str = "soak";

/// What runs, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tier {
    Quick,
    Full,
    Soak,
}

/// The tier of this run.
fn tier() -> Tier {
    match std::env::var(VARIABLE).as_deref() {
        Err(_) | Ok("") => Tier::Quick,
        Ok(ALL) => Tier::Full,
        Ok(SOAK) => Tier::Soak,
        Ok(other) => panic!("{VARIABLE}={other}: only {VARIABLE}={ALL} and {VARIABLE}={SOAK} have a meaning"),
    }
}

/// A time that only a hang exceeds: far longer than anything takes on a busy machine with a slow disk. It is the limit of
/// all waiting in tests, and of all code under test that has an answer; only what never answers gets a short limit.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// Whether all tests run.
pub fn is_full() -> bool {
    tier() >= Tier::Full
}

/// Whether campaigns run whole.
pub fn is_soak() -> bool {
    tier() == Tier::Soak
}

/// For a test of the full tier, with the reason why it is not in the quick one: returns whether it runs now. When it
/// does not, a line says so.
#[must_use]
pub fn full(reason: &str) -> bool {
    let is_full = is_full();
    if !is_full {
        note(reason, &format!("; {VARIABLE}={ALL} runs it"));
    }
    is_full
}

/// The same for a test that needs root: in the full tier it fails for other users.
#[must_use]
pub fn root(reason: &str) -> bool {
    let is_full = full(&format!("{reason}, which takes root"));
    assert!(!is_full || geteuid().is_root(), "{VARIABLE}={ALL} takes root: {reason}");
    is_full
}

/// For a test of the quick tier that needs something that this machine lacks: a line says so. The full tier fails.
pub fn missing(what: &str, why: impl Display) {
    let why = why.to_string();
    assert!(!is_full(), "{what} is missing, and {VARIABLE}={ALL} leaves nothing out: {}", why.trim());
    note(&format!("it needs {what}: {}", why.trim()), "");
}

/// The folder of published files that a variable names, usually `../shared/<name>`; `None` where it says `none`.
pub fn published(variable: &str, name: &str) -> Option<PathBuf> {
    let usual = || Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared")).join(name);
    let folder = std::env::var_os(variable).map_or_else(usual, PathBuf::from);
    if folder.as_os_str() == "none" {
        note(&format!("{variable}=none: there are no published files"), "");
        return None;
    }
    assert!(folder.is_dir(), "there is no folder {}: {variable} names another one, or says none", folder.display());
    Some(folder)
}

/// How often a test of random trials tries, in each tier.
#[derive(Clone, Copy, Debug)]
pub struct Trials {
    pub quick: usize,
    /// A sample: some seconds on one processor.
    pub full: usize,
    pub soak: usize,
}

impl Trials {
    /// The number of this tier.
    pub fn number(self) -> usize {
        match tier() {
            Tier::Quick => self.quick,
            Tier::Full => self.full,
            Tier::Soak => self.soak,
        }
    }

    /// The number that `variable` says, else that of this tier; `all` is every trial there is.
    pub fn named(self, variable: &str) -> usize {
        match std::env::var(variable).as_deref() {
            Ok("all") => usize::MAX,
            Ok(number) => number.parse().unwrap_or_else(|_| panic!("{variable} is a number, or all: {number}")),
            Err(_) => self.number(),
        }
    }
}

/// Fails in the quick tier: called before anything that changes the machine or uses the network.
pub fn changes_the_machine(how: &str) {
    assert!(is_full(), "{how}: only a test of the full tier may do this (call `tier::full` first)");
}

/// Prints how many tests of a program belong to the full tier, and how many try more in the soak tier.
pub fn summarize([full, soak]: [usize; 2], all: usize) {
    let how =
        if is_full() { "all of them run".to_owned() } else { format!("{VARIABLE}={ALL} cargo test runs them too") };
    let more = match soak {
        0 => String::new(),
        _ if is_soak() => format!("; {soak} try all that they can"),
        _ => format!("; {soak} try more with {VARIABLE}={SOAK}"),
    };
    // Standard error may be closed.
    let _ = writeln!(std::io::stderr(), "{full} of {all} tests belong to the full tier: {how}{more}");
}

/// Writes to the real standard error: the test harness captures only the print macros.
fn note(reason: &str, rest: &str) {
    // Each test has a thread with its name, unless there is only one thread.
    let thread = thread::current();
    let test = thread.name().filter(|name| *name != "main").map_or_else(String::new, |name| format!("{name}: "));
    // Standard error may be closed.
    let _ = writeln!(std::io::stderr(), "not run: {test}{reason}{rest}");
}
