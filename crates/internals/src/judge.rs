//! Compares an answer with a record of a vector file (exact equality of every field given).

use serde_json::{Value, json};

use super::{
    configuration, cron, datetime, dispute, el_functions, el_language, instances, job_status, materialization,
    materialized_action, nominal_times, properties, ready_queue, rerun_change, schema, selectors, skip_timeout, sla,
    wf_el, wf_graph,
};
use howdah_words::error::{Error, ErrorCode};

/// The result of one record.
#[derive(Debug)]
pub enum Verdict {
    /// howdah's result is the recorded one.
    Passed,
    /// howdah's result is another one; the text says which.
    Failed(String),
    /// The record is not compared, for this reason.
    Skipped(&'static str),
}

/// The result of a set for one input.
pub(crate) enum Answer {
    /// A value, compared with `expect`.
    Value(Value),
    /// A refusal, compared with `error`.
    Refused(Error),
    /// Not compared, and why.
    Skipped(&'static str),
}

impl<E: Into<Error>> From<Result<Value, E>> for Answer {
    fn from(result: Result<Value, E>) -> Self {
        match result {
            Ok(value) => Self::Value(value),
            Err(error) => Self::Refused(error.into()),
        }
    }
}

/// Compares one record of the set `set` (the file's name without `.jsonl`); `None` for an unknown set.
#[must_use]
pub fn judge(set: &str, record: &Value) -> Option<Verdict> {
    let answer = answer(set, &record["input"])?;
    Some(match compare(set, record, &answer) {
        Verdict::Failed(text) => dispute::reason(set, record).map_or(Verdict::Failed(text), Verdict::Skipped),
        verdict => verdict,
    })
}

/// The table of sets.
fn answer(set: &str, input: &Value) -> Option<Answer> {
    Some(match set {
        "configuration" => configuration::answer(input),
        "cron" => cron::answer(input),
        "datetime" => datetime::answer(input),
        "el-functions" => el_functions::answer(input),
        "el-language" => el_language::answer(input),
        "hcat" | "materialized-action" => materialized_action::answer(input),
        "instances" => instances::answer(input),
        "job-status" => job_status::answer(input),
        "materialization" => materialization::answer(input),
        "nominal-times" => nominal_times::answer(input),
        "properties" => properties::answer(input),
        "ready-queue" => ready_queue::answer(input),
        "rerun-change" => rerun_change::answer(input),
        "schema" => schema::answer(input),
        "selectors" => selectors::answer(input),
        "skip-timeout" => skip_timeout::answer(input),
        "sla" => sla::answer(input),
        "wf-el" => wf_el::answer(input),
        "wf-graph" => wf_graph::answer(input),
        _ => return None,
    })
}

fn compare(set: &str, record: &Value, answer: &Answer) -> Verdict {
    let expect = expectation(record);
    match (&expect, record.get("error"), answer) {
        (_, _, Answer::Skipped(reason)) => Verdict::Skipped(reason),
        (Some(expect), None, Answer::Value(value)) => compare_values(set, record, expect, value),
        (Some(expect), None, Answer::Refused(error)) => Verdict::Failed(format!("expected {expect}, refused: {error}")),
        (None, Some(error), Answer::Value(value)) => Verdict::Failed(format!("expected refusal {error}, got {value}")),
        (None, Some(wanted), Answer::Refused(error)) => compare_codes(wanted, error),
        _ => Verdict::Failed("the record has not exactly one of expect and error".to_owned()),
    }
}

fn compare_values(set: &str, record: &Value, expect: &Value, value: &Value) -> Verdict {
    let order = match expect.get("order").and_then(Value::as_str) {
        Some("any") => Order::Any,
        _ => Order::Kept,
    };
    match difference(expect, value, order) {
        None => Verdict::Passed,
        Some(_) if dispute::about_order(set, &record["input"]) && difference(expect, value, Order::Any).is_none() => {
            Verdict::Skipped(dispute::ORDER)
        }
        Some(text) => Verdict::Failed(text),
    }
}

/// Returns what a record expects; a unit beside the value is part of it.
fn expectation(record: &Value) -> Option<Value> {
    let expect = record.get("expect")?;
    Some(match record.get("expect_unit") {
        Some(unit) => json!({ "value": expect, "unit": unit }),
        None => expect.clone(),
    })
}

/// The code must be the recorded one, if there is one, as howdah's code or Oozie's wrapper.
fn compare_codes(wanted: &Value, error: &Error) -> Verdict {
    let Some(code) = wanted.get("code").and_then(Value::as_str) else { return Verdict::Passed };
    let ours = [Some(error.code()), error.oozie_code()];
    if ours.into_iter().flatten().map(ErrorCode::as_str).any(|ours| ours == code) {
        Verdict::Passed
    } else {
        Verdict::Failed(format!("expected {code} ({}), refused: {error}", wanted["message"]))
    }
}

/// Whether the order inside lists is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Kept,
    Any,
}

/// Returns the first difference; an object may have more fields than expected at its top level.
fn difference(expect: &Value, value: &Value, order: Order) -> Option<String> {
    if let (Value::Object(fields), Value::Object(_)) = (expect, value) {
        // `rule` names the rule of XML Schema that a document breaks, for the reader of the record.
        for (name, wanted) in fields.iter().filter(|(name, _)| *name != "order" && *name != "rule") {
            let got = value.get(name).unwrap_or(&Value::Null);
            let same = match order {
                Order::Kept => wanted == got,
                Order::Any => unordered(wanted) == unordered(got),
            };
            if !same {
                return Some(format!("{name}: expected {wanted}, got {got}"));
            }
        }
        return None;
    }
    (expect != value).then(|| format!("expected {expect}, got {value}"))
}

/// The value with its lists, and the comma lists and alternatives inside its texts, sorted.
fn unordered(value: &Value) -> Value {
    match value {
        Value::Array(items) => {
            let mut items: Vec<Value> = items.iter().map(unordered).collect();
            items.sort_by_key(Value::to_string);
            Value::Array(items)
        }
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, value)| (name.clone(), unordered(value))).collect())
        }
        Value::String(text) => {
            let mut parts: Vec<&str> = text.split(" OR ").flat_map(|text| text.split(',')).collect();
            parts.sort_unstable();
            Value::String(parts.join(","))
        }
        other => other.clone(),
    }
}
