//! The promises of an SLA element, from its texts after evaluation (coordinator specification 12; SLA schemas 0.1,
//! 0.2).
//!
//! Both versions of the element are read by the names of their children; what version 0.1 has beyond 0.2 (other
//! contacts, `alert-frequency`) has no effect in Oozie either.

use howdah_calendar::ProcessingZone;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::Properties;
use howdah_words::model::row::SlaRegistration;
use howdah_words::model::status::SlaEvent;
use howdah_words::model::time::Timestamp;

/// The longest span that can be promised, in minutes: about two thousand years.
const LONGEST_MINUTES: f64 = 1e9;

/// Milliseconds in a minute.
const MINUTE_MILLISECONDS: f64 = 60_000.0;

/// An SLA element, ready to be registered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registration {
    pub nominal: Timestamp,
    /// The latest start that is on time; `None`: any start is.
    pub expected_start: Option<Timestamp>,
    /// The latest end that is on time.
    pub expected_end: Timestamp,
    /// The longest duration that is on time; `None`: any is. Below zero when the end is expected before the start,
    /// which no duration can meet.
    pub expected_seconds: Option<i64>,
    /// The events that are reported; `None`: those that the site names.
    pub alert_events: Option<Vec<SlaEvent>>,
    /// Addresses of mail, separated by commas.
    pub alert_contact: Option<String>,
    pub notification_message: Option<String>,
    pub upstream_apps: Option<String>,
}

impl Registration {
    /// Reads the evaluated children of an SLA element, by their names.
    ///
    /// # Errors
    /// E0302 for a nominal time that is not a datetime, and for a span that is not a number or is below zero.
    pub fn read(values: &Properties, processing: ProcessingZone) -> Result<Self> {
        let text = |name: &str| values.get(name).map(|value| value.trim()).filter(|value| !value.is_empty());
        let nominal = nominal(text("nominal-time").unwrap_or_default(), processing)?;
        let start = text("should-start").map(|value| promised("should-start", value)).transpose()?;
        let end = promised("should-end", text("should-end").unwrap_or_default())?;
        let duration = match text("max-duration") {
            // Zero and less disable the promise.
            Some(value) => Some(milliseconds("max-duration", value)?).filter(|duration| *duration > 0),
            None => start.map(|start| end - start),
        };
        let owned = |name: &str| text(name).map(str::to_owned);
        Ok(Self {
            nominal,
            expected_start: start.map(|start| nominal + seconds(start)),
            expected_end: nominal + seconds(end),
            expected_seconds: duration.map(seconds),
            alert_events: values.get("alert-events").map(|list| read_events(list)),
            alert_contact: owned("alert-contact"),
            notification_message: owned("notification-msg"),
            upstream_apps: owned("upstream-apps"),
        })
    }
}

/// Replaces some of the promised values of a registration (`howdah sla change`).
///
/// Start and end are spans after the nominal time, so another nominal time moves them too; an empty start or duration
/// removes the promise.
///
/// # Errors
/// E0302, like [`Registration::read`].
pub fn change(row: &mut SlaRegistration, values: &Properties, processing: ProcessingZone) -> Result<()> {
    let value = |name: &str| values.get(name).map(|value| value.trim());
    let moved = match value("nominal-time") {
        Some(text) => self::nominal(text, processing)?,
        None => row.nominal_at,
    };
    let shift = moved - row.nominal_at;
    let after = |name: &str, text: &str| Ok::<_, Error>(moved + seconds(promised(name, text)?));
    let start = match value("should-start") {
        Some("") => None,
        Some(text) => Some(after("should-start", text)?),
        None => row.expected_start_at.map(|start| start + shift),
    };
    let end = match value("should-end") {
        Some(text) => after("should-end", text)?,
        None => row.expected_end_at + shift,
    };
    let seconds = match value("max-duration") {
        Some("") => None,
        Some(text) => Some(milliseconds("max-duration", text)?).filter(|duration| *duration > 0).map(seconds),
        None => row.expected_seconds,
    };
    (row.nominal_at, row.expected_start_at, row.expected_end_at, row.expected_seconds) = (moved, start, end, seconds);
    Ok(())
}

/// Checks that a child of an SLA element can have this value, whatever the others are; a name without a promise can
/// have any value.
///
/// # Errors
/// E0302, like [`Registration::read`].
pub fn check_value(name: &str, value: &str, processing: ProcessingZone) -> Result<()> {
    let value = value.trim();
    match name {
        "nominal-time" => nominal(value, processing).map(drop),
        "should-end" => promised(name, value).map(drop),
        "should-start" if !value.is_empty() => promised(name, value).map(drop),
        "max-duration" if !value.is_empty() => milliseconds(name, value).map(drop),
        _ => Ok(()),
    }
}

/// Reads a list of events, separated by commas, in any case; as in Oozie an unknown word means `END_MISS`.
pub fn read_events(list: &str) -> Vec<SlaEvent> {
    let word = |word: &str| SlaEvent::from_word(&word.trim().to_ascii_uppercase()).unwrap_or(SlaEvent::EndMiss);
    list.split(',').map(word).collect()
}

fn nominal(text: &str, processing: ProcessingZone) -> Result<Timestamp> {
    processing.parse_datetime(text).map_err(|error| {
        let help = format!("the nominal time of an SLA is a datetime: {}", error.help_in_definition());
        Error::new(ErrorCode::E0302, format!("nominal-time of the SLA: {text}")).help(help)
    })
}

/// Returns a span that must not be below zero, in milliseconds.
fn promised(name: &str, text: &str) -> Result<i64> {
    let span = milliseconds(name, text)?;
    if span < 0 { Err(bad_span(name, text)) } else { Ok(span) }
}

/// Returns minutes, which may have a fraction, as milliseconds.
fn milliseconds(name: &str, text: &str) -> Result<i64> {
    let minutes: f64 = text.parse().map_err(|_| bad_span(name, text))?;
    if !minutes.is_finite() || minutes.abs() > LONGEST_MINUTES {
        return Err(bad_span(name, text));
    }
    #[expect(clippy::cast_possible_truncation, reason = "the bound just above fits")]
    let milliseconds = (minutes * MINUTE_MILLISECONDS).round() as i64;
    Ok(milliseconds)
}

/// Returns whole seconds. Actual times are whole seconds, so the fraction never changes a comparison.
const fn seconds(milliseconds: i64) -> i64 {
    milliseconds.div_euclid(1000)
}

fn bad_span(name: &str, text: &str) -> Error {
    let help = "write minutes, not below zero, such as 30 or ${2 * HOURS}";
    Error::new(ErrorCode::E0302, format!("{name} of the SLA: {text}")).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_testing::rows::sla_registration;

    /// The expected start, end and duration in seconds after the nominal time, or the refusal.
    fn check(start: Option<&str>, end: &str, duration: Option<&str>, expect: &str) {
        let mut values = Properties::from([("nominal-time".to_owned(), "2026-03-01T00:00Z".to_owned())]);
        let given = [("should-start", start), ("should-end", Some(end)), ("max-duration", duration)];
        values.extend(given.iter().filter_map(|(name, value)| Some(((*name).to_owned(), (*value)?.to_owned()))));
        let shown = match Registration::read(&values, ProcessingZone::UTC) {
            Ok(Registration { nominal, expected_start: start, expected_end: end, expected_seconds, .. }) => {
                let text = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
                format!("{} {} {}", text(start.map(|start| start - nominal)), end - nominal, text(expected_seconds))
            }
            Err(error) => error.to_string(),
        };
        assert!(shown.contains(expect), "{start:?} {end} {duration:?}: {shown}");
    }

    #[test]
    fn spans_are_minutes_after_the_nominal_time() {
        check(Some("5"), "60", Some("30"), "300 3600 1800");
        check(Some("2.25"), "90.5", None, "135 5430 5295");
        check(None, "60", None, "- 3600 -");
        check(Some("5"), "60", Some("0"), "300 3600 -");
        check(Some("5"), "60", Some("-3"), "300 3600 -");
        check(Some("60"), "30", None, "3600 1800 -1800");
        // The difference is computed before the fractions of a second are dropped.
        check(Some("0.015"), "0.034", None, "0 2 1");
        check(Some(" "), " 1e1 ", None, "- 600 -");
    }

    #[test]
    fn an_invalid_span_is_refused() {
        for text in ["-1", "-0.5", "ten", "", "NaN", "inf", "1e300", "1 h"] {
            check(Some("1"), text, None, "E0302");
        }
        check(None, "-1", None, "E0302: Invalid parameter [should-end of the SLA: -1]");
        check(None, "10", Some("y"), "E0302: Invalid parameter [max-duration of the SLA: y]");
    }

    #[test]
    fn a_nominal_time_must_be_a_datetime() {
        let values = |nominal: &str| {
            Properties::from([
                ("nominal-time".to_owned(), nominal.to_owned()),
                ("should-end".to_owned(), "1".to_owned()),
            ])
        };
        for (text, accepted) in [("2026-03-01T00:00Z", true), ("2026-03-01", false), ("", false)] {
            let read = Registration::read(&values(text), ProcessingZone::UTC);
            assert_eq!(read.err().map(|error| error.code()), (!accepted).then_some(ErrorCode::E0302), "{text}");
        }
    }

    #[test]
    fn a_change_replaces_what_it_names() {
        let base = Timestamp::from_seconds(1_772_323_200); // 2026-03-01T00:00Z
        let promised = SlaRegistration {
            nominal_at: base,
            expected_start_at: Some(base + 60),
            expected_end_at: base + 600,
            expected_seconds: Some(30),
            ..sla_registration()
        };
        for (changes, expect) in [
            (&[("should-end", "20")][..], "0 60 1200 30"),
            (&[("nominal-time", "2026-03-01T00:10Z")], "600 660 1200 30"),
            (&[("nominal-time", "2026-03-01T00:10Z"), ("should-start", "2")], "600 720 1200 30"),
            (&[("should-start", ""), ("max-duration", "")], "0 - 600 -"),
            (&[("max-duration", "0")], "0 60 600 -"),
            (&[("max-duration", "1.5")], "0 60 600 90"),
            (&[("should-end", "")], "E0302"),
            (&[("should-start", "-1")], "E0302"),
            (&[("nominal-time", "")], "E0302"),
        ] {
            let values = changes.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
            let text = |number: Option<i64>| number.map_or("-".to_owned(), |number| number.to_string());
            let mut row = promised.clone();
            let shown = match change(&mut row, &values, ProcessingZone::UTC) {
                Ok(()) => {
                    let start = text(row.expected_start_at.map(|start| start - base));
                    let end = row.expected_end_at - base;
                    format!("{} {start} {end} {}", row.nominal_at - base, text(row.expected_seconds))
                }
                Err(error) => error.code().to_string(),
            };
            assert_eq!(shown, expect, "{changes:?}");
        }
    }

    #[test]
    fn an_unknown_event_means_the_end() {
        let shown = |list| read_events(list).into_iter().map(SlaEvent::as_str).collect::<Vec<_>>().join(" ");
        assert_eq!(shown(" Start_Met ,x"), "START_MET END_MISS");
        assert_eq!(shown("duration_miss,END_MET"), "DURATION_MISS END_MET");
    }
}
