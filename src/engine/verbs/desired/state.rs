//! What a plan of `apply` consists of, and how jobs are found by their names.

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::configuration::ParsedProperties;
use crate::engine::lookup::Job;
use crate::engine::submit::submission::Prepared;
use crate::engine::verbs::update::{ActionChange, Update};
use crate::error::{Error, ErrorCode, Result};
use crate::model::id::{JobId, JobKind};
use crate::model::row::CoordinatorJob;
use crate::model::time::Timestamp;
use crate::store::Snapshot;

/// The property of a job that says below which folder it was described.
pub(crate) const SOURCE: &str = "howdah.apply.source";

/// A job that a properties file describes.
pub(crate) struct Wanted {
    pub(crate) file: PathBuf,
    pub(crate) properties: ParsedProperties,
    pub(crate) prepared: Prepared,
}

/// What distinguishes jobs: the name, and with `same_name` the application path too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    pub(crate) name: String,
    path: Option<String>,
}

/// How described jobs are compared with those of the database.
pub(crate) struct Manner {
    /// The folders that were named; a job with one of them as its source may be gone.
    pub(crate) sources: BTreeSet<String>,
    /// Whether two jobs may have the same name, when their applications are in different places.
    pub(crate) same_name: bool,
    /// Whether jobs that are gone are killed.
    pub(crate) prune: bool,
    /// How many of the next actions of a changed job are compared.
    pub(crate) actions: u32,
}

/// What is done about one job.
pub(crate) enum Step {
    Submit,
    /// The job takes the new version over, after it got a new end where there is one.
    Update(Box<Update>, Option<Timestamp>),
    Replace(Box<Replacement>),
    Unchanged(JobId),
    Gone(JobId),
}

/// A job that another one continues.
pub(crate) struct Replacement {
    pub(crate) job: CoordinatorJob,
    /// The number and the nominal time of the first action of the new job.
    pub(crate) from: (u32, Timestamp),
    /// Why the job itself cannot be changed.
    pub(crate) why: String,
    pub(crate) compared: u32,
    pub(crate) actions: Vec<ActionChange>,
}

/// One job of a plan.
pub(crate) struct Item {
    pub(crate) key: Key,
    pub(crate) kind: JobKind,
    /// Which of the described jobs it is; `None` for one that is gone.
    pub(crate) wanted: Option<usize>,
    pub(crate) step: Step,
}

impl Item {
    /// Returns whether something has to be done; a job that is gone only counts when it is killed.
    pub(crate) fn is_to_do(&self, manner: &Manner) -> bool {
        match self.step {
            Step::Submit | Step::Update(..) | Step::Replace(_) => true,
            Step::Gone(_) => manner.prune,
            Step::Unchanged(_) => false,
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
