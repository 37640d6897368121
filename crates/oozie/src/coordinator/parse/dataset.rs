//! The datasets of an application: included files first, then the inline ones (specification 10.1;
//! decision C32).

use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::attribute::tag_location;
use crate::coordinator::parse::parser::{Datasets, Includes, Parser};
use crate::coordinator::phase::{FrequencyPhase, InitialInstance};
use crate::coordinator::timing::invalid;
use crate::dataset::{Dataset, DoneFlag, UriTemplate};
use howdah_calendar::{EndOf, Frequency, FrequencyError, Sequence, Unit};
use howdah_el::Knowledge;
use howdah_words::error::{Error, ErrorCode, Location, Result, SourceText};
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, DocumentKind, Element, Text};

/// The maximum number of files that one definition includes, nested ones counted.
const MOST_INCLUDES: usize = 1000;

impl Parser<'_> {
    /// Reads every dataset that the application's events may name.
    pub(super) fn datasets(&mut self, datasets: Option<&Element>, includes: &dyn Includes) -> Datasets {
        let mut found = Datasets::new();
        let Some(datasets) = datasets else { return found };
        let mut reader = IncludeReader { includes, chain: Vec::new(), read: 0 };
        for include in datasets.children_named("include") {
            let text = include.text();
            match self.plain(&text) {
                Some(uri) => self.include(&uri, &text, &mut reader, &mut found),
                None => self.include_lost = true,
            }
        }
        let mut inline = Datasets::new();
        for element in datasets.children_named("dataset") {
            self.add_dataset(element, &mut inline);
        }
        // An inline dataset replaces an included one of the same name.
        found.extend(inline);
        found
    }

    /// Reads one included file and what it includes in turn.
    fn include(&mut self, uri: &str, place: &Text, reader: &mut IncludeReader<'_>, found: &mut Datasets) {
        if let Err(error) = reader.enter(uri) {
            self.include_lost = true;
            self.report(error, place);
            return;
        }
        match reader.includes.read(uri) {
            Ok(source) => self.included_file(&source, reader, found),
            Err(error) => {
                self.include_lost = true;
                // A mount may change the place of the file, and mounts come with the properties.
                if self.knowledge == Knowledge::Complete {
                    self.report(error, place);
                }
            }
        }
        reader.chain.pop();
    }

    fn included_file(&mut self, source: &Arc<SourceText>, reader: &mut IncludeReader<'_>, found: &mut Datasets) {
        let document = match xml::read(source) {
            Ok(document) => document,
            Err(errors) => {
                self.include_lost = true;
                self.problems.extend(errors);
                return;
            }
        };
        // Oozie checks included files against no schema, so what it would refuse inline is only a warning here.
        for violation in xml::check(&document, DocumentKind::Datasets) {
            let mut warning = Error::new(ErrorCode::W0108, violation.message());
            if let Some(place) = violation.location() {
                warning = warning.at(place.clone());
            }
            self.problems.push(
                warning.help(
                    violation.help_text().unwrap_or("the attributes and elements are those of an inline dataset"),
                ),
            );
        }
        let outer = std::mem::replace(&mut self.source, Arc::clone(source));
        for element in document.root.children_named("dataset") {
            self.check_included(element);
            self.add_dataset(element, found);
        }
        for include in document.root.children_named("include") {
            let text = include.text();
            self.include(&text.value, &text, reader, found);
        }
        self.source = outer;
    }

    /// Refuses an included dataset without what defines its instances: it is not a dataset, whatever the schema is.
    fn check_included(&mut self, element: &Element) {
        let attributes = ["frequency", "initial-instance", "timezone"];
        let lacking = attributes.into_iter().find(|name| element.attribute(name).is_none());
        let lacking = lacking.or_else(|| element.child("uri-template").is_none().then_some("uri-template"));
        if let Some(lacking) = lacking {
            let name = element.attribute("name").map_or("", |name| name.value.as_str());
            let error = Error::new(ErrorCode::E1003, format!("dataset [{name}] has no [{lacking}]"))
                .help(format!("give it a {lacking}, as a dataset of the application itself must have"));
            self.problems.push(error.at(tag_location(self, element)));
        }
    }

    fn add_dataset(&mut self, element: &Element, found: &mut Datasets) {
        let dataset = self.dataset(element);
        let Some(name) = element.attribute("name").map(|name| name.value.clone()) else { return };
        match found.entry(name) {
            Entry::Vacant(place) => {
                place.insert(dataset.map(Arc::new));
            }
            Entry::Occupied(place) => {
                let error = Error::plain(ErrorCode::E0803, format!("Duplicate Dataset {}", place.key()))
                    .help("an inline dataset may replace an included one; two of the same kind must not share a name");
                self.problems.push(error.at(tag_location(self, element)));
            }
        }
    }

    fn dataset(&mut self, element: &Element) -> Option<Dataset> {
        let name = element.attribute("name")?.value.clone();
        let frequency = self.dataset_frequency(element);
        let initial = self.initial_instance(element);
        let zone = self.zone(element);
        let template = element.child("uri-template").and_then(|template| self.uri_template(&template.text()));
        let done_flag = match element.child("done-flag").map(Element::text) {
            Some(text) => {
                let flag = self.plain(&text)?;
                if let Some(why) = never_written(&flag) {
                    self.report(Error::with(ErrorCode::W0133, &[&flag, &name, &why]), &text);
                }
                Some(DoneFlag::from_element(Some(&flag)))
            }
            None => Some(DoneFlag::from_element(None)),
        };
        let ((count, unit, end_of), zone) = (frequency?, zone?);
        let sequence = Sequence::new(initial?, unit.times(count), end_of, zone)
            .ok_or_else(|| invalid("initial-instance", "", "is beyond the years that can be counted"));
        let sequence = self.keep(sequence, element.attribute("initial-instance")?)?;
        Some(Dataset { name, sequence, uri_template: template?, done_flag: done_flag? })
    }

    fn dataset_frequency(&mut self, element: &Element) -> Option<(i64, Unit, EndOf)> {
        let text = element.attribute("frequency")?;
        let mut phase = FrequencyPhase::new(self.job);
        let value = self.evaluate(text, &mut phase)?;
        let why = match Frequency::parse(&value, phase.unit, phase.end_of) {
            Ok(Frequency::Fixed { count, unit, end_of }) => return Some((count, unit, end_of)),
            Err(FrequencyError::NotPositive) => "must be greater than zero",
            Ok(Frequency::Cron(_)) | Err(FrequencyError::Cron(_)) => "must be an integer",
        };
        let refused = invalid("frequency", &value, why)
            .help("use ${coord:minutes(n)}, hours, days, months or endOf...: a dataset has no cron frequency");
        self.report(refused, text);
        None
    }

    fn initial_instance(&mut self, element: &Element) -> Option<Timestamp> {
        let text = element.attribute("initial-instance")?;
        let value = self.evaluate(text, &mut InitialInstance(self.job))?;
        let initial = self.parse_datetime("initial-instance", &value, text)?;
        if initial < Timestamp::EPOCH {
            let message = format!(
                "Dataset initial-instance {value} is earlier than the default initial instance 1970-01-01T00:00Z"
            );
            self.report(Error::new(ErrorCode::E1021, message).help("start the dataset in 1970 or later"), text);
            return None;
        }
        Some(initial)
    }

    fn uri_template(&mut self, text: &Text) -> Option<UriTemplate> {
        let known = self.problems.len();
        self.is_uri_template = true;
        let value = self.plain(text);
        self.is_uri_template = false;
        let Some(value) = value else {
            let refused = self.problems.split_off(known);
            self.problems.extend(refused.into_iter().map(explain_two_evaluations));
            return None;
        };
        match UriTemplate::parse(&value) {
            Ok(template) => Some(template),
            Err(error) => {
                self.problems.push(error.into_error().at(Location::new(&self.source, text.span)));
                None
            }
        }
    }
}

/// Returns why no instance has a file of this name, if that is certain.
fn never_written(flag: &str) -> Option<&'static str> {
    if flag.contains("${") {
        Some("only a <uri-template> knows the time of an instance, so the text stays as it is")
    } else if flag.contains("://") {
        Some("a done-flag is a name below the instance, and this is a place of its own")
    } else {
        None
    }
}

/// Adds help for a computation with a field, which is its own name until there is an instance.
fn explain_two_evaluations(error: Error) -> Error {
    if !error.message().contains("[${") {
        return error;
    }
    error.help(
        "a template is evaluated at submission, where a field is its own name, and again for each instance: \
         to compute with a field write ${\"$\"}{MONTH + 0}",
    )
}

/// The chain of files being included, to find cycles.
struct IncludeReader<'a> {
    includes: &'a dyn Includes,
    chain: Vec<String>,
    read: usize,
}

impl IncludeReader<'_> {
    fn enter(&mut self, uri: &str) -> Result<()> {
        self.read += 1;
        if self.chain.iter().any(|entered| entered == uri) {
            let chain = format!("{} -> {uri}", self.chain.join(" -> "));
            return Err(Error::with(ErrorCode::E1002, &[&uri, &format!("it includes itself: {chain}")])
                .help("remove this <include>: its file is included already"));
        }
        if self.read > MOST_INCLUDES {
            return Err(Error::with(ErrorCode::E1002, &[&uri, &format!("more than {MOST_INCLUDES} included files")]));
        }
        self.chain.push(uri.to_owned());
        Ok(())
    }
}
