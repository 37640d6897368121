//! Sections 4.1 to 4.4: datetimes, frequencies, cron.

use serde_json::Value;

use super::Deviation;
use howdah_sandbox::sandbox::Sandbox;

const LA: &str = "America/Los_Angeles";

fn times(arguments: &[&str]) -> Vec<String> {
    let sandbox = Sandbox::new();
    let ran = sandbox.howdah(["next", "--json"].iter().chain(arguments).copied()).succeed();
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    let times = document["times"].as_array().expect("a list").iter();
    times.map(|time| time["nominalTime"].as_str().expect("a time").to_owned()).collect()
}

fn minutes_between(first: &str, second: &str) -> i64 {
    let minutes = |text: &str| {
        let at = chrono::NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%MZ").expect("a datetime");
        at.and_utc().timestamp() / 60
    };
    minutes(second) - minutes(first)
}

/// A row of the specification's tables: from `start` in `zone` the first occurrence and the minutes to the next one.
fn check((start, zone, usage): (&str, &str, &str), first: &str, minutes: i64, deviation: Option<Deviation>) {
    let times = times(&[usage, "--start", start, "-z", zone, "-n", "2"]);
    let answer = format!("{} {}", minutes_between(&times[0], &times[1]), times[0]);
    assert_eq!(answer, format!("{minutes} {first}"), "{start} {zone} {usage}");
    if let Some(deviation) = deviation {
        deviation.check(&answer);
    }
}

#[test]
fn days() {
    for (start, zone, usage, minutes) in [
        ("2009-01-01T08:00Z", "UTC", "${coord:days(1)}", 1440),
        ("2009-01-01T08:00Z", LA, "${coord:days(1)}", 1440),
        ("2009-01-01T08:00Z", LA, "${coord:days(2)}", 2880),
        ("2009-03-08T08:00Z", "UTC", "${coord:days(1)}", 1440),
        ("2009-03-08T08:00Z", "Europe/London", "${coord:days(1)}", 1440),
        ("2009-03-08T08:00Z", LA, "${coord:days(1)}", 1380),
        ("2009-03-08T08:00Z", "UTC", "${coord:days(2)}", 2880),
        ("2009-03-08T08:00Z", LA, "${coord:days(2)}", 2820),
    ] {
        check((start, zone, usage), start, minutes, None);
    }
    let row = "4.4.1.1, last row";
    let printed = "1440 2009-03-09T07:00Z";
    let start = "2009-03-09T08:00Z";
    check((start, LA, "${coord:days(1)}"), start, 1440, Some(Deviation { row, printed }));
}

#[test]
fn ends_of_days() {
    for (start, zone, minutes, first) in [
        ("2009-01-01T08:00Z", "UTC", 1440, "2009-01-02T00:00Z"),
        ("2009-01-01T08:00Z", LA, 1440, "2009-01-02T08:00Z"),
        ("2009-01-01T08:01Z", LA, 1440, "2009-01-02T08:00Z"),
        ("2009-01-01T18:00Z", LA, 1440, "2009-01-02T08:00Z"),
        ("2009-03-07T09:00Z", LA, 1380, "2009-03-08T08:00Z"),
        ("2009-03-09T07:00Z", LA, 1440, "2009-03-10T07:00Z"),
    ] {
        check((start, zone, "${coord:endOfDays(1)}"), first, minutes, None);
    }
    let deviation = Deviation { row: "4.4.1.2, sixth row", printed: "1440 2009-03-08T08:00Z" };
    check(("2009-03-08T07:00Z", LA, "${coord:endOfDays(1)}"), "2009-03-08T08:00Z", 1380, Some(deviation));
}

#[test]
fn months() {
    for (start, zone, usage, minutes) in [
        ("2009-01-01T08:00Z", "UTC", "${coord:months(1)}", 44_640),
        ("2009-01-01T08:00Z", LA, "${coord:months(1)}", 44_640),
        ("2009-01-01T08:00Z", LA, "${coord:months(2)}", 84_960),
        ("2009-03-08T08:00Z", "UTC", "${coord:months(1)}", 44_640),
        ("2009-03-08T08:00Z", "Europe/London", "${coord:months(1)}", 44_580),
        ("2009-03-08T08:00Z", LA, "${coord:months(1)}", 44_580),
        ("2009-03-08T08:00Z", "UTC", "${coord:months(2)}", 87_840),
        ("2009-03-08T08:00Z", LA, "${coord:months(2)}", 87_780),
    ] {
        check((start, zone, usage), start, minutes, None);
    }
}

#[test]
fn ends_of_months() {
    for (start, zone, minutes, first) in [
        ("2009-01-01T00:00Z", "UTC", 40_320, "2009-02-01T00:00Z"),
        ("2009-01-01T08:00Z", "UTC", 40_320, "2009-02-01T00:00Z"),
        ("2009-01-31T08:00Z", "UTC", 40_320, "2009-02-01T00:00Z"),
        ("2009-01-01T08:00Z", LA, 40_320, "2009-02-01T08:00Z"),
        ("2009-02-02T08:00Z", LA, 44_580, "2009-03-01T08:00Z"),
        ("2009-02-01T08:00Z", LA, 44_580, "2009-03-01T08:00Z"),
    ] {
        check((start, zone, "${coord:endOfMonths(1)}"), first, minutes, None);
    }
}

#[test]
fn constants() {
    for (usage, minutes) in [("${coord:minutes(45)}", 45), ("${coord:hours(3)}", 180), ("${coord:days(2)}", 2880)] {
        check(("2009-06-01T00:00Z", "UTC", usage), "2009-06-01T00:00Z", minutes, None);
    }
    check(("2009-06-01T00:00Z", "UTC", "${coord:months(1)}"), "2009-06-01T00:00Z", 30 * 1440, None);
}

/// The specification has no table of weeks; they start on Sunday, and the time always moves forward.
#[test]
fn ends_of_weeks() {
    for (start, zone, usage, minutes, first) in [
        ("2009-01-04T00:00Z", "UTC", "${coord:endOfWeeks(1)}", 10_080, "2009-01-11T00:00Z"),
        ("2009-01-10T23:00Z", "UTC", "${coord:endOfWeeks(1)}", 10_080, "2009-01-11T00:00Z"),
        ("2009-01-04T00:01Z", "UTC", "${coord:endOfWeeks(2)}", 20_160, "2009-01-11T00:00Z"),
        ("2009-01-04T07:59Z", LA, "${coord:endOfWeeks(1)}", 10_080, "2009-01-04T08:00Z"),
        // The week in which the clocks of Los Angeles go forward has an hour less.
        ("2009-03-07T09:00Z", LA, "${coord:endOfWeeks(1)}", 10_020, "2009-03-08T08:00Z"),
    ] {
        check((start, zone, usage), first, minutes, None);
    }
}

/// The next times of a cron expression after Sunday, 1 March 2009.
fn check_cron(expression: &str, expect: &[&str]) {
    let count = expect.len().to_string();
    let times = times(&[expression, "--start", "2009-03-01T00:00Z", "-n", &count]);
    assert_eq!(times, expect, "{expression}");
}

#[test]
fn cron() {
    check_cron("0,10 15 * * 2-6", &["2009-03-02T15:00Z", "2009-03-02T15:10Z", "2009-03-03T15:00Z"]);
    // Without a blank between two fields it is not a cron expression.
    let refused = Sandbox::new().howdah(["next", "0,10 15* * 2-6"]).run();
    assert!(refused.status == Some(1) && refused.stderr.contains("must have 5 fields"), "{refused:?}");
    check_cron("0/10 1/2 * * *", &["2009-03-01T01:00Z", "2009-03-01T01:10Z"]);
    check_cron("10 9 * * *", &["2009-03-01T09:10Z", "2009-03-02T09:10Z"]);
    check_cron(
        "10,30,45 9 * * *",
        &["2009-03-01T09:10Z", "2009-03-01T09:30Z", "2009-03-01T09:45Z", "2009-03-02T09:10Z"],
    );
    check_cron("0 * 30 JAN 2-6", &["2010-01-01T00:00Z", "2010-01-01T01:00Z"]);
    check_cron(
        "0/20 9-17 * * 2-5",
        &["2009-03-02T09:00Z", "2009-03-02T09:20Z", "2009-03-02T09:40Z", "2009-03-02T10:00Z"],
    );
    check_cron("1 2 L-3 * *", &["2009-03-28T02:01Z", "2009-04-27T02:01Z"]);
    check_cron("1 2 6W 3 ?", &["2009-03-06T02:01Z", "2010-03-05T02:01Z", "2011-03-07T02:01Z"]);
    check_cron("1 2 * 3 3#2", &["2009-03-10T02:01Z", "2010-03-09T02:01Z"]);
    check_cron("0 10,13 * * MON-FRI", &["2009-03-02T10:00Z", "2009-03-02T13:00Z", "2009-03-03T10:00Z"]);
    // The characters: lists, increments, the last day, the nearest weekday, the nth weekday.
    check_cron("0 10-12 * * *", &["2009-03-01T10:00Z", "2009-03-01T11:00Z", "2009-03-01T12:00Z", "2009-03-02T10:00Z"]);
    check_cron("0 0 ? * MON,WED,FRI", &["2009-03-02T00:00Z", "2009-03-04T00:00Z", "2009-03-06T00:00Z"]);
    check_cron("5/15 0 * * *", &["2009-03-01T00:05Z", "2009-03-01T00:20Z", "2009-03-01T00:35Z", "2009-03-01T00:50Z"]);
    check_cron("0 0 1 7/6 ?", &["2009-07-01T00:00Z", "2010-07-01T00:00Z"]);
    check_cron("0 0 L * ?", &["2009-03-31T00:00Z", "2009-04-30T00:00Z"]);
    check_cron("0 0 ? * L", &["2009-03-07T00:00Z", "2009-03-14T00:00Z"]);
    check_cron("0 0 ? * 6L", &["2009-03-27T00:00Z", "2009-04-24T00:00Z"]);
    check_cron("0 0 15W * ?", &["2009-03-16T00:00Z", "2009-04-15T00:00Z", "2009-05-15T00:00Z"]);
    check_cron("0 0 1W 8 ?", &["2009-08-03T00:00Z"]);
    check_cron("0 0 LW * ?", &["2009-03-31T00:00Z", "2009-04-30T00:00Z", "2009-05-29T00:00Z"]);
    check_cron("0 0 ? * 6#3", &["2009-03-20T00:00Z", "2009-04-17T00:00Z"]);
    check_cron("0 0 ? * 4#5", &["2009-04-29T00:00Z", "2009-07-29T00:00Z"]);
    check_cron("0 22-2 * * *", &["2009-03-01T00:00Z", "2009-03-01T01:00Z", "2009-03-01T02:00Z", "2009-03-01T22:00Z"]);
}

/// What the table of 4.4 prints as an expression is plain text here.
#[test]
fn cron_is_no_expression() {
    let ran = Sandbox::new().howdah(["next", "${0,10 15 * * 2-6}"]).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E1004"), "{ran:?}");
    Deviation { row: "4.4, last row", printed: "0,10 15 * * 2-6" }.check("refused");
}

/// In a processing time zone other than UTC the offset is written without `GMT`, as in the example of 4.1.
#[test]
fn datetimes_of_an_offset() {
    let sandbox = Sandbox::new();
    sandbox.write("site", "oozie.processing.timezone=GMT+0530\n");
    let next = |start: &str| {
        let howdah = sandbox.howdah(["next", "60", "-n", "1", "-q", "--start", start]);
        howdah.env("HOWDAH_SITE", sandbox.path("site")).run()
    };
    let ran = next("2009-08-10T13:10+0530");
    assert!(ran.status == Some(0) && ran.stdout.contains("2009-08-10T13:10+0530"), "{ran:?}");
    let ran = next("2009-08-10T13:10GMT+0530");
    assert!(ran.status == Some(1) && ran.stderr.contains("E1003"), "{ran:?}");
    Deviation { row: "4.1", printed: "YYYY-MM-DDTHH:mmGMT(+/-)####" }.check("YYYY-MM-DDTHH:mm(+/-)####");
}

#[test]
fn cron_that_cannot_be() {
    let sandbox = Sandbox::new();
    for arguments in [
        &["next", "0 10 30 2 *"][..],
        &["next", "0 0 ? * 3#1,6#3"],
        &["next", "0 10 * * *", "--start", "2013-10-18T21:00Z", "--end", "2013-10-18T22:00Z"],
    ] {
        let ran = sandbox.howdah(arguments.iter().copied()).run();
        let nothing = ran.status == Some(0) && ran.stdout.contains("no nominal time");
        assert!(ran.status == Some(1) && ran.stderr.contains("E1003") || nothing, "{ran:?}");
    }
}
