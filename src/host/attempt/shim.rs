//! The shim: one process that does the work of one attempt.
//!
//! Claims the attempt, becomes its user, has the work done, writes how it ended; a full disk delays it and never makes it
//! forget. It leads a session of its own, so the end of a terminal or of a runner does not reach it. A signal sent to the shim
//! itself, unless the work takes it for a request to end ([`super::end_own`]), kills it without an outcome: the attempt is
//! then running until its command has ended, and lost afterwards. Must never know what the work is: it is handed to a function
//! as it was written.

use std::path::Path;
use std::time::Duration;

use serde::de::DeserializeOwned;

use super::{Exit, Holder, Order, claim, is_kill_requested, read_order, to_json, write_json};
use crate::error::{Error, ErrorCode};
use crate::host::clock::{Clock, SystemClock};
use crate::host::command::{self, CommandLine, Outcome};
use crate::host::fault::fault_point;
use crate::host::processes::{self, Signal};
use crate::host::{account, brief_command, children, files};

/// The longest that each command may take which ends elsewhere what was killed here.
const LONGEST_REACH: Duration = Duration::from_secs(30);
/// Bytes of what it says that are kept.
const MOST_OUTPUT: u64 = 2000;

/// Between two tries of a shim to write on a full file system.
const WAIT_FOR_ROOM: Duration = Duration::from_millis(500);

/// What the work reports to the shim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Performed {
    /// How the work ended.
    pub(crate) outcome: Outcome,
    /// How many file operations were finished.
    pub(crate) files_done: usize,
}

/// What happened to a shim that was asked to run an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    /// The work was done or has failed; the outcome is written.
    ToTheEnd,
    /// Another shim or a killer has the claim; nothing was done.
    ClaimedByAnother,
}

/// The shim: claims the attempt in `folder`, has the work done and writes the outcome.
///
/// `begin` is given the order and answers who does the work; a shim of root's becomes the owner of the folder between the two.
/// H0140 when it cannot, H0110 when the order cannot be read, H0111 when the claim or the outcome cannot be written; without
/// a claim nothing was done, and with one but without an outcome the attempt is lost.
pub(crate) fn run<W: DeserializeOwned, P: FnOnce(&Path) -> Performed>(
    folder: &Path,
    begin: impl FnOnce(W) -> P,
) -> Result<Ran, Error> {
    // Refused only where the caller already made this process a group's leader: then it has a group of its own at least.
    let _ = rustix::process::setsid();
    let Order { token, work, .. } = read_order(folder)?;
    let perform = begin(work);
    account::become_owner_of(folder)?;
    children::adopt_strays();
    fault_point("before-claim");
    if !once_there_is_room(|| claim(folder, &token, Holder::Shim))? {
        return Ok(Ran::ClaimedByAnother);
    }
    fault_point("after-claim");
    // Tells whoever looks at the process which attempt it works for.
    let _ = rustix::process::chdir(folder);
    let started_at = SystemClock.now().seconds();
    let performed = perform(folder);
    let usage = children::usage_of_children();
    let exit = Exit {
        token,
        outcome: performed.outcome,
        started_at,
        ended_at: SystemClock.now().seconds(),
        user_seconds: usage.map(|usage| usage.user_seconds),
        system_seconds: usage.map(|usage| usage.system_seconds),
        max_memory: usage.map(|usage| usage.max_memory),
        files_done: performed.files_done,
    };
    fault_point("before-exit");
    once_there_is_room(|| write_json(&folder.join("exit"), &exit))?;
    fault_point("after-exit");
    Ok(Ran::ToTheEnd)
}

/// Repeats a write of the shim while the file system is full: an outcome is not forgotten because there was no room for it,
/// and as long as the shim lives the attempt is running for everybody who looks.
pub(super) fn once_there_is_room<T>(write: impl Fn() -> Result<T, Error>) -> Result<T, Error> {
    loop {
        match write() {
            Err(full) if full.code() == ErrorCode::H0103 => std::thread::sleep(WAIT_FOR_ROOM),
            outcome => return outcome,
        }
    }
}

/// Runs the command of an attempt inside its shim, unless the attempt was killed before.
pub(crate) fn run_command(line: &CommandLine, folder: &Path) -> Outcome {
    if is_kill_requested(folder) {
        return Outcome::Signaled(Signal::Terminate.number());
    }
    let mut running = match command::start(line, folder) {
        Ok(running) => running,
        Err(failed) => return failed,
    };
    fault_point("after-spawn");
    // Only helps to find the command if this shim dies; the outcome does not depend on it.
    let _ = files::write_new(&folder.join("process"), &to_json(&running.identity));
    if is_kill_requested(folder) {
        processes::signal_group(running.identity.pid, Signal::Terminate);
    }
    command::wait(&mut running)
}

/// Runs `commands`, one after the other, if the command of this attempt was started and then asked to end: they end what it
/// has started elsewhere. Answers in words which of them failed; each may take [`LONGEST_REACH`].
///
/// They run in the shim's own process group, so a stronger signal to the command does not cut them off.
pub(crate) fn run_after_kill(commands: &[CommandLine], folder: &Path) -> Vec<String> {
    if !is_kill_requested(folder) || !folder.join("process").exists() {
        return Vec::new();
    }
    let failure = |line: &CommandLine| {
        let why = match brief_command::ask(line, LONGEST_REACH, MOST_OUTPUT) {
            Ok(answer) => answer.failure(LONGEST_REACH)?,
            Err(error) => format!("cannot be run: {error}"),
        };
        Some(format!("[{}] {why}", line.program))
    };
    commands.iter().filter_map(failure).collect()
}
