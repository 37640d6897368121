//! Sections 4.4.1.2, 4.4.2.2, 6.3 to 6.9, 7, 12: whole coordinators.

use serde_json::Value;

use super::{Deviation, Example, NOW, property, uris};
use howdah_sandbox::sandbox::user_name;

const BASE: &str = "hdfs://bar:8020/app/";

/// The value of a property of an action, without the store.
fn check(example: &Example, number: u32, name: &str, expect: &str) -> String {
    let actions = example.actions(&number.to_string());
    let answer = property(&actions[0], name).replace(BASE, "");
    assert_eq!(answer, expect, "{} action {number}, {name}", example.name);
    answer
}

/// `logs/` with each ending, as one list.
fn list(prefix: &str, endings: impl IntoIterator<Item = String>) -> String {
    endings.into_iter().map(|ending| format!("{prefix}{ending}")).collect::<Vec<_>>().join(",")
}

/// `DD/HH` of the hours from `first` on, counted from the start of January 2009.
fn hours(first: u32, count: u32) -> impl Iterator<Item = String> {
    (first..first + count).map(|hour| format!("{:02}/{:02}", 1 + hour / 24, hour % 24))
}

#[test]
fn frequencies_and_datasets_that_end_with_days_and_months() {
    let properties = [
        ("concurrency_level", "1"),
        ("execution_order", "FIFO"),
        ("materialization_throttle", "5"),
        ("baseFsURI", "hdfs://bar:8020/app"),
        ("wf_app_path", "hdfs://bar:8020/usr/joe/wf"),
    ];
    let daily = Example::new("4.4.1.2", &properties);
    assert_eq!(daily.nominal_times("all"), ["2009-01-02T08:00Z", "2009-01-03T08:00Z"]);
    // The input's first instance is the end of the day on which it starts.
    check(&daily, 1, "wfInput", "");
    check(&daily, 2, "wfInput", "2009/01/03/08/00");
    check(&daily, 1, "wfOutput", "2009/01/02/08/30");
    let older = |name| Example::altered(name, &properties, ("coordinator:0.2", "coordinator:0.1")).refusal();
    for (name, row) in [("4.4.1.2", "4.4.1.2, example"), ("4.4.2.2", "4.4.2.2, example")] {
        assert!(older(name).contains("E0701"), "{name}");
        Deviation { row, printed: "accepted" }.check("refused");
    }
    let monthly = Example::new("4.4.2.2", &properties);
    assert_eq!(
        monthly.nominal_times("all"),
        ["2009-01-02T08:00Z", "2009-02-02T08:00Z", "2009-03-02T08:00Z", "2009-04-02T07:00Z"]
    );
    check(&monthly, 2, "wfInput", "2009/02/01/08/00");
    check(&monthly, 3, "wfInput", "2009/03/01/08/00");
}

#[test]
fn a_cron_coordinator() {
    let properties = [
        ("start", "2009-01-01T00:00Z"),
        ("end", "2009-01-01T04:00Z"),
        ("queueName", "default"),
        ("workflowAppUri", "hdfs://bar:8020/usr/joe/wf"),
    ];
    let times = Example::new("4.4.3", &properties).nominal_times("all");
    assert_eq!((times.len(), times[0].as_str(), times[11].as_str()), (12, "2009-01-01T01:00Z", "2009-01-01T03:50Z"));
}

#[test]
fn a_coordinator_of_one_action() {
    let example = Example::new("6.3-1", &[]);
    assert_eq!(example.nominal_times("all").len(), 1);
    check(&example, 1, "wfInput", "logs/200901/02/data");
    check(&example, 1, "wfOutput", "stats/2009/01/02/data");
    let printed = Example::altered("6.3-1", &[], ("2009-01-02T08:01Z", "2009-01-02T08:00Z"));
    assert!(printed.refusal().contains("E1003"));
    Deviation { row: "6.3, first example", printed: "one action" }.check("refused");
}

#[test]
fn a_coordinator_of_a_year() {
    let example = Example::new("6.3-2", &[]);
    example.check_count(365, "2010-01-01T08:00Z");
    for (number, day) in [(1, "02"), (2, "03")] {
        check(&example, number, "wfInput", &format!("logs/200901/{day}/data"));
        check(&example, number, "wfOutput", &format!("stats/2009/01/{day}/data"));
    }
}

/// The ends of days are written as 24:00 and are the zero hour of the next day, also in the URIs (4.1.1).
#[test]
fn a_weekly_coordinator_of_daily_data() {
    let example = Example::new("6.3-3", &[]);
    for (number, days, printed) in [
        (
            1,
            2..=8,
            "logs/200901/01,logs/200901/02,logs/200901/03,logs/200901/05,logs/200901/05,logs/200901/06,logs/200901/07",
        ),
        (
            2,
            9..=15,
            "logs/200901/08,logs/200901/09,logs/200901/10,logs/200901/11,logs/200901/12,logs/200901/13,logs/200901/16",
        ),
    ] {
        let last = *days.end();
        let expect = list("logs/200901/", days.map(|day| format!("{day:02}")));
        let answer = check(&example, number, "wfInput", &expect);
        Deviation { row: "6.3, third example", printed }.check(&answer);
        check(&example, number, "wfOutput", &format!("weeklystats/2009/01/{last:02}"));
    }
}

const PARAMETERS: &[(&str, &str)] = &[
    ("jobStart", "2009-03-08T08:00Z"),
    ("jobEnd", "2009-03-12T07:00Z"),
    ("logsInitialInstance", "2009-01-01T09:00Z"),
    ("timezone", "America/Los_Angeles"),
    ("market", "us"),
    ("language", "en"),
];

#[test]
fn parameters() {
    let example = Example::new("6.5-1", PARAMETERS);
    assert_eq!(uris(&example.actions("1")[0]["inputs"][0]).len(), 24);
    for missing in 0..PARAMETERS.len() {
        let mut given = PARAMETERS.to_vec();
        let (name, _) = given.remove(missing);
        let refused = Example::new("6.5-1", &given).dryrun(NOW, &["--check-data", "no"]);
        assert_eq!(refused.status, Some(1), "{name}: {refused:?}");
        assert!(refused.stdout.contains(name), "{name}: {refused:?}");
    }
}

#[test]
fn formal_parameters() {
    let without = |name: &str| PARAMETERS.iter().filter(|(given, _)| *given != name).copied().collect::<Vec<_>>();
    let ran = Example::new("6.5-2", &without("jobEnd")).dryrun(NOW, &["--actions", "1", "--check-data", "no"]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(document["coordJob"]["endTime"], "2012-12-01T22:00Z");
    let refused = Example::new("6.5-2", &without("jobStart")).dryrun(NOW, &[]);
    assert!(refused.stdout.contains("E0738") && refused.stdout.contains("jobStart"), "{refused:?}");
    let printed = Example::altered("6.5-2", PARAMETERS, ("coordinator:0.4", "coordinator:0.1"));
    assert!(printed.refusal().contains("E0701"));
    Deviation { row: "6.5, second example", printed: "accepted" }.check("refused");
}

#[test]
fn rolling_and_sliding_windows() {
    let rolling = Example::new("6.6.1-2a", &[]);
    rolling.check_count(364, "2009-12-31T00:00Z");
    Deviation { row: "6.6.1, second example", printed: "365 actions, 8760 actions" }.check("364 actions, 8736 actions");
    let window = |first| list("logs/200901/", hours(first, 24));
    check(&rolling, 1, "wfInput", &window(1));
    check(&rolling, 2, "wfInput", &window(25));
    let sliding = Example::new("6.6.1-2b", &[]);
    sliding.check_count(364 * 24, "2009-12-31T23:00Z");
    check(&sliding, 1, "wfInput", &window(1));
    check(&sliding, 2, "wfInput", &window(2));
}

#[test]
fn outputs_and_pipelines() {
    let daily = Example::new("6.6.1-3", &[]);
    check(&daily, 1, "wfInput", &list("logs/2009/01/", hours(1, 24)));
    check(&daily, 1, "wfOutput", "logs/2009/01/02");
    let hourly = Example::new("6.6.1-4-hourly", &[]);
    check(&hourly, 1, "wfInput", &list("logs/2009/01/01/", ["00/15", "00/30", "00/45", "01/00"].map(str::to_owned)));
    check(&hourly, 1, "wfOutput", "logs/2009/01/01/01");
    let pipeline = Example::new("6.6.1-4-daily", &[]);
    check(&pipeline, 1, "wfInput", &list("logs/2009/01/", hours(1, 24)));
    check(&pipeline, 1, "wfOutput", "logs/2009/01/02");
    // Every output of the hourly coordinator's first day is an input of the daily one's first action.
    let outputs: Vec<String> =
        hourly.actions("1-24").iter().map(|action| property(action, "wfOutput").to_owned()).collect();
    assert_eq!(property(&pipeline.actions("1")[0], "wfInput"), outputs.join(","));
    // As printed, with seconds.
    let datasets = hourly.sandbox.read("foo/app/dataset-definitions/datasets.xml");
    let printed = datasets.replace("2009-01-01T00:15Z", "2009-01-01T00:15:00Z");
    assert_ne!(datasets, printed, "the fixture has no seconds");
    hourly.sandbox.write("foo/app/dataset-definitions/datasets.xml", &printed);
    check_slip(&hourly, "6.6.1, fourth example", "E1003");
}

/// Checks that a printed definition is refused with a code, as `docs/specification.md` says.
fn check_slip(printed: &Example, row: &'static str, code: &str) {
    let refusal = printed.refusal();
    assert!(refusal.contains(code), "{row}: {refusal}");
    Deviation { row, printed: "accepted" }.check("refused");
}

/// Definitions that are printed with a typing error.
#[test]
fn slips() {
    let end = ("2009-12-31T24:00Z", "2009-12-31T24:00");
    check_slip(&Example::altered("6.6.4", &PARAMETERS[4..], end), "6.6.4, definition", "E1003");
    check_slip(&Example::altered("6.6.8", &[], end), "6.6.8, definition", "E1003");
    let output = ("coord:dataOut('outputLogs')", "coord:dataOut('dailyLogs')");
    check_slip(&Example::altered("6.7.2", &[], output), "6.7.2, text", "E1004");
    let action = Example::altered("6.7.3", &[], ("<action><workflow>", "<action>"));
    let definition = action.sandbox.read("app/coordinator.xml").replace("</workflow></action>", "</action>");
    action.sandbox.write("app/coordinator.xml", &definition);
    check_slip(&action, "6.7.3, definition", "E0701");
    for name in ["6.10-4", "6.10-5"] {
        check_slip(&Example::altered(name, &[], ("min=\"2\"", "min=2")), "6.10, fourth and fifth example", "E0700");
    }
    let dollar = ("${coord:current(- (", "$coord:{current(- (");
    check_slip(&Example::altered("7.2-2", &[], dollar), "7.2, second case", "E1010");
    let dataset = ("dataset name=\"westlogs\"", "dataset name=\"estlogs\"");
    check_slip(&Example::altered("7.2-2", &[], dataset), "7.2, second case", "E0803");
}

/// The start of the range is moved forward to an instance: -90 minutes are -1 hour.
#[test]
fn ranges_of_offsets() {
    let example = Example::new("6.6.2-2", &[]);
    check(&example, 1, "wfInput", "logs/2009/01/01/23,logs/2009/01/02/00");
    check(&example, 1, "wfOutput", "logs/2009/01/02");
}

/// The day on which the clocks go forward has 23 hours.
#[test]
fn hours_of_a_day() {
    let example = Example::new("6.6.3", PARAMETERS);
    assert_eq!(counts(&example, "all", 0), [23, 24, 24, 24]);
}

/// The nominal time is the start of the following month, whose days are counted.
#[test]
fn days_of_a_month() {
    let example = Example::new("6.6.4", &PARAMETERS[4..]);
    let actions = example.actions("1-3");
    let counts: Vec<usize> = actions.iter().map(|action| uris(&action["inputs"][0]).len()).collect();
    assert_eq!(counts, [28, 31, 30]);
    assert_eq!(uris(&actions[1]["inputs"][0])[0], "hdfs://bar:8020/app/logs/us/en/200901/30");
    Deviation { row: "6.6.4, example", printed: "31, 28, 31" }.check("28, 31, 30");
}

#[test]
fn ranges_from_a_fixed_instance() {
    let example = Example::new("6.6.8", &[]);
    check(&example, 1, "wfInput", "logs/2009/01/01/01");
    let answer = check(&example, 2, "wfInput", "logs/2009/01/01/01,logs/2009/01/08/01");
    Deviation { row: "6.6.8", printed: "logs/2009/02/01,logs/2009/02/07" }.check(&answer);
}

#[test]
fn instances_before_the_initial_one() {
    let example = Example::new("6.6.11", &[]);
    // The first action is an hour after the initial instance, so it has two already.
    assert_eq!(counts(&example, "1-3", 0), [2, 3, 4]);
    assert_eq!(counts(&example, "22-24", 0), [23, 24, 24]);
    Deviation { row: "6.6.11", printed: "1, 2, ..., 24" }.check("2, 3, ..., 24");
}

#[test]
fn data_in_and_data_out() {
    let example = Example::new("6.7.1", &[]);
    check(&example, 1, "wfInput", &list("logs/2009/01/", hours(1, 24)));
    let end = |instance| format!("<end-instance>${{coord:current({instance})}}");
    let printed = Example::altered("6.7.1", &[], (&end(0), &end(-1)));
    let answer = check(&printed, 1, "wfInput", &list("logs/2009/01/", hours(1, 23)));
    Deviation { row: "6.7.1", printed: PRINTED_6_7_1 }.check(&answer);
    let example = Example::new("6.7.2", &[]);
    check(&example, 1, "wfInput", &list("logs/2009/01/", hours(1, 24)));
    let answer = check(&example, 1, "wfOutput", "daily-logs/2009/01/02");
    Deviation { row: "6.7.2", printed: "logs/2009/01/02" }.check(&answer);
}

const PRINTED_6_7_1: &str = "logs/2009/01/01/01, ... logs/2009/01/01/23,logs/2009/02/00/00";

#[test]
fn nominal_and_actual_times() {
    let node = [("nameNode", "hdfs://bar:8020")];
    let example = Example::new("6.7.3", &node);
    let times = example.nominal_times("1-3");
    assert_eq!(times, ["2009-01-02T00:00Z", "2009-01-03T00:00Z", "2009-01-04T00:00Z"]);
    example.check_count(364, "2009-12-31T00:00Z");
    Deviation { row: "6.7.3", printed: "2010-01-01T00:00Z" }.check("2009-12-31T00:00Z");
    let path = format!("hdfs://bar:8020/user/{}/examples/apps/aggregator", user_name());
    assert_eq!(example.actions("1")[0]["appPath"], path);
    let example = Example::new("6.7.4", &node);
    check(&example, 1, "who", &user_name());
    // A trial creates an action now, or ahead of its time.
    let ran = example.dryrun("2011-05-01T23:30Z", &["--actions", "1", "--check-data", "no"]);
    let document: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!(property(&document["actions"][0], "actualTime"), "2011-05-01");
}

#[test]
fn partitions() {
    let example = Example::new("6.8.3", &[]);
    for (name, expect) in [
        ("IN_DB", "myInputDatabase"),
        ("IN_TABLE", "myInputTable"),
        ("OUT_DB", "myOutputDatabase"),
        ("OUT_TABLE", "myOutputTable"),
        ("OUT_PARTITIONS", "'datestamp=20090101'"),
    ] {
        check(&example, 1, name, expect);
    }
    let one = |hour: String| format!("(datestamp=='200901{}' AND region=='USA')", hour.replace('/', ""));
    check(&example, 1, "FILTER", &hours(1, 24).map(one).collect::<Vec<_>>().join(" OR "));
    let example = Example::new("6.8.7", &[]);
    check(&example, 1, "DATE_MIN", "2009010101");
    check(&example, 1, "DATE_MAX", "2009010200");
    let answer = check(&example, 1, "OUT_PARTITION_VAL_DATE", "20090101");
    Deviation { row: "6.8.3 and 6.8.7, output", printed: "20090102" }.check(&answer);
    let answer = check(&example, 1, "OUT_PARTITION_VAL_REGION", "USA");
    Deviation { row: "6.8.7, region", printed: "${region}" }.check(&answer);
    let example = Example::new("6.8.8", &[]);
    for (name, expect) in [
        ("EXPORT_DB", "myInputDatabase1"),
        ("IMPORT_TABLE", "myInputTable2"),
        ("EXPORT_PARTITION", "year='2014',month='03',day='28',hour='08'"),
        ("EXPORT_PATH", "hdfs://bar:8020/staging/2014-03-28-08/data"),
    ] {
        check(&example, 1, name, expect);
    }
}

#[test]
fn dates() {
    let example = Example::new("6.9.1", &[]);
    check(&example, 1, "nextInstance", "2009-01-02T23:00Z");
    check(&example, 1, "previousInstance", "2008-12-31T23:00Z");
    let answer = check(&Example::new("6.9.2", &[]), 1, "myDate", "2009-01-01T16:00Z");
    Deviation { row: "6.9.2", printed: "2009-01-01T15:00Z" }.check(&answer);
}

fn counts(example: &Example, numbers: &str, input: usize) -> Vec<usize> {
    example.actions(numbers).iter().map(|action| uris(&action["inputs"][input]).len()).collect()
}

fn first_and_last(example: &Example, number: u32, input: usize) -> (String, String) {
    let action = &example.actions(&number.to_string())[0];
    let uris = uris(&action["inputs"][input]);
    let short = |uri: &str| uri.rsplit("/logs/").next().expect("a path").to_owned();
    (short(uris[0]), short(uris[uris.len() - 1]))
}

#[test]
fn zones() {
    let india = Example::new("7.1", &[]);
    assert_eq!(counts(&india, "1-3", 0), [1, 24, 24]);
    // Midnight in New York all year; on 8 March 2009 the day has 23 hours, on 1 November 25.
    let east = Example::new("7.2-1", &[]);
    let times = east.nominal_times("65-68");
    assert_eq!(times, ["2009-03-07T05:00Z", "2009-03-08T05:00Z", "2009-03-09T04:00Z", "2009-03-10T04:00Z"]);
    assert_eq!(counts(&east, "65-68", 0), [24, 23, 24, 24]);
    assert_eq!(counts(&east, "303-305", 0), [24, 25, 24]);
    let west = Example::new("7.2-2", &[]);
    assert_eq!(counts(&west, "66-67", 0), [23, 24]);
    assert_eq!(counts(&west, "66-67", 1), [23, 24]);
    assert_eq!(first_and_last(&west, 2, 0), ("eastcoast/2009/01/02/07".into(), "eastcoast/2009/01/03/06".into()));
    assert_eq!(first_and_last(&west, 2, 1), ("westcoast/2009/01/02/10".into(), "westcoast/2009/01/03/09".into()));
    // Berlin is 360 minutes ahead of New York, and 300 between 8 and 29 March.
    let europe = Example::new("7.2-3", &[]);
    assert_eq!(first_and_last(&europe, 3, 1).1, "europe/2009/01/03/23");
    assert_eq!(first_and_last(&europe, 68, 1).1, "europe/2009/03/09/23");
}

#[test]
fn service_levels() {
    let example = Example::new("12", &[]);
    assert_eq!(example.dryrun(NOW, &["--actions", "1", "--check-data", "no"]).status, Some(0));
    let printed = Example::altered("12", &[], ("sla:notification-msg", "sla:message"));
    assert!(printed.refusal().contains("E0701"));
    Deviation { row: "12, first example", printed: "accepted" }.check("refused");
}
