//! `pause --all`: nothing new starts, what runs continues to its end, and the verbs say why.

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T01:00Z";

fn check_output(sandbox: &Sandbox, arguments: &[&str], expect: &str) {
    let ran = sandbox.howdah(arguments.iter().copied()).at(LATER).run();
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert!(said.to_lowercase().contains(&expect.to_lowercase()), "{arguments:?}: {ran:?}");
}

#[test]
fn what_runs_continues_and_nothing_new_starts() {
    let sandbox = Sandbox::new();
    let controls = "<timeout>10</timeout><concurrency>9</concurrency>";
    Coordinator { controls, ..Coordinator::default() }.write(&sandbox);
    let nodes = [shell("one", &until_gate("pid"), "two"), shell("two", &effect("${nominal}"), "end")];
    workflow(&sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    sandbox.await_file("pid");
    check_output(&sandbox, &["pause", "--all", "--dry-run"], "Dry run");
    assert_eq!(sandbox.database().rows("SELECT at FROM site_pause"), [""; 0]);
    check_output(&sandbox, &["pause", "--all"], "nothing new starts");
    check_output(&sandbox, &["pause", "--all"], "nothing to change");
    sandbox.write("gate", "");
    // The runner that is running records the end of the first node, and does not start the second.
    wait_for("the end of the first node", || {
        (sandbox.database().nodes() == ":start: OK, one OK, two PREP").then_some(())
    });
    // Cron mails what a tick prints: a person at a terminal is told, and the others have `status`.
    assert_eq!(sandbox.howdah(["tick"]).at(LATER).succeed().stderr, "");
    let mut terminal = sandbox.howdah(["tick"]).at(LATER).on_terminal((80, 24));
    terminal.await_text("all jobs are paused since 2010-01-01T01:00Z");
    assert!(terminal.finish().success());
    std::thread::sleep(std::time::Duration::from_millis(700));
    let database = sandbox.database();
    assert_eq!((database.actions().as_str(), database.nodes().as_str()), ("1 RUNNING", ":start: OK, one OK, two PREP"));
    let workflow = database.value("SELECT id FROM workflow_job");
    let node = format!("{workflow}@two");
    for (arguments, expect) in [
        (&["status"][..], "all jobs are paused since 2010-01-01T01:00Z by "),
        (&["explain", &node], "all jobs are paused since"),
        (&["explain", &workflow], "all jobs are paused since"),
        (&["explain", &format!("{job}@2")], "all jobs are paused since"),
        (&["explain", &node, "--json"], "\"sitePause\""),
        (&["log", "--audit", &job], "pause --all"),
        (&["resume", &job], "not suspended"),
    ] {
        check_output(&sandbox, arguments, expect);
    }
    assert_eq!(sandbox.database().rows("SELECT count(*) FROM site_pause"), ["1"], "resume JOB does not end the pause");
    check_output(&sandbox, &["resume", "--all"], "All jobs continue");
    sandbox.tick_through(LATER);
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "SUCCEEDED");
    assert_eq!(sandbox.sorted_lines("effects"), [NOW, LATER]);
    check_output(&sandbox, &["resume", "--all"], "nothing to change");
    check_output(&sandbox, &["log", "--audit", &job], "resume --all");
}

#[test]
fn ready_actions_and_new_workflow_jobs_wait_too() {
    let sandbox = Sandbox::new();
    Coordinator { controls: "<concurrency>1</concurrency>", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(LATER);
    sandbox.await_file("pid");
    assert_eq!(sandbox.database().actions(), "1 RUNNING, 2 READY");
    sandbox.howdah(["pause", "--all"]).at(LATER).succeed();
    sandbox.write("gate", "");
    sandbox.await_quiet();
    // The end of the first action leads to a tick, which starts nothing.
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED, 2 READY");
    check_output(&sandbox, &["explain", &format!("{job}@2")], "its inputs are there, but all jobs are paused since");
    sandbox.write("other/workflow.xml", &sandbox.read("app/workflow.xml"));
    let submit = sandbox.howdah(["submit"]).at(LATER).define("oozie.wf.application.path", &sandbox.text("other"));
    let submitted = submit.define("sandbox", &sandbox.text("")).succeed();
    assert!(submitted.stderr.contains("all jobs are paused since"), "{submitted:?}");
    let other = submitted.job();
    sandbox.tick_through(LATER);
    assert_eq!(
        (sandbox.database().job(&other), sandbox.database().actions()),
        ("PREP".to_owned(), "1 SUCCEEDED, 2 READY".to_owned(),)
    );
    check_output(&sandbox, &["explain", &other], "all jobs are paused since");
    sandbox.howdah(["resume", "--all"]).at(LATER).succeed();
    sandbox.tick_through(LATER);
    assert_eq!(
        (sandbox.database().job(&other), sandbox.database().job(&job)),
        ("SUCCEEDED".to_owned(), "SUCCEEDED".to_owned(),)
    );
}

#[test]
fn an_attempt_that_was_stored_and_not_begun_waits_for_the_end_of_the_pause() {
    let sandbox = Sandbox::new();
    Coordinator { end: LATER, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    let tick = sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_FAULT", "after-attempt-commit:1");
    tick.env("HOWDAH_FAULT_LEDGER", sandbox.path("ledger")).run();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().nodes(), ":start: OK, one RUNNING");
    sandbox.howdah(["pause", "--all"]).at(NOW).succeed();
    sandbox.tick(NOW);
    wait_for("the node to wait", || (sandbox.database().nodes() == ":start: OK, one PREP").then_some(()));
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(sandbox.read("effects"), "");
    sandbox.howdah(["resume", "--all"]).at(NOW).succeed();
    sandbox.await_quiet();
    sandbox.database().check();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.sorted_lines("effects").len()), ("SUCCEEDED", 1));
}
