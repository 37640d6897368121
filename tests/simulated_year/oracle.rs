//! The nominal times of a schedule, computed again from the text of the specification (4.4, 6.1.3) and the tz database
//! alone: local dates are counted and converted to instants, without howdah's calendar.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, TimeZone, Utc, Weekday};
use chrono_tz::Tz;

/// More nominal times than any year of the plan has.
const MOST_TIMES: u64 = 100_000;

/// How the nominal times follow each other.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Every n minutes, whatever the clocks do.
    Minutes(i64),
    /// The same local time every n days.
    Days(u64),
    /// The same local time every n months, on the last day of a month that is too short.
    Months(u32),
    /// Local midnights from the one after the start on.
    EndOfDays(u64),
    /// Midnights before Sundays, every n weeks.
    EndOfWeeks(u64),
    /// Midnights before the first of a month, every n months.
    EndOfMonths(u32),
    /// At an hour and minute of UTC, on the days that the function chooses.
    Daily { hour: u32, minute: u32, on: fn(NaiveDate) -> bool },
}

/// An instant in seconds of UTC from its text `YYYY-MM-DDTHH:MMZ`.
pub(crate) fn instant(text: &str) -> i64 {
    let parsed = NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%MZ").expect("a time of the plan");
    parsed.and_utc().timestamp()
}

/// The text of an instant.
pub(crate) fn text(at: i64) -> String {
    utc(at).format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

fn utc(at: i64) -> DateTime<Utc> {
    Utc.timestamp_opt(at, 0).single().expect("an instant of this century")
}

/// Every nominal time from the start (included) to the end (not included).
pub(crate) fn nominal_times(rule: Rule, zone: &str, start: i64, end: i64) -> Vec<i64> {
    let zone: Tz = zone.parse().expect("a zone of the plan");
    let local = utc(start).with_timezone(&zone).naive_local();
    let midnight = |date: NaiveDate| date.and_time(NaiveTime::MIN);
    let at = |index: u64| -> i64 {
        let step = |months: u32| Months::new(months * u32::try_from(index).expect("few"));
        let moved = match rule {
            Rule::Minutes(minutes) => return start + 60 * minutes * i64::try_from(index).expect("few"),
            Rule::Days(days) => local + Days::new(days * index),
            Rule::Months(months) => local + step(months),
            Rule::EndOfDays(days) => midnight(local.date() + Days::new(1 + days * index)),
            Rule::EndOfWeeks(weeks) => midnight(next_sunday(local.date()) + Days::new(7 * weeks * index)),
            Rule::EndOfMonths(months) => {
                let first = local.date().with_day(1).expect("every month has a first day") + Months::new(1);
                midnight(first + step(months))
            }
            Rule::Daily { hour, minute, .. } => {
                let first = utc(start).date_naive() + Days::new(index);
                return first.and_hms_opt(hour, minute, 0).expect("a time of day").and_utc().timestamp();
            }
        };
        instant_of(zone, moved)
    };
    let chosen = |at: &i64| match rule {
        Rule::Daily { on, .. } => on(utc(*at).date_naive()) && *at >= start,
        _ => true,
    };
    (0..=MOST_TIMES).map(at).take_while(|at| *at < end).filter(chosen).collect()
}

/// The plan has no local times that clock changes skip or repeat.
fn instant_of(zone: Tz, local: NaiveDateTime) -> i64 {
    zone.from_local_datetime(&local)
        .single()
        .unwrap_or_else(|| panic!("{local} is no single time in {zone}"))
        .timestamp()
}

fn next_sunday(date: NaiveDate) -> NaiveDate {
    date + Days::new(7 - u64::from(date.weekday().num_days_from_sunday()))
}

/// Monday to Friday.
pub(crate) fn on_weekdays(date: NaiveDate) -> bool {
    !matches!(date.weekday(), Weekday::Sat | Weekday::Sun)
}

/// The first and the fifteenth.
pub(crate) fn twice_a_month(date: NaiveDate) -> bool {
    matches!(date.day(), 1 | 15)
}

/// The day of an instant, as a number that grows by one.
pub(crate) fn day_of(at: i64) -> i64 {
    at.div_euclid(86_400)
}

/// `YYYYMMDD` of a day.
pub(crate) fn day_name(day: i64) -> String {
    utc(day * 86_400).format("%Y%m%d").to_string()
}

/// The examples of the specification (4.4.1, 4.4.2) that have these forms.
#[test]
fn agrees_with_the_specification() {
    let times = |rule, zone, start, end| -> Vec<String> {
        nominal_times(rule, zone, instant(start), instant(end)).into_iter().map(text).collect()
    };
    let days = times(Rule::Days(1), "America/Los_Angeles", "2009-03-06T16:00Z", "2009-03-10T00:00Z");
    assert_eq!(days, ["2009-03-06T16:00:00Z", "2009-03-07T16:00:00Z", "2009-03-08T15:00:00Z", "2009-03-09T15:00:00Z"]);
    let months = times(Rule::Months(1), "UTC", "2009-01-31T00:00Z", "2009-04-01T00:00Z");
    assert_eq!(months, ["2009-01-31T00:00:00Z", "2009-02-28T00:00:00Z", "2009-03-31T00:00:00Z"]);
    let ends = times(Rule::EndOfDays(1), "America/Los_Angeles", "2009-01-01T16:00Z", "2009-01-04T00:00Z");
    assert_eq!(ends, ["2009-01-02T08:00:00Z", "2009-01-03T08:00:00Z"]);
}
