//! What submission refuses, and the text of the refusal: every file and folder of `fixtures/invalid` is submitted and
//! the output compared with a snapshot. Its name starts with the code of the refusal.
//!
//! A definition (`.xml`) is submitted with usual properties, a properties file with a usual definition; a folder
//! contains an application of several files, in which `SANDBOX` is replaced by the folder of the test.

use std::fs;
use std::path::{Path, PathBuf};

use howdah_sandbox::sandbox::Sandbox;

const COORDINATOR: &str = include_str!("../../fixtures/valid/coordinator.xml");
const WORKFLOW: &str = include_str!("../../fixtures/valid/workflow.xml");

fn fixtures() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/invalid");
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("the fixtures").flatten().map(|entry| entry.path()).collect();
    found.sort();
    found
}

/// Copies a fixture into a sandbox that has everything else.
fn prepare(sandbox: &Sandbox, fixture: &Path) {
    sandbox.write("workflow/workflow.xml", WORKFLOW);
    let extension = fixture.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let is_workflow =
        extension == "xml" && fs::read_to_string(fixture).is_ok_and(|text| text.contains("<workflow-app"));
    let name = if is_workflow { "workflow" } else { "coordinator" };
    let property = if is_workflow { "wf" } else { "coord" };
    sandbox.write("job.properties", &format!("oozie.{property}.application.path=${{sandbox}}/app\n"));
    match extension {
        "xml" => copy(sandbox, fixture, &format!("app/{name}.xml")),
        "properties" => {
            sandbox.write("app/coordinator.xml", COORDINATOR);
            copy(sandbox, fixture, "job.properties");
        }
        _ => {
            for file in fs::read_dir(fixture).expect("a folder").flatten() {
                copy(sandbox, &file.path(), &format!("app/{}", file.file_name().to_string_lossy()));
            }
        }
    }
}

fn copy(sandbox: &Sandbox, from: &Path, to: &str) {
    let bytes = fs::read(from).expect("a fixture");
    let place = sandbox.write(to, "");
    match String::from_utf8(bytes) {
        Ok(text) => fs::write(place, text.replace("SANDBOX", &sandbox.text(""))),
        Err(error) => fs::write(place, error.into_bytes()),
    }
    .expect("a file");
}

fn has_database(sandbox: &Sandbox) -> bool {
    sandbox.database_path().exists()
}

#[test]
fn a_command_line_of_oozies_habit_is_refused_with_the_command_to_write() {
    let sandbox = Sandbox::new();
    for (line, told) in [
        (
            "job -oozie http://h:11000/oozie -config job.properties -run",
            "error: unrecognized subcommand 'job'\n\n  tip: in howdah this is `howdah submit -c job.properties`; `howdah oozie` takes",
        ),
        ("rerun load -action 1-3", "`howdah rerun load --action 1-3`"),
        ("job -start load", "`howdah info load` (a submitted job starts by itself)"),
        ("version", "`howdah --version`"),
        ("frobnicate", "unrecognized subcommand 'frobnicate'"),
    ] {
        let ran = sandbox.howdah(line.split(' ')).run();
        assert!(ran.status == Some(2) && ran.stdout.is_empty() && ran.stderr.contains(told), "{line}: {ran:?}");
        assert_eq!(ran.stderr.matches("error:").count(), 1, "{ran:?}");
    }
    assert!(!has_database(&sandbox));
}

#[test]
fn every_invalid_fixture_is_refused_in_its_own_words() {
    let mut failures = Vec::new();
    for fixture in fixtures() {
        let sandbox = Sandbox::new();
        prepare(&sandbox, &fixture);
        let ran = sandbox.howdah(["submit", "-c", "job.properties"]).define("sandbox", &sandbox.text("")).run();
        let stem = fixture.file_stem().expect("a name").to_string_lossy().into_owned();
        let code = stem.split('_').next().unwrap_or_default();
        let told = sandbox.redact(&ran.stderr);
        for (holds, what) in [
            (ran.status == Some(1) && ran.stdout.is_empty(), "is not refused"),
            (told.contains(&format!("error[{code}]")), "is refused for another reason"),
            (told.contains("= help: "), "is refused without advice"),
            (told.contains("--> ") || code == "E0401", "is refused without a place"),
            (!has_database(&sandbox), "left a database"),
        ] {
            if !holds {
                failures.push(format!("{stem} {what}: {told}"));
            }
        }
        insta::assert_snapshot!(stem, told);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Returns the status and the output of a command line, with a valid application.
fn check(arguments: &[&str], status: i32, expect: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("app/coordinator.xml", COORDINATOR);
    let ran = sandbox.howdah(arguments.iter().copied()).run();
    assert_eq!(sandbox.redact(&ran.stderr), expect, "{arguments:?}");
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(status), ""), "{arguments:?}");
    assert!(!has_database(&sandbox), "{arguments:?} left a database");
}

#[test]
fn wrong_arguments_differ_from_wrong_jobs() {
    check(
        &["submit", "-D", "nameNode"],
        2,
        "error[H0002]: -D nameNode: this is not a definition\n |\n = help: write -D name=value\n",
    );
    check(
        &["submit", "-c", "job.propertys"],
        1,
        "error[H0110]: Cannot read [job.propertys]: No such file or directory (os error 2)\n |\n \
         = help: name a file of properties that you can read with -c\n",
    );
    check(
        &["submit"],
        1,
        "error[E0401]: Missing configuration property [oozie.coord.application.path]\n |\n \
         = help: set oozie.coord.application.path, oozie.wf.application.path or oozie.bundle.application.path in the \
         properties file or with -D\n",
    );
}

#[test]
fn a_tick_makes_no_database() {
    let sandbox = Sandbox::new();
    let ran = sandbox.howdah(["tick"]).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.contains("error[H0100]"), "{ran:?}");
    assert!(!has_database(&sandbox), "{ran:?}");
}

#[test]
fn problems_are_one_document_with_json() {
    let sandbox = Sandbox::new();
    sandbox.write("job.properties", "oozie.coord.application.path=/none\n");
    let ran = sandbox.howdah(["submit", "-c", "job.properties", "--json"]).run();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""));
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    let problem = serde_json::json!({
        "severity": "error", "code": "E0504", "message": "App directory [/none] does not exist",
        "file": "job.properties", "line": 1, "column": 1, "help": "there is nothing at /none",
    });
    assert_eq!(document, serde_json::json!({ "problems": [problem] }));
}

#[test]
fn warnings_do_not_refuse() {
    let sandbox = Sandbox::new();
    let xml =
        COORDINATOR.replace("${coord:days(1)}\"\n", "1\"\n").replacen("${sandbox}/logs", "hdfs://nn:8020/logs", 1);
    sandbox.write("app/coordinator.xml", &xml);
    sandbox.write("job.properties", "oozie.coord.application.path=${sandbox}/app\na=1\na=2\n");
    let submit = |arguments: &[&str]| {
        let howdah = sandbox.howdah(["submit", "-c", "job.properties"].into_iter().chain(arguments.iter().copied()));
        howdah.define("sandbox", &sandbox.text("")).run()
    };
    let ran = submit(&[]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    assert!(ran.stdout.starts_with("job: "), "{}", ran.stdout);
    insta::assert_snapshot!("warnings_of_submission", sandbox.redact(&ran.stderr));
    assert_eq!(submit(&["--quiet"]).stderr, "");
}
