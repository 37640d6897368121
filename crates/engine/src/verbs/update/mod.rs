//! A new definition and new properties for a job that has not ended (`CoordUpdateXCommand`).
//!
//! The checks of submission run again, and values on which existing actions depend must not change (E1023). The new
//! version counts for actions that are created from now on, and for reruns with `--refresh`. Deviations: finished jobs
//! are refused (decision C30); an end or a concurrency that `change` set stays; `-D` without a file is applied over the
//! properties of the job, while a file replaces them all. A job with an unreadable definition can get a new one: then
//! only the job's row decides what must stay.

mod action_diff;
mod fit;
mod text_diff;
mod version;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::Engine;
use crate::application_path::{BUNDLE_ID, BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH};
use crate::compiled::Application;
use crate::lookup::unknown;
use crate::stored_properties::read_properties;
use crate::submit::coordinator::{PreparedCoordinator, coordinator_row};
use crate::submit::submission::{self, Prepared};
use crate::verbs::update::action_diff::Versions;
use crate::verbs::update::version::check_status;
use howdah_oozie::configuration::ParsedProperties;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::row::{CoordinatorDefinition, CoordinatorJob};
use howdah_words::model::time::Timestamp;

pub use crate::verbs::update::action_diff::{ActionChange, Aspect, Change};
pub(crate) use crate::verbs::update::fit::Fit;
pub(crate) use crate::verbs::update::version::NewVersion;

/// The order of an operator.
pub struct UpdateOrder<'a> {
    pub job: &'a JobId,
    /// The properties of a file, which replace the job's. Without a file, and where it names at most the user, the job
    /// keeps its own.
    pub properties: Option<ParsedProperties>,
    /// Properties over these, without a file.
    pub definitions: Option<ParsedProperties>,
    /// How many of the next actions are compared.
    pub actions: u32,
    pub effect: Effect,
}

/// What an update changed, or would change.
#[derive(Clone, Debug)]
pub struct Update {
    pub job: JobId,
    /// The number of the new version; `None` when nothing differs and nothing is stored.
    pub version: Option<u32>,
    pub effect: Effect,
    /// For each file that differs, its name and hunks of a unified diff.
    pub definition: Vec<(String, String)>,
    /// Hunks of the properties; `None` when no new ones were given.
    pub configuration: Option<String>,
    /// Attributes of the job that differ: name, old and new value.
    pub attributes: Vec<(&'static str, String, String)>,
    /// How many future actions were to be compared, and how many there were.
    pub asked: u32,
    pub compared: u32,
    pub actions: Vec<ActionChange>,
    /// The warnings of a submission.
    pub warnings: Vec<Error>,
    /// Why the job's definition cannot be read any more, so that no action was compared.
    pub unreadable: Option<Error>,
}

/// The version of the definition that the job has.
struct Before {
    configuration: Properties,
    /// The error when it cannot be read: another version of howdah, or other settings, accepted it.
    application: Result<Arc<Application>>,
    /// Whether the job began in an Oozie, with the timeout and the throttle that it had there.
    is_taken_over: bool,
}

impl Before {
    /// Returns the application, where it can be read.
    fn readable(&self) -> Option<&Application> {
        self.application.as_deref().ok()
    }

    fn written_end(&self) -> Option<Timestamp> {
        self.readable().map(|old| old.written_end)
    }
}

/// Updates one job.
///
/// # Errors
/// E0302, E0604, E1023, everything that submission refuses, E1004 and E1010 for the next actions, E1100 when another
/// command changed the job meanwhile.
pub fn update(engine: &mut Engine, order: UpdateOrder<'_>, now: Timestamp) -> Result<Update, Vec<Error>> {
    if order.job.kind() != JobKind::Coordinator {
        let error = Error::new(ErrorCode::E0302, order.job);
        return Err(one(
            error.help("only a coordinator job is updated; a workflow job reads its definition at a rerun")
        ));
    }
    let job = engine.store.read(|snapshot| snapshot.coordinator_job(order.job)).map_err(one)?;
    let job = job.ok_or_else(|| one(unknown(order.job)))?;
    check_status(&job).map_err(one)?;
    let old = before(engine, &job).map_err(one)?;
    let given = order.properties.filter(has_properties);
    let is_configured = given.is_some() || order.definitions.is_some();
    let properties = properties(&job, &old, given, order.definitions);
    let (prepared, warnings) = submission::prepare(&engine.mounts, &engine.settings, &properties);
    let prepared = match prepared {
        Some(Prepared::Coordinator(prepared)) => prepared,
        Some(Prepared::Workflow(_) | Prepared::Bundle(_)) => return Err(vec![no_coordinator()]),
        None => return Err(warnings),
    };
    let fit = Fit::of(&job, &submitted_row(&job, &prepared, now), (old.written_end(), &prepared.application));
    fit.refusal().map_err(one)?;
    let mut update = compared(engine, (&job, &old), &prepared, (order.actions, now)).map_err(one)?;
    update.configuration = update.configuration.filter(|_| is_configured);
    (update.effect, update.warnings) = (order.effect, warnings);
    if update.version.is_some() {
        let version =
            NewVersion::of((&job, &prepared), new_row(&old, (&job, &prepared), now), None, (order.effect, now))
                .map_err(one)?;
        let Engine { store, settings, .. } = engine;
        store.transact_for(order.effect, |transaction| version.store(transaction, settings)).map_err(one)?;
    }
    Ok(update)
}

/// Compares a job with a prepared coordinator that it can take over, as an update does, and stores nothing.
///
/// # Errors
/// E1005 when the job has no definition, E1004, E1010 and E0303 for the next actions, or a failure of the database.
pub fn preview(
    engine: &mut Engine,
    (job, prepared): (&CoordinatorJob, &PreparedCoordinator),
    (most, now): (u32, Timestamp),
) -> Result<Update> {
    let old = before(engine, job)?;
    compared(engine, (job, &old), prepared, (most, now))
}

/// Returns the version of a job that a prepared coordinator is, to be stored in a transaction of the caller.
///
/// # Errors
/// E1005 when the job has no definition, H0107, H0110, H0113, or a failure of the database.
pub(crate) fn new_version<'a>(
    engine: &mut Engine,
    (job, prepared): (&'a CoordinatorJob, &'a PreparedCoordinator),
    new_end: Option<Timestamp>,
    now: Timestamp,
) -> Result<NewVersion<'a>> {
    let old = before(engine, job)?;
    NewVersion::of((job, prepared), new_row(&old, (job, prepared), now), new_end, (Effect::Stored, now))
}

/// Returns what differs between a job and a prepared coordinator.
fn compared(
    engine: &Engine,
    (job, old): (&CoordinatorJob, &Before),
    prepared: &PreparedCoordinator,
    (most, now): (u32, Timestamp),
) -> Result<Update> {
    let versions = Versions { job, old: old.readable(), new: &prepared.application, now };
    let (compared, actions) = versions.compare(most)?;
    let definition = engine.store.read(|snapshot| definition_changes(snapshot, job, prepared))?;
    let (before, after) = (&old.configuration, &prepared.application.configuration);
    let attributes = attributes(job, &new_row(old, (job, prepared), now));
    let differs = !definition.is_empty() || before != after || !attributes.is_empty();
    Ok(Update {
        job: job.id.clone(),
        version: differs.then_some(job.definition_version + 1),
        effect: Effect::DryRun,
        configuration: Some(text_diff::property_hunks(before, after)),
        attributes,
        definition,
        asked: most,
        compared,
        actions,
        warnings: Vec::new(),
        unreadable: old.application.as_ref().err().cloned(),
    })
}

/// Returns the row that a new job would have; a concurrency that `change` set stays, and what an Oozie gave a job that
/// was taken over.
fn new_row(old: &Before, (job, prepared): (&CoordinatorJob, &PreparedCoordinator), now: Timestamp) -> CoordinatorJob {
    let mut row = submitted_row(job, prepared, now);
    let Some(before) = old.readable().map(|old| &old.coordinator.controls) else { return row };
    let after = &prepared.application.coordinator.controls;
    if before.concurrency == after.concurrency {
        row.concurrency = job.concurrency;
    }
    if old.is_taken_over && before.timeout_minutes == after.timeout_minutes {
        row.timeout_minutes = job.timeout_minutes;
    }
    if old.is_taken_over && before.throttle == after.throttle {
        row.throttle = job.throttle;
    }
    row
}

/// Returns how a prepared coordinator fits a job.
///
/// # Errors
/// E1005 when the job has no definition, H0107, or a failure of the database.
pub fn fit(engine: &mut Engine, job: &CoordinatorJob, prepared: &PreparedCoordinator, now: Timestamp) -> Result<Fit> {
    let old = before(engine, job)?;
    let new = submitted_row(job, prepared, now);
    Ok(Fit::of(job, &new, (old.written_end(), &prepared.application)))
}

/// Returns the row that a submission would give the job. A coordinator of a bundle has the name that it has there.
fn submitted_row(job: &CoordinatorJob, prepared: &PreparedCoordinator, now: Timestamp) -> CoordinatorJob {
    let mut row = coordinator_row(job.id.clone(), prepared, now);
    if job.parent_bundle.is_some() {
        row.name.clone_from(&job.name);
    }
    row
}

/// Returns whether a job has exactly the definition and the configuration of a prepared coordinator.
///
/// # Errors
/// As `fit`.
pub fn is_same(engine: &mut Engine, job: &CoordinatorJob, prepared: &PreparedCoordinator) -> Result<bool> {
    let old = before(engine, job)?;
    let files = engine.store.read(|snapshot| definition_changes(snapshot, job, prepared))?;
    Ok(files.is_empty() && old.configuration == prepared.application.configuration)
}

/// Compares the next actions of a job with those that a new job would have from a position of its schedule on: their
/// count, and those that differ.
///
/// # Errors
/// As [`update`] for the next actions.
pub(crate) fn compare_from(
    engine: &mut Engine,
    job: &CoordinatorJob,
    (prepared, from): (&PreparedCoordinator, (u32, Timestamp)),
    (most, now): (u32, Timestamp),
) -> Result<(u32, Vec<ActionChange>)> {
    let old = before(engine, job)?;
    let versions = Versions { job, old: old.readable(), new: &prepared.application, now };
    versions.compare_from(from, most)
}

/// Reads the version that the job has.
///
/// # Errors
/// E1005 when there is none, H0107 for properties that howdah did not write, or a failure of the database.
fn before(engine: &mut Engine, job: &CoordinatorJob) -> Result<Before> {
    let Engine { store, settings, applications, .. } = engine;
    store.read(|snapshot| {
        let stored = stored_definition(snapshot, job)?;
        let configuration = read_properties(&snapshot.document(stored.configuration)?)?;
        let application = applications.load(snapshot, job, job.definition_version, &settings.submit);
        match application {
            Err(error) if !error.is_answer() => Err(error),
            application => {
                let is_taken_over = snapshot.takeover_of_job(job.job)?.is_some();
                Ok(Before { configuration, application, is_taken_over })
            }
        }
    })
}

fn stored_definition(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<CoordinatorDefinition> {
    let stored = snapshot.coordinator_definition(job.job, job.definition_version)?;
    stored.ok_or_else(|| Error::new(ErrorCode::E1005, format!("{} has no definition", job.id)))
}

fn one(error: Error) -> Vec<Error> {
    vec![error]
}

fn no_coordinator() -> Error {
    Error::new(ErrorCode::E1023, format!("{WORKFLOW_PATH} names a workflow"))
        .help(format!("a coordinator job stays one: give {COORDINATOR_PATH}, or leave the path out to keep the job's"))
}

/// Returns whether properties say more than who gives them. Oozie's command line always sends a document, also without
/// a file, and a server adds the user to it.
fn has_properties(given: &ParsedProperties) -> bool {
    given.values.keys().any(|name| !["user.name", "mapreduce.job.user.name"].contains(&name.as_str()))
}

/// Returns the properties of the updated job: those given, over the job's own where no file was. The path and the
/// bundle are the job's when no other one is named, and the user always is.
fn properties(
    job: &CoordinatorJob,
    old: &Before,
    file: Option<ParsedProperties>,
    definitions: Option<ParsedProperties>,
) -> ParsedProperties {
    let mut properties = file.unwrap_or_else(|| old.configuration.clone().into());
    for (name, value) in definitions.into_iter().flat_map(|definitions| definitions.values) {
        properties.define(name, value);
    }
    let has_path =
        [COORDINATOR_PATH, WORKFLOW_PATH, BUNDLE_PATH].iter().any(|name| properties.values.contains_key(*name));
    if !has_path {
        properties.define(COORDINATOR_PATH.to_owned(), job.app_path.clone());
    }
    if let Some(bundle) = old.configuration.get(BUNDLE_ID) {
        properties.define(BUNDLE_ID.to_owned(), bundle.clone());
    }
    properties.define("user.name".to_owned(), job.user.clone());
    properties
}

/// Returns the files of the definition that differ.
fn definition_changes(
    snapshot: &Snapshot,
    job: &CoordinatorJob,
    prepared: &PreparedCoordinator,
) -> Result<Vec<(String, String)>> {
    let stored = stored_definition(snapshot, job)?;
    let mut before = BTreeMap::new();
    for include in &stored.includes.0 {
        before.insert(include.uri.clone(), snapshot.document(include.document)?);
    }
    let mut pairs =
        vec![(prepared.source.name.clone(), snapshot.document(stored.definition)?, prepared.source.text.clone())];
    for (uri, text) in &prepared.includes {
        pairs.push((uri.clone(), before.remove(uri).unwrap_or_default(), Arc::clone(text).text.clone()));
    }
    pairs.extend(before.into_iter().map(|(uri, text)| (uri, text, String::new())));
    let changed = pairs.into_iter().map(|(name, old, new)| (name, text_diff::hunks(&old, &new)));
    Ok(changed.filter(|(_, hunks)| !hunks.is_empty()).collect())
}

/// Returns the attributes that are taken over and differ.
fn attributes(old: &CoordinatorJob, new: &CoordinatorJob) -> Vec<(&'static str, String, String)> {
    let values = |job: &CoordinatorJob| {
        [
            ("path", job.app_path.clone()),
            ("timeout", job.timeout_minutes.to_string()),
            ("concurrency", job.concurrency.to_string()),
            ("execution", job.execution.to_string()),
            ("throttle", job.throttle.to_string()),
        ]
    };
    let pairs = values(old).into_iter().zip(values(new));
    pairs.filter(|(old, new)| old.1 != new.1).map(|((name, old), (_, new))| (name, old, new)).collect()
}
