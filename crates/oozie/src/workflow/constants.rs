//! The variables that every workflow has: sizes and the names of Hadoop's counters (specification 4.2.1, 4.2.4).

use howdah_el::Value;

const KB: i64 = 1024;
const MB: i64 = KB * 1024;
const GB: i64 = MB * 1024;
const TB: i64 = GB * 1024;
const PB: i64 = TB * 1024;

/// Returns whether every workflow has a variable of this name.
pub(super) fn is_constant(name: &str) -> bool {
    constant(name).is_some()
}

/// Returns the value of such a variable; `None` when there is none of this name.
pub(super) fn constant(name: &str) -> Option<Value> {
    let bytes = match name {
        "KB" => KB,
        "MB" => MB,
        "GB" => GB,
        "TB" => TB,
        "PB" => PB,
        _ => {
            let text = match name {
                "RECORDS" => "org.apache.hadoop.mapred.Task$Counter",
                "MAP_IN" => "MAP_INPUT_RECORDS",
                "MAP_OUT" => "MAP_OUTPUT_RECORDS",
                "REDUCE_IN" => "REDUCE_INPUT_RECORDS",
                "REDUCE_OUT" => "REDUCE_OUTPUT_RECORDS",
                "GROUPS" => "REDUCE_INPUT_GROUPS",
                _ => return None,
            };
            return Some(text.into());
        }
    };
    Some(Value::Int(bytes))
}
