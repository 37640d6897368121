//! Phases of the SLA element: its check at submission and its values at materialization.

use super::signature::{Call, Function};
use super::{ActionFacts, JobScope, date, hcatalog};
use crate::coordinator::phase::event::EventTexts;
use crate::coordinator::phase::job::names;
use crate::coordinator::phase::result::{CallResult, failed, text};
use crate::coordinator::phase::submit::time_constant;
use howdah_el::{CallError, FunctionName, Scope, Value};

/// SLA texts at submission: only whether they can be accepted.
#[derive(Clone)]
pub struct SlaSubmit<'a>(pub JobScope<'a>);

impl Scope for SlaSubmit<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(time_constant(name).or_else(|| self.0.variable(name)))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        match call.function {
            F::DateOffset
            | F::DateTzOffset
            | F::FormatTime
            | F::EpochTime
            | F::NominalTime
            | F::ActualTime
            | F::ActionId
            | F::Name
            | F::DataOut => text(call.function.name()),
            function if hcatalog::is_output(function) => text(function.name()),
            _ => self.0.call(&call),
        }
    }

    fn names(&self) -> Vec<String> {
        names(self.0, &mut self.clone())
    }
}

/// SLA texts when an action is created.
pub struct SlaCreate<'a> {
    pub job: JobScope<'a>,
    pub action: &'a ActionFacts<'a>,
    pub outputs: &'a EventTexts,
}

impl Scope for SlaCreate<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(time_constant(name).or_else(|| self.job.variable(name)))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        match call.function {
            F::DateOffset | F::DateTzOffset | F::FormatTime | F::EpochTime => date::call(self.job.processing, &call),
            F::DataOut => match self.outputs.get(call.arguments.text(0)) {
                Some(uris) => text(uris.clone().unwrap_or_default()),
                None => failed(format!("data_out_name {} is not valid", call.arguments.text(0))),
            },
            function if hcatalog::is_output(function) => {
                hcatalog::call(&call, &EventTexts::new(), self.outputs).unwrap_or(Err(CallError::UnknownFunction))
            }
            _ => self.action.call(self.job, &call).unwrap_or_else(|| self.job.call(&call)),
        }
    }

    fn names(&self) -> Vec<String> {
        self.job.names()
    }
}
