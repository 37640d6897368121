//! Time zones: which ids are accepted and what their clocks show.
//!
//! Decides the three cases of a local time: it occurs once, never (gap) or twice (fold). Must not depend on the
//! processing time zone.

use std::sync::Arc;

use super::built_in;
use super::zone_data;
use super::zone_table::ZoneTable;
use howdah_words::model::time::{DAY, Timestamp};

/// A time zone of a coordinator or a dataset; cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone {
    id: Arc<str>,
    rules: Rules,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Rules {
    /// Seconds east of UTC.
    Fixed(i32),
    /// The compiled-in rules, or those of the installed source of zone data.
    Table(Arc<ZoneTable>),
}

/// The error for an id that is not a time zone.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("Invalid TimeZone: {id}")]
pub struct ZoneError {
    pub(super) id: String,
}

impl Zone {
    /// Returns the zone `UTC`.
    pub fn utc() -> Self {
        Self { id: "UTC".into(), rules: Rules::Fixed(0) }
    }

    /// Reads an id: `GMT+hh:mm`, `GMT+hhmm`, an id of the time zone database, or a three-letter id of Java.
    ///
    /// Letter case counts. Fails on every other text.
    pub fn parse(id: &str) -> Result<Self, ZoneError> {
        if let Some((canonical, seconds)) = fixed_offset(id) {
            return Ok(Self { id: canonical.into(), rules: Rules::Fixed(seconds) });
        }
        named(id).map(|rules| Self { id: id.into(), rules }).ok_or_else(|| ZoneError { id: id.to_owned() })
    }

    /// Returns every id that [`Self::parse`] accepts, sorted, except the unlimited `GMT+hh:mm`.
    pub fn ids() -> Vec<&'static str> {
        let regions = built_in::ids().filter(|name| !REFUSED.contains(name));
        let fixed = FIXED.iter().map(|(name, _)| *name);
        let mut ids: Vec<&str> = regions.chain(fixed).chain(LEGACY.iter().map(|(name, _)| *name)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns the id after normalisation (`GMT+0530` becomes `GMT+05:30`).
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the region that an id of Java's own stands for.
    pub fn region(&self) -> Option<&'static str> {
        LEGACY.iter().find(|(name, _)| *name == &*self.id).map(|(_, region)| *region)
    }

    /// Returns the offset of a zone that has one for ever, as `-05:00`.
    pub fn fixed_offset(&self) -> Option<String> {
        let Rules::Fixed(seconds) = &self.rules else { return None };
        let (sign, minutes) = (if *seconds < 0 { '-' } else { '+' }, seconds.abs() / 60);
        Some(format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60))
    }

    /// Returns what an id of three letters means, which is often not what people expect; `None` for any other id, and
    /// for those of UTC.
    pub fn meaning_of_short_id(&self) -> Option<String> {
        if self.id().len() != 3 || matches!(self.id(), "UTC" | "GMT" | "UCT") {
            return None;
        }
        Some(match (self.region(), self.fixed_offset()) {
            (Some(region), _) => format!("it means {region}"),
            (None, Some(offset)) => format!("it is {offset} all year, without summer time"),
            (None, None) => "it names no region".to_owned(),
        })
    }

    /// Returns the seconds that local time is ahead of UTC at an instant, summer time included.
    pub fn offset_seconds(&self, at: Timestamp) -> i32 {
        match &self.rules {
            Rules::Fixed(seconds) => *seconds,
            Rules::Table(table) => table.setting(at.seconds()).offset,
        }
    }

    /// Returns the seconds of summer time that are part of [`Self::offset_seconds`]; 0 outside it.
    pub fn daylight_saving_seconds(&self, at: Timestamp) -> i64 {
        match &self.rules {
            Rules::Fixed(_) => 0,
            Rules::Table(table) => i64::from(table.setting(at.seconds()).saving),
        }
    }

    /// Returns the usual name of local time at an instant: `CET`, `CEST`, `UTC`, or the offset where it has no name.
    pub fn abbreviation(&self, at: Timestamp) -> String {
        match &self.rules {
            Rules::Fixed(_) if self.id.len() > 3 => self.id.trim_start_matches("GMT").to_owned(),
            Rules::Fixed(_) => self.id.to_string(),
            Rules::Table(table) => table.setting(at.seconds()).name.to_string(),
        }
    }

    /// Returns the clock reading at an instant, as seconds since 1970-01-01T00:00 of the local calendar.
    pub fn local_seconds(&self, at: Timestamp) -> i64 {
        at.seconds() + i64::from(self.offset_seconds(at))
    }

    /// Returns the instant at which the clocks show `local` (seconds as in [`Self::local_seconds`]).
    pub fn instant(&self, local: i64) -> Timestamp {
        match &self.rules {
            Rules::Fixed(seconds) => later_by(local, *seconds),
            Rules::Table(table) => later_by(local, table.offset_of_local(local)),
        }
    }

    /// Returns whether the clocks show `local` twice, because they are put back.
    pub fn has_twice(&self, local: i64) -> bool {
        // `instant` is the second one; no clock is put back by more than a day.
        let offset_before = self.offset_seconds(self.instant(local) - DAY);
        let first = later_by(local, offset_before);
        first != self.instant(local) && self.local_seconds(first) == local
    }
}

fn later_by(local: i64, offset: i32) -> Timestamp {
    Timestamp::from_seconds(local - i64::from(offset))
}

/// Reads `GMT+hh:mm` or `GMT+hhmm`: the canonical id and the seconds.
fn fixed_offset(id: &str) -> Option<(String, i32)> {
    let rest = id.strip_prefix("GMT")?;
    let (sign, digits) = match rest.as_bytes().first()? {
        b'+' => (1, &rest[1..]),
        b'-' => (-1, &rest[1..]),
        _ => return None,
    };
    let compact = match digits.split_once(':') {
        Some((hours, minutes)) if hours.len() == 2 && minutes.len() == 2 => format!("{hours}{minutes}"),
        Some(_) => return None,
        None => digits.to_owned(),
    };
    let seconds = offset_of_digits(&compact)?;
    let canonical = format!("GMT{}{}:{}", &rest[..1], &compact[..2], &compact[2..]);
    Some((canonical, sign * seconds))
}

/// Returns the seconds of `hhmm`; `None` unless it has four digits and is a time of day.
pub(super) fn offset_of_digits(digits: &str) -> Option<i32> {
    if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (hours, minutes): (i32, i32) = (digits[..2].parse().ok()?, digits[2..].parse().ok()?);
    (hours < 24 && minutes < 60).then_some((hours * 60 + minutes) * 60)
}

fn named(id: &str) -> Option<Rules> {
    if REFUSED.contains(&id) {
        return None;
    }
    if let Some((_, hours)) = FIXED.iter().find(|(name, _)| *name == id) {
        return Some(Rules::Fixed(hours * 3600));
    }
    let region = LEGACY.iter().find(|(name, _)| *name == id).map_or(id, |(_, region)| region);
    zone_data::rules(region).map(Rules::Table)
}

/// Ids with one offset forever, in hours.
const FIXED: &[(&str, i32)] = &[
    ("UTC", 0),
    ("GMT", 0),
    ("EST", -5),
    ("MST", -7),
    ("HST", -10),
    ("SystemV/AST4", -4),
    ("SystemV/CST6", -6),
    ("SystemV/EST5", -5),
    ("SystemV/HST10", -10),
    ("SystemV/MST7", -7),
    ("SystemV/PST8", -8),
    ("SystemV/YST9", -9),
];

/// Ids of the time zone database that Java does not know.
pub(super) const REFUSED: &[&str] = &["Factory", "GMT+0", "GMT-0", "ROC"];

/// Ids that only Java knows, and the region for each.
///
/// In Java the `SystemV` ones keep the summer time of 1976 (last Sunday of April to last Sunday of October); here they
/// follow the current rules.
const LEGACY: &[(&str, &str)] = &[
    ("ACT", "Australia/Darwin"),
    ("AET", "Australia/Sydney"),
    ("AGT", "America/Argentina/Buenos_Aires"),
    ("ART", "Africa/Cairo"),
    ("AST", "America/Anchorage"),
    ("BET", "America/Sao_Paulo"),
    ("BST", "Asia/Dhaka"),
    ("CAT", "Africa/Harare"),
    ("CNT", "America/St_Johns"),
    ("CST", "America/Chicago"),
    ("CTT", "Asia/Shanghai"),
    ("EAT", "Africa/Addis_Ababa"),
    ("ECT", "Europe/Paris"),
    ("IET", "America/Indiana/Indianapolis"),
    ("IST", "Asia/Kolkata"),
    ("JST", "Asia/Tokyo"),
    ("MIT", "Pacific/Apia"),
    ("NET", "Asia/Yerevan"),
    ("NST", "Pacific/Auckland"),
    ("PLT", "Asia/Karachi"),
    ("PNT", "America/Phoenix"),
    ("PRT", "America/Puerto_Rico"),
    ("PST", "America/Los_Angeles"),
    ("SST", "Pacific/Guadalcanal"),
    ("VST", "Asia/Ho_Chi_Minh"),
    ("SystemV/AST4ADT", "America/Halifax"),
    ("SystemV/CST6CDT", "America/Chicago"),
    ("SystemV/EST5EDT", "America/New_York"),
    ("SystemV/MST7MDT", "America/Denver"),
    ("SystemV/PST8PDT", "America/Los_Angeles"),
    ("SystemV/YST9YDT", "America/Anchorage"),
];

#[cfg(test)]
impl Zone {
    /// Returns a zone with the rules of a table.
    pub(super) fn of_table(id: &str, table: ZoneTable) -> Self {
        Self { id: id.into(), rules: Rules::Table(Arc::new(table)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessingZone;

    fn instant(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
    }

    #[test]
    fn accepts_the_ids_of_java_and_no_others() {
        for (given, expect) in [
            ("UTC", Some("UTC")),
            ("GMT0", Some("GMT0")),
            ("GMT+0530", Some("GMT+05:30")),
            ("GMT-07:00", Some("GMT-07:00")),
            ("GMT+23:59", Some("GMT+23:59")),
            ("PST", Some("PST")),
            ("SystemV/PST8", Some("SystemV/PST8")),
            ("GMT+24:00", None),
            ("GMT+5:30", None),
            ("GMT+5", None),
            ("GMT+0", None),
            ("GMT+é1", None),
            ("UTC+05:30", None),
            ("Z", None),
            ("", None),
            ("PDT", None),
            ("america/los_angeles", None),
        ] {
            assert_eq!(Zone::parse(given).ok().as_ref().map(Zone::id), expect, "{given}");
        }
    }

    #[test]
    fn local_times_that_occur_twice() {
        for (zone, local, expect) in [
            ("America/Los_Angeles", "2026-11-01T00:59Z", false),
            ("America/Los_Angeles", "2026-11-01T01:00Z", true),
            ("America/Los_Angeles", "2026-11-01T01:59Z", true),
            ("America/Los_Angeles", "2026-11-01T02:00Z", false),
            ("America/Los_Angeles", "2026-03-08T02:30Z", false),
            ("America/Los_Angeles", "2026-07-01T01:30Z", false),
            ("Australia/Lord_Howe", "2026-04-05T01:29Z", false),
            ("Australia/Lord_Howe", "2026-04-05T01:30Z", true),
            ("Australia/Lord_Howe", "2026-04-05T02:00Z", false),
            ("GMT+05:30", "2026-11-01T01:30Z", false),
        ] {
            assert_eq!(Zone::parse(zone).unwrap().has_twice(instant(local).seconds()), expect, "{zone} {local}");
        }
    }

    #[test]
    fn every_listed_id_is_accepted_once() {
        let ids = Zone::ids();
        assert!(ids.iter().all(|id| Zone::parse(id).is_ok()));
        assert!(ids.is_sorted_by(|one, next| one < next) && ids.len() > 600, "{}", ids.len());
        assert!(["PST", "EST", "UTC", "SystemV/PST8"].iter().all(|id| ids.contains(id)) && !ids.contains(&"ROC"));
    }

    #[test]
    fn every_legacy_id_names_a_region() {
        for (id, region) in LEGACY {
            assert!(built_in::find(region).is_some(), "{id}");
        }
    }

    #[test]
    fn three_letter_ids_have_the_offsets_of_java() {
        for (id, winter, summer) in [("PST", -8, -7), ("EST", -5, -5), ("BST", 6, 6), ("AST", -9, -8)] {
            let zone = Zone::parse(id).expect("an id of the table");
            assert_eq!(zone.offset_seconds(instant("2015-01-15T12:00Z")), winter * 3600, "{id}");
            assert_eq!(zone.offset_seconds(instant("2015-07-15T12:00Z")), summer * 3600, "{id}");
        }
    }

    #[test]
    fn gap_keeps_the_offset_before_it_and_fold_takes_the_second() {
        for (zone, local, expect) in [
            ("America/Los_Angeles", "2009-03-08T02:30Z", "2009-03-08T10:30Z"),
            ("America/Los_Angeles", "2009-11-01T01:30Z", "2009-11-01T09:30Z"),
            ("Europe/Berlin", "2015-03-29T02:00Z", "2015-03-29T01:00Z"),
            ("America/Sao_Paulo", "2017-10-15T00:00Z", "2017-10-15T03:00Z"),
            ("America/Sao_Paulo", "2018-02-17T23:30Z", "2018-02-18T02:30Z"),
            ("Australia/Lord_Howe", "2015-10-04T02:15Z", "2015-10-03T15:45Z"),
            ("Australia/Lord_Howe", "2015-04-05T01:45Z", "2015-04-04T15:15Z"),
            ("Pacific/Chatham", "2015-09-27T03:00Z", "2015-09-26T14:15Z"),
            ("Pacific/Apia", "2011-12-30T12:00Z", "2011-12-30T22:00Z"),
            ("Asia/Kathmandu", "2015-01-01T00:00Z", "2014-12-31T18:15Z"),
        ] {
            let found = Zone::parse(zone).expect("an id of the table").instant(instant(local).seconds());
            assert_eq!(found, instant(expect), "{zone} {local}");
        }
    }
}
