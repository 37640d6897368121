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

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::configuration::ParsedProperties;
use crate::engine::Engine;
use crate::engine::application_path::{BUNDLE_PATH, COORDINATOR_PATH, WORKFLOW_PATH};
use crate::engine::apply::invocation::Invocation;
use crate::engine::compiled::Application;
use crate::engine::due::due_at;
use crate::engine::lookup::unknown;
use crate::engine::stored_properties::read_properties;
use crate::engine::submit::coordinator::{self, PreparedCoordinator};
use crate::engine::submit::submission::{self, Prepared};
use crate::engine::transition::coordinator::{change_job, is_current};
use crate::engine::verbs::update::action_diff::Versions;
use crate::error::{Class, Error, ErrorCode, Result};
use crate::model::Properties;
use crate::model::effect::Effect;
use crate::model::id::{JobId, JobKind};
use crate::model::job_status::JobStatus;
use crate::model::origin::Origin;
use crate::model::row::{CoordinatorDefinition, CoordinatorJob};
use crate::model::time::Timestamp;
use crate::store::{Snapshot, Transaction};

pub(crate) use crate::engine::verbs::update::action_diff::{ActionChange, Aspect, Change};
pub(crate) use crate::engine::verbs::update::fit::Fit;

/// The property of a job that belongs to a bundle; an update keeps it.
const BUNDLE_ID: &str = "oozie.bundle.id";

/// The order of an operator.
pub(crate) struct UpdateOrder<'a> {
    pub(crate) job: &'a JobId,
    /// The properties of a file, which replace the job's; without a file the job keeps its own.
    pub(crate) properties: Option<ParsedProperties>,
    /// Properties over these, without a file.
    pub(crate) definitions: Option<ParsedProperties>,
    /// How many of the next actions are compared.
    pub(crate) actions: u32,
    pub(crate) effect: Effect,
    /// Whether the new end of the definition is no reason to refuse: `change` sets it before the update is stored.
    pub(crate) follows_new_end: bool,
}

/// What an update changed, or would change.
#[derive(Clone, Debug)]
pub(crate) struct Update {
    pub(crate) job: JobId,
    /// The number of the new version; `None` when nothing differs and nothing is stored.
    pub(crate) version: Option<u32>,
    pub(crate) effect: Effect,
    /// For each file that differs, its name and hunks of a unified diff.
    pub(crate) definition: Vec<(String, String)>,
    /// Hunks of the properties; `None` when no new ones were given.
    pub(crate) configuration: Option<String>,
    /// Attributes of the job that differ: name, old and new value.
    pub(crate) attributes: Vec<(&'static str, String, String)>,
    /// How many future actions were compared.
    pub(crate) compared: u32,
    pub(crate) actions: Vec<ActionChange>,
    /// The warnings of a submission.
    pub(crate) warnings: Vec<Error>,
    /// Why the job's definition cannot be read any more, so that no action was compared.
    pub(crate) unreadable: Option<Error>,
}

/// The version of the definition that the job has.
struct Before {
    configuration: Properties,
    /// The error when it cannot be read: another version of howdah, or other settings, accepted it.
    application: Result<Arc<Application>>,
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
pub(crate) fn update(engine: &mut Engine, order: UpdateOrder<'_>, now: Timestamp) -> Result<Update, Vec<Error>> {
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
    let is_configured = order.properties.is_some() || order.definitions.is_some();
    let properties = properties(&job, &old, order.properties, order.definitions);
    let (prepared, warnings) = submission::prepare(&engine.mounts, &engine.settings, &properties);
    let prepared = match prepared {
        Some(Prepared::Coordinator(prepared)) => prepared,
        Some(Prepared::Workflow(_) | Prepared::Bundle(_)) => return Err(vec![no_coordinator()]),
        None => return Err(warnings),
    };
    let mut new_row = coordinator::coordinator_row(job.id.clone(), &prepared, now);
    let fit = Fit::of(&job, &new_row, (old.written_end(), &prepared.application));
    if !(order.follows_new_end && matches!(fit, Fit::NewEnd(..))) {
        fit.refusal().map_err(one)?;
    }
    let written = |application: &Application| application.coordinator.controls.concurrency;
    if old.readable().is_some_and(|old| written(old) == written(&prepared.application)) {
        new_row.concurrency = job.concurrency;
    }
    let versions = Versions { job: &job, old: old.readable(), new: &prepared.application, now };
    let (compared, actions) = versions.compare(order.actions).map_err(one)?;
    let definition = engine.store.read(|snapshot| definition_changes(snapshot, &job, &prepared)).map_err(one)?;
    let (before, after) = (&old.configuration, &prepared.application.configuration);
    let unreadable = old.application.as_ref().err().cloned();
    let mut update = Update {
        job: job.id.clone(),
        version: None,
        effect: order.effect,
        configuration: is_configured.then(|| text_diff::property_hunks(before, after)),
        attributes: attributes(&job, &new_row),
        definition,
        compared,
        actions,
        warnings,
        unreadable,
    };
    if !update.definition.is_empty() || before != after || !update.attributes.is_empty() {
        update.version = Some(store_version(engine, (&job, new_row), &prepared, (order.effect, now)).map_err(one)?);
    }
    Ok(update)
}

/// Returns how a prepared coordinator fits a job.
///
/// # Errors
/// E1005 when the job has no definition, H0107, or a failure of the database.
pub(crate) fn fit(
    engine: &mut Engine,
    job: &CoordinatorJob,
    prepared: &PreparedCoordinator,
    now: Timestamp,
) -> Result<Fit> {
    let old = before(engine, job)?;
    let new = coordinator::coordinator_row(job.id.clone(), prepared, now);
    Ok(Fit::of(job, &new, (old.written_end(), &prepared.application)))
}

/// Returns whether a job has exactly the definition and the configuration of a prepared coordinator.
///
/// # Errors
/// As `fit`.
pub(crate) fn is_same(engine: &mut Engine, job: &CoordinatorJob, prepared: &PreparedCoordinator) -> Result<bool> {
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
            Err(error) if error.code().class() != Class::Refused => Err(error),
            application => Ok(Before { configuration, application }),
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

fn check_status(job: &CoordinatorJob) -> Result<()> {
    if job.status.is_terminal() && job.status != JobStatus::Ignored {
        return Err(Error::new(ErrorCode::E1023, "Can't update coord job. Job has finished processing")
            .help(format!("{} is {}: submit a new job, which may start where this one ended", job.id, job.status)));
    }
    Ok(())
}

fn no_coordinator() -> Error {
    Error::new(ErrorCode::E1023, format!("{WORKFLOW_PATH} names a workflow"))
        .help(format!("a coordinator job stays one: give {COORDINATOR_PATH}, or leave the path out to keep the job's"))
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

/// Stores the new version and the changes of the job; returns its number.
fn store_version(
    engine: &mut Engine,
    (job, new): (&CoordinatorJob, CoordinatorJob),
    prepared: &PreparedCoordinator,
    when: (Effect, Timestamp),
) -> Result<u32> {
    let lookup_seconds = engine.settings.window.lookup_seconds;
    let version = job.definition_version + 1;
    let mut given = Invocation::new(Origin::Update, when)?;
    given.detail = Some(format!("definition {version}"));
    engine.store.transact_for(given.effect, |transaction| {
        check_unmoved(transaction, job)?;
        let mut row = job.clone();
        coordinator::insert_definition(transaction, (row.job, version), prepared, given.now)?;
        row.definition_version = version;
        row.app_path = new.app_path;
        row.group_name = new.group_name;
        row.acl = new.acl;
        row.timeout_minutes = new.timeout_minutes;
        row.concurrency = new.concurrency;
        row.execution = new.execution;
        row.throttle = new.throttle;
        row.due_at = due_at(&row, lookup_seconds);
        change_job(transaction, &mut row, given.cause())?;
        Ok(version)
    })
}

/// Refuses a job that has changed since it was read: the update would undo that change.
///
/// # Errors
/// E1100 when a command or a tick changed it; E1023 when the job ended meanwhile.
fn check_unmoved(transaction: &Transaction<'_>, job: &CoordinatorJob) -> Result<()> {
    if is_current(transaction, job)? {
        return Ok(());
    }
    check_status(&transaction.coordinator_job_at(job.job)?.ok_or_else(|| unknown(&job.id))?)?;
    let error = Error::new(ErrorCode::E1100, format!("{} was changed meanwhile", job.id));
    Err(error.help("nothing was updated: run the command again to see what it would change now"))
}
