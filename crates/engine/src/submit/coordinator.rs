//! Submission (`CoordSubmitXCommand`, `SubmitXCommand`): from job properties to a stored job.
//!
//! `submission::prepare` reads and checks everything and stores nothing; `submit` and `dryrun` share it, and `validate`
//! shares what it does once a definition is read.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::application_path::COORDINATOR_PATH;
use crate::compiled::Application;
use crate::definition_file::{self, ApplicationFile, FileIncludes};
use crate::due::due_at;
use crate::outbox::enqueue;
use crate::settings::failure_policy;
use crate::sla::registration;
use crate::stored_properties::properties_text;
use crate::submit::given_values::at_given_values;
use crate::submit::pools;
use crate::submit::request::{Submission, read_document};
use crate::submit::unused_properties::unused_properties;
use crate::submit::warnings::{self, DataCheck};
use crate::submit::workflow::DEFAULT_FILES;
use crate::transition::cause::Cause;
use crate::{default_configuration, run_as, shadow};
use howdah_calendar::Frequency;
use howdah_el::Knowledge;
use howdah_oozie::configuration::{ParsedProperties, complete, job_configuration, unresolved};
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::phase::JobScope;
use howdah_oozie::coordinator::{lint, parse};
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{
    BundleJob, CoordinatorDefinition, CoordinatorJob, CoordinatorKey, Event, Include, Includes,
};
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, DocumentKind};

/// A coordinator job that can be submitted.
#[derive(Clone)]
pub struct PreparedCoordinator {
    pub application: Application,
    pub app_path: String,
    pub source: Arc<SourceText>,
    /// The included files, by the URIs that name them.
    pub includes: BTreeMap<String, Arc<SourceText>>,
}

impl PreparedCoordinator {
    /// Returns notes about the year from `now` on (W0116).
    pub fn notes(&self, now: Timestamp) -> Vec<Error> {
        let coordinator = &self.application.coordinator;
        let place = Some(&coordinator.frequency_place);
        lint::clock_changes(&coordinator.schedule, place, now).into_iter().collect()
    }
}

pub(crate) fn prepare_coordinator(submission: Submission<'_>) -> (Option<PreparedCoordinator>, Vec<Error>) {
    match submission.read_application(COORDINATOR_PATH, "coordinator.xml") {
        Ok(file) => examine_coordinator(submission, file),
        Err(problems) => (None, problems),
    }
}

/// Checks a coordinator application that was read already.
pub fn examine_coordinator(
    submission: Submission<'_>,
    file: ApplicationFile,
) -> (Option<PreparedCoordinator>, Vec<Error>) {
    let (prepared, problems) = examine_definition(submission, file);
    (prepared, at_given_values(problems, submission.properties))
}

fn examine_definition(submission: Submission<'_>, file: ApplicationFile) -> (Option<PreparedCoordinator>, Vec<Error>) {
    let (mut configuration, document, defaults) = match read_coordinator(submission, &file) {
        Ok(read) => read,
        Err(errors) => return (None, errors),
    };
    let mut problems = xml::check(&document, DocumentKind::Coordinator);
    if let Err(error) = complete(DocumentKind::Coordinator, &document, &mut configuration) {
        problems.push(error);
        return (None, problems);
    }
    problems.extend(unresolved(DocumentKind::Coordinator, Some(&document), submission.properties, &configuration));
    let Submission { mounts, settings, data, .. } = submission;
    let includes = FileIncludes::new(mounts, &file.app_path);
    let reading = parse::read(&document, (Knowledge::Complete, &configuration), &includes, &settings.submit);
    problems.extend(reading.problems);
    if data == DataCheck::Check {
        problems.extend(pools::unknown(submission, &document, &configuration));
    }
    let of_policy = failure_policy::problems(&configuration);
    problems.extend(of_policy.into_iter().map(|(name, error)| submission.properties.place(&name, error)));
    let refused = problems.iter().any(|problem| !problem.is_warning());
    let coordinator = reading.coordinator.filter(|_| !refused);
    if let Some(coordinator) = &coordinator {
        let job = JobScope { configuration: &configuration, processing: settings.submit.processing };
        problems.extend(lint::warnings(&reading.outline, job));
        problems.extend(lint::document_warnings(&document));
        if data == DataCheck::Check {
            problems.extend(warnings::warnings(mounts, (&file.app_path, coordinator), &document));
        }
        let unsent = enqueue::warnings(&configuration).into_iter();
        problems.extend(unsent.map(|(name, warning)| submission.properties.place(name, warning)));
    }
    let application = coordinator.map(|coordinator| Application {
        written_end: coordinator.schedule.end,
        coordinator,
        configuration,
    });
    problems.extend(application.iter().flat_map(registration::warnings));
    let prepared = application.map(|application| PreparedCoordinator {
        application,
        app_path: file.app_path,
        source: file.source,
        includes: includes.into_texts(),
    });
    problems.extend(
        prepared.iter().filter(|_| data == DataCheck::Check).flat_map(|job| unused(submission, job, &defaults)),
    );
    (prepared, problems)
}

/// W0126 for the properties that neither the coordinator nor its workflow mentions; none when the workflow cannot be
/// read.
fn unused(submission: Submission<'_>, job: &PreparedCoordinator, defaults: &[ParsedProperties]) -> Vec<Error> {
    if !submission.names(COORDINATOR_PATH, &job.source) {
        return Vec::new();
    }
    let app_path = &job.application.coordinator.app_path;
    let Ok(workflow) = definition_file::read_application(submission.mounts, app_path, "workflow.xml") else {
        return Vec::new();
    };
    // The default files use properties too; those of another path are read with the workflow.
    if submission.properties.values.contains_key(DEFAULT_FILES) {
        return Vec::new();
    }
    let beside = workflow.folder.as_ref().map(|folder| definition_file::read_beside(folder, "config-default.xml"));
    let Ok(beside) = beside.transpose() else { return Vec::new() };
    let defaults = defaults.iter().flat_map(|file| file.values.values().map(String::as_str));
    let sources = [&job.source, &workflow.source].into_iter().chain(job.includes.values());
    let sources = sources.chain(beside.iter().flatten()).map(|source| source.text.as_str());
    let texts: Vec<&str> = sources.chain(defaults).collect();
    unused_properties(submission.properties, &texts)
}

/// Returns the job configuration with the default file, the definition, and the default file itself.
fn read_coordinator(
    submission: Submission<'_>,
    file: &ApplicationFile,
) -> Result<(Properties, xml::Document, Vec<ParsedProperties>), Vec<Error>> {
    let defaults = default_configuration::default_configuration(file.folder.as_ref(), "coord-config-default.xml")?;
    let configuration = job_configuration(DocumentKind::Coordinator, submission.properties, &defaults);
    let configuration = configuration.map_err(|error| vec![error])?;
    Ok((configuration, read_document(file, DocumentKind::Coordinator, COORDINATOR_PATH)?, defaults))
}

/// The bundle that submits a coordinator, and the coordinator's name there.
#[derive(Clone, Copy)]
pub struct Membership<'a> {
    pub bundle: &'a BundleJob,
    pub name: &'a str,
}

/// Where a coordinator job begins, and to what it belongs.
#[derive(Clone, Copy)]
pub enum Beginning<'a> {
    /// With its first action.
    First,
    /// With its first action, in a bundle, which gives it a name and a pause time.
    InBundle(Membership<'a>),
    /// With the action of this number and nominal time: another job has run what is before it.
    At(u32, Timestamp),
    /// The same, in a bundle.
    InBundleAt(Membership<'a>, u32, Timestamp),
    /// Where a job of Oozie was stopped.
    Continued(&'a Continuation),
    /// The same, in a bundle of that Oozie.
    ContinuedInBundle(Membership<'a>, &'a Continuation),
}

/// Where and how a job continues that an Oozie has run so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Continuation {
    pub status: JobStatus,
    pub last_number: u32,
    /// The nominal time of the next action; `None` when it creates no more.
    pub next: Option<Timestamp>,
    pub end: Timestamp,
    pub pause: Option<Timestamp>,
    pub concurrency: i32,
    /// How many of its actions may wait at once; `None` for what a new job gets.
    pub throttle: Option<i32>,
    /// The timeout of the actions that it creates; negative: none.
    pub timeout_minutes: i32,
}

impl Continuation {
    fn put(&self, job: &mut CoordinatorJob) {
        job.status = self.status;
        job.suspended_at = self.status.is_suspended().then_some(job.created_at);
        job.last_action_number = self.last_number;
        job.next_materialized_at = self.next;
        job.done_materialization = self.next.is_none();
        (job.end_at, job.pause_at) = (self.end, self.pause);
        job.concurrency = self.concurrency;
        job.throttle = self.throttle.unwrap_or(job.throttle);
        job.timeout_minutes = self.timeout_minutes;
    }
}

/// Stores a coordinator job. What a bundle has submitted before the database was put back to an older state is that job
/// again, with its id.
pub fn insert_coordinator(
    transaction: &Transaction<'_>,
    prepared: &PreparedCoordinator,
    beginning: Beginning<'_>,
    lookup_seconds: i64,
    cause: Cause<'_>,
) -> Result<CoordinatorJob> {
    shadow::refuse(transaction, "no job is submitted to it")?;
    let id = match &beginning {
        Beginning::InBundle(Membership { bundle, name }) => transaction.earlier_coordinator(bundle.job, name)?,
        _ => None,
    };
    let id = id.map_or_else(|| transaction.next_job_id(JobKind::Coordinator), Ok)?;
    let mut job = coordinator_row(id, prepared, cause.at);
    match beginning {
        Beginning::First => {}
        Beginning::InBundle(membership) => join_bundle(&mut job, membership),
        Beginning::At(number, nominal) => begin_at(&mut job, number, nominal),
        Beginning::InBundleAt(membership, number, nominal) => {
            join_bundle(&mut job, membership);
            begin_at(&mut job, number, nominal);
        }
        Beginning::Continued(continuation) => continuation.put(&mut job),
        Beginning::ContinuedInBundle(membership, continuation) => {
            join_bundle(&mut job, membership);
            continuation.put(&mut job);
        }
    }
    job.due_at = due_at(&job, lookup_seconds);
    let key = transaction.insert_coordinator_job(&mut job)?;
    insert_definition(transaction, (key, job.definition_version), prepared, cause.at)?;
    transaction.insert_event(&Event { coordinator_job: Some(key), ..cause.event(None, job.status.as_str()) })?;
    Ok(job)
}

fn join_bundle(job: &mut CoordinatorJob, Membership { bundle, name }: Membership<'_>) {
    name.clone_into(&mut job.name);
    job.pause_at = bundle.pause_at;
    job.parent_bundle = Some(bundle.job);
}

fn begin_at(job: &mut CoordinatorJob, number: u32, nominal: Timestamp) {
    job.last_action_number = number.saturating_sub(1);
    job.next_materialized_at = Some(nominal);
}

/// Stores what was read as a numbered version of a job's definition.
///
/// # Errors
/// A failure of the database.
pub(crate) fn insert_definition(
    transaction: &Transaction<'_>,
    (job, version): (CoordinatorKey, u32),
    prepared: &PreparedCoordinator,
    now: Timestamp,
) -> Result<()> {
    let includes = prepared
        .includes
        .iter()
        .map(|(uri, text)| Ok(Include { uri: uri.clone(), document: transaction.store_document(&text.text)? }))
        .collect::<Result<Vec<_>>>()?;
    let definition = CoordinatorDefinition {
        job,
        version,
        created_at: now,
        definition: transaction.store_document(&prepared.source.text)?,
        configuration: transaction.store_document(&properties_text(&prepared.application.configuration))?,
        includes: Includes(includes),
    };
    transaction.insert_coordinator_definition(&definition, &output_prefixes(&prepared.application))?;
    enqueue::remember_coordinator(transaction, job, &prepared.application.configuration)
}

/// Stores the definition of another job, as it was stored for that job, as the first version of a new job.
///
/// # Errors
/// E1005 when the other job has no such version, or a failure of the database.
pub(crate) fn copy_definition(
    transaction: &Transaction<'_>,
    (from, version): (&CoordinatorJob, u32),
    job: &CoordinatorJob,
    application: &Application,
) -> Result<()> {
    let stored = transaction.coordinator_definition(from.job, version)?;
    let stored = stored.ok_or_else(|| Error::new(ErrorCode::E1005, format!("{} has no definition", from.id)))?;
    let definition = CoordinatorDefinition { job: job.job, version: 1, created_at: job.created_at, ..stored };
    transaction.insert_coordinator_definition(&definition, &output_prefixes(application))?;
    enqueue::remember_coordinator(transaction, job.job, &application.configuration)
}

/// Returns the constant first parts of the URIs that a coordinator writes.
fn output_prefixes(application: &Application) -> Vec<String> {
    application.coordinator.outputs.iter().map(|output| output.dataset.uri_template.prefix()).collect()
}

/// Returns the timeout of the actions that a job creates when it is submitted; negative: none.
pub fn timeout_minutes(coordinator: &Coordinator) -> i32 {
    small(coordinator.controls.timeout_minutes)
}

fn small(number: i64) -> i32 {
    i32::try_from(number).unwrap_or(if number < 0 { -1 } else { i32::MAX })
}

/// Returns the row of a new job.
pub fn coordinator_row(id: JobId, prepared: &PreparedCoordinator, now: Timestamp) -> CoordinatorJob {
    let Application { coordinator, configuration, .. } = &prepared.application;
    let schedule = &coordinator.schedule;
    CoordinatorJob {
        job: CoordinatorKey::default(),
        id,
        name: coordinator.name.clone(),
        user: run_as::user(configuration),
        group_name: run_as::group(configuration),
        acl: run_as::acl(configuration),
        app_path: prepared.app_path.clone(),
        status: JobStatus::PREP,
        created_at: now,
        modified_at: now,
        start_at: schedule.start,
        end_at: schedule.end,
        pause_at: None,
        suspended_at: None,
        ended_at: None,
        frequency: coordinator.frequency_text.clone(),
        time_unit: match &schedule.frequency {
            Frequency::Fixed { unit, .. } => unit.as_str().to_owned(),
            Frequency::Cron(_) => "CRON".to_owned(),
        },
        time_zone: schedule.zone.id().to_owned(),
        timeout_minutes: timeout_minutes(coordinator),
        concurrency: small(coordinator.controls.concurrency),
        throttle: i32::try_from(coordinator.controls.throttle).unwrap_or(i32::MAX),
        execution: coordinator.controls.execution,
        next_materialized_at: None,
        last_action_number: 0,
        done_materialization: false,
        definition_version: 1,
        due_at: None,
        parent_bundle: None,
    }
}
