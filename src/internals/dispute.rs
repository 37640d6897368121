//! Kinds of records that contradict the specification or the project's decisions, told by their form.
//!
//! Such a record is answered and compared like all others; only where the answer differs does its kind count.

use serde_json::Value;

use super::nominal_times;
use super::record::text;

/// Decision C18 wants one order for all lists: document order, ranges oldest first. The reference has others for the
/// part of a range that input logic takes, for `currentRange` as an instance, and for the partitions in a filter.
pub(super) const ORDER: &str = "decision C18: the right members, but not in document order with ranges oldest first";

/// Java takes the local time of a monthly instance for UTC when it makes the URI of any but the first it looks at.
const MONTHLY_LATEST: &str = "specification 6.6.6: latest passes over monthly instances that exist, outside of UTC";

/// Oozie stores lists with `#` between their members, and so takes a `#` in a URI for the end of one.
const CUT_URI: &str = "specification 5.1: an instance has one URI, which is not cut at '#'";

/// Oozie shifts daily and slower cron times to the season of the job's start.
const SHIFTED_CRON: &str = "decision C25: cron follows the processing time zone alone";

/// Java reads datetimes without leading zeros.
const UNPADDED: &str = "decisions: a datetime without its leading zeros is rejected";

/// Java's query for the active actions of a period leaves their numbers out, and its answer then names action 0.
const ACTION_ZERO: &str = "specification 6.1.3: actions count from 1, so none that was killed has the number 0";

/// The value was worked out with the declared initial instance, not with the one that counts.
const UNMOVED_INITIAL: &str = "specification 5.1: endOf... moves the initial instance, and before it the answer is -1";

/// Whether a difference in order alone does not count for a record.
pub(super) fn about_order(set: &str, input: &Value) -> bool {
    match set {
        "materialized-action" => text(input, "xml").contains("<input-logic>"),
        "hcat" => text(input, "xml").contains("coord:dataInPartitionFilter"),
        "instances" => input["instances"].to_string().contains("coord:currentRange"),
        _ => false,
    }
}

/// Why a record that is answered differently is disputed; `None` when it is not.
pub(super) fn reason(set: &str, record: &Value) -> Option<&'static str> {
    let input = &record["input"];
    let dataset = &input["dataset"];
    match set {
        "instances" if is_monthly_latest(input) => Some(MONTHLY_LATEST),
        "instances" if text(dataset, "uri_template").contains('#') => Some(CUT_URI),
        "nominal-times" if is_unpadded(input) => Some(UNPADDED),
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

fn is_unpadded(input: &Value) -> bool {
    let unpadded = |name: &str| {
        let fields = text(input, name).trim_end_matches('Z').split(['-', 'T', ':']);
        fields.filter(|field| field.len() < 2 && field.bytes().all(|byte| byte.is_ascii_digit())).count() > 0
    };
    ["start", "end"].iter().any(|name| text(input, name).contains('T') && unpadded(name))
}
