//! Compares the jobs of an import with the database.

use super::bundle::{self, BundleHere, PlannedBundle};
use super::choices::{Choices, Side, Timeouts};
use super::command::{OozieCommand, creates_more, is_over, status, stopped, waits};
use super::follow::{self, Followed};
use super::oozie_job::OozieJob;
use crate::oozie_export::{JobState, OpenAction};
use howdah_calendar::{Frequency, Schedule};
use howdah_engine::Engine;
use howdah_engine::apply::control::Verb;
use howdah_engine::format::time;
use howdah_engine::run_as;
use howdah_engine::submit::coordinator::{Continuation, PreparedCoordinator, timeout_minutes};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobKind;
use howdah_words::model::row::Takeover;
use howdah_words::model::time::{MINUTE, Timestamp};

/// The timeouts of the actions that a job creates, in minutes; negative: none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobTimeouts {
    /// The one that the job gets here.
    pub here: i32,
    /// The one in Oozie; `None` when the import does not have it.
    pub oozie: Option<i32>,
    /// The one by the definition and the site file.
    pub site: i32,
}

/// One job of a plan.
pub struct Item {
    pub name: String,
    /// Its id in Oozie.
    pub id: String,
    pub step: Step,
}

/// What is done about one job.
pub enum Step {
    TakeOver(Box<Planned>),
    Bundle(Box<PlannedBundle>),
    /// It was taken over before.
    Here(Box<Followed>),
    BundleHere(Box<BundleHere>),
    /// It stays in Oozie, and why.
    Stays(String),
    Refused(Vec<Error>),
}

/// A coordinator that is taken over.
pub struct Planned {
    pub oozie_id: String,
    /// The id in Oozie of its bundle, which is taken over too.
    pub bundle: Option<String>,
    pub(super) prepared: PreparedCoordinator,
    pub continuation: Continuation,
    pub timeouts: JobTimeouts,
    /// The actions that wait here.
    pub carried: Vec<OpenAction>,
    /// The actions that Oozie has started.
    pub left: Vec<OpenAction>,
    /// What stops the job in Oozie.
    pub stop: OozieCommand,
    /// Whether it is known to be stopped.
    pub is_stopped: bool,
}

impl Item {
    /// Returns whether something has to be done.
    pub fn is_to_do(&self) -> bool {
        match &self.step {
            Step::TakeOver(_) | Step::Bundle(_) => true,
            Step::Here(followed) => !followed.moves.is_empty(),
            Step::BundleHere(here) => !here.moves.is_empty(),
            Step::Stays(_) | Step::Refused(_) => false,
        }
    }

    /// Returns whether the job is not here yet, and is taken over.
    pub fn is_new(&self) -> bool {
        matches!(self.step, Step::TakeOver(_) | Step::Bundle(_))
    }

    /// Returns the problems of the job.
    pub fn problems(&self) -> &[Error] {
        match &self.step {
            Step::Refused(problems) => problems,
            Step::Here(followed) => &followed.problems,
            Step::TakeOver(_) | Step::Bundle(_) | Step::BundleHere(_) | Step::Stays(_) => &[],
        }
    }

    /// Returns what stops the job in Oozie before it is taken over; `None` when it is stopped, or need not be.
    pub fn stop(&self) -> Option<&OozieCommand> {
        match &self.step {
            Step::TakeOver(planned) if !planned.is_stopped => Some(&planned.stop),
            Step::Bundle(planned) if !planned.is_stopped => planned.stop.as_ref(),
            _ => None,
        }
    }

    /// Returns what ends a bundle in Oozie after everything of it is here, and nothing of it runs there.
    pub fn finish(&self) -> Option<OozieCommand> {
        let is_wanted = match &self.step {
            Step::Bundle(_) => true,
            Step::BundleHere(here) => here.is_complete,
            _ => false,
        };
        is_wanted.then(|| OozieCommand::Control { id: self.id.clone(), verb: Verb::Kill })
    }
}

/// Says for each job of an import what has to be done; a bundle comes before its coordinators.
///
/// # Errors
/// A failure of the database.
pub fn plan(engine: &Engine, jobs: &[OozieJob], choices: Choices<'_>) -> Result<Vec<Item>> {
    let mut sorted: Vec<&OozieJob> = jobs.iter().collect();
    sorted.sort_by_key(|job| job.kind != JobKind::Bundle);
    let mut items = Vec::new();
    for job in sorted {
        items.extend(item(engine, (jobs, job), &items, choices)?);
    }
    let empty: Vec<String> =
        items.iter().filter(|item| is_empty(item, &items, jobs)).map(|item| item.id.clone()).collect();
    for item in items.iter_mut().filter(|item| empty.contains(&item.id)) {
        let error = Error::with(ErrorCode::H0230, &[&item.id, &"none of its coordinators can be taken over"]);
        item.step = Step::Refused(vec![error]);
    }
    Ok(items)
}

/// Returns whether an item is a bundle, all of whose coordinators are refused.
fn is_empty(item: &Item, items: &[Item], jobs: &[OozieJob]) -> bool {
    let is_refused = |id: &str| items.iter().any(|item| item.id == id && matches!(item.step, Step::Refused(_)));
    let mut own = jobs.iter().filter(|job| job.state.bundle.as_deref() == Some(&item.id)).peekable();
    let is_bundle = matches!(item.step, Step::Bundle(_)) && own.peek().is_some();
    is_bundle && own.all(|job| job.state.id.as_deref().is_some_and(is_refused))
}

/// Says what has to be done about the job with this id in Oozie; its bundle is here.
///
/// # Errors
/// A failure of the database.
pub fn plan_one(engine: &Engine, jobs: &[OozieJob], id: &str, choices: Choices<'_>) -> Result<Option<Item>> {
    let job = jobs.iter().find(|job| job.state.id.as_deref() == Some(id));
    job.map_or(Ok(None), |job| item(engine, (jobs, job), &[], choices))
}

fn item(
    engine: &Engine,
    (jobs, job): (&[OozieJob], &OozieJob),
    before: &[Item],
    choices: Choices<'_>,
) -> Result<Option<Item>> {
    let Some(id) = job.state.id.clone() else { return Ok(None) };
    let name = job.state.name.trim().to_owned();
    let step = match job.kind {
        JobKind::Coordinator => step(engine, (job, &id, bundle_of(job, jobs)), choices)?,
        JobKind::Bundle => bundle_step(engine, (job, &id), choices.side)?,
        JobKind::Workflow => Step::Stays("a workflow job ends where it runs".to_owned()),
    };
    Ok(Some(Item { step: in_bundle(engine, step, before)?, name, id }))
}

fn bundle_step(engine: &Engine, job: (&OozieJob, &str), side: Side<'_>) -> Result<Step> {
    if let Some(here) = bundle::here(engine, job.1, side.states())? {
        return Ok(Step::BundleHere(Box::new(here)));
    }
    let planned = bundle::prepare(engine, job, side)?;
    Ok(planned.map_or_else(Step::Refused, |planned| Step::Bundle(Box::new(planned))))
}

/// Returns the id in Oozie of the bundle of a coordinator, where the import has it.
fn bundle_of<'a>(job: &'a OozieJob, jobs: &[OozieJob]) -> Option<&'a str> {
    let bundle = job.state.bundle.as_deref()?;
    let is_it = |other: &OozieJob| other.kind == JobKind::Bundle && other.state.id.as_deref() == Some(bundle);
    jobs.iter().any(is_it).then_some(bundle)
}

/// Refuses a coordinator whose bundle is refused, or is here and cannot take it.
fn in_bundle(engine: &Engine, step: Step, before: &[Item]) -> Result<Step> {
    let Step::TakeOver(planned) = &step else { return Ok(step) };
    let Some(bundle) = &planned.bundle else { return Ok(step) };
    let problem = match before.iter().find(|item| item.id == *bundle).map(|item| &item.step) {
        Some(Step::Bundle(_)) => None,
        Some(Step::Refused(_)) => Some(Error::with(ErrorCode::H0254, &[&planned.oozie_id, bundle, &"it is refused"])),
        _ => engine.store.read(|snapshot| bundle::membership(snapshot, bundle, &planned.oozie_id))?.err(),
    };
    Ok(problem.map_or(step, |problem| Step::Refused(vec![problem])))
}

fn step(engine: &Engine, (job, id, bundle): (&OozieJob, &str, Option<&str>), choices: Choices<'_>) -> Result<Step> {
    let states = choices.side.states();
    let later = states.and_then(|states| states.get(id));
    let known = engine.store.read(|snapshot| snapshot.takeover_of_id(id))?;
    if let Some(takeover) = known.as_ref().filter(|takeover| takeover.back_at.is_none()) {
        let followed = engine.store.read(|snapshot| follow::compare(snapshot, takeover, later))?;
        return Ok(Step::Here(Box::new(followed)));
    }
    let state = match merged((&job.state, later), bundle.is_some()) {
        Ok(Some(_)) if states.is_some() && later.is_none() => {
            let error = Error::with(ErrorCode::H0232, &[&id, &"the later state does not have it"]);
            return Ok(Step::Refused(vec![error.help("name a later export, or the URL of the Oozie")]));
        }
        Ok(Some(state)) => state,
        Ok(None) => return Ok(Step::Stays("it creates no more actions, and none of them waits".to_owned())),
        Err(error) => return Ok(Step::Refused(vec![error])),
    };
    if let Some(error) = known.map(|former| older_than_return(engine, &former, &state)).transpose()?.flatten() {
        return Ok(Step::Refused(vec![error]));
    }
    let is_idle = stopped(&job.state);
    let allowed = if is_idle { Ok(()) } else { choices.side.check_stopped(id).map_err(|error| vec![error]) };
    match prepare(engine, (job, id), &state, choices.timeouts).and_then(|ready| allowed.map(|()| ready)) {
        Ok((prepared, continuation, timeouts)) => {
            let (carried, left) = split(&state);
            let stop = OozieCommand::stop(id, continuation.next);
            let (oozie_id, bundle) = (id.to_owned(), bundle.map(str::to_owned));
            let is_stopped = is_idle || choices.side.is_stopped();
            let planned =
                Planned { oozie_id, bundle, prepared, continuation, timeouts, carried, left, stop, is_stopped };
            Ok(Step::TakeOver(Box::new(planned)))
        }
        Err(errors) => Ok(Step::Refused(errors)),
    }
}

/// Returns the state with what a later one says of its open actions; `None` for a job that stays in Oozie, because it
/// does nothing more than to wait for its last actions there. A coordinator of a bundle does not stay: it counts for
/// the status of its bundle until it is over.
///
/// # Errors
/// H0232 when the job was not stopped at the next nominal time of the state, or the state itself is of a stopped job.
fn merged((state, later): (&JobState, Option<&JobState>), is_in_bundle: bool) -> Result<Option<JobState>> {
    let id = state.id.as_deref().unwrap_or_default();
    let refuse = |why: &str| Error::with(ErrorCode::H0232, &[&id, &why]);
    if state.concurrency == Some(0) {
        let why = "its concurrency is 0 already, so its own end and concurrency are not known";
        let error = Error::with(ErrorCode::H0230, &[&id, &why]);
        return Err(error.help("name the import from before it was stopped, and this one with --follow"));
    }
    let both = later.map_or_else(|| state.clone(), |later| with_later(state, later));
    let has_created_more = later.is_some_and(|later| later.last_action > state.last_action);
    let live = later.filter(|later| !is_over(later));
    let creates_more = [Some(state), live].into_iter().flatten().any(creates_more) || has_created_more;
    if !creates_more && split(&both).0.is_empty() && !is_in_bundle {
        return Ok(None);
    }
    let Some(later) = later else { return Ok(Some(both)) };
    if later.last_action > state.last_action {
        let last = later.last_action.unwrap_or_default();
        let error = refuse(&format!("it has created actions up to {last} since the import"));
        return Err(error.help("import again, and stop it at the next nominal time that the new plan names"));
    }
    if !stopped(later) {
        return Err(refuse("the later state shows that it still creates or starts actions"));
    }
    Ok(Some(both))
}

/// Returns a state with what a later one says of its open actions.
fn with_later(state: &JobState, later: &JobState) -> JobState {
    let mut merged = state.clone();
    merged.open.retain_mut(|action| {
        if later.killed_before_start.contains(&action.number) {
            return true;
        }
        match later.open.iter().find(|open| open.number == action.number) {
            Some(open) => {
                action.status.clone_from(&open.status);
                action.external_id.clone_from(&open.external_id);
                action.configuration = open.configuration.clone().or_else(|| action.configuration.take());
                true
            }
            None => later.status_of(action.number).is_none(),
        }
    });
    merged
}

/// Returns why a job that was given back to Oozie cannot be taken over in a state: the state is from before its return.
fn older_than_return(engine: &Engine, former: &Takeover, state: &JobState) -> Result<Option<Error>> {
    let Some(key) = former.job else { return Ok(None) };
    let (last, ran) = engine.store.read(|snapshot| {
        let job = snapshot.coordinator_job_at(key)?;
        Ok((job.map(|job| job.last_action_number).unwrap_or_default(), super::back::ran_here(snapshot, former)?))
    })?;
    let again = split(state).0.into_iter().find(|action| ran.contains(&action.number));
    let why = match again {
        Some(action) => format!("action {} has run here", action.number),
        None if state.last_action.unwrap_or_default() < last => format!("actions up to {last} were created here"),
        None => return Ok(None),
    };
    Ok(Some(Error::with(ErrorCode::H0235, &[&former.oozie_id, &why])))
}

/// Returns the open actions that wait, and those that Oozie has started.
fn split(state: &JobState) -> (Vec<OpenAction>, Vec<OpenAction>) {
    let (mut carried, left): (Vec<_>, Vec<_>) = state.open.iter().cloned().partition(waits);
    for action in &mut carried {
        // Without what Oozie has resolved, its inputs are checked again.
        if action.configuration.is_none() {
            "WAITING".clone_into(&mut action.status);
        }
    }
    (carried, left)
}

fn prepare(
    engine: &Engine,
    (job, id): (&OozieJob, &str),
    state: &JobState,
    timeouts: Timeouts,
) -> Result<(PreparedCoordinator, Continuation, JobTimeouts), Vec<Error>> {
    let refuse = |why: String| vec![Error::with(ErrorCode::H0230, &[&id, &why])];
    let prepared = job.prepare(&engine.settings.submit)?;
    run_as::worker(&run_as::user(&prepared.application.configuration)).map_err(|error| vec![error])?;
    let schedule = &prepared.application.coordinator.schedule;
    let last_number = state.last_action.ok_or_else(|| refuse("its last action is not known".to_owned()))?;
    if let Some(next) = state.next.filter(|next| !fits(schedule, last_number, *next)) {
        let at = time(next);
        return Err(refuse(format!("action {} is not at {at} by its definition", last_number + 1)));
    }
    let wrong = state.open.iter().find(|action| action.nominal.is_none() || action.number > last_number);
    if let Some(action) = wrong {
        return Err(refuse(format!("the state of action {} is not complete", action.number)));
    }
    let word = state.status.as_deref().unwrap_or_default();
    let status = status(state).filter(|status| !status.is_terminal());
    let concurrency = prepared.application.coordinator.controls.concurrency;
    let site = timeout_minutes(&prepared.application.coordinator);
    let oozie = state.timeout_minutes;
    let here = oozie.filter(|_| timeouts == Timeouts::Keep).unwrap_or(site);
    let continuation = Continuation {
        status: status.ok_or_else(|| refuse(format!("its status is [{word}]")))?,
        last_number,
        next: state.next,
        end: state.end.unwrap_or(schedule.end),
        pause: state.pause,
        concurrency: state.concurrency.unwrap_or_else(|| i32::try_from(concurrency).unwrap_or(i32::MAX)),
        throttle: state.throttle,
        timeout_minutes: here,
    };
    Ok((prepared, continuation, JobTimeouts { here, oozie, site }))
}

/// Returns whether the schedule has the action after `last` at `next`.
fn fits(schedule: &Schedule, last: u32, next: Timestamp) -> bool {
    let computed = match schedule.frequency {
        Frequency::Fixed { .. } => schedule.following(last, schedule.start),
        Frequency::Cron(_) => schedule.following(0, next - MINUTE),
    };
    computed == Some(next)
}
