//! Starts the runner, the courier and purges as processes beside the one that a user or cron has started.
//!
//! Each has its own lock, so an extra start is harmless; it uses the same database, the same settings and the same
//! clock. Decides whether one is needed. Must not depend on what it does.

use std::ffi::OsString;
use std::time::Duration;

use crate::Engine;
use crate::outbox::deliver;
use crate::runner::demand;
use crate::service::purge::schedule;
use crate::tick_record::TickRecord;
use howdah_host::children::Children;
use howdah_host::clock::Pace;
use howdah_host::fault::fault_point;
use howdah_host::{lock, log_file};
use howdah_words::error::Result;
use howdah_words::model::time::Now;

/// How soon a long-lived process starts a courier again after the last one ended.
const COURIER_PAUSE: Duration = Duration::from_secs(1);
/// How often a long-lived process looks after logs and purges.
const HOUSEKEEPING_PAUSE: Duration = Duration::from_secs(60);

/// Starts a runner when workflow jobs need one, and a courier when something is to be delivered; neither when one is
/// running. Both run in the background: they leave this session, and end when their work is done.
///
/// # Errors
/// H0140 when no process can be started, or a failure of the database.
pub fn ensure(engine: &Engine, now: &Now) -> Result<()> {
    if demand::needs_runner(engine)? && !lock::is_held(&engine.runner_lock())? {
        fault_point("before-runner");
        Children::default().spawn_howdah(&arguments(engine, &["runner"]), &engine.runner_log())?;
    }
    CourierStarter::new().ensure(engine, now)
}

/// Starts couriers, repeatedly in a long-lived caller.
#[derive(Debug)]
pub struct CourierStarter {
    children: Children,
    starts: Pace,
}

impl CourierStarter {
    /// Returns a starter without children.
    pub fn new() -> Self {
        Self { children: Children::default(), starts: Pace::new(COURIER_PAUSE) }
    }

    /// Starts a courier when something is to be delivered at `now` and none is running. A process without the site file
    /// of the ticks leaves it to the next tick: it knows neither the mail server nor the proxy.
    ///
    /// # Errors
    /// H0140 when no process can be started, or a failure of the database.
    pub fn ensure(&mut self, engine: &Engine, now: &Now) -> Result<()> {
        if self.children.reap() > 0 || !self.starts.is_due() || !deliver::is_wanted(engine, now)? {
            return Ok(());
        }
        if TickRecord::missing_site(engine).is_some() || lock::is_held(&engine.courier_lock())? {
            return Ok(());
        }
        self.children.spawn_howdah(&arguments(engine, &["courier"]), &engine.courier_log())?;
        self.starts.mark();
        Ok(())
    }
}

/// Does what a site needs from time to time, beside the ticks: bounds the logs, and starts a purge when one is due.
#[derive(Debug)]
pub struct Housekeeper {
    children: Children,
    visits: Pace,
}

impl Housekeeper {
    /// Returns one without children.
    pub fn new() -> Self {
        Self { children: Children::default(), visits: Pace::new(HOUSEKEEPING_PAUSE) }
    }

    /// Does what is due at `now`. A purge is a process of its own, so a tick never waits for it.
    ///
    /// # Errors
    /// H0140 when no process can be started, H0111 for the lock of purges, or a failure of the database.
    pub fn visit(&mut self, engine: &Engine, now: &Now) -> Result<()> {
        if self.children.reap() > 0 || !self.visits.is_due() {
            return Ok(());
        }
        self.visits.mark();
        for log in [engine.runner_log(), engine.courier_log()] {
            // A log that cannot be bounded now is bounded by a later visit.
            let _ = log_file::bound(&log);
        }
        if schedule::is_wanted(engine, now.at)? && !lock::is_held(&engine.purge_lock())? {
            let arguments = arguments(engine, &["db", "purge", "--scheduled", "--quiet"]);
            self.children.spawn_howdah(&arguments, &engine.runner_log())?;
        }
        Ok(())
    }
}

/// Returns the command line of a verb on the same database with the same settings and the same clock.
pub fn arguments(engine: &Engine, verb: &[&str]) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = verb.iter().map(OsString::from).collect();
    arguments.extend(["--db".into(), engine.store.path().into()]);
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
