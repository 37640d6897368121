//! Submission (`CoordSubmitXCommand`, `SubmitXCommand`): from job properties to a stored job.
//!
//! [`prepare`] reads and checks everything and stores nothing; `submit` and `dryrun` share it, and `validate` shares
//! what it does once a definition is read.

use crate::application_path::application_kind;
use crate::settings::Settings;
use crate::submit::bundle::{self, PreparedBundleJob};
use crate::submit::coordinator::{Beginning, PreparedCoordinator, insert_coordinator, prepare_coordinator};
use crate::submit::request::Submission;
use crate::submit::warnings::DataCheck;
use crate::submit::workflow::{self, Parent, PreparedWorkflow};
use crate::transition::cause::Cause;
use crate::{Engine, run_as};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::ParsedProperties;
use howdah_store::Transaction;
use howdah_words::error::{Error, Result};
use howdah_words::model::Properties;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::origin::Origin;
use howdah_words::model::time::Timestamp;

/// A job that can be submitted.
pub enum Prepared {
    Coordinator(Box<PreparedCoordinator>),
    Workflow(Box<PreparedWorkflow>),
    Bundle(Box<PreparedBundleJob>),
}

impl Prepared {
    /// Returns the configuration of the job.
    pub fn configuration(&self) -> &Properties {
        match self {
            Self::Coordinator(coordinator) => &coordinator.application.configuration,
            Self::Workflow(workflow) => &workflow.configuration,
            Self::Bundle(bundle) => &bundle.prepared.configuration,
        }
    }
}

/// Reads and checks the application that the properties name.
///
/// Returns the job when nothing is refused, and every problem, including warnings.
pub fn prepare(mounts: &Mounts, settings: &Settings, properties: &ParsedProperties) -> (Option<Prepared>, Vec<Error>) {
    prepare_looking(mounts, settings, properties, DataCheck::Check)
}

/// As [`prepare`]; with [`DataCheck::Skip`], missing data of the machine is no warning.
pub fn prepare_looking(
    mounts: &Mounts,
    settings: &Settings,
    properties: &ParsedProperties,
    data: DataCheck,
) -> (Option<Prepared>, Vec<Error>) {
    let submission = Submission { mounts, settings, properties, data };
    let (prepared, problems) = run_as::reader_of(properties)
        .act(|| prepare_as_reader(submission))
        .unwrap_or_else(|refused| (None, vec![refused]));
    (prepared, properties.warnings().into_iter().chain(problems).collect())
}

/// Reads and checks, with the current rights of the caller.
pub(crate) fn prepare_as_reader(submission: Submission<'_>) -> (Option<Prepared>, Vec<Error>) {
    let Submission { properties, .. } = submission;
    match application_kind(properties) {
        Ok(JobKind::Coordinator) => {
            let (coordinator, problems) = prepare_coordinator(submission);
            (coordinator.map(|coordinator| Prepared::Coordinator(Box::new(coordinator))), problems)
        }
        Ok(JobKind::Bundle) => {
            let (bundle, problems) = bundle::prepare(submission);
            (bundle.map(|bundle| Prepared::Bundle(Box::new(bundle))), problems)
        }
        Ok(JobKind::Workflow) => {
            let (workflow, mut problems) = workflow::examine(submission);
            problems.extend(workflow.iter().flat_map(PreparedWorkflow::check_expressions));
            let workflow = workflow.filter(|_| problems.iter().all(Error::is_warning));
            (workflow.map(|workflow| Prepared::Workflow(Box::new(workflow))), problems)
        }
        Err(error) => (None, vec![error]),
    }
}

/// Refuses a job of a user for whom this process cannot work, as [`submit`] does.
///
/// # Errors
/// H0150, H0151.
pub fn check_user(prepared: &Prepared) -> Result<()> {
    run_as::worker(&run_as::user(prepared.configuration())).map(drop)
}

/// Stores a prepared job and returns its id. A bundle is started by `kick_off::start` or by tick.
///
/// # Errors
/// H0150, H0151, H0152 for a job of a user for whom this process cannot work; any failure of the database. Then nothing
/// is stored.
pub fn submit(engine: &mut Engine, prepared: &Prepared, now: Timestamp) -> Result<JobId> {
    submit_to(engine, prepared, Begin::AtOnce, now)
}

/// When a workflow job that is submitted begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    AtOnce,
    /// When it is started (`verbs::start`).
    WhenStarted,
}

/// As [`submit`]; a workflow job may wait until it is started.
///
/// # Errors
/// As [`submit`].
pub fn submit_to(engine: &mut Engine, prepared: &Prepared, begin: Begin, now: Timestamp) -> Result<JobId> {
    check_access(engine, prepared.configuration())?;
    let lookup = engine.settings.window.lookup_seconds;
    engine.store.transact(|transaction| insert(transaction, prepared, (begin, lookup), now))
}

/// Refuses a job of a user for whom this process cannot work, or who cannot reach the folder of the database.
///
/// # Errors
/// H0150, H0151, H0152.
pub fn check_access(engine: &Engine, configuration: &Properties) -> Result<()> {
    run_as::worker(&run_as::user(configuration))?.check_access(engine.store.path())
}

/// Stores a prepared job in the open transaction, and returns its id.
///
/// # Errors
/// A failure of the database.
pub fn insert(
    transaction: &Transaction<'_>,
    prepared: &Prepared,
    (begin, lookup_seconds): (Begin, i64),
    now: Timestamp,
) -> Result<JobId> {
    let cause = Cause::new(now, Origin::Submit);
    match prepared {
        Prepared::Coordinator(coordinator) => {
            insert_coordinator(transaction, coordinator, Beginning::First, lookup_seconds, cause).map(|job| job.id)
        }
        Prepared::Workflow(workflow) => {
            let job = workflow::insert(transaction, workflow, Parent::None, cause)?;
            if begin == Begin::WhenStarted {
                transaction.hold_workflow(job.job)?;
            }
            Ok(job.id)
        }
        Prepared::Bundle(bundle) => bundle::insert(transaction, bundle, cause),
    }
}
