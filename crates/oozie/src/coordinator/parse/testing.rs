//! Definitions for tests, built from parts.

use super::*;
use howdah_words::error::{ErrorCode, Result, SourceText};
use howdah_xml as xml;

/// Included files by name.
struct Files<'a>(&'a [(&'a str, &'a str)]);

impl Includes for Files<'_> {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        let file = self.0.iter().find(|(name, _)| *name == uri);
        let missing = || Error::with(ErrorCode::E1002, &[&uri, &"path not existed"]);
        file.map(|(name, text)| SourceText::new(*name, *text)).ok_or_else(missing)
    }
}

/// The parts of a definition that a test can replace.
pub struct Parts<'a> {
    pub attributes: &'a str,
    pub controls: &'a str,
    pub datasets: &'a str,
    pub events: &'a str,
    /// The properties of the action's configuration.
    pub values: &'a str,
}

/// The attributes of the application.
pub const ATTRIBUTES: &str =
    r#"name="app" frequency="60" start="2009-01-01T00:00Z" end="2010-01-01T00:00Z" timezone="UTC""#;
/// An hourly dataset.
pub(crate) const LOGS: &str = r#"<dataset name="logs" frequency="60" initial-instance="2009-01-01T00:00Z" timezone="UTC"><uri-template>/logs/${YEAR}</uri-template></dataset>"#;
/// The event `in`.
pub(crate) const ONE_INPUT: &str = r#"<input-events><data-in name="in" dataset="logs"><instance>${coord:current(0)}</instance></data-in></input-events>"#;

/// A definition without a problem.
pub const PLAIN: Parts<'_> =
    Parts { attributes: ATTRIBUTES, controls: "", datasets: LOGS, events: ONE_INPUT, values: "" };

/// Reads a definition without any property.
pub(crate) fn read_partly(xml: &str) -> Reading {
    let document = xml::read(&SourceText::new("coordinator.xml", xml)).expect("a document");
    read(&document, (Knowledge::Partial, &Properties::new()), &Files(&[]), &SubmitSettings::default())
}

impl Parts<'_> {
    /// The definition.
    pub fn xml(&self) -> String {
        let Parts { attributes, controls, datasets, events, values } = self;
        format!(
            r#"<coordinator-app xmlns="uri:oozie:coordinator:0.5" {attributes}><controls>{controls}</controls><datasets>{datasets}</datasets>{events}<action><workflow><app-path>/wf</app-path><configuration>{values}</configuration></workflow></action></coordinator-app>"#
        )
    }

    /// Reads it without any property.
    pub(crate) fn read_partly(&self) -> Reading {
        read_partly(&self.xml())
    }

    /// Reads it with the property `n` = 5 and these included files.
    pub fn parse(&self, files: &[(&str, &str)]) -> (Option<Coordinator>, Vec<Error>) {
        let configuration = Properties::from([("n".to_owned(), "5".to_owned())]);
        let document = xml::read(&SourceText::new("coordinator.xml", self.xml())).expect("a document");
        parse(&document, &configuration, &Files(files), &SubmitSettings::default())
    }
}
