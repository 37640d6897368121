//! A new definition and new properties for a running job.

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";

/// An hourly coordinator of three actions with one output in a folder with this name; its first action has run.
fn running_job(sandbox: &Sandbox) -> String {
    application(sandbox, "first", "<throttle>1</throttle>");
    workflow(sandbox, "app", "one", &[shell("one", &effect("${out} ${queue}"), "end")]);
    let job = sandbox.submit(NOW, &[("queue", "day")]);
    sandbox.tick_through(NOW);
    job
}

fn application(sandbox: &Sandbox, folder: &str, controls: &'static str) {
    let data = format!(
        r#"<datasets><dataset name="out" frequency="${{coord:hours(1)}}" initial-instance="2009-01-01T00:00Z" timezone="UTC">
    <uri-template>/{folder}/${{HOUR}}</uri-template></dataset></datasets>
  <output-events><data-out name="out" dataset="out"><instance>${{coord:current(0)}}</instance></data-out></output-events>"#
    );
    let properties = &[("out", "${coord:dataOut('out')}")];
    let coordinator = Coordinator { end: "2010-01-01T03:00Z", controls, data, properties, ..Coordinator::default() };
    coordinator.write(sandbox);
}

fn update(sandbox: &Sandbox, job: &str, arguments: &[&str]) -> Ran {
    sandbox.howdah(["update", job].into_iter().chain(arguments.iter().copied())).at(NOW).run()
}

fn versions(sandbox: &Sandbox) -> Vec<String> {
    sandbox.database().rows("SELECT version FROM coordinator_definition ORDER BY version")
}

#[test]
fn what_differs_is_shown_and_counts_for_the_actions_that_follow() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    application(&sandbox, "second", "<throttle>7</throttle>");
    let before = sandbox.database().dump();
    let tried = update(&sandbox, &job, &["--dry-run"]);
    assert_eq!((tried.status, &sandbox.database().dump()), (Some(0), &before), "a dry run stores nothing");
    let done = update(&sandbox, &job, &[]);
    assert_eq!((done.status, &done.stdout), (Some(0), &tried.stdout), "a dry run shows what is done");
    insta::assert_snapshot!("update_definition", sandbox.redact(&done.stdout));
    let database = sandbox.database();
    database.check();
    assert_eq!(versions(&sandbox), ["1", "2"]);
    assert_eq!(database.rows("SELECT throttle, definition_version, status FROM coordinator_job"), ["7 2 RUNNING"]);
    sandbox.tick_through("2010-01-01T02:00Z");
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!(sandbox.read("effects"), "/first/00 day\n/second/01 day\n/second/02 day\n");
    let versions = sandbox.database().rows("SELECT number, definition_version FROM coordinator_action");
    assert_eq!(versions, ["1 1", "2 2", "3 2"]);
}

#[test]
fn properties_of_the_command_line_are_laid_over_and_a_file_replaces_all() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    let ran = update(&sandbox, &job, &["-D", "queue=night", "--actions", "1"]);
    assert!(ran.stdout.contains("-queue=day\n+queue=night\n"), "{ran:?}");
    assert!(ran.stdout.contains("1 of the next 1 actions change"), "{ran:?}");
    assert!(ran.stdout.contains("  property queue: day -> night\n"), "{ran:?}");
    let file = sandbox.write("new.properties", &format!("sandbox={}\nqueue=dawn\n", sandbox.text("")));
    let ran = update(&sandbox, &job, &["-c", file.to_str().unwrap()]);
    assert_eq!((ran.status, ran.stdout.contains("-queue=night\n+queue=dawn\n")), (Some(0), true), "{ran:?}");
    assert_eq!(versions(&sandbox), ["1", "2", "3"]);
    sandbox.tick_through("2010-01-01T01:00Z");
    assert_eq!(sandbox.read("effects"), "/first/00 day\n/first/01 dawn\n");
    let file = sandbox.write("poor.properties", "queue=dawn\n");
    let ran = update(&sandbox, &job, &["-c", file.to_str().unwrap()]);
    assert!(ran.status == Some(1) && ran.stderr.contains("[sandbox]"), "the file replaces the rest too: {ran:?}");
}

#[test]
fn what_the_existing_actions_rest_upon_stays() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    let text = sandbox.read("app/coordinator.xml");
    let before = sandbox.database().dump();
    for (from, to, words) in [
        (
            "coord:hours(1)}\" start",
            "coord:hours(2)}\" start",
            "Frequency can't be changed. Old frequency = 60 new frequency = 120",
        ),
        ("end=\"2010-01-01T03", "end=\"2010-01-01T05", "End time can't be changed. Old end time = 2010-01-01T03:00Z"),
        ("start=\"2010", "start=\"2009", "Start time can't be changed"),
        ("name=\"test\"", "name=\"other\"", "Coord name can't be changed. Old name = test new name = other"),
        ("timezone=\"UTC\"\n", "timezone=\"Europe/Paris\"\n", "TimeZone can't be changed. Old timeZone = UTC"),
        ("${HOUR}", "${coord:nonsense()}", "E1004"),
    ] {
        assert!(text.contains(from), "{from}");
        sandbox.write("app/coordinator.xml", &text.replacen(from, to, 1));
        let ran = update(&sandbox, &job, &[]);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), ""), "{words}: {ran:?}");
        assert!(ran.stderr.contains(words), "{words}: {ran:?}");
    }
    assert_eq!(sandbox.database().dump(), before);
}

#[test]
fn an_end_that_was_changed_stays_changed() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    sandbox.howdah(["change", &job, "--endtime", "2010-01-01T05:00Z"]).at(NOW).succeed();
    let end = || sandbox.database().value("SELECT end_at - start_at FROM coordinator_job");
    let ran = update(&sandbox, &job, &["-D", "queue=night"]);
    assert_eq!((ran.status, end().as_str()), (Some(0), "18000"), "the definition writes the old end still: {ran:?}");
    let text = sandbox.read("app/coordinator.xml").replace("end=\"2010-01-01T03", "end=\"2010-01-01T05");
    sandbox.write("app/coordinator.xml", &text);
    let ran = update(&sandbox, &job, &[]);
    assert_eq!((ran.status, end().as_str()), (Some(0), "18000"), "it writes the changed one: {ran:?}");
    assert!(ran.stdout.contains("the next 4 actions stay as they are"), "{ran:?}");
    sandbox.write("app/coordinator.xml", &text.replace("end=\"2010-01-01T05", "end=\"2010-01-01T07"));
    let ran = update(&sandbox, &job, &[]);
    assert!(ran.stderr.contains("Old end time = 2010-01-01T05:00Z"), "another one: {ran:?}");
    let advice = ran.stderr.split("help: ").nth(1).unwrap().trim().strip_prefix("howdah ").unwrap().to_owned();
    sandbox.howdah(advice.split(' ')).at(NOW).succeed();
    assert_eq!((update(&sandbox, &job, &[]).status, end().as_str()), (Some(0), "25200"), "the advice works");
    sandbox.database().check();
}

#[test]
fn a_concurrency_that_was_changed_stays_until_the_definition_writes_another() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    sandbox.howdah(["change", &job, "--concurrency", "5"]).at(NOW).succeed();
    let concurrency = || sandbox.database().value("SELECT concurrency FROM coordinator_job");
    let ran = update(&sandbox, &job, &["-D", "queue=night"]);
    assert_eq!((ran.status, concurrency().as_str()), (Some(0), "5"), "{ran:?}");
    assert!(!ran.stdout.contains("concurrency"), "{ran:?}");
    application(&sandbox, "first", "<concurrency>3</concurrency><throttle>1</throttle>");
    let ran = update(&sandbox, &job, &[]);
    assert_eq!((ran.status, concurrency().as_str()), (Some(0), "3"), "{ran:?}");
    assert!(ran.stdout.contains("concurrency: 5 -> 3"), "{ran:?}");
}

#[test]
fn a_definition_that_cannot_be_read_any_more_can_be_replaced() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    sandbox.write("site.properties", "oozie.processing.timezone=GMT+0530\n");
    let site = sandbox.text("site.properties");
    let howdah =
        |words: &[&str]| sandbox.howdah(words.iter().copied()).with("--site").with(&site).at("2010-01-01T01:00Z");
    let ticked = howdah(&["tick"]).run();
    assert!(ticked.status == Some(1) && ticked.stderr.contains(&job), "{ticked:?}");
    let refused = howdah(&["update", &job]).run();
    assert_eq!(refused.status, Some(1), "the file is written for the old zone still: {refused:?}");
    let text = sandbox.read("app/coordinator.xml");
    let mended = text
        .replace("2010-01-01T00:00Z", "2010-01-01T05:30+0530")
        .replace("2010-01-01T03:00Z", "2010-01-01T08:30+0530")
        .replace("2009-01-01T00:00Z", "2009-01-01T05:30+0530");
    sandbox.write("app/coordinator.xml", &mended);
    let ran = howdah(&["update", &job]).run();
    assert!(ran.status == Some(0) && ran.stderr.contains("cannot be read any more"), "{ran:?}");
    assert!(ran.stdout.contains("no action was compared"), "{ran:?}");
    assert_eq!(versions(&sandbox), ["1", "2"]);
    let ticked = howdah(&["tick"]).run();
    sandbox.await_quiet();
    assert_eq!(
        (ticked.status, sandbox.database().actions().as_str()),
        (Some(0), "1 SUCCEEDED, 2 SUCCEEDED"),
        "{ticked:?}"
    );
    sandbox.write("app/coordinator.xml", &mended.replace("coord:hours(1)}\" start", "coord:hours(2)}\" start"));
    assert!(howdah(&["update", &job]).run().stderr.contains("E1023"));
}

#[test]
fn nothing_new_is_no_version_and_a_finished_job_has_none() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    let ran = update(&sandbox, &job, &[]);
    assert!(ran.status == Some(0) && ran.stderr.contains("nothing differs"), "{ran:?}");
    assert_eq!(versions(&sandbox), ["1"]);
    let workflow = sandbox.database().value("SELECT id FROM workflow_job");
    let ran = update(&sandbox, &workflow, &[]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E0302"), "{ran:?}");
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    let ran = update(&sandbox, &job, &["-D", "queue=night"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E1023"), "{ran:?}");
    assert!(ran.stderr.contains("Job has finished processing"), "{ran:?}");
}

#[test]
fn a_program_reads_one_document() {
    let sandbox = Sandbox::new();
    let job = running_job(&sandbox);
    let ran = update(&sandbox, &job, &["-D", "queue=night", "--actions", "1", "--json"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""));
    // The user who runs the test is among the properties.
    let lines: Vec<&str> = ran.stdout.lines().filter(|line| !line.contains("confChanges")).collect();
    insta::assert_snapshot!("update_json", sandbox.redact(&lines.join("\n")));
    assert!(ran.stdout.contains(r"-queue=day\n+queue=night\n"), "{ran:?}");
}

/// Runs a command that may be refused.
fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).at(NOW).run()
}

#[test]
fn several_jobs_are_updated_and_one_that_refuses_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T06:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let jobs = [0; 3].map(|_| sandbox.submit(NOW, &[]));
    sandbox.howdah(["kill", &jobs[1]]).at(NOW).succeed();
    let versions = || sandbox.database().rows("SELECT definition_version FROM coordinator_job ORDER BY job");
    let update = ["update", &jobs[0], &jobs[1], &jobs[2], "-D", "color=red"];
    let tried = run(&sandbox, &[&update[..], &["--dry-run"]].concat());
    assert!(tried.status == Some(1) && tried.stdout.contains(&format!("==> {} <==", jobs[2])), "{tried:?}");
    assert_eq!(versions(), ["1", "1", "1"]);
    let json: Value =
        serde_json::from_str(&run(&sandbox, &[&update[..], &["--json"]].concat()).stdout).expect("a document");
    assert_eq!(versions(), ["2", "1", "2"]);
    assert_eq!(json[0]["definitionVersion"], 2);
    assert!(json[1]["problems"][0]["code"].is_string() && json[1]["definitionVersion"].is_null(), "{json}");
    let done = run(&sandbox, &update);
    assert!(
        done.stderr.contains(&format!("{} is not updated:", jobs[1])) && done.stderr.contains("KILLED"),
        "{done:?}"
    );
    assert_eq!(done.status, Some(1));
}
