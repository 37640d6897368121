//! Workflow jobs that run again: what is skipped, and what runs with them.

use howdah_sandbox::application::{Coordinator, action, effect, shell, sub_workflow, workflow};
use howdah_sandbox::receiver::{Manner, Receiver};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";

/// A line that fails until the file `mended` exists.
const FRAGILE: &str = "echo two >> ${sandbox}/effects; [ -e ${sandbox}/mended ]";

/// A workflow of a decision and two actions, of which the second fails; it has run.
fn broken(sandbox: &Sandbox) -> String {
    let choice = r#"<decision name="choice"><switch><case to="one">${wf:run() eq 0}</case><default to="fail"/></switch></decision>"#;
    let nodes = [choice.to_owned(), shell("one", &effect("one"), "two"), shell("two", FRAGILE, "end")];
    workflow(sandbox, "app", "choice", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
    job
}

fn rerun(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let ran = sandbox.howdah(["rerun"].into_iter().chain(arguments.iter().copied())).at(NOW).run();
    sandbox.await_quiet();
    ran
}

#[test]
fn nodes_that_ended_ok_are_skipped() {
    let sandbox = Sandbox::new();
    let job = broken(&sandbox);
    sandbox.write("mended", "");
    let ran = rerun(&sandbox, &[&job, "-D", "oozie.wf.rerun.failnodes=true"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT status, run FROM workflow_job"), ["SUCCEEDED 1"]);
    assert_eq!(sandbox.read("effects"), "one\ntwo\ntwo\n", "the decision is not taken anew, one is not run anew");
    // The kill node of the previous run ended OK and is still shown, as in Oozie.
    assert_eq!(database.nodes(), ":start: OK, choice OK, one OK, fail OK, two OK, end OK");
    assert_eq!(database.rows("SELECT run, number, exit_code FROM attempt WHERE node = 'two'"), ["0 1 1", "1 1 0"]);
    let ran = rerun(&sandbox, &[&job]);
    assert_eq!(ran.status, Some(0), "the property counted once: {ran:?}");
    sandbox.database().check();
    assert_eq!(sandbox.database().rows("SELECT status, run FROM workflow_job"), ["KILLED 2"], "all of it ran again");
    assert_eq!(sandbox.database().nodes(), ":start: OK, choice OK, fail OK", "what was not reached is forgotten");
    assert_eq!(sandbox.read("effects"), "one\ntwo\ntwo\n");
}

#[test]
fn a_rerun_keeps_the_group_that_the_acl_names() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[("oozie.job.acl", " ops ")]);
    sandbox.await_quiet();
    assert_eq!(rerun(&sandbox, &[&job]).status, Some(0));
    let database = sandbox.database();
    assert_eq!(database.rows("SELECT group_name, run, status FROM workflow_job"), ["ops 1 SUCCEEDED"]);
    assert_eq!(database.value("SELECT count(*) FROM event WHERE origin = 'rerun' AND to_status = 'PREP'"), "1");
}

#[test]
fn nodes_are_skipped_by_name() {
    let sandbox = Sandbox::new();
    let job = broken(&sandbox);
    let skip = |names: &str| format!("oozie.wf.rerun.skip.nodes={names}");
    let ran = rerun(&sandbox, &[&job, "-D", &skip("choice, one,two")]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(sandbox.read("effects"), "one\ntwo\n", "two is passed over with the error it had");
    assert_eq!(sandbox.database().rows("SELECT status, run FROM workflow_job"), ["KILLED 1"]);
    sandbox.write("mended", "");
    sandbox.database().check();
    for (properties, code) in
        [(&[skip("one"), "oozie.wf.rerun.failnodes=true".to_owned()][..], "E0404"), (&[skip("one,none")], "E0807")]
    {
        let defined = properties.iter().flat_map(|property| ["-D", property]);
        let ran = rerun(&sandbox, &[job.as_str()].into_iter().chain(defined).collect::<Vec<_>>());
        assert!(ran.status == Some(1) && ran.stderr.contains(code), "{code}: {ran:?}");
    }
    let ran = rerun(&sandbox, &[&job, "-D", &skip("choice,one")]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(sandbox.database().rows("SELECT status, run FROM workflow_job"), ["SUCCEEDED 2"]);
    assert_eq!(sandbox.read("effects"), "one\ntwo\ntwo\n");
}

#[test]
fn a_job_that_is_not_over_is_refused() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "until [ -e ${sandbox}/gate ]; do sleep 0.02; done", "end")]);
    let job = sandbox.submit(NOW, &[]);
    let ran = sandbox.howdah(["rerun", &job]).at(NOW).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E0805"), "{ran:?}");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    let before = sandbox.database().dump();
    let ran = rerun(&sandbox, &[&job, "--dry-run"]);
    assert!(ran.status == Some(0) && ran.stdout.contains("SUCCEEDED, run 0"), "{ran:?}");
    assert_eq!(sandbox.database().dump(), before);
    let ran = rerun(&sandbox, &[&job, "--refresh"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("H0002"), "{ran:?}");
}

/// A coordinator of two actions; the second node of the first fails.
fn broken_coordinator(sandbox: &Sandbox) -> String {
    Coordinator { end: "2010-01-01T02:00Z", ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("one"), "two"), shell("two", FRAGILE, "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    sandbox.write("mended", "");
    sandbox.tick_through("2010-01-01T01:00Z");
    assert_eq!(sandbox.database().actions(), "1 KILLED, 2 SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "one\ntwo\none\ntwo\n");
    job
}

#[test]
fn the_workflow_of_an_action_runs_again_for_what_failed() {
    let sandbox = Sandbox::new();
    let job = broken_coordinator(&sandbox);
    let workflow = sandbox.database().value("SELECT external_id FROM coordinator_action WHERE number = 1");
    let ran = rerun(&sandbox, &[&job, "--action", "1", "--failed"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    sandbox.database().check();
    sandbox.tick_through("2010-01-01T01:00Z");
    let database = sandbox.database();
    database.check();
    let action = database.rows("SELECT status, run, external_id FROM coordinator_action WHERE number = 1");
    assert_eq!(action, [format!("SUCCEEDED 1 {workflow}")]);
    assert_eq!(database.rows("SELECT run, status FROM workflow_job ORDER BY job"), ["1 SUCCEEDED", "0 SUCCEEDED"]);
    assert_eq!(sandbox.read("effects"), "one\ntwo\none\ntwo\ntwo\n", "only what failed runs again");
    assert_eq!(database.job(&job), "SUCCEEDED");
}

#[test]
fn rerunning_a_workflow_reopens_its_action_and_its_coordinator() {
    let sandbox = Sandbox::new();
    let job = broken_coordinator(&sandbox);
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    let workflow = sandbox.database().value("SELECT external_id FROM coordinator_action WHERE number = 1");
    let ran = rerun(&sandbox, &[&workflow, "--failed", "--dry-run"]);
    assert!(ran.stderr.contains("@1 runs again with it"), "{ran:?}");
    let ran = rerun(&sandbox, &[&workflow, "--failed"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let database = sandbox.database();
    database.check();
    assert_eq!((database.actions().as_str(), database.job(&job).as_str()), ("1 SUCCEEDED, 2 SUCCEEDED", "SUCCEEDED"));
    let events = database.rows(&format!(
        "SELECT from_status, to_status FROM event JOIN coordinator_job j ON j.job = coordinator_job
         WHERE j.id = '{job}' AND action_number = 1 AND origin = 'rerun'"
    ));
    assert_eq!(events, ["KILLED RUNNING"]);
}

#[test]
fn a_child_runs_again_under_its_id_where_only_failures_do() {
    let sandbox = Sandbox::new();
    let body = sub_workflow("child");
    workflow(&sandbox, "child", "one", &[shell("one", &effect("one"), "two"), shell("two", FRAGILE, "end")]);
    workflow(&sandbox, "app", "outer", &[action("outer", &body, "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    sandbox.write("mended", "");
    let ran = rerun(&sandbox, &[&job, "--failed"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT run, status FROM workflow_job ORDER BY job"), ["1 SUCCEEDED", "1 SUCCEEDED"]);
    assert_eq!(sandbox.read("effects"), "one\ntwo\ntwo\n");
    let ran = rerun(&sandbox, &[&job]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let jobs = sandbox.database().rows("SELECT run, status, depth FROM workflow_job ORDER BY job");
    assert_eq!(jobs, ["2 SUCCEEDED 0", "1 SUCCEEDED 1", "0 SUCCEEDED 1"], "a whole rerun has a child of its own");
}

#[test]
fn branches_of_a_fork_that_ended_ok_are_skipped() {
    let sandbox = Sandbox::new();
    let fork = r#"<fork name="fork"><path start="one"/><path start="two"/></fork><join name="join" to="three"/>"#;
    let slow = "until grep -q one ${sandbox}/effects; do sleep 0.02; done; sleep 0.3; echo two >> ${sandbox}/effects; \
                [ -e ${sandbox}/mended ]";
    let nodes = [
        fork.to_owned(),
        shell("one", &effect("one"), "join"),
        shell("two", slow, "join"),
        shell("three", &effect("three"), "end"),
    ];
    workflow(&sandbox, "app", "fork", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("KILLED", "one\ntwo\n"));
    sandbox.write("mended", "");
    let ran = rerun(&sandbox, &[&job, "--failed"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    sandbox.database().check();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "one\ntwo\ntwo\nthree\n");
}

#[test]
fn a_node_to_suspend_at_holds_only_what_runs_again() {
    let sandbox = Sandbox::new();
    let job = broken(&sandbox);
    sandbox.write("mended", "");
    let ran = rerun(&sandbox, &[&job, "--failed", "-D", "oozie.suspend.on.nodes=one,two"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "SUSPENDED");
    assert_eq!(database.nodes(), ":start: OK, choice OK, one OK, fail OK, two PREP", "one is passed over, two is held");
    sandbox.howdah(["resume", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!(
        (sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()),
        ("SUCCEEDED", "one\ntwo\ntwo\n")
    );
}

#[test]
fn a_rerun_survives_the_death_of_everyone() {
    for fault in ["before-attempt-commit", "after-attempt-commit", "after-outcome-commit"] {
        let sandbox = Sandbox::new();
        let job = broken(&sandbox);
        sandbox.write("mended", "");
        let ledger = sandbox.text("ledger");
        let howdah = sandbox.howdah(["rerun", &job, "--failed"]).at(NOW);
        howdah.env("HOWDAH_FAULT", fault).env("HOWDAH_FAULT_LEDGER", ledger).succeed();
        sandbox.await_quiet();
        sandbox.howdah(["runner"]).at(NOW).succeed();
        sandbox.await_quiet();
        sandbox.database().check();
        assert_eq!(sandbox.database().rows("SELECT status, run FROM workflow_job"), ["SUCCEEDED 1"], "{fault}");
        assert_eq!(sandbox.read("effects"), "one\ntwo\ntwo\n", "{fault}");
    }
}

#[test]
fn a_new_notification_url_counts_from_the_rerun_on() {
    let sandbox = Sandbox::new();
    let (old, new) = (Receiver::that(Manner::Answers(200)), Receiver::that(Manner::Answers(200)));
    let told = |receiver: &Receiver| receiver.targets().join(" ");
    workflow(&sandbox, "app", "one", &[shell("one", "exit 1", "end")]);
    let url = "oozie.wf.workflow.notification.url";
    let job = sandbox.submit(NOW, &[(url, &old.url("$status"))]);
    sandbox.await_quiet();
    assert_eq!((told(&old).as_str(), told(&new).as_str()), ("/RUNNING /KILLED", ""));
    let to_new = format!("{url}={}", new.url("again/$status"));
    let ran = rerun(&sandbox, &[&job, "-D", "oozie.wf.rerun.failnodes=true", "-D", &to_new]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!((told(&old).as_str(), told(&new).as_str()), ("/RUNNING /KILLED", "/again/RUNNING /again/KILLED"));
    // No more notification is sent.
    assert_eq!(rerun(&sandbox, &[&job, "-D", &format!("{url}=")]).status, Some(0));
    assert_eq!(sandbox.database().rows("SELECT status, run FROM workflow_job"), ["KILLED 2"]);
    assert_eq!(told(&new), "/again/RUNNING /again/KILLED");
}
