//! Checks whether this is the database that was used before, or a copy of it.
//!
//! A copy that is used beside the original does everything twice. A moved database is accepted; everything else is
//! refused once, and an operator decides which one counts. A backup is refused until `db restore` has put it back.

use crate::Engine;
use howdah_host::place;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::place::{FileLocation, Move};

/// Records where the database is used.
///
/// # Errors
/// H0133 when it was used at another place before, H0134 when it is a backup; H0110 when its file cannot be read.
pub fn check(engine: &mut Engine) -> Result<()> {
    engine.store.refuse_backup()?;
    let here = place::of(engine.store.path())?;
    match engine.store.read(Snapshot::place)? {
        Some(known) if known == here => Ok(()),
        Some(known) => match known.to(&here) {
            // The known place stays when the present one cannot be determined.
            Move::None if here.boot.is_empty() => Ok(()),
            Move::None => accept(engine),
            moved => Err(refusal(&known, &here, moved)),
        },
        None => accept(engine),
    }
}

/// Records that the database is used here from now on, at whatever place it was before.
///
/// # Errors
/// H0134 when it is a backup; H0110 when its file cannot be read.
pub fn accept(engine: &mut Engine) -> Result<()> {
    engine.store.refuse_backup()?;
    let here = place::of(engine.store.path())?;
    engine.store.transact(|transaction| transaction.set_place(&here))
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
