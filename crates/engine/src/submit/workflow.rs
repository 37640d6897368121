//! Creates a workflow job (`SubmitXCommand`).

use std::sync::Arc;

use crate::application_path::WORKFLOW_PATH;
use crate::default_configuration::default_configuration;
use crate::definition_file::{self, ApplicationFile};
use crate::outbox::enqueue;
use crate::run_as;
use crate::settings::Settings;
use crate::shadow;
use crate::sla::workflow::{self as promises, Promise};
use crate::stored_properties::properties_text;
use crate::submit::given_values::at_given_values;
use crate::submit::pools;
use crate::submit::request::Submission;
use crate::submit::unmounted::Submitted;
use crate::submit::unused_properties::unused_properties;
use crate::submit::warnings::DataCheck;
use crate::submit::workflow_lint::{self, Programs};
use crate::transition::cause::Cause;
use howdah_executor as executor;
use howdah_host::located::{Base, DefaultStore};
use howdah_host::mounts::Mounts;
use howdah_oozie::configuration::{self, ParsedProperties, complete, job_configuration, unresolved};
use howdah_oozie::workflow::definition::{Node, NodeKind, Workflow};
use howdah_oozie::workflow::expressions::Expressions;
use howdah_oozie::workflow::submission::evaluate_over_properties;
use howdah_oozie::workflow::{self, ForkJoinCheck};
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText, Span};
use howdah_words::model::Properties;
use howdah_words::model::id::JobKind;
use howdah_words::model::row::{ActionKey, Event, WorkflowJob, WorkflowKey};
use howdah_words::model::status::WorkflowStatus;
use howdah_xml::{self as xml, DocumentKind};

/// The property that names default files, separated by commas.
pub(super) const DEFAULT_FILES: &str = "oozie.default.configuration.path";

/// The largest workflow definition, in bytes (`WorkflowDefinitionMaxLength`).
const LONGEST_DEFINITION: usize = 100_000;

/// A workflow job that can be started.
#[derive(Clone, Debug)]
pub struct PreparedWorkflow {
    pub name: String,
    pub app_path: String,
    pub source: Arc<SourceText>,
    pub configuration: Properties,
    /// What its SLA elements promise.
    pub promises: Vec<Promise>,
}

/// The parent of a new workflow job.
#[derive(Clone, Debug)]
pub enum Parent {
    None,
    Action(ActionKey),
    /// A sub-workflow node, and how many workflow jobs are above the new one.
    Node {
        job: WorkflowKey,
        node: String,
        depth: u32,
    },
}

/// The files of a workflow application, as they were read.
#[derive(Debug)]
pub(super) struct WorkflowFiles {
    file: ApplicationFile,
    /// The default files, that beside the application last; the first value counts.
    defaults: Vec<ParsedProperties>,
    /// The values of the one beside the application.
    own_defaults: Properties,
    document: Result<xml::Document, Vec<Error>>,
}

/// Reads and checks the workflow application that the configuration names; the first error refuses it.
pub fn prepare(mounts: &Mounts, settings: &Settings, configuration: &Properties) -> Result<PreparedWorkflow> {
    let properties = configuration.clone().into();
    // Only submission shows warnings.
    accepted(examine(Submission { mounts, settings, properties: &properties, data: DataCheck::Skip }))
}

/// Returns a workflow that was examined, or the first error that refuses it.
pub(super) fn accepted((workflow, problems): (Option<PreparedWorkflow>, Vec<Error>)) -> Result<PreparedWorkflow> {
    workflow.ok_or_else(|| {
        let refused = problems.into_iter().find(|problem| !problem.is_warning());
        refused.unwrap_or_else(|| Error::new(ErrorCode::H0001, "a workflow was refused without a reason"))
    })
}

impl PreparedWorkflow {
    /// Writes the values of the application and the configuration into the row of a job, at its creation and at every
    /// rerun. The user stays the same.
    pub fn describe(&self, row: &mut WorkflowJob) {
        row.name.clone_from(&self.name);
        row.app_path.clone_from(&self.app_path);
        row.group_name = run_as::group(&self.configuration);
        row.external_id = self.configuration.get("oozie.wf.external.id").map(|value| value.trim().to_owned());
    }

    /// Returns errors in its expressions that do not depend on properties, such as unknown functions: W0150 where a
    /// node fails because of it, E1004 where it is evaluated at submission.
    pub fn check_expressions(&self) -> Vec<Error> {
        xml::read(&self.source).map_or_else(|problems| problems, |document| Expressions::of(&document).check())
    }
}

/// As [`prepare`], with every problem, warnings included.
pub fn examine(submission: Submission<'_>) -> (Option<PreparedWorkflow>, Vec<Error>) {
    let reader = run_as::reader_of(submission.properties);
    let examined = reader.act(|| match submission.read_application(WORKFLOW_PATH, "workflow.xml") {
        Ok(file) => examine_file(submission, file),
        Err(problems) => (None, problems),
    });
    examined.unwrap_or_else(|refused| (None, vec![refused]))
}

/// Reads the files of the workflow application that the properties name, for [`examine_files`].
pub(super) fn read(submission: Submission<'_>) -> Result<WorkflowFiles, Vec<Error>> {
    let reader = run_as::reader_of(submission.properties);
    let files = reader.act(|| {
        let file = submission.read_application(WORKFLOW_PATH, "workflow.xml")?;
        read_beside(submission, file).map_err(|problems| at_given_values(problems, submission.properties))
    });
    files.unwrap_or_else(|refused| Err(vec![refused]))
}

/// As [`examine`], of a workflow application that was read already.
pub fn examine_file(submission: Submission<'_>, file: ApplicationFile) -> (Option<PreparedWorkflow>, Vec<Error>) {
    match read_beside(submission, file) {
        Ok(files) => examine_files(submission, &files),
        Err(problems) => (None, at_given_values(problems, submission.properties)),
    }
}

/// Reads what belongs to a definition that was read.
fn read_beside(submission: Submission<'_>, file: ApplicationFile) -> Result<WorkflowFiles, Vec<Error>> {
    let mut defaults = default_files(submission)?;
    let own = default_configuration(file.folder.as_ref(), "config-default.xml")?;
    let own_defaults = own.iter().flat_map(|own| own.values.clone()).collect();
    defaults.extend(own);
    let document = xml::read(&file.source);
    Ok(WorkflowFiles { file, defaults, own_defaults, document })
}

/// As [`examine_file`], of files that were read before; looks at no other file unless the submission checks data.
pub(super) fn examine_files(
    submission: Submission<'_>,
    files: &WorkflowFiles,
) -> (Option<PreparedWorkflow>, Vec<Error>) {
    let (prepared, problems) = examine_definition(submission, files);
    (prepared, at_given_values(problems, submission.properties))
}

fn examine_definition(submission: Submission<'_>, files: &WorkflowFiles) -> (Option<PreparedWorkflow>, Vec<Error>) {
    let WorkflowFiles { file, defaults, own_defaults, document } = files;
    let mut configuration = match job_configuration(DocumentKind::Workflow, submission.properties, defaults) {
        Ok(configuration) => configuration,
        Err(error) => return (None, vec![error]),
    };
    let document = match document {
        Ok(document) => document,
        Err(errors) => return (None, errors.clone()),
    };
    let mut problems: Vec<Error> = check_length(&file.source).err().into_iter().collect();
    if let Err(error) = complete(DocumentKind::Workflow, document, &mut configuration) {
        problems.extend(xml::check(document, DocumentKind::Workflow));
        problems.push(error);
        return (None, problems);
    }
    problems.extend(unresolved(DocumentKind::Workflow, Some(document), submission.properties, &configuration));
    problems.extend(workflow::variables::without_value(&Expressions::of(document), &configuration));
    let (graph, found) = check(document, &configuration, submission.settings);
    problems.extend(found);
    problems.extend(graph.iter().flat_map(unsupported));
    if let Some(graph) = &graph {
        let machine = (submission.mounts, submission.settings);
        problems.extend(workflow_lint::accepted(document, graph, (&configuration, own_defaults), machine));
        let folder = file.folder.as_ref().filter(|_| submission.data == DataCheck::Check);
        let programs = Programs::of(&submission.settings.command_variables);
        let missing = |folder| workflow_lint::missing_files(document, folder, &configuration, &programs);
        problems.extend(folder.into_iter().flat_map(missing));
    }
    let of_properties = enqueue::warnings(&configuration).into_iter().chain(ForkJoinCheck::warnings(&configuration));
    problems.extend(of_properties.map(|(name, warning)| submission.properties.place(name, warning)));
    if submission.names(WORKFLOW_PATH, &file.source) {
        let defaults = defaults.iter().flat_map(|file| file.values.values().map(String::as_str));
        let texts: Vec<&str> = std::iter::once(file.source.text.as_str()).chain(defaults).collect();
        problems.extend(unused_properties(submission.properties, &texts));
    }
    if submission.data == DataCheck::Check {
        problems.extend(pools::unknown(submission, document, &configuration));
    }
    if let Some(graph) = graph.as_ref().filter(|_| submission.data == DataCheck::Check) {
        let Submission { mounts, settings, .. } = submission;
        let submitted = Submitted { mounts, settings, app_path: &file.app_path, configuration: &configuration };
        problems.extend(submitted.warnings(graph));
    }
    let mut promises = Vec::new();
    if graph.is_some() {
        let (promised, found) = promises::read(document, &configuration, submission.settings.submit.processing);
        promises = promised;
        problems.extend(found);
    }
    let refused = problems.iter().any(|problem| !problem.is_warning());
    let Some(graph) = graph.filter(|_| !refused) else { return (None, problems) };
    match name(&graph, &configuration) {
        Ok(name) => {
            let (app_path, source) = (file.app_path.clone(), Arc::clone(&file.source));
            (Some(PreparedWorkflow { name, app_path, source, configuration, promises }), problems)
        }
        Err(error) => (None, problems.into_iter().chain([error]).collect()),
    }
}

/// Returns the refusal of a workflow definition for its length, if it is too long.
pub fn check_length(source: &Arc<SourceText>) -> Result<()> {
    let length = source.text.len();
    if length <= LONGEST_DEFINITION {
        return Ok(());
    }
    let start = Location::new(source, Span::default());
    Err(Error::with(ErrorCode::E0736, &[&length, &LONGEST_DEFINITION])
        .at(start)
        .help("move a part of the workflow into a sub-workflow"))
}

/// Returns the default files that `oozie.default.configuration.path` names. Missing files are ignored.
fn default_files(submission: Submission<'_>) -> Result<Vec<ParsedProperties>, Vec<Error>> {
    let resolved = configuration::resolve_parsed(submission.properties).map_err(|error| vec![error])?;
    let paths = resolved.get(DEFAULT_FILES).map(String::as_str).unwrap_or_default();
    let app_path = resolved.get(WORKFLOW_PATH).map(String::as_str).unwrap_or_default();
    let base = Base::store(DefaultStore::of(app_path.trim()));
    let mut files = Vec::new();
    for path in paths.split(',').map(str::trim).filter(|path| !path.is_empty()) {
        let path = definition_file::locate(submission.mounts, path, &base).map_err(|error| vec![error])?;
        files.extend(default_configuration(Some(&path.folder()), path.name().unwrap_or_default())?);
    }
    Ok(files)
}

/// Returns the actions of a type that this version cannot run (E0723).
fn unsupported(graph: &Workflow) -> Vec<Error> {
    let refuse = |node: &Node| {
        let NodeKind::Action(action) = &node.kind else { return None };
        let kind = action.kind.as_str();
        let refused = Error::with(ErrorCode::E0723, &[&node.name, &kind])
            .at(graph.location(node.span))
            .help(format!("this version of howdah runs actions of these types: {}", executor::TYPES.join(", ")));
        (!executor::TYPES.contains(&kind)).then_some(refused)
    };
    graph.nodes().iter().filter_map(refuse).collect()
}

/// Checks schema, nodes and graph of a workflow definition; returns the graph when nothing in it is refused.
pub fn check(
    document: &xml::Document,
    configuration: &Properties,
    settings: &Settings,
) -> (Option<Workflow>, Vec<Error>) {
    let mut problems = xml::check(document, DocumentKind::Workflow);
    let fork_join = ForkJoinCheck::from_properties(&settings.properties, configuration);
    let (graph, found) = workflow::load(document, configuration, fork_join);
    let refused_by_schema = problems.iter().any(|problem| !problem.is_warning());
    // When the schema refuses a document, the graph's reader would report the same errors again.
    let is_new = |problem: &Error| !refused_by_schema || !repeats_the_schema(problem);
    problems.extend(found.into_iter().filter(is_new));
    let refused = problems.iter().any(|problem| !problem.is_warning());
    (graph.filter(|_| !refused), problems)
}

/// Checks whether a problem of the graph is one that the schema finds as well: an element or an attribute that is
/// unknown, or missing.
fn repeats_the_schema(problem: &Error) -> bool {
    problem.is_warning()
        || matches!(problem.code(), ErrorCode::E0701 | ErrorCode::E0703 | ErrorCode::E0704 | ErrorCode::E0723)
}

/// Returns the application's name with the job's variables filled in.
fn name(graph: &Workflow, configuration: &Properties) -> Result<String> {
    evaluate_over_properties(&graph.name.value, configuration)
        .map_err(|error| error.into_error().at(graph.location(graph.name.span)))
}

/// Stores a new workflow job in PREP and returns its row. What its parent has started before the database was put back
/// to an older state is that job again, with its id, and what its attempts did counts.
pub fn insert(
    transaction: &Transaction<'_>,
    workflow: &PreparedWorkflow,
    parent: Parent,
    cause: Cause<'_>,
) -> Result<WorkflowJob> {
    shadow::refuse(transaction, "no workflow job is created in it")?;
    let earlier = match &parent {
        Parent::None => None,
        Parent::Action(action) => transaction.earlier_job_of_action(*action)?,
        Parent::Node { job, node, .. } => transaction.earlier_job_of_node(*job, node)?,
    };
    let (id, life) = match earlier {
        Some(earlier) => (earlier.id, earlier.life),
        None => (transaction.next_job_id(JobKind::Workflow)?, None),
    };
    let mut job = WorkflowJob {
        job: WorkflowKey::default(),
        id,
        name: String::new(),
        app_path: String::new(),
        user: run_as::user(&workflow.configuration),
        group_name: None,
        status: WorkflowStatus::Prep,
        run: 0,
        parent_coordinator: None,
        parent_action: None,
        parent_workflow: None,
        parent_node: None,
        depth: 0,
        created_at: cause.at,
        started_at: None,
        ended_at: None,
        modified_at: cause.at,
        definition: transaction.store_document(&workflow.source.text)?,
        configuration: transaction.store_document(&properties_text(&workflow.configuration))?,
        instance: None,
        external_id: None,
        error_code: None,
        error_message: None,
    };
    workflow.describe(&mut job);
    match parent {
        Parent::None => {}
        Parent::Action(action) => {
            job.parent_coordinator = Some(action.job);
            job.parent_action = Some(action.number);
        }
        Parent::Node { job: parent, node, depth } => {
            job.parent_workflow = Some(parent);
            job.parent_node = Some(node);
            job.depth = depth;
        }
    }
    let key = transaction.insert_workflow_job(&mut job)?;
    if let Some(life) = life {
        transaction.set_workflow_life(key, &life)?;
    }
    enqueue::remember_workflow(transaction, key, &workflow.configuration)?;
    promises::register(transaction, &job, &workflow.promises, cause.at)?;
    transaction.insert_event(&Event { workflow_job: Some(key), ..cause.event(None, job.status.as_str()) })?;
    Ok(job)
}
