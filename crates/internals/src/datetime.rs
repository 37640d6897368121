//! The set `datetime`: reading and printing datetimes, zone ids, and the bounds of local periods.

use serde_json::{Value, json};

use super::judge::Answer;
use howdah_calendar::{EndOf, ProcessingZone, Zone, hours_in_day, move_to_end};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{MINUTE, Timestamp};

/// Instants at which the records give the offsets of a zone.
const OFFSETS_AT: [&str; 2] = ["2015-01-15T12:00Z", "2015-07-15T12:00Z"];

/// The instant that the records print with each processing time zone.
const SAMPLE: &str = "2015-06-01T12:00Z";

/// Computes a record by its `kind`.
pub(super) fn answer(input: &Value) -> Answer {
    match input["kind"].as_str() {
        Some("parse") => parse(input).into(),
        Some("check") => parse(input).map(|value| json!({ "epoch": value["epoch"] })).into(),
        Some("format") => format(input).into(),
        Some("timezone") => timezone(input).into(),
        Some("ptz") => processing_zone(text(input, "text")).map(describe).into(),
        Some("hoursInDay") => hours(input).into(),
        Some("moveToEnd") => end(input).into(),
        _ => Answer::Skipped("unknown kind"),
    }
}

fn parse(input: &Value) -> Result<Value> {
    let zone = zone_of_record(input)?;
    let at = read(zone, text(input, "text"))?;
    Ok(json!({ "epoch": at.seconds(), "utc": with_seconds(at), "format": zone.format(at) }))
}

fn format(input: &Value) -> Result<Value> {
    let at = Timestamp::from_seconds(input["epoch"].as_i64().unwrap_or_default());
    Ok(json!({ "text": zone_of_record(input)?.format(at) }))
}

fn timezone(input: &Value) -> Result<Value> {
    let zone = zone(text(input, "text"))?;
    let mut offsets = serde_json::Map::new();
    for at in OFFSETS_AT {
        let seconds = zone.offset_seconds(read(ProcessingZone::UTC, at)?);
        offsets.insert(at.to_owned(), seconds.into());
    }
    Ok(json!({ "id": zone.id(), "offset_seconds": offsets }))
}

fn describe(zone: ProcessingZone) -> Value {
    let sample = ProcessingZone::UTC.parse_datetime(SAMPLE).expect("the sample is a datetime");
    json!({ "mask": zone.mask(), "sample": zone.format(sample) })
}

fn hours(input: &Value) -> Result<Value> {
    let at = read(ProcessingZone::UTC, text(input, "at"))?;
    Ok(json!({ "hours": hours_in_day(&zone(text(input, "timezone"))?, at) }))
}

fn end(input: &Value) -> Result<Value> {
    let at = read(ProcessingZone::UTC, text(input, "at"))?;
    let end_of = EndOf::from_word(text(input, "flag")).unwrap_or_default();
    let end = move_to_end(&zone(text(input, "timezone"))?, at, end_of);
    Ok(json!({ "utc": end.map(with_seconds) }))
}

fn text<'a>(input: &'a Value, name: &str) -> &'a str {
    input[name].as_str().unwrap_or_default()
}

fn zone_of_record(input: &Value) -> Result<ProcessingZone> {
    input["processing_timezone"].as_str().map_or(Ok(ProcessingZone::UTC), processing_zone)
}

fn processing_zone(text: &str) -> Result<ProcessingZone> {
    ProcessingZone::parse(text)
        .map_err(|error| Error::with(ErrorCode::H0121, &[&"oozie.processing.timezone", &text, &error]))
}

fn read(zone: ProcessingZone, text: &str) -> Result<Timestamp> {
    zone.parse_datetime(text).map_err(|error| Error::new(ErrorCode::E1003, &error).help(error.help()))
}

fn zone(id: &str) -> Result<Zone> {
    Zone::parse(id).map_err(|error| Error::new(ErrorCode::E1003, &error).help(error.help()))
}

/// `YYYY-MM-DDTHH:mm:ssZ`.
fn with_seconds(at: Timestamp) -> String {
    let minute = ProcessingZone::UTC.format(at);
    format!("{}:{:02}Z", minute.trim_end_matches('Z'), at.seconds().rem_euclid(MINUTE))
}
