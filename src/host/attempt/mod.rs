//! The folder of an attempt: a piece of work is started at most once, and how it ended is written exactly once.
//!
//! The start protocol of an attempt is in `ARCHITECTURE.md`. The folder holds
//!
//! | file | written by | content |
//! |---|---|---|
//! | `attempt.json` | who starts the attempt | the token and the work |
//! | `claim` | the shim, exclusively, before anything else | the token and who the shim is |
//! | `process` | the shim, after the command's start | who the command is |
//! | `kill` | a killer, before it looks for processes | that the attempt must end |
//! | `waiting` | the shim, while the machine does not let it go on | what it waits for |
//! | `exit` | the shim, at the end; whoever could not start it | how it ended |
//! | `slurm` | who sent it to a cluster | the number of the job there |
//! | `stdout`, `stderr` | the command | its output |
//!
//! The shim is `shim`; here is what everybody else does with an attempt. Must never know what the work is.

mod folder;
mod on_cluster;
mod patience;
mod recall;
mod shim;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::command::Outcome;
use super::found::{self, Found, Unknown};
use super::processes::{self, Identity, Signal};
use super::{account, files};
use crate::error::{Error, ErrorCode};
use folder::{ORDER, read_json};

pub(crate) use crate::host::attempt::on_cluster::{
    cluster_job, end_own, give_up, given_up, look_afresh, note_cluster_job, refuse,
};
pub(crate) use folder::{STANDARD_ERROR, STANDARD_OUTPUT, output_files, read_end_of, read_start_of};
pub(crate) use patience::{LONGEST_WAIT, Patience, until_known, waits_for, write_when_possible};
pub(crate) use recall::{await_beginnings, is_recalled, recall};
pub(crate) use shim::{Performed, run, run_after_kill, run_command};

/// What is known of an attempt from its folder.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AttemptState {
    /// No shim has begun; starting one (again) is harmless.
    Unclaimed,
    /// The process is alive: the shim, or the command that outlived its shim.
    Running(Identity),
    /// Its processes are out of sight (in another container) and wrote no outcome yet: they may be alive.
    OutOfSight(Unknown),
    /// It is over and the outcome is written.
    Ended(Exit),
    /// A killer came before every shim; the work was never begun and never will be. Also work that a cluster took away
    /// on request, without an outcome.
    Withdrawn,
    /// Its job was suspended before any shim had begun: its work was never begun and begins as another attempt.
    Recalled,
    /// It began, nobody works on it any more and no outcome was written.
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
    pub(crate) outcome: Outcome,
    /// When the work began, in seconds of UTC.
    pub(crate) started_at: i64,
    /// When it ended, in seconds of UTC.
    pub(crate) ended_at: i64,
    /// CPU seconds of the command in its own code, where the system tells them.
    pub(crate) user_seconds: Option<f64>,
    /// CPU seconds of the command in the kernel, where the system tells them.
    pub(crate) system_seconds: Option<f64>,
    /// Bytes of memory that the largest process of the command occupied at most, where the system tells them.
    pub(crate) max_memory: Option<u64>,
    /// How many file operations were finished.
    pub(crate) files_done: usize,
}

/// What kill reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Killed {
    /// No shim had begun and none ever will.
    BeforeStart,
    /// The signal was sent to this many process groups; 0 when the command has not started, and then it will not.
    Signaled(usize),
    /// It was over.
    TooLate,
}

#[derive(Serialize, Deserialize)]
struct Order<W> {
    token: String,
    /// The word of the run of the job that it belongs to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    life: String,
    work: W,
}

/// The part of an order that the protocol itself reads.
#[derive(Deserialize)]
struct Ticket {
    token: String,
    #[serde(default)]
    life: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Claim {
    token: String,
    holder: Identity,
    /// Taken by a killer, who will do nothing with it.
    withdrawn: bool,
    /// Taken because no shim begins: why the attempt is lost.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    given_up: Option<String>,
    /// Taken because the job was suspended before a shim had begun.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    recalled: bool,
}

/// Where an attempt can be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// The folder.
    pub(crate) folder: PathBuf,
    /// The token of the attempt that stands there already: this very one was begun, and is never begun a second time.
    pub(crate) begun: Option<String>,
}

/// The folder for an attempt of the run `life` of a job: `folder`, or one beside it with a number behind its name when
/// another life of the database has left something there. H0110 when that cannot be read.
///
/// A backup that is put back knows nothing of what came after it, and gives its numbers again. What was begun for the
/// same run of the same job is that attempt, and its outcome counts; what was begun for another one is none of ours.
pub(crate) fn room(folder: &Path, life: &str) -> Result<Room, Error> {
    let mut place = folder.to_owned();
    for number in 2_u32.. {
        let ticket: Option<Result<Ticket, String>> = read_json(&place, ORDER).known()?;
        let claimed = read_json::<IgnoredAny>(&place, "claim").known()?.is_some();
        match ticket {
            None if !claimed => return Ok(Room { folder: place, begun: None }),
            Some(Ok(ticket)) if ticket.life == life => {
                return Ok(Room { folder: place, begun: claimed.then_some(ticket.token) });
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
    /// No other attempt has it.
    pub(crate) token: &'a str,
    /// Which run of its job the attempt belongs to.
    pub(crate) life: &'a str,
}

/// Writes the order of a new attempt; creates its folder. H0111, H0103.
pub(crate) fn prepare_folder<W: Serialize>(folder: &Path, names: AttemptNames<'_>, work: &W) -> Result<(), Error> {
    account::take_back(folder)?;
    files::create_private_folder(folder)?;
    let path = folder.join(ORDER);
    // Paths in the work come from the machine and may hold bytes that are no text.
    let order = serde_json::to_vec(&Order { token: names.token.to_owned(), life: names.life.to_owned(), work });
    let order = order.map_err(|error| Error::with(ErrorCode::H0111, &[&path.display(), &error]))?;
    files::write_lasting(&path, &order)
}

/// What the folder says about the attempt at this moment. H0110 or H0113 when the machine cannot say: then nothing is
/// known.
pub(crate) fn state(folder: &Path) -> Result<AttemptState, Error> {
    let ticket: Ticket = match read_json(folder, ORDER).known()? {
        Some(Ok(ticket)) => ticket,
        Some(Err(why)) => return Ok(lost(format!("attempt.json is damaged: {why}"))),
        None => return Ok(lost("its folder has no attempt.json".to_owned())),
    };
    if let Some(ended) = ended(folder, &ticket)? {
        return Ok(ended);
    }
    let claim: Claim = match read_json(folder, "claim").known()? {
        None => return Ok(AttemptState::Unclaimed),
        Some(Ok(claim)) => claim,
        Some(Err(why)) => return Ok(lost(format!("its claim is damaged: {why}"))),
    };
    if claim.token != ticket.token {
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
    // The shim may have written the outcome and ended between the two looks above.
    if let Some(ended) = ended(folder, &ticket)? {
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

/// The work of an attempt as it was ordered, or why there is none that can be believed.
///
/// # Errors
/// H0110 or H0113 when the machine cannot say.
pub(crate) fn read_work<W: DeserializeOwned>(folder: &Path) -> Result<Result<W, Error>, Error> {
    Ok(believed(folder, read_json::<Order<W>>(folder, ORDER).known()?).map(|order| order.work))
}

/// Takes the claim, so that no shim can ever begin; `false` when a shim has begun. H0111.
pub(crate) fn withdraw(folder: &Path) -> Result<bool, Error> {
    claim(folder, &token(folder)?, Holder::Killer)
}

/// Ends an attempt: withdraws it when no shim has begun, otherwise signals every process of its session.
///
/// The request is written down before processes are looked for, and the shim looks for it after it has started the
/// command; so one of the two always sees the other. May be called again, with a stronger signal. Whoever owns the
/// folder may keep the request from being written (H0111), but not its processes from being signalled.
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
    // Alive, so of this boot: the number of the session is still its own.
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
    // What the folder says is the word of its owner, who may name the processes of others.
    groups.retain(|group| account::owns(folder, *group));
    Ok(Killed::Signaled(groups.into_iter().filter(|group| processes::signal_group(*group, signal)).count()))
}

/// How often the shim looks for a request that the machine does not let it see.
const MOST_LOOKS: u32 = 20;
/// Between two looks.
const BETWEEN_LOOKS: Duration = Duration::from_millis(10);

/// Whether somebody asked the attempt to end. A machine that cannot say is asked again for a moment; after that the
/// work goes on, because whoever asks for its end signals its processes again and again.
pub(crate) fn is_kill_requested(folder: &Path) -> bool {
    let request = folder.join("kill");
    for _ in 0..MOST_LOOKS {
        match found::link_metadata(&request) {
            Found::Present(_) => return true,
            Found::Absent => return false,
            Found::Unknown(_) => std::thread::sleep(BETWEEN_LOOKS),
        }
    }
    false
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder<'a> {
    Shim,
    Killer,
    /// Who found that no shim begins, and why.
    GivenUp(&'a str),
    /// Who suspended the job.
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

/// Whether this very claim stands already: it was made before, but could not be made to last then.
fn is_taken_as(folder: &Path, claim: &Claim) -> Result<bool, Error> {
    let standing: Option<Result<Claim, String>> = read_json(folder, "claim").known()?;
    Ok(standing.is_some_and(|standing| standing.as_ref() == Ok(claim)))
}

fn token(folder: &Path) -> Result<String, Error> {
    read_order::<IgnoredAny>(folder).map(|order| order.token)
}

fn read_order<W: DeserializeOwned>(folder: &Path) -> Result<Order<W>, Error> {
    believed(folder, read_json(folder, ORDER).known()?)
}

fn believed<W>(folder: &Path, order: Option<Result<Order<W>, String>>) -> Result<Order<W>, Error> {
    let why = match order {
        Some(Ok(order)) => return Ok(order),
        Some(Err(why)) => why,
        None => "there is no such attempt".to_owned(),
    };
    Err(Error::with(ErrorCode::H0110, &[&folder.join(ORDER).display(), &why]))
}

/// The outcome, if one is written.
fn ended(folder: &Path, ticket: &Ticket) -> Result<Option<AttemptState>, Error> {
    Ok(match read_json::<Exit>(folder, "exit").known()? {
        None => None,
        Some(Ok(exit)) if exit.token == ticket.token => Some(AttemptState::Ended(exit)),
        Some(Ok(_)) => Some(lost("its outcome belongs to another attempt".to_owned())),
        Some(Err(why)) => Some(lost(format!("its outcome is damaged: {why}"))),
    })
}

/// The shim if it is alive, else the command if that is. A claim is the word of whoever wrote it: a process that it
/// names counts only when it works in the folder, as every shim does.
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
        // The shim died before it wrote the command down; a session keeps its leader's number as long as it has
        // members, and a number that was given away again is no session of ours.
        Found::Present(_) | Found::Absent => match (claim.holder.is_of_this_boot(), Identity::of(claim.holder.pid)) {
            (Ok(true), Found::Absent) => processes::member_of_session(claim.holder.pid),
            (Err(unknown), _) | (Ok(true), Found::Unknown(unknown)) => Found::Unknown(unknown),
            (Ok(false), _) | (Ok(true), Found::Present(_)) => Found::Absent,
        },
        unknown @ Found::Unknown(_) => unknown,
    }
}

/// Whether a living command belongs to the attempt: it is of the shim's session, or works in the folder, or below it.
/// One of which the machine does not tell that is believed.
fn is_related(command: &Identity, folder: &Path, claim: &Claim) -> bool {
    processes::session_of(command.pid).is_none_or(|session| session == claim.holder.pid)
        || processes::works_below(command.pid, folder) != Some(false)
}

/// Whether the claim names a living process that does not work for this attempt.
fn is_foreign(folder: &Path, claim: &Claim) -> Result<bool, Error> {
    let is_alive = processes::look_for(&claim.holder).known()?.is_some();
    Ok(is_alive && processes::works_in(claim.holder.pid, folder) == Some(false))
}

/// Who the command is, if it was started and its shim lived to write it down.
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
