//! Compares described jobs with the jobs of the database.

use std::collections::BTreeSet;

use super::gone;
use super::members;
use super::state::{
    Item, Key, Manner, Replacement, Revision, SOURCE, Step, Wanted, id, is_creating, source_of, twice, with_source,
    with_user_of,
};
use crate::Engine;
use crate::format::time;
use crate::lookup::Job;
use crate::stored_properties::read_properties;
use crate::submit::bundle::PreparedBundleJob;
use crate::submit::coordinator::PreparedCoordinator;
use crate::submit::submission::Prepared;
use crate::verbs::update::{self, Fit};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobKind;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{BundleJob, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// Compares described jobs with those of the database.
///
/// # Errors
/// H0171 for a name that two jobs have, H0172 for a job that cannot be applied, H0173 for one that cannot be replaced
/// now, the refusals of an update, or a failure of the database.
pub fn plan(engine: &mut Engine, wanted: &[Wanted], manner: &Manner, now: Timestamp) -> Result<Vec<Item>, Vec<Error>> {
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
            Candidate { prepared, job }.step(engine, (manner.actions, now))
        }
        (Prepared::Bundle(prepared), Some(Job::Bundle(job))) => {
            bundle_step(engine, (one, prepared), (job, manner), now)
        }
        (_, Some(other)) => Err(vec![twice(key, &format!("{} is a job of another kind", id(&other)))]),
    }
}

/// A described coordinator and the job that has its name.
struct Candidate<'a> {
    prepared: &'a PreparedCoordinator,
    job: CoordinatorJob,
}

impl Candidate<'_> {
    fn step(self, engine: &mut Engine, how: (u32, Timestamp)) -> Result<Step, Vec<Error>> {
        if self.job.status.is_terminal() {
            return self.step_of_ended(engine, how);
        }
        match update::fit(engine, &self.job, self.prepared, how.1).map_err(one)? {
            Fit::Takes => self.update(engine, None, how).map_err(one),
            Fit::NewEnd(end, _) => self.update(engine, Some(end), how).map_err(one),
            Fit::NewJob(why) => self.replace(engine, why.message(), how),
        }
    }

    /// A job that succeeded stays as it is while nothing differs; every other one is continued by a new job.
    fn step_of_ended(self, engine: &mut Engine, how: (u32, Timestamp)) -> Result<Step, Vec<Error>> {
        let is_done = matches!(self.job.status, JobStatus::Done { .. });
        if is_done && self.is_same(engine).map_err(one)? {
            return Ok(Step::Unchanged(self.job.id));
        }
        let why = format!("it is {}", self.job.status);
        self.replace(engine, &why, how)
    }

    /// Returns whether the ended job was what is described; from which folder is no difference.
    fn is_same(&self, engine: &mut Engine) -> Result<bool> {
        let source = engine.store.read(|snapshot| source_of(snapshot, &self.job))?;
        update::is_same(engine, &self.job, &with_source(source, with_user_of(&self.job, self.prepared)))
    }

    fn update(self, engine: &mut Engine, new_end: Option<Timestamp>, how: (u32, Timestamp)) -> Result<Step> {
        let Self { prepared, job } = self;
        let prepared = with_user_of(&job, prepared);
        // The source alone is no difference, unless the job has none: then it begins to belong to the folder.
        let source = engine.store.read(|snapshot| source_of(snapshot, &job))?;
        let source = source.or_else(|| prepared.application.configuration.get(SOURCE).cloned());
        let compared = update::preview(engine, (&job, &with_source(source, prepared.clone())), (0, how.1))?;
        if compared.version.is_none() && new_end.is_none() {
            return Ok(Step::Unchanged(job.id));
        }
        let update = update::preview(engine, (&job, &prepared), how)?;
        if new_end.is_some() {
            // `change` may refuse the end: the plan says so before anything is done.
            let version = update::new_version(engine, (&job, &prepared), new_end, how.1)?;
            let Engine { store, settings, .. } = engine;
            store.transact_for(Effect::DryRun, |transaction| version.store(transaction, settings))?;
        }
        Ok(Step::Update(Box::new(Revision { job, update, new_end })))
    }

    fn replace(self, engine: &mut Engine, why: &str, (most, now): (u32, Timestamp)) -> Result<Step, Vec<Error>> {
        let Self { prepared, job } = self;
        if job.status.is_suspended() || job.status.is_paused() {
            let error = Error::with(ErrorCode::H0173, &[&job.id, &format!("it is {}", job.status)]);
            return Err(vec![error.help("resume it, or kill it: then a new job continues where it stopped")]);
        }
        let schedule = &prepared.application.coordinator.schedule;
        // One that has not begun has no position: the new job begins with its own first nominal time.
        let next = job.next_materialized_at.unwrap_or(schedule.start);
        let Some(from) = schedule.actions_from(1, next).next() else {
            return without_time(job, next);
        };
        let (compared, actions) = update::compare_from(engine, &job, (prepared, from), (most, now)).map_err(one)?;
        Ok(Step::Replace(Box::new(Replacement { job, from, why: why.to_owned(), compared, actions })))
    }
}

/// Returns what happens to a job whose new definition has no nominal time that is left.
///
/// # Errors
/// H0173 for a job that creates actions: it would end now.
fn without_time(job: CoordinatorJob, next: Timestamp) -> Result<Step, Vec<Error>> {
    let why = format!("the new definition has no nominal time from {} on", time(next));
    if job.status.is_terminal() || job.done_materialization {
        return Ok(Step::Ended(job.id, format!("it is {}, and {why}", job.status)));
    }
    let error = Error::with(ErrorCode::H0173, &[&job.id, &why]);
    Err(vec![error.help("give the definition a later end")])
}

/// What is done about a bundle that is described.
fn bundle_step(
    engine: &mut Engine,
    (one, prepared): (&Wanted, &PreparedBundleJob),
    (job, manner): (BundleJob, &Manner),
    now: Timestamp,
) -> Result<Step, Vec<Error>> {
    let same = engine.store.read(|snapshot| {
        let without_source = |mut configuration: Properties| {
            configuration.remove(SOURCE);
            configuration
        };
        let configuration = without_source(read_properties(&snapshot.document(job.configuration)?)?);
        let definition = snapshot.document(job.definition)?;
        let described = without_source(prepared.prepared.configuration.clone());
        Ok(definition == prepared.definition() && configuration == described)
    });
    let same = same.map_err(self::one)?;
    if job.status.is_terminal() {
        if same && !matches!(job.status, JobStatus::Killed | JobStatus::Failed) {
            return Ok(Step::Unchanged(job.id));
        }
        let why = format!("the bundle {} is {}", job.id, job.status);
        let error = Error::with(ErrorCode::H0172, &[&one.file.display(), &why]);
        return Err(vec![error.help("a bundle that is over does not run again: describe it under another name")]);
    }
    let compare = |engine: &mut Engine, prepared: &PreparedCoordinator, job| {
        Candidate { prepared, job }.step(engine, (manner.actions, now))
    };
    let change = members::plan(engine, prepared, job, &compare)?;
    if same && !change.members.iter().any(|(_, step)| step.is_to_do(manner)) {
        return Ok(Step::Unchanged(change.job.id));
    }
    Ok(Step::Bundle(Box::new(change)))
}

fn one(error: Error) -> Vec<Error> {
    vec![error]
}
