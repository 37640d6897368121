//! `next` and `time`: nominal times, zones, offsets and conversions, at a fixed time and without any database.

use std::fmt::Write as _;

use serde_json::{Value, json};

use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2026-11-21T14:00Z";

fn run(arguments: &[&str]) -> Ran {
    let sandbox = Sandbox::new();
    let ran = sandbox.howdah(arguments.iter().copied()).at(NOW).run();
    assert!(!sandbox.database_path().exists(), "{arguments:?} made a database");
    ran
}

/// What the commands print, each with its exit status where that is not 0.
fn session(commands: &[&[&str]]) -> String {
    let mut text = String::new();
    for arguments in commands {
        let ran = run(arguments);
        let quoted: Vec<String> =
            arguments
                .iter()
                .map(|argument| {
                    if argument.contains([' ', '(', '*', '$']) {
                        format!("'{argument}'")
                    } else {
                        (*argument).to_owned()
                    }
                })
                .collect();
        // Writing to a String cannot fail.
        let _ = write!(text, "$ howdah {}\n{}{}", quoted.join(" "), ran.stdout, ran.stderr);
        if ran.status != Some(0) {
            let _ = writeln!(text, "exit status {:?}", ran.status.expect("no signal"));
        }
        text.push('\n');
    }
    text
}

fn document(arguments: &[&str]) -> Value {
    let ran = run(arguments);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"))
}

const LA: &str = "America/Los_Angeles";

#[test]
fn next_marks_gaps_and_folds() {
    let text = session(&[
        &["next", "coord:days(1)", "--start", "2009-03-07T10:30Z", "-z", LA, "-n", "3"],
        &["next", "${coord:days(1)}", "--start", "2009-10-31T08:30Z", "-z", LA, "-n", "3"],
        &["next", "coord:days(1)", "--start", "2015-03-28T01:15Z", "-z", "Europe/Berlin", "-n", "3"],
        &["next", "${24 * 60}", "--start", "2015-10-24T00:30Z", "-z", "Europe/Berlin", "-n", "3"],
        &["next", "coord:days(1)", "--start", "2015-10-02T15:45Z", "-z", "Australia/Lord_Howe", "-n", "3"],
        &["next", "30", "--start", "2015-04-04T14:00Z", "-z", "Australia/Lord_Howe", "-n", "5"],
        &["next", "coord:days(1)", "--start", "2011-12-28T20:00Z", "-z", "Pacific/Apia", "-n", "5"],
        &["next", "coord:endOfDays(1)", "--start", "2017-10-13T12:00Z", "-z", "America/Sao_Paulo", "-n", "3"],
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn a_date_begins_at_midnight_of_the_zone() {
    let times = |start: &str, end: &str| {
        run(&["next", "coord:days(1)", "--start", start, "--end", end, "-z", LA, "--quiet"]).stdout
    };
    assert_eq!(times("2026-03-06", "2026-03-08"), "2026-03-06T08:00Z\n2026-03-07T08:00Z\n");
    assert_eq!(times("2026-03-06", "2026-03-08"), times("2026-03-06T08:00Z", "2026-03-08T08:00Z"));
}

#[test]
fn next_says_what_a_frequency_means() {
    let text = session(&[
        &["next", "0,30 9-17 * * MON-FRI", "-n", "3"],
        &["next", "0 10 * * *", "-z", LA, "-n", "2"],
        &["next", "coord:months(1)", "--start", "2026-01-31T00:00Z", "-n", "3"],
        &["next", "coord:endOfWeeks(2)", "--start", "2026-01-01T00:00Z", "--end", "2026-02-01T00:00Z"],
        &["next", "coord:endOfMonths(1)", "--start", "2026-01-01T00:00Z", "--end", "2026-02-01T00:00Z"],
        &["next", "${coord:hours(n)}", "-D", "n=36", "-n", "2", "--quiet"],
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn next_says_what_is_wrong() {
    let text = session(&[
        &["next", "0 0 31 2 *"],
        &["next", "0 0 31x 2 *"],
        &["next", "${cron}", "-D", "cron=0 25 * * *"],
        &["next", "0 0 1 * *", "--start", "2026-01-02T00:00Z", "--end", "2026-02-01T00:00Z"],
        &["next", "coord:dayz(1)"],
        &["next", "${coord:days(1) + n}"],
        &["next", "0"],
        &["next", ""],
        &["next", "60", "-z", "Americas/Los_Angeles"],
        &["next", "60", "--start", "2026-01-32"],
        &["next", "60", "--start", "2026-01-02T00:00Z", "--end", "2026-01-01T00:00Z"],
        &["next", "1", "-n", "1"],
    ]);
    insta::assert_snapshot!(text);
    assert_eq!(run(&["next", "60", "-n", "0"]).status, Some(2));
    assert_eq!(run(&["next"]).status, Some(2));
}

#[test]
fn next_as_json() {
    let answer = document(&["next", "coord:days(1)", "--start", "2009-03-08T10:30Z", "-z", LA, "-n", "1", "--json"]);
    let expect = json!({
        "frequency": "1", "timeUnit": "DAY", "inWords": "every day at the local time of the start", "clock": LA,
        "timeZone": LA, "startTime": "2009-03-08T10:30Z", "endTime": null, "complete": false,
        "times": [{
            "actionNumber": 1, "nominalTime": "2009-03-08T10:30Z", "localTime": "2009-03-08T03:30", "offset": "-07:00", "weekday": "Sun",
            "clockChange": {
                "kind": "gap", "at": "2009-03-08T10:00Z", "from": "2009-03-08T02:00", "to": "2009-03-08T03:00",
                "offsetMinutes": -420, "offset": "-07:00", "inWords": "02:00 to 03:00 does not exist",
            },
            "note": null,
        }],
    });
    assert_eq!(answer, expect);
}

#[test]
fn the_processing_time_zone_of_the_site_is_used() {
    let sandbox = Sandbox::new();
    let setting = "<property><name>oozie.processing.timezone</name><value>GMT+0530</value></property>";
    sandbox.write("site.xml", &format!("<configuration>{setting}</configuration>"));
    let site = sandbox.text("site.xml");
    let run = |arguments: &[&str]| {
        let ran = sandbox.howdah(arguments.iter().copied()).at(NOW).with("--site").with(&site).run();
        ran.stdout + &ran.stderr
    };
    let next = ["next", "0 10 * * *", "--start", "2026-01-01T00:00+0530", "-n", "2", "-q"];
    assert_eq!(run(&next), "2026-01-01T10:00+0530\n2026-01-02T10:00+0530\n");
    assert!(run(&next[..6]).contains("Clock:     GMT+05:30, which cron follows, not UTC\n"));
    let convert = run(&["time", "convert", "2026-01-01T00:00+0530", "--to", LA]);
    assert!(convert.contains("Processing:          2026-01-01T00:00+0530\n"), "{convert}");
}

#[test]
fn a_frequency_is_judged_as_at_submission() {
    let sandbox = Sandbox::new();
    let name = "oozie.service.coord.check.maximum.frequency";
    sandbox.write(
        "site.xml",
        &format!("<configuration><property><name>{name}</name><value>true</value></property></configuration>"),
    );
    let site = sandbox.text("site.xml");
    let run = |frequency: &str| sandbox.howdah(["next", frequency, "-q"]).at(NOW).with("--site").with(&site).run();
    let refused = run("4");
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""), "{refused:?}");
    assert!(refused.stderr.contains("frequency [4] minutes is faster than allowed maximum"), "{refused:?}");
    for accepted in ["5", "* * * * *", "${coord:hours(1)}"] {
        assert_eq!(run(accepted).status, Some(0), "{accepted}");
    }
    let quiet = self::run(&["next", "4", "-q", "-n", "1"]);
    assert_eq!((quiet.status, quiet.stderr.as_str()), (Some(0), ""));
}

#[test]
fn times_are_converted() {
    let text = session(&[
        &["time", "convert", "2026-03-08T09:30Z", "--to", LA],
        &["time", "convert", "2026-03-08T02:30", "--from", LA, "--to", "Europe/Berlin"],
        &["time", "convert", "2026-11-01T01:30", "--from", LA, "--to", "UTC"],
        &["time", "convert", "2011-12-30T12:00", "--from", "Pacific/Apia", "--to", "UTC"],
        &["time", "convert", "now", "--to", "PST", "-q"],
        &["time", "convert", "2026-03-08T02:30", "--to", "Europe/Berlin"],
        &["time", "convert", "2026-03-08T02:30Z", "--from", LA, "--to", "Europe/Berlin"],
        &["time", "convert", "2026-03-08", "--to", "Europe/Berlin"],
        &["time", "convert", "now", "--to", "Los_Angeles"],
    ]);
    insta::assert_snapshot!(text);
    let answer = document(&["time", "convert", "2026-11-01T01:30", "--from", LA, "--to", LA, "--json"]);
    let offsets: Vec<&Value> =
        answer["instants"].as_array().expect("a list").iter().map(|one| &one["offset"]).collect();
    assert_eq!(offsets, ["-07:00", "-08:00"]);
    assert_eq!((&answer["given"]["kind"], &answer["zone"]), (&json!("fold"), &json!(LA)));
}

#[test]
fn zones_are_listed_and_filtered() {
    let text = session(&[
        &["time", "zones", "BERLIN"],
        &["time", "zones", "[up]s*/p*"],
        &["time", "zones", "Brlin"],
        &["time", "zones", "[x"],
    ]);
    insta::assert_snapshot!(text.replace(&tz_database(), "[release]"));
    let all = run(&["time", "zones", "--quiet"]).stdout;
    let ids: Vec<&str> = all.lines().collect();
    assert!(
        ids.len() > 600 && ids.contains(&"PST") && ids.contains(&"Etc/GMT+8") && !ids.contains(&"PDT"),
        "{}",
        ids.len()
    );
    let answer = document(&["time", "zones", "Lord_Howe", "--json"]);
    let howe = json!({
        "id": "Australia/Lord_Howe", "offsetMinutes": 660, "offset": "+11:00", "daylightSaving": true,
        "nextChange": {
            "kind": "fold", "at": "2027-04-03T15:00Z", "from": "2027-04-04T01:30", "to": "2027-04-04T02:00",
            "offsetMinutes": 630, "offset": "+10:30", "inWords": "01:30 to 02:00 comes twice",
        },
    });
    assert_eq!((&answer["zones"], &answer["time"]), (&json!([howe]), &json!(NOW)));
}

/// The release of the tz database, which changes with a dependency.
fn tz_database() -> String {
    document(&["time", "zones", "UTC", "--json"])["tzDatabase"].as_str().expect("a text").to_owned()
}

#[test]
fn offsets_are_told() {
    let text = session(&[
        &["time", "offset", LA],
        &["time", "offset", LA, "2026-07-01T00:00Z"],
        &["time", "offset", LA, "Asia/Kolkata", "2026-07-01T00:00Z"],
        &["time", "offset", "GMT+0530", "-q"],
        &["time", "offset", LA, "UTC", "-q"],
        &["time", "offset", LA, "2026-07-01T00:00Z", "UTC"],
        &["time", "offset", "America/Los_Angels"],
    ]);
    insta::assert_snapshot!(text);
    let answer = document(&["time", "offset", LA, "UTC", "--json"]);
    assert_eq!((&answer["tzOffset"], &answer["other"]["zone"]), (&json!(-480), &json!("UTC")));
}
