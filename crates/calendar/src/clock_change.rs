//! The changes of a zone's clocks, forward or back, and the local times that they skip or repeat.
//!
//! Decides which local days have a gap or a fold (coordinator specification 4.3, 7.3). Must not depend on frequencies
//! or on the present time.

use super::local_time::LocalTime;
use super::zone::Zone;
use howdah_words::model::time::{DAY, Timestamp};

/// How far ahead to search for a change: rules of summer time repeat every year.
const YEARS_AHEAD: i64 = 5;

/// The distance between two checks of the offset; no zone keeps an offset for a shorter time.
const STRIDE: i64 = 7 * DAY;

/// A change of a zone's offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockChange {
    /// The first instant with the new offset.
    pub at: Timestamp,
    /// Seconds east of UTC until then.
    pub(crate) before_seconds: i32,
    /// Seconds east of UTC from then on.
    pub after_seconds: i32,
}

impl ClockChange {
    /// Returns whether local times are skipped; otherwise some are repeated.
    pub const fn is_gap(self) -> bool {
        self.after_seconds > self.before_seconds
    }

    /// Returns the first local time that is skipped or repeated, and the first after those.
    pub fn local_times(self) -> (LocalTime, LocalTime) {
        let local = |offset: i32| LocalTime::from_seconds(self.at.seconds() + i64::from(offset));
        let (before, after) = (local(self.before_seconds), local(self.after_seconds));
        (before.min(after), before.max(after))
    }

    /// Returns whether a local time is skipped or repeated.
    pub fn concerns(self, local: LocalTime) -> bool {
        let (from, to) = self.local_times();
        (from..to).contains(&local)
    }

    /// Returns whether a local day loses or repeats some of its time, or starts late because the day before it is lost.
    fn touches_day(self, day: i64) -> bool {
        let (from, to) = self.local_times();
        let last = LocalTime::from_seconds(to.seconds() - 1).day_number();
        let day_lost = self.is_gap() && to.seconds() - from.seconds() >= DAY;
        (from.day_number()..=last).contains(&day) || (day_lost && day == to.day_number())
    }
}

impl Zone {
    /// Returns the first change after an instant; `None` when there is none within five years.
    pub fn next_change(&self, after: Timestamp) -> Option<ClockChange> {
        let strides = YEARS_AHEAD * 366 * DAY / STRIDE;
        (0..strides).find_map(|stride| self.change_between(after + stride * STRIDE, after + (stride + 1) * STRIDE))
    }

    /// Returns the change that affects the local day of an instant.
    pub fn change_on_day(&self, at: Timestamp) -> Option<ClockChange> {
        let day = LocalTime::of(self, at).day_number();
        // A local day has no second change this close.
        let change = self.change_between(at - 2 * DAY, at + 2 * DAY)?;
        change.touches_day(day).then_some(change)
    }

    /// Returns the change in `from..=to`, given that there is at most one; `None` when the offset stays.
    pub(super) fn change_between(&self, from: Timestamp, to: Timestamp) -> Option<ClockChange> {
        let (before_seconds, after_seconds) = (self.offset_seconds(from), self.offset_seconds(to));
        if before_seconds == after_seconds {
            return None;
        }
        let (mut old, mut new) = (from, to);
        while new - old > 1 {
            let middle = old + (new - old) / 2;
            if self.offset_seconds(middle) == before_seconds { old = middle } else { new = middle }
        }
        Some(ClockChange { at: new, before_seconds, after_seconds: self.offset_seconds(new) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessingZone;

    fn instant(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
    }

    fn shown(change: Option<ClockChange>) -> String {
        change.map_or_else(String::new, |change| {
            let (from, to) = change.local_times();
            let kind = if change.is_gap() { "gap" } else { "fold" };
            format!("{} {kind} {from} {to}", ProcessingZone::UTC.format(change.at))
        })
    }

    /// The change on the local day of an instant.
    fn check(zone: &str, at: &str, expect: &str) {
        let zone = Zone::parse(zone).expect("an id of the table");
        assert_eq!(shown(zone.change_on_day(instant(at))), expect, "{} {at}", zone.id());
    }

    #[test]
    fn gap_days_and_fold_days() {
        let la = "America/Los_Angeles";
        check(la, "2009-03-08T07:59Z", "");
        check(la, "2009-03-08T08:00Z", "2009-03-08T10:00Z gap 2009-03-08T02:00 2009-03-08T03:00");
        check(la, "2009-03-09T06:59Z", "2009-03-08T10:00Z gap 2009-03-08T02:00 2009-03-08T03:00");
        check(la, "2009-03-09T07:00Z", "");
        check(la, "2009-11-01T12:00Z", "2009-11-01T09:00Z fold 2009-11-01T01:00 2009-11-01T02:00");
        check("Europe/Berlin", "2015-03-29T00:00Z", "2015-03-29T01:00Z gap 2015-03-29T02:00 2015-03-29T03:00");
        let half_hour = "2015-10-03T15:30Z gap 2015-10-04T02:00 2015-10-04T02:30";
        check("Australia/Lord_Howe", "2015-10-04T00:00Z", half_hour);
        check("GMT+05:30", "2015-10-04T00:00Z", "");
    }

    #[test]
    fn changes_at_midnight_belong_to_the_day_they_affect() {
        let gap = "2017-10-15T03:00Z gap 2017-10-15T00:00 2017-10-15T01:00";
        check("America/Sao_Paulo", "2017-10-14T12:00Z", "");
        check("America/Sao_Paulo", "2017-10-15T12:00Z", gap);
        let fold = "2018-02-18T02:00Z fold 2018-02-17T23:00 2018-02-18T00:00";
        check("America/Sao_Paulo", "2018-02-17T12:00Z", fold);
        check("America/Sao_Paulo", "2018-02-18T12:00Z", "");
        let lost = "2011-12-30T10:00Z gap 2011-12-30T00:00 2011-12-31T00:00";
        check("Pacific/Apia", "2011-12-30T09:00Z", "");
        check("Pacific/Apia", "2011-12-30T10:00Z", lost);
    }

    #[test]
    fn finds_the_next_change() {
        for (zone, after, expect) in [
            ("America/Los_Angeles", "2026-11-21T00:00Z", "2027-03-14T10:00Z gap 2027-03-14T02:00 2027-03-14T03:00"),
            ("America/Los_Angeles", "2009-03-08T09:59Z", "2009-03-08T10:00Z gap 2009-03-08T02:00 2009-03-08T03:00"),
            ("America/Los_Angeles", "2009-03-08T10:00Z", "2009-11-01T09:00Z fold 2009-11-01T01:00 2009-11-01T02:00"),
            ("Asia/Tokyo", "2026-11-21T00:00Z", ""),
            ("UTC", "2026-11-21T00:00Z", ""),
        ] {
            let found = Zone::parse(zone).expect("an id of the table").next_change(instant(after));
            assert_eq!(shown(found), expect, "{zone} {after}");
        }
    }

    #[test]
    fn every_zone_changes_at_its_transitions() {
        let now = instant("2026-11-21T00:00Z");
        for id in Zone::ids() {
            let zone = Zone::parse(id).expect("a listed id");
            let Some(change) = zone.next_change(now) else { continue };
            assert!(change.at > now && change.before_seconds == zone.offset_seconds(now), "{id}");
            let offsets = [change.at - 1, change.at].map(|at| zone.offset_seconds(at));
            assert_eq!(offsets, [change.before_seconds, change.after_seconds], "{id}");
            // A change at midnight concerns only the day before it, or only the day after it.
            let affected = [change.at - 1, change.at].map(|at| zone.change_on_day(at));
            assert!(affected.contains(&Some(change)), "{id}: {affected:?}");
        }
    }
}
