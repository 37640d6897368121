//! Ends an attempt: the request in its folder, and the signals to its processes.
//!
//! Must not depend on what the work is, or on what it has started outside this machine.

use std::path::Path;
use std::time::Duration;

use super::claim::{Claim, withdraw};
use super::folder::read_json;
use super::state::{AttemptState, command_of, state};
use crate::found::Found;
use crate::processes::{self, Signal};
use crate::{files, handover, metadata};
use howdah_words::error::Error;

/// The result of a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Killed {
    /// No shim had begun, and none can begin any more.
    BeforeStart,
    /// The signal was sent to this many process groups; 0 when the command has not started, and then it will not start.
    Signaled(usize),
    /// It was already over.
    TooLate,
}

/// Ends an attempt: withdraws it when no shim has begun, otherwise signals every process of its session.
///
/// The request is written before the processes are searched, and the shim checks for it after it has started the
/// command; so one of the two always notices the other. May be called again, with a stronger signal. The owner of the
/// folder can prevent the request (H0111), but not the signals to the processes.
pub fn kill(folder: &Path, signal: Signal) -> Result<Killed, Error> {
    if withdraw(folder)? {
        return Ok(Killed::BeforeStart);
    }
    let requested = files::write_atomically(&folder.join("kill"), signal.number().to_string().as_bytes());
    let killed = signal_processes(folder, signal)?;
    requested.map(|()| killed)
}

/// Signals every process of a claimed attempt that is not over.
fn signal_processes(folder: &Path, signal: Signal) -> Result<Killed, Error> {
    match state(folder)? {
        AttemptState::Running(_) => {}
        // Their numbers mean other processes here.
        AttemptState::OutOfSight(_) => return Ok(Killed::Signaled(0)),
        AttemptState::Withdrawn | AttemptState::Recalled => return Ok(Killed::BeforeStart),
        _ => return Ok(Killed::TooLate),
    }
    // It is alive, so it belongs to this boot: the number of the session is still its own.
    let claim: Option<Result<Claim, _>> = read_json(folder, "claim").known()?;
    let mut groups = match claim {
        Some(Ok(claim)) => processes::groups_of_session(claim.holder.pid)?,
        _ => Vec::new(),
    };
    if let Some(command) = command_of(folder).known()? {
        groups.extend(processes::look_for(&command).known()?.map(|()| command.pid));
    }
    groups.sort_unstable();
    groups.dedup();
    // The owner of the folder wrote this and may name processes of other users.
    groups.retain(|group| handover::owns(folder, *group) == Some(true));
    Ok(Killed::Signaled(groups.into_iter().filter(|group| processes::signal_group(*group, signal)).count()))
}

/// How often the shim checks for a request when the machine cannot say.
const MOST_CHECKS: u32 = 20;

/// The pause between two checks.
const BETWEEN_CHECKS: Duration = Duration::from_millis(10);

/// Whether the end of the attempt was requested. When the machine cannot say, repeats the check for a moment; then the
/// work continues, because a killer repeats its signals.
pub fn is_kill_requested(folder: &Path) -> bool {
    let request = folder.join("kill");
    for _ in 0..MOST_CHECKS {
        match metadata::of_link(&request) {
            Found::Present(_) => return true,
            Found::Absent => return false,
            Found::Unknown(_) => std::thread::sleep(BETWEEN_CHECKS),
        }
    }
    false
}
