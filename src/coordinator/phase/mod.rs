//! The phases in which an expression of a coordinator is evaluated.
//!
//! The same text means different things in each phase, so a phase is a type: it lends the language its variables
//! and functions, and says which calls it leaves for later. Must never know files, the database or the clock.

mod action_create;
mod action_start;
mod date;
mod hcatalog;
mod job;
mod partial;
mod signature;
mod sla;
mod submit;

pub(crate) use action_create::{ActionInstances, InstanceFunction, RangeEnds};
pub(crate) use action_start::{ActionFacts, ActionStart, EventTexts};
pub(crate) use hcatalog::asks_for_output;
pub(crate) use job::JobScope;
pub(crate) use partial::{BeforeAction, PartlyKnown};
pub(crate) use sla::{SlaCreate, SlaSubmit};
pub(crate) use submit::{
    EventNames, FrequencyPhase, InitialInstance, JobName, Plain, SubmitData, SubmitInstances, TimeoutPhase,
};

use crate::el::{CallError, Scope, Value};
use signature::Function;

/// The answer of a phase to a call.
type CallResult = Result<Value, CallError>;

/// A text as a value.
#[expect(clippy::unnecessary_wraps, reason = "it is what a phase answers")]
fn text(text: impl Into<String>) -> CallResult {
    Ok(Value::from(text.into()))
}

/// A refusal in words.
fn failed<T>(message: impl Into<String>) -> Result<T, CallError> {
    Err(CallError::Failed(message.into()))
}

/// The job's properties and the functions that a phase lends, from which "did you mean" chooses.
fn names(job: JobScope<'_>, phase: &mut dyn Scope) -> Vec<String> {
    let mut lent = |function: &&Function| {
        let stand_ins = vec![Value::Int(1); function.argument_count()];
        phase.call(function.function_name(), &stand_ins) != Err(CallError::UnknownFunction)
    };
    let functions = Function::ALL.iter().filter(&mut lent).map(|function| function.name().to_owned());
    functions.chain(job.names()).collect()
}

#[cfg(test)]
mod tests;
