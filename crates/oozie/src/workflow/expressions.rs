//! Checks the expressions of a workflow before it runs: their syntax, functions that do not exist in their place, wrong
//! numbers of arguments.
//!
//! Must not evaluate: a variable may come from the configuration of any run.

use std::collections::BTreeSet;

use super::constants;
use super::context::WorkflowContext;
use super::functions;
use super::submission;
use crate::elsewhere;
use howdah_el::{ElError, Expr, Template, is_literal};
use howdah_words::error::{Error, ErrorCode, Location, Span};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element, Text};

/// How many problems are reported about the expressions of one workflow.
const MOST_PROBLEMS: usize = 100;

/// When a text is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    /// At submission, over the job's properties alone.
    Submission,
    /// At submission, with the units of time.
    Sla,
    /// When a node starts.
    Node,
}

/// A text with an expression.
struct Found<'a> {
    text: &'a Text,
    /// The parsed template, or its syntax error.
    template: Result<Template, ElError>,
    moment: Moment,
}

/// The texts with expressions of a workflow application in document order, each parsed once.
pub struct Expressions<'a> {
    document: &'a Document,
    found: Vec<Found<'a>>,
}

/// A variable at its first use.
pub(super) struct Variable {
    pub(super) name: String,
    /// The word around it with dots and hyphens, where it is longer: perhaps the name of a property.
    pub(super) word: Option<String>,
    pub(super) place: Location,
    /// Whether it is evaluated at submission, so that a missing value refuses the job.
    pub(super) at_submission: bool,
}

impl<'a> Expressions<'a> {
    /// Finds them.
    pub fn of(document: &'a Document) -> Self {
        let mut found = Vec::new();
        collect(&document.root, Moment::Node, &mut found);
        Self { document, found }
    }

    /// Checks every expression: E1004 for one that is evaluated at submission, and W0150 for one that makes its node
    /// fail when the job reaches it (decision W31), with the place of each fault, in document order.
    pub fn check(&self) -> Vec<Error> {
        let mut errors = Vec::new();
        for Found { text, template, moment } in &self.found {
            for fault in faults(template.as_ref(), *moment) {
                let place = self.document.locate(text.locate(fault.span));
                let problem = if *moment == Moment::Node { failing_later(fault) } else { fault.into_error() };
                errors.push(problem.at(place));
            }
        }
        Error::keep_first(&mut errors, MOST_PROBLEMS);
        errors
    }

    /// Evaluates every expression that a node evaluates when it starts, of reachable nodes and of others: E1004, or the
    /// code of a function, with the place of each that has no value, in document order. Skips those of which
    /// [`Self::check`] warns.
    pub fn evaluate(&self, context: &WorkflowContext<'_>) -> Vec<Error> {
        let mut errors = Vec::new();
        for Found { text, template, moment } in &self.found {
            if *moment == Moment::Node
                && let Ok(template) = template
                && faults(Ok(template), *moment).is_empty()
                && let Err(fault) = functions::evaluate_template(template, context)
            {
                let place = self.document.locate(text.locate(fault.span));
                errors.push(fault.into_error().at(place));
            }
        }
        Error::keep_first(&mut errors, MOST_PROBLEMS);
        errors
    }

    /// Returns the variables that the application uses and `is_known` does not accept, in document order; those that
    /// every workflow has, such as `MB`, do not count.
    pub(super) fn unknown_variables(&self, is_known: impl Fn(&str) -> bool) -> Vec<Variable> {
        let mut seen = BTreeSet::new();
        let mut unknown = Vec::new();
        for (text, template, moment) in self.sound() {
            for variable in template.variables() {
                let is_constant = match moment {
                    Moment::Submission => false,
                    Moment::Sla => submission::is_unit(variable.name),
                    Moment::Node => constants::is_constant(variable.name),
                };
                if !is_constant && !is_known(variable.name) && seen.insert(variable.name) {
                    unknown.push(Variable {
                        name: variable.name.to_owned(),
                        word: word_around(&text.value, variable.span).filter(|word| word != variable.name),
                        place: self.document.locate(text.locate(variable.span)),
                        at_submission: moment != Moment::Node,
                    });
                }
            }
        }
        unknown
    }

    /// Returns the constant first arguments of a function of `wf`, each at its first use, in document order: the
    /// properties of `conf`, the nodes of `actionData`.
    pub(super) fn first_arguments(&self, function: &str) -> Vec<(String, Location)> {
        let mut seen = BTreeSet::new();
        let mut found = Vec::new();
        for (text, template, _) in self.sound().filter(|(_, _, moment)| *moment == Moment::Node) {
            for call in template.calls().filter(|call| call.prefix == "wf" && call.name == function) {
                let Some(name) = call.arguments.first().and_then(Expr::as_constant) else { continue };
                if seen.insert(name.to_string()) {
                    found.push((name.to_string(), self.document.locate(text.locate(call.span))));
                }
            }
        }
        found
    }

    fn sound(&self) -> impl Iterator<Item = (&'a Text, &Template, Moment)> {
        self.found.iter().filter_map(|found| Some((found.text, found.template.as_ref().ok()?, found.moment)))
    }
}

/// Returns the letters, digits, dots and hyphens around a place of a text.
fn word_around(text: &str, place: Span) -> Option<String> {
    let is_of_name = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
    let (before, after) = (text.get(..place.start)?, text.get(place.end..)?);
    let start = before.rfind(|letter| !is_of_name(letter)).map_or(0, |at| at + 1);
    let end = after.find(|letter| !is_of_name(letter)).unwrap_or(after.len());
    text.get(start..place.end + end).map(str::to_owned)
}

/// Returns what is wrong with a text whatever the job's properties are.
fn faults(template: Result<&Template, &ElError>, moment: Moment) -> Vec<ElError> {
    let faults = match template {
        Ok(template) => match moment {
            Moment::Submission | Moment::Sla => submission::check_calls(template),
            Moment::Node => functions::check_calls(template),
        },
        Err(fault) => return vec![fault.clone()],
    };
    let explained = |fault: ElError| match fault.missing_function().and_then(elsewhere::function_in_workflow) {
        Some(help) => fault.explain(help),
        None => fault,
    };
    faults.into_iter().map(explained).collect()
}

/// Builds the warning of a fault that refuses nothing: many workflows have one on a path that no run takes.
fn failing_later(fault: ElError) -> Error {
    let warning = Error::new(ErrorCode::W0150, fault.message);
    match fault.help {
        Some(help) => warning.help(help),
        None => warning,
    }
}

/// Adds every text with an expression of an element inside a place of `moment`, and of all elements below it.
fn collect<'a>(element: &'a Element, moment: Moment, found: &mut Vec<Found<'a>>) {
    let moment = match element.name.as_str() {
        // The values of parameters are literal; a description is never read.
        "parameters" | "description" => return,
        "info" => Moment::Sla,
        _ => moment,
    };
    let mut parse = |text: &'a Text, moment: Moment| {
        if !is_literal(&text.value) {
            found.push(Found { text, template: Template::parse(&text.value), moment });
        }
    };
    for attribute in &element.attributes {
        let moment = match (element.name.as_str(), attribute.name.as_str()) {
            ("workflow-app", _) | ("action", "retry-max" | "retry-interval" | "retry-policy") => Moment::Submission,
            _ => moment,
        };
        parse(&attribute.value, moment);
    }
    for text in element.texts() {
        parse(text, moment);
    }
    for child in element.elements() {
        collect(child, moment, found);
    }
}

/// Placeholders for the variables of the retry attributes, which are evaluated when the graph is read.
pub fn stand_ins(document: &Document) -> Properties {
    let actions = document.root.children_named("action");
    let attributes = actions.flat_map(|action| action.attributes.iter().map(|attribute| &attribute.value));
    let templates =
        attributes.filter(|text| !is_literal(&text.value)).filter_map(|text| Template::parse(&text.value).ok());
    let names =
        templates.flat_map(|template| template.variables().map(|found| found.name.to_owned()).collect::<Vec<_>>());
    names.map(|name| (name, "1".to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::SourceText;
    use howdah_xml::read;

    fn check(xml: &str, expect: &[&str]) {
        let document = read(&SourceText::new("w.xml", xml)).unwrap();
        let reported = |error: &Error| {
            format!("{} {} {}", error.location().unwrap().line_column().1, error.code(), error.message())
        };
        let reported: Vec<_> = Expressions::of(&document).check().iter().map(reported).collect();
        let expect: Vec<_> = expect
            .iter()
            .map(|text| text.replace("E1004", "E1004 Expression language evaluation error,"))
            .map(|text| text.replace("W0150", "W0150 The node fails when the job reaches it:"))
            .collect();
        assert_eq!(reported, expect, "{xml}");
    }

    #[test]
    fn finds_faults_at_their_places() {
        check("<workflow-app name='${n}'><case>${wf:conf('a') eq fs:exists(b)}</case></workflow-app>", &[]);
        check("<parameters><value>${x(</value></parameters>", &[]);
        check("<workflow-app name='${wf:id()}'/>", &["23 E1004 function [wf:id] not found"]);
        check(
            "<action><shell>${wf:idd()} ${concat('a')}</shell></action>",
            &["18 W0150 function [wf:idd] not found", "30 W0150 function [concat] takes 2 arguments, not 1"],
        );
        check("<kill><message>${wf:id(</message></kill>", &["16 W0150 this '${' is never closed"]);
        check("<action retry-max='${wf:run()}'/>", &["22 E1004 function [wf:run] not found"]);
        check("<info>${wf:run()}</info>", &["9 E1004 function [wf:run] not found"]);
    }

    #[test]
    fn variables_of_retries_get_stand_ins() {
        let xml = "<workflow-app><action name='a' retry-max='${max}' cred='${'/><kill name='${other}'/></workflow-app>";
        let document = read(&SourceText::new("w.xml", xml)).unwrap();
        assert_eq!(stand_ins(&document), Properties::from([("max".to_owned(), "1".to_owned())]));
    }
}
