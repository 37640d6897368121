//! Turns a coordinator's XML and its properties into a [`Coordinator`], and reports every problem found on the way (in
//! the order of the steps of 4.5).
//!
//! The XML schema is checked elsewhere: missing parts are skipped here, because the schema reports them. Must not
//! depend on files: included texts come through [`Includes`].

mod action;
mod attribute;
mod dataset;
mod evaluation;
mod event;
mod logic;
pub mod parser;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::coordinator::definition::Coordinator;
use crate::coordinator::input_logic::InputLogic;
use crate::coordinator::outline::{EventOutline, Outline};
use crate::coordinator::parse::parser::{MOST_REFUSALS, Parser};
use crate::coordinator::phase::event::EventNames;
use crate::coordinator::phase::{JobName, JobScope};
use crate::coordinator::settings::SubmitSettings;
use howdah_el::Knowledge;
use howdah_words::error::{Error, Location, Suggestions};
use howdah_words::model::Properties;
use howdah_xml::{Document, Element};

pub use crate::coordinator::parse::parser::Includes;

/// The result of reading a definition.
#[derive(Debug)]
pub struct Reading {
    /// The application, when nothing in it is refused.
    pub coordinator: Option<Coordinator>,
    pub outline: Outline,
    /// Errors (E0803, E0902, E0906, E1001, E1002, E1003, E1004, E1006, E1010, E1021, E1028) and warnings.
    pub problems: Vec<Error>,
}

/// Reads a coordinator application with all its properties.
///
/// Returns the application when nothing in it is refused, and all problems as [`read`] does.
pub fn parse(
    document: &Document,
    configuration: &Properties,
    includes: &dyn Includes,
    settings: &SubmitSettings,
) -> (Option<Coordinator>, Vec<Error>) {
    let reading = read(document, (Knowledge::Complete, configuration), includes, settings);
    (reading.coordinator, reading.problems)
}

/// Reads a coordinator application with what is known of its properties.
///
/// With partial knowledge the application may contain texts that have no value yet: it can be inspected but not run.
pub fn read(
    document: &Document,
    known: (Knowledge, &Properties),
    includes: &dyn Includes,
    settings: &SubmitSettings,
) -> Reading {
    let mut parser = Parser::new(document, known, settings);
    let mut outline = Outline::default();
    let coordinator = parser.application(&document.root, includes, &mut outline);
    outline.unknown_variables = std::mem::take(&mut parser.unknown_variables);
    let problems = parser.all_problems();
    let refused = problems.iter().any(|problem| !problem.is_warning());
    Reading { coordinator: coordinator.filter(|_| !refused), outline, problems }
}

/// Reads a file of datasets alone and reports every problem that it would add to an application with these datasets
/// inline.
pub(crate) fn check_datasets(
    document: &Document,
    known: (Knowledge, &Properties),
    includes: &dyn Includes,
    settings: &SubmitSettings,
) -> Vec<Error> {
    let mut parser = Parser::new(document, known, settings);
    parser.datasets(Some(&document.root), includes);
    parser.all_problems()
}

impl<'a> Parser<'a> {
    fn new(document: &Document, known: (Knowledge, &'a Properties), settings: &'a SubmitSettings) -> Self {
        let (knowledge, configuration) = known;
        Self {
            job: JobScope { configuration, processing: settings.processing },
            knowledge,
            settings,
            source: Arc::clone(&document.source),
            problems: Vec::new(),
            refusals: 0,
            unknown_variables: BTreeMap::new(),
            include_lost: false,
            is_uri_template: false,
            suggestions: Suggestions::default(),
        }
    }

    /// Returns every problem; the last refusal says so when the texts after it were not evaluated.
    fn all_problems(mut self) -> Vec<Error> {
        if self.refusals >= MOST_REFUSALS
            && let Some(last) = self.problems.iter_mut().rfind(|problem| !problem.is_warning())
        {
            last.mention_limit(self.refusals);
        }
        self.problems
    }

    fn application(&mut self, root: &Element, includes: &dyn Includes, outline: &mut Outline) -> Option<Coordinator> {
        let frequency = self.app_frequency(root);
        let name = root.attribute("name").and_then(|name| self.evaluate(name, &mut JobName(self.job)));
        let bounds = (self.datetime(root, "start"), self.datetime(root, "end"));
        let zone = self.zone(root);
        let controls = self.controls(root.child("controls"), outline);
        let datasets = self.datasets(root.child("datasets"), includes);
        outline.inputs = self.events(root, &datasets, &event::INPUT);
        outline.outputs = self.events(root, &datasets, &event::OUTPUT);
        let logic = self.input_logic(root, &outline.inputs);
        let names = self.event_names(root, logic.as_ref().ok().and_then(Option::as_ref));
        let action = self.action(root.child("action"), names.as_ref(), outline);
        let (frequency, frequency_text) = frequency.unzip();
        outline.schedule = self.schedule(root, frequency, bounds, zone);
        if let Some(schedule) = &outline.schedule {
            self.check_order(&mut outline.inputs, schedule);
            self.check_order(&mut outline.outputs, schedule);
        }
        outline.frequency_place =
            root.attribute("frequency").map(|frequency| Location::new(&self.source, frequency.span));
        let (app_path, configuration, sla) = action?;
        let events = |outlines: &[EventOutline]| outlines.iter().map(EventOutline::event).collect::<Option<Vec<_>>>();
        Some(Coordinator {
            name: name?,
            written_name: root.attribute("name")?.value.clone(),
            schedule: outline.schedule.clone()?,
            frequency_text: frequency_text?,
            frequency_place: outline.frequency_place.clone()?,
            controls: controls?,
            inputs: events(&outline.inputs)?,
            logic: logic.ok()?,
            outputs: events(&outline.outputs)?,
            app_path,
            configuration,
            sla,
        })
    }

    /// Returns advice that names the declared name nearest to an unknown one; `otherwise` where there is none.
    fn advice<'n>(&mut self, name: &str, declared: impl Iterator<Item = &'n str>, otherwise: &str) -> String {
        let near = self.suggestions.near(name, declared);
        near.map_or_else(|| otherwise.to_owned(), |near| format!("did you mean {near}?"))
    }

    /// Returns the names that `coord:dataIn` and `coord:dataOut` may use: those of all declared events, refused ones
    /// too, because a use of their names is not a mistake. `None` when a name of the input logic is not known.
    fn event_names(&self, root: &Element, logic: Option<&InputLogic>) -> Option<EventNames> {
        let mut inputs = names_below(root.child("input-events"));
        if logic.is_none() {
            inputs.extend(names_below(root.child("input-logic")));
        }
        let found = EventNames::new(inputs, names_below(root.child("output-events")), logic);
        let is_open = |name: &String| self.knowledge == Knowledge::Partial && name.contains("${");
        (!found.inputs.iter().any(is_open)).then_some(found)
    }
}

/// Returns the names of the elements below a list.
fn names_below(list: Option<&Element>) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    if let Some(list) = list {
        collect_names(list, &mut names);
    }
    names
}

/// Adds the names of the elements below `list`.
fn collect_names(list: &Element, names: &mut BTreeSet<String>) {
    for element in list.elements() {
        names.extend(element.attribute("name").map(|name| name.value.clone()));
        collect_names(element, names);
    }
}

#[cfg(test)]
pub mod testing;
#[cfg(test)]
mod tests;
