//! SARIF 2.1.0: one run, whose rules are the codes that occurred.
//!
//! The results come first and are written as they come; the tool, which lists the rules, comes after them.

use serde_json::{Map, Value, json};

use super::place::{Base, Region, file_of, uri};
use super::report::{Report, Sum};
use crate::output::diagnostic::in_order;
use howdah_answers::check::validate::Verdict;
use howdah_words::error::{Class, Error, ErrorCode, Severity};

/// Where the schema of the format is published.
const SCHEMA: &str = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
/// The name under which results refer to the working folder.
const ROOT: &str = "%SRCROOT%";

/// The report of `--format sarif`.
pub(super) struct Sarif {
    base: Base,
    /// The codes that occurred, in the order in which they did.
    rules: Vec<ErrorCode>,
    results: usize,
}

impl Sarif {
    pub(super) fn new(base: Base) -> Self {
        Self { base, rules: Vec::new(), results: 0 }
    }

    fn result(&mut self, problem: &Error, verdict: &Verdict) -> Value {
        let code = problem.code();
        let rule = self.rules.iter().position(|known| *known == code).unwrap_or_else(|| {
            self.rules.push(code);
            self.rules.len() - 1
        });
        let text = match problem.help_text() {
            Some(help) => format!("{}\n{help}", problem.message()),
            None => problem.message().to_owned(),
        };
        let mut place = Map::new();
        place.insert("artifactLocation".to_owned(), self.artifact(file_of(problem, verdict)));
        if let Some(location) = problem.location() {
            let Region { start, end } = Region::of(location);
            let region = json!({"startLine": start.0, "startColumn": start.1, "endLine": end.0, "endColumn": end.1});
            place.insert("region".to_owned(), region);
        }
        let mut result = json!({
            "ruleId": code.as_str(),
            "ruleIndex": rule,
            "level": level(problem.severity()),
            "message": {"text": text},
            "locations": [{"physicalLocation": place}],
        });
        if let Some(code) = problem.oozie_code() {
            result["properties"] = json!({"oozieCode": code.as_str()});
        }
        result
    }

    fn artifact(&self, name: &str) -> Value {
        let name = self.base.relative(name);
        let is_below_root = self.base.0.is_some() && !name.starts_with('/');
        if is_below_root { json!({"uri": uri(name), "uriBaseId": ROOT}) } else { json!({"uri": uri(name)}) }
    }
}

impl Report for Sarif {
    fn begin(&mut self) -> String {
        let bases = self.base.uri().map_or_else(|| json!({}), |uri| json!({ROOT: {"uri": uri}}));
        format!(
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[\n\
             {{\"columnKind\":\"unicodeCodePoints\",\"originalUriBaseIds\":{bases},\"results\":["
        )
    }

    fn verdict(&mut self, verdict: &Verdict, _: &Sum) -> String {
        let mut text = String::new();
        for problem in in_order(&verdict.problems) {
            text += if self.results == 0 { "\n" } else { ",\n" };
            text += &self.result(problem, verdict).to_string();
            self.results += 1;
        }
        text
    }

    fn end(&mut self, _: &Sum) -> String {
        let rules: Vec<Value> = self.rules.iter().map(|code| rule(*code)).collect();
        let version = env!("CARGO_PKG_VERSION");
        let driver = json!({"name": "howdah", "version": version, "semanticVersion": version, "rules": rules});
        format!("\n],\"tool\":{{\"driver\":{driver}}}}}\n]}}\n")
    }
}

/// Returns the rule of a code, independent of files.
fn rule(code: ErrorCode) -> Value {
    let severity = match code.class() {
        Class::Note => Severity::Note,
        Class::Warning => Severity::Warning,
        Class::Refused | Class::Usage | Class::Busy | Class::Internal => Severity::Error,
    };
    let mut rule = json!({
        "id": code.as_str(),
        "shortDescription": {"text": code.summary()},
        "defaultConfiguration": {"level": level(severity)},
    });
    if let Some(advice) = code.advice() {
        rule["help"] = json!({"text": advice});
    }
    rule
}

const fn level(severity: Severity) -> &'static str {
    severity.as_str()
}
