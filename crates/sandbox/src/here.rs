//! Verbs that run in the process of the test: without a start of a program, each in a session of its own.
//!
//! Decides by verb and variables which command lines do; all others are real processes.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Write as _;
use std::os::unix::fs::MetadataExt as _;
use std::panic::resume_unwind;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;

use howdah::Session;

use crate::sandbox::{PATIENCE, Ran, program};

/// The verbs that need no process of their own: they neither fork nor change their user, their signals or their
/// terminal. What they start is a process of the real program.
pub const VERBS: &[&str] = &[
    "actions",
    "apply",
    "backfill",
    "backtest",
    "change",
    "completions",
    "config",
    "cron",
    "db",
    "dryrun",
    "eval",
    "explain",
    "fs",
    "ignore",
    "import",
    "info",
    "jobs",
    "kill",
    "log",
    "man",
    "metrics",
    "next",
    "oozie",
    "path",
    "pause",
    "poll",
    "rerun",
    "resume",
    "sla",
    "status",
    "submit",
    "suspend",
    "time",
    "update",
    "validate",
];

/// The stack of the first thread of a process.
const STACK: usize = 8 * 1024 * 1024;

/// Returns whether a command line can run in the process of the test.
pub(crate) fn is_possible(command: &Command) -> bool {
    let verb = command.get_args().next().and_then(OsStr::to_str);
    let is_plain = |(name, value): (&OsStr, Option<&OsStr>)| !concerns_process(name, value);
    verb.is_some_and(|verb| VERBS.contains(&verb)) && command.get_envs().all(is_plain) && !has_other_owner(command)
}

/// Returns whether a variable is read by the libraries of a process, or changes what happens to the whole process.
fn concerns_process(name: &OsStr, value: Option<&OsStr>) -> bool {
    const PREFIXES: &[&str] = &[
        "CLICOLOR",
        "COLUMNS",
        "GSS",
        "HOWDAH_COMPLETE",
        "HOWDAH_FAIL",
        "HOWDAH_FAULT",
        "HOWDAH_HOLD",
        "HOWDAH_PANIC",
        "HOWDAH_SLOW",
        "HOWDAH_TEST_",
        "KRB5",
        "LD_",
        "NO_COLOR",
        "TERM",
    ];
    let name = name.to_str().unwrap_or_default();
    match name {
        "HOWDAH_TEST_MARK" => false,
        // The zones of all sessions of a process have the same rules.
        "HOWDAH_ZONE_DATA" => value.is_none_or(|value| value != "built-in"),
        _ => value.is_none() || PREFIXES.iter().any(|prefix| name.starts_with(prefix)),
    }
}

/// Returns whether the database belongs to another user: root works on it as that user.
fn has_other_owner(command: &Command) -> bool {
    let database = command.get_envs().find(|(name, _)| *name == "HOWDAH_DB").and_then(|(_, value)| value);
    let named = command.get_args().skip_while(|argument| *argument != "--db").nth(1);
    let own = rustix::process::geteuid().as_raw();
    let is_others = |file: &OsStr| fs::metadata(file).is_ok_and(|metadata| metadata.uid() != own);
    database.into_iter().chain(named).any(is_others)
}

/// Notes in the file that `HOWDAH_TESTS_LEDGER` names, if it names one, that a test has run a command line.
pub(crate) fn note(command: &Command, is_here: bool) {
    let Some(ledger) = std::env::var_os("HOWDAH_TESTS_LEDGER") else { return };
    let own = std::env::current_exe().expect("a running test");
    let tests = own.file_name().and_then(OsStr::to_str).and_then(|name| name.rsplit_once('-')).unwrap_or_default().0;
    let test = thread::current().name().unwrap_or_default().to_owned();
    let verb = command.get_args().next().and_then(OsStr::to_str).unwrap_or_default();
    let line = format!("{tests} {test} {} {verb}\n", if is_here { "here" } else { "process" });
    let mut file = fs::File::options().append(true).create(true).open(ledger).expect("a ledger that can be written");
    file.write_all(line.as_bytes()).expect("a ledger that can be written");
}

/// Runs a command line to its end in this process.
pub(crate) fn run(command: &Command) -> Ran {
    let arguments: Vec<OsString> =
        [OsStr::new("howdah")].into_iter().chain(command.get_args()).map(Into::into).collect();
    let variables = command.get_envs().filter_map(|(name, value)| Some((name.into(), value?.into())));
    let variables: BTreeMap<OsString, OsString> = variables.collect();
    let session = Session::apart(arguments, variables, Path::new(program()));
    let folder = command.get_current_dir().expect("the folder of a sandbox").to_owned();
    let (sender, ended) = mpsc::channel();
    let of_thread = session.clone();
    let work = move || {
        // The current folder of this thread alone.
        nix::sched::unshare(nix::sched::CloneFlags::CLONE_FS).expect("a thread may have a folder of its own");
        std::env::set_current_dir(folder).expect("the folder of a sandbox");
        let status = howdah::run(&of_thread);
        let _ = sender.send(());
        status
    };
    let thread = thread::Builder::new().stack_size(STACK).spawn(work).expect("the system has threads");
    let in_time = ended.recv_timeout(PATIENCE * 2) != Err(RecvTimeoutError::Timeout);
    let status = in_time.then(|| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    let [stdout, stderr] = [session.output(), session.errors()].map(|kept| text(kept.expect("it is kept").bytes()));
    let ran = Ran { status: status.map(i32::from), stdout, stderr };
    assert!(in_time, "howdah did not end: {ran:?}");
    ran
}
