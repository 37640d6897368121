//! Whether this is the database that was worked on before, or a copy of it.
//!
//! A copy that is worked on beside the original does everything twice. What was moved, and a backup that was put in the
//! database's place, go on without a question; whatever else is met is refused once, and a person says which one
//! counts.

use crate::engine::Engine;
use crate::error::{Error, ErrorCode, Result};
use crate::host::place;
use crate::model::place::{FileLocation, Move};
use crate::store::Snapshot;

/// Notes where the database is worked on.
///
/// # Errors
/// H0133 when it was worked on somewhere else before; H0110 when its file cannot be looked at.
pub(crate) fn check(engine: &mut Engine) -> Result<()> {
    let here = place::of(engine.store.path())?;
    match engine.store.read(Snapshot::place)? {
        Some(known) if known == here => Ok(()),
        Some(known) => match known.to(&here) {
            // What is known is better than what cannot be told.
            Move::None if here.boot.is_empty() => Ok(()),
            Move::None => accept(engine),
            moved => Err(refusal(&known, &here, moved)),
        },
        None => accept(engine),
    }
}

/// Notes that the database is worked on here from now on, wherever it was before.
///
/// # Errors
/// H0110 when its file cannot be looked at.
pub(crate) fn accept(engine: &mut Engine) -> Result<()> {
    let here = place::of(engine.store.path())?;
    engine.store.transact(|transaction| transaction.set_place(&here))
}

fn refusal(known: &FileLocation, here: &FileLocation, moved: Move) -> Error {
    let before = match (moved, &known.machine) {
        (Move::Machine, Some(machine)) => format!("[{}] on the machine with the id {machine}", known.path),
        _ => format!("[{}]", known.path),
    };
    Error::with(ErrorCode::H0133, &[&here.path, &before]).help(format!(
        "two databases with the same jobs would do everything twice. Make sure that nothing works on {before} any \
         more, then say that this is the one: howdah db here --db '{}'",
        here.path
    ))
}
