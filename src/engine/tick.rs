//! One step of the engine: everything that is due, in a fixed order (specification 6.1).
//!
//! `tick`, `run`, `daemon` and the runner all call [`tick`]; none has logic of its own. A job's status is no step: it
//! follows its actions' in the transaction that changes them (`engine::change`).

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::calendar::Schedule;
use crate::coordinator::materialize::Run;
use crate::engine::application::Application;
use crate::engine::backlog::{self, Backlog};
use crate::engine::bundle::bundles;
use crate::engine::clock;
use crate::engine::input_check::check_inputs;
use crate::engine::materialize::materialize;
use crate::engine::pause::pause;
use crate::engine::place;
use crate::engine::sla;
use crate::engine::start::start;
use crate::engine::{Engine, Report};
use crate::error::Result;
use crate::host::presence::PresenceCache;
use crate::model::time::Timestamp;
use crate::store::{CoordinatorJob, CoordinatorKey};

pub(crate) use crate::engine::clock::Clock;

/// A tick at work.
pub(crate) struct Tick<'a> {
    pub(crate) engine: &'a mut Engine,
    pub(crate) now: Timestamp,
    pub(crate) report: Report,
    /// Actions created so far, per job.
    created: HashMap<CoordinatorKey, u32>,
    postponed: HashSet<CoordinatorKey>,
}

/// Runs every step once, and again as long as one step made work for another. With a clock far behind it does nothing,
/// and its report says so.
///
/// # Errors
/// H0131 when the clock leapt forward, H0133 when this may be a copy of the database, or any failure of the database;
/// what was committed before stays.
pub(crate) fn tick(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<Report> {
    place::check(engine)?;
    if let Some(behind) = clock::check(engine, now, clock)? {
        return Ok(Report { faults: vec![behind], ..Report::default() });
    }
    let mounts = engine.mounts.clone();
    let presence = PresenceCache::new(&mounts);
    let mut tick = Tick { engine, now, report: Report::default(), created: HashMap::new(), postponed: HashSet::new() };
    bundles(&mut tick)?;
    pause(&mut tick)?;
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
    pub(crate) fn bounded(&mut self, job: &CoordinatorJob, schedule: &Schedule, mut run: Run) -> Run {
        let created = self.created.entry(job.job).or_default();
        let per_tick = self.engine.settings.most_actions_per_tick;
        let wanted = u32::try_from(run.created.len()).unwrap_or(u32::MAX);
        let kept = wanted.min(per_tick.saturating_sub(*created));
        if kept < wanted {
            let cut = run.created.split_off(kept as usize);
            run.next = cut.first().map(|(_, nominal)| *nominal);
            run.last_action_number -= wanted - kept;
            run.done = false;
            if self.postponed.insert(job.job) {
                let past = backlog::past(schedule, job, self.now).saturating_sub(kept);
                self.report.postponed.push(Backlog { job: job.id.to_string(), past, per_tick });
            }
        }
        *created += kept;
        run
    }
}
