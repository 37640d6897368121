//! Converts a time to another zone (coordinator specification 4.1, 7.3).
//!
//! Decides which texts are accepted as times: every form that Oozie reads, whatever the processing time zone, and local
//! times of a named zone. Reads no clock: the caller passes `now`.

use serde::Serialize;

use crate::check::zones::change::{ClockChangeView, clock_change};
use crate::check::zones::id::{whole, zone};
use howdah_calendar::{LocalTime, ProcessingZone, Reading, offset_text};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::Timestamp;

/// A time in another zone.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Conversion {
    pub zone: String,
    /// The instants that the text means; two in a fold, with the effective one last.
    pub instants: Vec<Converted>,
    /// What is special about the given local time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<ClockChangeView>,
}

/// An instant in several spellings.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Converted {
    pub utc: String,
    /// In the processing time zone, where that is not UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processing: Option<String>,
    /// `YYYY-MM-DDTHH:mm` in the zone.
    pub local_time: String,
    /// The zone's offset from UTC at that time, as `+hh:mm`.
    pub offset: String,
    pub weekday: &'static str,
    /// Clock changes of the zone on that local day.
    pub clock_change: Option<ClockChangeView>,
}

/// Converts a time to another zone; a time without an offset is a local time of `from`.
///
/// # Errors
/// H0002 for a text that is not a zone or a time, and for a local time whose zone is missing.
pub fn convert(
    text: &str,
    (from, to): (Option<&str>, &str),
    processing: ProcessingZone,
    now: Timestamp,
) -> Result<Conversion> {
    let to = zone(to)?;
    let from = from.map(zone).transpose()?;
    let (instants, given) = match (LocalTime::parse(text), from) {
        (Some(local), Some(from)) => match local.read(&from) {
            Reading::Once(at) => (vec![at], None),
            Reading::Gap { change, taken } => (vec![taken], Some(change)),
            Reading::Fold { change, first, second } => (vec![first, second], Some(change)),
        },
        (Some(_), None) => {
            let error = Error::new(ErrorCode::H0002, format!("[{text}] is a local time, but of which zone?"));
            return Err(error.help("add --from ZONE, or a Z for UTC").at(whole(text)));
        }
        (None, Some(_)) if instant(text, processing, now).is_ok() => {
            let error = Error::new(ErrorCode::H0002, format!("[{text}] has an offset already"));
            return Err(error.help("leave out --from, which is for local times").at(whole(text)));
        }
        (None, _) => (vec![instant(text, processing, now)?], None),
    };
    let converted = |at: &Timestamp| Converted {
        utc: ProcessingZone::UTC.format(*at),
        processing: (processing != ProcessingZone::UTC).then(|| processing.format(*at)),
        local_time: LocalTime::of(&to, *at).to_string(),
        offset: offset_text(to.offset_seconds(*at)),
        weekday: LocalTime::of(&to, *at).weekday(),
        clock_change: to.change_on_day(*at).map(clock_change),
    };
    Ok(Conversion {
        instants: instants.iter().map(converted).collect(),
        given: given.map(clock_change),
        zone: to.id().to_owned(),
    })
}

/// Reads an instant: `now`, a datetime of the processing time zone, one that ends in `Z`, or one with any offset.
pub(super) fn instant(text: &str, processing: ProcessingZone, now: Timestamp) -> Result<Timestamp> {
    if text == "now" {
        return Ok(now);
    }
    let with_offset = || {
        let (_, offset) = text.char_indices().nth(16).map(|(at, _)| text.split_at(at))?;
        // The output of `time` has a colon in its offset, the form that Oozie reads has none.
        let zone = ProcessingZone::parse(&format!("GMT{}", offset.replacen(':', "", 1))).ok()?;
        zone.parse_datetime(&text.replace(offset, &offset.replacen(':', "", 1))).ok()
    };
    [processing, ProcessingZone::UTC]
        .iter()
        .find_map(|zone| zone.parse_datetime(text).ok())
        .or_else(with_offset)
        .ok_or_else(|| {
            let error = Error::new(ErrorCode::H0002, format!("[{text}] is not a time"));
            error
                .help("write it as YYYY-MM-DDTHH:mmZ, with an offset such as +0530 instead of the Z, or as now")
                .at(whole(text))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        ProcessingZone::UTC.parse_datetime("2026-11-21T14:00Z").expect("a datetime")
    }

    /// The instants and the local times, or the error with its help.
    fn check(text: &str, from: Option<&str>, to: &str, expect: &str) {
        let processing = ProcessingZone::parse("GMT+0530").expect("a processing zone");
        let reported = match convert(text, (from, to), processing, now()) {
            Ok(found) => {
                let given = found.given.map(|given| format!("{}: ", given.in_words)).unwrap_or_default();
                let one = |found: &Converted| format!("{} {}{}", found.utc, found.local_time, found.offset);
                given + &found.instants.iter().map(one).collect::<Vec<_>>().join(", ")
            }
            Err(error) => format!("{} ({})", error.message(), error.help_text().unwrap_or_default()),
        };
        assert_eq!(reported, expect, "{text}");
    }

    const LA: &str = "America/Los_Angeles";

    #[test]
    fn converts_instants_of_every_form() {
        check("2009-06-01T00:00Z", None, LA, "2009-06-01T00:00Z 2009-05-31T17:00-07:00");
        check("2009-06-01T05:30+0530", None, LA, "2009-06-01T00:00Z 2009-05-31T17:00-07:00");
        check("2009-05-31T17:00-07:00", None, "UTC", "2009-06-01T00:00Z 2009-06-01T00:00+00:00");
        check("2009-01-01T24:00Z", None, "UTC", "2009-01-02T00:00Z 2009-01-02T00:00+00:00");
        check("now", None, "Asia/Kolkata", "2026-11-21T14:00Z 2026-11-21T19:30+05:30");
    }

    #[test]
    fn explains_local_times() {
        check("2009-06-01T02:30", Some(LA), "UTC", "2009-06-01T09:30Z 2009-06-01T09:30+00:00");
        let gap = "02:00 to 03:00 does not exist: 2009-03-08T10:30Z 2009-03-08T03:30-07:00";
        check("2009-03-08T02:30", Some(LA), LA, gap);
        let fold = "01:00 to 02:00 comes twice: 2009-11-01T08:30Z 2009-11-01T08:30+00:00, \
                    2009-11-01T09:30Z 2009-11-01T09:30+00:00";
        check("2009-11-01T01:30", Some(LA), "UTC", fold);
        let lost = "2011-12-30 does not exist: 2011-12-30T22:00Z 2011-12-30T22:00+00:00";
        check("2011-12-30T12:00", Some("Pacific/Apia"), "UTC", lost);
    }

    #[test]
    fn refuses_invalid_times() {
        let form = "write it as YYYY-MM-DDTHH:mmZ, with an offset such as +0530 instead of the Z, or as now";
        for text in ["", "2009", "2009-02-30T00:00Z", "2009-06-01T00:00:00Z", "2009-06-01T00:00+é", "ééééééééééééééééé"]
        {
            check(text, None, "UTC", &format!("[{text}] is not a time ({form})"));
        }
        let local = "[2009-06-01T02:30] is a local time, but of which zone? (add --from ZONE, or a Z for UTC)";
        check("2009-06-01T02:30", None, LA, local);
        let twice = "[2009-06-01T02:30Z] has an offset already (leave out --from, which is for local times)";
        check("2009-06-01T02:30Z", Some(LA), LA, twice);
        check("now", None, "Los_Angeles", "Invalid TimeZone: Los_Angeles (did you mean America/Los_Angeles?)");
    }
}
