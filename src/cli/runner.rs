//! `howdah runner` (hidden): carries workflow jobs on until none is active; and how one is started.

use std::ffi::OsString;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::Engine;
use crate::engine::drive;
use crate::error::Result;
use crate::host::fault::fault_point;
use crate::host::lock;
use crate::host::processes::{self, Children};
use crate::output::diagnostic;

/// Carry workflow jobs on until none is active
#[derive(Args, Debug)]
pub(crate) struct RunnerArgs {}

/// Runs the loop; ends at once when another runner is at work.
pub(crate) fn runner(global: &GlobalArgs, _: &RunnerArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::existing_engine(global)?;
    processes::leave_session();
    // Work that came after the last look but before the lock was released would wait for the next tick.
    while drive::needs_runner(&engine)? {
        let Some(_lock) = lock::try_lock(&engine.runner_lock())? else { break };
        drive::run_workflows(&mut engine, clock.as_ref(), &mut diagnostic::fault)?;
    }
    Ok(Status::Done)
}

/// Starts a runner when workflow jobs need one and none is at work.
///
/// # Errors
/// H0140 when no process can be started, or a failure of the database.
pub(crate) fn ensure(engine: &Engine, global: &GlobalArgs) -> Result<()> {
    if !drive::needs_runner(engine)? || lock::is_held(&engine.runner_lock()) {
        return Ok(());
    }
    let arguments = engine_arguments(engine, global);
    fault_point("before-runner");
    // The runner is left to itself: it leaves this session, and ends when its work is done.
    Children::default().spawn_howdah(&arguments, &engine.runner_log()).map(drop)
}

/// The command line of a runner on the same database with the same settings and the same clock.
fn engine_arguments(engine: &Engine, global: &GlobalArgs) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec!["runner".into(), "--db".into(), engine.store.path().into()];
    for mount in engine.mounts.texts() {
        arguments.push("--mount".into());
        arguments.push(mount.into());
    }
    if let Some(site) = &engine.settings.file {
        arguments.push("--site".into());
        arguments.push(site.into());
    }
    if let Some(now) = &global.now {
        arguments.push("--now".into());
        arguments.push(now.into());
    }
    arguments
}
