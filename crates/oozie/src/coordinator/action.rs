//! One action of a coordinator: what it waits for, and the configuration of its workflow job.
//!
//! Values only; `resolve` and `satisfy` compute them. Must not depend on statuses, files or the database.

use crate::coordinator::definition::{ConfigurationValue, Coordinator, Expression};
use crate::coordinator::instance::Instance;
use crate::coordinator::phase::event::EventTexts;
use crate::coordinator::phase::{ActionFacts, ActionStart, JobScope, SlaCreate};
use crate::dataset::Search;
use howdah_el::{ElError, Scope, Template};
use howdah_words::error::{Error, Location, Result};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// What an action's instances resolve to when it is created.
#[derive(Clone, Debug, Default)]
pub struct ResolvedAction {
    pub inputs: Vec<ResolvedEvent>,
    pub outputs: Vec<ResolvedEvent>,
    /// The instances that each named element of the input logic took, once the logic is satisfied.
    pub logic: EventTexts,
}

/// The instances of one event.
#[derive(Clone, Debug)]
pub struct ResolvedEvent {
    pub name: String,
    /// Instances and open searches in document order, each range oldest first.
    pub slots: Vec<Slot>,
    /// Instances that were left out because they are before the initial instance.
    pub before_initial: usize,
    /// The times of the instances that were left out, where the calendar can compute them.
    pub left_out: Vec<Timestamp>,
}

/// One entry of an event's list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    Instance(Instance),
    /// A search, resolved when all instances exist.
    Search(Search),
}

impl ResolvedEvent {
    /// An event of which nothing is resolved yet.
    pub const fn new(name: String) -> Self {
        Self { name, slots: Vec::new(), before_initial: 0, left_out: Vec::new() }
    }

    /// The instances that are resolved.
    pub fn instances(&self) -> impl Iterator<Item = &Instance> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Instance(instance) => Some(instance),
            Slot::Search(_) => None,
        })
    }

    /// The searches that are still open.
    pub fn searches(&self) -> impl Iterator<Item = Search> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Instance(_) => None,
            Slot::Search(search) => Some(*search),
        })
    }

    /// The value of `coord:dataIn`; `None` while a search is open.
    fn input_text(&self) -> Option<String> {
        self.searches().next().is_none().then(|| join(self.instances()))
    }
}

impl ResolvedAction {
    /// What must exist before searches start, in the order in which it is checked.
    pub fn dependencies(&self) -> impl Iterator<Item = &Instance> {
        self.inputs.iter().flat_map(ResolvedEvent::instances)
    }

    /// The texts of `coord:dataIn`. An event takes precedence over an element of the input logic with the same name.
    pub fn input_texts(&self) -> EventTexts {
        let mut texts = self.logic.clone();
        texts.extend(self.inputs.iter().map(|event| (event.name.clone(), event.input_text())));
        texts
    }

    /// The texts of `coord:dataOut`. A search among the outputs never runs and has an empty text.
    pub fn output_texts(&self) -> EventTexts {
        self.outputs.iter().map(|event| (event.name.clone(), Some(join(event.instances())))).collect()
    }
}

impl Coordinator {
    /// Evaluates the final configuration of an action all of whose inputs exist.
    ///
    /// # Errors
    /// E1004 with the place in the definition.
    pub fn action_configuration(
        &self,
        job: JobScope<'_>,
        facts: &ActionFacts<'_>,
        action: &ResolvedAction,
    ) -> Result<Properties> {
        let (inputs, outputs) = (action.input_texts(), action.output_texts());
        let mut scope = ActionStart { job, action: facts, inputs: &inputs, outputs: &outputs, dataset: None };
        evaluate_values(&self.configuration, &mut scope)
    }

    /// Evaluates the SLA element of an action at its creation.
    ///
    /// # Errors
    /// E1004 with the place in the definition.
    pub fn sla_values(
        &self,
        job: JobScope<'_>,
        facts: &ActionFacts<'_>,
        action: &ResolvedAction,
    ) -> Result<Properties> {
        let outputs = action.output_texts();
        evaluate_values(&self.sla, &mut SlaCreate { job, action: facts, outputs: &outputs })
    }

    /// Evaluates another text for the SLA element of an action, in the same scope as [`Self::sla_values`].
    ///
    /// # Errors
    /// E1004, without a place: the text comes from no file.
    pub fn sla_text(text: &str, job: JobScope<'_>, facts: &ActionFacts<'_>, action: &ResolvedAction) -> Result<String> {
        let outputs = action.output_texts();
        let mut scope = SlaCreate { job, action: facts, outputs: &outputs };
        Template::parse(text).and_then(|template| template.evaluate(&mut scope)).map_err(ElError::into_error)
    }

    /// Returns the configuration of the action's workflow job: the job's, overlaid by the action's.
    pub fn workflow_configuration(&self, job: &Properties, action: &Properties) -> Properties {
        let mut properties = job.clone();
        properties.extend(action.iter().map(|(name, value)| (name.clone(), value.clone())));
        properties.insert("oozie.wf.application.path".to_owned(), self.app_path.clone());
        properties
    }
}

impl Expression {
    /// Evaluates the text.
    ///
    /// # Errors
    /// The error of the language or of a function, at the expression's place.
    pub fn evaluate(&self, scope: &mut dyn Scope) -> Result<String> {
        self.template.evaluate(scope).map_err(|error| self.locate(error))
    }

    /// Moves the problem to its place in the file.
    pub fn locate(&self, error: ElError) -> Error {
        let span = self.text.locate(error.span);
        error.into_error().at(Location::new(&self.source, span))
    }

    /// The place of the whole text.
    pub fn location(&self) -> Location {
        Location::new(&self.source, self.text.span)
    }
}

fn evaluate_values(values: &[ConfigurationValue], scope: &mut dyn Scope) -> Result<Properties> {
    values.iter().map(|value| Ok((value.name.clone(), value.value.evaluate(scope)?))).collect()
}

/// Joins URIs to a list, in the form that expressions return.
pub(super) fn join<'a>(instances: impl Iterator<Item = &'a Instance>) -> String {
    let mut list = String::new();
    for instance in instances {
        if !list.is_empty() {
            list.push(',');
        }
        list.push_str(&instance.uri);
    }
    list
}
