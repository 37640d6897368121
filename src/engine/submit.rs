//! Submission (`CoordSubmitXCommand`, `SubmitXCommand`): from job properties to a stored job.
//!
//! [`prepare`] reads and checks everything and stores nothing; `submit` and `dryrun` share it, and `validate` shares
//! what it does once a definition is read.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::calendar::Frequency;
use crate::configuration::{ParsedProperties, apply_parameters, job_configuration, resolve_parsed, unresolved};
use crate::coordinator::lint;
use crate::coordinator::parse::{self, Knowledge};
use crate::coordinator::phase::JobScope;
use crate::engine::application::Application;
use crate::engine::bundle::{self, PreparedBundleJob};
use crate::engine::change::Cause;
use crate::engine::given_values::at_given_values;
use crate::engine::materialize::due_at;
use crate::engine::notification;
use crate::engine::outlook::{self, DataCheck};
use crate::engine::owner;
use crate::engine::settings::Settings;
use crate::engine::sla;
use crate::engine::source::{self, ApplicationFile, FileIncludes};
use crate::engine::unused::unused_properties;
use crate::engine::workflow::create::{self, Parent, PreparedWorkflow};
use crate::engine::{Engine, properties_text};
use crate::error::{Error, ErrorCode, Result, SourceText};
use crate::host::located::Base;
use crate::host::mounts::Mounts;
use crate::model::Properties;
use crate::model::id::{JobId, JobKind};
use crate::model::status::CoordinatorStatus;
use crate::model::time::Timestamp;
use crate::store::{
    BundleJob, CoordinatorDefinition, CoordinatorJob, CoordinatorKey, Event, Include, Includes, Transaction,
};
use crate::xml::{self, DocumentKind};

/// The property that names a coordinator application.
pub(crate) const COORDINATOR_PATH: &str = "oozie.coord.application.path";
/// The property that names a workflow application.
pub(crate) const WORKFLOW_PATH: &str = "oozie.wf.application.path";
/// The property that names a bundle application.
pub(crate) const BUNDLE_PATH: &str = "oozie.bundle.application.path";

/// A job as somebody wants it submitted, and the machine that it meets.
#[derive(Clone, Copy)]
pub(crate) struct Submission<'a> {
    pub(crate) mounts: &'a Mounts,
    pub(crate) settings: &'a Settings,
    pub(crate) properties: &'a ParsedProperties,
    /// Whether it is told what the machine lacks.
    pub(crate) data: DataCheck,
}

impl Submission<'_> {
    /// Whether the property names the application whose definition this is: others may be judged with the same
    /// properties.
    pub(crate) fn names(&self, property: &str, definition: &SourceText) -> bool {
        let path = application_path(self.properties, property);
        let Ok(named) = path.and_then(|path| source::locate(self.mounts, &path, &Base::this_machine())) else {
            return false;
        };
        let definition = Path::new(&definition.name);
        definition == named.local() || definition.parent() == Some(named.local())
    }

    /// Reads the application that a property names: the file itself, or `definition_name` in the folder.
    ///
    /// # Errors
    /// Those of [`source::read_application`], at the property; E0303 and E0401 for the property itself. With them W0140
    /// for references that lead nowhere: they are the likely reason.
    pub(crate) fn read_application(
        &self,
        property: &str,
        definition_name: &str,
    ) -> Result<ApplicationFile, Vec<Error>> {
        let path = application_path(self.properties, property).map_err(|error| vec![error])?;
        source::read_application(self.mounts, &path, definition_name).map_err(|error| {
            let finished = resolve_parsed(self.properties).unwrap_or_default();
            let references = unresolved(self.properties, &finished);
            std::iter::once(self.properties.place(property, error)).chain(references).collect()
        })
    }
}

/// A job that could be submitted.
pub(crate) enum Prepared {
    Coordinator(Box<PreparedCoordinator>),
    Workflow(Box<PreparedWorkflow>),
    Bundle(Box<PreparedBundleJob>),
}

impl Prepared {
    /// The configuration of the job.
    fn configuration(&self) -> &Properties {
        match self {
            Self::Coordinator(coordinator) => &coordinator.application.configuration,
            Self::Workflow(workflow) => &workflow.configuration,
            Self::Bundle(bundle) => &bundle.prepared.configuration,
        }
    }
}

/// A coordinator job that could be submitted.
pub(crate) struct PreparedCoordinator {
    pub(crate) application: Application,
    pub(crate) app_path: String,
    pub(super) source: Arc<SourceText>,
    /// The included files, by the URIs that name them.
    pub(super) includes: BTreeMap<String, Arc<SourceText>>,
}

impl PreparedCoordinator {
    /// What is worth knowing of the year from `now` on (W0116), though nothing is wrong.
    pub(crate) fn notes(&self, now: Timestamp) -> Vec<Error> {
        let coordinator = &self.application.coordinator;
        let place = Some(&coordinator.frequency_place);
        lint::clock_changes(&coordinator.schedule, place, now).into_iter().collect()
    }
}

/// Reads and checks the application that the properties name.
///
/// Answers the job when nothing is refused, and every problem, warnings included.
pub(crate) fn prepare(
    mounts: &Mounts,
    settings: &Settings,
    properties: &ParsedProperties,
) -> (Option<Prepared>, Vec<Error>) {
    prepare_looking(mounts, settings, properties, DataCheck::Look)
}

/// As [`prepare`]; where the data is spared, what the machine lacks is no warning.
pub(crate) fn prepare_looking(
    mounts: &Mounts,
    settings: &Settings,
    properties: &ParsedProperties,
    data: DataCheck,
) -> (Option<Prepared>, Vec<Error>) {
    let submission = Submission { mounts, settings, properties, data };
    let (prepared, problems) = owner::reader_of(properties)
        .act(|| prepare_as_reader(submission))
        .unwrap_or_else(|refused| (None, vec![refused]));
    (prepared, properties.warnings().into_iter().chain(problems).collect())
}

/// Reads and checks, with the rights that the caller has at the moment.
fn prepare_as_reader(submission: Submission<'_>) -> (Option<Prepared>, Vec<Error>) {
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
            let (workflow, mut problems) = create::examine(submission);
            problems.extend(workflow.iter().flat_map(PreparedWorkflow::check_expressions));
            let workflow = workflow.filter(|_| problems.iter().all(Error::is_warning));
            (workflow.map(|workflow| Prepared::Workflow(Box::new(workflow))), problems)
        }
        Err(error) => (None, vec![error]),
    }
}

/// Which of the application path properties is given.
pub(crate) fn application_kind(properties: &ParsedProperties) -> Result<JobKind> {
    let given: Vec<&str> = [COORDINATOR_PATH, WORKFLOW_PATH, BUNDLE_PATH]
        .into_iter()
        .filter(|name| properties.values.get(*name).is_some_and(|value| !value.trim().is_empty()))
        .collect();
    match given.as_slice() {
        [COORDINATOR_PATH] => Ok(JobKind::Coordinator),
        [WORKFLOW_PATH] => Ok(JobKind::Workflow),
        [BUNDLE_PATH] => Ok(JobKind::Bundle),
        [] => Err(Error::new(ErrorCode::E0401, COORDINATOR_PATH).help(format!(
            "set {COORDINATOR_PATH}, {WORKFLOW_PATH} or {BUNDLE_PATH} in the properties file or with -D"
        ))),
        [.., last] => Err(properties
            .place(last, Error::new(ErrorCode::E0302, given.join(", ")))
            .help("a job has one application: give exactly one of these properties")),
    }
}

fn prepare_coordinator(submission: Submission<'_>) -> (Option<PreparedCoordinator>, Vec<Error>) {
    match submission.read_application(COORDINATOR_PATH, "coordinator.xml") {
        Ok(file) => examine_coordinator(submission, file),
        Err(problems) => (None, problems),
    }
}

/// Checks a coordinator application that was read already.
pub(crate) fn examine_coordinator(
    submission: Submission<'_>,
    file: ApplicationFile,
) -> (Option<PreparedCoordinator>, Vec<Error>) {
    let (prepared, problems) = examine_definition(submission, file);
    (prepared, at_given_values(problems, submission.properties))
}

fn examine_definition(submission: Submission<'_>, file: ApplicationFile) -> (Option<PreparedCoordinator>, Vec<Error>) {
    let (mut configuration, document) = match read_coordinator(submission, &file) {
        Ok(read) => read,
        Err(errors) => return (None, errors),
    };
    let mut problems = xml::check(&document, DocumentKind::Coordinator);
    if let Err(error) = apply_parameters(&document, &mut configuration) {
        problems.push(error);
        return (None, problems);
    }
    problems.extend(unresolved(submission.properties, &configuration));
    let Submission { mounts, settings, data, .. } = submission;
    let includes = FileIncludes::new(mounts, &file.app_path);
    let reading = parse::read(&document, (Knowledge::Complete, &configuration), &includes, &settings.submit);
    problems.extend(reading.problems);
    let refused = problems.iter().any(|problem| !problem.is_warning());
    let coordinator = reading.coordinator.filter(|_| !refused);
    if let Some(coordinator) = &coordinator {
        let job = JobScope { configuration: &configuration, processing: settings.submit.processing };
        problems.extend(lint::warnings(&reading.outline, job));
        problems.extend(lint::document_warnings(&document));
        if data == DataCheck::Look {
            problems.extend(outlook::warnings(mounts, (&file.app_path, coordinator), &document));
        }
        problems.extend(notification::warnings(&configuration));
    }
    let application = coordinator.map(|coordinator| Application {
        written_end: coordinator.schedule.end,
        coordinator,
        configuration,
    });
    problems.extend(application.iter().flat_map(sla::warnings));
    let prepared = application.map(|application| PreparedCoordinator {
        application,
        app_path: file.app_path,
        source: file.source,
        includes: includes.into_texts(),
    });
    problems.extend(prepared.iter().filter(|_| data == DataCheck::Look).flat_map(|job| unused(submission, job)));
    (prepared, problems)
}

/// W0126 for the properties that neither the coordinator nor its workflow mentions; none when the workflow cannot be
/// read.
fn unused(submission: Submission<'_>, job: &PreparedCoordinator) -> Vec<Error> {
    if !submission.names(COORDINATOR_PATH, &job.source) {
        return Vec::new();
    }
    let app_path = &job.application.coordinator.app_path;
    let Ok(workflow) = source::read_application(submission.mounts, app_path, "workflow.xml") else { return Vec::new() };
    let beside = workflow.folder.as_deref().map(|folder| source::read_beside(folder, "config-default.xml"));
    let Ok(defaults) = beside.transpose() else { return Vec::new() };
    let sources = [&job.source, &workflow.source].into_iter().chain(job.includes.values());
    let texts: Vec<&str> = sources.chain(defaults.iter().flatten()).map(|source| source.text.as_str()).collect();
    unused_properties(submission.properties, &texts)
}

/// The value of an application path property, its references to other properties filled in.
///
/// # Errors
/// E0303 for properties that refer to themselves, E0401 when there is no such property.
fn application_path(properties: &ParsedProperties, name: &str) -> Result<String> {
    let path = resolve_parsed(properties)?.remove(name).map(|path| path.trim().to_owned());
    path.filter(|path| !path.is_empty()).ok_or_else(|| Error::new(ErrorCode::E0401, name))
}

/// The job configuration with the default file, and the definition.
fn read_coordinator(
    submission: Submission<'_>,
    file: &ApplicationFile,
) -> Result<(Properties, xml::Document), Vec<Error>> {
    let defaults = create::default_configuration(file.folder.as_deref(), "coord-config-default.xml")?;
    let configuration = job_configuration(DocumentKind::Coordinator, submission.properties, &defaults);
    let configuration = configuration.map_err(|error| vec![error])?;
    Ok((configuration, read_document(file, DocumentKind::Coordinator, COORDINATOR_PATH)?))
}

/// The definition in a file, which must be of a kind; `by` is what leads to it, such as a property.
pub(super) fn read_document(file: &ApplicationFile, kind: DocumentKind, by: &str) -> Result<xml::Document, Vec<Error>> {
    let document = xml::read(&file.source)?;
    if xml::kind_of(&document) == Some(kind) {
        return Ok(document);
    }
    let root = kind.root();
    let error = Error::new(ErrorCode::E0701, format!("<{}> is no {root}", document.root.name));
    let place = document.locate(document.root.tag);
    Err(vec![error.at(place).help(format!("{by} must lead to a file whose root element is <{root}>"))])
}

/// Refuses a job of a user for whom this process cannot work, as [`submit`] does.
///
/// # Errors
/// H0150, H0151.
pub(crate) fn check_user(prepared: &Prepared) -> Result<()> {
    owner::worker(&owner::user(prepared.configuration())).map(drop)
}

/// Stores a prepared job and answers its id. A bundle is started by [`bundle::start`] or by tick.
///
/// # Errors
/// H0150, H0151, H0152 for a job of a user for whom this process cannot work; any failure of the database. Then nothing
/// is stored.
pub(crate) fn submit(engine: &mut Engine, prepared: &Prepared, now: Timestamp) -> Result<JobId> {
    owner::worker(&owner::user(prepared.configuration()))?.check_way(engine.store.path())?;
    let cause = Cause::new(now, "submit");
    let lookup = engine.settings.window.lookup_seconds;
    engine.store.transact(|transaction| match prepared {
        Prepared::Coordinator(coordinator) => {
            insert_coordinator(transaction, coordinator, None, lookup, cause).map(|job| job.id)
        }
        Prepared::Workflow(workflow) => create::insert(transaction, workflow, Parent::None, cause).map(|job| job.id),
        Prepared::Bundle(bundle) => bundle::insert(transaction, bundle, cause),
    })
}

/// The bundle that submits a coordinator, and the coordinator's name there.
#[derive(Clone, Copy)]
pub(super) struct Membership<'a> {
    pub(super) bundle: &'a BundleJob,
    pub(super) name: &'a str,
}

/// Stores a coordinator job; one of a bundle has its name and its pause time from there.
pub(super) fn insert_coordinator(
    transaction: &Transaction<'_>,
    prepared: &PreparedCoordinator,
    membership: Option<Membership<'_>>,
    lookup_seconds: i64,
    cause: Cause<'_>,
) -> Result<CoordinatorJob> {
    let id = transaction.next_job_id(JobKind::Coordinator)?;
    let mut job = coordinator_row(id, prepared, cause.at);
    if let Some(Membership { bundle, name }) = membership {
        name.clone_into(&mut job.name);
        job.pause_at = bundle.pause_at;
        job.parent_bundle = Some(bundle.job);
    }
    job.due_at = due_at(&job, lookup_seconds);
    let key = transaction.insert_coordinator_job(&mut job)?;
    insert_definition(transaction, (key, job.definition_version), prepared, cause.at)?;
    transaction.insert_event(&Event { coordinator_job: Some(key), ..cause.event(None, job.status.as_str()) })?;
    Ok(job)
}

/// Stores what was read as a numbered version of a job's definition.
///
/// # Errors
/// A failure of the database.
pub(super) fn insert_definition(
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
    let outputs = &prepared.application.coordinator.outputs;
    let outputs: Vec<String> = outputs.iter().map(|output| output.dataset.uri_template.beginning()).collect();
    transaction.insert_coordinator_definition(&definition, &outputs)?;
    notification::remember_coordinator(transaction, job, &prepared.application.configuration)
}

/// The row of a job that comes into being.
pub(crate) fn coordinator_row(id: JobId, prepared: &PreparedCoordinator, now: Timestamp) -> CoordinatorJob {
    let Application { coordinator, configuration, .. } = &prepared.application;
    let schedule = &coordinator.schedule;
    let small = |number: i64| i32::try_from(number).unwrap_or(if number < 0 { -1 } else { i32::MAX });
    CoordinatorJob {
        job: CoordinatorKey::default(),
        id,
        name: coordinator.name.clone(),
        user: owner::user(configuration),
        group_name: owner::group(configuration),
        acl: owner::acl(configuration),
        app_path: prepared.app_path.clone(),
        status: CoordinatorStatus::Prep,
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
        timeout_minutes: small(coordinator.controls.timeout_minutes),
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
