//! What is wrong with the expressions of a workflow before it runs: their syntax, functions that do not exist where
//! they stand, wrong numbers of arguments.
//!
//! Must never evaluate: a variable may come from the configuration of any run.

use std::collections::BTreeSet;

use super::constants;
use super::context::WorkflowContext;
use super::functions;
use super::submission;
use crate::el::{ElError, Expr, Template, is_literal};
use crate::error::{Error, ErrorCode, Location};
use crate::model::Properties;
use crate::xml::{Document, Element, Text};

/// Problems that are told of the expressions of one workflow.
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

/// Checks every expression of a workflow application: E1004 for one that is evaluated at submission, and W0150 for one
/// that fails its node when the job comes to it (decision W31), with the place of each fault, in document order.
pub(crate) fn check(document: &Document) -> Vec<Error> {
    let mut errors = Vec::new();
    each(&document.root, Moment::Node, &mut |text, template, moment| {
        for fault in faults(template.as_ref(), moment) {
            let place = document.locate(text.locate(fault.span));
            let problem = if moment == Moment::Node { failing_later(fault) } else { fault.into_error() };
            errors.push(problem.at(place));
        }
    });
    Error::keep_first(&mut errors, MOST_PROBLEMS);
    errors
}

/// What is wrong with a text whatever the job's properties are.
fn faults(template: Result<&Template, &ElError>, moment: Moment) -> Vec<ElError> {
    match template {
        Ok(template) => match moment {
            Moment::Submission | Moment::Sla => submission::check_calls(template),
            Moment::Node => functions::check_calls(template),
        },
        Err(fault) => vec![fault.clone()],
    }
}

/// The warning of a fault that refuses nothing: many a workflow has one on a way that it never takes.
fn failing_later(fault: ElError) -> Error {
    let warning = Error::new(ErrorCode::W0150, fault.message);
    match fault.help {
        Some(help) => warning.help(help),
        None => warning,
    }
}

/// Evaluates every expression that a node evaluates when it starts, of reachable nodes and of others: E1004, or the
/// code of a function, with the place of each that has no value, in document order. Those that [`check`] warns of are
/// passed over.
pub(crate) fn evaluate_all(document: &Document, context: &WorkflowContext<'_>) -> Vec<Error> {
    let mut errors = Vec::new();
    each(&document.root, Moment::Node, &mut |text, template, moment| {
        if moment == Moment::Node
            && faults(template.as_ref(), moment).is_empty()
            && let Err(fault) = template.and_then(|template| functions::evaluate_template(&template, context))
        {
            let place = document.locate(text.locate(fault.span));
            errors.push(fault.into_error().at(place));
        }
    });
    Error::keep_first(&mut errors, MOST_PROBLEMS);
    errors
}

/// A variable where it is used first.
pub(super) struct Variable {
    pub(super) name: String,
    pub(super) place: Location,
    /// Whether it is evaluated at submission, so that its absence refuses the job.
    pub(super) at_submission: bool,
}

/// The variables that a workflow application uses, in document order; those that every workflow has, such as `MB`, do
/// not count.
pub(super) fn variables(document: &Document) -> Vec<Variable> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    each(&document.root, Moment::Node, &mut |text, template, moment| {
        let Ok(template) = template else { return };
        for variable in template.variables() {
            let is_constant = match moment {
                Moment::Submission => false,
                Moment::Sla => submission::is_unit(variable.name),
                Moment::Node => constants::is_constant(variable.name),
            };
            if !is_constant && seen.insert(variable.name.to_owned()) {
                found.push(Variable {
                    name: variable.name.to_owned(),
                    place: document.locate(text.locate(variable.span)),
                    at_submission: moment != Moment::Node,
                });
            }
        }
    });
    found
}

/// The properties that `wf:conf` asks for by name, each at its first use, in document order.
pub(super) fn asked_properties(document: &Document) -> Vec<(String, Location)> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    each(&document.root, Moment::Node, &mut |text, template, moment| {
        let Ok(template) = template else { return };
        let calls = template.calls().filter(|call| call.prefix == "wf" && call.name == "conf");
        for call in calls.filter(|_| moment == Moment::Node) {
            let Some(name) = call.arguments.first().and_then(Expr::as_constant) else { continue };
            if seen.insert(name.to_string()) {
                found.push((name.to_string(), document.locate(text.locate(call.span))));
            }
        }
    });
    found
}

/// A text, what the language makes of it, and when it is evaluated.
type See<'a> = &'a mut dyn FnMut(&Text, Result<Template, ElError>, Moment);

/// Shows every text with an expression of an element inside a place of `moment`, and of all below it.
fn each(element: &Element, moment: Moment, see: See<'_>) {
    let moment = match element.name.as_str() {
        // The values of parameters are literal, a description is never looked at.
        "parameters" | "description" => return,
        "info" => Moment::Sla,
        _ => moment,
    };
    let mut look = |text: &Text, moment: Moment| {
        if !is_literal(&text.value) {
            see(text, Template::parse(&text.value), moment);
        }
    };
    for attribute in &element.attributes {
        let moment = match (element.name.as_str(), attribute.name.as_str()) {
            ("workflow-app", _) | ("action", "retry-max" | "retry-interval" | "retry-policy") => Moment::Submission,
            _ => moment,
        };
        look(&attribute.value, moment);
    }
    for text in element.texts() {
        look(text, moment);
    }
    for child in element.elements() {
        each(child, moment, see);
    }
}

/// Stand-ins for the variables of the retry attributes, which are evaluated when the graph is read.
pub(crate) fn stand_ins(document: &Document) -> Properties {
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
    use crate::error::SourceText;
    use crate::xml::read;

    fn check(xml: &str, expect: &[&str]) {
        let document = read(&SourceText::new("w.xml", xml)).unwrap();
        let told = |error: &Error| {
            format!("{} {} {}", error.location().unwrap().line_column().1, error.code(), error.message())
        };
        let told: Vec<_> = super::check(&document).iter().map(told).collect();
        let expect: Vec<_> = expect
            .iter()
            .map(|text| text.replace("E1004", "E1004 Expression language evaluation error,"))
            .map(|text| text.replace("W0150", "W0150 The node fails when the job comes to it:"))
            .collect();
        assert_eq!(told, expect, "{xml}");
    }

    #[test]
    fn finds_faults_where_they_stand() {
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
