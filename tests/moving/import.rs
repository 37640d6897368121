//! `import oozie`: the live jobs of an export, or of a folder of applications, as files and a report.

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::oozie_export::{self, IN_LOS_ANGELES, IN_UTC, Machine};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const WORKFLOW: &str = r#"<workflow-app name="west" xmlns="uri:oozie:workflow:0.5">
  <credentials><credential name="meta" type="hcat"><property><name>a</name><value>b</value></property></credential>
  </credentials>
  <start to="load"/>
  <action name="load" cred="meta"><hive2 xmlns="uri:oozie:hive2-action:0.1"><jdbc-url>u</jdbc-url><script>s</script>
  </hive2><ok to="end"/><error to="end"/></action>
  <end name="end"/>
</workflow-app>
"#;

fn import(sandbox: &Sandbox, machine: Machine, options: &[&str]) -> Ran {
    let export = sandbox.path("export.zip");
    oozie_export::zip(&export, &oozie_export::fixture(machine, |_, text| text));
    let howdah = sandbox.howdah(["import", "oozie"]).with(&export).with_all(options);
    howdah.env("PATH", sandbox.path("bin")).run()
}

fn document(ran: &Ran) -> Value {
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    serde_json::from_str(&ran.stdout).expect("one document")
}

fn job<'a>(document: &'a Value, folder: &str) -> &'a Value {
    let jobs = document["jobs"].as_array().expect("a list");
    jobs.iter().find(|job| job["folder"] == folder).unwrap_or_else(|| panic!("no {folder} in {document}"))
}

#[test]
fn each_live_job_of_an_export_becomes_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.write("data/data/apps/west/workflow.xml", WORKFLOW);
    let mount = format!("hdfs://nn:8020={}", sandbox.text("data"));
    let ran = import(&sandbox, IN_UTC, &["--to", "imported", "--mount", &mount]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    insta::assert_snapshot!("import_export", sandbox.redact(&ran.stdout));
    let folder = "imported/daily-west-0000001";
    let original =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/backtest/daily/coordinator.xml"));
    assert_eq!(sandbox.read(&format!("{folder}/coordinator.xml")), original.expect("a fixture"));
    assert!(sandbox.read(&format!("{folder}/job.properties")).contains("base=hdfs://nn:8020/${root}\n"));
    let state: Value = serde_json::from_str(&sandbox.read(&format!("{folder}/state.json"))).expect("a document");
    // Action 5 of a daily coordinator of Los Angeles, after the end of the summer time.
    assert_eq!((&state["lastActionNumber"], &state["nextNominalTime"]), (&4.into(), &"2026-11-03T08:00Z".into()));
    assert_eq!(state["openActions"][0]["status"], "RUNNING");
    assert!(sandbox.read("imported/nightly-0000009/bundle.xml").starts_with("<bundle-app name='nightly'"));
    assert!(!sandbox.path("imported/logic-0000004").exists(), "a job that is over stays where it is");
    assert!(!sandbox.database_path().exists(), "no database is opened");
    let again = import(&sandbox, IN_UTC, &["--to", "imported"]);
    assert!(again.status == Some(1) && again.stderr.contains("H0175"), "{again:?}");
}

#[test]
fn what_is_missing_here_has_a_line_to_fix_it() {
    let sandbox = Sandbox::new();
    let found = document(&import(&sandbox, IN_UTC, &["--json"]));
    let of = |document: &Value, word: &str| {
        let daily = job(document, "daily-west-0000001")["missing"].as_array().expect("a list");
        let missing = daily.iter().find(|missing| missing["what"].as_str().is_some_and(|what| what.contains(word)));
        missing.map(|missing| missing["fix"].as_str().unwrap_or_default().to_owned())
    };
    assert!(of(&found, "hdfs://nn:8020").expect("a mount").contains("--mount hdfs://nn:8020="), "{found}");
    sandbox.write("data/data/apps/west/workflow.xml", WORKFLOW);
    let mount = format!("hdfs://nn:8020={}", sandbox.text("data"));
    let found = document(&import(&sandbox, IN_UTC, &["--json", "--mount", &mount]));
    assert_eq!(of(&found, "No mount"), None);
    assert!(of(&found, "the program [beeline]").expect("a program").contains("howdah.command.beeline"));
    assert!(of(&found, "the credential [meta] of type [hcat]").is_some());
    assert_eq!(job(&found, "daily-west-0000001")["actions"][0], "hive2");
    sandbox.write("bin/beeline", "");
    let found = document(&import(&sandbox, IN_UTC, &["--json", "--mount", &mount]));
    assert_eq!(of(&found, "the program"), None, "it is installed");
}

#[test]
fn dates_are_read_in_the_zone_of_the_server() {
    let ends = [IN_UTC, IN_LOS_ANGELES].map(|machine| {
        let found = document(&import(&Sandbox::new(), machine, &["--json"]));
        job(&found, "daily-west-0000001")["endTime"].clone()
    });
    assert_eq!(ends, [Value::from("2026-12-29T07:00Z"), Value::from("2026-12-29T07:00Z")]);
}

/// A job without a next time is said to create no more actions.
#[test]
fn the_recorded_next_time_stays_where_the_definition_cannot_be_used() {
    let sandbox = Sandbox::new();
    for (last, recorded, expect) in
        [(4, Some("Nov 3, 2026 12:00:00 AM"), "2026-11-03T08:00Z"), (0, None, "2026-10-30T07:00Z")]
    {
        let mut tables = oozie_export::fixture(IN_LOS_ANGELES, |_, text| text);
        for line in tables.get_mut("ooziedb_cj.json").expect("the jobs") {
            let mut row: Value = serde_json::from_str(line).expect("a row");
            if row["appName"] == "daily-west" {
                row["conf"] = Value::Null;
                row["lastActionNumber"] = last.into();
                row["nextMaterializedTimestamp"] = recorded.into();
                *line = row.to_string();
            }
        }
        let export = sandbox.path("export.zip");
        oozie_export::zip(&export, &tables);
        let import = sandbox.howdah(["import", "oozie", "--json", "--zone", "America/Los_Angeles"]).with(&export);
        let found = document(&import.run());
        assert_eq!(job(&found, "daily-west-0000001")["nextNominalTime"], expect, "{found}");
        let planned =
            sandbox.howdah(["takeover", "--zone", "America/Los_Angeles"]).with(&export).with("daily-west").run();
        assert!(planned.status == Some(1) && planned.stdout.contains("refused: daily-west"), "{planned:?}");
    }
}

#[test]
fn the_next_nominal_time_is_computed_and_compared_with_the_recorded_one() {
    let sandbox = Sandbox::new();
    let daily_of = |next: Option<&str>, last: u32| {
        let mut tables = oozie_export::fixture(IN_LOS_ANGELES, |_, text| text);
        let rows = tables.get_mut("ooziedb_cj.json").expect("the jobs").iter_mut();
        for line in rows.filter(|line| line.contains("\"appName\":\"daily-west\"")) {
            let mut row: Value = serde_json::from_str(line).expect("a row");
            row["lastActionNumber"] = last.into();
            row["statusStr"] = if last == 0 { "PREP" } else { "RUNNING" }.into();
            row["nextMaterializedTimestamp"] = next.into();
            *line = row.to_string();
        }
        let export = sandbox.path("export.zip");
        oozie_export::zip(&export, &tables);
        let found = document(&sandbox.howdah(["import", "oozie"]).with(&export).with_all(&["--json"]).run());
        let daily = job(&found, "daily-west-0000001");
        let missing = daily["missing"].as_array().expect("a list").iter().filter_map(|one| one["what"].as_str());
        let differs = missing.filter(|what| what.contains("next nominal time")).map(str::to_owned).next();
        (daily["nextNominalTime"].as_str().expect("a time").to_owned(), differs)
    };
    // Before the first action Oozie records none: the first one is due at the start.
    assert_eq!(daily_of(None, 0), ("2026-10-30T07:00Z".to_owned(), None));
    assert_eq!(daily_of(Some("Nov 3, 2026 12:00:00\u{202f}AM"), 4), ("2026-11-03T08:00Z".to_owned(), None));
    let differs = "the next nominal time: Oozie recorded 2026-11-04T00:00, the definition gives 2026-11-03T00:00 (both \
                   in America/Los_Angeles)";
    let expect = ("2026-11-03T08:00Z".to_owned(), Some(differs.to_owned()));
    assert_eq!(daily_of(Some("Nov 4, 2026 12:00:00 AM"), 4), expect);
}

#[test]
fn a_folder_of_applications_is_imported_without_a_state() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-02T00:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let (path, own) = (sandbox.text("app"), sandbox.text(""));
    sandbox.write("apps/a/job.properties", &format!("oozie.coord.application.path={path}\nsandbox={own}\n"));
    let options = ["import", "oozie", "apps", "--to", "imported", "--json"];
    let found = document(&sandbox.howdah(options).at("2010-01-01T05:30Z").run());
    let test = job(&found, "test");
    assert_eq!((&test["nextNominalTime"], &test["actions"][0]), (&"2010-01-01T06:00Z".into(), &"shell".into()));
    assert_eq!(test["missing"], Value::Array(Vec::new()), "{test}");
    assert_eq!(sandbox.read("imported/test/coordinator.xml"), sandbox.read("app/coordinator.xml"));
    let empty = sandbox.howdah(["import", "oozie", "none"]).run();
    assert!(empty.status == Some(1) && empty.stderr.contains("H0190"), "{empty:?}");
}

/// Imports the jobs of `fixtures/backtest`, with rows of the coordinator jobs and of all tables changed.
fn import_changed(sandbox: &Sandbox, change: impl Fn(&str, Value) -> Value, options: &[&str]) -> Ran {
    let mut tables = oozie_export::fixture(IN_UTC, |_, text| text);
    for (table, lines) in &mut tables {
        for line in lines {
            *line = change(table, serde_json::from_str(line).expect("a row")).to_string();
        }
    }
    oozie_export::zip(&sandbox.path("export.zip"), &tables);
    sandbox.howdah(["import", "oozie", "export.zip"]).with_all(options).env("PATH", sandbox.path("bin")).run()
}

#[test]
fn what_an_export_says_leaves_no_folder() {
    let sandbox = Sandbox::new();
    let change = |table: &str, mut row: Value| {
        if table == "ooziedb_cj.json" && row["appName"] == "hourly" {
            row["id"] = "x/../../evil/../..-260101000000000-oozie-test-C".into();
            row["appName"] = "../../x".into();
        } else if table == "ooziedb_cj.json" && row["appName"] == "cron" {
            row["appName"] = "n".repeat(300).into();
            row["lastActionNumber"] = u32::MAX.into();
        } else if table == "ooziedb_bnj.json" {
            row["id"] = "..-B".into();
            row["appName"] = "".into();
        }
        row
    };
    let ran = import_changed(&sandbox, change, &["--to", "a/b/imported", "--quiet"]);
    assert_eq!(ran.stderr.lines().find(|line| line.contains("panic") || line.contains("H0111")), None, "{ran:?}");
    let list = |folder: &str| {
        let entries = std::fs::read_dir(sandbox.path(folder)).expect("a folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    assert_eq!((list("a"), list("a/b")), (vec!["b".to_owned()], vec!["imported".to_owned()]));
    let long = format!("{}-0000003", "n".repeat(170));
    assert_eq!(list("a/b/imported"), ["_.._x-x_.._.._evil_.._..", "daily-west-0000001", "ended.json", "job", &long]);
    assert!(ran.stdout.contains("_.._x-x_.._.._evil_.._..: coordinator"), "{ran:?}");
}

#[test]
fn only_the_owner_reads_what_is_written() {
    use std::os::unix::fs::PermissionsExt as _;

    let sandbox = Sandbox::new();
    let ran = import(&sandbox, IN_UTC, &["--to", "imported"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    for path in ["", "/coordinator.xml", "/job.properties", "/state.json"] {
        let file = sandbox.path(&format!("imported/daily-west-0000001{path}"));
        let mode = std::fs::metadata(&file).expect("what was written").permissions().mode() & 0o077;
        assert_eq!(mode, 0, "{path}");
    }
}

#[test]
fn a_file_that_is_no_definition_is_not_copied() {
    let sandbox = Sandbox::new();
    let secret = sandbox.write("secret", "root:$6$salt$hash:19000::::::\n");
    for (property, name) in [("coord", "coordinator"), ("wf", "workflow"), ("bundle", "bundle")] {
        let line = format!("oozie.{property}.application.path={}\n", secret.display());
        sandbox.write(&format!("apps/{name}/job.properties"), &line);
    }
    let ran = sandbox.howdah(["import", "oozie", "apps", "--to", "imported"]).at("2010-01-01T00:00Z").run();
    assert!(!format!("{ran:?}").contains("$6$"), "{ran:?}");
    for name in ["coordinator", "workflow", "bundle"] {
        let files = std::fs::read_dir(sandbox.path(&format!("imported/{name}"))).expect("a folder");
        let names: Vec<_> = files.map(|file| file.expect("a file").file_name()).collect();
        assert_eq!(names, ["job.properties"], "{name}");
    }
}

const IN_LONDON: Machine = Machine { zone: chrono_tz::Tz::Europe__London, ..IN_UTC };

/// An export of a machine in London with one job, from 1 January to 1 July, and one action.
fn of_winter(sandbox: &Sandbox, nominal: &str, options: &[&str]) -> Ran {
    let definition = "<coordinator-app name='winter' frequency='${coord:days(1)}' start='2026-01-01T00:00Z' \
                      end='2026-07-01T00:00Z' timezone='UTC' xmlns='uri:oozie:coordinator:0.4'><action><workflow>\
                      <app-path>/wf</app-path></workflow></action></coordinator-app>";
    let id = "0000001-260101000000000-oozie-test-C";
    let definition = oozie_export::blob(definition);
    let job = serde_json::json!({
        "id": id, "appName": "winter", "user": "ann", "statusStr": "RUNNING", "appPath": "/app", "frequency": "1",
        "timeUnitStr": "DAY", "timeZone": "UTC", "execution": "FIFO", "timeOut": 120, "lastActionNumber": 100,
        "startTimestamp": "Jan 01, 2026 12:00:00 AM", "endTimestamp": "Jul 01, 2026 12:00:00 AM",
        "origJobXml": definition, "jobXml": definition, "conf": oozie_export::blob("<configuration/>"),
    });
    let (local, nominal) = nominal.split_once(" = ").expect("a date and an instant");
    let document = format!("<coordinator-app action-nominal-time='{nominal}'/>");
    let action = serde_json::json!({
        "id": format!("{id}@9"), "jobId": id, "actionNumber": 9, "statusStr": "SUCCEEDED",
        "nominalTimestamp": local, "actionXml": oozie_export::blob(&document),
    });
    let tables = [("ooziedb_cj.json", job), ("ooziedb_ca.json", action)];
    let lines = |row: Value| vec![IN_LONDON.rewrite(&row.to_string().replace("${", "$\\u007b"))];
    let tables = tables.map(|(table, row)| (table, lines(row))).into_iter().collect();
    oozie_export::zip(&sandbox.path("export.zip"), &tables);
    sandbox.howdah(["import", "oozie", "export.zip"]).with_all(options).env("PATH", sandbox.path("bin")).run()
}

#[test]
fn a_date_is_known_where_all_zones_agree() {
    let sandbox = Sandbox::new();
    let end = |ran: &Ran| {
        let document: Value = serde_json::from_str(&ran.stdout).expect("one document");
        (job(&document, "winter-0000001")["endTime"].clone(), document["problems"][0]["code"].clone())
    };
    // Winter shows no difference between London and UTC.
    let winter = "Jan 09, 2026 12:00:00 AM = 2026-01-09T00:00Z";
    let unknown = of_winter(&sandbox, winter, &["--json"]);
    assert_eq!((unknown.status, end(&unknown)), (Some(1), (Value::Null, "H0192".into())));
    let told = of_winter(&sandbox, winter, &[]);
    assert!(told.stderr.contains("UTC and Europe/London fit") && told.stderr.contains("--zone"), "{told:?}");
    assert!(!told.stdout.contains("the dates of the export are in"), "{told:?}");
    let named = of_winter(&sandbox, winter, &["--json", "--zone", "Europe/London"]);
    assert_eq!((named.status, end(&named)), (Some(0), ("2026-07-01T00:00Z".into(), Value::Null)));
    // The nominal time of an action in summer does.
    let summer = of_winter(&sandbox, "May 01, 2026 12:00:00 AM = 2026-05-01T00:00Z", &["--json"]);
    assert_eq!((summer.status, end(&summer)), (Some(0), ("2026-07-01T00:00Z".into(), Value::Null)));
}
