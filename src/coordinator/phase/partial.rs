//! Phases with partial knowledge: of the job's properties, or without an action.
//!
//! Each provides what the phase inside provides, and returns "not known" wherever the value depends on what is missing.
//! The phase inside checks everything else, so no rule exists twice.

use super::signature::{Call, Function, Function as F};
use crate::configuration::is_reserved;
use crate::coordinator::phase::result::CallResult;
use crate::el::{CallError, FunctionName, Scope, Value};
use crate::model::Properties;
use crate::xml::DocumentKind;

/// A phase of a job of which only some properties are known.
pub(crate) struct PartlyKnown<'a> {
    phase: &'a mut dyn Scope,
    known: &'a Properties,
}

impl<'a> PartlyKnown<'a> {
    /// Wraps `phase`, which knows the properties `known`, while the job may have any others.
    pub(crate) fn new(phase: &'a mut dyn Scope, known: &'a Properties) -> Self {
        Self { phase, known }
    }
}

impl Scope for PartlyKnown<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        match self.phase.variable(name)? {
            // A reserved name cannot be a property, so it can never be defined.
            None if is_reserved(DocumentKind::Coordinator, name) => Ok(None),
            Some(value) => Ok(Some(value)),
            None => Err(CallError::Unknown),
        }
    }

    fn word(&mut self, function: FunctionName<'_>, word: &str) -> Option<Value> {
        self.phase.word(function, word)
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        let answer = self.phase.call(function, arguments)?;
        let call = Call::bind(function, arguments)?;
        let asked = match call.function {
            F::Conf => call.arguments.text(0),
            F::User => "user.name",
            _ => return Ok(answer),
        };
        if self.known.contains_key(asked) { Ok(answer) } else { Err(CallError::Unknown) }
    }

    fn names(&self) -> Vec<String> {
        self.phase.names()
    }
}

/// A phase of creation over a placeholder dataset, before there is an action: what depends on the dataset or the
/// nominal time is not known.
pub(crate) struct BeforeAction<'a> {
    phase: &'a mut dyn Scope,
    /// Functions whose values would be those of the placeholder.
    withheld: &'static [Function],
}

/// The functions whose refusals, too, depend on the dataset or the nominal time.
const OF_AN_ACTION: [Function; 4] = [F::HoursInDay, F::DaysInMonth, F::TzOffset, F::AbsoluteRange];

impl<'a> BeforeAction<'a> {
    /// Wraps the phase of an `<instance>`, whose functions return datetimes.
    pub(crate) fn of_instance(phase: &'a mut dyn Scope) -> Self {
        Self { phase, withheld: &[F::Current, F::CurrentRange, F::Offset] }
    }

    /// Wraps the phase of an end of a range, whose functions are only recorded.
    pub(crate) fn of_range_end(phase: &'a mut dyn Scope) -> Self {
        Self { phase, withheld: &[] }
    }
}

impl Scope for BeforeAction<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        self.phase.variable(name)
    }

    fn word(&mut self, function: FunctionName<'_>, word: &str) -> Option<Value> {
        self.phase.word(function, word)
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        let call = Call::bind(function, arguments)?;
        if OF_AN_ACTION.contains(&call.function) {
            return Err(CallError::Unknown);
        }
        let answer = self.phase.call(function, arguments)?;
        if self.withheld.contains(&call.function) { Err(CallError::Unknown) } else { Ok(answer) }
    }

    fn names(&self) -> Vec<String> {
        self.phase.names()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::ProcessingZone;
    use crate::coordinator::phase::event::EventNames;
    use crate::coordinator::phase::{JobScope, Plain, SubmitData};
    use crate::el::Template;

    /// `expect`: the value, `?` where it is not known, or the message.
    fn check(text: &str, expect: &str) {
        let known = Properties::from([("n".to_owned(), "5".to_owned()), ("in".to_owned(), "p".to_owned())]);
        let job = JobScope { configuration: &known, processing: ProcessingZone::UTC };
        let events = EventNames { inputs: ["in".to_owned(), "logs".to_owned()].into(), ..EventNames::default() };
        let mut phase = SubmitData::new(job, &events);
        let got = match Template::parse(text).unwrap().evaluate(&mut PartlyKnown::new(&mut phase, &known)) {
            Ok(value) => value,
            Err(error) if error.is_unknown() => "?".to_owned(),
            Err(error) => error.message,
        };
        assert_eq!(got, expect, "{text}");
    }

    #[test]
    fn only_missing_properties_are_unknown() {
        check("${n}${coord:conf('n')}", "55");
        check("${x}", "?");
        check("${coord:conf('x')}", "?");
        check("${coord:user()}", "?");
        check("${hadoop:conf('h', 'p')}", "");
        check("${coord:conf()}", "function [coord:conf] takes 1 argument, not 0");
        check("${coord:dataIn('none')}", "Expression language evaluation error, data_in_name none is not valid");
        check("${YEAR}", "variable [YEAR] cannot be resolved");
        check("${coord:dataIn('logs')}", "coord:dataIn");
    }

    #[test]
    fn a_bare_word_may_be_a_property() {
        check("${coord:dataIn(logs)}", "?");
        check("${in}", "p");
    }

    #[test]
    fn nothing_of_an_action_is_known_before_it_exists() {
        let known = Properties::new();
        let mut plain = Plain(JobScope { configuration: &known, processing: ProcessingZone::UTC });
        let mut phase = BeforeAction::of_instance(&mut plain);
        let unknown = Template::parse("${coord:tzOffset()}").unwrap().evaluate(&mut phase).unwrap_err();
        assert!(unknown.is_unknown());
        assert_eq!(Template::parse("${coord:conf('x')}").unwrap().evaluate(&mut phase), Ok(String::new()));
    }
}
