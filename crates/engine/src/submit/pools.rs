//! Refuses pools that the site does not have (H0125), as far as they are known before a job runs.
//!
//! Only a person who submits or checks a job is refused: an action that runs already waits for an operator instead.

use crate::settings::Settings;
use crate::settings::commands::{POOL, pool_in};
use crate::submit::request::Submission;
use howdah_oozie::workflow::submission::evaluate_over_properties;
use howdah_words::error::Error;
use howdah_words::model::Properties;
use howdah_xml::{Document, Element};

/// Returns H0125 for the pool of a job, and for those that its definition names.
pub fn unknown(submission: Submission<'_>, document: &Document, configuration: &Properties) -> Vec<Error> {
    let Submission { settings, properties, .. } = submission;
    let of_job = pool_in(configuration).and_then(|name| settings.check_pool(name).err());
    let of_job = of_job.map(|error| properties.place(POOL, error));
    of_job.into_iter().chain(unknown_in(settings, document, configuration)).collect()
}

/// Returns H0125 for each pool that a definition names, at its place. A name that depends on the run is not checked.
pub fn unknown_in(settings: &Settings, document: &Document, configuration: &Properties) -> Vec<Error> {
    let mut values = Vec::new();
    collect(&document.root, &mut values);
    let refuse = |value: &Element| {
        let text = value.text();
        let name = evaluate_over_properties(&text.value, configuration).ok()?;
        let name = name.trim();
        let error = settings.check_pool(name).err().filter(|_| !name.is_empty())?;
        Some(error.at(document.locate(text.span)))
    };
    values.into_iter().filter_map(refuse).collect()
}

/// Finds the values of the property in all configurations below an element.
fn collect<'e>(element: &'e Element, values: &mut Vec<&'e Element>) {
    if element.name == "configuration" {
        let named = |property: &&Element| property.child("name").is_some_and(|name| name.text().value == POOL);
        values.extend(element.children_named("property").filter(named).filter_map(|property| property.child("value")));
    }
    for child in element.elements() {
        collect(child, values);
    }
}
