//! The zone in which tables show times: the processing time zone, or that of `--timezone` and `--localtime`.

use howdah_calendar::{LocalTime, Zone};
use howdah_engine::format;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{MINUTE, Timestamp};

/// A zone for tables; by default times are written as everywhere else.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableZone(Option<Zone>);

impl TableZone {
    /// Returns the zone of an id.
    ///
    /// # Errors
    /// H0002 for an unknown id; its help names a similar one.
    pub(crate) fn parse(id: &str) -> Result<Self> {
        match Zone::parse(id) {
            Ok(zone) => Ok(Self(Some(zone))),
            Err(error) => Err(Error::new(ErrorCode::H0002, &error).help(error.help())),
        }
    }

    /// Returns the zone, if one was asked for.
    pub(crate) const fn zone(&self) -> Option<&Zone> {
        self.0.as_ref()
    }

    /// Writes a time as the clocks of the zone show it: `2026-03-01 06:00 CET`; without a zone as `2026-03-01T05:00Z`.
    pub(crate) fn time(&self, at: Timestamp) -> String {
        let Some(zone) = &self.0 else { return format::time(at) };
        let local = LocalTime::of(zone, at.floor_minute()).to_string().replace('T', " ");
        format!("{local} {}", zone.abbreviation(at))
    }

    /// Writes a time to the second: `2026-03-01 06:00:07 CET`; without a zone as `2026-03-01T05:00:07Z`.
    pub(crate) fn second(&self, at: Timestamp) -> String {
        let Some(zone) = &self.0 else { return format::time_with_seconds(at) };
        let local = LocalTime::of(zone, at.floor_minute()).to_string().replace('T', " ");
        format!("{local}:{:02} {}", at.seconds().rem_euclid(MINUTE), zone.abbreviation(at))
    }

    /// Writes a time for a cell of a table; an absent time leaves the cell empty.
    pub(crate) fn cell(&self, at: Option<Timestamp>) -> String {
        at.map(|at| self.time(at)).unwrap_or_default()
    }

    /// The same to the second.
    pub(crate) fn second_cell(&self, at: Option<Timestamp>) -> String {
        at.map(|at| self.second(at)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(zone: &TableZone, time: &str, expect: &str) {
        let at = format::read_time(time).unwrap();
        assert_eq!((zone.time(at), zone.time(at + 59)), (expect.to_owned(), expect.to_owned()), "{zone:?}");
        let second = zone.second(at + 7);
        assert_eq!(second.replacen(":07", "", 1), expect, "{second}");
    }

    #[test]
    fn times_as_the_clocks_of_a_zone_show_them() {
        let zone = |id: &str| TableZone::parse(id).unwrap();
        check(&zone("Europe/Vienna"), "2026-03-29T00:59Z", "2026-03-29 01:59 CET");
        check(&zone("Europe/Vienna"), "2026-03-29T01:00Z", "2026-03-29 03:00 CEST");
        check(&zone("GMT+05:30"), "2026-03-01T05:00Z", "2026-03-01 10:30 +05:30");
        check(&zone("UTC"), "2026-03-01T05:00Z", "2026-03-01 05:00 UTC");
        check(&TableZone::default(), "2026-03-01T05:00Z", "2026-03-01T05:00Z");
        assert_eq!(TableZone::default().cell(None), "");
        let error = TableZone::parse("Europe/Viena").unwrap_err();
        assert_eq!(error.help_text(), Some("did you mean Europe/Vienna?"));
    }
}
