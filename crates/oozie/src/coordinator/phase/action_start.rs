//! The phase in which the configuration of an action gets its final values.

use super::action_create::dataset_facts;
use super::signature::{Call, Function};
use super::{JobScope, date, hcatalog};
use crate::coordinator::phase::event::{EventTexts, undeclared};
use crate::coordinator::phase::result::{CallResult, failed, text};
use crate::dataset::Dataset;
use howdah_calendar::Zone;
use howdah_el::{CallError, FunctionName, Scope, Value};
use howdah_words::model::time::Timestamp;

/// What expressions may use of an action.
#[derive(Clone, Debug)]
pub struct ActionFacts<'a> {
    /// `<job id>@<number>`.
    pub id: &'a str,
    /// The application's name as the definition writes it.
    pub app_name: &'a str,
    pub nominal: Timestamp,
    /// When the action was created, or when its start was checked.
    pub actual: Timestamp,
}

impl ActionFacts<'_> {
    /// Computes `nominalTime`, `actualTime`, `actionId` and `name`; `None` for any other function.
    pub(super) fn call(&self, job: JobScope<'_>, call: &Call) -> Option<CallResult> {
        let value = match call.function {
            Function::NominalTime => job.processing.format(self.nominal),
            Function::ActualTime => job.processing.format(self.actual),
            Function::ActionId => self.id.to_owned(),
            Function::Name => self.app_name.to_owned(),
            _ => return None,
        };
        Some(text(value))
    }
}

/// Values of the action's configuration when all inputs exist.
pub struct ActionStart<'a> {
    pub job: JobScope<'a>,
    pub action: &'a ActionFacts<'a>,
    pub inputs: &'a EventTexts,
    pub outputs: &'a EventTexts,
    /// The dataset in scope and the job's zone; configuration values have none.
    pub dataset: Option<(&'a Dataset, &'a Zone)>,
}

impl ActionStart<'_> {
    fn event(texts: &EventTexts, kind: &str, call: &Call) -> CallResult {
        let name = call.arguments.text(0);
        match texts.get(name) {
            Some(Some(uris)) => text(uris.clone()),
            Some(None) => text(format!("${{{}('{name}')}}", call.function.name())),
            None => undeclared(kind, name, texts.keys().map(String::as_str)),
        }
    }

    fn dataset_function(&self, call: &Call) -> CallResult {
        let Some((dataset, job_zone)) = self.dataset else {
            return failed(format!("{} needs a dataset, and there is none here", call.function.name()));
        };
        dataset_facts(call, dataset, job_zone, self.action.nominal).unwrap_or(Err(CallError::UnknownFunction))
    }
}

impl Scope for ActionStart<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name))
    }

    fn word(&mut self, function: FunctionName<'_>, word: &str) -> Option<Value> {
        let declared = self.inputs.contains_key(word) || self.outputs.contains_key(word);
        (declared && hcatalog::names_event(function)).then(|| Value::from(word.to_owned()))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> CallResult {
        use Function as F;
        let call = Call::bind(function, arguments)?;
        match call.function {
            F::DataIn => Self::event(self.inputs, "data_in_name", &call),
            F::DataOut => Self::event(self.outputs, "data_out_name", &call),
            F::DateOffset | F::DateTzOffset | F::FormatTime | F::EpochTime => date::call(self.job.processing, &call),
            F::HoursInDay | F::DaysInMonth | F::TzOffset => self.dataset_function(&call),
            _ => hcatalog::call(&call, self.inputs, self.outputs)
                .or_else(|| self.action.call(self.job, &call))
                .unwrap_or_else(|| self.job.call(&call)),
        }
    }

    fn names(&self) -> Vec<String> {
        self.job.names()
    }
}
