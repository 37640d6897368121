//! `howdah runner` (hidden): advances workflow jobs until none is active; also starts such a runner.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::{diagnostic, text};
use howdah_engine::format::time;
use howdah_engine::runner::{demand, settings_check};
use howdah_engine::service::loops;
use howdah_engine::service::spawn::{self, CourierStarter};
use howdah_engine::{Engine, shadow};
use howdah_host::processes;
use howdah_store::Snapshot;
use howdah_words::error::Result;

/// Advance workflow jobs until none is active
#[derive(Args, Debug)]
pub(crate) struct RunnerArgs {}

/// Runs the loop; exits at once when another runner is running.
pub(crate) fn runner(global: &GlobalArgs, _: &RunnerArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::service_engine(global)?;
    engine.store.read(|snapshot| shadow::refuse(snapshot, "no runner works on it"))?;
    processes::leave_session();
    processes::raise_size_limit();
    // Work that was added after the last query but before the lock was released would wait for the next tick.
    while demand::needs_runner(&engine)? {
        let Some(mut lock) = settings_check::take_lock(&mut engine)? else { break };
        loops::run_workflows(&mut engine, &mut lock, clock.as_ref(), &mut diagnostic::fault)?;
        lock.leave();
    }
    // Deliveries of the last step: the courier that was running may have exited before.
    CourierStarter::new().ensure(&engine, &clock.both())?;
    Ok(Status::Done)
}

/// Starts a runner when workflow jobs need one, and a courier when something is to be delivered.
///
/// # Errors
/// H0140 when no process can be started, or a failure of the database.
pub(crate) fn ensure(engine: &Engine, global: &GlobalArgs) -> Result<()> {
    spawn::ensure(engine, &session::clock(global)?.both())
}

/// Returns the engine on a database that must exist, for a verb that creates work; warns like [`compare`].
pub(crate) fn engine_for_work(global: &GlobalArgs) -> Result<Engine, Failure> {
    let engine = session::existing_engine(global)?;
    compare(&engine, global);
    session::warn_of_silence_for_work(global, &engine);
    warn_of_pause(global, &engine);
    Ok(engine)
}

/// Warns, unless this is a quiet command, while all jobs are paused: what a command creates does not start.
pub(crate) fn warn_of_pause(global: &GlobalArgs, engine: &Engine) {
    if global.quiet {
        return;
    }
    // A database that cannot be read is reported by the command itself.
    if let Ok(Some(pause)) = engine.store.read(Snapshot::site_pause) {
        let (at, actor) = (time(pause.at), pause.actor);
        let until = "nothing starts before `howdah resume --all`";
        text::aside(&format!("warning: all jobs are paused since {at} by {actor}: {until}"));
    }
}

/// Warns, unless this is a quiet command, when a runner runs with other settings than this command's.
pub(crate) fn compare(engine: &Engine, global: &GlobalArgs) {
    if let Some(warning) = settings_check::warning(engine).filter(|_| !global.quiet) {
        text::aside(&format!("warning: {warning}"));
    }
}
