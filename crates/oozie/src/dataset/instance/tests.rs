use super::*;
use crate::dataset::testing::{dataset, instant, list};

const LA: &str = "America/Los_Angeles";

/// Returns the datasets of the tables in specification 6.6.1 and 6.6.2; `T24:00` is the next day's `T00:00`.
fn logs() -> Dataset {
    dataset("2009-01-02T00:00Z", Unit::Day.times(1), EndOf::None, "UTC")
}

fn weekly_site_stats() -> Dataset {
    dataset("2009-01-08T00:00Z", Unit::Day.times(7), EndOf::None, "UTC")
}

fn check_current(dataset: &Dataset, nominal: &str, (first, last): (i64, i64), expect: &str, before_initial: usize) {
    let range = current(dataset, instant(nominal), first, last);
    assert_eq!((list(&range.times).as_str(), range.before_initial), (expect, before_initial), "{first} to {last}");
}

#[test]
fn current_counts_from_the_last_instance() {
    for (number, daily, weekly) in [
        (0, "2009-05-30T00:00Z", "2009-05-28T00:00Z"),
        (1, "2009-05-31T00:00Z", "2009-06-04T00:00Z"),
        (-1, "2009-05-29T00:00Z", "2009-05-21T00:00Z"),
        (-3, "2009-05-27T00:00Z", "2009-05-07T00:00Z"),
    ] {
        check_current(&logs(), "2009-05-30T00:00Z", (number, number), daily, 0);
        check_current(&weekly_site_stats(), "2009-05-30T00:00Z", (number, number), weekly, 0);
    }
}

#[test]
fn current_follows_the_clocks_of_the_dataset() {
    let daily = dataset("2009-03-06T10:00Z", Unit::Day.times(1), EndOf::None, LA);
    let alone =
        ["2009-03-06T10:00Z", "2009-03-07T10:00Z", "2009-03-08T09:00Z", "2009-03-09T09:00Z", "2009-03-10T09:00Z"];
    for (number, expect) in (-2..).zip(alone) {
        check_current(&daily, "2009-03-08T10:45Z", (number, number), expect, 0);
    }
    // A range advances from 02:00, which the clock change moved to 01:00.
    let moved = dataset("2007-03-09T08:30Z", Unit::Day.times(1), EndOf::None, "America/Chicago");
    let stepped = "2007-03-10T08:30Z 2007-03-11T07:30Z 2007-03-12T06:30Z";
    check_current(&moved, "2007-03-10T20:00Z", (0, 2), stepped, 0);
    check_current(&moved, "2007-03-10T20:00Z", (2, 2), "2007-03-12T07:30Z", 0);
}

#[test]
fn instances_before_the_initial_one_are_ignored() {
    check_current(&logs(), "2009-01-03T12:00Z", (-3, 0), "2009-01-02T00:00Z 2009-01-03T00:00Z", 2);
    check_current(&logs(), "2009-01-01T12:00Z", (-1, 1), "", 3);
    let end_of_days = dataset("2009-01-01T08:00Z", Unit::Day.times(1), EndOf::Day, LA);
    check_current(&end_of_days, "2009-01-01T08:00Z", (0, 0), "", 1);
    let end_of_months = dataset("2009-02-02T08:00Z", Unit::Month.times(1), EndOf::Month, LA);
    check_current(&end_of_months, "2009-03-02T08:00Z", (0, 1), "2009-03-01T08:00Z 2009-04-01T07:00Z", 0);
}

#[test]
fn instances_that_are_left_out_have_times() {
    let (initial, before) = ("2009-01-03T12:00Z", "2009-01-01T12:00Z");
    let left_out = |range: Range| list(&range.left_out);
    for (nominal, first, last, expect) in [
        (initial, -3, 0, "2008-12-31T00:00Z 2009-01-01T00:00Z"),
        (initial, 0, 1, ""),
        (before, -1, 1, "2008-12-31T00:00Z 2009-01-01T00:00Z 2009-01-02T00:00Z"),
    ] {
        assert_eq!(left_out(current(&logs(), instant(nominal), first, last)), expect, "current {first} to {last}");
    }
    for (nominal, count, expect) in
        [(initial, -36, "2009-01-01T00:00Z"), (initial, -1, ""), (before, 24, "2009-01-02T00:00Z")]
    {
        assert_eq!(left_out(offset(&logs(), instant(nominal), count, Unit::Hour)), expect, "offset {count}");
    }
    for (nominal, from, to, expect) in [
        (initial, -72, 0, "2008-12-31T00:00Z 2009-01-01T00:00Z"),
        (initial, -25, 0, ""),
        (initial, -72, -48, "2008-12-31T00:00Z 2009-01-01T00:00Z"),
        (before, -24, 24, "2008-12-31T00:00Z 2009-01-01T00:00Z 2009-01-02T00:00Z"),
    ] {
        let range = offset_range(&logs(), instant(nominal), Unit::Hour.times(from), Unit::Hour.times(to)).unwrap();
        assert_eq!(left_out(range), expect, "offsets {from} to {to}");
    }
}

#[test]
fn a_huge_range_is_cut() {
    assert_eq!(current(&logs(), instant("2009-05-30T00:00Z"), i64::MIN, i64::MAX).times, []);
    let range = current(&logs(), instant("2009-05-30T00:00Z"), 0, i64::from(i32::MAX));
    assert!(range.times.len() <= usize::try_from(LONGEST_RANGE).unwrap());
}

#[test]
fn offset_rewinds() {
    let hours = dataset("2010-01-02T00:01Z", Unit::Hour.times(4), EndOf::None, "UTC");
    let at =
        |dataset: &Dataset, nominal: &str, count, unit| list(&offset(dataset, instant(nominal), count, unit).times);
    for (count, unit, expect) in [
        (5, Unit::Minute, "2015-01-02T00:01Z"),
        (7, Unit::Hour, "2015-01-02T04:01Z"),
        (-2, Unit::Hour, "2015-01-01T20:01Z"),
        (-10, Unit::Year, ""),
    ] {
        assert_eq!(at(&hours, "2015-01-02T00:45Z", count, unit), expect, "{count} {unit}");
    }
    for (count, unit, daily, weekly) in [
        (0, Unit::Year, "2009-05-30T00:00Z", "2009-05-28T00:00Z"),
        (24, Unit::Hour, "2009-05-31T00:00Z", "2009-05-28T00:00Z"),
        (-1440, Unit::Minute, "2009-05-29T00:00Z", "2009-05-21T00:00Z"),
        (-3, Unit::Day, "2009-05-27T00:00Z", "2009-05-21T00:00Z"),
        (192, Unit::Hour, "2009-06-07T00:00Z", "2009-06-04T00:00Z"),
        (10, Unit::Minute, "2009-05-30T00:00Z", "2009-05-28T00:00Z"),
    ] {
        assert_eq!(at(&logs(), "2009-05-30T00:00Z", count, unit), daily, "{count} {unit}");
        assert_eq!(at(&weekly_site_stats(), "2009-05-30T00:00Z", count, unit), weekly, "{count} {unit}");
    }
}

#[test]
fn a_range_of_offsets_contains_what_is_between() {
    let hourly = dataset("2009-01-01T00:00Z", Unit::Hour.times(1), EndOf::None, "UTC");
    let between = |from, to| {
        let range = offset_range(&hourly, instant("2009-05-30T10:20Z"), from, to);
        range.map(|range| list(&range.times)).map_err(|error| error.code())
    };
    let two = "2009-05-30T09:00Z 2009-05-30T10:00Z";
    for (from, to, expect) in [
        (Unit::Minute.times(-90), Unit::Day.times(0), Ok(two)),
        (Unit::Minute.times(-60), Unit::Minute.times(59), Ok(two)),
        (Unit::Minute.times(45), Unit::Minute.times(50), Ok("")),
        (Unit::Day.times(-1), Unit::Hour.times(-24), Ok("2009-05-29T10:00Z")),
        (Unit::Hour.times(-3), Unit::Day.times(-1), Err(ErrorCode::E1010)),
        (Unit::Year.times(1), Unit::Day.times(-1), Err(ErrorCode::E1010)),
        (Unit::Day.times(2), Unit::Hour.times(47), Err(ErrorCode::E1010)),
        (Unit::Day.times(0), Unit::Day.times(-1), Err(ErrorCode::E1010)),
    ] {
        assert_eq!(between(from, to), expect.map(str::to_owned), "{from:?} to {to:?}");
    }
}

#[test]
fn absolute_starts_on_an_instance() {
    let weekly = dataset("2009-08-20T01:00Z", Unit::Day.times(7), EndOf::None, "UTC");
    let from = |from: &str, nominal: &str, last| {
        let range = absolute(&weekly, instant(nominal), instant(from), last);
        range.map(|range| list(&range.times)).map_err(|error| error.code())
    };
    let both = "2009-08-20T01:00Z 2009-08-27T01:00Z";
    for (start, nominal, last, expect) in [
        ("2009-08-20T01:00Z", "2009-08-20T01:00Z", 1, Ok(both)),
        ("2009-08-20T01:00Z", "2009-08-27T03:00Z", 0, Ok(both)),
        ("2009-08-13T01:00Z", "2009-08-27T03:00Z", 0, Err(ErrorCode::E1010)),
        ("2009-08-21T01:00Z", "2009-08-27T03:00Z", 0, Err(ErrorCode::E1010)),
        ("2009-08-27T01:00Z", "2009-08-27T03:00Z", -1, Err(ErrorCode::E1010)),
        ("2009-08-20T01:00Z", "2009-08-19T01:00Z", 0, Err(ErrorCode::E1010)),
    ] {
        assert_eq!(from(start, nominal, last), expect.map(str::to_owned), "{start} {nominal} {last}");
    }
}

#[test]
fn ends_of_periods() {
    let nominal = instant("2009-08-20T01:00Z");
    for (period, number, expect) in [
        (EndOf::Day, -1, "2009-08-20T00:00Z"),
        (EndOf::Day, 0, "2009-08-21T00:00Z"),
        (EndOf::Week, -1, "2009-08-16T00:00Z"),
        (EndOf::Month, -1, "2009-08-01T00:00Z"),
        (EndOf::Month, 1, "2009-10-01T00:00Z"),
    ] {
        assert_eq!(end_of(&logs(), nominal, period, number), Some(instant(expect)), "{period} {number}");
    }
}

#[test]
fn lengths_of_days_and_months() {
    let daily = dataset("2008-12-01T10:00Z", Unit::Day.times(1), EndOf::None, LA);
    for (nominal, days, expect) in [
        ("2009-03-08T10:00Z", 0, 23),
        ("2009-03-07T10:00Z", 1, 23),
        ("2009-11-02T10:00Z", -1, 25),
        ("2008-11-30T10:00Z", 0, -1),
    ] {
        assert_eq!(hours_in_day(&daily, instant(nominal), days), expect, "{nominal} {days}");
    }
    for (nominal, months, expect) in
        [("2009-02-10T10:00Z", 0, 28), ("2009-02-10T10:00Z", 1, 31), ("2008-11-30T10:00Z", 0, -1)]
    {
        assert_eq!(days_in_month(&daily, instant(nominal), months), expect, "{nominal} {months}");
    }
}
