//! `backfill`: chooses nominal times of one job, inside it and before its start, by what became of them.
//!
//! "Missing" is judged by the output data, through the same door as inputs: an output is there, is not there, or the
//! machine cannot tell. The third is reported and never run.

use std::collections::BTreeMap;

use crate::Engine;
use crate::apply::outcome::Outcome;
use crate::compiled::Application;
use crate::format::time;
use crate::lookup::coordinator;
use crate::run_as::{self, Worker};
use crate::verbs::repair::draft::{Draft, Manner, step_of};
use crate::verbs::repair::earlier::{EarlierRuns, calendar, earlier_runs};
use crate::verbs::repair::select::UNSUCCESSFUL;
use howdah_host::presence::{Presence, PresenceCache, State};
use howdah_oozie::coordinator::action::ResolvedEvent;
use howdah_oozie::coordinator::instance::Instance;
use howdah_oozie::dataset::Dataset;
use howdah_store::{ActionFilter, ActionOrder, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob, RepairStep};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{MINUTE, Timestamp};

/// How many nominal times of which the state is unknown are named.
const MOST_NAMED: usize = 5;

/// Which nominal times run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Only {
    /// Those of which an output is not there.
    Missing,
    /// Those whose action is FAILED, KILLED or TIMEDOUT.
    Failed,
    /// All.
    All,
}

/// The order of an operator.
#[derive(Clone, Debug)]
pub struct BackfillOrder {
    pub job: JobId,
    pub from: Timestamp,
    /// The last time, inclusive.
    pub until: Timestamp,
    pub only: Only,
    pub most: Option<u32>,
}

/// Whether the outputs of a nominal time are there.
enum Judged {
    Complete,
    Missing,
    /// The machine cannot tell, and why.
    Unknown(String),
}

/// Chooses the nominal times.
///
/// # Errors
/// E0604, E0302, H0002 when no output says what is missing, H0181, or a failure of the database.
pub fn draft(engine: &mut Engine, order: &BackfillOrder, manner: &Manner, now: Timestamp) -> Result<Draft> {
    let job = engine.store.read(|snapshot| coordinator(snapshot, &order.job))?;
    let Engine { store, settings, applications, mounts, .. } = engine;
    let mut load = |version| store.read(|snapshot| applications.load(snapshot, &job, version, &settings.submit));
    let application = load(job.definition_version)?;
    if order.only == Only::Missing && application.coordinator.outputs.is_empty() {
        let error = Error::new(ErrorCode::H0002, format!("{} writes no output that could be missing", job.id));
        return Err(error.help("--only failed takes the actions that failed, --only all takes all of them"));
    }
    let presence = PresenceCache::new(mounts);
    presence.asks_for(job.job);
    let reader = run_as::reader(&job.user);
    let mut judge = Judge { order, presence: &presence, reader, unknown: Vec::new(), too_early: BTreeMap::new() };
    let mut steps = Vec::new();
    let known = store.read(|snapshot| earlier_runs(snapshot, &job, (order.from, order.until)))?;
    for nominal in earlier(&job, &application, order, now)? {
        let runs = known.get(&nominal).copied().unwrap_or_default();
        if !runs.is_open && judge.wants(&application, nominal, None)? {
            steps.push(earlier_step(&job, nominal, runs));
        }
    }
    let actions = store.read(|snapshot| {
        let filter = ActionFilter {
            nominal_from: Some(order.from),
            nominal_until: Some(order.until),
            statuses: ActionStatus::ALL.iter().copied().filter(|status| status.is_terminal()).collect(),
            ..ActionFilter::default()
        };
        let page = Page { offset: 0, len: u32::MAX };
        Ok(snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, page)?.actions)
    })?;
    for action in &actions {
        let application =
            store.read(|snapshot| applications.load(snapshot, &job, action.definition_version, &settings.submit))?;
        if judge.wants(&application, action.nominal_at, Some(action))? {
            steps.push(step_of(action));
        }
    }
    let Judge { unknown, too_early, .. } = judge;
    let mut draft = Draft::new(manner, steps, order.most, now)?;
    draft.refused.extend(unknown_outcome(&job, &unknown));
    draft.refused.extend(too_early.iter().map(|(dataset, times)| too_early_outcome(&job, dataset, times)));
    let open = known.values().filter(|runs| runs.is_open).count();
    if open > 0 {
        draft.notes.push(format!("{open} before the start wait or run already in an earlier backfill"));
    }
    Ok(draft)
}

/// Returns the nominal times before the start of the job, up to now.
fn earlier(
    job: &CoordinatorJob,
    application: &Application,
    order: &BackfillOrder,
    now: Timestamp,
) -> Result<Vec<Timestamp>> {
    let schedule = &application.coordinator.schedule;
    let first = schedule.following(0, schedule.start - MINUTE).unwrap_or(schedule.start);
    // No action has failed before the first one.
    if order.from >= first || order.from > now || order.only == Only::Failed {
        return Ok(Vec::new());
    }
    let before = calendar(job, application, order.from)?;
    let times = before.actions_from(1, order.from).map(|(_, nominal)| nominal);
    Ok(times.take_while(|nominal| *nominal <= order.until && *nominal <= now).collect())
}

fn earlier_step(job: &CoordinatorJob, nominal_at: Timestamp, runs: EarlierRuns) -> RepairStep {
    RepairStep {
        plan: String::new(),
        step: 0,
        coordinator_job: Some(job.job),
        action_number: None,
        workflow_job: None,
        nominal_at,
        run: runs.times,
        outputs: 0,
        cleaned: false,
        done: false,
    }
}

/// Decides which nominal times run.
struct Judge<'a> {
    order: &'a BackfillOrder,
    presence: &'a dyn Presence,
    reader: Worker,
    /// The nominal times of which the machine cannot tell whether the outputs are there, and why.
    unknown: Vec<(Timestamp, String)>,
    /// Datasets with their initial instances, and the nominal times before the job at which they have no instance yet.
    too_early: BTreeMap<(String, Timestamp), Vec<Timestamp>>,
}

impl Judge<'_> {
    /// Decides whether a nominal time runs; `action` is its action, if it is inside the job.
    fn wants(
        &mut self,
        application: &Application,
        nominal: Timestamp,
        action: Option<&CoordinatorAction>,
    ) -> Result<bool> {
        if action.is_none()
            && let Some(dataset) = dataset_without_instance(application, nominal)?
        {
            self.too_early.entry((dataset.name.clone(), dataset.initial())).or_default().push(nominal);
            return Ok(false);
        }
        match self.order.only {
            Only::All => return Ok(true),
            Only::Failed => return Ok(action.is_some_and(|action| UNSUCCESSFUL.contains(&action.status))),
            Only::Missing => {}
        }
        Ok(match self.judge(application, nominal)? {
            Judged::Missing => true,
            Judged::Complete => false,
            Judged::Unknown(why) => {
                self.unknown.push((nominal, why));
                false
            }
        })
    }

    /// Looks for every output of a nominal time. One that is missing decides; else one that is unknown does.
    fn judge(&self, application: &Application, nominal: Timestamp) -> Result<Judged> {
        let store = application.store();
        let resolved = application.coordinator.resolve(application.scope(), nominal)?;
        let mut judged = Judged::Complete;
        for Instance { dependency, .. } in resolved.outputs.iter().flat_map(ResolvedEvent::instances) {
            let found = self.reader.act(|| self.presence.check(&store.qualify(dependency)));
            match found.unwrap_or_else(|error| State::Unknown(error.message().to_owned())) {
                State::Present => {}
                State::Missing => return Ok(Judged::Missing),
                State::Unknown(why) | State::Unreadable(why) => {
                    judged = Judged::Unknown(format!("{dependency}: {why}"));
                }
                State::Deferred => judged = Judged::Unknown(format!("{dependency}: {}", State::NOT_ASKED)),
                State::Unmapped(store) => judged = Judged::Unknown(format!("{dependency}: no mount for {store}")),
            }
        }
        Ok(judged)
    }
}

/// Returns the dataset of an event that has no instance at a nominal time, because all of them are before its initial
/// instance: the workflow would get an empty path.
fn dataset_without_instance(application: &Application, nominal: Timestamp) -> Result<Option<&Dataset>> {
    let coordinator = &application.coordinator;
    let resolved = coordinator.resolve(application.scope(), nominal)?;
    let events =
        coordinator.inputs.iter().zip(&resolved.inputs).chain(coordinator.outputs.iter().zip(&resolved.outputs));
    let mut without = events.filter(|(_, event)| event.slots.is_empty() && event.before_initial > 0);
    Ok(without.next().map(|(event, _)| event.dataset.as_ref()))
}

/// Returns what is reported of the nominal times at which a dataset has no instance yet.
fn too_early_outcome(job: &CoordinatorJob, dataset: &(String, Timestamp), times: &[Timestamp]) -> Outcome {
    let (name, initial) = dataset;
    let error = Error::with(ErrorCode::H0220, &[name, &time(*initial)]);
    let named = names(times.iter().copied());
    let help =
        format!("these nominal times of {} are not run: {named}; an earlier initial-instance allows them", job.id);
    Outcome { refused: Some(error.help(help)), ..Outcome::of(&job.id) }
}

/// Returns the first of some nominal times, and how many more there are.
fn names(mut times: impl ExactSizeIterator<Item = Timestamp>) -> String {
    let named: Vec<String> = times.by_ref().take(MOST_NAMED).map(time).collect();
    let more = if times.len() > 0 { format!(" and {} more", times.len()) } else { String::new() };
    named.join(", ") + &more
}

/// Returns what is reported of the nominal times of which the machine cannot tell whether they are missing.
fn unknown_outcome(job: &CoordinatorJob, unknown: &[(Timestamp, String)]) -> Option<Outcome> {
    let (first, why) = unknown.first()?;
    let named = names(unknown.iter().map(|(nominal, _)| *nominal));
    let what = format!("whether outputs of {} are there, at {named}", job.id);
    let error = Error::with(ErrorCode::H0113, &[&what, &format!("at {}: {why}", time(*first))]);
    let help = "these nominal times are not run: run the backfill again when the machine can tell";
    Some(Outcome { refused: Some(error.help(help)), ..Outcome::of(&job.id) })
}
