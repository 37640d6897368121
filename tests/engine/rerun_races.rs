//! Reruns while other commands and other ticks change the same actions: nothing runs more often than it may, and no
//! output is lost without a word.

use std::fs::File;
use std::time::{Duration, Instant};

use howdah_sandbox::application::{Coordinator, hourly_input, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, Started, wait_for};

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T03:30Z";
/// Between the choice of planned reruns and the first of them.
const POLICY_POINT: &str = "before-policy-rerun";

/// Starts a command that waits at a fault point until the file `name` exists.
pub(crate) fn hold(sandbox: &Sandbox, command: Howdah, point: &str, name: &str) -> Started {
    let started = command.env("HOWDAH_HOLD", format!("{point}:{}", sandbox.text(name))).start();
    sandbox.await_file(&format!("{name}.held"));
    started
}

/// Lets a command that [`hold`] started go on, and returns its end.
pub(crate) fn release(sandbox: &Sandbox, started: Started, name: &str) -> Ran {
    sandbox.write(name, "");
    started.finish()
}

/// Submits a coordinator with an action every hour until `end`, whose workflow runs a line.
fn submit(sandbox: &Sandbox, end: &'static str, line: &str, properties: &[(&str, &str)]) -> String {
    let controls = "<concurrency>30</concurrency><throttle>30</throttle>";
    Coordinator { end, controls, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", line, "end")]);
    sandbox.submit(NOW, properties)
}

/// The policy of a job that reruns a failed action twice, five minutes after its failure.
const POLICY: [(&str, &str); 2] = [("howdah.failure.rerun", "2"), ("howdah.failure.rerun.wait", "5")];
const DUE: &str = "2010-01-01T00:05Z";

fn tick(sandbox: &Sandbox, now: &str) -> Howdah {
    sandbox.howdah(["tick"]).at(now)
}

/// Ticks until a query returns a value, also while other commands of the test run.
fn tick_until(sandbox: &Sandbox, now: &str, query: &str, expect: &str) {
    wait_for(query, || {
        tick(sandbox, now).run();
        (sandbox.database().value(query) == expect).then_some(())
    });
}

/// Runs the first action of a job until it fails and its rerun is planned.
fn fail_first(sandbox: &Sandbox, line: &str) -> String {
    let job = submit(sandbox, "2010-01-01T02:00Z", line, &POLICY);
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().rows("SELECT number, reruns, rerun_at IS NULL FROM policy_rerun"), ["1 0 0"]);
    job
}

#[test]
fn two_ticks_at_once_count_one_rerun_of_the_failure_policy() {
    let sandbox = Sandbox::new();
    // The second run waits, so that the policy plans no third one meanwhile.
    let line = format!("test -e ${{sandbox}}/second || exit 1; {}; exit 1", until_gate("pid"));
    fail_first(&sandbox, &line);
    sandbox.write("second", "");
    let first = hold(&sandbox, tick(&sandbox, DUE), POLICY_POINT, "first");
    // The action waits for its start when the first tick looks at it.
    let second = hold(&sandbox, tick(&sandbox, DUE), "after-rerun-commit", "second-tick");
    for (tick, name) in [(first, "first"), (second, "second-tick")] {
        let ran = release(&sandbox, tick, name);
        assert_eq!(ran.status, Some(0), "what another process has done is no fault: {ran:?}");
    }
    sandbox.await_file("pid");
    let database = sandbox.database();
    assert_eq!(database.rows("SELECT reruns, rerun_at IS NULL FROM policy_rerun"), ["1 1"]);
    assert_eq!(database.value("SELECT run FROM coordinator_action"), "1");
    sandbox.write("gate", "");
    sandbox.await_quiet();
}

#[test]
fn many_ticks_at_once_rerun_an_action_as_often_as_the_failure_policy_says() {
    let sandbox = Sandbox::new();
    let policy = [("howdah.failure.rerun", "2"), ("howdah.failure.rerun.wait", "0")];
    submit(&sandbox, "2010-01-01T06:00Z", "exit 1", &policy);
    for _ in 0..6 {
        let ticks: Vec<Started> = (0..4).map(|_| tick(&sandbox, LATER).start()).collect();
        for ran in ticks.into_iter().map(Started::finish) {
            assert!(matches!(ran.status, Some(0 | 75)), "{ran:?}");
        }
        sandbox.await_quiet();
    }
    sandbox.tick_through(LATER);
    let rows = sandbox.database().rows("SELECT run, status FROM coordinator_action ORDER BY number");
    assert_eq!(rows, ["2 KILLED"; 4]);
}

#[test]
fn a_tick_that_dies_before_a_planned_rerun_leaves_it_to_the_next_one() {
    let sandbox = Sandbox::new();
    fail_first(&sandbox, "exit 1");
    tick(&sandbox, DUE).die_at(POLICY_POINT);
    sandbox.tick_through(DUE);
    assert_eq!(sandbox.database().value("SELECT run FROM coordinator_action"), "1");
}

#[test]
fn a_tick_does_not_wait_for_another_rerun() {
    let sandbox = Sandbox::new();
    submit(&sandbox, "2010-01-02T00:00Z", "exit 1", &POLICY);
    sandbox.tick_through("2010-01-01T19:30Z");
    assert_eq!(sandbox.database().value("SELECT count(*) FROM policy_rerun WHERE rerun_at IS NOT NULL"), "20");
    let lock = File::open(sandbox.beside_database(".rerun.lock"))
        .or_else(|_| File::create(sandbox.beside_database(".rerun.lock")));
    let lock = lock.expect("the file of the lock");
    lock.lock().expect("no rerun is running");
    let start = Instant::now();
    assert_eq!(tick(&sandbox, "2010-01-01T19:40Z").run().status, Some(0));
    // Half a second for each planned rerun.
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop(lock);
    assert_eq!(sandbox.database().value("SELECT sum(run) FROM coordinator_action"), "0");
    sandbox.tick_through("2010-01-01T19:40Z");
    assert_eq!(sandbox.database().value("SELECT sum(run) FROM coordinator_action"), "20");
}

#[test]
fn no_planned_rerun_begins_after_all_jobs_are_paused() {
    let sandbox = Sandbox::new();
    fail_first(&sandbox, "exit 1");
    let slow = hold(&sandbox, tick(&sandbox, DUE), POLICY_POINT, "go");
    sandbox.howdah(["pause", "--all"]).at(DUE).succeed();
    assert_eq!(release(&sandbox, slow, "go").status, Some(0));
    assert_eq!(sandbox.database().value("SELECT status FROM coordinator_action"), "KILLED");
    sandbox.howdah(["resume", "--all"]).at(DUE).succeed();
    sandbox.tick_through(DUE);
    assert_eq!(sandbox.database().value("SELECT run FROM coordinator_action"), "1");
}

/// The present time of the commands below: two of the hours of a job are over.
const AT: &str = "2010-01-01T01:30Z";

/// Submits jobs that write `store/<part>/<hour>`, and runs two actions of each: they fail before `mended` exists.
fn jobs(sandbox: &Sandbox, parts: &[&str]) -> Vec<String> {
    let data = "<datasets><dataset name=\"out\" frequency=\"${coord:hours(1)}\" \
         initial-instance=\"2009-01-01T00:00Z\" timezone=\"UTC\">\
         <uri-template>hdfs://nn/${part}/${MONTH}${DAY}${HOUR}</uri-template></dataset></datasets>\
         <output-events><data-out name=\"out\" dataset=\"out\"><instance>${coord:current(0)}</instance></data-out>\
         </output-events>";
    let properties = &[("part", "${part}")];
    let (end, controls, data) = ("2010-01-01T04:00Z", "<concurrency>9</concurrency>", data.to_owned());
    Coordinator { end, controls, data, properties, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", "test -e ${sandbox}/mended", "end")]);
    let jobs = parts.iter().map(|part| sandbox.submit(NOW, &[("part", part)])).collect();
    sandbox.tick_through(AT);
    for part in parts {
        for hour in ["00", "01"] {
            sandbox.write(&format!("store/{part}/0101{hour}/_SUCCESS"), "");
        }
    }
    jobs
}

fn with_store(sandbox: &Sandbox, arguments: &[&str]) -> Howdah {
    let store = format!("--mount=hdfs://nn={}", sandbox.text("store"));
    sandbox.howdah(arguments.iter().copied()).with(store).at(AT)
}

/// The rerun of all actions of two jobs.
fn rerun_all(sandbox: &Sandbox, jobs: &[String]) -> Howdah {
    with_store(sandbox, &["rerun", &jobs[0], &jobs[1], "--status", "killed", "--yes"])
}

/// Interrupts the rerun of all actions of two jobs.
fn interrupt(sandbox: &Sandbox, jobs: &[String], point: &str) {
    rerun_all(sandbox, jobs).die_at(point);
}

fn has_all_outputs(sandbox: &Sandbox) -> bool {
    ["a/010100", "a/010101", "b/010100", "b/010101"].iter().all(|path| sandbox.path("store").join(path).exists())
}

/// Continues an interrupted rerun on a terminal, runs `meanwhile` while it asks, and answers with yes.
fn continue_after(sandbox: &Sandbox, meanwhile: impl FnOnce()) -> String {
    let mut terminal = with_store(sandbox, &["rerun", "--continue"]).on_terminal((120, 40));
    terminal.await_text("and rerun?");
    meanwhile();
    terminal.type_keys("y\r");
    let text = terminal.await_text("E1018");
    assert_eq!(terminal.finish().code(), Some(1), "{text}");
    text
}

#[test]
fn a_plan_that_was_abandoned_at_the_question_deletes_nothing() {
    let sandbox = Sandbox::new();
    let jobs = jobs(&sandbox, &["a", "b"]);
    interrupt(&sandbox, &jobs, "after-plan-commit");
    continue_after(&sandbox, || {
        let abandoned = with_store(&sandbox, &["rerun", "--abandon"]).succeed();
        assert!(abandoned.stdout.contains("4 actions of an interrupted rerun are forgotten"), "{abandoned:?}");
    });
    assert!(has_all_outputs(&sandbox));
    assert_eq!(sandbox.database().value("SELECT sum(run) FROM coordinator_action"), "0");
}

#[test]
fn a_plan_that_was_replaced_at_the_question_leaves_the_new_one_alone() {
    let sandbox = Sandbox::new();
    let jobs = jobs(&sandbox, &["a", "b"]);
    let die = |job: &str, point: &str| {
        with_store(&sandbox, &["rerun", job, "--status", "killed", "--yes"]).die_at(point);
    };
    die(&jobs[0], "after-plan-commit");
    continue_after(&sandbox, || {
        with_store(&sandbox, &["rerun", "--abandon"]).succeed();
        die(&jobs[1], "after-cleaned-commit");
    });
    assert!(sandbox.path("store/a/010100").exists() && !sandbox.path("store/b/010100").exists());
    assert!(with_store(&sandbox, &["status"]).run().stdout.contains("an interrupted rerun has left 2"));
    with_store(&sandbox, &["rerun", "--continue", "--yes"]).succeed();
    assert_eq!(
        sandbox.database().rows("SELECT run FROM coordinator_action ORDER BY job, number"),
        ["0", "0", "1", "1"]
    );
}

#[test]
fn an_action_that_changes_after_the_cleanup_does_not_stop_the_others_of_its_job() {
    let sandbox = Sandbox::new();
    let jobs = jobs(&sandbox, &["a", "b"]);
    let started = hold(&sandbox, rerun_all(&sandbox, &jobs), "after-cleaned-commit", "go");
    with_store(&sandbox, &["ignore", &format!("{}@1", jobs[0])]).succeed();
    let ran = release(&sandbox, started, "go");
    assert!(ran.status == Some(1) && ran.stdout.contains("Waiting again: 3 actions."), "{ran:?}");
    assert!(ran.stderr.contains(&format!("another command changed {}@1 meanwhile", jobs[0])), "{ran:?}");
    assert!(ran.stderr.contains("its actions stay in the plan"), "{ran:?}");
    assert!(with_store(&sandbox, &["status"]).run().stdout.contains("an interrupted rerun has left 1"));
    let rest = with_store(&sandbox, &["rerun", "--continue", "--yes"]).succeed();
    assert!(rest.stdout.contains("Waiting again: 1 action."), "{rest:?}");
    assert_eq!(sandbox.database().rows("SELECT run FROM coordinator_action ORDER BY job, number"), ["1"; 4]);
    assert_eq!(sandbox.database().value("SELECT count(*) FROM repair"), "0");
}

#[test]
fn a_job_that_refuses_after_the_cleanup_stays_in_the_plan() {
    let sandbox = Sandbox::new();
    let jobs = jobs(&sandbox, &["a", "b"]);
    let started = hold(&sandbox, rerun_all(&sandbox, &jobs), "after-cleaned-commit", "go");
    with_store(&sandbox, &["kill", &jobs[0]]).succeed();
    let ran = release(&sandbox, started, "go");
    assert!(ran.status == Some(1) && ran.stdout.contains("Waiting again: 2 actions."), "{ran:?}");
    assert!(ran.stderr.contains("E1018") && ran.stderr.contains("its actions stay in the plan"), "{ran:?}");
    assert!(with_store(&sandbox, &["status"]).run().stdout.contains("an interrupted rerun has left 2"));
    let again = with_store(&sandbox, &["rerun", "--continue", "--yes"]).run();
    assert!(again.status == Some(1) && again.stderr.contains("its actions stay in the plan"), "{again:?}");
    let shown = with_store(&sandbox, &["rerun", "--abandon", "--dry-run"]).succeed();
    assert!(shown.stdout.contains("2 outputs of 2 actions that do not run again are deleted already"), "{shown:?}");
    with_store(&sandbox, &["change", &jobs[0], "--status", "RUNNING"]).succeed();
    with_store(&sandbox, &["rerun", "--continue", "--yes"]).succeed();
    assert_eq!(sandbox.database().rows("SELECT run FROM coordinator_action ORDER BY job, number"), ["1"; 4]);
}

#[test]
fn what_abandon_gives_up_is_named_and_needs_a_yes() {
    for (point, deleted) in [("inside-cleanup:1", "1 output of 1 action"), ("after-cleanup", "4 outputs of 4 actions")]
    {
        let sandbox = Sandbox::new();
        let jobs = jobs(&sandbox, &["a", "b"]);
        interrupt(&sandbox, &jobs, point);
        let refused = with_store(&sandbox, &["rerun", "--abandon"]).run();
        assert!(refused.status == Some(1) && refused.stderr.contains("H0124"), "{point}: {refused:?}");
        assert!(refused.stdout.contains(&format!("{deleted} that do not run again are deleted already: test@1")));
        assert_eq!(sandbox.database().value("SELECT count(*) FROM repair"), "1", "{point}");
        let done = with_store(&sandbox, &["rerun", "--abandon", "--yes"]).succeed();
        assert!(done.stdout.contains("4 actions of an interrupted rerun are forgotten"), "{point}: {done:?}");
        assert_eq!(sandbox.database().value("SELECT count(*) FROM repair"), "0", "{point}");
    }
}

#[test]
fn what_an_interrupted_rerun_has_not_cleaned_is_not_rerun_over_its_outputs() {
    let sandbox = Sandbox::new();
    let jobs = jobs(&sandbox, &["a", "b"]);
    let dying = rerun_all(&sandbox, &jobs).env("HOWDAH_FAULT", "after-cleaned-commit");
    let started = hold(&sandbox, dying, "before-cleanup", "go");
    // The first output cannot be deleted, so none of its job is.
    std::fs::rename(sandbox.path("store/a/010100"), sandbox.path("moved")).expect("it is there");
    std::os::unix::fs::symlink(sandbox.path("moved"), sandbox.path("store/a/010100")).expect("it has moved");
    assert_eq!(release(&sandbox, started, "go").status, None);
    let ran = with_store(&sandbox, &["rerun", "--continue", "--yes"]).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("H0210"), "{ran:?}");
    assert!(ran.stdout.contains("Waiting again: 2 actions."), "{ran:?}");
    assert!(sandbox.path("store/a/010100").exists() && !sandbox.path("store/b/010100").exists());
    assert_eq!(sandbox.database().value("SELECT count(*) FROM repair"), "0");
}

#[test]
fn a_job_that_refuses_before_the_plan_is_stored_is_no_part_of_it() {
    let sandbox = Sandbox::new();
    let jobs = jobs(&sandbox, &["a", "b"]);
    with_store(&sandbox, &["kill", &jobs[0]]).succeed();
    interrupt(&sandbox, &jobs, "after-cleaned-commit");
    with_store(&sandbox, &["change", &jobs[0], "--status", "RUNNING"]).succeed();
    let ran = with_store(&sandbox, &["rerun", "--continue", "--yes"]).succeed();
    assert!(ran.stdout.contains("Waiting again: 2 actions."), "{ran:?}");
    assert!(sandbox.path("store/a/010100").exists() && !sandbox.path("store/b/010100").exists());
    assert_eq!(
        sandbox.database().rows("SELECT run FROM coordinator_action ORDER BY job, number"),
        ["0", "0", "1", "1"]
    );
}

#[test]
fn two_backfills_at_once_run_an_earlier_time_once() {
    for has_ended in [false, true] {
        let sandbox = Sandbox::new();
        let job = jobs(&sandbox, &["a"]).remove(0);
        sandbox.write("mended", "");
        let until = |until: &'static str| {
            with_store(&sandbox, &["backfill", &job, "--from", "2009-12-31T22:00Z", "--only", "all", "--to", until])
        };
        // The output of the time inside the job makes it ask.
        let mut terminal = until(NOW).on_terminal((120, 40));
        terminal.await_text("and rerun?");
        until("2009-12-31T23:00Z").with("--yes").succeed();
        if has_ended {
            let ended = "SELECT count(*) FROM coordinator_action WHERE job = 2 AND status = 'SUCCEEDED'";
            tick_until(&sandbox, AT, ended, "2");
        }
        terminal.type_keys("y\r");
        let text = terminal.await_text("Waiting again: 1 action.");
        assert!(text.contains("E1018") && text.contains("another backfill"), "{text}");
        assert_eq!(terminal.finish().code(), Some(1), "{text}");
        let again = "SELECT nominal_at FROM coordinator_action GROUP BY nominal_at HAVING count(*) > 1";
        assert_eq!(sandbox.database().rows(again), [""; 0], "{text}");
        assert_eq!(sandbox.database().value("SELECT count(*) FROM coordinator_job"), "2", "{text}");
    }
}

#[test]
fn what_the_failure_policy_reruns_is_not_over() {
    let sandbox = Sandbox::new();
    let line = "case ${nominal} in *T00*) exit 0;; esac; test -e ${sandbox}/mended";
    let job = submit(&sandbox, "2010-01-01T02:00Z", line, &POLICY);
    sandbox.tick_through("2010-01-01T01:00Z");
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    let polls = [format!("{job}@2"), job].map(|target| sandbox.howdah(["poll", &target]).at(LATER).start());
    // Enough for a poll that believes the first end.
    std::thread::sleep(Duration::from_millis(600));
    sandbox.write("mended", "");
    tick_until(&sandbox, LATER, "SELECT status FROM coordinator_action WHERE number = 2", "SUCCEEDED");
    for ran in polls.map(Started::finish) {
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "SUCCEEDED\n"), "{ran:?}");
    }
}

#[test]
fn an_end_of_one_target_counts_only_while_all_have_ended() {
    let sandbox = Sandbox::new();
    let line = format!("case ${{nominal}} in *T01*) {};; esac; test -e ${{sandbox}}/mended", until_gate("pid"));
    let job = submit(&sandbox, "2010-01-01T02:00Z", &line, &[]);
    sandbox.tick(LATER);
    sandbox.await_file("pid");
    let (first, second) = (format!("{job}@1"), format!("{job}@2"));
    wait_for("the failure of the first action", || {
        let status = sandbox.database().value("SELECT status FROM coordinator_action WHERE number = 1");
        (status == "KILLED").then_some(())
    });
    let poll = sandbox.howdah(["poll", &first, &second, "--verbose"]).at(LATER).start();
    std::thread::sleep(Duration::from_millis(600));
    sandbox.write("mended", "");
    sandbox.howdah(["rerun", &first, "--yes"]).at(LATER).succeed();
    sandbox.write("gate", "");
    tick_until(&sandbox, LATER, "SELECT count(*) FROM coordinator_action WHERE status = 'SUCCEEDED'", "2");
    let ran = poll.finish();
    assert_eq!(ran.stdout, format!("{first}  SUCCEEDED\n{second}  SUCCEEDED\n"), "{ran:?}");
    assert_eq!(ran.status, Some(0), "{ran:?}");
}

/// Gives each of the first actions of the job 1 a killed workflow job with a command that is still being ended.
fn keep_commands(sandbox: &Sandbox, actions: u32) {
    let mut database = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    let transaction = database.transaction().expect("no other process writes");
    for table in ["workflow_job", "workflow_node", "attempt"] {
        transaction.execute_batch(&format!("CREATE TEMP TABLE a_{table} AS SELECT * FROM {table}")).expect(table);
    }
    for number in 1..=actions {
        let sql = format!(
            "UPDATE a_workflow_job SET job = 1000 + {number}, id = '{number:07}-100101000000999-oozie-oozi-W',
                parent_coordinator = 1, parent_action = {number};
             UPDATE a_workflow_node SET job = 1000 + {number};
             UPDATE a_attempt SET attempt = 1000 + {number}, job = 1000 + {number}, token = 'token{number}',
                state = 'STARTED', ended_at = NULL;
             INSERT INTO workflow_job SELECT * FROM a_workflow_job;
             INSERT INTO workflow_node SELECT * FROM a_workflow_node;
             INSERT INTO attempt SELECT * FROM a_attempt;"
        );
        transaction.execute_batch(&sql).expect("copies");
    }
    let plans = "INSERT INTO policy_rerun (job, number, reruns, rerun_at)
        SELECT job, number, 0, created_at FROM coordinator_action WHERE job = 1";
    transaction.execute_batch(plans).expect("plans");
    transaction.commit().expect("a commit");
}

#[test]
fn planned_reruns_that_cannot_be_done_now_do_not_keep_the_others_waiting() {
    let sandbox = Sandbox::new();
    let data = hourly_input(&format!("file://{}/${{HOUR}}", sandbox.text("in")), "");
    let (end, controls) = ("2010-02-01T00:00Z", "<concurrency>400</concurrency><throttle>400</throttle>");
    Coordinator { end, controls, data, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &POLICY);
    // 202 hours.
    let now = "2010-01-09T09:30Z";
    tick(&sandbox, now).succeed();
    sandbox.howdah(["kill", &job, "--action", "1-202"]).at(now).succeed();
    let alone = sandbox.howdah(["submit"]).at(now).define("sandbox", &sandbox.text("")).define("nominal", NOW);
    alone.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
    sandbox.await_quiet();
    keep_commands(&sandbox, 201);
    tick(&sandbox, now).succeed();
    let again = "SELECT number FROM coordinator_action WHERE run = 1";
    assert_eq!(sandbox.database().rows(again), ["202"]);
    sandbox.await_quiet();
}
