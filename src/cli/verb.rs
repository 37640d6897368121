//! How every verb that changes jobs ends: what it did is shown, and what carries that on is started.

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::runner;
use crate::engine::Engine;
use crate::engine::apply::outcome::Outcome;
use crate::error::Result;
use crate::output::outcome;
use crate::store::Effect;

/// Shows what a verb did to each job, carries it on, and answers how the verb ends.
///
/// # Errors
/// H0111 when standard output cannot be written, or as [`carry_on`].
pub(crate) fn finish(
    engine: &Engine,
    global: &GlobalArgs,
    outcomes: &[Outcome],
    effect: Effect,
) -> Result<Status, Failure> {
    outcome::show(outcomes, effect, global.form())?;
    carry_on(engine, global, effect)?;
    Ok(Status::of(outcomes))
}

/// Starts a runner and a courier for what a verb has stored, so that nobody has to wait for a tick to be told.
///
/// # Errors
/// H0140 when no process can be started, or a failure of the database.
pub(crate) fn carry_on(engine: &Engine, global: &GlobalArgs, effect: Effect) -> Result<()> {
    match effect {
        Effect::Stored => runner::ensure(engine, global),
        Effect::DryRun => Ok(()),
    }
}
