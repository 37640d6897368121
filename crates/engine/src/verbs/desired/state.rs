//! What a plan of `apply` consists of, and how jobs are found by their names.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::lookup::Job;
use crate::run_as;
use crate::stored_properties::read_properties;
use crate::submit::bundle_members::PreparedMember;
use crate::submit::coordinator::PreparedCoordinator;
use crate::submit::submission::Prepared;
use crate::verbs::update::{ActionChange, Update};
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::row::{BundleJob, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// The property of a job that says below which folder it was described.
pub const SOURCE: &str = "howdah.apply.source";

/// A job that a properties file describes.
pub struct Wanted {
    pub file: PathBuf,
    pub prepared: Prepared,
}

/// What distinguishes jobs: the name, and with `same_name` the application path too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    pub name: String,
    path: Option<String>,
}

/// How described jobs are compared with those of the database.
pub struct Manner {
    /// The folders that were named; a job with one of them as its source may be gone.
    pub sources: BTreeSet<String>,
    /// Whether two jobs may have the same name, when their applications are in different places.
    pub same_name: bool,
    /// Whether jobs that are gone are killed.
    pub prune: bool,
    /// How many of the next actions of a changed job are compared.
    pub actions: u32,
}

/// What is done about one job.
pub enum Step {
    Submit,
    Update(Box<Revision>),
    Replace(Box<Replacement>),
    /// The bundle takes the new version over, and its coordinators change one by one.
    Bundle(Box<BundleChange>),
    Unchanged(JobId),
    /// The job has ended, and the definition has no nominal time that is left; with the reason.
    Ended(JobId, String),
    Gone(JobId),
}

/// A job that takes over a new version.
pub struct Revision {
    /// As it was when it was compared.
    pub job: CoordinatorJob,
    pub update: Update,
    /// The end that it gets before it takes the version over.
    pub new_end: Option<Timestamp>,
}

/// A bundle that is described otherwise now.
pub struct BundleChange {
    pub job: BundleJob,
    /// Its coordinators as they would be submitted now, by the names that they have in the bundle. Their steps have the
    /// same names; coordinators that are gone come last.
    pub prepared: Vec<PreparedMember>,
    pub members: Vec<(String, Step)>,
}

impl BundleChange {
    /// Returns what is new or changed of a coordinator.
    pub(crate) fn prepared_member(&self, name: &str) -> Option<&PreparedMember> {
        self.prepared.iter().find(|member| member.name == name)
    }
}

/// A job that another one continues.
pub struct Replacement {
    pub job: CoordinatorJob,
    /// The number and the nominal time of the first action of the new job.
    pub from: (u32, Timestamp),
    /// Why the job itself cannot be changed.
    pub why: String,
    pub compared: u32,
    pub actions: Vec<ActionChange>,
}

/// One job of a plan.
pub struct Item {
    pub key: Key,
    pub kind: JobKind,
    /// Which of the described jobs it is; `None` for one that is gone.
    pub wanted: Option<usize>,
    pub step: Step,
}

impl Item {
    /// Returns whether something has to be done; a job that is gone only counts when it is killed.
    pub fn is_to_do(&self, manner: &Manner) -> bool {
        self.step.is_to_do(manner)
    }
}

impl Step {
    /// Returns whether something has to be done; a job that is gone only counts when it is killed.
    pub fn is_to_do(&self, manner: &Manner) -> bool {
        match self {
            Self::Submit | Self::Update(_) | Self::Replace(_) | Self::Bundle(_) => true,
            Self::Gone(_) => manner.prune,
            Self::Unchanged(_) | Self::Ended(..) => false,
        }
    }
}

impl Manner {
    pub(super) fn key(&self, name: &str, path: &str) -> Key {
        Key { name: name.to_owned(), path: self.same_name.then(|| path.to_owned()) }
    }

    pub(super) fn key_of(&self, prepared: &Prepared) -> Key {
        match prepared {
            Prepared::Coordinator(job) => self.key(&job.application.coordinator.name, &job.app_path),
            Prepared::Bundle(job) => self.key(&job.prepared.bundle.name, &job.app_path),
            Prepared::Workflow(_) => self.key("", ""),
        }
    }

    /// Returns the jobs of the database with a key that no other job has started: first those that still create
    /// actions, then the latest.
    pub(super) fn jobs(&self, snapshot: &Snapshot, key: &Key) -> Result<Vec<Job>> {
        let ids = snapshot.jobs_named(&key.name, u32::MAX)?;
        let jobs = ids.iter().map(|id| Job::of(snapshot, id)).collect::<Result<Vec<_>>>()?;
        let fits = |job: &Job| match job {
            Job::Coordinator(job) => job.parent_bundle.is_none() && self.key(&job.name, &job.app_path) == *key,
            Job::Bundle(job) => self.key(&job.name, &job.app_path) == *key,
            Job::Workflow(_) => false,
        };
        let mut jobs: Vec<Job> = jobs.into_iter().filter(fits).collect();
        jobs.sort_by_key(|job| (is_creating(job), created_at(job), id(job).clone()));
        jobs.reverse();
        Ok(jobs)
    }
}

/// Returns whether a job has more actions to create: one that was replaced only waits for those that it has.
pub(super) fn is_creating(job: &Job) -> bool {
    match job {
        Job::Coordinator(job) => !job.status.is_terminal() && !job.done_materialization,
        Job::Workflow(_) | Job::Bundle(_) => !job.is_over(),
    }
}

fn created_at(job: &Job) -> Timestamp {
    match job {
        Job::Coordinator(job) => job.created_at,
        Job::Workflow(job) => job.created_at,
        Job::Bundle(job) => job.created_at,
    }
}

pub(super) fn id(job: &Job) -> &JobId {
    match job {
        Job::Coordinator(job) => &job.id,
        Job::Workflow(job) => &job.id,
        Job::Bundle(job) => &job.id,
    }
}

pub(super) fn twice(key: &Key, why: &str) -> Error {
    Error::with(ErrorCode::H0171, &[&key.name, &why])
}

/// Returns the folder from which a job was applied.
///
/// # Errors
/// H0107 for properties that howdah did not write, or a failure of the database.
pub(super) fn source_of(snapshot: &Snapshot, job: &CoordinatorJob) -> Result<Option<String>> {
    let Some(stored) = snapshot.coordinator_definition(job.job, job.definition_version)? else { return Ok(None) };
    source_in(&snapshot.document(stored.configuration)?)
}

/// Returns the folder from which the job with this stored configuration was applied.
///
/// # Errors
/// As [`source_of`].
pub(super) fn source_in(configuration: &str) -> Result<Option<String>> {
    // Most jobs were never applied: their configurations need not be parsed.
    if !configuration.contains(SOURCE) {
        return Ok(None);
    }
    Ok(read_properties(configuration)?.remove(SOURCE))
}

/// Returns a prepared coordinator with the user of a job, which an update keeps.
pub(super) fn with_user_of<'a>(
    job: &CoordinatorJob,
    prepared: &'a PreparedCoordinator,
) -> Cow<'a, PreparedCoordinator> {
    let mut prepared = Cow::Borrowed(prepared);
    if run_as::user(&prepared.application.configuration) != job.user {
        run_as::set_user(&mut prepared.to_mut().application.configuration, &job.user);
    }
    prepared
}

/// Returns a prepared coordinator with another source, or without one.
pub(super) fn with_source(
    source: Option<String>,
    mut prepared: Cow<'_, PreparedCoordinator>,
) -> Cow<'_, PreparedCoordinator> {
    if prepared.application.configuration.get(SOURCE) != source.as_ref() {
        let configuration = &mut prepared.to_mut().application.configuration;
        match source {
            Some(source) => drop(configuration.insert(SOURCE.to_owned(), source)),
            None => drop(configuration.remove(SOURCE)),
        }
    }
    prepared
}
