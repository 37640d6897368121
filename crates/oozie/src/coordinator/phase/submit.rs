//! Phases of submission.
//!
//! `SubmitInstances` and `SubmitData` only check: for what depends on an action they return a placeholder of the right
//! type, because the result is not used.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::signature::{Call, Function};
use super::{JobScope, date, hcatalog};
use crate::coordinator::phase::event::{EventNames, undeclared};
use crate::coordinator::phase::job::names;
use crate::coordinator::phase::result::{CallResult, failed, text};
use howdah_calendar::{EndOf, Unit};
use howdah_el::{CallError, FunctionName, Scope, Value};
use howdah_words::error::{Error, ErrorCode};

/// Attributes that may use only the job's properties: start, end, time zones, controls, templates, app-path.
#[derive(Clone)]
pub struct Plain<'a>(pub JobScope<'a>);

/// The names that submission leaves unchanged for the templates, with their texts. Built once, because every dataset
/// needs them.
static TEMPLATE_FIELDS: LazyLock<[(&str, Value); 5]> = LazyLock::new(|| {
    ["YEAR", "MONTH", "DAY", "HOUR", "MINUTE"].map(|name| (name, Value::from(format!("${{{name}}}"))))
});

impl Scope for Plain<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        let field = TEMPLATE_FIELDS.iter().find(|(field, _)| *field == name);
        Ok(field.map(|(_, text)| text.clone()).or_else(|| self.0.variable(name)))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        self.0.call(&Call::bind(function, arguments)?)
    }

    fn names(&self) -> Vec<String> {
        names(self.0, &mut self.clone())
    }
}

/// The application's name: variables only.
#[derive(Clone)]
pub struct JobName<'a>(pub JobScope<'a>);

impl Scope for JobName<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.0.variable(name))
    }

    fn call(&mut self, _: FunctionName<'_>, _: &[Value]) -> CallResult {
        Err(CallError::UnknownFunction)
    }

    fn names(&self) -> Vec<String> {
        names(self.0, &mut self.clone())
    }
}

/// Returns the value of a time constant, in minutes, of SLA elements, and of `frequency` and `timeout` (decision C7).
pub(super) fn time_constant(name: &str) -> Option<Value> {
    match name {
        "MINUTE" | "MINUTES" => Some(Value::Int(1)),
        "HOUR" | "HOURS" => Some(Value::Int(60)),
        "DAY" | "DAYS" => Some(Value::Int(1440)),
        _ => None,
    }
}

/// The `frequency` of an application or a dataset; records the unit that the last function chose.
#[derive(Clone)]
pub struct FrequencyPhase<'a> {
    job: JobScope<'a>,
    pub unit: Unit,
    pub end_of: EndOf,
}

impl<'a> FrequencyPhase<'a> {
    /// Creates the phase: minutes until a function sets another unit.
    pub fn new(job: JobScope<'a>) -> Self {
        Self { job, unit: Unit::Minute, end_of: EndOf::None }
    }

    fn choose(&mut self, call: &Call, unit: Unit, end_of: EndOf, factor: i64) -> CallResult {
        let count = call.arguments.int(0);
        if count <= 0 {
            return failed(format!("parameter [n] = [{count}] must be greater than zero"));
        }
        (self.unit, self.end_of) = (unit, end_of);
        Ok(Value::Int(count * factor))
    }
}

impl Scope for FrequencyPhase<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name).or_else(|| time_constant(name)))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        let call = Call::bind(function, arguments)?;
        match call.function {
            Function::Minutes => self.choose(&call, Unit::Minute, EndOf::None, 1),
            Function::Hours => self.choose(&call, Unit::Minute, EndOf::None, 60),
            Function::Days => self.choose(&call, Unit::Day, EndOf::None, 1),
            Function::Months => self.choose(&call, Unit::Month, EndOf::None, 1),
            Function::EndOfDays => self.choose(&call, Unit::Day, EndOf::Day, 1),
            Function::EndOfWeeks => self.choose(&call, Unit::Week, EndOf::Week, 1),
            Function::EndOfMonths => self.choose(&call, Unit::Month, EndOf::Month, 1),
            _ => self.job.call(&call),
        }
    }

    fn names(&self) -> Vec<String> {
        names(self.job, &mut self.clone())
    }
}

/// The `timeout`; records by how many minutes the last function multiplies.
#[derive(Clone)]
pub struct TimeoutPhase<'a> {
    job: JobScope<'a>,
    /// Minutes per unit of the value.
    pub minutes_per_unit: i64,
}

impl<'a> TimeoutPhase<'a> {
    /// Creates the phase: minutes until a function sets another unit.
    pub fn new(job: JobScope<'a>) -> Self {
        Self { job, minutes_per_unit: 1 }
    }
}

impl Scope for TimeoutPhase<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name).or_else(|| time_constant(name)))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        let call = Call::bind(function, arguments)?;
        let count = call.arguments.int(0);
        let (value, minutes_per_unit) = match call.function {
            Function::Minutes => (count, 1),
            Function::Hours => (count * 60, 1),
            Function::Days => (count, 1440),
            Function::Months => (count, 43_200),
            Function::HadoopConf => return self.job.call(&call),
            _ => return Err(CallError::UnknownFunction),
        };
        if count <= 0 {
            return failed(format!("parameter [n] = [{count}] must be greater than zero"));
        }
        self.minutes_per_unit = minutes_per_unit;
        Ok(Value::Int(value))
    }

    fn names(&self) -> Vec<String> {
        names(self.job, &mut self.clone())
    }
}

/// The `initial-instance` of a dataset.
#[derive(Clone)]
pub struct InitialInstance<'a>(pub JobScope<'a>);

impl Scope for InitialInstance<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.0.variable(name))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        let call = Call::bind(function, arguments)?;
        match call.function {
            Function::DateOffset | Function::DateTzOffset => date::call(self.0.processing, &call),
            _ => self.0.call(&call),
        }
    }

    fn names(&self) -> Vec<String> {
        names(self.0, &mut self.clone())
    }
}

/// Instance texts at submission: only whether they can be accepted.
#[derive(Clone)]
pub struct SubmitInstances<'a>(pub JobScope<'a>);

impl Scope for SubmitInstances<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.0.variable(name))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        match call.function {
            F::HoursInDay => Ok(Value::Int(24)),
            F::DaysInMonth => Ok(Value::Int(30)),
            F::TzOffset => Ok(Value::Int(3)),
            F::EndOfDays
            | F::EndOfWeeks
            | F::EndOfMonths
            | F::DateOffset
            | F::DateTzOffset
            | F::FormatTime
            | F::EpochTime
            | F::Current
            | F::CurrentRange
            | F::Offset
            | F::Absolute
            | F::Latest
            | F::LatestRange
            | F::Future
            | F::FutureRange => text(call.function.name()),
            _ => self.0.call(&call),
        }
    }

    fn names(&self) -> Vec<String> {
        names(self.0, &mut self.clone())
    }
}

/// Values of the action's configuration at submission: only whether they can be accepted.
#[derive(Clone)]
pub struct SubmitData<'a> {
    job: JobScope<'a>,
    events: &'a EventNames,
    /// Bare words that were taken as the name of an event (decision C23).
    pub(crate) bare_words: Vec<String>,
}

impl<'a> SubmitData<'a> {
    /// Creates the phase for an application with these events.
    pub fn new(job: JobScope<'a>, events: &'a EventNames) -> Self {
        Self { job, events, bare_words: Vec::new() }
    }

    /// Accepts a name of `names`; `others` are the names that the function for the other kind of events accepts.
    fn declared(
        (names, others): (&BTreeSet<String>, &BTreeSet<String>),
        (kind, other_function): (&str, Function),
        call: &Call,
    ) -> CallResult {
        let name = call.arguments.text(0);
        if names.contains(name) {
            return text(call.function.name());
        }
        if others.contains(name) {
            let error = Error::new(ErrorCode::E1004, format!("{kind} {name} is not valid"));
            return Err(CallError::Coded(error.help(format!("did you mean {}('{name}')?", other_function.name()))));
        }
        undeclared(kind, name, names.iter().map(String::as_str))
    }
}

impl Scope for SubmitData<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name))
    }

    fn word(&mut self, function: FunctionName<'_>, word: &str) -> Option<Value> {
        if !self.events.contains(word) || !hcatalog::names_event(function) {
            return None;
        }
        if !self.bare_words.iter().any(|known| known == word) {
            self.bare_words.push(word.to_owned());
        }
        Some(Value::from(word.to_owned()))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        match call.function {
            F::DataIn => {
                let names = (&self.events.inputs, &self.events.outputs);
                Self::declared(names, ("data_in_name", F::DataOut), &call)
            }
            F::DataOut => {
                let names = (&self.events.outputs, &self.events.inputs);
                Self::declared(names, ("data_out_name", F::DataIn), &call)
            }
            F::DateOffset
            | F::DateTzOffset
            | F::FormatTime
            | F::EpochTime
            | F::NominalTime
            | F::ActualTime
            | F::ActionId
            | F::Name => text(call.function.name()),
            _ => hcatalog::check(&call, self.events).unwrap_or_else(|| self.job.call(&call)),
        }
    }

    fn names(&self) -> Vec<String> {
        names(self.job, &mut self.clone())
    }
}
