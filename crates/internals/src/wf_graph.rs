//! The set `wf-graph`: whether a workflow definition is accepted, and if not, with which code it is refused.

use serde_json::{Value as Json, json};

use super::judge::Answer;
use howdah_oozie::configuration::complete;
use howdah_oozie::workflow::{self, ForkJoinCheck};
use howdah_words::error::{Error, ErrorCode, SourceText};
use howdah_words::model::Properties;
use howdah_xml::{self as xml, DocumentKind};

/// Returns the result of one record.
pub(super) fn answer(input: &Json) -> Answer {
    check(input).into()
}

fn check(input: &Json) -> Result<Json, Error> {
    let source = SourceText::new("workflow.xml", input["xml"].as_str().unwrap_or_default());
    let mut conf: Properties = serde_json::from_value(input["conf"].clone()).unwrap_or_default();
    // Oozie reports a text that is not XML with the schema's code.
    let document = xml::read(&source).map_err(|errors| first(errors).reported_by_oozie_as(ErrorCode::E0701))?;
    if let Some(violation) = xml::check(&document, DocumentKind::Workflow).into_iter().next() {
        return Err(violation);
    }
    complete(DocumentKind::Workflow, &document, &mut conf)?;
    let fork_join = match input["validate_fork_join"].as_bool() {
        Some(false) => ForkJoinCheck::Off,
        Some(true) | None => ForkJoinCheck::On,
    };
    let (_, problems) = workflow::load(&document, &conf, fork_join);
    match problems.into_iter().find(|problem| !problem.is_warning()) {
        Some(error) => Err(error),
        None => Ok(json!({ "accepted": true })),
    }
}

fn first(errors: Vec<Error>) -> Error {
    errors.into_iter().next().unwrap_or_else(|| Error::new(ErrorCode::E0700, "no error"))
}
