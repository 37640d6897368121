//! The shim: a process that does the work of one attempt.
//!
//! Claims the attempt, becomes its user, has the work done and writes the outcome. A machine failure delays it but
//! loses nothing. It leads its own session, so the end of a terminal or of a runner does not reach it. A signal to the
//! shim itself, unless the work takes it for a request to end ([`super::end_own`]), kills it without an outcome: then
//! the attempt counts as running until its command has ended, and as lost afterwards. Must not depend on what the work
//! is: it passes the order to a function unchanged.

use std::path::Path;
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};

use super::claim::{Claim, Holder, claim};
use super::exit::Exit;
use super::folder::{ORDER, PROCESS, read_json, to_json};
use super::kill::is_kill_requested;
use super::order::{Order, trusted};
use super::retry::{Retry, until_done, until_known, until_written};
use crate::clock::{Clock, SystemClock};
use crate::command::{self, CommandLine, NotStarted, Running, WorkOutcome};
use crate::fault::fault_point;
use crate::files::{self, Lasting};
use crate::fork_server::Reader;
use crate::found::Found;
use crate::processes::{self, Identity, Signal};
use crate::{brief_command, children, handover, metadata};
use howdah_words::error::{Error, ErrorCode};

/// The time limit for each command that ends, outside this machine, what was killed here.
const LONGEST_REACH: Duration = Duration::from_secs(30);
/// The most bytes of its output that are kept.
const MOST_OUTPUT: u64 = 2000;
/// The most characters of a message that are written, because outcomes are read with a limit.
const LONGEST_MESSAGE: usize = 4000;

/// The result of the work, for the shim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Performed {
    /// How the work ended.
    pub outcome: WorkOutcome,
    /// How many file operations were finished.
    pub files_done: usize,
}

/// The result of a shim for an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShimResult {
    /// The work was done or has failed; the outcome is written.
    Finished,
    /// Another shim or a killer has the claim; nothing was done.
    ClaimedByAnother,
}

/// Runs the shim: claims the attempt in `folder`, has the work done and writes the outcome.
///
/// `reader` is the process that puts the outcome into the database at once, taken before this process existed. `begin`
/// gets the order and returns the function that does the work; between the two, a shim of root becomes the owner of the
/// folder. Every machine failure is retried until it passes: nothing has begun before the claim is written, and the
/// shim stays alive until the outcome is written.
///
/// H0140 when this process may not become that user, H0110 when there is no order that can be trusted, and any error
/// when the folder is gone.
pub fn run<W: DeserializeOwned, P: FnOnce(&Path) -> Performed>(
    folder: &Path,
    reader: Option<&Reader>,
    begin: impl FnOnce(W) -> P,
) -> Result<ShimResult, Error> {
    // It fails only where the caller already made this process a group leader: then it has at least its own group.
    let _ = rustix::process::setsid();
    let order = until_known(folder, || read_json::<Order<W>>(folder, ORDER).known())?;
    let (head, work) = trusted(folder, order)?.into_parts();
    let perform = begin(work);
    let passes = |error: &Error, retry: &Retry| error.may_pass() && retry.has_time();
    until_done(folder, passes, || handover::become_owner_of(folder))?;
    children::adopt_orphans();
    // The working directory shows for which attempt the process works; it is set before the claim, which counts only
    // with it.
    until_done(folder, passes, || enter(folder))?;
    fault_point("before-claim");
    let allows = |error: &Error, retry: &Retry| error.may_pass() || retry.has_time();
    if !until_done(folder, allows, || claim(folder, &head, Holder::Shim))? {
        return Ok(ShimResult::ClaimedByAnother);
    }
    fault_point("after-claim");
    let started_at = SystemClock.now().seconds();
    let performed = perform(folder);
    let usage = children::usage_of_children();
    // Without a process that waits for the outcome, a power cut must not take it.
    let is_awaited = reader.is_some_and(Reader::is_there);
    let lasting = if is_awaited { head.lasting() } else { Lasting::Always };
    let exit = Exit {
        token: head.token,
        outcome: performed.outcome.shortened(LONGEST_MESSAGE),
        started_at,
        ended_at: SystemClock.now().seconds(),
        user_seconds: usage.map(|usage| usage.user_seconds),
        system_seconds: usage.map(|usage| usage.system_seconds),
        max_memory: usage.map(|usage| usage.max_memory),
        files_done: performed.files_done,
    };
    fault_point("before-exit");
    until_written(folder, ("exit", PROCESS), &to_json(&exit), lasting)?;
    if let Some(reader) = reader {
        reader.tell();
    }
    fault_point("after-exit");
    Ok(ShimResult::Finished)
}

/// Reads an order and writes a claim and an outcome in memory, without a file; returns whether the order is valid. A
/// process that was forked in advance gets its own pages of memory this way before it has an order.
pub fn get_ready<W: DeserializeOwned>(order: &str) -> bool {
    let Ok((head, _)) = serde_json::from_slice(order.as_bytes()).map(Order::<W>::into_parts) else { return false };
    let holder = Identity::unseen(0);
    let claim = Claim { token: head.token.clone(), holder, withdrawn: false, given_up: None, recalled: false };
    let now = SystemClock.now().seconds();
    let exit = Exit {
        token: head.token,
        outcome: WorkOutcome::Exited(0),
        started_at: now,
        ended_at: now,
        user_seconds: Some(0.1),
        system_seconds: Some(0.1),
        max_memory: Some(1),
        files_done: 0,
    };
    let written = [to_json(&claim), to_json(&exit)];
    written.iter().all(|bytes| serde_json::from_slice::<IgnoredAny>(bytes).is_ok())
}

/// Makes the folder this process's working directory. H0110.
fn enter(folder: &Path) -> Result<(), Error> {
    let entered = rustix::process::chdir(folder).map_err(std::io::Error::from);
    Found::of(folder, entered)
        .known()?
        .ok_or_else(|| Error::with(ErrorCode::H0110, &[&folder.display(), &"it is gone"]).passing(false))
}

/// Runs the command of an attempt inside its shim, unless the attempt was killed before.
pub fn run_command(line: &CommandLine, folder: &Path) -> WorkOutcome {
    let mut running = match begin_command(line, folder) {
        Ok(running) => running,
        Err(outcome) => return outcome,
    };
    fault_point("after-spawn");
    // Only for finding the command if this shim dies; the outcome does not depend on it.
    let _ = files::write_own(&folder.join(PROCESS), &to_json(&running.identity));
    if is_kill_requested(folder) {
        processes::signal_group(running.identity.pid, Signal::Terminate);
    }
    command::wait(&mut running)
}

/// Starts the command as soon as the machine allows it. No part of it has run before.
fn begin_command(line: &CommandLine, folder: &Path) -> Result<Running, WorkOutcome> {
    let mut retry = Retry::new(folder);
    loop {
        if is_kill_requested(folder) {
            return Err(WorkOutcome::Signaled(Signal::Terminate.number()));
        }
        match command::start(line, folder) {
            Ok(running) => return Ok(running),
            Err(NotStarted { why, error: Some(error) }) if retry.allows(&error) => retry.wait(&why),
            Err(NotStarted { why, error }) => return Err(command::not_begun(&why, error.as_ref())),
        }
    }
}

/// Runs `commands`, one after the other, if the command of this attempt was started and then asked to end: they end
/// what it has started outside this machine. Returns a message for each that failed; each may take [`LONGEST_REACH`].
///
/// They run in the shim's own process group, so a stronger signal to the command does not end them.
pub fn run_after_kill(commands: &[CommandLine], folder: &Path) -> Vec<String> {
    // If it is unknown whether it was started, the safe choice is to end it.
    let never_began = matches!(metadata::of_link(&folder.join(PROCESS)), Found::Absent);
    if !is_kill_requested(folder) || never_began {
        return Vec::new();
    }
    let failure = |line: &CommandLine| {
        let mut retry = Retry::new(folder);
        let why = loop {
            match brief_command::ask(line, LONGEST_REACH, MOST_OUTPUT) {
                Ok(answer) => break answer.failure(LONGEST_REACH)?,
                Err(error) if retry.allows(&error) => retry.wait(&error),
                Err(error) => break format!("cannot be run: {error}"),
            }
        };
        Some(format!("[{}] {why}", line.program))
    };
    commands.iter().filter_map(failure).collect()
}
