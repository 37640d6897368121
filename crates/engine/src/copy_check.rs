//! Checks whether this is the database that was used before, or a copy of it.
//!
//! A copy that is used beside the original does everything twice. A moved database is accepted; everything else is
//! refused once, and an operator decides which one counts. A backup is refused until `db restore` has put it back.

use crate::Engine;
use crate::format::time_with_seconds;
use crate::tick_record::TickRecord;
use howdah_host::clock::{Clock, SystemClock, started};
use howdah_host::environment::host_name;
use howdah_host::place;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::place::{FileLocation, Move};
use howdah_words::model::time::{MINUTE, Timestamp};

/// Where the database is, compared with where it was used last.
#[derive(Debug)]
pub enum Place {
    /// The same place.
    Same,
    /// The same file after a restart, another name of it, or the first place of all: it is recorded.
    Changed,
    /// It may be a copy: the refusal says of what.
    Elsewhere(Error),
}

/// Records where the database is used.
///
/// # Errors
/// H0133 when it was used at another place before, H0134 when it is a backup; H0110 when its file cannot be read.
pub fn check(engine: &mut Engine) -> Result<()> {
    engine.store.refuse_backup()?;
    match look(engine)? {
        Place::Same => Ok(()),
        Place::Changed => accept(engine),
        Place::Elsewhere(refusal) => Err(refusal),
    }
}

/// Compares where the database is with where it was used last; records nothing.
///
/// # Errors
/// H0110 when its file cannot be read, or a failure of the database.
pub fn look(engine: &Engine) -> Result<Place> {
    let here = place::of(engine.store.path())?;
    let (known, ticked_at) = engine.store.read(|snapshot| Ok((snapshot.place()?, snapshot.last_tick_at()?)))?;
    let Some(known) = known else { return Ok(Place::Changed) };
    if known == here {
        return Ok(Place::Same);
    }
    Ok(match known.to(&here) {
        // The known place stays when the present one cannot be determined.
        Move::None if here.boot.is_empty() => Place::Same,
        Move::None if known.boot == here.boot => Place::Changed,
        Move::None => match ticked_at.filter(|at| is_after_start(*at)).and_then(|at| Some((at, other_host(engine)?))) {
            Some((at, host)) => Place::Elsewhere(refusal_of_twin(&known, &here, &host, at)),
            None => Place::Changed,
        },
        moved => Place::Elsewhere(refusal(&known, &here, moved)),
    })
}

/// A machine that started again has not ticked since under its last boot; one that was cloned has an id of two.
fn is_after_start(ticked_at: Timestamp) -> bool {
    started(SystemClock.now()).is_some_and(|started| ticked_at - started > CLOCKS_APART)
}

/// The name of the machine of the last tick, unless it is that of this one.
fn other_host(engine: &Engine) -> Option<String> {
    let host = TickRecord::read(engine)?.host().to_owned();
    (!host.is_empty() && host != host_name()).then_some(host)
}

/// How far the clocks of two machines, or of one before and after its start, may be apart, in seconds.
const CLOCKS_APART: i64 = MINUTE;

/// Records that the database is used here from now on, at whatever place it was before.
///
/// # Errors
/// H0134 when it is a backup; H0110 when its file cannot be read.
pub fn accept(engine: &mut Engine) -> Result<()> {
    engine.store.refuse_backup()?;
    let here = place::of(engine.store.path())?;
    engine.store.transact(|transaction| transaction.set_place(&here))
}

fn refusal_of_twin(known: &FileLocation, here: &FileLocation, host: &str, at: Timestamp) -> Error {
    let at = time_with_seconds(at);
    let before = format!("[{}] on another machine [{host}] with the same id, which ticked at {at}", known.path);
    Error::with(ErrorCode::H0133, &[&here.path, &before]).help(format!(
        "a copied machine needs an id of its own (/etc/machine-id: `systemd-machine-id-setup`). Let one of them use \
         the database; to use it here, stop the other and give: howdah db here --db '{}'",
        here.path
    ))
}

fn refusal(known: &FileLocation, here: &FileLocation, moved: Move) -> Error {
    let before = match (moved, &known.machine) {
        (Move::Machine, Some(machine)) => format!("[{}] on the machine with the id {machine}", known.path),
        _ => format!("[{}]", known.path),
    };
    Error::with(ErrorCode::H0133, &[&here.path, &before]).help(format!(
        "two databases with the same jobs would do everything twice. Make sure that nothing uses {before} any \
         more, then say that this is the one: howdah db here --db '{}'",
        here.path
    ))
}
