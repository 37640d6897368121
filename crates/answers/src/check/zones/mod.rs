//! Zones for users (`howdah time`; coordinator specification 4.2, 7.3): which there are, and their offsets and clock
//! changes.
//!
//! Decides how ids are filtered and how a clock change is described; the calendar computes it. Reads no clock: the
//! caller passes `now`. [`convert()`] converts times.

pub mod change;
mod convert;
pub mod id;
mod source;

pub use convert::{Conversion, Converted, convert};
pub use source::MachineZones;

use serde::Serialize;

use crate::check::zones::change::{ClockChangeView, clock_change, minutes};
use crate::check::zones::id::zone;
use howdah_calendar::zone_data::{self, ZoneData};
use howdah_calendar::{LocalTime, ProcessingZone, Zone, offset_text};
use howdah_host::glob;
use howdah_words::error::{Error, ErrorCode, Result, did_you_mean};
use howdah_words::model::time::Timestamp;

/// A zone in the list of all.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ZoneView {
    pub id: &'static str,
    pub offset_minutes: i32,
    pub offset: String,
    pub daylight_saving: bool,
    /// The next change within five years.
    pub next_change: Option<ClockChangeView>,
}

/// The list of zones.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ZoneList {
    /// The release of the tz database.
    pub tz_database: String,
    /// `built in`, or the folder of the data.
    pub tz_database_place: String,
    pub time: String,
    pub zones: Vec<ZoneView>,
}

/// An offset of one zone, and its distance from another's.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OffsetView {
    pub zone: String,
    pub time: String,
    pub local_time: String,
    pub offset_minutes: i32,
    pub offset: String,
    pub daylight_saving: bool,
    /// The other zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other: Option<Box<OffsetView>>,
    /// The value of `coord:tzOffset()` for a dataset in the zone and a job in the other one, in minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tz_offset: Option<i32>,
}

/// Returns the zones whose ids match: all, those that contain the pattern, or those that match the pattern when it has
/// `*`, `?` or `[`. Upper and lower case are equal.
///
/// # Errors
/// H0002 when none matches, or when the pattern is invalid.
pub fn list(pattern: Option<&str>, now: Timestamp) -> Result<ZoneList> {
    let mut ids = Zone::ids();
    if let Some(pattern) = pattern {
        ids = matching(pattern, ids)?;
        if ids.is_empty() {
            return Err(no_zone(pattern));
        }
    }
    let zone = |id| {
        let zone = Zone::parse(id).expect("a listed id is accepted");
        let offset = zone.offset_seconds(now);
        ZoneView {
            id,
            offset_minutes: minutes(offset),
            offset: offset_text(offset),
            daylight_saving: zone.daylight_saving_seconds(now) != 0,
            next_change: zone.next_change(now).map(clock_change),
        }
    };
    let ZoneData { release, place } = zone_data::in_use();
    Ok(ZoneList {
        tz_database: release,
        tz_database_place: place,
        time: ProcessingZone::UTC.format(now),
        zones: ids.into_iter().map(zone).collect(),
    })
}

fn matching(pattern: &str, mut ids: Vec<&'static str>) -> Result<Vec<&'static str>> {
    if pattern.contains(['*', '?', '[']) {
        return glob::matching(pattern, ids).map_err(|error| Error::new(ErrorCode::H0002, error));
    }
    let wanted = pattern.to_lowercase();
    ids.retain(|id| id.to_lowercase().contains(&wanted));
    Ok(ids)
}

fn no_zone(pattern: &str) -> Error {
    let last_parts = |id: &'static str| id.rsplit('/').next().unwrap_or(id);
    let ids = Zone::ids();
    let near = did_you_mean(pattern, ids.iter().copied())
        .or_else(|| did_you_mean(pattern, ids.iter().map(|id| last_parts(id))));
    let help = near.map_or("`howdah time zones` lists them all".to_owned(), |near| format!("did you mean {near}?"));
    Error::new(ErrorCode::H0002, format!("no time zone matches [{pattern}]")).help(help)
}

/// Returns the offset of a zone at a time, and its distance from another zone's.
///
/// # Errors
/// H0002 for a text that is not a zone or a time.
pub fn offset(
    (zone_id, other_id): (&str, Option<&str>),
    time: Option<&str>,
    processing: ProcessingZone,
    now: Timestamp,
) -> Result<OffsetView> {
    let zone = zone(zone_id)?;
    let other = other_id.map(self::zone).transpose()?;
    let at = time.map_or(Ok(now), |text| convert::instant(text, processing, now))?;
    let view = |zone: &Zone| {
        let offset = zone.offset_seconds(at);
        OffsetView {
            zone: zone.id().to_owned(),
            time: ProcessingZone::UTC.format(at),
            local_time: LocalTime::of(zone, at).to_string(),
            offset_minutes: minutes(offset),
            offset: offset_text(offset),
            daylight_saving: zone.daylight_saving_seconds(at) != 0,
            other: None,
            tz_offset: None,
        }
    };
    let tz_offset = other.as_ref().map(|other| minutes(zone.offset_seconds(at) - other.offset_seconds(at)));
    Ok(OffsetView { other: other.as_ref().map(|other| Box::new(view(other))), tz_offset, ..view(&zone) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LA: &str = "America/Los_Angeles";

    fn now() -> Timestamp {
        ProcessingZone::UTC.parse_datetime("2026-11-21T14:00Z").expect("a datetime")
    }

    #[test]
    fn filters_ids() {
        let ids = |pattern: &str| {
            list(Some(pattern), now()).map(|list| list.zones.iter().map(|zone| zone.id).collect::<Vec<_>>())
        };
        assert_eq!(ids("lord_howe").expect("an id"), ["Australia/Lord_Howe"]);
        assert_eq!(ids("p?t").expect("ids"), ["PLT", "PNT", "PRT", "PST"]);
        assert!(ids("us/*").expect("ids").iter().all(|id| id.starts_with("US/")));
        assert!(ids("[a").expect_err("no pattern").to_string().contains("[[] has no end in [[a]"));
        let help = ids("Los_Angelos").expect_err("no id").help_text().map(str::to_owned);
        assert_eq!(help.as_deref(), Some("did you mean Los_Angeles?"));
    }

    #[test]
    fn shows_offsets_as_tz_offset_counts_them() {
        let at = |time| offset((LA, Some("Asia/Kolkata")), Some(time), ProcessingZone::UTC, now()).expect("zones");
        assert_eq!((at("2009-06-01T00:00Z").offset_minutes, at("2009-06-01T00:00Z").tz_offset), (-420, Some(-750)));
        assert_eq!((at("now").offset.as_str(), at("now").tz_offset), ("-08:00", Some(-810)));
    }
}
