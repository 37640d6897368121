//! Advice about names that exist, but not where they are written: functions of the other language, fields of time.
//!
//! Knows names alone. Must not depend on what a phase provides.

/// Functions of `<instance>`, `<start-instance>` and `<end-instance>`.
const OF_INSTANCES: [&str; 12] = [
    "current",
    "currentRange",
    "offset",
    "latest",
    "latestRange",
    "future",
    "futureRange",
    "absolute",
    "endOfDays",
    "endOfWeeks",
    "endOfMonths",
    "tzOffset",
];

/// Functions of a frequency.
const OF_FREQUENCIES: [&str; 4] = ["minutes", "hours", "days", "months"];

/// Functions about an action and its events.
const OF_ACTIONS: [&str; 8] =
    ["nominalTime", "actualTime", "actionId", "name", "dataIn", "dataOut", "dataInPartitions", "dataOutPartitions"];

/// Functions of workflows without a prefix.
const OF_WORKFLOWS: [&str; 10] = [
    "firstNotNull",
    "concat",
    "replaceAll",
    "appendAll",
    "trim",
    "urlEncode",
    "timestamp",
    "toJsonStr",
    "toPropertiesStr",
    "toConfigurationStr",
];

/// The fields of a URI template, and what people write in their place.
const FIELDS: [(&str, &str, &[&str]); 5] = [
    ("YEAR", "yyyy", &["YYYY", "yyyy", "YY", "yy", "Y", "y", "year", "Year"]),
    ("MONTH", "MM", &["MM", "MON", "mon", "month", "Month"]),
    ("DAY", "dd", &["DD", "dd", "D", "d", "day", "Day"]),
    ("HOUR", "HH", &["HH", "hh", "H", "h", "hour", "Hour", "HOURS"]),
    ("MINUTE", "mm", &["mm", "MIN", "min", "MI", "mi", "minute", "Minute", "MINUTES"]),
];

/// Returns where a function may be used that does not exist where a coordinator calls it.
pub(crate) fn function_in_coordinator(name: &str) -> Option<String> {
    match name.split_once(':') {
        // `hadoop:conf` exists in both.
        Some(("wf" | "fs" | "hcat", _) | ("hadoop", "counters")) => Some(of_workflows(name)),
        None if OF_WORKFLOWS.contains(&name) => Some(of_workflows(name)),
        Some(("coord", own)) if OF_INSTANCES.contains(&own) => Some(format!(
            "{name} is for <instance>, <start-instance> and <end-instance>; elsewhere ${{coord:dataIn('name')}} gives \
             the URIs of an event"
        )),
        Some(("coord", own)) if OF_FREQUENCIES.contains(&own) => Some(format!("{name} is for a frequency")),
        Some(("coord", own)) if OF_ACTIONS.contains(&own) => {
            Some(format!("{name} is known once there is an action: it is for the <configuration> of the <action>"))
        }
        _ => None,
    }
}

fn of_workflows(name: &str) -> String {
    format!("{name} is a function of workflows and exists in workflow.xml only; coordinators have those of coord:")
}

/// Returns where a function may be used that does not exist in workflows.
pub(crate) fn function_in_workflow(name: &str) -> Option<String> {
    let of_coordinators = name.starts_with("coord:");
    of_coordinators.then(|| {
        format!(
            "{name} is a function of coordinators and exists in coordinator.xml only: give its value to the workflow \
             as a property in the <configuration> of the coordinator's <action>, and write ${{property}} here"
        )
    })
}

/// Returns what a word for a part of a time should be.
pub(crate) fn field(name: &str) -> Option<String> {
    let (field, pattern, _) = FIELDS.iter().find(|(field, _, others)| *field == name || others.contains(&name))?;
    Some(if *field == name {
        format!(
            "only a <uri-template> has ${{{name}}}; elsewhere write ${{coord:formatTime(coord:nominalTime(), \
             '{pattern}')}}"
        )
    } else {
        format!("in a <uri-template> it is ${{{field}}}; any other variable is a property of the job")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_of_the_other_language_is_named_as_such() {
        for name in ["wf:id", "wf:actionData", "fs:exists", "hadoop:counters", "concat", "toJsonStr"] {
            assert!(function_in_coordinator(name).is_some_and(|help| help.contains("workflow.xml only")), "{name}");
            assert_eq!(function_in_workflow(name), None, "{name}");
        }
        for name in ["coord:nominalTime", "coord:user", "coord:dataIn", "coord:nonsense"] {
            assert!(function_in_workflow(name).is_some_and(|help| help.contains("coordinator.xml only")), "{name}");
        }
        for (name, expect) in
            [("coord:current", "<instance>"), ("coord:days", "frequency"), ("coord:nominalTime", "<action>")]
        {
            assert!(function_in_coordinator(name).is_some_and(|help| help.contains(expect)), "{name}");
        }
        for name in ["coord:nonsense", "coord:absoluteRange", "hadoop:conf", "hadoop:nonsense"] {
            assert_eq!(function_in_coordinator(name), None, "{name}");
        }
        assert_eq!(function_in_coordinator("nonsense"), None);
    }

    #[test]
    fn fields_of_time_have_one_spelling() {
        for (name, expect) in [("MM", "${MONTH}"), ("DD", "${DAY}"), ("hh", "${HOUR}"), ("YEAR", "'yyyy'")] {
            assert!(field(name).is_some_and(|help| help.contains(expect)), "{name}");
        }
        assert_eq!(field("root"), None);
    }
}
