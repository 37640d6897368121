//! Checks a coordinator application, or a file of datasets, without its properties: reports everything that
//! submission would refuse whatever the properties are.
//!
//! The defaults of `parameters` apply only where no property replaces them (specification 4.5), so their values are not
//! known here. This module has no rules of its own: it reads the definition as submission does, with partial knowledge.
//! Must not refuse what some properties would make valid.

use std::collections::BTreeSet;

use crate::configuration::parameters;
use crate::coordinator::lint;
use crate::coordinator::parse::parser::Includes;
use crate::coordinator::parse::{check_datasets, read};
use crate::coordinator::phase::JobScope;
use crate::coordinator::settings::SubmitSettings;
use howdah_el::Knowledge;
use howdah_words::error::Error;
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{Document, DocumentKind};

/// Returns every problem of a document whose root element is `coordinator-app` or `datasets`, except those of its
/// schema: errors with the codes of submission, and the warnings of [`lint`].
///
/// An included file that cannot be read is skipped; everything that depends on its datasets stays unknown. Clock
/// changes are searched in the year that starts at `now`; without `now` they are not searched.
pub fn check(
    document: &Document,
    includes: &dyn Includes,
    settings: &SubmitSettings,
    now: Option<Timestamp>,
) -> Vec<Error> {
    let (declared, mut problems) = match parameters(document) {
        Ok(declared) => (declared, Vec::new()),
        Err(error) => (None, vec![error]),
    };
    let known = Properties::new();
    if document.root.name == DocumentKind::Datasets.root() {
        return check_datasets(document, (Knowledge::Partial, &known), includes, settings);
    }
    let reading = read(document, (Knowledge::Partial, &known), includes, settings);
    let job = JobScope { configuration: &known, processing: settings.processing };
    problems.extend(reading.problems);
    problems.extend(lint::warnings(&reading.outline, job));
    problems.extend(lint::document_warnings(document));
    if let Some(declared) = &declared {
        let names: BTreeSet<&str> = declared.iter().map(|parameter| parameter.name.as_str()).collect();
        problems.extend(lint::undeclared_variables(&reading.outline, &names));
    }
    if let (Some(schedule), Some(now)) = (&reading.outline.schedule, now) {
        problems.extend(lint::clock_changes(schedule, reading.outline.frequency_place.as_ref(), now));
    }
    problems
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use howdah_calendar::ProcessingZone;
    use howdah_words::error::{Error, ErrorCode, Result, SourceText};
    use howdah_xml as xml;

    /// An include reader that finds no file.
    struct NoFiles;

    impl Includes for NoFiles {
        fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
            Err(Error::with(ErrorCode::E1002, &[&uri, &"path not existed"]))
        }
    }

    /// `expect`: the problems as `CODE text at the place`.
    fn check(xml: &str, expect: &[&str]) {
        let document = xml::read(&SourceText::new("c.xml", xml)).unwrap();
        let now = ProcessingZone::UTC.parse_datetime("2026-01-01T00:00Z").ok();
        let shown = |problem: &Error| {
            let place = problem.location().expect("a place");
            format!("{} {}", problem.code(), &place.source.text[place.span.start..place.span.end])
        };
        let found = super::check(&document, &NoFiles, &SubmitSettings::default(), now);
        assert_eq!(found.iter().map(shown).collect::<Vec<_>>(), expect, "{xml}: {found:?}");
    }

    /// An application with parameters and controls.
    fn application(parameters: &str, attributes: &str, controls: &str) -> String {
        format!(
            "<coordinator-app name='${{n}}' {attributes} xmlns='uri:oozie:coordinator:0.5'>\
             <parameters>{parameters}</parameters><controls>{controls}</controls></coordinator-app>"
        )
    }

    const N: &str = "<property><name>n</name></property>";

    #[test]
    fn defaults_may_be_replaced_and_other_variables_are_reported() {
        let default = format!("{N}<property><name>c</name><value>CHANGE_ME</value></property>");
        check(&application(&default, "", "<concurrency>${c}</concurrency>"), &[]);
        check(&application(&default, "", "<concurrency>${c}</concurrency><throttle>${t}</throttle>"), &["W0109 t"]);
        check(&application(N, "", "<concurrency>${c}</concurrency>"), &["W0109 c"]);
        check(&application(N, "", "<concurrency>${n}</concurrency>"), &[]);
        check(
            &application("<property><name> </name></property>", "", ""),
            &["E0739 <property><name> </name></property>"],
        );
        let older = application("", "", "<concurrency>${c}</concurrency>").replace("0.5", "0.2");
        check(&older, &[]);
    }

    #[test]
    fn a_dataset_file_is_checked_alone() {
        check(
            "<datasets><include>${x}</include><dataset name='a' frequency='0' initial-instance='${i}' timezone='UTC'>\
             <uri-template>/${YEAR}</uri-template></dataset></datasets>",
            &["E1003 0"],
        );
    }

    #[test]
    fn clock_changes_of_the_coming_year_are_reported() {
        let bounds = "start='2020-01-01T10:30Z' end='2030-01-01T00:00Z' timezone='America/Los_Angeles'";
        check(&application(N, &format!("frequency='${{coord:days(1)}}' {bounds}"), ""), &["W0116 ${coord:days(1)}"]);
        check(&application(N, &format!("frequency='1440' {bounds}"), ""), &[]);
    }
}
