//! Checks calendar arithmetic in every zone of the tz database, above all near its transitions.
//!
//! The rules are written here a second time, without any conversion of local times: the only query to a zone is what
//! its clocks show.

use chrono::{DateTime, Months};
use proptest::prelude::*;

use howdah_calendar::{
    DAY_SECONDS, EndOf, Frequency, ProcessingZone, Unit, Zone, add, hours_in_day, move_to_end, start_of_local_day,
    start_of_local_month, start_of_local_week,
};
use howdah_testing::zones::{EVERY_ZONE, every_frequency, schedule};
use howdah_words::model::time::{DAY, HOUR, MINUTE, Timestamp};

/// 1850 to 2037: from local mean time, with its odd seconds, to the last known rules.
const YEARS: std::ops::Range<i64> = -3_786_825_600..2_145_916_800;

/// Returns the first instant of each new offset of a zone.
fn transitions(zone: &Zone) -> Vec<Timestamp> {
    let mut found = Vec::new();
    for week in YEARS.step_by(7 * 86_400) {
        let (before, after) = (Timestamp::from_seconds(week), Timestamp::from_seconds(week) + 7 * DAY);
        if zone.offset_seconds(before) != zone.offset_seconds(after) {
            found.push(transition_between(zone, before, after));
        }
    }
    found
}

/// Returns the instants at which the clocks show `local`, in order: one, two in a fold, none in a gap.
fn instants_showing(zone: &Zone, local: i64) -> Vec<Timestamp> {
    let offsets =
        (-5..=5).map(|steps| i64::from(zone.offset_seconds(Timestamp::from_seconds(local) + steps * 6 * HOUR)));
    let mut instants: Vec<Timestamp> = offsets.map(|offset| Timestamp::from_seconds(local - offset)).collect();
    instants.retain(|at| zone.local_seconds(*at) == local);
    instants.sort_unstable();
    instants.dedup();
    instants
}

/// Returns the first instant with another offset than at `before`, which is after it and not after `after`.
fn transition_between(zone: &Zone, mut before: Timestamp, mut after: Timestamp) -> Timestamp {
    let first = zone.offset_seconds(before);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if zone.offset_seconds(middle) == first { before = middle } else { after = middle }
    }
    after
}

/// Returns the length of the gap that contains `local`, which the clocks never show.
fn gap_at(zone: &Zone, local: i64) -> i64 {
    let near = Timestamp::from_seconds(local);
    let at = transition_between(zone, near - 30 * HOUR, near + 30 * HOUR);
    assert!(zone.local_seconds(at - 1) < local && local < zone.local_seconds(at), "{} {local}: no gap", zone.id());
    zone.local_seconds(at) - zone.local_seconds(at - 1) - 1
}

/// Checks `DAY` and `WEEK`: the clocks show the same time of day, of the same kind where they show it twice; where they
/// never show it, they show a time earlier or later by the length of the gap, on the wanted day if that day exists.
fn check_days(zone: &Zone, at: Timestamp, days: i64) {
    let sum = add(zone, at, Unit::Day, days).expect("in range");
    let wanted = zone.local_seconds(at) + days * DAY_SECONDS;
    let context = format!("{} {at:?} + {days} days = {sum:?}", zone.id());
    let showing = instants_showing(zone, wanted);
    let same_kind = showing.iter().find(|instant| zone.offset_seconds(**instant) == zone.offset_seconds(at));
    // If the clocks changed before, and change again on the day itself, the rule sees only one of the changes, as in
    // Java.
    let around = [wanted - DAY, wanted + DAY].map(|local| zone.offset_seconds(zone.instant(local)));
    if !around.contains(&zone.offset_seconds(at)) {
        let off = zone.local_seconds(sum) - wanted;
        return assert!(off.abs() <= i64::from(around[0] - around[1]).abs(), "{context}");
    }
    match (same_kind, showing.is_empty()) {
        (Some(same_kind), _) => assert_eq!(sum, *same_kind, "{context}"),
        (None, false) => assert!(showing.contains(&sum), "{context}"),
        (None, true) => {
            let gap = gap_at(zone, wanted);
            let moved = zone.local_seconds(sum) - wanted;
            assert_eq!(moved.abs(), gap, "{context}");
            let day = |local: i64| local.div_euclid(DAY_SECONDS);
            let exists = gap < DAY || day(wanted + moved) == day(wanted);
            assert!(!exists || day(wanted + moved) == day(wanted), "{context}");
        }
    }
    assert_eq!(add(zone, at, Unit::Week, days).map(Some), Some(add(zone, at, Unit::Day, 7 * days)), "{context}");
}

/// Checks `MONTH` and `YEAR`: the clocks show the same time of day, the later one where they show it twice; where they
/// never show it, they show a time later by the length of the gap. The day of the month is clipped.
fn check_months(zone: &Zone, at: Timestamp, months: u32) {
    let sum = add(zone, at, Unit::Month, months.into()).expect("in range");
    let local = DateTime::from_timestamp(zone.local_seconds(at), 0).expect("in range");
    let wanted = local.checked_add_months(Months::new(months)).expect("in range").timestamp();
    let context = format!("{} {at:?} + {months} months = {sum:?}", zone.id());
    match instants_showing(zone, wanted).last() {
        // Zero months change nothing, not even in a fold.
        _ if months == 0 => assert_eq!(sum, at, "{context}"),
        Some(last) => assert_eq!(sum, *last, "{context}"),
        None => assert_eq!(zone.local_seconds(sum) - wanted, gap_at(zone, wanted), "{context}"),
    }
    assert_eq!(
        add(zone, at, Unit::Month, 12 * i64::from(months)),
        add(zone, at, Unit::Year, months.into()),
        "{context}"
    );
}

/// Checks that a day ends when the next starts, and lasts 24 hours, plus or minus any change of the clocks.
fn check_ends(zone: &Zone, at: Timestamp) {
    let context = format!("{} {at:?}", zone.id());
    let starts = [start_of_local_day(zone, at), start_of_local_week(zone, at), start_of_local_month(zone, at)];
    let ends = [EndOf::Day, EndOf::Week, EndOf::Month].map(|end| move_to_end(zone, at, end).expect("in range"));
    for (start, end) in starts.into_iter().zip(ends) {
        // A midnight that occurs twice is the second one, so the start may be later by up to that much.
        assert!(start <= at + 2 * HOUR && at < end, "{context}: {start:?} to {end:?}");
        assert_eq!(end.seconds() - zone.instant(zone.local_seconds(end)).seconds(), 0, "{context}");
    }
    let change = i64::from(zone.offset_seconds(ends[0]) - zone.offset_seconds(starts[0]));
    let length = (zone.local_seconds(ends[0]) - zone.local_seconds(starts[0])) - change;
    assert_eq!(ends[0] - starts[0], length, "{context}");
    if length == DAY && zone.offset_seconds(starts[0]) == zone.offset_seconds(ends[0] + HOUR) {
        assert_eq!(hours_in_day(zone, starts[0]), 24, "{context}");
    }
}

#[test]
fn days_and_months_at_every_transition() {
    for zone in EVERY_ZONE.iter() {
        for at in transitions(zone) {
            let gap = i64::from(zone.offset_seconds(at) - zone.offset_seconds(at - 1));
            // The middle of the gap, or of the second half of the fold, by the clocks; and the same a while before.
            for middle in [at - gap / 2, at + gap.abs() / 2, at + gap.abs() + 90 * MINUTE] {
                for days in [1, 30] {
                    check_days(zone, middle - days * DAY, days);
                    check_days(zone, middle + days * DAY, -days);
                }
                check_ends(zone, middle);
            }
        }
    }
}

#[test]
fn a_day_of_an_hour_less_or_more_has_23_or_25_hours() {
    let mut count = 0;
    for zone in EVERY_ZONE.iter() {
        for at in transitions(zone) {
            let change = i64::from(zone.offset_seconds(at) - zone.offset_seconds(at - 1));
            let since_midnight = zone.local_seconds(at - 1).rem_euclid(DAY_SECONDS);
            let day = [at - 12 * HOUR, at + 24 * HOUR].map(|other| zone.offset_seconds(other));
            let alone = day == [zone.offset_seconds(at - 1), zone.offset_seconds(at)];
            if change.abs() == HOUR && alone && (HOUR..22 * HOUR).contains(&since_midnight) {
                assert_eq!(hours_in_day(zone, at), 24 - change / HOUR, "{} {at:?}", zone.id());
                count += 1;
            }
        }
    }
    assert!(count > 10_000, "{count} days");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn days_and_months_anywhere(zone in 0_usize..590, at in YEARS, days in -800_i64..800, months in 0_u32..60) {
        let zone = &EVERY_ZONE[zone];
        let at = Timestamp::from_seconds(at);
        check_days(zone, at, days);
        check_months(zone, at, months);
        check_ends(zone, at);
    }

    #[test]
    fn months_into_transitions(
        zone in 0_usize..590, number in any::<prop::sample::Index>(), beside in -7_200_i64..7_200,
    ) {
        let zone = &EVERY_ZONE[zone];
        let transitions = transitions(zone);
        prop_assume!(!transitions.is_empty());
        let at = *number.get(&transitions) + beside;
        for months in [1, 6, 12, 24] {
            if let Some(before) = add(zone, at, Unit::Month, -i64::from(months)) {
                check_months(zone, before, months);
            }
        }
    }
}

/// Returns whether the clocks of a zone skip the whole day before the one that they show at `at`: two nominal times of
/// `coord:days(1)` are then the same instant, as in Oozie.
fn is_after_a_missing_day(zone: &Zone, at: Timestamp) -> bool {
    let yesterday = zone.local_seconds(at) - DAY_SECONDS;
    let midnight = yesterday - yesterday.rem_euclid(DAY_SECONDS);
    (0..24).all(|hour| instants_showing(zone, midnight + hour * HOUR + 30 * MINUTE).is_empty())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3))]

    #[test]
    fn nominal_times_rise_within_the_bounds(start in YEARS, count in 1_i64..50, days in 1_i64..40_000) {
        for (number, zone) in (0..).zip(EVERY_ZONE.iter()) {
            // Each zone starts at a different point of its history.
            let spread = YEARS.start + (start - YEARS.start + 97_394_400 * number) % (YEARS.end - YEARS.start);
            let start = Timestamp::from_seconds(spread).floor_minute();
            for frequency in every_frequency(count) {
                let schedule = schedule(zone, frequency, (start, start + days * DAY));
                let times: Vec<Timestamp> = schedule.times().take(30).collect();
                prop_assert!(times.iter().all(|at| (schedule.start..schedule.end).contains(at)), "{:?}", schedule);
                for pair in times.windows(2) {
                    let rise = pair[0] < pair[1] || (pair[0] == pair[1] && is_after_a_missing_day(zone, pair[1]));
                    prop_assert!(rise, "{:?} {:?}", schedule, pair);
                }
            }
        }
    }
}

#[test]
fn the_days_that_zones_skipped() {
    for (zone, missing, expect) in [
        ("Pacific/Apia", "2011-12-30T12:00Z", true),
        ("Pacific/Kwajalein", "1993-08-21T12:00Z", true),
        ("Pacific/Kiritimati", "1994-12-31T12:00Z", true),
        ("America/Los_Angeles", "2009-03-08T12:00Z", false),
    ] {
        let zone = Zone::parse(zone).expect("a zone of the table");
        let local = ProcessingZone::UTC.parse_datetime(missing).expect("a datetime of the table").seconds();
        let noon_before = zone.instant(local - DAY_SECONDS);
        let daily = Frequency::Fixed { count: 1, unit: Unit::Day, end_of: EndOf::None };
        let times: Vec<Timestamp> =
            schedule(&zone, daily, (noon_before, noon_before + 4 * DAY)).times().take(3).collect();
        assert_eq!(times[1] == times[2], expect, "{} {times:?}", zone.id());
        assert_eq!(is_after_a_missing_day(&zone, times[2]), expect, "{}", zone.id());
    }
}
