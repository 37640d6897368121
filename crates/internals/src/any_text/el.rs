//! Expressions: parsing, printing, evaluation in the scopes of coordinators, workflows and datasets.

use std::collections::BTreeMap;

use super::assert_shown;
use howdah_calendar::ProcessingZone;
use howdah_el::{CallError, FunctionName, Scope, Template, Value};
use howdah_oozie::coordinator::phase::event::EventTexts;
use howdah_oozie::coordinator::phase::{ActionFacts, ActionStart, FrequencyPhase, JobScope, SubmitInstances};
use howdah_oozie::workflow::context::{NodeFacts, Nodes, WorkflowContext};
use howdah_oozie::workflow::functions::evaluate;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// Prints what was parsed, parses that, and compares trees and values; then evaluates with real functions.
pub(super) fn holds(text: &str) {
    let template = match Template::parse(text) {
        Ok(template) => template,
        Err(error) => {
            assert!(text.get(error.span.start..error.span.end).is_some(), "{:?} is no part of the text", error.span);
            return assert_shown(&error.into_error());
        }
    };
    let printed = template.to_string();
    let again = Template::parse(&printed).unwrap_or_else(|error| panic!("{text} is printed as {printed}: {error}"));
    assert_eq!(again, template, "{text} is printed as {printed}");
    assert_eq!(value(&again), value(&template), "{text} is printed as {printed}");
    let properties = Properties::from(["a", "b", "n"].map(|name| (name.to_owned(), "7".to_owned())));
    in_a_coordinator(&template, &properties);
    in_a_workflow(text, &properties);
}

/// Returns the value of the template where every name has a meaning, in a form in which a NaN equals itself.
fn value(template: &Template) -> String {
    let value = template.evaluate_value(&mut Everything);
    // A printed expression has other places, so only the message of an error counts.
    format!("{:?}", value.map_err(|error| error.message))
}

/// A context without unknown names: the value of a name follows from the name.
struct Everything;

impl Scope for Everything {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(Some(match name.len() % 7 {
            0 => Value::Null,
            1 => Value::Int(-3),
            2 => Value::from(name),
            3 => Value::Float(2.5),
            4 => Value::Bool(true),
            5 => Value::List(vec![Value::from("0"), Value::Int(1)]),
            _ => Value::Map(BTreeMap::from([("a".to_owned(), Value::Float(f64::NAN)), ("b".to_owned(), "x".into())])),
        }))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        match arguments.first() {
            Some(first) if function.prefix.is_empty() => Ok(first.clone()),
            _ => Ok(self.variable(function.name)?.unwrap_or(Value::Null)),
        }
    }
}

fn in_a_coordinator(template: &Template, configuration: &Properties) {
    let job = JobScope { configuration, processing: ProcessingZone::UTC };
    let none = EventTexts::new();
    let at = Timestamp::from_seconds(1_709_164_740);
    let action = ActionFacts { id: "0000000-1-oozie-oozi-C@1", app_name: "app", nominal: at, actual: at };
    let scopes: [&mut dyn Scope; 3] = [
        &mut FrequencyPhase::new(job),
        &mut SubmitInstances(job),
        &mut ActionStart { job, action: &action, inputs: &none, outputs: &none, dataset: None },
    ];
    for scope in scopes {
        if let Err(error) = template.evaluate(scope) {
            assert_shown(&error.into_error());
        }
    }
}

fn in_a_workflow(text: &str, conf: &Properties) {
    let context = WorkflowContext { nodes: &OneNode, outside: None, ..WorkflowContext::unknown(conf) };
    if let Err(error) = evaluate(text, &context) {
        assert_shown(&error.into_error());
    }
}

/// Every node has ended with the same output.
struct OneNode;

impl Nodes for OneNode {
    fn facts(&self, _node: &str) -> Option<NodeFacts> {
        let data = Properties::from([("a".to_owned(), "1".to_owned()), ("b".to_owned(), "x, y".to_owned())]);
        Some(NodeFacts { data, stats: Some(r#"{"g":{"c":1}}"#.to_owned()), ..NodeFacts::default() })
    }
}
