//! What is wrong with the expressions of a coordinator before any property is known: their syntax, functions that
//! the phase of their place does not lend, wrong numbers of arguments.
//!
//! Must never evaluate: what a variable holds, and so whether a date is a date, is for submission to say.

use crate::calendar::ProcessingZone;
use crate::coordinator::phase::{
    EventNames, FrequencyPhase, InitialInstance, JobName, JobScope, Plain, SlaSubmit, SubmitData, SubmitInstances,
    TimeoutPhase,
};
use crate::el::{Scope, Template, is_literal};
use crate::error::Error;
use crate::model::Properties;
use crate::xml::{Document, Element, Text};

/// The phase in which the text of a place is evaluated first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Name,
    Frequency,
    Timeout,
    InitialInstance,
    Instances,
    Data,
    Sla,
    Plain,
}

/// Checks every expression of a coordinator application, or of a file of datasets.
///
/// Answers E1004 with the place of each fault, in document order.
pub(crate) fn check(document: &Document) -> Vec<Error> {
    let mut checker =
        Checker { document, properties: Properties::new(), events: EventNames::default(), errors: vec![] };
    checker.element(&document.root, Phase::Plain);
    checker.errors
}

struct Checker<'a> {
    document: &'a Document,
    properties: Properties,
    events: EventNames,
    errors: Vec<Error>,
}

impl Checker<'_> {
    /// Checks an element inside a place of `phase`, and all below it.
    fn element(&mut self, element: &Element, phase: Phase) {
        let phase = match element.name.as_str() {
            // The values of parameters are literal.
            "parameters" | "description" => return,
            "timeout" => Phase::Timeout,
            "input-events" | "output-events" | "input-logic" => Phase::Instances,
            "configuration" => Phase::Data,
            "info" => Phase::Sla,
            _ => phase,
        };
        for attribute in &element.attributes {
            let phase = match (element.name.as_str(), attribute.name.as_str()) {
                ("coordinator-app", "name") => Phase::Name,
                ("coordinator-app" | "dataset", "frequency") => Phase::Frequency,
                ("dataset", "initial-instance") => Phase::InitialInstance,
                // Names of datasets and events are literal.
                ("dataset" | "data-in" | "data-out", "name") => continue,
                _ => phase,
            };
            self.text(&attribute.value, phase);
        }
        for text in element.texts() {
            self.text(text, phase);
        }
        for child in element.elements() {
            self.element(child, phase);
        }
    }

    fn text(&mut self, text: &Text, phase: Phase) {
        if is_literal(&text.value) {
            return;
        }
        let template = match Template::parse(&text.value) {
            Ok(template) => template,
            Err(error) => return self.note(text, error),
        };
        let job = JobScope { configuration: &self.properties, processing: ProcessingZone::UTC };
        let mut scope: Box<dyn Scope + '_> = match phase {
            Phase::Name => Box::new(JobName(job)),
            Phase::Frequency => Box::new(FrequencyPhase::new(job)),
            Phase::Timeout => Box::new(TimeoutPhase::new(job)),
            Phase::InitialInstance => Box::new(InitialInstance(job)),
            Phase::Instances => Box::new(SubmitInstances(job)),
            Phase::Data => Box::new(SubmitData::new(job, &self.events)),
            Phase::Sla => Box::new(SlaSubmit(job)),
            Phase::Plain => Box::new(Plain(job)),
        };
        let errors = template.check_calls(scope.as_mut());
        drop(scope);
        for error in errors {
            self.note(text, error);
        }
    }

    fn note(&mut self, text: &Text, error: crate::el::ElError) {
        let place = self.document.locate(text.locate(error.span));
        self.errors.push(error.into_error().at(place));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::SourceText;
    use crate::xml::read;

    /// The faults of a document as `column message (help)`.
    fn check(xml: &str, expect: &[&str]) {
        let document = read(&SourceText::new("c.xml", xml)).unwrap();
        let told = |error: &Error| {
            let (_, column) = error.location().unwrap().line_column();
            let message = error.message().trim_start_matches("Expression language evaluation error, ");
            format!("{column} {message} ({})", error.help_text().unwrap_or_default())
        };
        assert_eq!(super::check(&document).iter().map(told).collect::<Vec<_>>(), expect, "{xml}");
    }

    #[test]
    fn each_place_has_its_functions() {
        for accepted in [
            "<coordinator-app name='${n}' frequency='${coord:days(1)}' start='${coord:conf(\"s\")}'/>",
            "<controls><timeout>${coord:hours(n)}</timeout><throttle>${t}</throttle></controls>",
            "<dataset name='${' frequency='${coord:endOfMonths(1)}' initial-instance='${coord:dateOffset(a, 1, \"DAY\")}'>\
             <uri-template>/${YEAR}</uri-template></dataset>",
            "<input-events><data-in dataset='d'><instance>${coord:latest(n - 1)}</instance></data-in></input-events>",
            "<action><configuration><value>${coord:dataIn('unknown')}</value></configuration>\
             <info><nominal-time>${coord:nominalTime()}</nominal-time></info></action>",
            "<parameters><value>${</value></parameters>",
        ] {
            check(accepted, &[]);
        }
    }

    #[test]
    fn refuses_syntax_names_and_counts() {
        let usable = "the functions that can be used here are coord:conf, coord:user, hadoop:conf";
        check("<a b='${coord:dayz(1)}'/>", &[format!("9 function [coord:dayz] not found ({usable})").as_str()]);
        check(
            "<coordinator-app frequency='${coord:dayz(1)}'/>",
            &["31 function [coord:dayz] not found (did you mean [coord:days]?)"],
        );
        check(
            "<coordinator-app name='${coord:user()}'/>",
            &["26 function [coord:user] not found (no function can be used here)"],
        );
        check(
            "<input-events><instance>${coord:current()}${coord:current(0, 1)}</instance></input-events>",
            &[
                "27 function [coord:current] takes 1 argument, not 0 (write coord:current(a))",
                "45 function [coord:current] takes 1 argument, not 2 (write coord:current(a))",
            ],
        );
    }

    #[test]
    fn refuses_what_is_no_expression() {
        let document = read(&SourceText::new("c.xml", "<a>x ${1 +}</a>")).unwrap();
        let errors = super::check(&document);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].location().unwrap().line_column().0, 1);
    }
}
