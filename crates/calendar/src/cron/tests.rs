use std::str::FromStr;

use proptest::prelude::*;

use super::Cron;
use crate::ProcessingZone;
use howdah_words::model::time::Timestamp;

fn instant(text: &str) -> Timestamp {
    ProcessingZone::UTC.parse_datetime(text).expect("a datetime of the table")
}

/// The firing times after 2013-07-18T00:00Z, a Thursday, in the form `MM-DDTHH:mm`.
fn check(text: &str, expect: &[&str]) {
    let cron = Cron::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut at = instant("2013-07-18T00:00Z");
    let found: Vec<String> = std::iter::from_fn(|| {
        at = cron.next(at, ProcessingZone::UTC)?;
        Some(ProcessingZone::UTC.format(at)[5..16].to_owned())
    })
    .take(expect.len())
    .collect();
    assert_eq!(found, expect, "{text}");
}

#[test]
fn values_ranges_and_steps() {
    check(
        "0/10 1/2 * * *",
        &["07-18T01:00", "07-18T01:10", "07-18T01:20", "07-18T01:30", "07-18T01:40", "07-18T01:50", "07-18T03:00"],
    );
    check("*/15 * * * *", &["07-18T00:15", "07-18T00:30"]);
    check("/15 * * * *", &["07-18T00:15", "07-18T00:30"]);
    check("10-20/5 * * * *", &["07-18T00:10", "07-18T00:15", "07-18T00:20", "07-18T01:10"]);
    check("0 */5 * * *", &["07-18T05:00", "07-18T10:00", "07-18T15:00", "07-18T20:00", "07-19T00:00"]);
    check("30/0 */0 * * *", &["07-18T00:30", "07-18T01:30"]);
    check("0 0 1 jan,NOV ?", &["11-01T00:00", "01-01T00:00"]);
    check("0 0 29 2 ?", &["02-29T00:00", "02-29T00:00"]);
}

#[test]
fn ranges_wrap_in_every_field() {
    check("0 22-2 * * *", &["07-18T01:00", "07-18T02:00", "07-18T22:00", "07-18T23:00", "07-19T00:00"]);
    check("59-0 5 * * *", &["07-18T05:00", "07-18T05:59"]);
    check("0 0 30-2 * ?", &["07-30T00:00", "07-31T00:00", "08-01T00:00", "08-02T00:00", "08-30T00:00"]);
    check("0 0 1 11-2 ?", &["11-01T00:00", "12-01T00:00", "01-01T00:00", "02-01T00:00", "11-01T00:00"]);
    check("0 0 ? * FRI-MON", &["07-19T00:00", "07-20T00:00", "07-21T00:00", "07-22T00:00", "07-26T00:00"]);
}

#[test]
fn days_of_the_month() {
    check("0 0 L * *", &["07-31T00:00", "08-31T00:00", "09-30T00:00"]);
    check("0 0 L-3 * ?", &["07-28T00:00", "08-28T00:00", "09-27T00:00"]);
    check("0 0 LW * ?", &["07-31T00:00", "08-30T00:00"]);
    check("0 0 15W * ?", &["08-15T00:00", "09-16T00:00"]);
    check("0 0 31W * ?", &["07-31T00:00", "08-30T00:00", "10-31T00:00"]);
    check("0 0 10,15W * ?", &["08-09T00:00", "09-10T00:00"]);
}

#[test]
fn days_of_the_week() {
    check("0 10 * * 2-6", &["07-18T10:00", "07-19T10:00", "07-22T10:00"]);
    check("0 0 * * 1", &["07-21T00:00", "07-28T00:00"]);
    check("0 0 * * L", &["07-20T00:00", "07-27T00:00"]);
    check("0 0 * * 6L", &["07-26T00:00", "08-30T00:00"]);
    check("0 0 ? * 6#3", &["07-19T00:00", "08-16T00:00"]);
    check("0 0 ? * FRI#5", &["08-30T00:00", "11-29T00:00"]);
    check("0 0 ? * MON#2,WED", &["08-12T00:00", "09-09T00:00"]);
}

#[test]
fn two_restricted_days_are_a_union() {
    check("0 10 15 * 2", &["07-22T10:00", "07-29T10:00", "08-05T10:00", "08-12T10:00", "08-15T10:00"]);
    check("0 0 */2 * 2", &["07-19T00:00", "07-21T00:00", "07-22T00:00", "07-23T00:00"]);
    check("0 0 31 2 2", &["02-03T00:00"]);
}

#[test]
fn the_friday_that_ends_a_short_month_counts_unless_the_search_skips_the_month() {
    for (text, after, expect) in [
        ("0 0 31W * ?", "2010-03-31T00:00Z", "2010-04-30T00:00Z"),
        ("0 0 29W * ?", "2014-01-29T00:00Z", "2014-03-28T00:00Z"),
        ("0 0 29W * ?", "2014-02-01T00:00Z", "2014-02-28T00:00Z"),
    ] {
        let cron = Cron::parse(text).expect("valid");
        assert_eq!(cron.next(instant(after), ProcessingZone::UTC), Some(instant(expect)), "{text} after {after}");
    }
}

#[test]
fn some_never_fire() {
    for text in ["0 0 31 2 *", "0 0 30 2 ?", "0 0 31 4,6,9,11 ?", "0 0 L-30 9 *", "0 0 31W 2 ?"] {
        check(text, &[]);
        assert_eq!(Cron::parse(text).map(|cron| cron.next(Timestamp::EPOCH, ProcessingZone::UTC)), Ok(None), "{text}");
    }
}

#[test]
fn fields_are_those_of_the_processing_zone() {
    let cron = Cron::parse("30 1 1 * ?").expect("valid");
    let zone = ProcessingZone::parse("GMT+0530").expect("valid");
    assert_eq!(cron.next(instant("2013-07-31T19:59Z"), zone), Some(instant("2013-07-31T20:00Z")));
}

#[test]
fn refuses_and_points_at_the_field() {
    for (text, part) in [
        ("60 * * * *", "60"),
        ("0 24 * * *", "24"),
        ("0 0 0 * ?", "0"),
        ("0 0 32 * ?", "32"),
        ("0 0 1 0 ?", "0"),
        ("0 0 1 13 ?", "13"),
        ("0 0 ? * 0", "0"),
        ("0 0 ? * 8", "8"),
        ("0 0 ? * ?", "?"),
        ("? 0 * * *", "?"),
        ("5/100 * * * *", "5/100"),
        ("*/ * * * *", "*/"),
        ("0 */24 * * *", "*/24"),
        ("0 0 1,L * ?", "1,L"),
        ("0 0 L-31 * ?", "L-31"),
        ("0 0 C * ?", "C"),
        ("0 0 32W * ?", "32W"),
        ("0 0 W * ?", "W"),
        ("0 0 5L * ?", "5L"),
        ("0 0 ? * 2,6L", "2,6L"),
        ("0 0 ? * 6#6", "6#6"),
        ("0 0 ? * #3", "#3"),
        ("0 0 1 3-AUG ?", "3-AUG"),
        ("0 0 ? * TUE-4", "TUE-4"),
        ("-1 0 * * *", "-1"),
        ("1,,2 0 * * *", ""),
        ("0  0 * * *", ""),
        ("0 0 * *", "0 0 * *"),
        ("0 0 * * * *", "0 0 * * * *"),
        ("", ""),
        ("@daily", "@daily"),
        ("99999999999 * * * *", "99999999999"),
        ("é 0 * * *", "é"),
    ] {
        let error = Cron::parse(text).expect_err(text);
        assert_eq!(&text[error.span.start..error.span.end], part, "{text}: {error}");
    }
    assert!(Cron::parse("0 0 * * * ").is_ok(), "a blank at the end is ignored");
}

/// Returns what this engine and the `cron` crate read the same way: five fields, one of the days unrestricted.
fn common_expression() -> impl Strategy<Value = String> {
    let field = |least: u32, greatest: u32| {
        prop_oneof![
            Just("*".to_owned()),
            (least..=greatest).prop_map(|value| value.to_string()),
            (least..=greatest, 1..=6_u32).prop_map(|(value, step)| format!("{value}/{step}")),
            (least..=greatest, least..=greatest).prop_map(|(one, other)| format!(
                "{}-{}",
                one.min(other),
                one.max(other)
            )),
            (least..=greatest, least..=greatest).prop_map(|(one, other)| format!("{one},{other}")),
        ]
    };
    (field(0, 59), field(0, 23), field(1, 31), field(1, 12), field(1, 7), any::<bool>()).prop_map(
        |(minute, hour, day, month, weekday, by_day)| {
            let (day, weekday) = if by_day { (day, "?".to_owned()) } else { ("?".to_owned(), weekday) };
            format!("{minute} {hour} {day} {month} {weekday}")
        },
    )
}

proptest! {
    #[test]
    fn agrees_with_the_cron_crate(text in common_expression(), seconds in 0_i64..2_000_000_000) {
        let theirs = cron::Schedule::from_str(&format!("0 {text}")).expect("a form that both understand");
        let start = chrono::DateTime::from_timestamp(seconds, 0).expect("in range");
        let ours = Cron::parse(&text).expect("a form that both understand");
        let mut at = Timestamp::from_seconds(seconds);
        for expect in theirs.after(&start).take(5) {
            at = ours.next(at, ProcessingZone::UTC).expect("fires as the other engine");
            prop_assert_eq!(at.seconds(), expect.timestamp(), "{}", text);
        }
    }

    #[test]
    fn never_panics(text in "[0-9A-Z*?/#,L-]{0,6}( [0-9A-Z*?/#,LW-]{0,6}){4}", seconds in any::<i64>()) {
        if let Ok(cron) = Cron::parse(&text) {
            let at = Timestamp::from_seconds(seconds / 4096);
            prop_assert!(cron.next(at, ProcessingZone::UTC).is_none_or(|next| next > at));
        }
    }
}
