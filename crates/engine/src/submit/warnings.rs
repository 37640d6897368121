//! Warnings at submission that Oozie does not have: stores without a mount, a missing workflow application.
//!
//! Both may be corrected before the first action starts, so nothing is refused.

use std::collections::BTreeSet;

use crate::definition_file;
use howdah_host::located::{Base, DefaultStore, Unlocated, help};
use howdah_host::mounts::Mounts;
use howdah_oozie::coordinator::definition::{Coordinator, DataEvent};
use howdah_words::error::{Error, ErrorCode, Location};
use howdah_words::model::partition::HCATALOG;
use howdah_xml::{Document, Element};

/// Whether the data of a job on this machine is checked: its stores, its data, its workflow application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataCheck {
    Check,
    /// For a machine without the data: only the definitions are read.
    Skip,
}

/// Returns the warnings about an accepted coordinator: W0102 for each dataset and for the workflow, W0106.
pub fn warnings(mounts: &Mounts, (application, coordinator): (&str, &Coordinator), document: &Document) -> Vec<Error> {
    let base = Base::store(DefaultStore::of(application));
    let mut reported = BTreeSet::new();
    let events = coordinator.inputs.iter().chain(&coordinator.outputs);
    let mut warnings: Vec<Error> = events
        .filter(|event| reported.insert(event.dataset.name.as_str()))
        .filter_map(|event| unmapped_dataset((mounts, &base), coordinator, event, document))
        .collect();
    warnings.extend(workflow(mounts, base.default_store().qualify(&coordinator.app_path).as_str(), document));
    warnings
}

fn unmapped_dataset(
    (mounts, base): (&Mounts, &Base),
    coordinator: &Coordinator,
    event: &DataEvent,
    document: &Document,
) -> Option<Error> {
    let uri = event.dataset.uri(event.dataset.initial(), coordinator.schedule.processing).ok()?;
    let Err(Unlocated::Unmounted { store, .. }) = mounts.locate(&uri, base) else { return None };
    if uri.starts_with(HCATALOG) {
        return None;
    }
    let place = template_of(&event.dataset.name, document).or_else(|| place_of_event(&event.name, document));
    Some(unmapped(&store, place))
}

fn unmapped(store: &str, place: Option<Location>) -> Error {
    let warning = Error::new(ErrorCode::W0102, store).help(help(store));
    match place {
        Some(place) => warning.at(place),
        None => warning,
    }
}

/// Returns the template of a dataset that the definition itself declares.
fn template_of(dataset: &str, document: &Document) -> Option<Location> {
    let datasets = document.root.child("datasets")?;
    let named = |element: &&Element| element.attribute("name").is_some_and(|name| name.value == dataset);
    let template = datasets.children_named("dataset").find(named)?.child("uri-template")?;
    Some(document.locate(template.text().span))
}

/// Returns the event that names a dataset of an included file.
fn place_of_event(event: &str, document: &Document) -> Option<Location> {
    let lists = ["input-events", "output-events"].into_iter().filter_map(|list| document.root.child(list));
    let named = |element: &&Element| element.attribute("name").is_some_and(|name| name.value == event);
    let element = lists.flat_map(Element::elements).find(named)?;
    Some(document.locate(element.attribute("dataset")?.span))
}

/// Returns W0106 for a workflow application that is refused in its present state.
pub fn unusable(refusal: &Error) -> Error {
    let help = refusal.help_text().unwrap_or("correct it before the first action starts");
    Error::new(ErrorCode::W0106, refusal).help(help)
}

fn workflow(mounts: &Mounts, app_path: &str, document: &Document) -> Option<Error> {
    let element = document.root.child("action").and_then(|action| action.child("workflow")?.child("app-path"));
    let place = element.map(|element| document.locate(element.text().span));
    if let Err(Unlocated::Unmounted { store, .. }) = mounts.locate(app_path, &Base::this_machine()) {
        return Some(unmapped(&store, place));
    }
    let refusal = definition_file::read_application(mounts, app_path, "workflow.xml").err()?;
    let warning = unusable(&refusal);
    Some(match place {
        Some(place) => warning.at(place),
        None => warning,
    })
}
