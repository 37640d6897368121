//! Suspending, resuming and killing jobs while their commands run.

use howdah_sandbox::application::{
    Coordinator, action, effect, one_over_two_running, shell, sub_workflow, until_gate, workflow,
};
use howdah_sandbox::sandbox::{Sandbox, is_alive, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// Waits until a job has a status.
fn await_status(sandbox: &Sandbox, job: &str, status: &str) {
    wait_for(&format!("{job} to be {status}"), || (sandbox.database().job(job) == status).then_some(()));
}

fn verb(sandbox: &Sandbox, verb: &str, job: &str) {
    let ran = sandbox.howdah([verb, job]).at(NOW).succeed();
    assert_eq!(ran.stderr, "", "{verb} {job}");
}

/// Returns the number that a command wrote.
fn pid(sandbox: &Sandbox, file: &str) -> i32 {
    sandbox.await_file(file).parse().expect("the number of a process")
}

/// A coordinator of three hourly actions, each with two nodes: the first runs until the gate opens.
fn coordinator_at_the_gate(sandbox: &Sandbox) -> String {
    let controls = "<concurrency>1</concurrency>";
    Coordinator { end: "2010-01-01T03:00Z", controls, ..Coordinator::default() }.write(sandbox);
    let nodes = [shell("one", &until_gate("pid"), "two"), shell("two", &effect("${nominal}"), "end")];
    workflow(sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    sandbox.await_file("pid");
    job
}

#[test]
fn a_suspended_coordinator_resumes_where_it_was() {
    let sandbox = Sandbox::new();
    let job = coordinator_at_the_gate(&sandbox);
    verb(&sandbox, "suspend", &job);
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), database.actions().as_str()), ("SUSPENDED", "1 SUSPENDED"));
    assert!(is_alive(pid(&sandbox, "pid")), "suspend stops nothing that runs");
    sandbox.write("gate", "");
    // The end of the command is recorded, the next node does not start.
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.nodes(), ":start: OK, one DONE");
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!((sandbox.database().actions().as_str(), sandbox.read("effects").as_str()), ("1 SUSPENDED", ""));
    let ran = sandbox.howdah(["resume", &job]).at("2010-01-01T02:00Z").succeed();
    assert_eq!(ran.stderr, "");
    sandbox.await_quiet();
    sandbox.tick_through("2010-01-01T02:00Z");
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "2010-01-01T00:00Z\n2010-01-01T01:00Z\n2010-01-01T02:00Z\n");
}

#[test]
fn a_coordinator_suspended_before_its_first_tick() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    verb(&sandbox, "suspend", &job);
    sandbox.tick_through("2010-01-01T01:00Z");
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("PREPSUSPENDED", ""));
    verb(&sandbox, "resume", &job);
    sandbox.tick_through("2010-01-01T01:00Z");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.sorted_lines("effects").len(), 2);
}

#[test]
fn killing_a_coordinator_kills_its_processes() {
    let sandbox = Sandbox::new();
    Coordinator { controls: "<concurrency>2</concurrency>", end: "2010-01-01T06:00Z", ..Coordinator::default() }
        .write(&sandbox);
    // The command starts another one in the background, which would outlive it.
    let line = "sleep 600 & echo $! > ${sandbox}/child-${nominal}; echo $$ > ${sandbox}/pid-${nominal}; wait";
    workflow(&sandbox, "app", "one", &[shell("one", line, "two"), shell("two", &effect("two"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick("2010-01-01T03:00Z");
    let times = ["2010-01-01T00:00Z", "2010-01-01T01:00Z"];
    let files = times.iter().flat_map(|time| [format!("child-{time}"), format!("pid-{time}")]);
    let pids: Vec<i32> = files.map(|file| pid(&sandbox, &file)).collect();
    assert!(pids.iter().all(|pid| is_alive(*pid)), "{pids:?}");
    verb(&sandbox, "kill", &job);
    assert_eq!(sandbox.database().job(&job), "KILLED");
    sandbox.await_quiet();
    assert!(!pids.iter().any(|pid| is_alive(*pid)), "{pids:?}");
    sandbox.tick_through("2010-01-01T05:00Z");
    let database = sandbox.database();
    database.check();
    assert_eq!(database.job(&job), "KILLED");
    assert_eq!(database.actions(), "1 KILLED, 2 KILLED, 3 KILLED, 4 KILLED");
    assert_eq!(database.rows("SELECT DISTINCT status FROM workflow_job"), ["KILLED"]);
    assert_eq!(database.rows("SELECT DISTINCT state FROM attempt WHERE state = 'STARTED'"), Vec::<String>::new());
    assert_eq!(sandbox.read("effects"), "");
}

/// A workflow whose first node runs until the gate opens.
fn workflow_at_the_gate(sandbox: &Sandbox) -> String {
    let nodes = [shell("one", &until_gate("pid"), "two"), shell("two", &effect("two"), "end")];
    workflow(sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    job
}

#[test]
fn a_workflow_is_suspended_and_resumed() {
    let sandbox = Sandbox::new();
    let job = workflow_at_the_gate(&sandbox);
    verb(&sandbox, "suspend", &job);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), database.nodes().as_str()), ("SUSPENDED", ":start: OK, one DONE"));
    verb(&sandbox, "resume", &job);
    await_status(&sandbox, &job, "SUCCEEDED");
    sandbox.database().check();
    assert_eq!(sandbox.read("effects"), "two\n");
}

#[test]
fn a_killed_workflow_kills_its_action_and_its_command() {
    let sandbox = Sandbox::new();
    let job = coordinator_at_the_gate(&sandbox);
    let workflow = sandbox.database().value("SELECT id FROM workflow_job");
    let command = pid(&sandbox, "pid");
    verb(&sandbox, "kill", &workflow);
    sandbox.await_quiet();
    assert!(!is_alive(command));
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&workflow).as_str(), database.actions().as_str()), ("KILLED", "1 KILLED"));
    assert_eq!(database.job(&job), "RUNNINGWITHERROR");
    sandbox.write("gate", "");
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    assert_eq!(sandbox.database().actions(), "1 KILLED, 2 SUCCEEDED, 3 SUCCEEDED");
}

#[test]
fn a_killed_sub_workflow_goes_with_its_parent() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "child", "inner", &[shell("inner", &until_gate("pid"), "end")]);
    workflow(&sandbox, "app", "outer", &[action("outer", &sub_workflow("child"), "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    let command = pid(&sandbox, "pid");
    verb(&sandbox, "kill", &job);
    sandbox.await_quiet();
    assert!(!is_alive(command));
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT status FROM workflow_job ORDER BY job"), ["KILLED", "KILLED"]);
    assert_eq!(database.nodes(), ":start: OK, outer KILLED, :start: OK, inner KILLED");
}

#[test]
fn a_job_is_killed_whatever_its_actions_did_before() {
    let sandbox = Sandbox::new();
    let job = one_over_two_running(&sandbox);
    verb(&sandbox, "kill", &job);
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.actions(), "1 SUCCEEDED, 2 KILLED, 3 KILLED");
    assert_eq!(database.job(&job), "KILLED");
}

#[test]
fn a_suspended_parent_suspends_and_resumes_its_sub_workflow() {
    let sandbox = Sandbox::new();
    let inner = [shell("inner", &until_gate("pid"), "next"), shell("next", "exit 0", "end")];
    workflow(&sandbox, "child", "inner", &inner);
    workflow(&sandbox, "app", "outer", &[action("outer", &sub_workflow("child"), "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    pid(&sandbox, "pid");
    let statuses = || sandbox.database().rows("SELECT status FROM workflow_job ORDER BY job");
    verb(&sandbox, "suspend", &job);
    assert_eq!(statuses(), ["SUSPENDED", "SUSPENDED"]);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().nodes(), ":start: OK, outer RUNNING, :start: OK, inner DONE");
    verb(&sandbox, "resume", &job);
    sandbox.await_quiet();
    assert_eq!(statuses(), ["SUCCEEDED", "SUCCEEDED"]);
    sandbox.database().check();
}

#[test]
fn a_suspended_sub_workflow_suspends_its_parent() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "child", "inner", &[shell("inner", &until_gate("pid"), "end")]);
    workflow(&sandbox, "app", "outer", &[action("outer", &sub_workflow("child"), "end", "")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    let child = sandbox.database().value("SELECT id FROM workflow_job WHERE parent_node = 'outer'");
    let parent = sandbox.database().value("SELECT id FROM workflow_job WHERE parent_node IS NULL");
    let note = |words: &str| {
        format!("note: its parent {parent} is SUSPENDED {words}; continue it with: howdah resume {parent}\n")
    };
    let said = |verb: &str| sandbox.howdah([verb, &child]).at(NOW).succeed().stderr;
    assert_eq!(said("suspend"), note("too"));
    assert_eq!(sandbox.database().rows("SELECT status FROM workflow_job"), ["SUSPENDED", "SUSPENDED"]);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(said("resume"), note("still"));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().rows("SELECT status FROM workflow_job"), ["SUSPENDED", "SUCCEEDED"]);
    verb(&sandbox, "resume", &job);
    sandbox.await_quiet();
    sandbox.database().check();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn what_refuses_to_end_is_ended() {
    let sandbox = Sandbox::new();
    let line = "trap '' TERM; echo $$ > ${sandbox}/pid; while true; do sleep 0.05; done";
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    // On the real clock: the grace period of ten seconds must pass.
    let submit = sandbox.howdah(["submit"]).define("sandbox", &sandbox.text(""));
    let job = submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job();
    let command = pid(&sandbox, "pid");
    sandbox.howdah(["kill", &job]).succeed();
    assert!(is_alive(command), "it ignores the request");
    sandbox.await_quiet();
    assert!(!is_alive(command));
    assert_eq!(sandbox.database().job(&job), "KILLED");
    sandbox.database().check();
}

#[test]
fn a_verb_that_the_status_does_not_allow_is_no_failure() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let before = sandbox.database().dump();
    for (verb, code) in [("suspend", "E0727"), ("resume", "E1100"), ("kill", "E0725")] {
        let ran = sandbox.howdah([verb, &job]).at(NOW).succeed();
        assert!(ran.stderr.contains(code), "{verb}: {ran:?}");
    }
    assert_eq!(sandbox.database().dump(), before);
    let ran = sandbox.howdah(["kill", &job.replace("0000000", "0000009")]).at(NOW).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E0604"), "{ran:?}");
}

#[test]
fn a_workflow_that_has_not_started_waits_for_its_suspended_coordinator() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.howdah(["tick"]).at(NOW).die_at("before-runner");
    verb(&sandbox, "suspend", &job);
    sandbox.howdah(["runner"]).at(NOW).succeed();
    assert_eq!(sandbox.database().rows("SELECT status FROM workflow_job"), ["PREP"]);
    assert!(!sandbox.path("effects").exists());
    verb(&sandbox, "resume", &job);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "one\n");
}
