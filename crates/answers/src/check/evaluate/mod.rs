//! Evaluates one expression from the command line (`howdah eval`; coordinator specification 4.1, 4.4, 6.6; workflow
//! specification 4).
//!
//! Uses the same phases as jobs; this module only supplies their data: properties, and an action of a coordinator file
//! when one is named. Stores nothing, needs no database.

mod action;
mod anywhere;
mod phase;

pub use action::ActionChoice;
pub use phase::Phase;

use serde_json::{Value as Json, json};

use crate::check::evaluate::action::{Action, event_names};
use crate::check::evaluate::phase::{PhaseScope, Setting};
use crate::check::expression::ExpressionText;
use howdah_el::{ElError, Value};
use howdah_engine::application_path::{COORDINATOR_PATH, WORKFLOW_PATH};
use howdah_engine::compiled::Application;
use howdah_engine::host_functions::ThisMachine;
use howdah_engine::preview::job_id;
use howdah_engine::run_as;
use howdah_engine::settings::Settings;
use howdah_engine::submit::submission::{self, Prepared};
use howdah_host::located::{Base, DefaultStore};
use howdah_host::mounts::Mounts;
use howdah_host::presence::PresenceCache;
use howdah_oozie::configuration::{ParsedProperties, resolve_parsed};
use howdah_oozie::coordinator::phase::JobScope;
use howdah_oozie::coordinator::phase::event::EventNames;
use howdah_oozie::workflow::context::{NothingKnown, WorkflowContext};
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::Properties;
use howdah_words::model::id::JobKind;
use howdah_words::model::time::{MINUTE, Timestamp};

/// What to evaluate.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub expression: &'a str,
    /// `None`: the start of the action if there is one, otherwise the scope that needs no context.
    pub phase: Option<Phase>,
    pub properties: &'a ParsedProperties,
    /// The coordinator file, or its folder, and the action of it.
    pub coordinator: Option<(&'a str, ActionChoice<'a>)>,
}

/// The settings, mounts and time of an evaluation.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    pub settings: &'a Settings,
    pub mounts: &'a Mounts,
    pub now: Timestamp,
}

/// The value of an expression.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// The value as text, as a definition would get it.
    pub text: String,
    /// The value for programs.
    pub value: Json,
    /// `text`, `integer`, `float`, `boolean`, `null`, `map` or `list`.
    pub type_name: &'static str,
    pub phase: Option<Phase>,
    /// Additional facts about the value.
    pub notes: Vec<String>,
}

/// Evaluates an expression.
///
/// # Errors
/// The problems of the coordinator when it is refused; otherwise what is wrong with the expression, at its place in the
/// text.
pub fn evaluate(question: &Question<'_>, setup: Setup<'_>) -> Result<Evaluation, Vec<Error>> {
    let application =
        question.coordinator.map(|(file, _)| application(file, question.properties, setup)).transpose()?;
    evaluate_over(question, application, setup).map_err(|error| vec![error])
}

fn evaluate_over(question: &Question<'_>, application: Option<Application>, setup: Setup<'_>) -> Result<Evaluation> {
    let expression = ExpressionText::parse("<expression>", question.expression)?;
    let phase = question.phase.or(question.coordinator.map(|_| Phase::Start));
    let Some((application, (_, which))) = application.zip(question.coordinator) else {
        if let Some(phase) = phase.filter(|phase| phase.needs_action()) {
            let error = Error::new(ErrorCode::H0002, format!("the phase [{}] is about an action", phase.as_str()));
            return Err(error.help("name one with --coordinator FILE --action N"));
        }
        let configuration = resolve_parsed(question.properties)?;
        let job = Job { configuration, workflow: None, events: EventNames::default(), action: Action::stand_in() };
        return answer(&expression, phase, &job, setup);
    };
    let datasets = application.coordinator.inputs.len() + application.coordinator.outputs.len();
    if let Some(phase) = phase.filter(|phase| phase.needs_dataset() && datasets == 0) {
        let error = Error::new(ErrorCode::H0002, format!("the phase [{}] is about a dataset", phase.as_str()));
        return Err(error.help("the coordinator has no data-in and no data-out"));
    }
    let coordinator = &application.coordinator;
    let trial = action::trial(&application, which.number, setup.now)?;
    let dataset = action::dataset(coordinator, which.event)?;
    let (resolved, ready) = trial.resolve(Some(&PresenceCache::new(setup.mounts)))?;
    let given = || trial.own_configuration(&resolved).map(|own| trial.workflow_configuration(&own));
    let job = Job {
        configuration: application.configuration.clone(),
        workflow: phase.is_some_and(Phase::is_of_workflow).then(given).transpose()?,
        events: event_names(coordinator),
        action: Action::of(&trial, &resolved, (&coordinator.schedule.zone, dataset)),
    };
    let waits = ready == Some(false) && matches!(phase, Some(Phase::Start | Phase::Workflow));
    let mut evaluation = answer(&expression, phase, &job, setup)?;
    if waits {
        evaluation.notes.push("the action would still wait: not all of its inputs exist".to_owned());
    }
    Ok(evaluation)
}

/// Reads the application in a file, which must be one that could be submitted.
fn application(file: &str, properties: &ParsedProperties, setup: Setup<'_>) -> Result<Application, Vec<Error>> {
    let mut properties = properties.clone();
    properties.define(COORDINATOR_PATH.to_owned(), file.to_owned());
    match submission::prepare(setup.mounts, setup.settings, &properties) {
        (Some(Prepared::Coordinator(job)), _) => Ok(job.application),
        (_, problems) => Err(problems),
    }
}

/// The job in which the expression is evaluated.
struct Job {
    configuration: Properties,
    /// The configuration of the action's workflow job, where the phase uses it.
    workflow: Option<Properties>,
    events: EventNames,
    action: Action,
}

fn answer(expression: &ExpressionText, phase: Option<Phase>, job: &Job, setup: Setup<'_>) -> Result<Evaluation> {
    let processing = setup.settings.submit.processing;
    let conf = job.workflow.as_ref().unwrap_or(&job.configuration);
    let property = |name: &str| conf.get(name).map(|value| value.trim()).unwrap_or_default();
    let id = job_id(JobKind::Workflow);
    let reader = run_as::reader(property("user.name"));
    let (mounts, settings) = (setup.mounts, setup.settings);
    let (home, environment) = (reader.home()?, reader.environment(settings, mounts)?);
    let base = Base::with_home(DefaultStore::of(property(WORKFLOW_PATH)), property("user.name"), &home);
    let machine = ThisMachine { mounts, settings, base, environment: &environment, reader: &reader };
    let workflow = WorkflowContext {
        id: id.as_str(),
        name: "",
        app_path: property(WORKFLOW_PATH),
        user: property("user.name"),
        group: conf.get("group.name").map(String::as_str),
        run: 0,
        conf,
        nodes: &NothingKnown,
        last_error_node: None,
        now: setup.now,
        offset_minutes: processing.offset_seconds() / MINUTE,
        action: "",
        callback: "",
        outside: Some(&machine),
    };
    let scope = JobScope { configuration: &job.configuration, processing };
    let setting = Setting { job: scope, events: &job.events, action: job.action.setting(), workflow };
    let mut scope = PhaseScope::new(phase, &setting, expression.template());
    let value = expression.template().evaluate_value(scope.scope());
    let value = value.map_err(|error| expression.locate(advise(error, expression, &mut scope, &setting)))?;
    Ok(Evaluation {
        text: value.to_text().to_string(),
        value: as_json(&value),
        type_name: value.type_name(),
        phase,
        notes: scope.notes(),
    })
}

/// Adds advice to the error: which phases provide a function that this one does not.
fn advise(error: ElError, expression: &ExpressionText, scope: &mut PhaseScope<'_>, setting: &Setting<'_>) -> ElError {
    let Some(call) = expression.call_at(&error).filter(|call| !scope.provides(call)) else { return error };
    let mut providers = Vec::new();
    let mut names = scope.scope().names();
    for phase in Phase::ALL {
        let mut other = PhaseScope::new(Some(*phase), setting, expression.template());
        if other.provides(call) {
            providers.push(phase.as_str());
        }
        names.extend(other.scope().names());
    }
    let near = did_you_mean(&call.function().to_string(), names.iter().map(String::as_str));
    let help = match (providers.as_slice(), near) {
        ([], None) => return error,
        ([], Some(near)) => format!("did you mean [{near}]?"),
        ([one], _) => format!("only the phase {one} provides it: --phase {one}"),
        (several, _) => format!("phases that provide it (--phase): {}", several.join(", ")),
    };
    ElError::new(error.span, error.message).help(help)
}

fn as_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        // A number that JSON cannot write becomes a text.
        Value::Float(number) if number.is_finite() => json!(number),
        Value::Float(_) | Value::Text(_) => json!(&*value.to_text()),
        Value::Map(entries) => entries.iter().map(|(name, value)| (name.clone(), as_json(value))).collect(),
        Value::List(items) => items.iter().map(as_json).collect(),
    }
}
