//! One JSON document: a list of files, each with its verdict and problems.

use serde_json::json;

use super::report::{Report, Sum};
use crate::output::diagnostic::{as_json, in_order, problem_fields};
use howdah_answers::check::validate::{FileKind, Verdict};

/// The report of `--json`, one line per file.
pub(super) struct Json;

impl Report for Json {
    fn begin(&mut self) -> String {
        "{\"files\":[".to_owned()
    }

    fn verdict(&mut self, verdict: &Verdict, before: &Sum) -> String {
        let separator = if before.files() == 0 { "\n" } else { ",\n" };
        format!("{separator}{}", verdict_as_json(verdict))
    }

    fn end(&mut self, _: &Sum) -> String {
        "\n]}\n".to_owned()
    }
}

/// Returns a verdict. `schema` says whether the file is valid by its schema alone, and is null where there is no
/// schema.
///
/// Written problem by problem: there may be very many.
fn verdict_as_json(verdict: &Verdict) -> String {
    let mut text = format!(
        "{{\"path\":{},\"kind\":{},\"valid\":{},\"schema\":{},\"problems\":[",
        json!(verdict.path),
        json!(verdict.kind.map(FileKind::as_str)),
        verdict.is_valid(),
        json!(verdict.is_valid_by_schema().map(|valid| if valid { "valid" } else { "invalid" })),
    );
    for (number, problem) in in_order(&verdict.problems).into_iter().enumerate() {
        // Only a problem in another file has the name of its file.
        let elsewhere = problem.location().is_some_and(|place| place.source.name != verdict.path);
        let document = if elsewhere { as_json(problem) } else { problem_fields(problem) };
        text += if number == 0 { "" } else { "," };
        text += &document.to_string();
    }
    text.push(']');
    if let Some(referrer) = &verdict.referrer {
        text += ",\"ledBy\":";
        text += &json!(referrer).to_string();
    }
    text.push('}');
    text
}
