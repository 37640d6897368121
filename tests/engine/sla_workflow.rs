//! SLAs of workflow jobs and of their actions: recorded once each, listed, reported, and started again.

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";

/// Start within 10 minutes, end within 30, at most 15; alerts go to one address.
fn promise(nominal: &str) -> String {
    format!(
        "<info xmlns=\"uri:oozie:sla:0.2\"><nominal-time>{nominal}</nominal-time>\
         <should-start>${{10 * MINUTES}}</should-start><should-end>30</should-end><max-duration>15</max-duration>\
         <alert-contact>ops@example.com</alert-contact></info>"
    )
}

/// An action with an SLA element.
fn promised(action: &str, promise: &str) -> String {
    action.replace("</action>", &format!("{promise}</action>"))
}

/// The workflow of [`workflow`] with an SLA of its own.
fn application(sandbox: &Sandbox, promise: &str, nodes: &[String]) {
    sandbox.without_mail_server();
    workflow(sandbox, "app", "one", nodes);
    let text = sandbox.read("app/workflow.xml");
    sandbox.write("app/workflow.xml", &text.replace("</workflow-app>", &format!("{promise}</workflow-app>")));
}

/// One SLA for the job and one for its action, which waits for the file `gate`.
fn gated(sandbox: &Sandbox) -> String {
    let promise = promise("${nominal}");
    application(sandbox, &promise, &[promised(&shell("one", &until_gate("pid"), "end"), &promise)]);
    sandbox.submit(NOW, &[("nominal", NOW)])
}

/// Returns the kind, status, events and status of the subject of each registration, in the order of their creation.
fn registrations(sandbox: &Sandbox) -> Vec<String> {
    sandbox.database().rows(
        "SELECT subject, coalesce(node, '-'), status, coalesce(events, '-'), job_status FROM sla_summary ORDER BY sla",
    )
}

#[track_caller]
fn check(sandbox: &Sandbox, expect: &[&str]) {
    assert_eq!(registrations(sandbox), expect);
}

fn refused(sandbox: &Sandbox, properties: &[(&str, &str)]) -> Ran {
    let mut howdah = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
    howdah = howdah.define("oozie.wf.application.path", &sandbox.text("app"));
    let ran = properties.iter().fold(howdah, |howdah, (name, value)| howdah.define(name, value)).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(!sandbox.database_path().exists(), "nothing is stored");
    ran
}

#[test]
fn what_is_on_time_is_met() {
    let sandbox = Sandbox::new();
    let job = gated(&sandbox);
    sandbox.await_file("pid");
    sandbox.tick("2010-01-01T00:01Z");
    check(
        &sandbox,
        &["WORKFLOW_JOB - IN_PROCESS START_MET RUNNING", "WORKFLOW_ACTION one IN_PROCESS START_MET RUNNING"],
    );
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.tick("2010-01-02T00:00Z");
    let met = "MET START_MET,DURATION_MET,END_MET";
    check(&sandbox, &[&format!("WORKFLOW_JOB - {met} SUCCEEDED"), &format!("WORKFLOW_ACTION one {met} OK")]);
    let node = format!("{job}@one");
    let all =
        [vec!["sla", "list"], vec!["info", &job], vec!["info", &node], vec!["explain", &job], vec!["explain", &node]];
    for words in &all[1..] {
        let text = sandbox.howdah(words.iter().copied()).at(NOW).succeed().stdout;
        assert!(text.contains("MET; START_MET, DURATION_MET, END_MET"), "{words:?}: {text}");
    }
    let list = sandbox.howdah(all[0].iter().copied()).at(NOW).succeed().stdout;
    insta::assert_snapshot!(sandbox.redact(&list));
    let list = |filter: &str| sandbox.howdah(["sla", "list", "--filter", filter]).at(NOW).succeed().stdout;
    assert!(!list("app_type=WORKFLOW_ACTION").contains("SUCCEEDED"));
    assert!(list(&format!("parent_id={job}")).contains("@one"));
}

#[test]
fn a_miss_is_recorded_while_the_job_runs_and_reported_once() {
    let sandbox = Sandbox::new();
    let job = gated(&sandbox);
    sandbox.await_file("pid");
    sandbox.tick("2010-01-01T00:17Z");
    let late = "IN_PROCESS START_MET,DURATION_MISS RUNNING";
    check(&sandbox, &[&format!("WORKFLOW_JOB - {late}"), &format!("WORKFLOW_ACTION one {late}")]);
    for minute in ["32", "33"] {
        sandbox.tick(&format!("2010-01-01T00:{minute}Z"));
    }
    let late = "MISS START_MET,DURATION_MISS,END_MISS RUNNING";
    check(&sandbox, &[&format!("WORKFLOW_JOB - {late}"), &format!("WORKFLOW_ACTION one {late}")]);
    let told = sandbox.database().rows("SELECT json_extract(payload, '$.subject') FROM delivery ORDER BY delivery");
    let told_of = |id: &str| format!("OOZIE - SLA END_MISS (AppName=test, JobID={id})");
    assert_eq!(told, [told_of(&job), told_of(&format!("{job}@one"))]);
    // Each is reported as its own subject: `info` of the job shows the delivery.
    let owners = sandbox.database().rows("SELECT coalesce(node, '-') FROM delivery ORDER BY delivery");
    assert_eq!(owners, ["-", "one"]);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.howdah(["db", "check"]).at(NOW).succeed();
}

#[test]
fn an_action_that_is_never_reached_is_late_with_its_job() {
    let sandbox = Sandbox::new();
    let promise = promise(NOW);
    let nodes = [shell("one", &until_gate("pid"), "end"), promised(&shell("spare", "true", "end"), &promise)];
    let with_way = nodes[0].replace(r#"<error to="fail"/>"#, r#"<error to="spare"/>"#);
    application(&sandbox, "", &[with_way, nodes[1].clone()]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    sandbox.tick("2010-01-01T00:12Z");
    check(&sandbox, &["WORKFLOW_ACTION spare NOT_STARTED START_MISS PREP"]);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.tick("2010-01-01T00:13Z");
    check(&sandbox, &["WORKFLOW_ACTION spare MET START_MISS,END_MET PREP"]);
    let explained = sandbox.howdah(["explain", &format!("{job}@spare")]).at(NOW).succeed().stdout;
    assert!(explained.contains("SLA: MET"), "{explained}");
}

#[test]
fn a_kill_is_a_miss() {
    let sandbox = Sandbox::new();
    let job = gated(&sandbox);
    sandbox.await_file("pid");
    sandbox.howdah(["kill", &job]).at("2010-01-01T00:01Z").succeed();
    sandbox.tick("2010-01-01T00:02Z");
    let missed = "MISS START_MET,DURATION_MET,END_MISS KILLED";
    check(&sandbox, &[&format!("WORKFLOW_JOB - {missed}"), &format!("WORKFLOW_ACTION one {missed}")]);
    sandbox.await_quiet();
}

#[test]
fn a_rerun_takes_its_sla_from_the_present_definition() {
    let sandbox = Sandbox::new();
    let promise = promise(NOW);
    let two = |promise: &str| promised(&shell("two", "[ -e ${sandbox}/mended ]", "end"), promise);
    let one = promised(&shell("one", &effect("one"), "two"), &promise);
    application(&sandbox, &promise, &[one.clone(), two(&promise)]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    sandbox.tick("2010-01-01T00:01Z");
    let (met, missed) = ("MET START_MET,DURATION_MET,END_MET", "MISS START_MET,DURATION_MET,END_MISS");
    check(
        &sandbox,
        &[
            &format!("WORKFLOW_JOB - {missed} KILLED"),
            &format!("WORKFLOW_ACTION one {met} OK"),
            &format!("WORKFLOW_ACTION two {missed} ERROR"),
        ],
    );
    sandbox.write("mended", "");
    // The job has no SLA any more, the action has another one.
    let quick = promise.replace("<should-end>30<", "<should-end>0<").replace("<max-duration>15</max-duration>", "");
    application(&sandbox, "", &[one, two(&quick)]);
    let rerun = ["rerun", &job, "-D", "oozie.wf.rerun.failnodes=true"];
    sandbox.howdah(rerun).at("2010-01-01T00:05Z").succeed();
    sandbox.await_quiet();
    sandbox.tick("2010-01-01T00:06Z");
    check(
        &sandbox,
        &[
            &format!("WORKFLOW_JOB - {missed} KILLED"),
            &format!("WORKFLOW_ACTION one {met} OK"),
            "WORKFLOW_ACTION two MISS START_MET,DURATION_MISS,END_MISS OK",
        ],
    );
    assert_eq!(sandbox.database().rows("SELECT run FROM sla ORDER BY sla"), ["0", "0", "1"]);
    assert_eq!(sandbox.database().value("SELECT count(*) FROM sla_event"), "12", "what was recorded stays");
}

#[test]
fn elements_that_promise_nothing_readable_refuse_the_job() {
    let sandbox = Sandbox::new();
    let promise = promise("${nominal}");
    application(&sandbox, &promise, &[promised(&shell("one", "true", "end"), &promise.replace(">30<", ">${wish}<"))]);
    let ran = refused(&sandbox, &[("nominal", NOW)]);
    assert!(ran.stderr.contains("E1004") && ran.stderr.contains("[wish]"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("W0118"), "one problem is told once: {}", ran.stderr);
    let ran = refused(&sandbox, &[("nominal", "today"), ("wish", "soon")]);
    insta::assert_snapshot!(sandbox.redact(&ran.stderr));
    let dry = sandbox.howdah(["dryrun"]).at(NOW).define("sandbox", &sandbox.text("")).define("wish", "soon");
    let dry = dry.define("oozie.wf.application.path", &sandbox.text("app")).define("nominal", NOW).run();
    assert!(dry.status == Some(1) && dry.stderr.contains("E1007"), "{dry:?}");
    // What no property can correct is refused without any property.
    application(&sandbox, &promise.replace(">30<", ">soon<"), &[shell("one", "true", "end")]);
    let ran = sandbox.howdah(["validate", "app/workflow.xml"]).at(NOW).run();
    assert!(ran.stdout.contains("E1007") || ran.stderr.contains("E1007"), "{ran:?}");
}

#[test]
fn the_workflow_of_a_coordinator_action_promises_too_and_the_purge_takes_all() {
    let sandbox = Sandbox::new();
    let coordinator = Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() };
    coordinator.write(&sandbox);
    let promise = promise("${nominal}");
    application(&sandbox, &promise, &[promised(&shell("one", "true", "end"), &promise)]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    sandbox.tick("2010-01-01T00:01Z");
    let met = "MET START_MET,DURATION_MET,END_MET";
    check(&sandbox, &[&format!("WORKFLOW_JOB - {met} SUCCEEDED"), &format!("WORKFLOW_ACTION one {met} OK")]);
    let parents = sandbox.database().rows("SELECT parent_id FROM sla_summary ORDER BY sla");
    assert_eq!(parents[0], format!("{job}@1"));
    let verb = sandbox.howdah(["sla", "disable", parents[1].as_str()]).at(NOW).run();
    assert!(verb.status == Some(1) && verb.stderr.contains("E0302"), "{verb:?}");
    sandbox.howdah(["db", "purge", "--older-than", "1d"]).at("2010-02-01T00:00Z").succeed();
    check(&sandbox, &[]);
}

#[test]
fn a_foreground_run_records_what_it_kept() {
    let sandbox = Sandbox::new();
    application(&sandbox, &promise(NOW), &[shell("one", "true", "end")]);
    let run = sandbox.howdah(["run"]).at(NOW).define("sandbox", &sandbox.text(""));
    run.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
    check(&sandbox, &["WORKFLOW_JOB - MET START_MET,DURATION_MET,END_MET SUCCEEDED"]);
}
