//! Killing one node of a workflow job: its work ends, the job continues.

use howdah_sandbox::application::{
    Coordinator, action, effect, shell, shell_body, shell_with, sub_workflow, until_gate, workflow,
};
use howdah_sandbox::sandbox::{Ran, Sandbox, is_alive, kill, wait_for};

const NOW: &str = "2010-01-01T00:00Z";
/// Retries a failed shell action.
const RETRY: &str = "oozie.service.LiteWorkflowStoreService.user.retry.error.code.ext=1\n";

/// A shell action that goes to `rescue` when it fails.
fn guarded(name: &str, line: &str) -> String {
    action(name, &shell_body(line, ""), "end", "").replace("<error to=\"fail\"/>", "<error to=\"rescue\"/>")
}

fn rescue() -> String {
    shell("rescue", &effect("rescued ${wf:lastErrorNode()} ${wf:actionExternalStatus('a-b_c')}"), "end")
}

/// A workflow whose node `a-b_c` runs until the gate opens.
fn at_the_gate(sandbox: &Sandbox) -> String {
    workflow(sandbox, "app", "a-b_c", &[guarded("a-b_c", &until_gate("pid")), rescue()]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    job
}

fn pid(sandbox: &Sandbox, file: &str) -> i32 {
    sandbox.await_file(file).parse().expect("the number of a process")
}

fn kill_node(sandbox: &Sandbox, node: &str) -> Ran {
    sandbox.howdah(["kill", node]).at(NOW).succeed()
}

/// Status, code and external status of a node, with the reason of its last event.
fn end_of(sandbox: &Sandbox, node: &str) -> String {
    sandbox.database().value(&format!(
        "SELECT n.status, n.error_code, n.external_status, e.reason FROM workflow_node n, event e \
         WHERE n.name = '{node}' AND e.event = (SELECT max(event) FROM event WHERE node = n.name AND workflow_job = \
         n.job)"
    ))
}

#[test]
fn the_command_is_ended_and_the_error_transition_taken() {
    let sandbox = Sandbox::new();
    let job = at_the_gate(&sandbox);
    let command = pid(&sandbox, "pid");
    let node = format!("{job}@a-b_c");
    let ran = kill_node(&sandbox, &node);
    assert_eq!((ran.stdout, ran.stderr), (format!("{node}: its attempt 1 is requested to end\n"), String::new()));
    sandbox.await_quiet();
    assert!(!is_alive(command));
    let database = sandbox.database();
    database.check();
    assert_eq!(database.nodes(), ":start: OK, a-b_c ERROR, rescue OK, end OK");
    assert_eq!(
        (database.job(&job).as_str(), sandbox.read("effects").as_str()),
        ("SUCCEEDED", "rescued a-b_c KILLED\n")
    );
    assert_eq!(
        database.rows("SELECT state, signal, kill_requested_at FROM attempt WHERE node <> 'rescue'"),
        ["ENDED 15 1262304000"]
    );
    let end = "ERROR 1 KILLED 1: Main Class [org.apache.oozie.action.hadoop.ShellMain], exit code [1] (killed by \
               signal 15; `kill` asked for its end at 2010-01-01T00:00Z)";
    assert_eq!(end_of(&sandbox, "a-b_c"), end);
    let by = "SELECT origin, from_status, to_status FROM event WHERE actor IS NOT NULL";
    assert_eq!(database.rows(by), ["kill RUNNING RUNNING"], "who asked is kept");
    let why = sandbox.howdah(["explain", &node]).at(NOW).succeed().stdout;
    assert!(why.contains("ended by signal 15; `kill` asked for its end at 2010-01-01T00:00Z"), "{why}");
}

#[test]
fn a_dry_run_changes_nothing_and_the_forms_agree() {
    let sandbox = Sandbox::new();
    let job = at_the_gate(&sandbox);
    let node = format!("{job}@a-b_c");
    let before = sandbox.database().dump();
    let dry = sandbox.howdah(["kill", &node, "--dry-run"]).at(NOW).succeed();
    let text = format!("Dry run: this would be done, and nothing is.\n{node}: its attempt 1 is requested to end\n");
    assert_eq!((dry.stdout, dry.stderr), (text, String::new()));
    let dry = sandbox.howdah(["kill", &node, "--dry-run", "--json"]).at(NOW).succeed();
    insta::assert_snapshot!(sandbox.redact(&dry.stdout));
    assert_eq!(sandbox.database().dump(), before);
    let quiet = sandbox.howdah(["kill", "-q", &node]).at(NOW).succeed();
    assert_eq!((quiet.stdout, quiet.stderr), (String::new(), String::new()));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn a_killed_node_is_tried_again_where_its_retries_allow_it() {
    let sandbox = Sandbox::new();
    let site = sandbox.write("site.properties", RETRY);
    let line = format!("{}; {}", effect("ran"), until_gate("pid"));
    workflow(&sandbox, "app", "one", &[shell_with("one", &line, "end", "retry-max=\"1\" retry-interval=\"0\"")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).env("HOWDAH_SITE", &site).define("sandbox", &sandbox.text(""));
    let job = submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job();
    for attempt in [1, 2] {
        pid(&sandbox, "pid");
        std::fs::remove_file(sandbox.path("pid")).expect("the command wrote it");
        let ran = kill_node(&sandbox, &format!("{job}@one"));
        assert_eq!(ran.stdout, format!("{job}@one: its attempt {attempt} is requested to end\n"));
    }
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.nodes(), ":start: OK, one ERROR, fail OK");
    assert_eq!((database.job(&job).as_str(), sandbox.read("effects").as_str()), ("KILLED", "ran\nran\n"));
    let retried = database.value("SELECT reason FROM event WHERE to_status = 'USER_RETRY'");
    let told = "`kill` asked for its end at 2010-01-01T00:00Z); the next attempt is in 0 min";
    assert!(retried.ends_with(told), "{retried}");
}

#[test]
fn what_refuses_to_end_is_ended_by_force() {
    let sandbox = Sandbox::new();
    let line = "trap '' TERM; echo $$ > ${sandbox}/pid; while true; do sleep 0.05; done";
    workflow(&sandbox, "app", "a-b_c", &[guarded("a-b_c", line), rescue()]);
    // On the real clock: the grace period of ten seconds must pass.
    let submit = sandbox.howdah(["submit"]).define("sandbox", &sandbox.text(""));
    let job = submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job();
    let command = pid(&sandbox, "pid");
    sandbox.howdah(["kill", &format!("{job}@a-b_c")]).succeed();
    assert!(is_alive(command), "it ignores the request");
    let again = sandbox.howdah(["kill", &format!("{job}@a-b_c")]).succeed();
    assert!(again.stdout.is_empty() && again.stderr.contains("its end was requested at "), "{again:?}");
    sandbox.await_quiet();
    assert!(!is_alive(command));
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT signal FROM attempt WHERE node <> 'rescue'"), ["9"]);
    assert_eq!(
        (database.job(&job).as_str(), sandbox.read("effects").as_str()),
        ("SUCCEEDED", "rescued a-b_c KILLED\n")
    );
}

#[test]
fn a_command_that_ends_well_all_the_same_is_ok() {
    let sandbox = Sandbox::new();
    let line = format!("trap 'exit 0' TERM; {}", until_gate("pid"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "end")]);
    let job = sandbox.submit(NOW, &[]);
    pid(&sandbox, "pid");
    kill_node(&sandbox, &format!("{job}@one"));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().nodes(), ":start: OK, one OK, end OK");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn the_sub_workflow_of_a_node_is_killed() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "child", "inner", &[shell("inner", &until_gate("pid"), "end")]);
    let body = sub_workflow("child");
    let outer = action("a-b_c", &body, "end", "").replace("<error to=\"fail\"/>", "<error to=\"rescue\"/>");
    workflow(&sandbox, "app", "a-b_c", &[outer, rescue()]);
    let job = sandbox.submit(NOW, &[]);
    let command = pid(&sandbox, "pid");
    let child = sandbox.database().value("SELECT id FROM workflow_job WHERE parent_workflow IS NOT NULL");
    let ran = kill_node(&sandbox, &format!("{job}@a-b_c"));
    assert_eq!(ran.stdout, format!("{job}@a-b_c: its sub-workflow {child} is killed\n"));
    sandbox.await_quiet();
    assert!(!is_alive(command));
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&child).as_str(), database.job(&job).as_str()), ("KILLED", "SUCCEEDED"));
    assert_eq!(sandbox.read("effects"), "rescued a-b_c KILLED\n");
    let reason = "SELECT reason, actor FROM event JOIN workflow_job ON job = workflow_job WHERE to_status = 'KILLED' AND node IS NULL";
    assert_eq!(database.rows(reason), ["its parent's node a-b_c was killed -"]);
}

#[test]
fn what_does_not_run_is_left_alone_and_says_why() {
    let sandbox = Sandbox::new();
    let nodes = [shell("one", "true", "two"), shell("two", &until_gate("pid"), "three"), shell("three", "true", "end")];
    workflow(&sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    let before = sandbox.database().dump();
    let mut said = String::new();
    for node in ["one", "three", "end", ":start:"] {
        let ran = kill_node(&sandbox, &format!("{job}@{node}"));
        assert_eq!(ran.stdout, "", "{node}");
        said += &ran.stderr;
        let quiet = sandbox.howdah(["kill", "--quiet", &format!("{job}@{node}")]).at(NOW).succeed();
        assert_eq!((quiet.stdout, quiet.stderr), (String::new(), String::new()), "{node}");
    }
    insta::assert_snapshot!(sandbox.redact(&said));
    let unknown = sandbox.howdah(["kill", &format!("{job}@tow")]).at(NOW).run();
    assert!(
        unknown.stderr.contains("E0605") && unknown.stderr.contains(&format!("did you mean {job}@two?")),
        "{unknown:?}"
    );
    let nobody = sandbox.howdah(["kill", &format!("{}@two", job.replace("0000000", "0000009"))]).at(NOW).run();
    assert!(nobody.stderr.contains("E0604"), "{nobody:?}");
    let mixed = sandbox.howdah(["kill", &format!("{job}@two"), "--action", "1"]).at(NOW).run();
    assert!(mixed.stderr.contains(&format!("leave them out: `howdah kill {job}@two`")), "{mixed:?}");
    assert_eq!([unknown.status, nobody.status, mixed.status], [Some(1), Some(1), Some(2)]);
    assert_eq!(sandbox.database().dump(), before);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    let over = kill_node(&sandbox, &format!("{job}@two")).stderr;
    assert!(over.contains("it has ended as OK"), "{over}");
}

#[test]
fn several_targets_of_every_kind_in_one_command() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T03:00Z", controls: "<concurrency>2</concurrency>", ..Coordinator::default() }
        .write(&sandbox);
    let line = until_gate("${nominal}");
    let nodes = [guarded("one", &line), shell("rescue", &effect("rescued ${nominal}"), "end")];
    workflow(&sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick("2010-01-01T02:00Z");
    for time in ["2010-01-01T00:00Z", "2010-01-01T01:00Z"] {
        sandbox.await_file(time);
    }
    let first = sandbox.database().value("SELECT external_id FROM coordinator_action WHERE number = 1");
    let arguments = ["kill".to_owned(), format!("{first}@one"), format!("{job}@2"), format!("{first}@nosuch")];
    let ran = sandbox.howdah(arguments.iter().map(String::as_str)).at("2010-01-01T02:00Z").run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stdout.starts_with(&format!("{first}@one: its attempt 1 is requested to end\n")), "{ran:?}");
    assert!(ran.stdout.contains(&format!("{job}@2")) && ran.stderr.contains(&format!("{first}@nosuch")), "{ran:?}");
    wait_for("the rescue", || sandbox.read("effects").contains("rescued 2010-01-01T00:00Z").then_some(()));
    sandbox.write("gate", "");
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.actions(), "1 SUCCEEDED, 2 KILLED, 3 SUCCEEDED", "the job of the action went on");
    assert_eq!(sandbox.read("effects"), "rescued 2010-01-01T00:00Z\n");
}

#[test]
fn the_result_of_a_node_that_is_killed_in_a_suspended_job_waits() {
    let sandbox = Sandbox::new();
    let job = at_the_gate(&sandbox);
    let command = pid(&sandbox, "pid");
    sandbox.howdah(["suspend", &job]).at(NOW).succeed();
    let ran = kill_node(&sandbox, &format!("{job}@a-b_c"));
    assert_eq!(ran.stderr, format!("note: {job} is SUSPENDED: what follows waits for `howdah resume {job}`\n"));
    sandbox.await_quiet();
    assert!(!is_alive(command));
    assert_eq!(sandbox.database().nodes(), ":start: OK, a-b_c DONE");
    let again = kill_node(&sandbox, &format!("{job}@a-b_c")).stderr;
    assert!(again.contains("its work has ended already"), "{again}");
    sandbox.howdah(["resume", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    sandbox.database().check();
    assert_eq!(sandbox.read("effects"), "rescued a-b_c KILLED\n");
    assert!(end_of(&sandbox, "a-b_c").contains("`kill` asked"), "{}", end_of(&sandbox, "a-b_c"));
}

#[test]
fn two_kills_at_once_are_one() {
    let sandbox = Sandbox::new();
    let job = at_the_gate(&sandbox);
    let node = format!("{job}@a-b_c");
    let both: Vec<_> = (0..2).map(|_| sandbox.howdah(["kill", &node]).at(NOW).start()).collect();
    let both: Vec<Ran> = both.into_iter().map(howdah_sandbox::sandbox::Started::finish).collect();
    assert_eq!(both.iter().map(|ran| ran.status).collect::<Vec<_>>(), [Some(0); 2], "{both:?}");
    assert_eq!(both.iter().filter(|ran| ran.stdout.contains("is requested to end")).count(), 1, "{both:?}");
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.nodes(), ":start: OK, a-b_c ERROR, rescue OK, end OK");
    assert_eq!(database.rows("SELECT count(*) FROM event WHERE origin = 'kill'"), ["1"]);
}

#[test]
fn the_next_runner_ends_what_one_that_died_was_asked_to() {
    let sandbox = Sandbox::new();
    let job = at_the_gate(&sandbox);
    let command = pid(&sandbox, "pid");
    let runner = sandbox.process("howdah runner").expect("it waits for the command");
    kill(runner);
    sandbox.await_end_of_runner();
    // The command dies before it starts another process.
    sandbox.howdah(["kill", &format!("{job}@a-b_c")]).at(NOW).die_at("before-runner");
    assert!(is_alive(command) && sandbox.process("howdah runner").is_none());
    sandbox.howdah(["runner"]).at(NOW).succeed();
    assert!(!is_alive(command));
    sandbox.await_quiet();
    sandbox.database().check();
    assert_eq!(sandbox.read("effects"), "rescued a-b_c KILLED\n");
}

#[test]
fn a_node_whose_command_has_not_started_ends_without_it() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a-b_c", &[guarded("a-b_c", &effect("ran")), rescue()]);
    let job = sandbox.submitting(NOW).env("HOWDAH_FAULT", "after-attempt-commit").succeed().job();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().nodes(), ":start: OK, a-b_c RUNNING");
    kill_node(&sandbox, &format!("{job}@a-b_c"));
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT state FROM attempt WHERE node <> 'rescue'"), ["KILLED"]);
    assert_eq!(sandbox.read("effects"), "rescued a-b_c KILLED\n", "nothing of it ran");
    assert_eq!(database.job(&job), "SUCCEEDED");
}
