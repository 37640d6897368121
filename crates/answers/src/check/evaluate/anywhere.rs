//! The scope of an expression without a phase: everything that needs neither an action nor a node.
//!
//! Provides the functions of the existing phases, so that each value is the same as there. Where phases differ, as for
//! `coord:current`, the expression needs a phase.

use howdah_el::{CallError, FunctionName, Scope, Value};
use howdah_oozie::coordinator::phase::event::EventTexts;
use howdah_oozie::coordinator::phase::{ActionFacts, FrequencyPhase, InitialInstance, JobScope, SlaCreate};
use howdah_oozie::workflow::functions::WorkflowScope;

/// Functions of datetimes that the phases of submission do not provide.
const OF_DATETIMES: [&str; 2] = ["coord:formatTime", "coord:epochTime"];
/// The function of workflows that needs only the properties.
const OF_WORKFLOWS: &str = "wf:conf";

/// The scope without a phase.
pub(super) struct Anywhere<'a> {
    job: JobScope<'a>,
    frequency: FrequencyPhase<'a>,
    /// Used only for functions that do not read it.
    no_action: &'a ActionFacts<'a>,
    workflow: WorkflowScope<'a>,
}

impl<'a> Anywhere<'a> {
    /// Creates the scope over a job's properties.
    pub(super) fn new(job: JobScope<'a>, no_action: &'a ActionFacts<'a>, workflow: WorkflowScope<'a>) -> Self {
        Self { job, frequency: FrequencyPhase::new(job), no_action, workflow }
    }
}

impl Scope for Anywhere<'_> {
    fn variable(&mut self, name: &str) -> Result<Option<Value>, CallError> {
        Ok(self.job.variable(name))
    }

    fn call(&mut self, function: FunctionName<'_>, arguments: &[Value]) -> Result<Value, CallError> {
        let name = function.to_string();
        if function.prefix.is_empty() || name == OF_WORKFLOWS {
            return self.workflow.call(function, arguments);
        }
        if OF_DATETIMES.contains(&name.as_str()) {
            let outputs = EventTexts::new();
            return SlaCreate { job: self.job, action: self.no_action, outputs: &outputs }.call(function, arguments);
        }
        match self.frequency.call(function, arguments) {
            Err(CallError::UnknownFunction) => InitialInstance(self.job).call(function, arguments),
            answer => answer,
        }
    }

    fn names(&self) -> Vec<String> {
        let basic = self.workflow.names().into_iter().filter(|name| !name.contains(':') || name == OF_WORKFLOWS);
        let of_datetimes = OF_DATETIMES.iter().map(|name| (*name).to_owned());
        let provided = self.frequency.names().into_iter().chain(InitialInstance(self.job).names());
        provided.chain(of_datetimes).chain(basic).collect()
    }
}
