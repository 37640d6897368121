//! Reading the common fields of a record: texts, properties, zones, instants.

use serde_json::Value;

use howdah_calendar::ProcessingZone;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;

/// The text of a field; empty when the field is absent.
pub(super) fn text<'a>(fields: &'a Value, name: &str) -> &'a str {
    fields[name].as_str().unwrap_or_default()
}

/// The properties that a field holds.
pub(super) fn properties(field: &Value) -> Properties {
    let fields = field.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// The processing time zone of a record.
pub(super) fn processing(input: &Value) -> Result<ProcessingZone> {
    match input["processing_timezone"].as_str() {
        None => Ok(ProcessingZone::UTC),
        Some(setting) => ProcessingZone::parse(setting)
            .map_err(|error| Error::with(ErrorCode::H0121, &[&"oozie.processing.timezone", &setting, &error])),
    }
}

/// A datetime, in the form of `zone` or, for the clock, in UTC with seconds.
pub(super) fn instant(zone: ProcessingZone, text: &str) -> Result<Timestamp> {
    let (minute, seconds) = match text.strip_suffix('Z').and_then(|text| text.split_at_checked(16)) {
        Some((minute, seconds)) if !seconds.is_empty() => (format!("{minute}Z"), seconds.trim_start_matches(':')),
        _ => (text.to_owned(), "0"),
    };
    let at = zone.parse_datetime(&minute).map_err(|error| Error::new(ErrorCode::E1003, &error))?;
    Ok(at + seconds.parse().unwrap_or(0))
}

/// A datetime that may be absent or null.
pub(super) fn optional_instant(zone: ProcessingZone, field: &Value) -> Result<Option<Timestamp>> {
    field.as_str().map(|text| instant(zone, text)).transpose()
}

/// A whole number; zero when the field is absent.
pub(super) fn number(fields: &Value, name: &str) -> i64 {
    fields[name].as_i64().unwrap_or_default()
}

/// A number that is never negative; zero when the field is absent.
pub(super) fn count(fields: &Value, name: &str) -> u32 {
    fields[name].as_u64().and_then(|number| number.try_into().ok()).unwrap_or_default()
}
