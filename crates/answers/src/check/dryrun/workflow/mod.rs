//! Computes what a workflow job would do: its nodes with their transitions and contents, and its configuration.
//!
//! Evaluates every expression of the definition and of the job-xml files, as Oozie's dry run does, so one without a
//! value refuses the job. Functions about nodes that have not run return empty texts; a text that depends on them is
//! shown as written. Starts nothing and stores nothing.

mod body;

use serde::Serialize;

use self::body::Plan;
use howdah_engine::host_functions::{self, ThisMachine};
use howdah_engine::preview::job_id;
use howdah_engine::settings::Settings;
use howdah_engine::submit::warnings::DataCheck;
use howdah_engine::submit::workflow::PreparedWorkflow;
use howdah_engine::{application_files, run_as, submit};
use howdah_host::located::{Base, DefaultStore};
use howdah_host::mounts::Mounts;
use howdah_oozie::workflow::context::{NothingKnown, Outside, WorkflowContext};
use howdah_oozie::workflow::definition::{Node, NodeKind, Target, Workflow};
use howdah_oozie::workflow::expressions::Expressions;
use howdah_words::error::{Error, ErrorCode, Location, Signal};
use howdah_words::model::Properties;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::{MINUTE, Timestamp};
use howdah_xml as xml;

pub(crate) use self::body::DryDetail;

/// A workflow job as it would be stored, with Oozie's names for other programs.
#[derive(Clone, Debug, Serialize)]
pub struct DryWorkflow {
    #[serde(rename = "appName")]
    pub name: String,
    #[serde(rename = "appPath")]
    pub path: String,
    #[serde(rename = "conf")]
    pub configuration: Properties,
    /// In document order, the start node first.
    pub nodes: Vec<DryNode>,
}

/// A node of the graph.
#[derive(Clone, Debug, Serialize)]
pub struct DryNode {
    pub name: String,
    /// Oozie's word for its kind: `:START:`, `switch`, or the type of the action.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// In the order in which they are checked.
    pub transitions: Vec<DryTransition>,
    /// The target that a decision would choose now; `None` when it depends on the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chosen: Option<String>,
    /// The contents of the node, its expressions evaluated as far as possible.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<DryDetail>,
}

/// A transition of a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DryTransition {
    /// Its condition: `to`, `ok`, `error`, `default`, `path`, or the predicate of a case as written.
    pub on: String,
    pub to: String,
}

/// The settings, mounts and time of a dry run of a workflow.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    pub mounts: &'a Mounts,
    pub settings: &'a Settings,
    pub now: Timestamp,
    /// Whether files are checked; if not, no file exists, and job-xml files are not read.
    pub data: DataCheck,
}

/// Describes what a prepared workflow would do. `reported` are the problems that submission reported.
///
/// # Errors
/// The refusals of [`submit::workflow::check`]; every expression without a value (E1004, which Oozie wraps in E0803),
/// together with `reported`; a job-xml file that cannot be read.
pub fn workflow(prepared: &PreparedWorkflow, setup: Setup<'_>, reported: &[Error]) -> Result<DryWorkflow, Vec<Error>> {
    let document = xml::read(&prepared.source)?;
    let (graph, problems) = submit::workflow::check(&document, &prepared.configuration, setup.settings);
    let graph = graph.ok_or(problems)?;
    let (user, group) = (run_as::user(&prepared.configuration), run_as::group(&prepared.configuration));
    let id = job_id(JobKind::Workflow).to_string();
    let reader = run_as::reader(&user);
    let (mounts, settings) = (setup.mounts, setup.settings);
    let of_user = reader.home().and_then(|home| Ok((home, reader.environment(settings, mounts)?)));
    let (home, environment) = of_user.map_err(|unknown| vec![unknown])?;
    let base = Base::with_home(DefaultStore::of(&prepared.app_path), &user, &home);
    let machine = ThisMachine { mounts, settings, base, environment: &environment, reader: &reader };
    let outside: &dyn Outside = if setup.data == DataCheck::Check { &machine } else { &NothingKnown };
    let context = WorkflowContext {
        id: &id,
        name: &prepared.name,
        app_path: &prepared.app_path,
        user: &user,
        group: group.as_deref(),
        run: 0,
        conf: &prepared.configuration,
        nodes: &NothingKnown,
        last_error_node: None,
        now: setup.now,
        offset_minutes: setup.settings.submit.processing.offset_seconds() / MINUTE,
        action: &id,
        callback: &host_functions::callback_address(&setup.settings.properties),
        outside: Some(outside),
    };
    let mut errors = Expressions::of(&document).evaluate(&context);
    let plan = Plan { graph: &graph, context: &context };
    if setup.data == DataCheck::Check {
        let read = reader.act(|| job_xml_files(&plan, setup, &prepared.app_path));
        errors.extend(read.unwrap_or_else(|refused| vec![refused]));
    }
    if errors.is_empty() { Ok(shown(prepared, &graph, &plan)) } else { Err(refusal(errors, reported)) }
}

/// Reads and evaluates every job-xml file that an action names and whose path is known before the run.
fn job_xml_files(plan: &Plan<'_>, setup: Setup<'_>, app_path: &str) -> Vec<Error> {
    let application = match application_files::application(setup.mounts, app_path) {
        Ok(application) => application,
        Err(error) => return vec![error],
    };
    let check = |(path, place): (String, Location)| {
        let text = match application_files::job_xml(setup.mounts, &application, &path) {
            Ok(text) => text,
            Err(error) if error.may_pass() => return vec![error],
            Err(error) => return vec![Error::new(ErrorCode::E0803, error.message()).at(place)],
        };
        xml::read(&text).map_or_else(|errors| errors, |file| Expressions::of(&file).evaluate(plan.context))
    };
    plan.job_xml_files().into_iter().flat_map(check).collect()
}

/// Returns the errors of a dry run together with those of submission. A variable without a value is an error here and
/// no longer a warning.
fn refusal(errors: Vec<Error>, reported: &[Error]) -> Vec<Error> {
    let reported = reported.iter().filter(|problem| problem.signal() != Signal::VariableWithoutValue).cloned();
    reported.chain(errors.into_iter().map(|error| error.reported_by_oozie_as(ErrorCode::E0803))).collect()
}

fn shown(prepared: &PreparedWorkflow, graph: &Workflow, plan: &Plan<'_>) -> DryWorkflow {
    let node = |node: &Node| DryNode {
        name: node.name.clone(),
        kind: node.kind.node_type().as_str(),
        transitions: transitions(node),
        chosen: plan.chosen(node),
        details: plan.details(node),
    };
    DryWorkflow {
        name: prepared.name.clone(),
        path: prepared.app_path.clone(),
        configuration: prepared.configuration.clone(),
        nodes: graph.nodes().iter().map(node).collect(),
    }
}

fn transitions(node: &Node) -> Vec<DryTransition> {
    let words: Vec<String> = match &node.kind {
        NodeKind::End | NodeKind::Kill { .. } => Vec::new(),
        NodeKind::Start { .. } | NodeKind::Join { .. } => vec!["to".to_owned()],
        NodeKind::Decision { cases, .. } => {
            cases.iter().map(|case| case.predicate.value.trim().to_owned()).chain(["default".to_owned()]).collect()
        }
        NodeKind::Fork { paths } => vec!["path".to_owned(); paths.len()],
        NodeKind::Action(_) => vec!["ok".to_owned(), "error".to_owned()],
    };
    let transition = |(on, to): (String, &Target)| DryTransition { on, to: to.name.clone() };
    words.into_iter().zip(node.targets()).map(transition).collect()
}
