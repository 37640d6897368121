//! Kinds of records that contradict the specification or the project's decisions, recognised by their form.
//!
//! Such a record is computed and compared like all others; only where the result differs does its kind count.

use serde_json::Value;

use super::nominal_times;
use super::record::text;
use super::submission::schedule;
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::readiness::next_nominal;

/// Decision C18 requires one order for all lists: document order, ranges oldest first. The reference has others for the
/// part of a range that input logic takes, for `currentRange` as an instance, and for the partitions in a filter.
pub(super) const ORDER: &str = "decision C18: the right members, but not in document order with ranges oldest first";

/// Java reads the local time of a monthly instance as UTC when it builds the URI of any but the first one.
const MONTHLY_LATEST: &str = "specification 6.6.6: latest passes over monthly instances that exist, outside of UTC";

/// Oozie stores lists with `#` between their members, and so reads a `#` in a URI as the end of a member.
const CUT_URI: &str = "specification 5.1: an instance has one URI, which is not cut at '#'";

/// Oozie shifts daily and slower cron times to the season of the job's start.
const SHIFTED_CRON: &str = "decision C25: cron follows the processing time zone alone";

/// The records refuse datetimes whose fields have too few or too many digits.
const UNPADDED: &str = "decision C47: a datetime whose fields lack or exceed their digits is read";

/// In Java the time at the end of a job overtakes its last action, and `NONE` needs no next one.
const LAST_ACTION: &str = "decision C45: an action that has no next one is never passed over";

/// In Java an output that is searched is not an output.
const SOUGHT_OUTPUT: &str = "decision C49: latest and future in an output event are refused at submission";

/// Java's query for the active actions of a period omits their numbers, and its answer then names action 0.
const ACTION_ZERO: &str = "specification 6.1.3: actions count from 1, so none that was killed has the number 0";

/// The value was computed with the declared initial instance, not with the effective one.
const UNMOVED_INITIAL: &str = "specification 5.1: endOf... moves the initial instance, and before it the answer is -1";

/// Java compares the numbers of the units, not the times.
const REVERSED: &str = "decision C16: a range that ends before it starts is refused, also in two units";

/// Returns whether a difference in order alone does not count for a record.
pub(super) fn about_order(set: &str, input: &Value) -> bool {
    match set {
        "materialized-action" => text(input, "xml").contains("<input-logic>"),
        "hcat" => text(input, "xml").contains("coord:dataInPartitionFilter"),
        "instances" => input["instances"].to_string().contains("coord:currentRange"),
        _ => false,
    }
}

/// Returns why a record with another result is disputed; `None` when it is not.
pub(super) fn reason(set: &str, record: &Value) -> Option<&'static str> {
    let input = &record["input"];
    let dataset = &input["dataset"];
    match set {
        "instances" if is_monthly_latest(input) => Some(MONTHLY_LATEST),
        "instances" if text(dataset, "uri_template").contains('#') => Some(CUT_URI),
        "instances" if is_empty_range(record) => Some(REVERSED),
        _ if is_unpadded(input) => Some(UNPADDED),
        "instances" if input["event"] == "output" && has_search(&input.to_string()) => Some(SOUGHT_OUTPUT),
        "materialized-action" if has_sought_output(text(input, "xml")) => Some(SOUGHT_OUTPUT),
        "skip-timeout" | "ready-queue" if has_last_action(input) => Some(LAST_ACTION),
        "nominal-times" if nominal_times::follows_job_zone(record) => Some(SHIFTED_CRON),
        "el-functions" if record["source"] == "decision" && text(dataset, "frequency").contains("endOf") => {
            Some(UNMOVED_INITIAL)
        }
        "rerun-change" if names_action_zero(record) => Some(ACTION_ZERO),
        _ => None,
    }
}

fn names_action_zero(record: &Value) -> bool {
    let selected = record["expect"]["selected"].as_array();
    selected.is_some_and(|numbers| numbers.iter().any(|number| *number == 0))
}

fn is_monthly_latest(input: &Value) -> bool {
    let dataset = &input["dataset"];
    let instances = format!("{}{}", input["instances"], input["start_instance"]);
    let monthly = ["coord:months", "coord:endOfMonths"].iter().any(|unit| text(dataset, "frequency").contains(unit));
    monthly && text(dataset, "timezone") != "UTC" && instances.contains("coord:latest")
}

/// Returns whether Java has made nothing of a range of two offsets.
fn is_empty_range(record: &Value) -> bool {
    let ends = ["start_instance", "end_instance"].map(|end| text(&record["input"], end).contains("coord:offset"));
    ends == [true, true] && record["expect"]["created_uris"].as_array().is_some_and(Vec::is_empty)
}

fn has_search(text: &str) -> bool {
    ["coord:latest", "coord:future"].iter().any(|search| text.contains(search))
}

fn has_sought_output(xml: &str) -> bool {
    let outputs = xml.split_once("<output-events>").and_then(|(_, rest)| rest.split_once("</output-events>"));
    outputs.is_some_and(|(outputs, _)| has_search(outputs))
}

/// Returns whether the record is about an action that is the job's last one, and a strategy that skips actions.
fn has_last_action(input: &Value) -> bool {
    let passes = matches!(text(&input["job"], "execution"), "LAST_ONLY" | "NONE");
    let Some(schedule) = passes.then(|| schedule(&input["job"]).ok()).flatten() else { return false };
    let is_last = |number: &Value, nominal: &Value| {
        let number = number.as_u64().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
        let nominal = ProcessingZone::UTC.parse_datetime(nominal.as_str().unwrap_or_default());
        nominal.is_ok_and(|nominal| next_nominal(&schedule, number, nominal).is_none_or(|next| next >= schedule.end))
    };
    let mut actions = input["actions"].as_array().into_iter().flatten();
    is_last(&input["action_number"], &input["nominal"])
        || actions.any(|action| is_last(&action["number"], &action["nominal"]))
}

/// Returns whether a text of the record, or a part of one, is a datetime whose fields have too few or too many digits.
fn is_unpadded(input: &Value) -> bool {
    let zone = ProcessingZone::parse(text(input, "processing_timezone")).unwrap_or(ProcessingZone::UTC);
    has_unpadded(input, zone)
}

fn has_unpadded(value: &Value, zone: ProcessingZone) -> bool {
    let parts = |text: &str| text.split(['"', '\'', '<', '>', ' ', ',']).any(|part| zone.written_out(part).is_some());
    match value {
        Value::String(text) => parts(text),
        Value::Object(members) => members.values().any(|member| has_unpadded(member, zone)),
        Value::Array(items) => items.iter().any(|item| has_unpadded(item, zone)),
        _ => false,
    }
}
