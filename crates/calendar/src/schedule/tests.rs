use proptest::prelude::*;

use super::super::boundary::EndOf;
use super::*;
use crate::Unit;

fn instant(text: &str) -> Timestamp {
    ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
}

fn schedule(frequency: Frequency, start: &str, end: &str, zone: &str) -> Schedule {
    Schedule {
        frequency,
        start: instant(start),
        end: instant(end),
        zone: Zone::parse(zone).expect("a zone of the table"),
        processing: ProcessingZone::UTC,
        cron_zone: CronZone::Processing,
    }
}

fn every(count: i64, unit: Unit) -> Frequency {
    Frequency::Fixed { count, unit, end_of: EndOf::None }
}

fn end_of(count: i64, unit: Unit, end_of: EndOf) -> Frequency {
    Frequency::Fixed { count, unit, end_of }
}

fn cron(text: &str) -> Frequency {
    Frequency::parse(text, Unit::Minute, EndOf::None).expect("an expression of the table")
}

/// Compares all nominal times, or only the expected ones when the schedule is long.
fn check(schedule: &Schedule, expect: &[&str]) {
    let times: Vec<String> = schedule.times().take(40).map(|at| ProcessingZone::UTC.format(at)).collect();
    let shown = if times.len() == 40 { &times[..expect.len()] } else { &times[..] };
    assert_eq!(shown, expect, "{schedule:?}");
    for (number, pair) in (1..).zip(times.windows(2)) {
        let next = schedule.following(number, instant(&pair[0])).map(|at| ProcessingZone::UTC.format(at));
        assert_eq!(next.as_deref(), Some(pair[1].as_str()), "after action {number}");
    }
}

const LA: &str = "America/Los_Angeles";

#[test]
fn start_is_included_and_end_is_not() {
    let times = ["2013-07-18T00:00Z", "2013-07-18T00:20Z", "2013-07-18T00:40Z"];
    check(&schedule(every(20, Unit::Minute), "2013-07-18T00:00Z", "2013-07-18T01:00Z", LA), &times);
    check(&schedule(every(20, Unit::Minute), "2013-07-18T00:00Z", "2013-07-18T00:00Z", LA), &[]);
    check(
        &schedule(cron("0/30 * * * *"), "2013-07-18T00:00Z", "2013-07-18T01:00Z", LA),
        &["2013-07-18T00:00Z", "2013-07-18T00:30Z"],
    );
}

#[test]
fn days_keep_local_time_and_hours_do_not() {
    let (start, end) = ("2009-03-07T08:00Z", "2009-03-11T00:00Z");
    let by_day = ["2009-03-07T08:00Z", "2009-03-08T08:00Z", "2009-03-09T07:00Z", "2009-03-10T07:00Z"];
    check(&schedule(every(1, Unit::Day), start, end, LA), &by_day);
    let by_minutes = ["2009-03-07T08:00Z", "2009-03-08T08:00Z", "2009-03-09T08:00Z", "2009-03-10T08:00Z"];
    check(&schedule(every(1440, Unit::Minute), start, end, LA), &by_minutes);
    let autumn =
        ["2012-11-01T08:30Z", "2012-11-02T08:30Z", "2012-11-03T08:30Z", "2012-11-04T08:30Z", "2012-11-05T09:30Z"];
    check(&schedule(every(1, Unit::Day), "2012-11-01T08:30Z", "2052-10-22T08:30Z", LA), &autumn);
}

#[test]
fn months_count_from_the_start() {
    let times = ["2009-01-31T00:00Z", "2009-02-28T00:00Z", "2009-03-31T00:00Z", "2009-04-30T00:00Z"];
    check(&schedule(every(1, Unit::Month), "2009-01-31T00:00Z", "2019-01-01T00:00Z", "UTC"), &times);
}

#[test]
fn ends_of_periods() {
    let days = ["2014-03-08T08:00Z", "2014-03-09T08:00Z", "2014-03-10T07:00Z"];
    check(&schedule(end_of(1, Unit::Day, EndOf::Day), "2014-03-07T10:00Z", "2054-02-25T10:00Z", LA), &days);
    let weeks = ["2014-02-23T08:00Z", "2014-03-09T08:00Z", "2014-03-23T07:00Z"];
    check(&schedule(end_of(2, Unit::Week, EndOf::Week), "2014-02-22T20:00Z", "2054-02-12T20:00Z", LA), &weeks);
    let months = ["2009-02-01T00:00Z", "2009-03-01T00:00Z"];
    check(&schedule(end_of(1, Unit::Month, EndOf::Month), "2009-01-31T08:00Z", "2009-04-01T00:00Z", "UTC"), &months);
}

#[test]
fn cron_follows_the_processing_zone() {
    let mut daily = schedule(cron("0 10 * * *"), "2013-03-08T00:00Z", "2013-03-12T00:00Z", LA);
    check(&daily, &["2013-03-08T10:00Z", "2013-03-09T10:00Z", "2013-03-10T10:00Z", "2013-03-11T10:00Z"]);
    daily.processing = ProcessingZone::parse("GMT+0530").expect("valid");
    check(&daily, &["2013-03-08T04:30Z", "2013-03-09T04:30Z", "2013-03-10T04:30Z", "2013-03-11T04:30Z"]);
}

#[test]
fn cron_can_follow_the_job() {
    let mut daily = schedule(cron("10 23 * * *"), "2016-03-11T23:10Z", "2016-03-15T02:00Z", LA);
    daily.cron_zone = CronZone::Job;
    check(&daily, &["2016-03-11T23:10Z", "2016-03-12T23:10Z", "2016-03-13T22:10Z", "2016-03-14T22:10Z"]);
    let mut monthly = schedule(cron("10 13 1 */3 *"), "2016-01-01T13:10Z", "2017-02-03T00:00Z", LA);
    monthly.cron_zone = CronZone::Job;
    let quarters =
        ["2016-01-01T13:10Z", "2016-04-01T12:10Z", "2016-07-01T12:10Z", "2016-10-01T12:10Z", "2017-01-01T13:10Z"];
    check(&monthly, &quarters);
    let mut hourly = schedule(cron("0 * * * *"), "2013-03-10T08:00Z", "2013-03-10T12:00Z", LA);
    hourly.cron_zone = CronZone::Job;
    check(&hourly, &["2013-03-10T08:00Z", "2013-03-10T09:00Z", "2013-03-10T10:00Z", "2013-03-10T11:00Z"]);
}

#[test]
fn a_frequency_beyond_the_years_gives_one_time() {
    let huge = schedule(every(i64::from(i32::MAX), Unit::Month), "2010-01-01T00:00Z", "2010-02-01T00:00Z", "UTC");
    check(&huge, &["2010-01-01T00:00Z"]);
}

#[test]
fn two_thousand_years_of_minutes_are_skipped_day_by_day() {
    let minutes = schedule(cron("* * * * *"), "0001-01-01T00:00Z", "2026-01-01T00:01Z", "UTC");
    let last = u32::try_from((minutes.end - minutes.start) / MINUTE).expect("a number of an action");
    assert_eq!(minutes.count(), last);
    let end = [(last, instant("2026-01-01T00:00Z"))];
    assert_eq!(minutes.actions_from(last, minutes.start).collect::<Vec<_>>(), end);
    assert_eq!(minutes.actions_from(1, instant("2026-01-01T00:00Z")).collect::<Vec<_>>(), end);
    assert_eq!((minutes.nominal(0), minutes.nominal(last), minutes.nominal(last + 1)), (None, Some(end[0].1), None));
}

fn any_frequency() -> impl Strategy<Value = Frequency> {
    let fixed =
        |unit: usize, count, end: usize| Frequency::Fixed { count, unit: Unit::ALL[unit], end_of: EndOf::ALL[end] };
    prop_oneof![
        (0_usize..6, 60_i64..3000, 0_usize..4).prop_map(move |(unit, count, end)| fixed(unit, count, end)),
        (0..60, 0..24).prop_map(|(minute, hour)| cron(&format!("{minute} {hour} * * *"))),
        (1..29).prop_map(|day| cron(&format!("0/20 5 {day} * MON"))),
        (0..24).prop_map(|hour| cron(&format!("7,31 {hour},3,23 31 * 5L"))),
    ]
}

proptest! {
    #[test]
    fn a_far_action_is_the_one_that_counting_finds(
        frequency in any_frequency(),
        (first, from) in (0_u32..120, -100_i64..40_000_000),
        (zone, processing, follows_job) in (0_usize..3, 0_usize..3, any::<bool>()),
    ) {
        let zone = ["UTC", LA, "Australia/Lord_Howe"][zone];
        let mut schedule = schedule(frequency, "1975-01-30T12:00Z", "1976-06-01T00:00Z", zone);
        schedule.processing = ProcessingZone::parse(["UTC", "GMT+0530", "GMT-0800"][processing]).expect("valid");
        schedule.cron_zone = if follows_job { CronZone::Job } else { CronZone::Processing };
        let from = schedule.start + from;
        let all = (1..).zip(schedule.times());
        let counted: Vec<(u32, Timestamp)> = all.filter(|(number, at)| *number >= first && *at >= from).collect();
        prop_assert_eq!(schedule.actions_from(first, from).collect::<Vec<_>>(), counted);
        prop_assert_eq!(schedule.count() as usize, schedule.times().count());
    }

    #[test]
    fn times_rise_within_the_bounds(frequency in any_frequency(), start in 0_i64..30_000_000, zone in 0_usize..5) {
        let zone = ["UTC", LA, "America/Sao_Paulo", "Australia/Lord_Howe", "Pacific/Apia"][zone];
        let mut schedule = schedule(frequency, "1970-01-01T00:00Z", "2038-01-01T00:00Z", zone);
        schedule.start = Timestamp::from_seconds(start * 60);
        let times: Vec<Timestamp> = schedule.times().take(100).collect();
        prop_assert!(times.is_sorted_by(|one, next| one < next), "{:?}", times);
        prop_assert!(times.iter().all(|at| (schedule.start..schedule.end).contains(at)));
    }

    #[test]
    fn following_the_job_loses_no_firing_time(hour in 0..24, start in 0_i64..30_000_000, zone in 0_usize..4) {
        let zone = [LA, "America/Sao_Paulo", "Australia/Lord_Howe", "Europe/London"][zone];
        let mut schedule = schedule(cron(&format!("30 {hour} * * *")), "1970-01-01T00:00Z", "2038-01-01T00:00Z", zone);
        schedule.start = Timestamp::from_seconds(start * 60);
        let plain: Vec<Timestamp> = schedule.times().take(400).collect();
        schedule.cron_zone = CronZone::Job;
        let shifted: Vec<Timestamp> = schedule.times().take(400).collect();
        prop_assert_eq!(plain.len(), shifted.len());
        prop_assert!(plain.iter().zip(&shifted).all(|(one, other)| (*one - *other).abs() <= HOUR));
    }
}

proptest! {
    #[test]
    fn a_schedule_that_was_written_has_the_same_times(
        frequency in any_frequency(),
        (zone, processing, follows_job) in (0_usize..3, 0_usize..3, any::<bool>()),
        (begin, last) in (1_usize..40, 0_usize..120),
    ) {
        let zone = ["UTC", LA, "Australia/Lord_Howe"][zone];
        let mut schedule = schedule(frequency, "1975-01-30T12:00Z", "1976-06-01T00:00Z", zone);
        schedule.processing = ProcessingZone::parse(["UTC", "GMT+0530", "GMT-0800"][processing]).expect("valid");
        schedule.cron_zone = if follows_job { CronZone::Job } else { CronZone::Processing };
        let read = Schedule::from_text(&schedule.to_text(), schedule.end).expect("it was written");
        prop_assert_eq!(&read, &schedule);
        let all: Vec<(u32, Timestamp)> = (1..).zip(schedule.times()).collect();
        let Some(first) = all.get(begin - 1) else { return Ok(()) };
        let last = all.get(begin - 1 + last).unwrap_or(&all[all.len() - 1]);
        prop_assert_eq!(read.last_passing(*first, |number, _| number <= last.0), *last);
        prop_assert_eq!(read.last_passing(*first, |_, nominal| nominal <= last.1), *last);
        prop_assert_eq!(read.last_passing(*first, |number, _| number < first.0), *first);
        prop_assert_eq!(read.next_after(*last), all.get(last.0 as usize).copied());
    }
}
