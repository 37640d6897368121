//! From a coordinator's XML and its properties to a [`Coordinator`], with every problem found on the way
//! (the order of the steps is that of 4.5).
//!
//! The XML schema is checked elsewhere: what is missing is passed over here, because the schema reports it.
//! Must never know files: included texts come through [`Includes`].

mod action;
mod attribute;
mod dataset;
mod event;
mod logic;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(crate) use dataset::Includes;

use crate::coordinator::definition::{Coordinator, Expression};
use crate::coordinator::input_logic::InputLogic;
use crate::coordinator::phase::{EventNames, JobName, JobScope, Plain};
use crate::coordinator::settings::SubmitSettings;
use crate::dataset::Dataset;
use crate::el::{ElError, Scope, Template};
use crate::error::{Error, ErrorCode, Location, Result, SourceText};
use crate::model::Properties;
use crate::xml::{Document, Element, Text};

/// Refusals after which no further text is evaluated: a definition with more of them is not mended one by one, and each
/// costs a look at all names.
const MOST_REFUSALS: usize = 100;

/// Reads a coordinator application.
///
/// Answers the application when nothing in it is refused, and all problems: errors (E0803, E1002, E1003, E1004,
/// E1010, E1021) and warnings.
pub(crate) fn parse(
    document: &Document,
    configuration: &Properties,
    includes: &dyn Includes,
    settings: &SubmitSettings,
) -> (Option<Coordinator>, Vec<Error>) {
    let job = JobScope { configuration, processing: settings.processing };
    let mut parser = Parser {
        job,
        settings,
        source: Arc::clone(&document.source),
        problems: Vec::new(),
        refusals: 0,
        refused_datasets: BTreeSet::new(),
        include_lost: false,
    };
    let coordinator = parser.application(&document.root, includes);
    let refused = parser.problems.iter().any(|problem| !problem.is_warning());
    (coordinator.filter(|_| !refused), parser.problems)
}

/// The state of reading one definition.
struct Parser<'a> {
    job: JobScope<'a>,
    settings: &'a SubmitSettings,
    /// The file being read: the definition itself, or one of its includes.
    source: Arc<SourceText>,
    problems: Vec<Error>,
    /// How many of the problems are refusals of a text.
    refusals: usize,
    /// Datasets that are declared but were refused.
    refused_datasets: BTreeSet<String>,
    /// Whether an included file could not be read, so that nobody knows which datasets there are.
    include_lost: bool,
}

impl Parser<'_> {
    fn application(&mut self, root: &Element, includes: &dyn Includes) -> Option<Coordinator> {
        let frequency = self.app_frequency(root);
        let name = root.attribute("name").and_then(|name| self.evaluate(name, &mut JobName(self.job)));
        let start = self.datetime(root, "start");
        let end = self.datetime(root, "end");
        let zone = self.zone(root);
        let controls = self.controls(root.child("controls"));
        let datasets = self.datasets(root, includes);
        let (inputs, outputs) = self.events(root, &datasets);
        let logic = self.input_logic(root, inputs.as_deref());
        let names = event_names(root, logic.as_ref().ok().and_then(Option::as_ref));
        let action = self.action(root.child("action"), &names);
        let (frequency, frequency_text) = frequency?;
        let schedule = self.schedule(root, frequency, (start?, end?), zone?)?;
        let (app_path, configuration, sla) = action?;
        Some(Coordinator {
            name: name?,
            written_name: root.attribute("name")?.value.clone(),
            schedule,
            frequency_text,
            controls: controls?,
            inputs: inputs?,
            logic: logic.ok()?,
            outputs: outputs?,
            app_path,
            configuration,
            sla,
        })
    }

    /// Evaluates a text; a failure becomes a problem at its place. Nothing is evaluated behind [`MOST_REFUSALS`].
    fn evaluate(&mut self, text: &Text, scope: &mut dyn Scope) -> Option<String> {
        if self.refusals >= MOST_REFUSALS {
            return None;
        }
        let value = Template::parse(&text.value).and_then(|template| template.evaluate(scope));
        self.understood(value, text).map(|value| value.trim().to_owned())
    }

    /// Evaluates a text that knows no function but the job's properties.
    fn plain(&mut self, text: &Text) -> Option<String> {
        self.evaluate(text, &mut Plain(self.job))
    }

    /// Parses a text whose evaluation has to wait for an action.
    fn expression(&mut self, text: &Text) -> Option<Expression> {
        if self.refusals >= MOST_REFUSALS {
            return None;
        }
        let template = self.understood(Template::parse(&text.value), text)?;
        Some(Expression { template, text: text.clone(), source: Arc::clone(&self.source) })
    }

    /// Parses a text and evaluates it for a trial.
    fn checked_expression(&mut self, text: &Text, scope: &mut dyn Scope) -> Option<Expression> {
        let expression = self.expression(text)?;
        self.understood(expression.template.evaluate(scope), text)?;
        Some(expression)
    }

    /// Takes what the language made of `text`, or turns its error into a problem at the place inside the text.
    fn understood<T>(&mut self, result: Result<T, ElError>, text: &Text) -> Option<T> {
        let error = match result {
            Ok(value) => return Some(value),
            Err(error) => error,
        };
        let place = Location::new(&self.source, text.locate(error.span));
        let unresolved = error.is_unresolved();
        let mut problem = error.into_error();
        if unresolved {
            problem = problem.help("define the variable in the job properties, or with -D name=value");
        }
        self.report_at(problem, place);
        None
    }

    /// Takes a value, or turns its error into a problem at the place of `text`.
    fn keep<T>(&mut self, result: Result<T>, text: &Text) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(error, text);
                None
            }
        }
    }

    /// Reports a refusal or a warning at the place of `text`.
    fn report(&mut self, error: Error, text: &Text) {
        self.report_at(error, Location::new(&self.source, text.span));
    }

    fn report_at(&mut self, error: Error, place: Location) {
        self.refusals += usize::from(!error.is_warning());
        self.problems.push(error.at(place));
    }
}

/// The names that `coord:dataIn` and `coord:dataOut` may use: those of all declared events, refused ones too, because
/// whoever names them is not wrong.
fn event_names(root: &Element, logic: Option<&InputLogic>) -> EventNames {
    let names = |list: &str| {
        let mut names = BTreeSet::new();
        if let Some(list) = root.child(list) {
            collect_names(list, &mut names);
        }
        names
    };
    let mut found = EventNames { inputs: names("input-events"), outputs: names("output-events") };
    match logic {
        Some(logic) => found.inputs.extend(logic.named().into_iter().map(|(name, _)| name.to_owned())),
        None => found.inputs.extend(names("input-logic")),
    }
    found
}

/// Adds the names of the elements below `list`.
fn collect_names(list: &Element, names: &mut BTreeSet<String>) {
    for element in list.elements() {
        names.extend(element.attribute("name").map(|name| name.value.clone()));
        collect_names(element, names);
    }
}

/// The datasets of a definition by name.
type Datasets = BTreeMap<String, Arc<Dataset>>;

/// An attribute's refusal in Oozie's words.
fn invalid(name: &str, value: &str, why: &str) -> Error {
    Error::new(ErrorCode::E1003, format!("parameter [{name}] = [{value}] {why}"))
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
