//! Expressions that are evaluated at submission, with only the job's properties and no function.
//!
//! The functions that a node may call when it starts are in `functions`.

use std::sync::Arc;

use howdah_el::{CallError, ElError, FunctionName, MOST_NAMES, NoNames, Scope, Template, Value};
use howdah_words::model::Properties;
use howdah_xml::{Element, Node};

/// Evaluates a text over the job's properties: an application's name, a retry attribute.
pub fn evaluate_over_properties(text: &str, conf: &Properties) -> Result<String, ElError> {
    Template::parse(text)?.evaluate(&mut SubmissionScope::plain(conf))
}

/// Evaluates a text of an SLA element at submission: the job's properties and the units of time in minutes.
pub fn evaluate_sla(text: &str, conf: &Properties) -> Result<String, ElError> {
    Template::parse(text)?.evaluate(&mut SubmissionScope::with_units(conf))
}

/// Returns what is wrong with the calls of a text that is evaluated at submission: no function exists there.
pub fn check_calls(template: &Template) -> Vec<ElError> {
    template.check_calls(&mut NoNames)
}

/// The job's properties whose names can be used in an expression.
pub struct SubmissionScope<'a> {
    conf: &'a Properties,
    constants: &'static [(&'static str, i64)],
}

impl<'a> SubmissionScope<'a> {
    /// Creates a scope with the properties only.
    pub const fn plain(conf: &'a Properties) -> Self {
        Self { conf, constants: &[] }
    }

    /// Creates a scope with the properties and, for SLA elements, the units of time in minutes.
    pub const fn with_units(conf: &'a Properties) -> Self {
        Self { conf, constants: UNITS }
    }
}

/// The units of time of SLA elements, in minutes.
const UNITS: &[(&str, i64)] =
    &[("MINUTES", 1), ("HOURS", 60), ("DAYS", 1440), ("MINUTE", 1), ("HOUR", 60), ("DAY", 1440)];

/// Returns whether SLA elements have a unit of this name.
pub(super) fn is_unit(name: &str) -> bool {
    UNITS.iter().any(|(unit, _)| *unit == name)
}

impl Scope for SubmissionScope<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        let constant = self.constants.iter().find(|(constant, _)| *constant == name);
        let constant = constant.map(|(_, value)| Value::Int(*value));
        // Only the names in the plural are reserved: a job may have a property `HOUR`.
        let own = || property(self.conf, name);
        Ok(if name.ends_with('S') { constant.or_else(own) } else { own().or(constant) })
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        NoNames.call(function, arguments)
    }

    fn names(&self) -> Vec<String> {
        let constants = self.constants.iter().map(|(name, _)| (*name).to_owned());
        constants.chain(self.conf.keys().take(MOST_NAMES).cloned()).collect()
    }
}

/// Returns the element with every text evaluated over the job's properties alone; `None` when one depends on more.
pub fn element_over_properties(element: &Element, conf: &Properties) -> Option<Element> {
    let mut evaluated = element.clone();
    evaluate_in(&mut evaluated, conf)?;
    Some(evaluated)
}

fn evaluate_in(element: &mut Element, conf: &Properties) -> Option<()> {
    for attribute in &mut element.attributes {
        attribute.value.value = evaluate_over_properties(&attribute.value.value, conf).ok()?;
    }
    for child in &mut element.children {
        match child {
            Node::Element(child) => evaluate_in(Arc::make_mut(child), conf)?,
            Node::Text(text) => text.value = evaluate_over_properties(&text.value, conf).ok()?,
        }
    }
    Some(())
}

/// Returns a job property as a variable: trimmed.
pub(super) fn property(conf: &Properties, name: &str) -> Option<Value> {
    conf.get(name).map(|value| value.trim().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_only_properties() {
        let conf = Properties::from([("n".to_owned(), " 3 ".to_owned())]);
        for (text, plain, sla) in [
            ("${n}", Some("3"), Some("3")),
            ("${wf:id()}", None, None),
            ("${nope}", None, None),
            ("${n * HOURS}", None, Some("180")),
        ] {
            assert_eq!(evaluate_over_properties(text, &conf).ok().as_deref(), plain, "{text}");
            assert_eq!(evaluate_sla(text, &conf).ok().as_deref(), sla, "{text}");
        }
    }
}
