//! Actions whose local time does not exist, or exists twice, on a day of a clock change (specification 4.3.2, 4.4.1).
//!
//! Only frequencies of days, weeks and months follow the local clock; minutes, hours and cron do not.

use crate::coordinator::outline::Outline;
use howdah_calendar::{ClockEffect, CronZone, Frequency, LocalTime, Schedule};
use howdah_words::error::{Error, ErrorCode, Location};
use howdah_words::model::time::{DAY, Timestamp};

/// How far ahead clock changes are searched, in seconds.
const YEAR: i64 = 366 * DAY;
/// How many changes the message lists.
const MOST_LISTED: usize = 3;

/// Returns a note (W0116) naming the actions, in the year that starts at `now`, that a clock change moves or makes
/// ambiguous.
pub fn clock_changes(schedule: &Schedule, place: Option<&Location>, now: Timestamp) -> Option<Error> {
    let kept = schedule.kept_local_time()?;
    let mut reported: Vec<String> = schedule
        .actions_from(1, now)
        .map(|(_, nominal)| nominal)
        .take_while(|nominal| *nominal < now + YEAR)
        .filter_map(|nominal| describe_effect(schedule, nominal, kept))
        .collect();
    if reported.is_empty() {
        return None;
    }
    let more = reported.len().saturating_sub(MOST_LISTED);
    reported.truncate(MOST_LISTED);
    if more > 0 {
        reported.push(format!("and {more} more"));
    }
    let note = Error::with(ErrorCode::W0116, &[&schedule.zone.id(), &reported.join("; ")])
        .help("a start at another time of day, or timezone=\"UTC\", avoids the changes");
    Some(match place {
        Some(place) => note.at(place.clone()),
        None => note,
    })
}

/// Returns a note (W0129) for a cron frequency of a job in a zone whose clocks cron does not follow.
pub(super) fn cron_zone(outline: &Outline) -> Option<Error> {
    let schedule = outline.schedule.as_ref()?;
    let (zone, processing) = (&schedule.zone, schedule.processing);
    if !matches!(schedule.frequency, Frequency::Cron(_)) || schedule.cron_zone == CronZone::Job {
        return None;
    }
    let there = |at: Timestamp| LocalTime::of(zone, at);
    let same = |at: Timestamp| i64::from(zone.offset_seconds(at)) == processing.offset_seconds();
    let first = schedule.times().next()?;
    // One with the other time of the year.
    let differs = |at: &Timestamp| zone.offset_seconds(*at) != zone.offset_seconds(first);
    let other = schedule.times().take_while(|at| *at < first + YEAR).find(differs);
    if same(first) && other.is_none() {
        return None;
    }
    let shown = |at: Timestamp| format!("{} is {} there", processing.format(at), there(at).time_of_day());
    let examples = [Some(first), other].into_iter().flatten().map(shown).collect::<Vec<_>>();
    let note = Error::with(ErrorCode::W0129, &[&processing.java_id(), &zone.id(), &examples.join(", and ")]);
    Some(note.at(outline.frequency_place.clone()?))
}

/// Describes what a clock change does to an action that should have the time of day of `kept`; `None` when no change
/// affects it.
fn describe_effect(schedule: &Schedule, nominal: Timestamp, kept: LocalTime) -> Option<String> {
    let local = LocalTime::of(&schedule.zone, nominal);
    let (date, time, instant) = (local.date(), local.time_of_day(), schedule.processing.format(nominal));
    let twice = |which: &str| format!("{date} {time} comes twice, and the {which} ({instant}) is taken");
    Some(match schedule.effect_of_clocks(nominal, Some(kept))? {
        ClockEffect::Moved { wanted } => {
            let wanted = wanted.time_of_day();
            format!("{date} {wanted} does not exist, and {time} ({instant}) takes its place")
        }
        ClockEffect::First => twice("first"),
        ClockEffect::Second => twice("second"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_calendar::{CronZone, EndOf, Frequency, ProcessingZone, Unit, Zone};

    fn instant(text: &str) -> Timestamp {
        ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
    }

    fn schedule(zone: &str, (start, end): (&str, &str), (count, unit, end_of): (i64, Unit, EndOf)) -> Schedule {
        Schedule {
            frequency: Frequency::Fixed { count, unit, end_of },
            start: instant(start),
            end: instant(end),
            zone: Zone::parse(zone).expect("a zone of the table"),
            processing: ProcessingZone::UTC,
            cron_zone: CronZone::Processing,
        }
    }

    /// `expect`: the reported changes after the zone, of the year that starts with 2026.
    fn check(schedule: &Schedule, expect: Option<&str>) {
        let note = clock_changes(schedule, None, instant("2026-01-01T00:00Z"));
        let reported = note.as_ref().and_then(|note| note.message().split_once(": ")).map(|(_, reported)| reported);
        assert_eq!(reported, expect, "{schedule:?}");
    }

    const LA: &str = "America/Los_Angeles";
    const DAILY: (i64, Unit, EndOf) = (1, Unit::Day, EndOf::None);
    const LONG: (&str, &str) = ("2020-01-01T10:30Z", "2030-01-01T00:00Z");

    #[test]
    fn reports_gaps_and_folds() {
        let gap = "2026-03-08 02:30 does not exist, and 01:30 (2026-03-08T09:30Z) takes its place";
        check(&schedule(LA, LONG, DAILY), Some(gap));
        let fold = "2026-11-01 01:30 comes twice, and the first (2026-11-01T08:30Z) is taken";
        check(&schedule(LA, ("2020-07-01T08:30Z", LONG.1), DAILY), Some(fold));
        let second = "2026-11-01 01:30 comes twice, and the second (2026-11-01T09:30Z) is taken";
        check(&schedule(LA, ("2020-01-01T09:30Z", LONG.1), (1, Unit::Month, EndOf::None)), Some(second));
        let half = "2026-10-04 02:15 does not exist, and 01:45 (2026-10-03T15:15Z) takes its place";
        check(&schedule("Australia/Lord_Howe", ("2020-07-01T15:45Z", LONG.1), DAILY), Some(half));
    }

    #[test]
    fn is_silent_where_no_action_is_affected() {
        for (zone, bounds, frequency) in [
            ("UTC", LONG, DAILY),
            ("Asia/Kolkata", LONG, DAILY),
            (LA, ("2020-01-01T20:00Z", LONG.1), DAILY),
            (LA, LONG, (24 * 60, Unit::Minute, EndOf::None)),
            (LA, LONG, (1, Unit::Day, EndOf::Day)),
            (LA, ("2020-01-01T10:30Z", "2026-03-08T00:00Z"), DAILY),
            (LA, ("2027-01-02T10:30Z", LONG.1), DAILY),
            (LA, LONG, (2, Unit::Month, EndOf::None)),
        ] {
            check(&schedule(zone, bounds, frequency), None);
        }
    }

    #[test]
    fn a_missing_midnight_is_reported() {
        let reported = "2026-09-06 00:00 does not exist, and 01:00 (2026-09-06T04:00Z) takes its place";
        check(&schedule("America/Santiago", LONG, (1, Unit::Day, EndOf::Day)), Some(reported));
    }
}
