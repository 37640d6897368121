//! The set `schema`: whole documents against the published schemas.

use serde_json::{Value, json};

use super::judge::Answer;
use howdah_words::error::{Error, SourceText};
use howdah_xml::{Document, DocumentKind, Edition, check_as, kind_of, read};

pub(super) fn answer(input: &Value) -> Answer {
    let source = SourceText::new("record.xml", input["xml"].as_str().unwrap_or_default());
    let kind = match input["kind"].as_str() {
        Some("coordinator") => DocumentKind::Coordinator,
        Some("workflow") => DocumentKind::Workflow,
        Some("bundle") => DocumentKind::Bundle,
        _ => return Answer::Skipped("unknown kind of record"),
    };
    let valid = read(&source).is_ok_and(|document| published_violations(&document, kind).is_empty());
    Answer::Value(json!({ "valid": valid }))
}

/// Returns what the published schemas report about a document of any kind: nothing when it is valid, otherwise the
/// first problem as `line:column CODE: message (help)`.
#[must_use]
pub fn schema_verdict(text: &str) -> Option<String> {
    let problems = match read(&SourceText::new("document", text)) {
        Err(problems) => problems,
        Ok(document) => {
            let kind = kind_of(&document).unwrap_or(DocumentKind::Workflow);
            published_violations(&document, kind)
        }
    };
    problems.first().map(describe)
}

fn published_violations(document: &Document, kind: DocumentKind) -> Vec<Error> {
    check_as(document, kind, Edition::Published)
}

fn describe(problem: &Error) -> String {
    let (line, column) = problem.location().map_or((0, 0), howdah_words::error::Location::line_column);
    format!("{line}:{column} {problem} ({})", problem.help_text().unwrap_or_default())
}
