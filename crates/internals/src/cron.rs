//! The set `cron`: the next firing times of an expression.

use serde_json::{Value, json};

use super::judge::Answer;
use howdah_calendar::{Cron, ProcessingZone};
use howdah_words::error::{Error, ErrorCode, Result};

/// Computes a record: `expr`, `after`, `count` and an optional `processing_timezone`, all instants in UTC.
pub(super) fn answer(input: &Value) -> Answer {
    firing_times(input).into()
}

fn firing_times(input: &Value) -> Result<Value> {
    let text = |name: &str| input[name].as_str().unwrap_or_default();
    if text("expr").parse::<i32>().is_ok() {
        return Ok(json!({ "integer": true }));
    }
    let refused = |message: String| Error::new(ErrorCode::E1003, message);
    let cron = Cron::parse(text("expr")).map_err(|error| refused(error.to_string()))?;
    let zone = match input["processing_timezone"].as_str() {
        Some(setting) => ProcessingZone::parse(setting).map_err(|error| refused(error.to_string()))?,
        None => ProcessingZone::UTC,
    };
    let mut at = ProcessingZone::UTC.parse_datetime(text("after")).map_err(|error| refused(error.to_string()))?;
    let count = usize::try_from(input["count"].as_u64().unwrap_or_default()).unwrap_or(usize::MAX);
    let mut times = Vec::new();
    while times.len() < count {
        let Some(next) = cron.next(at, zone) else {
            return Ok(json!({ "times": times, "exhausted": true }));
        };
        at = next;
        times.push(ProcessingZone::UTC.format(at));
    }
    Ok(json!({ "times": times }))
}
