//! The context that the steps of a tick share.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use crate::Engine;
use crate::catch_up::{self, Backlog};
use crate::compiled::Application;
use crate::tick::report::Report;
use howdah_calendar::Schedule;
use howdah_oozie::coordinator::materialize::Run;
use howdah_words::error::Result;
use howdah_words::model::row::{CoordinatorJob, CoordinatorKey, Shadow};
use howdah_words::model::time::Timestamp;

/// A running tick.
pub struct Tick<'a> {
    pub engine: &'a mut Engine,
    pub now: Timestamp,
    pub report: Report,
    /// The jobs whose inputs are checked; `None`: all.
    pub checked: Option<BTreeSet<CoordinatorKey>>,
    /// Actions created so far, per job.
    created: HashMap<CoordinatorKey, u32>,
    postponed: HashSet<CoordinatorKey>,
    /// Set in a shadow, where nothing starts.
    pub shadow: Option<Shadow>,
}

impl<'a> Tick<'a> {
    /// Creates a tick that has done nothing yet.
    pub fn new(engine: &'a mut Engine, now: Timestamp) -> Self {
        let (report, checked) = (Report::default(), None);
        let (created, postponed) = (HashMap::new(), HashSet::new());
        Self { engine, now, report, checked, created, postponed, shadow: None }
    }

    /// Returns the compiled application of a job's version.
    pub fn application(&mut self, job: &CoordinatorJob, version: u32) -> Result<Arc<Application>> {
        let Engine { store, settings, applications, .. } = &mut *self.engine;
        store.read(|snapshot| applications.load(snapshot, job, version, &settings.submit))
    }

    /// Limits a run to the number of actions that this tick may still create; the next tick creates the others.
    pub fn bounded(&mut self, job: &CoordinatorJob, schedule: &Schedule, mut run: Run) -> Run {
        // New actions have new inputs.
        self.checked.iter_mut().for_each(|jobs| jobs.extend([job.job]));
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
                let past = catch_up::past(schedule, job, self.now).saturating_sub(kept);
                self.report.postponed.push(Backlog::of(job, past, per_tick));
            }
        }
        *created += kept;
        run
    }
}
