//! The state of an attempt: what its folder and the processes that it names show together.
//!
//! The folder is untrusted: a process that it names counts only when it works there and is one of the folder's owner.
//! Must not change anything.

use std::path::Path;

use super::claim::Claim;
use super::exit::Exit;
use super::folder::{ORDER, PROCESS, missing_tree, read_json};
use super::order::OrderHead;
use crate::found::{Found, Unknown};
use crate::handover;
use crate::processes::{self, Identity};
use howdah_words::error::Error;

/// The state of an attempt, as its folder shows it.
#[derive(Clone, Debug, PartialEq)]
pub enum AttemptState {
    /// No shim has begun; it is safe to start one (again).
    Unclaimed,
    /// The process is alive: the shim, or the command that outlived its shim.
    Running(Identity),
    /// Its processes are not visible from here (they are in another container) and have not written an outcome: they
    /// may be alive.
    OutOfSight(Unknown),
    /// It is over and the outcome is written.
    Ended(Exit),
    /// A killer came before every shim; the work was not begun and cannot begin any more. Also work that a cluster
    /// removed on request, without an outcome.
    Withdrawn,
    /// Its job was suspended before any shim had begun: its work was not begun and will begin as another attempt.
    Recalled,
    /// It began, no process works on it any more and there is no outcome.
    Lost {
        /// Why, in one sentence.
        reason: String,
    },
}

/// The state of the attempt at this moment, by its folder. H0110 or H0113 when the machine cannot say: then nothing is
/// known.
pub fn state(folder: &Path) -> Result<AttemptState, Error> {
    let order: OrderHead = match read_json(folder, ORDER).known()? {
        Some(Ok(order)) => order,
        broken => {
            let why = match broken {
                Some(Err(why)) => format!("attempt.json is damaged: {why}"),
                _ => "its folder has no attempt.json".to_owned(),
            };
            return Ok(living_without_order(folder)?.unwrap_or_else(|| lost(why)));
        }
    };
    if let Some(ended) = ended(folder, &order)? {
        return Ok(ended);
    }
    let claim: Claim = match read_json(folder, "claim").known()? {
        None if order.is_of_an_earlier_boot()? => {
            return Ok(lost("the machine was restarted, and it is not known whether it had begun".to_owned()));
        }
        None => return Ok(AttemptState::Unclaimed),
        Some(Ok(claim)) => claim,
        Some(Err(why)) => return Ok(lost(format!("its claim is damaged: {why}"))),
    };
    if claim.token != order.token {
        return Ok(lost("its claim belongs to another attempt".to_owned()));
    }
    if let Some(reason) = claim.given_up {
        return Ok(lost(reason));
    }
    if claim.withdrawn {
        return Ok(if claim.recalled { AttemptState::Recalled } else { AttemptState::Withdrawn });
    }
    if claim.holder.is_of_this_boot()?
        && let Some(hidden) = claim.holder.hidden()
    {
        return Ok(AttemptState::OutOfSight(hidden));
    }
    if let Some(alive) = living(folder, &claim).known()? {
        return Ok(AttemptState::Running(alive));
    }
    // The shim may have written the outcome and ended between the two checks above.
    if let Some(ended) = ended(folder, &order)? {
        return Ok(ended);
    }
    let reason = if is_foreign(folder, &claim)? {
        "its claim names a process that has nothing to do with it"
    } else if !claim.holder.is_of_this_boot()? {
        "the machine was restarted while it ran"
    } else {
        "its supervisor died while it ran"
    };
    Ok(lost(reason.to_owned()))
}

/// What shows that the attempt lives, or may live, although its order is missing or damaged: a job that cleans up
/// deletes files, and a file system that failed has empty ones. A living holder of the claim says more than the order.
///
/// H0113 when the folders of all attempts are away: then nothing is known of this one.
fn living_without_order(folder: &Path) -> Result<Option<AttemptState>, Error> {
    if let Some(tree) = missing_tree(folder)? {
        let why = "it is away, and with it the folders of all attempts";
        return Err(Unknown::of(&tree.display().to_string(), why).into());
    }
    let Some(Ok(claim)) = read_json::<Claim>(folder, "claim").known()? else { return Ok(None) };
    if claim.withdrawn || claim.given_up.is_some() || !claim.holder.is_of_this_boot()? {
        return Ok(None);
    }
    if let Some(hidden) = claim.holder.hidden() {
        return Ok(Some(AttemptState::OutOfSight(hidden)));
    }
    Ok(living(folder, &claim).known()?.map(AttemptState::Running))
}

/// The number of the process that took the attempt, on the machine where it runs; `None` when none has, or the folder
/// does not say.
pub fn holder_of(folder: &Path) -> Option<i32> {
    read_json::<Claim>(folder, "claim").known().ok()??.ok().map(|claim| claim.holder.pid)
}

/// The outcome, if one is written.
fn ended(folder: &Path, order: &OrderHead) -> Result<Option<AttemptState>, Error> {
    Ok(match read_json::<Exit>(folder, "exit").known()? {
        None => None,
        Some(Ok(exit)) if exit.token == order.token => Some(AttemptState::Ended(exit)),
        Some(Ok(_)) => Some(lost("its outcome belongs to another attempt".to_owned())),
        Some(Err(why)) => Some(lost(format!("its outcome is damaged: {why}"))),
    })
}

/// The shim if it is alive, else the command if that is. A claim is untrusted: a process that it names counts only when
/// it works in the folder, as every shim does.
fn living(folder: &Path, claim: &Claim) -> Found<Identity> {
    let shim = processes::look_for(&claim.holder);
    if shim != Found::Absent && works_for(&claim.holder, folder) {
        return shim.map(|()| claim.holder.clone());
    }
    match command_of(folder) {
        Found::Present(command) if !command.is_unseen() => match processes::look_for(&command) {
            Found::Present(()) => relation(&command, folder, claim).map(|()| command),
            found => found.map(|()| command),
        },
        // The shim died before it recorded the command. A session keeps its leader's number as long as it has members,
        // and a reused number is no session of this attempt.
        Found::Present(_) | Found::Absent => match (claim.holder.is_of_this_boot(), Identity::of(claim.holder.pid)) {
            (Ok(true), Found::Absent) => member(folder, claim.holder.pid),
            (Err(unknown), _) | (Ok(true), Found::Unknown(unknown)) => Found::Unknown(unknown),
            (Ok(false), _) | (Ok(true), Found::Present(_)) => Found::Absent,
        },
        unknown @ Found::Unknown(_) => unknown,
    }
}

/// Whether a process works in the folder and is one of its owner: others may not be named by it. When the machine
/// cannot say, the answer is yes.
fn works_for(process: &Identity, folder: &Path) -> bool {
    handover::owns(folder, process.pid) != Some(false) && processes::works_in(process.pid, folder) != Some(false)
}

/// Whether a running command belongs to the attempt: it is one of the folder's owner, and in the shim's session, or
/// works in the folder, or below it. When the machine cannot say, the answer is yes.
fn relation(command: &Identity, folder: &Path, claim: &Claim) -> Found<()> {
    let is_in_session = processes::session_of(command.pid).is_none_or(|session| session == claim.holder.pid);
    if handover::owns(folder, command.pid) == Some(false) {
        return if is_in_session { of_another_user(command.pid, folder) } else { Found::Absent };
    }
    if is_in_session || processes::works_below(command.pid, folder) != Some(false) {
        Found::Present(())
    } else {
        Found::Absent
    }
}

/// A process in the shim's session, which is no leader: one of the folder's owner if there is one.
fn member(folder: &Path, session: i32) -> Found<Identity> {
    let members = match processes::members_of_session(session) {
        Ok(members) => members,
        Err(unknown) => return Found::Unknown(unknown),
    };
    if let Some(own) = members.iter().find(|pid| handover::owns(folder, **pid) != Some(false)) {
        return Identity::of(*own);
    }
    let foreign = members.iter().map(|pid| of_another_user(*pid, folder)).find(|found| *found != Found::Absent);
    match foreign {
        Some(Found::Unknown(unknown)) => Found::Unknown(unknown),
        _ => Found::Absent,
    }
}

/// A process of another user than the folder's owner. The owner may have started it, by `sudo` for example, or may only
/// have named it; one that works in the folder is left alone, and waited for.
fn of_another_user(pid: i32, folder: &Path) -> Found<()> {
    if processes::works_below(pid, folder) != Some(true) {
        return Found::Absent;
    }
    Found::Unknown(Unknown::of(&format!("process {pid}"), "it works in the folder of the attempt as another user"))
}

/// Whether the claim names a running process that does not work for this attempt.
fn is_foreign(folder: &Path, claim: &Claim) -> Result<bool, Error> {
    let is_alive = processes::look_for(&claim.holder).known()?.is_some();
    Ok(is_alive && !works_for(&claim.holder, folder))
}

/// The identity of the command, if it was started and its shim recorded it.
pub(super) fn command_of(folder: &Path) -> Found<Identity> {
    match read_json(folder, PROCESS) {
        Found::Present(Ok(command)) => Found::Present(command),
        Found::Present(Err(_)) | Found::Absent => Found::Absent,
        Found::Unknown(unknown) => Found::Unknown(unknown),
    }
}

fn lost(reason: String) -> AttemptState {
    AttemptState::Lost { reason }
}
