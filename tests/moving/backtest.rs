//! `backtest`: the recorded actions of an Oozie database, computed again.

use std::fs;

use serde_json::Value;

use howdah_sandbox::oozie_export::{self, ELSEWHERE, IN_LOS_ANGELES, IN_UTC, Machine, Tables};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const SUMMARY: &str = "11 actions of 4 coordinators: 4 equal, 7 explained by C2, C3, C18\n";

fn unchanged(_: &str, text: String) -> String {
    text
}

fn backtest(sandbox: &Sandbox, tables: &Tables, options: &[&str]) -> Ran {
    let export = sandbox.path("export.zip");
    oozie_export::zip(&export, tables);
    sandbox.howdah(["backtest"]).with(&export).with_all(options).run()
}

/// The fixture with a text replaced in one job.
fn changed(job: &str, from: &str, to: &str) -> Tables {
    oozie_export::fixture(IN_UTC, |name, text| {
        if name != job {
            return text;
        }
        assert!(text.contains(from), "{job}: {from}");
        text.replacen(from, to, 1)
    })
}

#[test]
fn every_action_is_computed_again() {
    let sandbox = Sandbox::new();
    let ran = backtest(&sandbox, &oozie_export::fixture(IN_UTC, unchanged), &[]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(SUMMARY), "{}", ran.stdout);
    insta::assert_snapshot!(ran.stdout);
    assert!(!sandbox.database_path().exists(), "no database is opened");
}

#[test]
fn a_folder_is_read_like_its_archive() {
    let sandbox = Sandbox::new();
    let tables = oozie_export::fixture(IN_UTC, unchanged);
    let archive = backtest(&sandbox, &tables, &[]);
    for (name, lines) in &tables {
        sandbox.write(&format!("export/{name}"), &lines.join("\r\n"));
    }
    let folder = sandbox.howdah(["backtest", "export"]).run();
    assert_eq!((folder.status, folder.stdout), (archive.status, archive.stdout));
}

#[test]
fn the_timeouts_of_the_server_are_compared_when_the_site_names_them() {
    let sandbox = Sandbox::new();
    let site = "oozie.service.coord.normal.default.timeout=120\noozie.service.coord.default.max.timeout=86400\n";
    let site = sandbox.write("site.properties", site).display().to_string();
    let ran = backtest(&sandbox, &oozie_export::fixture(IN_UTC, unchanged), &["--quiet", "--site", &site]);
    assert_eq!(ran.stdout, "11 actions of 4 coordinators: 7 equal, 4 explained by C18\n");
}

#[test]
fn the_zone_of_the_dates_is_found() {
    let sandbox = Sandbox::new();
    let tables = oozie_export::fixture(IN_LOS_ANGELES, unchanged);
    let hours: Vec<&str> = tables["ooziedb_ca.json"]
        .iter()
        .filter_map(|line| line.split("\"nominalTimestamp\":\"").nth(1)?.split('"').next())
        .filter(|date| date.contains(" 1:30:00"))
        .collect();
    assert_eq!(hours, ["Nov 1, 2026 1:30:00\u{202f}AM"; 2], "the hour that the clocks show twice");
    let ran = backtest(&sandbox, &tables, &[]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{}", ran.stdout);
    assert!(ran.stdout.contains("Zone of the dates: America/Los_Angeles"), "{}", ran.stdout);
    assert!(ran.stdout.ends_with(SUMMARY), "{}", ran.stdout);
}

#[test]
fn exports_of_machines_everywhere_give_the_same_result() {
    let sandbox = Sandbox::new();
    for machine in ELSEWHERE {
        let tables = oozie_export::fixture(machine, unchanged);
        for options in [&["--quiet"][..], &["--quiet", "--zone", machine.zone.name()]] {
            let ran = backtest(&sandbox, &tables, options);
            let found = (ran.status, ran.stdout.as_str(), ran.stderr.as_str());
            assert_eq!(found, (Some(0), SUMMARY, ""), "{} {options:?}", machine.zone);
        }
    }
}

#[test]
fn dates_that_the_clocks_showed_twice_give_no_order_of_start() {
    let sandbox = Sandbox::new();
    // Number 4 has started after number 3, but its date is earlier: the clocks were put back in between.
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/backtest/cron/job.txt"));
    let text = text.expect("a fixture");
    let (third, fourth) = ("started = 2026-07-03T06:01Z", "started = 2026-07-06T06:01Z");
    assert!(text.contains(third) && text.contains(fourth));
    let text = text.replace(third, "started = 2026-11-01T08:50Z").replace(fourth, "started = 2026-11-01T09:10Z");
    for machine in [IN_UTC, IN_LOS_ANGELES] {
        let tables = oozie_export::fixture(machine, |name, job| if name == "cron" { text.clone() } else { job });
        let ran = backtest(&sandbox, &tables, &["--quiet"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), SUMMARY), "{} {}", machine.zone, ran.stderr);
    }
}

#[test]
fn a_given_zone_must_be_that_of_the_dates() {
    let sandbox = Sandbox::new();
    let tables = oozie_export::fixture(IN_LOS_ANGELES, unchanged);
    let right = backtest(&sandbox, &tables, &["--zone", "America/Los_Angeles", "--quiet"]);
    assert_eq!((right.status, right.stdout.as_str()), (Some(0), SUMMARY));
    let wrong = backtest(&sandbox, &tables, &["--zone", "Europe/Berlin", "--quiet"]);
    assert_eq!(wrong.status, Some(1));
    assert!(wrong.stdout.contains("2026-11-01T01:30\n  howdah: 2026-11-01T09:30 in Europe/Berlin"), "{}", wrong.stdout);
    let none = backtest(&sandbox, &tables, &["--zone", "Europe/Berlim"]);
    assert_eq!(none.status, Some(2));
    assert!(none.stderr.contains("did you mean Europe/Berlin"), "{}", none.stderr);
}

#[test]
fn dates_that_fit_no_zone_are_reported() {
    let sandbox = Sandbox::new();
    let mut tables = oozie_export::fixture(IN_UTC, unchanged);
    let other = oozie_export::fixture(Machine { zone: chrono_tz::Tz::Asia__Tokyo, ..IN_UTC }, unchanged);
    let last = other["ooziedb_ca.json"].last().expect("an action").clone();
    tables.get_mut("ooziedb_ca.json").expect("the actions").push(last);
    let ran = backtest(&sandbox, &tables, &[]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("error[H0192]") && ran.stderr.contains("--zone"), "{}", ran.stderr);
}

/// One change of what is recorded must be found, at the action, and nothing else.
fn check(job: &str, (from, to): (&str, &str), expect: &[(&str, &str)]) {
    let sandbox = Sandbox::new();
    let ran = backtest(&sandbox, &changed(job, from, to), &["--json"]);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", ran.stderr));
    let found: Vec<(String, &str)> = report["differences"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|found| {
            let id = found["id"].as_str().expect("an id");
            let number = id.split_once('@').map_or("", |(_, number)| number);
            let name = found["name"].as_str().map(|name| format!(" {name}")).unwrap_or_default();
            (
                format!("{number} {}{name}", found["field"].as_str().expect("a field")),
                found["recorded"].as_str().unwrap(),
            )
        })
        .collect();
    let found: Vec<(&str, &str)> = found.iter().map(|(what, recorded)| (what.as_str(), *recorded)).collect();
    assert_eq!((ran.status, found), (Some(1), expect.to_vec()), "{job}: {from} -> {to}: {}", ran.stdout);
    assert_eq!(report["different"], u64::from(!expect[0].0.starts_with(' ')), "{job}: {to}");
}

#[test]
fn each_difference_is_found() {
    check(
        "daily",
        ("action 3 2026-11-01T07:00Z", "action 3 2026-11-01T08:00Z"),
        &[("3 nominalTime", "2026-11-01T08:00Z")],
    );
    check("daily", ("action 1 ", "action 2 "), &[("2 nominalTime", "2026-10-30T07:00Z")]);
    check(
        "daily",
        ("20261030/07#", "20261030/08#"),
        &[
            ("1 inputs logs", "hdfs://nn:8020/data/logs/20261030/08#hdfs://nn:8020/data/logs/20261029/07"),
            ("1 configuration logs", "hdfs://nn:8020/data/logs/20261030/07,hdfs://nn:8020/data/logs/20261029/07"),
        ],
    );
    check(
        "daily",
        ("in rates = hdfs://nn:8020/data/rates/20261022", "in rates = hdfs://nn:8020/data/rates/20261023"),
        &[
            ("1 inputs rates", "hdfs://nn:8020/data/rates/20261023"),
            ("1 configuration rates", "hdfs://nn:8020/data/rates/20261022"),
        ],
    );
    check(
        "daily",
        ("later rates = ${coord:latest(-1)}", "later rates = ${coord:latest(0)}"),
        &[("3 unresolved rates", "${coord:latest(0)}")],
    );
    check(
        "daily",
        ("out report = hdfs://nn:8020/data/report/2026-10-30", "out report = /2026"),
        &[("1 outputs report", "/2026")],
    );
    check(
        "daily",
        ("out report = hdfs://nn:8020/data/report/2026-10-30\n", ""),
        &[("1 outputs report", "no such event")],
    );
    check(
        "daily",
        ("missing = hdfs://nn:8020/data/logs/20261101/07/_SUCCESS", "missing = /x#/y"),
        &[("3 missingDependencies", "/x#/y")],
    );
    check(
        "daily",
        ("_SUCCESS!!${coord:latest(-1)}", "_SUCCESS!!${coord:future(0,1)}"),
        &[("3 missingDependencies", "${coord:future(0,1)}")],
    );
    check("daily", ("set day = 2026-11-02", "set day = 2026-11-03"), &[("4 configuration day", "2026-11-03")]);
    check("daily", ("set queue = slow\n\n", "set queue = slow\nset more = x\n\n"), &[("1 configuration more", "x")]);
}

#[test]
fn each_difference_of_other_jobs_is_found() {
    // An action that has started has no expressions left.
    check(
        "hourly",
        ("set id = 0000002-260101000000000-oozie-test-C@3", "set id = ${coord:actionId()}"),
        &[("3 configuration id", "${coord:actionId()}")],
    );
    check("hourly", ("path = /apps/hourly", "path = /apps/daily"), &[("1 appPath", "/apps/daily")]);
    check(
        "hourly",
        (
            "set id = 0000002-260101000000000-oozie-test-C@1\n",
            "set id = 0000002-260101000000000-oozie-test-C@1\ntimeout = 90\n",
        ),
        &[("1 timeout", "90")],
    );
    check("hourly", ("execution = LIFO", "execution = FIFO"), &[(" execution", "FIFO")]);
    check("hourly", ("unit = MINUTE", "unit = DAY"), &[(" frequency", "60 DAY")]);
    check(
        "cron",
        ("action 4 2026-07-06T06:00Z", "action 4 2026-07-04T06:00Z"),
        &[("4 nominalTime", "2026-07-04T06:00Z"), ("4 configuration at", "2026-07-06T06:00Z")],
    );
    check(
        "logic",
        ("set in = /two/030200,/two/030112", "set in = /one/030200,/one/030112"),
        &[("2 configuration in", "/one/030200,/one/030112")],
    );
    check(
        "logic",
        ("logic b = /two/030200/_SUCCESS", "logic b = /two/030300/_SUCCESS"),
        &[
            ("2 missingDependencies b", "/two/030300/_SUCCESS#/two/030112/_SUCCESS"),
            ("2 configuration", "in=/two/030200,/two/030112"),
        ],
    );
}

#[test]
fn the_order_of_start_is_compared_where_it_is_known() {
    check(
        "cron",
        ("started = 2026-07-03T06:01Z", "started = 2026-07-07T06:01Z"),
        &[("4 startOrder", "action 4 started before action 3")],
    );
}

/// The export of the job `cron` with one action, number 3, whose document has these attributes.
fn only_cron(attributes: &str, date: &str, definition: impl Fn(String) -> String) -> Tables {
    let mut tables = oozie_export::fixture(IN_UTC, unchanged);
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/backtest/cron");
    for (table, rows) in &mut tables {
        rows.retain(|row| {
            row.contains("\"appName\":\"cron\"") || row.contains("0000003-260101000000000-oozie-test-C@3\"")
        });
        for row in rows {
            let mut value: Value = serde_json::from_str(row).expect("a row");
            if *table == "ooziedb_cj.json" {
                for (field, file) in [("origJobXml", "coordinator.xml"), ("jobXml", "resolved.xml")] {
                    let text = fs::read_to_string(format!("{folder}/{file}")).expect("a fixture");
                    value[field] = oozie_export::blob(&definition(text));
                }
                value.as_object_mut().expect("a row").remove("startTimestamp");
            } else {
                let xml = format!(
                    "<coordinator-app {attributes}><action><workflow><app-path>/apps/cron</app-path><configuration>\
                     <property><name>at</name><value>2026-07-03T06:00{}</value></property></configuration></workflow>\
                     </action></coordinator-app>",
                    if attributes.contains("+0530") { "+0530" } else { "Z" }
                );
                value["actionXml"] = oozie_export::blob(&xml);
                value["nominalTimestamp"] = date.into();
            }
            *row = value.to_string();
        }
    }
    tables
}

const ONE_ACTION: &str = "1 action of 1 coordinator: 0 equal, 1 explained by C3\n";

#[test]
fn the_processing_time_zone_of_the_server_is_that_of_its_datetimes() {
    let sandbox = Sandbox::new();
    let in_india = |text: String| text.replace("T00:00Z", "T00:00+0530");
    let attributes = "action-nominal-time='2026-07-03T06:00+0530' action-actual-time='2026-07-03T06:00+0530'";
    let tables = only_cron(attributes, "Jul 3, 2026 12:30:00 AM", in_india);
    let ran = backtest(&sandbox, &tables, &["--quiet"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), ONE_ACTION, ""));
}

#[test]
fn a_zone_is_asked_for_where_only_a_date_says_when_an_action_was_due() {
    let sandbox = Sandbox::new();
    let tables = only_cron("", "Jul 2, 2026 11:00:00 PM", |text| text);
    let ran = backtest(&sandbox, &tables, &["--quiet"]);
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("name the zone with --zone"), "{}", ran.stderr);
    let ran = backtest(&sandbox, &tables, &["--quiet", "--zone", "America/Los_Angeles"]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), ONE_ACTION, ""));
}

#[test]
fn cron_that_follows_the_zone_of_the_job_is_a_ruling() {
    let sandbox = Sandbox::new();
    let mut tables = changed("cron", "zone = UTC", "zone = America/New_York");
    let rows = tables.get_mut("ooziedb_cj.json").expect("the jobs");
    let definition = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/backtest/cron/coordinator.xml"));
    let definition = definition.expect("a fixture").replace("timezone=\"UTC\"", "timezone=\"America/New_York\"");
    for row in rows.iter_mut().filter(|row| row.contains("\"appName\":\"cron\"")) {
        let mut value: Value = serde_json::from_str(row).expect("a row");
        value["origJobXml"] = oozie_export::blob(&definition);
        *row = value.to_string();
    }
    let ran = backtest(&sandbox, &tables, &["--quiet"]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), SUMMARY), "summer, as at the start: {}", ran.stderr);
    // In winter Oozie keeps the local time.
    let winter = |line: &mut String| {
        let mut row: Value = serde_json::from_str(line).expect("a row");
        if row["id"] == "0000003-260101000000000-oozie-test-C@5" {
            let xml = "<coordinator-app action-nominal-time=\"2026-11-03T07:00Z\" action-actual-time=\"2026-11-03T07:00Z\">\
                       <action><workflow><app-path>/apps/cron</app-path><configuration><property><name>at</name>\
                       <value>${coord:nominalTime()}</value></property></configuration></workflow></action>\
                       </coordinator-app>";
            row["id"] = "0000003-260101000000000-oozie-test-C@90".into();
            row["actionNumber"] = 90.into();
            row["nominalTimestamp"] = "Nov 3, 2026 7:00:00 AM".into();
            row["actionXml"] = oozie_export::blob(xml);
        }
        *line = row.to_string();
    };
    tables.get_mut("ooziedb_ca.json").expect("the actions").iter_mut().for_each(winter);
    let ran = backtest(&sandbox, &tables, &["--quiet"]);
    assert_eq!(ran.stdout, SUMMARY.replace("C18", "C18, C25"), "{}", ran.stderr);
}

#[test]
fn broken_rows_are_reported_with_their_place_and_the_others_are_read() {
    let sandbox = Sandbox::new();
    let mut tables = oozie_export::fixture(IN_UTC, unchanged);
    let actions = tables.get_mut("ooziedb_ca.json").expect("the actions");
    let half = actions[0].len() / 2;
    actions[0].truncate(half);
    // `gz` becomes `lz`.
    actions[1] = actions[1].replacen("0,2,103,122,", "0,2,108,122,", 1);
    let at = actions[2].find("\"actionXml\":{\"rawBlob\":[").expect("a blob");
    let end = at + actions[2][at..].find(']').expect("its end");
    let middle = actions[2][..usize::midpoint(at, end)].rfind(',').expect("a number");
    actions[2].replace_range(middle..end, "");
    actions[3] = actions[3].replace("0000002-260101000000000-oozie-test-C\"", "0000008-260101000000000-oozie-test-C\"");
    actions.push("no JSON".to_owned());
    let ran = backtest(&sandbox, &tables, &[]);
    assert_eq!(ran.status, Some(1));
    for expect in [
        "ooziedb_ca.json, line 1: the line ends where",
        "ooziedb_ca.json, line 2: the field [createdConf]: unknown codec [lz]; only gz is known",
        "ooziedb_ca.json, line 3: the field [actionXml]: it cannot be unpacked",
        "ooziedb_ca.json, line 4: the export has no usable coordinator job [0000008",
        "ooziedb_ca.json, line 12: the line is not JSON",
    ] {
        assert!(ran.stderr.contains(&format!("error[H0191]: {expect}")), "{expect}: {}", ran.stderr);
    }
    assert!(ran.stdout.contains("12 actions of 4 coordinators: 3 equal, 4 explained by C3, C18, 5 not compared"));
}

#[test]
fn damage_of_a_table_and_a_missing_table_are_reported() {
    let sandbox = Sandbox::new();
    let export = sandbox.path("export.zip");
    oozie_export::zip(&export, &oozie_export::fixture(IN_UTC, unchanged));
    let mut bytes = fs::read(&export).expect("the export");
    let name = b"ooziedb_ca.json";
    let entry =
        bytes.windows(4 + 42 + name.len()).position(|part| part.starts_with(b"PK\x01\x02") && part.ends_with(name));
    // A byte of the checksum.
    bytes[entry.expect("the entry of the actions") + 16] ^= 1;
    fs::write(&export, &bytes).expect("the export");
    let ran = sandbox.howdah(["backtest", "export.zip", "--quiet"]).run();
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), SUMMARY), "what can be read is compared");
    assert!(
        ran.stderr.contains("error[H0191]: ooziedb_ca.json, line 12: the table cannot be read further"),
        "{}",
        ran.stderr
    );
    let middle = bytes.len() / 2;
    fs::write(&export, &bytes[..middle]).expect("the export");
    let cut = sandbox.howdah(["backtest", "export.zip"]).run();
    assert!(cut.status == Some(1) && cut.stderr.contains("H0190"), "{}", cut.stderr);
    for (missing, status) in [("ooziedb_wf.json", 1), ("ooziedb_bnj.json", 1)] {
        let mut tables = oozie_export::fixture(IN_UTC, unchanged);
        tables.remove(missing).expect("a table");
        let ran = backtest(&sandbox, &tables, &["--quiet"]);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(status), SUMMARY));
        assert!(ran.stderr.contains(&format!("it has no table {missing}")), "{}", ran.stderr);
    }
}

#[test]
fn a_job_that_is_refused_is_reported_once() {
    let sandbox = Sandbox::new();
    let ran = backtest(&sandbox, &changed("daily", "conf root = data\n", ""), &["--quiet"]);
    assert_eq!(ran.status, Some(1));
    let tables = changed("daily", "conf queue = slow\n", "");
    let refused = backtest(&sandbox, &tables, &["--quiet"]);
    assert_eq!(refused.status, Some(1));
    assert_eq!(refused.stderr.matches("variable [queue] cannot be resolved").count(), 1, "{}", refused.stderr);
    assert!(refused.stdout.contains("3 not compared"), "{}", refused.stdout);
}

#[test]
fn what_is_no_export_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("text.zip", "no archive");
    sandbox.write("empty/readme", "");
    sandbox.write("jobs/ooziedb_cj.json", "");
    for (path, expect) in [
        ("none.zip", "there is nothing"),
        ("text.zip", "it is no zip archive"),
        ("empty", "it has no table ooziedb_cj.json"),
        ("jobs", "it has no table ooziedb_ca.json"),
    ] {
        let ran = sandbox.howdah(["backtest", path]).run();
        assert_eq!(ran.status, Some(1), "{path}");
        assert!(ran.stderr.contains("error[H0190]") && ran.stderr.contains(expect), "{path}: {}", ran.stderr);
    }
}
