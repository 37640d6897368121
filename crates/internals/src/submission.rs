//! Submits the coordinator of a record: the steps of `submit`, in Oozie's order, on texts instead of files.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use serde_json::Value;

use super::record::text;
use howdah_calendar::{ProcessingZone, Schedule};
use howdah_oozie::configuration::{ParsedProperties, complete, job_configuration};
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::parse::parse;
use howdah_oozie::coordinator::parse::parser::Includes;
use howdah_oozie::coordinator::phase::JobScope;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_xml::{self as xml, DocumentKind};

/// A coordinator that was accepted, with the job's properties.
pub(super) struct Submitted {
    pub(super) coordinator: Coordinator,
    pub(super) configuration: Properties,
}

impl Submitted {
    /// What every expression of the job can read.
    pub(super) fn scope(&self) -> JobScope<'_> {
        JobScope { configuration: &self.configuration, processing: self.coordinator.schedule.processing }
    }
}

/// What is submitted.
pub(super) struct Submission<'a> {
    pub(super) xml: &'a str,
    pub(super) job: Properties,
    pub(super) defaults: Vec<ParsedProperties>,
    pub(super) files: BTreeMap<String, Arc<SourceText>>,
    pub(super) settings: SubmitSettings,
}

impl<'a> Submission<'a> {
    /// A definition with the properties of its job, and nothing beside it.
    pub(super) fn new(xml: &'a str, mut job: Properties, processing: ProcessingZone) -> Self {
        job.entry("user.name".to_owned()).or_insert_with(|| "tester".to_owned());
        let settings = SubmitSettings { processing, ..SubmitSettings::default() };
        Self { xml, job, defaults: Vec::new(), files: BTreeMap::new(), settings }
    }

    /// Submits.
    ///
    /// # Errors
    /// The first refusal.
    pub(super) fn submit(self) -> Result<Submitted> {
        let mut configuration = job_configuration(DocumentKind::Coordinator, &self.job.into(), &self.defaults)?;
        let document = xml::read(&SourceText::new("coordinator.xml", self.xml)).map_err(first)?;
        let violations = xml::check(&document, DocumentKind::Coordinator);
        if violations.iter().any(|violation| !violation.is_warning()) {
            return Err(first(violations));
        }
        complete(DocumentKind::Coordinator, &document, &mut configuration)?;
        let (coordinator, problems) = parse(&document, &configuration, &Texts(self.files), &self.settings);
        match coordinator {
            Some(coordinator) => Ok(Submitted { coordinator, configuration }),
            None => Err(first(problems)),
        }
    }
}

/// The schedule of the `job` of a record about one step of the engine.
pub(super) fn schedule(job: &Value) -> Result<Schedule> {
    let xml = application(
        &[
            ("name", "app"),
            ("frequency", text(job, "frequency_text")),
            ("start", text(job, "start")),
            ("end", text(job, "end")),
            ("timezone", text(job, "timezone")),
        ],
        "",
    );
    let submitted = Submission::new(&xml, Properties::new(), ProcessingZone::UTC).submit()?;
    Ok(submitted.coordinator.schedule)
}

/// Returns the text of a coordinator application with these attributes, and `events` before its action.
pub(super) fn application(attributes: &[(&str, &str)], events: &str) -> String {
    let attributes = attribute_text(attributes);
    format!(
        "<coordinator-app xmlns=\"uri:oozie:coordinator:0.4\"{attributes}>{events}\
         <action><workflow><app-path>hdfs://nn:8020/wf</app-path></workflow></action></coordinator-app>"
    )
}

/// Attributes as they are written in a tag.
pub(super) fn attribute_text(attributes: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in attributes {
        let value = xml::escape_text(value).replace('"', "&quot;");
        // Writing to a String cannot fail.
        let _ = write!(out, " {name}=\"{value}\"");
    }
    out
}

/// The first refusal of several problems.
fn first(problems: Vec<Error>) -> Error {
    let refusal = problems.into_iter().find(|problem| !problem.is_warning());
    refusal.expect("what is not accepted has a refusal")
}

/// Included files of a record, by their URI.
struct Texts(BTreeMap<String, Arc<SourceText>>);

impl Includes for Texts {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        self.0.get(uri).cloned().ok_or_else(|| Error::with(ErrorCode::E1002, &[&uri, &"path not existed"]))
    }
}
