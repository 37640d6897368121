//! XML documents: reading, writing, the schemas, and the checks of the document's kind.

use std::sync::Arc;

use super::assert_shown;
use howdah_calendar::ProcessingZone;
use howdah_el::Knowledge;
use howdah_oozie::bundle;
use howdah_oozie::configuration::{complete, read_configuration};
use howdah_oozie::coordinator;
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::parse::parser::Includes;
use howdah_oozie::coordinator::phase::JobScope;
use howdah_oozie::coordinator::settings::SubmitSettings;
use howdah_oozie::workflow::{self, ForkJoinCheck};
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{Document, DocumentKind, Edition, check, check_as, kind_of, read, write};

/// How many actions of a coordinator are resolved.
const ACTIONS: usize = 2;

/// Reads the text, writes it and reads that; then checks it as its kind.
pub(super) fn holds(text: &str) {
    let document = match read(&SourceText::new("document.xml", text)) {
        Ok(document) => document,
        Err(problems) => {
            assert!(problems.iter().all(|problem| problem.location().is_some()) && !problems.is_empty());
            return all_shown(&problems);
        }
    };
    let written = write(&document.root);
    let again = read(&SourceText::new("written.xml", written.as_str()))
        .unwrap_or_else(|problems| panic!("{written}: {}", problems[0]));
    assert_eq!(write(&again.root), written);
    if let Some(kind) = kind_of(&document) {
        all_shown(&check_as(&document, kind, Edition::Published));
        all_shown(&check(&document, kind));
        definition(&document, kind);
    }
}

fn all_shown(problems: &[Error]) {
    problems.iter().for_each(assert_shown);
}

fn definition(document: &Document, kind: DocumentKind) {
    let mut properties = Properties::from([("user.name".to_owned(), "tester".to_owned())]);
    if let Err(problem) = complete(kind, document, &mut properties) {
        assert_shown(&problem);
    }
    match kind {
        DocumentKind::Coordinator => {
            let settings = SubmitSettings::default();
            all_shown(&coordinator::check(document, &Nothing, &settings, Some(Timestamp::EPOCH)));
            let (application, problems) = coordinator::parse::parse(document, &properties, &Nothing, &settings);
            all_shown(&problems);
            // As in submission: only what the schema accepts continues.
            if let Some(application) = application.filter(|_| check(document, kind).iter().all(Error::is_warning)) {
                first_actions(&application, &properties);
            }
        }
        DocumentKind::Workflow => {
            all_shown(&workflow::expressions::Expressions::of(document).check());
            properties.extend(workflow::expressions::stand_ins(document));
            all_shown(&workflow::load(document, &properties, ForkJoinCheck::On).1);
        }
        DocumentKind::Configuration => {
            if let Err(problem) = read_configuration(&document.root, &document.source) {
                assert_shown(&problem);
            }
        }
        DocumentKind::Datasets => {
            all_shown(&coordinator::check(document, &Nothing, &SubmitSettings::default(), None));
        }
        DocumentKind::Bundle => {
            for knowledge in [Knowledge::Partial, Knowledge::Complete] {
                all_shown(&bundle::parse(document, (knowledge, &properties), ProcessingZone::UTC).1);
            }
        }
    }
}

fn first_actions(application: &Coordinator, configuration: &Properties) {
    let job = JobScope { configuration, processing: application.schedule.processing };
    for nominal in application.schedule.times().take(ACTIONS) {
        if let Err(problem) = application.resolve(job, nominal) {
            assert_shown(&problem);
        }
    }
}

/// There are no included files.
struct Nothing;

impl Includes for Nothing {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        Err(Error::with(ErrorCode::E1002, &[&uri, &"path not existed"]))
    }
}
