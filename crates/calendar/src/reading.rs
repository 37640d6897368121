//! The instants that a local time means in a zone (coordinator specification 4.3, 7.3): one, two in a fold, none in a
//! gap. Must not depend on frequencies.

use super::clock_change::ClockChange;
use super::local_time::LocalTime;
use super::setting::FARTHEST;
use super::zone::Zone;
use howdah_words::model::time::Timestamp;

/// The instants that a local time means in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// The clocks show it once.
    Once(Timestamp),
    /// The clocks skip it when they are put forward; `taken` is the instant that counts.
    Gap { change: ClockChange, taken: Timestamp },
    /// The clocks show it twice when they are put back; the second instant counts.
    Fold { change: ClockChange, first: Timestamp, second: Timestamp },
}

impl LocalTime {
    /// Returns the instants that this local time means in a zone.
    pub fn read(self, zone: &Zone) -> Reading {
        let local = self.seconds();
        // No zone has two changes within twice this time.
        let (from, to) = (Timestamp::from_seconds(local - FARTHEST), Timestamp::from_seconds(local + FARTHEST));
        let taken = zone.instant(local);
        let Some(change) = zone.change_between(from, to) else { return Reading::Once(taken) };
        let by = |offset: i32| Timestamp::from_seconds(local - i64::from(offset));
        let [first, second] = [by(change.before_seconds), by(change.after_seconds)];
        match (Self::of(zone, first) == self, Self::of(zone, second) == self) {
            (true, true) => Reading::Fold { change, first, second },
            (false, false) => Reading::Gap { change, taken },
            _ => Reading::Once(taken),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ProcessingZone;

    const LA: &str = "America/Los_Angeles";

    fn check(zone: &str, local: &str, expect: &str) {
        let zone = Zone::parse(zone).expect("an id of the table");
        let utc = |at: Timestamp| ProcessingZone::UTC.format(at);
        let shown = match LocalTime::parse(local).expect("a local time of the table").read(&zone) {
            Reading::Once(at) => utc(at),
            Reading::Gap { taken, .. } => format!("gap {}", utc(taken)),
            Reading::Fold { first, second, .. } => format!("fold {} {}", utc(first), utc(second)),
        };
        assert_eq!(shown, expect, "{} {local}", zone.id());
    }

    #[test]
    fn a_local_time_is_read_once_never_or_twice() {
        check(LA, "2009-03-08T01:59", "2009-03-08T09:59Z");
        check(LA, "2009-03-08T02:00", "gap 2009-03-08T10:00Z");
        check(LA, "2009-03-08T03:00", "2009-03-08T10:00Z");
        check(LA, "2009-11-01T00:59", "2009-11-01T07:59Z");
        check(LA, "2009-11-01T01:00", "fold 2009-11-01T08:00Z 2009-11-01T09:00Z");
        check(LA, "2009-11-01T02:00", "2009-11-01T10:00Z");
        check("Australia/Lord_Howe", "2015-10-04T02:15", "gap 2015-10-03T15:45Z");
        check("Australia/Lord_Howe", "2015-04-05T01:45", "fold 2015-04-04T14:45Z 2015-04-04T15:15Z");
        check("Pacific/Apia", "2011-12-30T12:00", "gap 2011-12-30T22:00Z");
        check("GMT+05:30", "2011-12-30T12:00", "2011-12-30T06:30Z");
    }
}
