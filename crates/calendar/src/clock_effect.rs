//! The effect of clock changes in the job's zone on an action (coordinator specification 4.3.2, 4.4.1).
//!
//! Decides whether the local time of an action differs from the intended one, or occurs twice. Must not depend on how
//! this is worded, or on the present time.

use super::add::Unit;
use super::frequency::Frequency;
use super::local_time::LocalTime;
use super::schedule::Schedule;
use howdah_words::model::time::Timestamp;

/// The effect of a clock change on a nominal time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockEffect {
    /// The intended local time does not exist on that day; the action has another.
    Moved {
        /// The local time whose time of day the action should have.
        wanted: LocalTime,
    },
    /// Its local time occurs twice, and this is the first.
    First,
    /// Its local time occurs twice, and this is the second.
    Second,
}

impl Frequency {
    /// Returns whether every action should have the local time of the first one; minutes, hours and cron do not depend
    /// on the clocks.
    pub(crate) const fn keeps_local_time(&self) -> bool {
        matches!(self, Self::Fixed { unit: Unit::Day | Unit::Week | Unit::Month | Unit::Year, .. })
    }
}

impl Schedule {
    /// Returns the local time of the first action, if the others keep it; `None` also where the first one cannot be
    /// computed.
    pub fn kept_local_time(&self) -> Option<LocalTime> {
        let first = self.frequency.keeps_local_time().then(|| self.following(0, self.start))?;
        first.map(|first| LocalTime::of(&self.zone, first))
    }

    /// Returns the effect of a clock change on an action at a nominal time of this schedule; `kept` is its
    /// [`Schedule::kept_local_time`]. `None` when no change affects it.
    pub fn effect_of_clocks(&self, nominal: Timestamp, kept: Option<LocalTime>) -> Option<ClockEffect> {
        let local = LocalTime::of(&self.zone, nominal);
        if let Some(wanted) = kept.filter(|wanted| !local.same_time_of_day(*wanted)) {
            return Some(ClockEffect::Moved { wanted });
        }
        let change = self.zone.change_on_day(nominal).filter(|change| !change.is_gap() && change.concerns(local))?;
        Some(if nominal < change.at { ClockEffect::First } else { ClockEffect::Second })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CronZone, EndOf, ProcessingZone, Zone};

    /// `expect`: the effect on the second action, with the time of day that it should have.
    fn check(start: &str, frequency: &str, unit: Unit, expect: &str) {
        let schedule = Schedule {
            frequency: Frequency::parse(frequency, unit, EndOf::None).unwrap(),
            start: ProcessingZone::UTC.parse_datetime(start).unwrap(),
            end: ProcessingZone::UTC.parse_datetime("2030-01-01T00:00Z").unwrap(),
            zone: Zone::parse("America/Los_Angeles").unwrap(),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        };
        let second = schedule.times().nth(1).unwrap();
        let shown = match schedule.effect_of_clocks(second, schedule.kept_local_time()) {
            Some(ClockEffect::Moved { wanted }) => format!("moved from {}", wanted.time_of_day()),
            Some(ClockEffect::First) => "first".to_owned(),
            Some(ClockEffect::Second) => "second".to_owned(),
            None => "none".to_owned(),
        };
        assert_eq!(shown, expect, "{frequency} {unit:?} from {start}");
    }

    #[test]
    fn gaps_move_kept_local_times_and_folds_repeat_all() {
        check("2026-03-07T10:30Z", "1", Unit::Day, "moved from 02:30");
        check("2026-03-07T10:30Z", "1440", Unit::Minute, "none");
        check("2026-03-07T10:30Z", "30 10 * * *", Unit::Minute, "none");
        check("2026-10-31T08:30Z", "1", Unit::Day, "first");
        check("2026-10-31T08:30Z", "1440", Unit::Minute, "first");
        check("2026-10-31T09:30Z", "30 9 * * *", Unit::Minute, "second");
        check("2026-10-31T20:30Z", "1", Unit::Day, "none");
    }
}
