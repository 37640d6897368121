//! One JSON document: a list of files, each with its verdict and problems.

use serde_json::{Value, json};

use super::{Report, Sum};
use crate::engine::validate::{FileKind, Verdict};
use crate::error::Error;
use crate::output::diagnostic::{as_json, in_order, problem_fields};

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

/// A verdict. `schema` says whether the file is valid by its schema alone, and is null where there is no schema.
pub(super) fn verdict_as_json(verdict: &Verdict) -> Value {
    // A file stands for itself: only a problem elsewhere names its file.
    let as_value = |problem: &Error| {
        let elsewhere = problem.location().is_some_and(|place| place.source.name != verdict.path);
        if elsewhere { as_json(problem) } else { problem_fields(problem) }
    };
    let mut document = json!({
        "path": verdict.path,
        "kind": verdict.kind.map(FileKind::as_str),
        "valid": verdict.is_valid(),
        "schema": verdict.is_valid_by_schema().map(|valid| if valid { "valid" } else { "invalid" }),
        "problems": in_order(&verdict.problems).into_iter().map(as_value).collect::<Vec<_>>(),
    });
    if let Some(leader) = &verdict.led_by {
        document["ledBy"] = json!(leader);
    }
    document
}
