//! The common end of the verbs that change jobs: shows what the verb did, and starts the processes that continue it.

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::runner;
use crate::output::outcome;
use howdah_engine::Engine;
use howdah_engine::apply::outcome::Outcome;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;

/// Shows what a verb did to each job, starts the processes that continue it, and returns the status of the verb.
///
/// # Errors
/// H0111 when standard output cannot be written, or as in [`start_processes`].
pub(crate) fn finish(
    engine: &Engine,
    global: &GlobalArgs,
    outcomes: &[Outcome],
    effect: Effect,
) -> Result<Status, Failure> {
    outcome::show(outcomes, effect, global.form())?;
    start_processes(engine, global, effect)?;
    Ok(Status::of(outcomes))
}

/// Starts a runner and a courier for what a verb has stored, so that notifications do not wait for a tick.
///
/// # Errors
/// H0140 when no process can be started, or a failure of the database.
pub(crate) fn start_processes(engine: &Engine, global: &GlobalArgs, effect: Effect) -> Result<()> {
    match effect {
        Effect::Stored => runner::ensure(engine, global),
        Effect::DryRun => Ok(()),
    }
}
