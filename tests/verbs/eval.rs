//! `eval`: expressions in every phase, with and without an action of a coordinator, and the messages when they fail.

use serde_json::{Value, json};

use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2026-11-21T14:00Z";

/// Three daily actions with an input, an output and a search.
const COORDINATOR: &str = r#"<coordinator-app name="daily-${place}" frequency="${coord:days(1)}"
    start="2026-03-01T08:00Z" end="2026-03-04T08:00Z" timezone="America/Los_Angeles" xmlns="uri:oozie:coordinator:0.4">
  <datasets>
    <dataset name="logs" frequency="${coord:hours(1)}" initial-instance="2026-03-01T06:00Z" timezone="UTC">
      <uri-template>${sandbox}/logs/${YEAR}-${MONTH}-${DAY}-${HOUR}</uri-template>
      <done-flag></done-flag>
    </dataset>
    <dataset name="sums" frequency="${coord:days(1)}" initial-instance="2026-03-01T08:00Z" timezone="America/Los_Angeles">
      <uri-template>${sandbox}/sums/${YEAR}-${MONTH}-${DAY}</uri-template>
    </dataset>
  </datasets>
  <input-events>
    <data-in name="hours" dataset="logs"><start-instance>${coord:current(-3)}</start-instance>
      <end-instance>${coord:current(0)}</end-instance></data-in>
    <data-in name="newest" dataset="logs"><instance>${coord:latest(0)}</instance></data-in>
  </input-events>
  <output-events>
    <data-out name="sum" dataset="sums"><instance>${coord:current(0)}</instance></data-out>
  </output-events>
  <action><workflow><app-path>${sandbox}/workflow</app-path>
    <configuration><property><name>day</name><value>${coord:nominalTime()}</value></property></configuration>
  </workflow></action>
</coordinator-app>
"#;

/// A sandbox with the coordinator and the input of its first action.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("coordinator.xml", COORDINATOR);
    for hour in ["06", "07", "08"] {
        sandbox.write(&format!("logs/2026-03-01-{hour}/part"), "");
    }
    sandbox
}

fn eval(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let sandbox_path = sandbox.text("");
    let run = sandbox.howdah(["eval"].iter().chain(arguments).copied()).at(NOW);
    let ran = run.define("sandbox", &sandbox_path).define("place", "la").define("user.name", "joe").run();
    assert!(!sandbox.database_path().exists(), "{arguments:?} made a database");
    ran
}

fn action<'a>(expression: &'a str, number: &'a str, phase: &'a str) -> Vec<&'a str> {
    vec![expression, "--coordinator", "coordinator.xml", "--action", number, "--phase", phase]
}

/// Value, type and notes, joined by ` | `.
fn check(sandbox: &Sandbox, arguments: &[&str], expect: &str) {
    let ran = eval(sandbox, &[arguments, &["--json"]].concat());
    let answer: Value =
        serde_json::from_str(&sandbox.redact(&ran.stdout)).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let notes = answer["notes"].as_array().into_iter().flatten().map(text);
    let told: Vec<String> = [text(&answer["text"]), text(&answer["type"])].into_iter().chain(notes).collect();
    assert_eq!((ran.status, told.join(" | ").as_str()), (Some(0), expect), "{arguments:?}: {answer}");
}

#[test]
fn the_plain_language_needs_no_phase() {
    let sandbox = sandbox();
    check(&sandbox, &["10 / 4"], "2.5 | float");
    check(&sandbox, &["10 / 5 eq 2"], "true | boolean");
    check(&sandbox, &["null"], " | null");
    check(&sandbox, &["place"], "la | text");
    check(&sandbox, &["${place}-${1 + 1}"], "la-2 | text");
    check(&sandbox, &["concat('a', trim(' b '))"], "ab | text");
    check(&sandbox, &["wf:conf('place')"], "la | text");
    check(&sandbox, &["coord:user()"], "joe | text");
    check(&sandbox, &["coord:hours(2)"], "120 | integer");
    check(&sandbox, &["coord:dateOffset('2026-03-08T00:00Z', -1, 'MONTH')"], "2026-02-08T00:00Z | text");
    check(&sandbox, &["coord:formatTime('2026-03-08T00:00Z', 'yyyyMMdd')"], "20260308 | text");
    check(&sandbox, &["timestamp()"], "2026-11-21T14:00Z | text");
    assert_eq!(eval(&sandbox, &["-q", "'a' eq place"]).stdout, "false\n");
}

#[test]
fn every_phase_of_submission() {
    let sandbox = sandbox();
    let only_checks = "this phase only checks: what depends on an action has a stand-in";
    check(&sandbox, &["a-${place}", "--phase", "name"], "a-la | text");
    check(&sandbox, &["/${place}/${YEAR}", "--phase", "submit"], "/la/${YEAR} | text");
    check(&sandbox, &["coord:days(2)", "--phase", "frequency"], "2 | integer | counts in units of DAY");
    let end_of = "1 | integer | counts in units of MONTH, from the END_OF_MONTH";
    check(&sandbox, &["coord:endOfMonths(1)", "--phase", "frequency"], end_of);
    check(&sandbox, &["2 * HOURS", "--phase", "timeout"], "120 | integer | counts in minutes");
    check(&sandbox, &["coord:days(2)", "--phase", "timeout"], "2 | integer | counts in units of 1440 minutes");
    let moved = "coord:dateTzOffset('2026-07-01T00:00Z', 'America/Los_Angeles')";
    check(&sandbox, &[moved, "--phase", "initial-instance"], "2026-06-30T17:00Z | text");
    check(&sandbox, &["coord:tzOffset()", "--phase", "instance"], &format!("3 | integer | {only_checks}"));
    let data = format!("coord:nominalTime | text | {only_checks}");
    check(&sandbox, &["coord:nominalTime()", "--phase", "data"], &data);
    check(&sandbox, &["30 * MINUTES", "--phase", "sla-submit"], &format!("30 | integer | {only_checks}"));
    check(&sandbox, &["w-${place}", "--phase", "workflow-submit"], "w-la | text");
    check(&sandbox, &["2 * DAYS", "--phase", "workflow-sla"], "2880 | integer");
    check(&sandbox, &["wf:user()", "--phase", "workflow"], "joe | text");
    check(&sandbox, &["empty wf:lastErrorNode()", "--phase", "workflow"], "true | boolean");
}

#[test]
fn every_phase_of_an_action() {
    let sandbox = sandbox();
    let current = "2026-03-01T07:00Z | text";
    check(&sandbox, &action("coord:current(-1)", "1", "create"), current);
    let ignored = "2026-03-01T06:00Z#2026-03-01T07:00Z | text | 1 before the initial instance, left out";
    check(&sandbox, &action("coord:currentRange(-3, -1)", "1", "create"), ignored);
    let search = " | text | postponed to the start of the action: ${coord:latest(0)}";
    check(&sandbox, &action("coord:latest(0)", "1", "create"), search);
    let ahead = eval(&sandbox, &action("coord:latest(1)", "1", "create")).stdout;
    assert!(ahead.contains("Note:  no input may have ${coord:latest(1)}: "), "{ahead}");
    let of_output = [&action("coord:current(0)", "2", "create")[..], &["--event", "sum"]].concat();
    check(&sandbox, &of_output, "2026-03-02T08:00Z | text");
    check(&sandbox, &action("coord:tzOffset()", "1", "create"), "480 | integer");
    let end = " | text | the range starts or ends at coord:offset(-2, 'DAY')";
    check(&sandbox, &action("coord:offset(-2, 'DAY')", "1", "create-range"), end);
    check(&sandbox, &action("coord:dataOut('sum')", "3", "sla"), "[sandbox]/sums/2026-03-03 | text");
    let uris = "[sandbox]/logs/2026-03-01-06,[sandbox]/logs/2026-03-01-07,[sandbox]/logs/2026-03-01-08 | text";
    check(&sandbox, &action("coord:dataIn('hours')", "1", "start"), uris);
    check(&sandbox, &action("coord:dataIn('newest')", "1", "start"), "[sandbox]/logs/2026-03-01-08 | text");
    let waits = "[sandbox]/logs/2026-03-01-08 | text | the action would still wait: not all of its inputs exist";
    check(&sandbox, &action("coord:dataIn('newest')", "2", "start"), waits);
    let id = eval(&sandbox, &action("coord:actionId()", "3", "start")).stdout;
    assert!(id.contains("-oozie-oozi-C@3\n"), "{id}");
    check(&sandbox, &action("coord:name()", "1", "start"), "daily-${place} | text");
    check(&sandbox, &action("wf:conf('day')", "1", "workflow"), "2026-03-01T08:00Z | text");
    let default = ["coord:nominalTime()", "--coordinator", "coordinator.xml", "--action", "1"];
    check(&sandbox, &default, "2026-03-01T08:00Z | text");
}

#[test]
fn values_are_typed_for_programs() {
    let sandbox = sandbox();
    for (expression, value) in [
        ("1 + 1", json!(2)),
        ("10 / 4", json!(2.5)),
        ("not true", json!(false)),
        ("null", json!(null)),
        ("1e308 * 10", json!("Infinity")),
        ("wf:actionData('x')", json!({})),
    ] {
        let ran = eval(&sandbox, &[expression, "--phase", "workflow", "--json"]);
        let answer: Value = serde_json::from_str(&ran.stdout).expect("one document");
        assert_eq!((&answer["value"], &answer["phase"]), (&value, &json!("workflow")), "{expression}");
    }
}

#[test]
fn errors_have_their_place_and_advice() {
    let sandbox = sandbox();
    let mut text = String::new();
    let mut tell = |arguments: &[&str]| {
        let ran = eval(&sandbox, arguments);
        assert!(matches!(ran.status, Some(1 | 2)) && ran.stdout.is_empty(), "{ran:?}");
        text.extend(["$ howdah eval ", &arguments.join(" "), "\n", &sandbox.redact(&ran.stderr), "\n"]);
    };
    tell(&["1 + (2"]);
    tell(&[""]);
    tell(&["${place"]);
    tell(&["1} + 2"]);
    tell(&["10 + plaec"]);
    tell(&["nowhere"]);
    tell(&["'a' * 2"]);
    tell(&["concat('a')"]);
    tell(&["coord:curent(0)"]);
    tell(&["coord:current(0)"]);
    tell(&["1 + wf:run()"]);
    tell(&["coord:conf('a')", "--phase", "timeout"]);
    tell(&["coord:dateOffset('2026-03-08', 1, 'DAY')"]);
    tell(&["coord:nominalTime()", "--phase", "start"]);
    tell(&action("coord:dataIn('hourz')", "1", "start"));
    tell(&action("coord:nominalTime()", "1", "create"));
    tell(&action("coord:nominalTime()", "4", "start"));
    tell(&["1", "--coordinator", "nowhere.xml", "--action", "1"]);
    tell(&[
        "coord:current(0)",
        "--phase",
        "create",
        "--coordinator",
        "coordinator.xml",
        "--action",
        "1",
        "--event",
        "hour",
    ]);
    insta::assert_snapshot!(text);
}

#[test]
fn the_command_line_is_checked() {
    let sandbox = sandbox();
    for arguments in [
        &["1", "--phase", "nonsense"][..],
        &["1", "--coordinator", "coordinator.xml"],
        &["1", "--action", "1"],
        &["1", "--coordinator", "coordinator.xml", "--action", "0"],
        &[],
    ] {
        assert_eq!(eval(&sandbox, arguments).status, Some(2), "{arguments:?}");
    }
    sandbox.write("coordinator.xml", &COORDINATOR.replace("coord:latest(0)", "coord:latest(1)"));
    let ran = eval(&sandbox, &action("1", "1", "start"));
    assert!(ran.status == Some(1) && ran.stderr.contains("coordinator.xml:15:"), "{ran:?}");
    let events = COORDINATOR.find("<datasets>").expect("datasets")..COORDINATOR.find("<action>").expect("an action");
    sandbox.write("coordinator.xml", &COORDINATOR.replace(&COORDINATOR[events], ""));
    let ran = eval(&sandbox, &action("coord:current(0)", "1", "create"));
    assert!(ran.status == Some(2) && ran.stderr.contains("no data-in and no data-out"), "{ran:?}");
}
