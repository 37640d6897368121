//! `dryrun` and `validate`: both look and neither stores.

use serde_json::{Value, json};

use crate::sandbox::{Ran, Sandbox};

const COORDINATOR: &str = include_str!("../../fixtures/valid/coordinator.xml");
const WORKFLOW: &str = include_str!("../../fixtures/valid/workflow.xml");

/// A sandbox with a coordinator, its workflow and the input of its first day.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("app/coordinator.xml", COORDINATOR);
    sandbox.write("workflow/workflow.xml", WORKFLOW);
    sandbox.write("logs/2026/03/01/_SUCCESS", "");
    sandbox
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let root = sandbox.text("");
    let ran = sandbox.howdah(arguments.iter().copied()).define("sandbox", &root).run();
    assert!(!sandbox.database_path().exists(), "{arguments:?} made a database");
    ran
}

fn dryrun(sandbox: &Sandbox, property: &str, arguments: &[&str]) -> Ran {
    let application =
        format!("{property}={}", sandbox.text(if property.contains("coord") { "app" } else { "workflow" }));
    let arguments: Vec<&str> =
        ["dryrun", "-D", "user.name=joe", "-D", &application].into_iter().chain(arguments.iter().copied()).collect();
    run(sandbox, &arguments)
}

const COORD: &str = "oozie.coord.application.path";
const WF: &str = "oozie.wf.application.path";

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn a_dry_run_shows_every_action() {
    let sandbox = sandbox();
    let ran = dryrun(&sandbox, COORD, &["--actions", "2"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    insta::assert_snapshot!("dryrun_text", sandbox.redact(&ran.stdout));
    for (extent, expect) in [(&[][..], 12), (&["--actions", "all"], 31), (&["--actions", "0"], 0)] {
        let ran = dryrun(&sandbox, COORD, extent);
        assert_eq!(ran.stdout.matches("\naction ").count(), expect, "{extent:?}");
    }
    assert_eq!(dryrun(&sandbox, COORD, &["--actions", "some"]).status, Some(2));
}

#[test]
fn a_dry_run_as_json_has_the_promised_fields() {
    let sandbox = sandbox();
    let ran = dryrun(&sandbox, COORD, &["--actions", "2", "--json"]);
    let answer = document(&sandbox.redact(&ran.stdout));
    let instance = |day: &str, state: &str| {
        let path = format!("[sandbox]/logs/2026/03/{day}");
        json!({ "nominalTime": format!("2026-03-{day}T00:00Z"), "uri": path, "path": path, "state": state })
    };
    let action = |number: u32, day: &str, state: &str| {
        json!({
            "actionNumber": number, "nominalTime": format!("2026-03-{day}T00:00Z"), "ready": state == "present",
            "inputs": [{
                "name": "input", "dataset": "logs", "beforeInitialInstance": 0, "instances": [instance(day, state)],
            }],
            "outputs": [], "appPath": "[sandbox]/workflow",
            "configuration": { "input": format!("[sandbox]/logs/2026/03/{day}") },
        })
    };
    assert_eq!(answer["actions"], json!([action(1, "01", "present"), action(2, "02", "missing")]));
    assert_eq!(answer["problems"], json!([]));
    assert_eq!(answer["coordJob"]["frequency"], "1");
    let names: Vec<&String> = answer["coordJob"].as_object().expect("an object").keys().collect();
    let expect = "coordJobName coordJobPath user frequency timeUnit timeZone startTime endTime pauseTime concurrency \
                  executionPolicy matThrottling timeOut";
    assert_eq!(names, expect.split(' ').collect::<Vec<_>>());
}

#[test]
fn a_workflow_is_ok_or_refused() {
    let sandbox = sandbox();
    let ran = dryrun(&sandbox, WF, &[]);
    assert_eq!((ran.status, ran.stdout.as_str(), ran.stderr.as_str()), (Some(0), "OK\n", ""));
    sandbox.write("workflow/workflow.xml", &WORKFLOW.replace("<exec>wc", "<exec>${wf:idd()}"));
    let ran = dryrun(&sandbox, WF, &["--json"]);
    assert_eq!(ran.status, Some(1));
    let answer = document(&ran.stdout);
    assert_eq!((&answer["problems"][0]["code"], &answer["problems"][0]["line"]), (&json!("E1004"), &json!(4)));
}

#[test]
fn a_refused_job_has_no_actions() {
    let sandbox = sandbox();
    sandbox.write("app/coordinator.xml", &COORDINATOR.replace("coord:current", "coord:curent"));
    let ran = dryrun(&sandbox, COORD, &["--json"]);
    let answer = document(&ran.stdout);
    assert_eq!((ran.status, answer["problems"].as_array().map(Vec::len)), (Some(1), Some(1)), "{answer}");
}

#[test]
fn validate_tells_of_each_file() {
    let sandbox = sandbox();
    sandbox.write("bad/coordinator.xml", &COORDINATOR.replace("coord:current", "coord:curent"));
    sandbox.write("bad/pom.xml", "<project>");
    let ran = run_plain(&sandbox, &["validate", "app/coordinator.xml", "workflow", "bad"]);
    assert_eq!(ran.status, Some(1));
    assert_eq!(ran.stdout, "app/coordinator.xml: ok (coordinator 0.4)\n3 files checked, 1 invalid: 1 error\n");
    assert!(ran.stderr.contains(" --> bad/coordinator.xml:10:19\n"), "{}", ran.stderr);

    let ran = run_plain(&sandbox, &["validate", "--json", "workflow", "bad"]);
    let answer = document(&ran.stdout);
    let problem = json!({
        "severity": "error", "code": "E1004",
        "message": "Expression language evaluation error, function [coord:curent] not found",
        "line": 10, "column": 19, "help": "did you mean [coord:current]?",
    });
    let files = json!([
        { "path": "workflow/workflow.xml", "kind": "workflow", "valid": true, "schema": "valid", "problems": [] },
        {
            "path": "bad/coordinator.xml", "kind": "coordinator", "valid": false, "schema": "valid",
            "problems": [problem],
        },
    ]);
    assert_eq!((ran.status, answer), (Some(1), json!({ "files": files })));
}

#[test]
fn validate_ends_with_the_status_of_what_it_found() {
    let sandbox = sandbox();
    for (arguments, status) in [
        (&["validate", "app"][..], 0),
        (&["validate", "--quiet", "app"], 0),
        (&["validate", "nowhere"], 1),
        // Standard input is empty here.
        (&["validate", "-"], 1),
        (&["validate"], 2),
    ] {
        let ran = run_plain(&sandbox, arguments);
        assert_eq!(ran.status, Some(status), "{arguments:?}: {}", ran.stderr);
    }
}

fn run_plain(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).run()
}
