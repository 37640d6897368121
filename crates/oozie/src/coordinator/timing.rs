//! Checks the attributes that time a coordinator (coordinator specification 4.4, 6.3; decisions C2, C7).
//!
//! Works on values alone, so that a definition and a question about a frequency get the same checks; the caller knows
//! the place. Must not depend on elements or properties.

use crate::coordinator::settings::SubmitSettings;
use howdah_calendar::{Cron, Frequency, FrequencyError, ProcessingZone, Unit, Zone};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{MINUTE, Timestamp};

/// A number of minutes below which Oozie calls a frequency too fast.
const FASTEST_MINUTES: i64 = 5;

/// Builds the refusal of an attribute with Oozie's message.
pub fn invalid(name: &str, value: &str, why: &str) -> Error {
    let error = Error::new(ErrorCode::E1003, format!("parameter [{name}] = [{value}] {why}"));
    match meant_variable(value) {
        Some(variable) => error.help(format!("did you mean ${{{variable}}}?")),
        None => error,
    }
}

/// Returns the name of a variable that is written without the `${` and `}` of an expression.
fn meant_variable(value: &str) -> Option<&str> {
    let value = value.trim();
    let inside = |(start, end): &(&str, &str)| value.strip_prefix(start)?.strip_suffix(end);
    let name = [("{{", "}}"), ("#{", "}"), ("$(", ")"), ("{", "}"), ("$", ""), ("%", "%"), ("@", "@")].iter();
    let name = name.into_iter().find_map(inside)?.trim();
    let is_name = name.starts_with(|first: char| first.is_alphabetic() || first == '_')
        && name.chars().all(|letter| letter.is_alphanumeric() || letter == '_');
    is_name.then_some(name)
}

/// Builds the refusal (E1003) of an evaluated text that is not a frequency.
pub fn no_frequency(value: &str, why: &FrequencyError) -> Error {
    invalid("frequency", value, &why.to_string())
        .help("write minutes (60), an expression such as '${coord:days(1)}', or five cron fields such as '0 2 * * *'")
}

/// Reports actions every few minutes: a warning (W0101), or a refusal (E1003) where the site requires it
/// (`oozie.service.coord.check.maximum.frequency`).
pub fn too_fast(frequency: &Frequency, settings: &SubmitSettings) -> Option<Error> {
    let Frequency::Fixed { count, unit: Unit::Minute, .. } = *frequency else { return None };
    if count >= FASTEST_MINUTES {
        return None;
    }
    if !settings.check_maximum_frequency {
        return Some(Error::new(ErrorCode::W0101, count));
    }
    let message = format!(
        "Coordinator job with frequency [{count}] minutes is faster than allowed maximum of 5 minutes \
         (oozie.service.coord.check.maximum.frequency is set to true)"
    );
    Some(Error::new(ErrorCode::E1003, message).help("use ${coord:minutes(5)} or more, or a cron expression"))
}

/// Reads a datetime, the value of attribute `name`.
///
/// # Errors
/// E1003.
pub fn datetime(name: &str, value: &str, processing: ProcessingZone) -> Result<Timestamp> {
    processing.parse_datetime(value).map_err(|error| {
        let (zone, mask) = (processing.java_id(), processing.mask());
        invalid(name, value, &format!("must be Date in {zone} format ({mask}). Parsing error {error}"))
            .help(error.help_in_definition())
    })
}

/// Reads a `timezone`.
///
/// # Errors
/// E1003.
pub fn zone(value: &str) -> Result<Zone> {
    Zone::parse(value).map_err(|error| {
        invalid("timezone", value, &format!("must be a valid TZ. Parsing error {error}")).help(error.help())
    })
}

/// Returns W0134 for a zone of three letters, whose meaning or summer time people expect otherwise.
pub fn abbreviated_zone(zone: &Zone) -> Option<Error> {
    let meaning = zone.meaning_of_short_id()?;
    Some(Error::with(ErrorCode::W0134, &[&zone.id(), &meaning]))
}

/// Refuses an end that is not after the start.
///
/// # Errors
/// E1003.
pub fn check_bounds((start, end): (Timestamp, Timestamp), processing: ProcessingZone) -> Result<()> {
    if start < end {
        return Ok(());
    }
    let help = format!("it starts at {} and ends at {}", processing.format(start), processing.format(end));
    Err(Error::new(ErrorCode::E1003, "Coordinator Start Time must be earlier than End Time.").help(help))
}

/// Refuses a cron frequency that never fires, or, where start and end are known, not between them.
///
/// # Errors
/// E1003.
pub fn check_cron(cron: &Cron, bounds: Option<(Timestamp, Timestamp)>, processing: ProcessingZone) -> Result<()> {
    // A cron frequency that fires at all fires within a hundred years of any time.
    let start = bounds.map_or(Timestamp::EPOCH, |(start, _)| start);
    let (message, help) = match (cron.next(start - MINUTE, processing), bounds) {
        (None, _) => (
            format!("Invalid coordinator cron frequency: {}", cron.text()),
            format!("it never fires, for no year has such a day: {}", cron.words()),
        ),
        (Some(first), Some((_, end))) if first >= end => (
            format!(
                "Coordinator job with frequency '{}' materializes no actions between start and end time.",
                cron.text()
            ),
            format!("it would fire first at {}, and the end is {}", processing.format(first), processing.format(end)),
        ),
        (Some(_), _) => return Ok(()),
    };
    Err(Error::new(ErrorCode::E1003, message).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::EndOf;

    /// `expect`: the code and a part of the help of the report about a frequency between two datetimes.
    fn check(frequency: &str, bounds: Option<(&str, &str)>, expect: Option<(&str, &str)>) {
        let settings = SubmitSettings::default();
        let processing = settings.processing;
        let reported = || -> Result<Option<Error>> {
            let at = |text| datetime("start", text, processing);
            let bounds = bounds.map(|(start, end)| at(start).and_then(|start| Ok((start, at(end)?)))).transpose()?;
            bounds.map_or(Ok(()), |bounds| check_bounds(bounds, processing))?;
            let frequency = Frequency::parse(frequency, Unit::Minute, EndOf::None);
            let frequency = frequency.map_err(|why| no_frequency("x", &why))?;
            if let Frequency::Cron(cron) = &frequency {
                check_cron(cron, bounds, processing)?;
            }
            Ok(too_fast(&frequency, &settings))
        };
        let reported = reported().unwrap_or_else(Some);
        let said = reported.as_ref().map(|error| (error.code().as_str(), error.help_text().unwrap_or_default()));
        let as_expected = match (said, expect) {
            (Some((code, help)), Some((expected, part))) => code == expected && help.contains(part),
            (said, expect) => said.is_none() && expect.is_none(),
        };
        assert!(as_expected, "{frequency} {bounds:?}: {said:?}");
    }

    #[test]
    fn frequencies_and_bounds_that_are_accepted() {
        for frequency in ["5", "* * * * *", "0 0 31 * *"] {
            check(frequency, None, None);
            check(frequency, Some(("2026-01-31T00:00Z", "2026-01-31T00:01Z")), None);
        }
    }

    #[test]
    fn refusals_and_warnings() {
        check("4", None, Some(("W0101", "use 5 minutes or more")));
        check("0", None, Some(("E1003", "write minutes (60)")));
        check("0 0 30 2 *", None, Some(("E1003", "it never fires, for no year has such a day: at 00:00, on day 30")));
        let first = "it would fire first at 2026-01-31T00:00Z, and the end is 2026-01-31T00:00Z";
        check("0 0 31 * *", Some(("2026-01-01T00:00Z", "2026-01-31T00:00Z")), Some(("E1003", first)));
        let same = "it starts at 2026-01-01T00:00Z and ends at 2026-01-01T00:00Z";
        check("60", Some(("2026-01-01T00:00Z", "2026-01-01T00:00Z")), Some(("E1003", same)));
        check("60", Some(("2026-01-01", "2026-01-02")), Some(("E1003", "YYYY-MM-DDTHH:mmZ")));
    }

    #[test]
    fn a_variable_without_its_marks_is_recognized() {
        for (value, expect) in [
            ("{e}", Some("e")),
            ("$end", Some("end")),
            ("#{end}", Some("end")),
            ("$(end)", Some("end")),
            ("{{ end_1 }}", Some("end_1")),
            ("2026-01-01", None),
            ("{}", None),
            ("{a b}", None),
            ("$5", None),
        ] {
            assert_eq!(meant_variable(value), expect, "{value}");
        }
        let help = datetime("end", "{e}", ProcessingZone::UTC).unwrap_err();
        assert_eq!(help.help_text(), Some("did you mean ${e}?"));
    }

    #[test]
    fn a_site_may_refuse_fast_frequencies() {
        let settings = SubmitSettings { check_maximum_frequency: true, ..SubmitSettings::default() };
        let every = |count, unit| Frequency::Fixed { count, unit, end_of: EndOf::None };
        let code = |frequency| too_fast(&frequency, &settings).map(|error| error.code().as_str());
        assert_eq!(code(every(4, Unit::Minute)), Some("E1003"));
        assert_eq!(code(every(5, Unit::Minute)), None);
        assert_eq!(code(every(1, Unit::Hour)), None);
    }
}
