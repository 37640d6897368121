//! `import oozie`: the live jobs of an export, or of a folder of applications, as files and a report.

use serde_json::Value;

use crate::application::{Coordinator, shell, workflow};
use crate::oozie_export::{self, IN_LOS_ANGELES, IN_UTC, Machine};
use crate::sandbox::{Ran, Sandbox};

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
