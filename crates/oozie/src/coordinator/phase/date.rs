//! Functions on datetimes given as text (coordinator specification 6.9).

use super::signature::{Call, Function};
use crate::coordinator::phase::result::{CallResult, failed, text};
use howdah_calendar::{ProcessingZone, Unit, Zone, ZoneError, add, format_pattern};
use howdah_el::CallError;
use howdah_words::error::{Error, ErrorCode, did_you_mean};
use howdah_words::model::time::Timestamp;

/// Computes `dateOffset`, `dateTzOffset`, `formatTime` and `epochTime`; any other function is unknown here.
pub(super) fn call(processing: ProcessingZone, call: &Call) -> CallResult {
    let arguments = &call.arguments;
    match call.function {
        Function::DateOffset => date_offset(processing, arguments.text(0), arguments.int(1), arguments.text(2)),
        Function::DateTzOffset => date_tz_offset(processing, arguments.text(0), arguments.text(1)),
        Function::FormatTime => format_time(processing, arguments.text(0), arguments.text(1)),
        Function::EpochTime => epoch_time(processing, arguments.text(0), arguments.text(1)),
        _ => Err(CallError::UnknownFunction),
    }
}

/// Returns whether this number of units is no change: true for `CRON`, and for zero of `NONE`.
fn is_no_change(unit: &str, count: i64) -> bool {
    (unit == "CRON" && count >= 0) || (unit == "NONE" && count == 0)
}

/// Reads a datetime argument.
pub(super) fn datetime(processing: ProcessingZone, value: &str) -> Result<Timestamp, CallError> {
    processing
        .parse_datetime(value)
        .map_err(|error| CallError::Coded(Error::new(ErrorCode::E1004, &error).help(error.help_in_definition())))
}

/// Reads a time unit argument: MINUTE, HOUR, DAY, WEEK, MONTH or YEAR; the end of a period counts as its period.
pub(super) fn unit(word: &str) -> Result<Unit, CallError> {
    let period = word.strip_prefix("END_OF_").filter(|period| matches!(*period, "DAY" | "WEEK" | "MONTH"));
    Unit::from_word(period.unwrap_or(word)).ok_or_else(|| {
        let error = Error::new(
            ErrorCode::E1004,
            format!("time unit [{word}] must be one of MINUTE, HOUR, DAY, WEEK, MONTH, YEAR"),
        );
        CallError::Coded(match did_you_mean(word, Unit::ALL.iter().map(|unit| unit.as_str())) {
            Some(near) => error.help(format!("did you mean {near}?")),
            None => error,
        })
    })
}

fn date_offset(processing: ProcessingZone, base: &str, count: i64, unit_word: &str) -> CallResult {
    let base = datetime(processing, base)?;
    if is_no_change(unit_word, count) {
        return text(processing.format(base));
    }
    match add(&Zone::utc(), base, unit(unit_word)?, count) {
        Some(moved) => text(processing.format(moved)),
        None => failed(format!("{count} {unit_word} away is beyond the years that can be counted")),
    }
}

/// Returns the local time of `zone_id`, written in the form of the processing time zone.
fn date_tz_offset(processing: ProcessingZone, base: &str, zone_id: &str) -> CallResult {
    let base = datetime(processing, base)?;
    let unknown = |error: ZoneError| CallError::Coded(Error::new(ErrorCode::E1004, &error).help(error.help()));
    let zone = Zone::parse(zone_id).map_err(unknown)?;
    let shift = i64::from(zone.offset_seconds(base)) - processing.offset_seconds();
    text(processing.format(base + shift))
}

fn format_time(processing: ProcessingZone, date: &str, pattern: &str) -> CallResult {
    let date = datetime(processing, date)?;
    match format_pattern(pattern, date, processing) {
        Ok(formatted) => text(formatted),
        Err(error) => failed(error.to_string()),
    }
}

/// Returns seconds since the epoch, or milliseconds when `millis` is "true" in any case.
fn epoch_time(processing: ProcessingZone, date: &str, millis: &str) -> CallResult {
    let seconds = datetime(processing, date)?.seconds();
    text(if millis.eq_ignore_ascii_case("true") { (seconds * 1000).to_string() } else { seconds.to_string() })
}
