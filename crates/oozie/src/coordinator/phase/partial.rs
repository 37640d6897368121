//! What phases withhold while not everything is known: of the job's properties, or of the action.
//!
//! The phase inside checks everything else, so no rule exists twice.

use super::signature::{Call, Function, Function as F};
use crate::configuration::is_reserved;
use howdah_el::{FunctionName, Value, Withheld, Withhold};
use howdah_words::model::Properties;
use howdah_xml::DocumentKind;

/// Withholds what depends on properties that the job may have beside these.
pub(crate) struct OtherProperties<'a>(pub &'a Properties);

impl Withhold for OtherProperties<'_> {
    fn variable(&self, name: &str) -> bool {
        // A reserved name cannot be a property, so it can never be defined.
        !is_reserved(DocumentKind::Coordinator, name)
    }

    fn call(&self, function: FunctionName<'_>, arguments: &[Value]) -> Withheld {
        // Most functions read no property; only of the others the arguments are needed.
        let Some(F::Conf | F::User) = F::find(function.prefix, function.name) else { return Withheld::Nothing };
        match Call::bind(function, arguments) {
            Ok(Call { function: F::User, .. }) if !self.0.contains_key("user.name") => Withheld::Value,
            Ok(call @ Call { function: F::Conf, .. }) if !self.0.contains_key(call.arguments.text(0)) => {
                Withheld::Value
            }
            _ => Withheld::Nothing,
        }
    }
}

/// Withholds what depends on the dataset or the nominal time, in a phase of creation over a placeholder dataset, before
/// there is an action.
pub(crate) struct BeforeAction {
    /// Functions whose values would be those of the placeholder.
    values: &'static [Function],
}

/// The functions whose refusals, too, depend on the dataset or the nominal time.
const OF_AN_ACTION: [Function; 4] = [F::HoursInDay, F::DaysInMonth, F::TzOffset, F::AbsoluteRange];

impl BeforeAction {
    /// For an `<instance>`, whose functions return datetimes.
    pub(crate) const INSTANCE: Self = Self { values: &[F::Current, F::CurrentRange, F::Offset] };
    /// For an end of a range, whose functions are only recorded.
    pub(crate) const RANGE_END: Self = Self { values: &[] };
}

impl Withhold for BeforeAction {
    fn variable(&self, _name: &str) -> bool {
        false
    }

    fn call(&self, function: FunctionName<'_>, arguments: &[Value]) -> Withheld {
        let found = F::find(function.prefix, function.name);
        if !found.is_some_and(|found| OF_AN_ACTION.contains(&found) || self.values.contains(&found)) {
            return Withheld::Nothing;
        }
        match Call::bind(function, arguments) {
            Ok(call) if OF_AN_ACTION.contains(&call.function) => Withheld::Call,
            Ok(call) if self.values.contains(&call.function) => Withheld::Value,
            _ => Withheld::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::phase::event::EventNames;
    use crate::coordinator::phase::{JobScope, Plain, SubmitData};
    use howdah_calendar::ProcessingZone;
    use howdah_el::{PartlyKnown, Template};

    /// `expect`: the value, `?` where it is not known, or the message.
    fn check(text: &str, expect: &str) {
        let known = Properties::from([("n".to_owned(), "5".to_owned()), ("in".to_owned(), "p".to_owned())]);
        let job = JobScope { configuration: &known, processing: ProcessingZone::UTC };
        let events = EventNames { inputs: ["in".to_owned(), "logs".to_owned()].into(), ..EventNames::default() };
        let mut phase = SubmitData::new(job, &events);
        let mut partly = PartlyKnown::over(&mut phase, OtherProperties(&known));
        let got = match Template::parse(text).unwrap().evaluate_known(&mut partly) {
            Ok(value) => value.unwrap_or_else(|| "?".to_owned()),
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
        let mut phase = PartlyKnown::over(&mut plain, BeforeAction::INSTANCE);
        let unknown = Template::parse("${coord:tzOffset()}").unwrap().evaluate(&mut phase).unwrap_err();
        assert!(unknown.is_unknown());
        assert_eq!(Template::parse("${coord:conf('x')}").unwrap().evaluate(&mut phase), Ok(String::new()));
    }
}
