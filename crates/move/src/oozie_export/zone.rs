//! The zone of an export's dates, found from texts that have one.
//!
//! A date of the export and the same instant elsewhere in the row give the offset of the zone at that instant. A zone
//! is found when its clocks showed every one of these offsets.

use std::collections::BTreeMap;

use crate::oozie_export::date::LocalSeconds;
use howdah_calendar::Zone;
use howdah_words::model::time::{DAY, Timestamp};

/// The most days whose offsets are kept: more than 200 years.
const MOST_DAYS: usize = 100_000;

/// Zones that are tried before all others, because many machines are set to them. Several zones can have had the same
/// offsets; then one of these is meant more probably.
const USUAL: [&str; 20] = [
    "UTC",
    "America/Los_Angeles",
    "America/New_York",
    "America/Chicago",
    "America/Denver",
    "America/Phoenix",
    "America/Sao_Paulo",
    "Europe/London",
    "Europe/Berlin",
    "Europe/Paris",
    "Europe/Helsinki",
    "Europe/Istanbul",
    "Europe/Moscow",
    "Asia/Kolkata",
    "Asia/Shanghai",
    "Asia/Singapore",
    "Asia/Tokyo",
    "Asia/Seoul",
    "Australia/Sydney",
    "Africa/Johannesburg",
];

/// The offsets that were seen: for each day and offset the first and the last instant.
#[derive(Clone, Debug, Default)]
pub struct ZoneClues(BTreeMap<(i64, i64), (Timestamp, Timestamp)>);

/// The result of the search for a zone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ZoneFound {
    /// This zone fits, and so many others.
    Zone { zone: Zone, others: usize },
    /// No zone fits all rows.
    None,
    /// No row shows an offset.
    NoClue,
}

impl ZoneClues {
    /// Adds a date of the export and the instant that it means.
    pub fn add(&mut self, local: LocalSeconds, at: Timestamp) {
        let key = (at.seconds().div_euclid(DAY), local.0 - at.seconds());
        let is_full = self.0.len() >= MOST_DAYS;
        if let Some((first, last)) = self.0.get_mut(&key) {
            (*first, *last) = ((*first).min(at), (*last).max(at));
        } else if !is_full {
            self.0.insert(key, (at, at));
        }
    }

    /// Returns whether the clocks of a zone showed every offset.
    fn fit(&self, zone: &Zone) -> bool {
        self.0.iter().all(|((_, offset), (first, last))| {
            [first, last].into_iter().all(|at| i64::from(zone.offset_seconds(*at)) == *offset)
        })
    }

    /// Returns every zone that fits, the usual ones first; none where no row shows an offset.
    pub fn fitting(&self) -> Vec<Zone> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let others = Zone::ids().into_iter().filter(|id| !USUAL.contains(id));
        let zones = USUAL.into_iter().chain(others).filter_map(|id| Zone::parse(id).ok());
        zones.filter(|zone| self.fit(zone)).collect()
    }

    /// Searches for the zone.
    pub fn find(&self) -> ZoneFound {
        let fitting = self.fitting();
        match fitting.split_first() {
            Some((zone, others)) => ZoneFound::Zone { zone: zone.clone(), others: others.len() },
            None if self.0.is_empty() => ZoneFound::NoClue,
            None => ZoneFound::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::ProcessingZone;

    /// `seen`: local times and instants.
    fn check(seen: &[(&str, &str)], expect: Option<&str>) {
        let seconds = |text: &str| ProcessingZone::UTC.parse_datetime(&format!("{text}Z")).unwrap();
        let mut clues = ZoneClues::default();
        for (local, at) in seen {
            clues.add(LocalSeconds(seconds(local).seconds()), seconds(at));
        }
        let found = match clues.find() {
            ZoneFound::Zone { zone, .. } => Some(zone.id().to_owned()),
            ZoneFound::None | ZoneFound::NoClue => None,
        };
        assert_eq!(found.as_deref(), expect, "{seen:?}");
    }

    #[test]
    fn the_zone_that_fits_every_row_is_found() {
        check(&[("2026-01-05T10:00", "2026-01-05T10:00"), ("2026-07-05T10:00", "2026-07-05T10:00")], Some("UTC"));
        let winter = ("2026-01-05T02:00", "2026-01-05T10:00");
        let summer = ("2026-07-05T03:00", "2026-07-05T10:00");
        check(&[winter, summer], Some("America/Los_Angeles"));
        // The local time at which the clocks are put back has two instants.
        let fold = [("2026-11-01T01:30", "2026-11-01T08:30"), ("2026-11-01T01:30", "2026-11-01T09:30")];
        check(&[winter, summer, fold[0], fold[1]], Some("America/Los_Angeles"));
        check(&[("2026-01-05T15:45", "2026-01-05T10:00")], Some("Asia/Kathmandu"));
        check(&[winter, ("2026-07-05T02:30", "2026-07-05T10:00")], None);
        check(&[], None);
    }
}
