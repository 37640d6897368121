//! One step of the engine: everything that is due, in a fixed order.
//!
//! `tick`, `run`, `daemon` and the runner all call [`tick`]; none has logic of its own.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::coordinator::materialize::Run;
use crate::engine::application::Application;
use crate::engine::bundle::bundles;
use crate::engine::input_check::check_inputs;
use crate::engine::materialize::materialize;
use crate::engine::sla;
use crate::engine::start::start;
use crate::engine::{Engine, Report};
use crate::error::{Error, ErrorCode, Result};
use crate::host::presence::PresenceCache;
use crate::model::time::{DAY, Timestamp};
use crate::store::{CoordinatorJob, CoordinatorKey, Snapshot};

/// The longest leap of the clock, from the last recorded event, that a tick takes for downtime.
const LONGEST_LEAP_SECONDS: i64 = 400 * DAY;

/// A tick at work.
pub(crate) struct Tick<'a> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) now: Timestamp,
    pub(crate) report: Report,
    /// Actions created so far, per job.
    created: HashMap<CoordinatorKey, u32>,
    postponed: HashSet<CoordinatorKey>,
}

/// What a tick does when the clock seems to have leapt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Stop, with a message.
    Checked,
    /// The user said that the clock is right.
    Accepted,
}

/// Runs every step once, and again as long as one step made work for another.
///
/// # Errors
/// H0131 when the clock leapt forward, or any failure of the database; what was committed before stays.
pub(crate) fn tick(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<Report> {
    check_clock(engine, now, clock)?;
    let mounts = engine.mounts.clone();
    let presence = PresenceCache::new(&mounts);
    let mut tick = Tick { engine, now, report: Report::default(), created: HashMap::new(), postponed: HashSet::new() };
    bundles(&mut tick)?;
    loop {
        let created = materialize(&mut tick)?;
        let moved = check_inputs(&mut tick, &presence)?;
        let started = start(&mut tick, &presence)?;
        if !created && !moved && !started {
            break;
        }
    }
    sla::record(&mut tick)?;
    Ok(tick.report)
}

impl Tick<'_> {
    /// The compiled application of a job's version.
    pub(crate) fn application(&mut self, job: &CoordinatorJob, version: u32) -> Result<Arc<Application>> {
        let Engine { store, settings, applications, .. } = &mut *self.engine;
        store.read(|snapshot| applications.load(snapshot, job, version, &settings.submit))
    }

    /// The part of a run that this tick still has room for; the rest is left for the next tick.
    pub(crate) fn bounded(&mut self, job: &CoordinatorJob, mut run: Run) -> Run {
        let created = self.created.entry(job.job).or_default();
        let room = self.engine.settings.most_actions_per_tick.saturating_sub(*created);
        let wanted = u32::try_from(run.created.len()).unwrap_or(u32::MAX);
        if wanted > room {
            let cut = run.created.split_off(room as usize);
            run.next = cut.first().map(|(_, nominal)| *nominal);
            run.last_action_number -= u32::try_from(cut.len()).unwrap_or_default();
            run.done = false;
            if self.postponed.insert(job.job) {
                self.report.postponed.push(job.id.to_string());
            }
        }
        *created += u32::try_from(run.created.len()).unwrap_or_default();
        run
    }
}

/// Stops when the clock is far beyond the last recorded event: a wrong clock would create years of actions.
fn check_clock(engine: &Engine, now: Timestamp, clock: Clock) -> Result<()> {
    let Some(last) = engine.store.read(Snapshot::last_event_at)? else { return Ok(()) };
    let leap = now - last;
    if clock == Clock::Checked && leap > LONGEST_LEAP_SECONDS {
        let days = format!("{} days", leap / DAY);
        return Err(Error::new(ErrorCode::H0131, days)
            .help("if the clock is right, run `howdah tick --accept-clock` once; else set the clock"));
    }
    Ok(())
}
