//! Every system call that can fail, failing once: whatever the kernel refuses, after one clean tick everything has
//! happened exactly once and all statuses are those of a run without a fault.
//!
//! A first run of each kind of process shows which calls it makes. Then the n-th call of each sort fails with each
//! error that it can return, in a sandbox of its own. Calls before `main` belong to the loader and are left out; so are
//! those that do not fail like the rest of the machine: memory (`mmap`, `brk`), signals, the ids and times of
//! processes, and `getrandom`, without which the standard library cannot work.
//!
//! `execve` is left out because strace counts calls for each process, so that it would fail at every try.
//!
//! Each tier takes its number of [`FAULTS`], spread evenly; `HOWDAH_FAULTS` selects all of them (`all`) or a number of
//! them.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::strace::{self, run, traced};
use howdah_tier::{self as tier, Trials};

const NOW: &str = "2010-01-01T01:00Z";
/// How many faults are tried, when strace is installed.
const FAULTS: Trials = Trials { quick: 24, full: 150, soak: 2_100 };
/// How many sandboxes run at a time: most of the time is spent waiting.
const AT_A_TIME: usize = 16;

/// The errors with which a call can fail, of EIO, ENOSPC, EMFILE, EAGAIN, ENOMEM and ETIMEDOUT; errors that its kind of
/// call never returns, such as ENOSPC of a read, are left out.
const CALLS: &[(&str, &[&str])] = &[
    ("open", &["EIO", "ENOSPC", "EMFILE", "EAGAIN", "ENOMEM", "ETIMEDOUT"]),
    ("openat", &["EIO", "ENOSPC", "EMFILE", "EAGAIN", "ENOMEM", "ETIMEDOUT"]),
    ("read", &["EIO", "EAGAIN", "ENOMEM", "ETIMEDOUT"]),
    ("pread64", &["EIO", "ENOMEM", "ETIMEDOUT"]),
    ("write", &["EIO", "ENOSPC", "EAGAIN", "ENOMEM", "ETIMEDOUT"]),
    ("pwrite64", &["EIO", "ENOSPC", "ENOMEM", "ETIMEDOUT"]),
    ("ftruncate", &["EIO", "ENOSPC", "ETIMEDOUT"]),
    ("fsync", &["EIO", "ENOSPC", "ETIMEDOUT"]),
    ("fdatasync", &["EIO", "ENOSPC", "ETIMEDOUT"]),
    ("rename", &["EIO", "ENOSPC", "ENOMEM", "ETIMEDOUT"]),
    ("link", &["EIO", "ENOSPC", "ENOMEM", "ETIMEDOUT"]),
    ("linkat", &["EIO", "ENOSPC", "ENOMEM", "ETIMEDOUT"]),
    ("unlink", &["EIO", "ENOMEM", "ETIMEDOUT"]),
    ("mkdir", &["EIO", "ENOSPC", "ENOMEM", "ETIMEDOUT"]),
    ("mknodat", &["EIO", "ENOSPC", "ENOMEM", "ETIMEDOUT"]),
    ("stat", &["EIO", "ENOMEM", "ETIMEDOUT"]),
    ("newfstatat", &["EIO", "ENOMEM", "ETIMEDOUT"]),
    ("statx", &["EIO", "ENOMEM", "ETIMEDOUT"]),
    ("statfs", &["EIO", "ENOMEM"]),
    ("readlink", &["EIO", "ENOMEM"]),
    ("getdents64", &["EIO", "ENOMEM"]),
    ("chdir", &["EIO", "ENOMEM"]),
    ("fcntl", &[]),
    ("flock", &["EIO", "EAGAIN", "ENOMEM"]),
    ("pipe2", &["EMFILE", "ENOMEM"]),
    ("socketpair", &["EMFILE", "ENOMEM"]),
    ("pidfd_open", &["EMFILE", "ENOMEM"]),
    ("ppoll", &["ENOMEM"]),
    ("clone", &["EAGAIN", "ENOMEM"]),
    ("clone3", &["EAGAIN", "ENOMEM"]),
    ("fork", &["EAGAIN", "ENOMEM"]),
    ("vfork", &["EAGAIN", "ENOMEM"]),
];

/// The process in which the faults happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Role {
    Tick,
    Runner,
    /// The process that forks shims.
    ForkServer,
    Shim,
}

/// One call that fails once.
#[derive(Clone, Debug)]
struct Fault {
    role: Role,
    call: &'static str,
    /// How many calls of its sort the process has made, this one included.
    nth: usize,
    error: &'static str,
    /// The call as strace recorded it in the run without a fault; printed when something is wrong.
    #[expect(dead_code, reason = "read by Debug, which is not counted")]
    seen: String,
}

/// A coordinator job with one action of two commands, advanced to the point where a role takes over.
fn prepared(role: Role) -> Sandbox {
    let sandbox = Sandbox::new();
    let data = hourly_input(&sandbox.text("data"), "<done-flag/>");
    let end = "2010-01-01T01:00Z";
    Coordinator { end, controls: "<timeout>0</timeout>", data, ..Coordinator::default() }.write(&sandbox);
    let nodes = [shell("one", &effect("one"), "two"), shell("two", &effect("two"), "end")];
    workflow(&sandbox, "app", "one", &nodes);
    fs::create_dir(sandbox.path("data")).expect("an empty sandbox");
    sandbox.submit(NOW, &[]);
    if role != Role::Tick {
        sandbox.howdah(["tick"]).at(NOW).die_at("before-runner");
    }
    if !matches!(role, Role::Tick | Role::Runner) {
        sandbox.howdah(["runner"]).at(NOW).die_at("after-attempt-commit");
    }
    sandbox
}

/// The folder of the only attempt.
fn attempt(sandbox: &Sandbox) -> PathBuf {
    let mut folder = sandbox.path("howdah.runs");
    for _ in 0..3 {
        let mut entries = fs::read_dir(&folder).expect("an attempt was prepared").flatten();
        folder = entries.next().expect("an attempt was prepared").path();
    }
    folder
}

/// Runs the role under strace; returns its exit status and its output.
fn act(sandbox: &Sandbox, role: Role, options: &[&str]) -> (Option<i32>, String) {
    let folder = || attempt(sandbox).display().to_string();
    match role {
        Role::Tick => run(traced(sandbox, options, &["tick", "--now", NOW])),
        Role::Runner => run(traced(sandbox, options, &["runner", "--now", NOW])),
        Role::Shim => run(traced(sandbox, options, &["attempt", &folder()])),
        Role::ForkServer => {
            let mut command = traced(sandbox, options, &["attempts"]);
            let mut child = with_input(&mut command);
            let mut input = child.stdin.take().expect("it was asked for");
            let folder = folder();
            let length = u32::try_from(folder.len()).expect("a short path").to_ne_bytes();
            // It may have ended already.
            let _ = input.write_all(&[&length, folder.as_bytes()].concat());
            drop(input);
            let output = child.wait_with_output().expect("it was started");
            (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
        }
    }
}

fn with_input(command: &mut Command) -> std::process::Child {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("strace was here before")
}

/// Everything that must be as without a fault.
fn end(sandbox: &Sandbox) -> Vec<String> {
    let database = sandbox.database();
    let mut end = vec![sandbox.read("effects")];
    for query in [
        "SELECT status FROM coordinator_job",
        "SELECT number, status FROM coordinator_action",
        "SELECT status, run FROM workflow_job",
        "SELECT name, status, user_retry_count, error_code FROM workflow_node ORDER BY name",
        "SELECT node, number, state, exit_code FROM attempt ORDER BY node, number",
    ] {
        end.extend(database.rows(query));
    }
    end
}

/// One clean tick, and everything that it starts.
fn clean_up(sandbox: &Sandbox) -> Vec<String> {
    sandbox.await_quiet();
    sandbox.tick_through(NOW);
    sandbox.howdah(["db", "check"]).succeed();
    end(sandbox)
}

/// Returns the calls of a role in a run without a fault, each with every error that it can return.
fn faults(role: Role) -> Vec<Fault> {
    let sandbox = prepared(role);
    let names = CALLS.iter().map(|(name, _)| *name).chain(["poll"]);
    // A question mark before the name: some processors do not have every call.
    let names = names.map(|name| format!("?{name}")).collect::<Vec<_>>().join(",");
    let (status, said) = act(&sandbox, role, &["-e", &format!("trace={names}")]);
    assert_eq!((status, said.as_str()), (Some(0), ""), "{role:?} without a fault");
    let trace = sandbox.read("trace");
    sandbox.await_quiet();
    let lines: Vec<&str> = trace.lines().collect();
    // The standard library reads standard input, output and error first of all.
    let loaded = lines.iter().position(|line| line.starts_with("poll(") || line.starts_with("ppoll("));
    let loaded = loaded.expect("the standard library begins") + 1;
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        let Some((call, errors)) = CALLS.iter().find(|(call, _)| line.starts_with(&format!("{call}("))) else {
            continue;
        };
        let nth = seen.entry(call).or_default();
        *nth += 1;
        if place >= loaded {
            let errors = if *call == "fcntl" { of_fcntl(line) } else { errors };
            let fault = |error: &&'static str| Fault { role, call, nth: *nth, error, seen: (*line).to_owned() };
            faults.extend(errors.iter().map(fault));
        }
    }
    faults
}

/// The errors of a call of `fcntl`. Clearing a lock can fail only by the server, and flags never fail.
fn of_fcntl(line: &str) -> &'static [&'static str] {
    if line.contains("F_UNLCK") {
        &["EIO"]
    } else if line.contains("F_SETLK") || line.contains("F_GETLK") {
        &["EIO", "EAGAIN", "ENOMEM"]
    } else if line.contains("F_DUPFD") {
        &["EMFILE", "ENOMEM"]
    } else {
        &[]
    }
}

/// Returns whether the fault happened at all, and what is wrong after it.
fn judge(fault: &Fault, expect: &[String]) -> (bool, Vec<String>) {
    let sandbox = prepared(fault.role);
    let Fault { role, call, nth, error, .. } = fault;
    let (trace, inject) = (format!("trace={call}"), format!("inject={call}:error={error}:when={nth}"));
    let options = ["-e", trace.as_str(), "-e", inject.as_str()];
    let (status, said) = act(&sandbox, *role, &options);
    let happened = sandbox.read("trace").contains("(INJECTED)");
    let mut wrong = Vec::new();
    // Refused or busy is fine; a panic, a defect or a signal is not.
    if !matches!(status, Some(0 | 1 | 75)) {
        wrong.push(format!("it ended with {status:?}: {said}"));
    }
    let end = clean_up(&sandbox);
    if end != expect {
        wrong.push(format!("{end:?}; it said: {said}"));
    }
    (happened, wrong)
}

/// As [`judge`], and any other problem of the test is reported too.
fn judge_safely(fault: &Fault, expect: &[String]) -> (bool, Vec<String>) {
    let judged = std::panic::catch_unwind(|| judge(fault, expect));
    judged.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().cloned();
        (
            true,
            vec![words.or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned())).unwrap_or_default()],
        )
    })
}

/// Reports the progress of the sweep; standard error may be closed.
fn tell(words: &str) {
    let _ = writeln!(std::io::stderr(), "{words}");
}

#[test]
fn a_system_call_that_fails_once_changes_nothing() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let enough = FAULTS.named("HOWDAH_FAULTS");
    let begun = Instant::now();
    let without = prepared(Role::Tick);
    let expect = clean_up(&without);
    assert_eq!(expect[..2], ["one\ntwo\n", "SUCCEEDED"], "{expect:?}");
    let mut all: Vec<Fault> =
        [Role::ForkServer, Role::Shim, Role::Runner, Role::Tick].into_iter().flat_map(faults).collect();
    let in_all = all.len();
    if in_all > enough {
        // Evenly over all roles and calls, and the same ones each time.
        let keeps = |place: usize| place * enough / in_all != (place + 1) * enough / in_all;
        all = all.into_iter().enumerate().filter(|(place, _)| keeps(*place)).map(|(_, fault)| fault).collect();
    }
    let (next, happened) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let place = next.fetch_add(1, Ordering::Relaxed);
                    let Some(fault) = all.get(place) else { break };
                    let (did, found) = judge_safely(fault, &expect);
                    happened.fetch_add(usize::from(did), Ordering::Relaxed);
                    if !found.is_empty() {
                        let found = format!("{fault:?}: {found:#?}");
                        tell(&found);
                        wrong.lock().expect("nothing panics with it").push(found);
                    }
                    if place % 100 == 0 {
                        tell(&format!("{place} of {} faults after {} s", all.len(), begun.elapsed().as_secs()));
                    }
                }
            });
        }
    });
    let (tried, happened, took) = (all.len(), happened.into_inner(), begun.elapsed().as_secs());
    let wrong = wrong.into_inner().expect("nothing panicked with it");
    tell(&format!(
        "faults: {happened} of {tried} tried happened, of {in_all} that there are; {} wrong, in {took} s",
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{} of {tried} faults: {}", wrong.len(), wrong.join("\n"));
    assert!(happened * 20 > tried * 17, "{happened} of {tried} faults happened");
    assert!(enough != FAULTS.soak || happened * 21 >= tried * 20, "{happened} of {tried} faults happened");
}
