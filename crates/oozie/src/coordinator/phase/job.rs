//! What every phase provides: the job's properties.

use super::signature::{Call, Function};
use crate::coordinator::phase::result::{CallResult, text};
use howdah_calendar::ProcessingZone;
use howdah_el::{CallError, MOST_NAMES, Scope, Value};
use howdah_words::model::Properties;

/// The properties of a job as variables, and the functions that only read them.
#[derive(Clone, Copy, Debug)]
pub struct JobScope<'a> {
    pub configuration: &'a Properties,
    pub processing: ProcessingZone,
}

impl JobScope<'_> {
    /// Returns the property of that name, trimmed; `None` when the job has none or the name cannot be a variable.
    pub fn variable(&self, name: &str) -> Option<Value> {
        let value = self.configuration.get(name).filter(|_| is_identifier(name))?;
        Some(Value::from(value.trim().to_owned()))
    }

    /// Returns the names that can be variables, the first [`MOST_NAMES`] of them.
    pub fn names(&self) -> Vec<String> {
        self.configuration.keys().filter(|name| is_identifier(name)).take(MOST_NAMES).cloned().collect()
    }

    /// Evaluates `coord:conf`, `coord:user` and `hadoop:conf`; any other function is unknown here.
    ///
    /// This machine has no Hadoop configuration, so `hadoop:conf` always returns an empty text.
    pub(super) fn call(&self, call: &Call) -> CallResult {
        match call.function {
            Function::Conf => Ok(self.property(call.arguments.text(0))),
            Function::User => Ok(self.property("user.name")),
            Function::HadoopConf => text(""),
            _ => Err(CallError::UnknownFunction),
        }
    }

    fn property(&self, name: &str) -> Value {
        self.configuration.get(name).map_or(Value::Null, |value| Value::from(value.trim().to_owned()))
    }
}

/// Returns whether a property of this name can be used as a variable.
fn is_identifier(name: &str) -> bool {
    let mut characters = name.chars();
    characters.next().is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '$'))
        && characters.all(|character| character.is_alphanumeric() || matches!(character, '_' | '$'))
}

/// Returns the job's properties and the functions of a phase, for "did you mean".
pub(super) fn names(job: JobScope<'_>, phase: &mut dyn Scope) -> Vec<String> {
    let mut is_provided = |function: &&Function| {
        let stand_ins = vec![Value::Int(1); function.argument_count()];
        phase.call(function.function_name(), &stand_ins) != Err(CallError::UnknownFunction)
    };
    let functions = Function::ALL.iter().filter(&mut is_provided).map(|function| function.name().to_owned());
    functions.chain(job.names()).collect()
}
