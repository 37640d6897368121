//! The folder of an attempt. Guarantees that its work starts at most once, and that its outcome is written exactly
//! once.
//!
//! The start protocol of an attempt is in `ARCHITECTURE.md`. The files of the folder:
//!
//! | file | written by | content |
//! |---|---|---|
//! | `attempt.json` | the process that starts the attempt | the token and the work |
//! | `claim` | the shim, exclusively, before anything else | the token and the identity of the shim |
//! | `process` | the shim, after the command's start | the identity of the command |
//! | `kill` | a killer, before it looks for processes | that the attempt must end |
//! | `waiting` | the shim, while the machine fails | what it waits for |
//! | `exit` | the shim, at the end; the sender, if it could not start | how it ended |
//! | `slurm` | the sender to a cluster | the number of the job there |
//! | `stdout`, `stderr` | the command | its output |
//!
//! `shim` is the shim; this module has the operations of all other processes on an attempt. Must not depend on what the
//! work is.

mod folder;
mod on_cluster;
mod recall;
mod retry;
mod shim;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::command::WorkOutcome;
use super::found::{self, Found, Unknown};
use super::processes::{self, Identity, Signal};
use super::{account, files};
use crate::error::{Error, ErrorCode};
use folder::{ORDER, read_json};

pub(crate) use crate::host::attempt::on_cluster::{
    cluster_job, end_own, give_up, given_up, note_cluster_job, refresh, refuse,
};
pub(crate) use folder::{STANDARD_ERROR, STANDARD_OUTPUT, output_files, read_end_of, read_start_of};
pub(crate) use recall::{await_beginnings, is_recalled, recall};
pub(crate) use retry::{LONGEST_WAIT, Retry, until_known, waits_for, write_when_possible};
pub(crate) use shim::{Performed, run, run_after_kill, run_command};

/// The state of an attempt, as its folder shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttemptState {
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

/// How an attempt ended, as the shim wrote it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Exit {
    /// The token of the attempt.
    pub(crate) token: String,
    /// How the work ended.
    pub(crate) outcome: WorkOutcome,
    /// When the work began, in seconds of UTC.
    pub(crate) started_at: i64,
    /// When it ended, in seconds of UTC.
    pub(crate) ended_at: i64,
    /// CPU seconds of the command in its own code, where the system reports them.
    pub(crate) user_seconds: Option<f64>,
    /// CPU seconds of the command in the kernel, where the system reports them.
    pub(crate) system_seconds: Option<f64>,
    /// The largest memory, in bytes, of one process of the command, where the system reports it.
    pub(crate) max_memory: Option<u64>,
    /// How many file operations were finished.
    pub(crate) files_done: usize,
}

/// The result of a kill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Killed {
    /// No shim had begun, and none can begin any more.
    BeforeStart,
    /// The signal was sent to this many process groups; 0 when the command has not started, and then it will not start.
    Signaled(usize),
    /// It was already over.
    TooLate,
}

#[derive(Serialize, Deserialize)]
struct Order<W> {
    token: String,
    /// The id of the run of the job that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    life: String,
    work: W,
}

/// The part of an order that the protocol itself reads.
#[derive(Deserialize)]
struct OrderHead {
    token: String,
    #[serde(default)]
    life: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Claim {
    token: String,
    holder: Identity,
    /// Taken by a killer, which does no work.
    withdrawn: bool,
    /// Taken because no shim begins: the reason why the attempt is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given_up: Option<String>,
    /// Taken because the job was suspended before a shim had begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recalled: bool,
}

/// A folder in which an attempt can be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AttemptFolder {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The token of an attempt of the same run that is in this folder already: it was begun and is not begun a second
    /// time.
    pub(crate) begun: Option<String>,
}

/// The folder for an attempt of the run `life` of a job: `folder`, or one beside it with a number after its name when
/// another life of the database has left something there. H0110 when that cannot be read.
///
/// A restored backup does not contain what came after it, and uses the same numbers again. An attempt that was begun
/// for the same run of the same job is used, and its outcome counts; one that was begun for another run is ignored.
pub(crate) fn free_folder(folder: &Path, life: &str) -> Result<AttemptFolder, Error> {
    let mut place = folder.to_owned();
    for number in 2_u32.. {
        let order: Option<Result<OrderHead, String>> = read_json(&place, ORDER).known()?;
        let claimed = read_json::<IgnoredAny>(&place, "claim").known()?.is_some();
        match order {
            None if !claimed => return Ok(AttemptFolder { folder: place, begun: None }),
            Some(Ok(order)) if order.life == life => {
                return Ok(AttemptFolder { folder: place, begun: claimed.then_some(order.token) });
            }
            _ => {}
        }
        place = PathBuf::from(format!("{}.{number}", folder.display()));
    }
    unreachable!("a folder has fewer entries than there are numbers")
}

/// The two names of an attempt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AttemptNames<'a> {
    /// Unique to the attempt.
    pub(crate) token: &'a str,
    /// The run of its job to which the attempt belongs.
    pub(crate) life: &'a str,
}

/// Writes the order of a new attempt; creates its folder. H0111, H0103.
pub(crate) fn prepare_folder<W: Serialize>(folder: &Path, names: AttemptNames<'_>, work: &W) -> Result<(), Error> {
    account::take_back(folder)?;
    files::create_private_folder(folder)?;
    let path = folder.join(ORDER);
    // Paths in the work come from the machine and may contain bytes that are no text.
    let order = serde_json::to_vec(&Order { token: names.token.to_owned(), life: names.life.to_owned(), work });
    let order = order.map_err(|error| Error::with(ErrorCode::H0111, &[&path.display(), &error]))?;
    files::write_lasting(&path, &order)
}

/// The state of the attempt at this moment, by its folder. H0110 or H0113 when the machine cannot say: then nothing is
/// known.
pub(crate) fn state(folder: &Path) -> Result<AttemptState, Error> {
    let order: OrderHead = match read_json(folder, ORDER).known()? {
        Some(Ok(order)) => order,
        Some(Err(why)) => return Ok(lost(format!("attempt.json is damaged: {why}"))),
        None => return Ok(lost("its folder has no attempt.json".to_owned())),
    };
    if let Some(ended) = ended(folder, &order)? {
        return Ok(ended);
    }
    let claim: Claim = match read_json(folder, "claim").known()? {
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

/// The work of an attempt from its order, or why the order is missing or cannot be trusted.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub(crate) fn read_work<W: DeserializeOwned>(folder: &Path) -> Result<Result<W, Error>, Error> {
    Ok(trusted(folder, read_json::<Order<W>>(folder, ORDER).known()?).map(|order| order.work))
}

/// Takes the claim, so that no shim can begin any more; `false` when a shim has begun. H0111.
pub(crate) fn withdraw(folder: &Path) -> Result<bool, Error> {
    claim(folder, &token(folder)?, Holder::Killer)
}

/// Ends an attempt: withdraws it when no shim has begun, otherwise signals every process of its session.
///
/// The request is written before the processes are searched, and the shim checks for it after it has started the
/// command; so one of the two always notices the other. May be called again, with a stronger signal. The owner of the
/// folder can prevent the request (H0111), but not the signals to the processes.
pub(crate) fn kill(folder: &Path, signal: Signal) -> Result<Killed, Error> {
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
    groups.retain(|group| account::owns(folder, *group));
    Ok(Killed::Signaled(groups.into_iter().filter(|group| processes::signal_group(*group, signal)).count()))
}

/// How often the shim checks for a request when the machine cannot say.
const MOST_CHECKS: u32 = 20;
/// The pause between two checks.
const BETWEEN_CHECKS: Duration = Duration::from_millis(10);

/// Whether the end of the attempt was requested. When the machine cannot say, repeats the check for a moment; then the
/// work continues, because a killer repeats its signals.
pub(crate) fn is_kill_requested(folder: &Path) -> bool {
    let request = folder.join("kill");
    for _ in 0..MOST_CHECKS {
        match found::link_metadata(&request) {
            Found::Present(_) => return true,
            Found::Absent => return false,
            Found::Unknown(_) => std::thread::sleep(BETWEEN_CHECKS),
        }
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder<'a> {
    Shim,
    Killer,
    /// The process that found that no shim begins, with the reason.
    GivenUp(&'a str),
    /// The process that suspended the job.
    Recalled,
}

fn claim(folder: &Path, token: &str, holder: Holder<'_>) -> Result<bool, Error> {
    let given_up = match holder {
        Holder::GivenUp(reason) => Some(reason.to_owned()),
        Holder::Shim | Holder::Killer | Holder::Recalled => None,
    };
    let (token, withdrawn) = (token.to_owned(), holder != Holder::Shim);
    let recalled = holder == Holder::Recalled;
    let claim = Claim { token, holder: Identity::own()?, withdrawn, given_up, recalled };
    Ok(files::create_exclusively(&folder.join("claim"), &to_json(&claim))? || is_taken_as(folder, &claim)?)
}

/// Whether the claim is exactly this one: it was written before, but could not be made durable.
fn is_taken_as(folder: &Path, claim: &Claim) -> Result<bool, Error> {
    let standing: Option<Result<Claim, String>> = read_json(folder, "claim").known()?;
    Ok(standing.is_some_and(|standing| standing.as_ref() == Ok(claim)))
}

fn token(folder: &Path) -> Result<String, Error> {
    read_order::<IgnoredAny>(folder).map(|order| order.token)
}

fn read_order<W: DeserializeOwned>(folder: &Path) -> Result<Order<W>, Error> {
    trusted(folder, read_json(folder, ORDER).known()?)
}

fn trusted<W>(folder: &Path, order: Option<Result<Order<W>, String>>) -> Result<Order<W>, Error> {
    let why = match order {
        Some(Ok(order)) => return Ok(order),
        Some(Err(why)) => why,
        None => "there is no such attempt".to_owned(),
    };
    Err(Error::with(ErrorCode::H0110, &[&folder.join(ORDER).display(), &why]))
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
    if shim != Found::Absent && processes::works_in(claim.holder.pid, folder) != Some(false) {
        return shim.map(|()| claim.holder.clone());
    }
    match command_of(folder) {
        Found::Present(command) if !command.is_unseen() => match processes::look_for(&command) {
            Found::Present(()) if !is_related(&command, folder, claim) => Found::Absent,
            found => found.map(|()| command),
        },
        // The shim died before it recorded the command. A session keeps its leader's number as long as it has members,
        // and a reused number is no session of this attempt.
        Found::Present(_) | Found::Absent => match (claim.holder.is_of_this_boot(), Identity::of(claim.holder.pid)) {
            (Ok(true), Found::Absent) => processes::member_of_session(claim.holder.pid),
            (Err(unknown), _) | (Ok(true), Found::Unknown(unknown)) => Found::Unknown(unknown),
            (Ok(false), _) | (Ok(true), Found::Present(_)) => Found::Absent,
        },
        unknown @ Found::Unknown(_) => unknown,
    }
}

/// Whether a running command belongs to the attempt: it is in the shim's session, or works in the folder, or below it.
/// When the machine cannot say, the answer is yes.
fn is_related(command: &Identity, folder: &Path, claim: &Claim) -> bool {
    processes::session_of(command.pid).is_none_or(|session| session == claim.holder.pid)
        || processes::works_below(command.pid, folder) != Some(false)
}

/// Whether the claim names a running process that does not work for this attempt.
fn is_foreign(folder: &Path, claim: &Claim) -> Result<bool, Error> {
    let is_alive = processes::look_for(&claim.holder).known()?.is_some();
    Ok(is_alive && processes::works_in(claim.holder.pid, folder) == Some(false))
}

/// The identity of the command, if it was started and its shim recorded it.
fn command_of(folder: &Path) -> Found<Identity> {
    match read_json(folder, "process") {
        Found::Present(Ok(command)) => Found::Present(command),
        Found::Present(Err(_)) | Found::Absent => Found::Absent,
        Found::Unknown(unknown) => Found::Unknown(unknown),
    }
}

fn lost(reason: String) -> AttemptState {
    AttemptState::Lost { reason }
}

fn write_json(path: &Path, content: &impl Serialize) -> Result<(), Error> {
    files::write_atomically(path, &to_json(content))
}

fn to_json(content: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(content).expect("protocol files hold only maps with text keys")
}

#[cfg(test)]
mod tests;
