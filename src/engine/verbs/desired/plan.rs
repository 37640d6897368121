//! Compares described jobs with the jobs of the database.

use std::collections::BTreeSet;

use super::gone;
use super::state::{Item, Key, Manner, Replacement, Step, Wanted, id, is_creating, twice};
use crate::calendar::notation::time;
use crate::engine::Engine;
use crate::engine::lookup::Job;
use crate::engine::stored_properties::read_properties;
use crate::engine::submit::bundle::PreparedBundleJob;
use crate::engine::submit::coordinator::PreparedCoordinator;
use crate::engine::submit::submission::Prepared;
use crate::engine::verbs::update::{self, Fit, UpdateOrder};
use crate::error::{Error, ErrorCode};
use crate::model::effect::Effect;
use crate::model::id::JobKind;
use crate::model::job_status::JobStatus;
use crate::model::row::{BundleJob, CoordinatorJob};
use crate::model::time::Timestamp;

/// Compares described jobs with those of the database.
///
/// # Errors
/// H0171 for a name that two jobs have, H0172 for a job that cannot be applied, H0173 for one that cannot be replaced
/// now, the refusals of an update, or a failure of the database.
pub(crate) fn plan(
    engine: &mut Engine,
    wanted: &[Wanted],
    manner: &Manner,
    now: Timestamp,
) -> Result<Vec<Item>, Vec<Error>> {
    let mut items = Vec::new();
    let mut problems = Vec::new();
    let mut keys = BTreeSet::new();
    for (index, one) in wanted.iter().enumerate() {
        let key = manner.key_of(&one.prepared);
        if !keys.insert(key.clone()) {
            problems.push(twice(&key, &format!("{} describes it too", one.file.display())));
            continue;
        }
        match step(engine, (one, &key), manner, now) {
            Ok(step) => items.push(Item { key, kind: kind(&one.prepared), wanted: Some(index), step }),
            Err(errors) => problems.extend(errors),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    let gone = engine.store.read(|snapshot| gone::gone(snapshot, manner, &keys)).map_err(one)?;
    items.extend(gone);
    Ok(items)
}

fn kind(prepared: &Prepared) -> JobKind {
    match prepared {
        Prepared::Coordinator(_) => JobKind::Coordinator,
        Prepared::Workflow(_) => JobKind::Workflow,
        Prepared::Bundle(_) => JobKind::Bundle,
    }
}

fn step(engine: &mut Engine, (one, key): (&Wanted, &Key), manner: &Manner, now: Timestamp) -> Result<Step, Vec<Error>> {
    let found = engine.store.read(|snapshot| manner.jobs(snapshot, key)).map_err(self::one)?;
    let creating: Vec<&Job> = found.iter().filter(|job| is_creating(job)).collect();
    if let [first, second, ..] = creating[..] {
        return Err(vec![twice(key, &format!("{} and {} both have it", id(first), id(second)))]);
    }
    match (&one.prepared, found.into_iter().next()) {
        (Prepared::Workflow(_), _) => {
            let error = Error::with(ErrorCode::H0172, &[&one.file.display(), &"it describes a workflow job"]);
            Err(vec![error.help("a workflow job runs once: submit it with `howdah submit`")])
        }
        (_, None) => Ok(Step::Submit),
        (Prepared::Coordinator(prepared), Some(Job::Coordinator(job))) => {
            Candidate { one, prepared, job }.step(engine, manner, now)
        }
        (Prepared::Bundle(prepared), Some(Job::Bundle(job))) => bundle_step(engine, (one, prepared), &job),
        (_, Some(other)) => Err(vec![twice(key, &format!("{} is a job of another kind", id(&other)))]),
    }
}

/// A described coordinator and the job that has its name.
struct Candidate<'a> {
    one: &'a Wanted,
    prepared: &'a PreparedCoordinator,
    job: CoordinatorJob,
}

impl Candidate<'_> {
    fn step(self, engine: &mut Engine, manner: &Manner, now: Timestamp) -> Result<Step, Vec<Error>> {
        if self.job.status.is_terminal() {
            return self.step_of_ended(engine, manner, now);
        }
        match update::fit(engine, &self.job, self.prepared, now).map_err(one)? {
            Fit::Takes => self.update(engine, None, (manner.actions, now)),
            Fit::NewEnd(end, _) => self.update(engine, Some(end), (manner.actions, now)),
            Fit::NewJob(why) => self.replace(engine, why.message(), (manner.actions, now)),
        }
    }

    /// A job that succeeded stays as it is while nothing differs; every other one is continued by a new job.
    fn step_of_ended(self, engine: &mut Engine, manner: &Manner, now: Timestamp) -> Result<Step, Vec<Error>> {
        let is_done = matches!(self.job.status, JobStatus::Done { .. });
        if is_done && update::is_same(engine, &self.job, self.prepared).map_err(one)? {
            return Ok(Step::Unchanged(self.job.id));
        }
        let why = format!("it is {}", self.job.status);
        self.replace(engine, &why, (manner.actions, now))
    }

    fn update(
        self,
        engine: &mut Engine,
        new_end: Option<Timestamp>,
        (actions, now): (u32, Timestamp),
    ) -> Result<Step, Vec<Error>> {
        let order = UpdateOrder {
            job: &self.job.id,
            properties: Some(self.one.properties.clone()),
            definitions: None,
            actions,
            effect: Effect::DryRun,
            follows_new_end: new_end.is_some(),
        };
        let update = update::update(engine, order, now)?;
        if update.version.is_none() && new_end.is_none() {
            return Ok(Step::Unchanged(self.job.id));
        }
        Ok(Step::Update(Box::new(update), new_end))
    }

    fn replace(self, engine: &mut Engine, why: &str, (most, now): (u32, Timestamp)) -> Result<Step, Vec<Error>> {
        let Self { prepared, job, .. } = self;
        if job.status.is_suspended() || job.status.is_paused() {
            let error = Error::with(ErrorCode::H0173, &[&job.id, &format!("it is {}", job.status)]);
            return Err(vec![error.help("resume it, or kill it: then a new job continues where it stopped")]);
        }
        let next = job.next_materialized_at.unwrap_or(job.start_at);
        let schedule = &prepared.application.coordinator.schedule;
        let Some(from) = schedule.actions_from(1, next).next() else {
            let why = format!("the new definition has no nominal time from {} on", time(next));
            let error = Error::with(ErrorCode::H0173, &[&job.id, &why]);
            return Err(vec![error.help("give the definition a later end")]);
        };
        let (compared, actions) = update::compare_from(engine, &job, (prepared, from), (most, now)).map_err(one)?;
        Ok(Step::Replace(Box::new(Replacement { job, from, why: why.to_owned(), compared, actions })))
    }
}

/// A bundle is submitted, or stays as it is: nothing changes one in its place.
fn bundle_step(
    engine: &mut Engine,
    (one, prepared): (&Wanted, &PreparedBundleJob),
    job: &BundleJob,
) -> Result<Step, Vec<Error>> {
    let same = engine.store.read(|snapshot| {
        let configuration = read_properties(&snapshot.document(job.configuration)?)?;
        let definition = snapshot.document(job.definition)?;
        Ok(definition == prepared.definition() && configuration == prepared.prepared.configuration)
    });
    if same.map_err(self::one)? && !matches!(job.status, JobStatus::Killed | JobStatus::Failed) {
        return Ok(Step::Unchanged(job.id.clone()));
    }
    let why = format!("the bundle {} is {} and is described otherwise now", job.id, job.status);
    let error = Error::with(ErrorCode::H0172, &[&one.file.display(), &why]);
    let help =
        "`howdah update` and `howdah change` work on its coordinators and its end; a new bundle needs another name";
    Err(vec![error.help(help)])
}

fn one(error: Error) -> Vec<Error> {
    vec![error]
}
