//! SLAs of actions: recorded once each, listed, reported, and started again.

use howdah_sandbox::application::{effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name};

const START: &str = "2010-01-01T00:00Z";

/// Start within 10 minutes, end within 30, at most 15.
const PROMISE: &str = "<nominal-time>${coord:nominalTime()}</nominal-time><should-start>${10 * MINUTES}</should-start>\
    <should-end>30</should-end><max-duration>15</max-duration>\
    <alert-events>START_MISS,END_MISS</alert-events><alert-contact>ops@example.com, ada@example.com</alert-contact>";

/// An hourly coordinator of two actions that wait for a file `ready-<number>`, with an SLA element.
fn coordinator(sandbox: &Sandbox, promise: &str, input: &str) {
    sandbox.without_mail_server();
    sandbox.write(
        "app/coordinator.xml",
        &format!(
            r#"<coordinator-app name="late" frequency="${{coord:hours(1)}}" start="{START}" end="2010-01-01T02:00Z"
    timezone="UTC" xmlns="uri:oozie:coordinator:0.4" xmlns:sla="uri:oozie:sla:0.2">
  {input}
  <action>
    <workflow><app-path>{app}</app-path><configuration>
      <property><name>sandbox</name><value>${{sandbox}}</value></property></configuration></workflow>
    <sla:info>{promise}</sla:info>
  </action>
</coordinator-app>
"#,
            app = sandbox.text("app"),
            promise = promise.replace("</", "</sla:").replace('<', "<sla:").replace("<sla:/", "</"),
        ),
    );
}

/// The input of every action: a file named after its hour.
fn waits(sandbox: &Sandbox) -> String {
    format!(
        "<datasets><dataset name=\"d\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"{START}\" timezone=\"UTC\">\
         <uri-template>{}/${{HOUR}}</uri-template><done-flag></done-flag></dataset></datasets>\
         <input-events><data-in name=\"i\" \
         dataset=\"d\"><instance>${{coord:current(0)}}</instance></data-in></input-events>",
        sandbox.text("data"),
    )
}

/// Returns the first action of the job from `sla list --json`.
fn first(sandbox: &Sandbox) -> serde_json::Value {
    let ran = sandbox.howdah(["sla", "list", "--json"]).at(START).succeed();
    let list: serde_json::Value = serde_json::from_str(&ran.stdout).expect("a document");
    list["slaSummaryList"][0].clone()
}

#[track_caller]
fn check(sandbox: &Sandbox, status: &str, events: &str) {
    let first = first(sandbox);
    assert_eq!((first["slaStatus"].as_str(), first["eventStatus"].as_str()), (Some(status), Some(events)), "{first}");
}

/// The texts of one column of one query.
fn rows(sandbox: &Sandbox, sql: &str) -> Vec<String> {
    let connection = rusqlite::Connection::open(sandbox.database_path()).expect("the database opens");
    let mut statement = connection.prepare(sql).expect("a query");
    statement.query_map([], |row| row.get(0)).expect("rows").collect::<Result<_, _>>().expect("texts")
}

fn submit(sandbox: &Sandbox) -> String {
    sandbox.submit(START, &[("oozie.sla.disable.alerts.older.than", "0")])
}

#[test]
fn a_late_start_and_a_late_end_are_recorded_once() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, &waits(&sandbox));
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = submit(&sandbox);
    sandbox.tick(START);
    check(&sandbox, "NOT_STARTED", "");
    // The periodic check waits 90 seconds beyond the expected time.
    sandbox.tick("2010-01-01T00:11Z");
    check(&sandbox, "NOT_STARTED", "");
    for minute in ["12", "13", "14"] {
        sandbox.tick(&format!("2010-01-01T00:{minute}Z"));
        check(&sandbox, "NOT_STARTED", "START_MISS");
    }
    sandbox.tick("2010-01-01T00:32Z");
    check(&sandbox, "MISS", "START_MISS,END_MISS");
    sandbox.write("data/00", "");
    sandbox.tick_through("2010-01-01T00:40Z");
    // It succeeds at last, which adds no second event about its end.
    check(&sandbox, "MISS", "START_MISS,END_MISS,DURATION_MET");
    for minute in ["41", "42"] {
        sandbox.tick(&format!("2010-01-01T00:{minute}Z"));
    }
    assert_eq!(rows(&sandbox, "SELECT event FROM sla_event ORDER BY sla_event").len(), 3);
    // Both people are alerted of both; no alert is sent for the duration, which was met.
    let subjects = rows(&sandbox, "SELECT json_extract(payload, '$.subject') FROM delivery ORDER BY delivery");
    assert_eq!(
        subjects,
        ["START_MISS", "END_MISS"].map(|event| format!("OOZIE - SLA {event} (AppName=late, JobID={job}@1)"))
    );
    let to = rows(&sandbox, "SELECT json_extract(payload, '$.to') FROM delivery");
    assert_eq!(to[0], r#"["ops@example.com","ada@example.com"]"#);
    let body = rows(&sandbox, "SELECT json_extract(payload, '$.body') FROM delivery ORDER BY delivery");
    insta::assert_snapshot!(sandbox.redact(&body[1]));
}

#[test]
fn a_long_duration_is_missed_while_it_runs() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, "");
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    submit(&sandbox);
    sandbox.tick(START);
    sandbox.await_file("pid");
    sandbox.tick("2010-01-01T00:01Z");
    check(&sandbox, "IN_PROCESS", "START_MET");
    sandbox.tick("2010-01-01T00:17Z");
    check(&sandbox, "IN_PROCESS", "START_MET,DURATION_MISS");
    sandbox.write("gate", "");
    sandbox.await_quiet();
}

#[test]
fn what_ended_while_nothing_ticked_counts_by_its_own_times() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, "");
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    submit(&sandbox);
    sandbox.tick(START);
    sandbox.await_quiet();
    // A day later: the workflow job started and ended in time.
    sandbox.tick("2010-01-02T00:00Z");
    check(&sandbox, "MET", "START_MET,DURATION_MET,END_MET");
    let first = first(&sandbox);
    assert_eq!(first["jobStatus"], "SUCCEEDED");
    assert_eq!((first["expectedDuration"].as_i64(), first["startDelay"].as_i64()), (Some(900_000), Some(-10)));
}

#[test]
fn the_kill_of_an_action_is_a_miss() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, &waits(&sandbox));
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = submit(&sandbox);
    sandbox.tick(START);
    sandbox.howdah(["kill", &job]).at("2010-01-01T00:01Z").succeed();
    sandbox.tick("2010-01-01T00:02Z");
    check(&sandbox, "MISS", "END_MISS");
    assert_eq!(first(&sandbox)["actualEnd"], "2010-01-01T00:01Z");
}

#[test]
fn alerts_are_disabled_and_enabled() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, &waits(&sandbox));
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = submit(&sandbox);
    sandbox.tick(START);
    let dry = sandbox.howdah(["sla", "disable", &job, "--dry-run"]).at(START).succeed();
    let json = sandbox.howdah(["sla", "disable", &job, "--dry-run", "--json"]).at(START).succeed();
    let told: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let change = &told["jobs"][0]["slaChanges"][0];
    assert_eq!((&change["name"], &change["to"]), (&"slaAlertStatus".into(), &"Disabled".into()), "{told}");
    assert_eq!(told["jobs"][0]["actions"], serde_json::json!([]));
    let done = sandbox.howdah(["sla", "disable", &job]).at(START).succeed();
    insta::assert_snapshot!(sandbox.redact(&format!("{}{}", dry.stdout, done.stdout)));
    assert_eq!(first(&sandbox)["slaAlertStatus"], "Disabled");
    sandbox.tick("2010-01-01T01:00Z");
    // Misses are recorded without an alert; the second action followed the job.
    check(&sandbox, "MISS", "START_MISS,END_MISS");
    assert_eq!(rows(&sandbox, "SELECT kind FROM (SELECT receiver AS kind FROM delivery)"), [""; 0]);
    assert_eq!(rows(&sandbox, "SELECT CAST(sum(alerts_disabled) AS TEXT) FROM sla"), ["2"]);
    let done = sandbox.howdah(["sla", "enable", &job, "--action", "2,7"]).at(START).succeed();
    assert!(done.stdout.contains("Disabled") && done.stdout.contains("Enabled"), "{}", done.stdout);
    assert!(done.stderr.contains("@7 does not exist"), "{}", done.stderr);
    let refused = sandbox.howdah(["sla", "enable", &job, "--action", "7"]).at(START).run();
    assert_eq!(refused.status, Some(1));
    assert!(refused.stderr.contains("E1026"), "{}", refused.stderr);
    // Who disabled and enabled the alerts, and that once each: a command that changes nothing adds no event.
    sandbox.howdah(["sla", "enable", &job, "--action", "2"]).at(START).succeed();
    let sql = "SELECT origin || ' ' || from_status || ' ' || to_status || ' ' || actor || ' ' || reason FROM event
        WHERE origin LIKE 'sla%' ORDER BY event";
    let by = |verb: &str| format!("{verb} RUNNING RUNNING {}", user_name());
    let events = [by("sla disable") + " actions 1; definition 2", by("sla enable") + " actions 2"];
    assert_eq!(rows(&sandbox, sql), events);
}

#[test]
fn a_workflow_job_that_is_rerun_gets_a_new_sla() {
    let sandbox = Sandbox::new();
    let promise = PROMISE.split("<alert-events>").next().expect("a beginning");
    coordinator(&sandbox, promise, "");
    workflow(&sandbox, "app", "one", &[shell("one", "[ -e ${sandbox}/mended ]", "end")]);
    submit(&sandbox);
    sandbox.tick_through(START);
    sandbox.tick("2010-01-01T00:01Z");
    check(&sandbox, "MISS", "START_MET,DURATION_MET,END_MISS");
    sandbox.write("mended", "");
    let workflow = rows(&sandbox, "SELECT id FROM workflow_job").remove(0);
    sandbox.howdah(["rerun", &workflow]).at("2010-01-01T00:02Z").succeed();
    sandbox.await_quiet();
    sandbox.tick("2010-01-01T00:03Z");
    check(&sandbox, "MET", "START_MET,DURATION_MET,END_MET");
    assert_eq!(first(&sandbox)["jobStatus"], "SUCCEEDED");
}

#[test]
fn another_promise_is_checked_anew() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, &waits(&sandbox));
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = submit(&sandbox);
    sandbox.tick(START);
    let value = "sla-should-end=${2 * HOURS};sla-should-start=90";
    let change = |effect: &[&str]| {
        let words = ["sla", "change", &job, "--value", value].into_iter().chain(effect.iter().copied());
        sandbox.redact(&sandbox.howdah(words).at(START).succeed().stdout)
    };
    let dry = change(&["--dry-run"]);
    insta::assert_snapshot!(dry);
    assert_eq!(dry.split_once('\n').expect("lines").1, change(&[]));
    sandbox.tick("2010-01-01T01:00Z");
    check(&sandbox, "NOT_STARTED", "");
    let expected = rows(&sandbox, "SELECT CAST(expected_end_at - nominal_at AS TEXT) FROM sla ORDER BY action_number");
    assert_eq!(expected, ["7200", "7200"], "the action that was created later follows");
    for (value, code) in [
        ("should-end=1", "E1027"),
        ("sla-should-end=soon", "E0302"),
        ("sla-should-end=${nope}", "E1004"),
        ("", "E1015"),
    ] {
        let ran = sandbox.howdah(["sla", "change", &job, "--value", value]).at(START).run();
        assert_eq!(ran.status, Some(1), "{value}");
        assert!(ran.stderr.contains(code), "{value}: {}", ran.stderr);
    }
}

#[test]
fn a_promise_for_later_actions_alone_must_be_one_too() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, PROMISE, &waits(&sandbox));
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = submit(&sandbox);
    // No action exists that could refuse it.
    let ran = sandbox.howdah(["sla", "change", &job, "--value", "sla-should-end=soon"]).at(START).run();
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("E1027") && ran.stderr.contains("[should-end of the SLA: soon]"), "{}", ran.stderr);
    sandbox.tick(START);
    let expected = rows(&sandbox, "SELECT CAST(expected_end_at - nominal_at AS TEXT) FROM sla");
    assert_eq!(expected, ["1800"]);
}

#[test]
fn a_promise_that_is_none_fails_the_job_with_its_reason() {
    let sandbox = Sandbox::new();
    coordinator(&sandbox, "<nominal-time>${coord:nominalTime()}</nominal-time><should-end>${wish}</should-end>", "");
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let path = sandbox.text("app/coordinator.xml");
    let words = ["submit", "-D", &format!("oozie.coord.application.path={path}"), "-D", "wish=soon"];
    let submitted = sandbox.howdah(words).define("sandbox", &sandbox.text("")).at(START).succeed();
    assert!(submitted.stderr.contains("W0111") && submitted.stderr.contains("should-end"), "{}", submitted.stderr);
    let job = submitted.job();
    let ran = sandbox.howdah(["tick"]).at(START).run();
    assert_eq!(ran.status, Some(1));
    assert!(ran.stderr.contains("E0302: Invalid parameter [should-end of the SLA: soon]"), "{}", ran.stderr);
    assert_eq!(sandbox.database().job(&job), "FAILED");
}

#[test]
fn the_list_the_action_and_its_explanation_say_the_same() {
    let sandbox = Sandbox::new();
    // No alert is sent, so the speed of the delivery does not matter.
    let promise = PROMISE.split("<alert-events>").next().expect("a beginning");
    coordinator(&sandbox, promise, &waits(&sandbox));
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = submit(&sandbox);
    sandbox.tick("2010-01-01T00:12Z");
    let action = format!("{job}@1");
    let all = [vec!["sla", "list"], vec!["info", &action], vec!["explain", &action]];
    let texts = all.map(|words| sandbox.howdah(words).at("2010-01-01T00:12Z").succeed().stdout);
    insta::assert_snapshot!(sandbox.redact(&texts.join("----\n")));
    let none = sandbox.howdah(["sla", "list", "--filter", "sla_status=MET"]).at(START).succeed();
    assert_eq!(none.stdout, "No SLA matches your criteria!\n");
    let wrong = sandbox.howdah(["sla", "list", "--filter", "slastatus=MET"]).at(START).run();
    assert!(wrong.stderr.contains("did you mean sla_status?"), "{}", wrong.stderr);
}
