//! The datasets of included files, which an export has only in the definitions that Oozie resolved.
//!
//! There each event has a copy of its dataset, with all its expressions evaluated. From these copies a file of datasets
//! is made, which takes the place of every included file.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::sync::Arc;

use howdah_oozie::coordinator::parse::Includes;
use howdah_words::error::{Result, SourceText};
use howdah_xml::{self as xml, Element, escape_text};

/// The included files of one definition: the first has all datasets, the others none.
pub(super) struct RecordedIncludes {
    datasets: Arc<SourceText>,
    is_read: Cell<bool>,
}

impl RecordedIncludes {
    /// The datasets of a definition that Oozie resolved; `name` is its name in messages.
    pub(super) fn new(name: &str, resolved: Option<&Element>) -> Self {
        let mut text = "<datasets>\n".to_owned();
        let mut known = BTreeSet::new();
        let lists = ["input-events", "output-events"].into_iter().filter_map(|list| resolved?.child(list));
        let datasets = lists.flat_map(Element::elements).filter_map(|event| event.child("dataset"));
        for dataset in datasets {
            if known.insert(attribute(dataset, "name")) {
                write_dataset(&mut text, dataset);
            }
        }
        text.push_str("</datasets>\n");
        Self { datasets: SourceText::new(name, text), is_read: Cell::new(false) }
    }

    /// Returns the file of datasets.
    pub(super) fn text(&self) -> &str {
        &self.datasets.text
    }
}

/// Returns the datasets of several included files as one file.
pub(super) fn merged<'a>(files: impl Iterator<Item = &'a Arc<SourceText>>) -> String {
    let mut text = "<datasets>\n".to_owned();
    for file in files {
        let Ok(document) = xml::read(file) else { continue };
        for dataset in document.root.elements().filter(|element| element.name != "include") {
            text.push_str(&xml::write(dataset));
            text.push('\n');
        }
    }
    text.push_str("</datasets>\n");
    text
}

impl Includes for RecordedIncludes {
    fn read(&self, _: &str) -> Result<Arc<SourceText>> {
        if self.is_read.replace(true) {
            return Ok(SourceText::new(self.datasets.name.clone(), "<datasets/>"));
        }
        Ok(Arc::clone(&self.datasets))
    }
}

fn attribute<'e>(element: &'e Element, name: &str) -> &'e str {
    element.attribute(name).map_or("", |text| text.value.as_str())
}

fn write_dataset(out: &mut String, dataset: &Element) {
    let frequency = frequency(attribute(dataset, "frequency"), attribute(dataset, "freq_timeunit"), dataset);
    // Writing to a String cannot fail.
    let _ = write!(out, "<dataset name=\"{}\" frequency=\"{frequency}\"", quoted(attribute(dataset, "name")));
    for name in ["initial-instance", "timezone"] {
        let _ = write!(out, " {name}=\"{}\"", quoted(&literal(attribute(dataset, name))));
    }
    out.push('>');
    for name in ["uri-template", "done-flag"] {
        if let Some(child) = dataset.child(name) {
            let _ = write!(out, "<{name}>{}</{name}>", escape_text(&literal(&child.text().value)));
        }
    }
    out.push_str("</dataset>\n");
}

/// Returns the expression that Oozie evaluated to a number and a unit.
fn frequency(count: &str, unit: &str, dataset: &Element) -> String {
    let function = match (unit, attribute(dataset, "end_of_duration")) {
        (_, "END_OF_DAY") => "endOfDays",
        (_, "END_OF_WEEK") => "endOfWeeks",
        (_, "END_OF_MONTH") => "endOfMonths",
        ("HOUR", _) => "hours",
        ("DAY", _) => "days",
        ("MONTH", _) => "months",
        _ => "minutes",
    };
    format!("${{coord:{function}({})}}", quoted(count))
}

/// Returns a text whose evaluation gives `text`.
fn literal(text: &str) -> String {
    text.replace("${", "${'$'}{")
}

fn quoted(text: &str) -> String {
    escape_text(text).replace('"', "&quot;")
}
