//! Faults of single system calls, put between a process and the kernel by strace.

use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;

use crate::engines::apt;
use crate::sandbox::{Sandbox, kill, numbers, program, try_parent, wait_for};
use howdah_tier as tier;

/// Returns whether strace is installed and may trace, or why not; the full tier installs it.
pub fn is_here() -> Result<(), &'static str> {
    static HERE: OnceLock<Result<(), String>> = OnceLock::new();
    let here = HERE.get_or_init(|| {
        if tier::is_full() {
            apt(&["strace"])?;
        }
        let tried =
            Command::new("strace").args(["-o", "/dev/null", "-e", "inject=chdir:error=EIO:when=99", "true"]).output();
        let tried = tried.map_err(|error| format!("strace: {error}"))?;
        if tried.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&tried.stderr).into_owned()) }
    });
    match here {
        Ok(()) => Ok(()),
        Err(why) => Err(why),
    }
}

/// Creates a command line of howdah under strace with these options; the trace goes to `trace` in the sandbox.
pub fn traced(sandbox: &Sandbox, options: &[&str], arguments: &[&str]) -> Command {
    // A process that does not end is a failure of the test: the sandbox kills what is left of it. Twice as long as a
    // statement waits for a lock, which may be its own and not cleared by the system.
    let mut command = Command::new("timeout");
    command
        .args(["-s", "KILL", "60", "strace", "-o"])
        .arg(sandbox.path("trace"))
        .args(options)
        .arg(program())
        .args(arguments)
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("TZ", "UTC")
        .env("HOME", sandbox.path("home"))
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX")
        .env("HOWDAH_DB", sandbox.database_path())
        .current_dir(sandbox.path(""))
        .stdin(Stdio::null());
    command
}

/// Runs it to its end; strace ends as the command did.
pub fn run(mut command: Command) -> (Option<i32>, String) {
    let Output { status, stderr, .. } = command.output().expect("strace was here before");
    (status.code(), String::from_utf8_lossy(&stderr).into_owned())
}

/// Runs it until howdah ends, with an exit status that is not 0. strace holds a thread that it delays for the whole time,
/// also when its process has ended meanwhile: then strace is ended, and the exit status is the one that the trace names.
pub fn run_to_end_of_howdah(sandbox: &Sandbox, command: &mut Command) -> Output {
    // The trace of an earlier run; there may be none.
    let _ = fs::remove_file(sandbox.path("trace"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("strace was here before");
    let ended = wait_for("the end of howdah", || match status_in(&sandbox.read("trace")) {
        None => child.try_wait().expect("it was started").map(|_| None),
        status => Some(status),
    });
    if ended.is_some() {
        let timeout = i32::try_from(child.id()).expect("process numbers are positive");
        numbers().into_iter().filter(|pid| try_parent(*pid) == Some(timeout)).for_each(kill);
    }
    let mut output = child.wait_with_output().expect("it was started");
    output.status = ended.map_or(output.status, |status| ExitStatus::from_raw(status << 8));
    output
}

/// Returns the exit status of a process in a trace, unless it is 0: with another one a thread ends its whole process.
fn status_in(trace: &str) -> Option<i32> {
    let ends = trace.lines().filter_map(|line| line.split_once("+++ exited with ")?.1.strip_suffix(" +++"));
    ends.filter_map(|status| status.parse().ok()).find(|status| *status != 0)
}
