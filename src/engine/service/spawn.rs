//! Starts the runner and the courier as processes beside the one that a user or cron has started.
//!
//! Each has its own lock, so an extra start is harmless; it uses the same database, the same settings and the same
//! clock. Decides whether one is needed. Must not depend on what it does.

use std::ffi::OsString;
use std::time::Duration;

use crate::engine::Engine;
use crate::engine::outbox::deliver;
use crate::engine::runner::demand;
use crate::error::Result;
use crate::host::children::Children;
use crate::host::clock::Pace;
use crate::host::fault::fault_point;
use crate::host::lock;
use crate::model::time::Now;

/// How soon a long-lived process starts a courier again after the last one ended.
const COURIER_PAUSE: Duration = Duration::from_secs(1);

/// Starts a runner when workflow jobs need one, and a courier when something is to be delivered; neither when one is
/// running. Both run in the background: they leave this session, and end when their work is done.
///
/// # Errors
/// H0140 when no process can be started, or a failure of the database.
pub(crate) fn ensure(engine: &Engine, now: &Now) -> Result<()> {
    if demand::needs_runner(engine)? && !lock::is_held(&engine.runner_lock())? {
        fault_point("before-runner");
        Children::default().spawn_howdah(&arguments(engine, "runner"), &engine.runner_log())?;
    }
    CourierStarter::new().ensure(engine, now)
}

/// Starts couriers, repeatedly in a long-lived caller.
#[derive(Debug)]
pub(crate) struct CourierStarter {
    children: Children,
    starts: Pace,
}

impl CourierStarter {
    /// Returns a starter without children.
    pub(crate) fn new() -> Self {
        Self { children: Children::default(), starts: Pace::new(COURIER_PAUSE) }
    }

    /// Starts a courier when something is to be delivered at `now` and none is running.
    ///
    /// # Errors
    /// H0140 when no process can be started, or a failure of the database.
    pub(crate) fn ensure(&mut self, engine: &Engine, now: &Now) -> Result<()> {
        if self.children.reap() > 0 || !self.starts.is_due() || !deliver::is_wanted(engine, now)? {
            return Ok(());
        }
        if lock::is_held(&engine.courier_lock())? {
            return Ok(());
        }
        self.children.spawn_howdah(&arguments(engine, "courier"), &engine.courier_log())?;
        self.starts.mark();
        Ok(())
    }
}

/// Returns the command line of a hidden verb on the same database with the same settings and the same clock.
fn arguments(engine: &Engine, verb: &str) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = vec![verb.into(), "--db".into(), engine.store.path().into()];
    for mount in engine.mounts.texts() {
        arguments.push("--mount".into());
        arguments.push(mount.into());
    }
    if let Some(site) = &engine.settings.file {
        arguments.push("--site".into());
        arguments.push(site.into());
    }
    if let Some(now) = &engine.fixed_now {
        arguments.push("--now".into());
        arguments.push(now.into());
    }
    arguments
}
