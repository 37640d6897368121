//! The start protocol under SIGKILL: whichever process dies at whichever point, an action runs exactly once or is LOST.
//!
//! One scenario is stepped through: for every fault point and every N, the N-th process that passes it dies there;
//! ticks follow until the job has ended. The commands count their runs in a file.

use std::collections::BTreeSet;

use howdah_sandbox::application::{Coordinator, action, effect, shell, shell_with, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, is_alive, kill, parent, try_parent, wait_for};
use howdah_sandbox::source;

/// The possible effects on the job when a process dies at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fate {
    /// Nothing of it is visible afterwards.
    Unharmed,
    /// The shim started and its end is not known: the node it worked for is lost.
    Lost,
    /// Several roles pass the point.
    Either,
}

/// Fault points that tick passes.
const TICK: &[(&str, Fate)] = &[
    ("before-materialize-commit", Fate::Unharmed),
    ("inside-materialize-commit", Fate::Unharmed),
    ("after-materialize-commit", Fate::Unharmed),
    ("before-inputs-commit", Fate::Unharmed),
    ("inside-inputs-commit", Fate::Unharmed),
    ("after-inputs-commit", Fate::Unharmed),
    ("before-start-commit", Fate::Unharmed),
    ("inside-start-commit", Fate::Unharmed),
    ("after-start-commit", Fate::Unharmed),
    ("before-runner", Fate::Unharmed),
];

/// Fault points that the runner passes.
const RUNNER: &[(&str, Fate)] = &[
    ("after-folder", Fate::Unharmed),
    ("after-start-record", Fate::Unharmed),
    ("before-attempt-commit", Fate::Unharmed),
    ("inside-workflow-commit", Fate::Unharmed),
    ("after-attempt-commit", Fate::Unharmed),
    ("after-shim-start", Fate::Unharmed),
    ("before-outcome-commit", Fate::Unharmed),
    ("after-outcome-commit", Fate::Unharmed),
    // The runner while it writes the order, the shim while it writes the outcome.
    ("after-temporary", Fate::Either),
];

/// Returns the points at which a tick, the runner or its fork server may die without an effect on any job.
pub(crate) fn harmless_points() -> impl Iterator<Item = &'static str> {
    let points = [TICK, RUNNER, NURSERY, SPARE].into_iter().flatten();
    points.filter(|(_, fate)| *fate == Fate::Unharmed).map(|(point, _)| *point)
}

/// Fault points that the shim passes.
const SHIM: &[(&str, Fate)] = &[
    ("before-claim", Fate::Unharmed),
    ("after-claim", Fate::Lost),
    ("after-spawn", Fate::Lost),
    ("before-operation", Fate::Lost),
    ("before-exit", Fate::Lost),
    ("after-exit", Fate::Unharmed),
];

/// Fault points that the fork server of shims passes.
const NURSERY: &[(&str, Fate)] = &[("before-fork", Fate::Unharmed), ("after-fork", Fate::Unharmed)];

/// Fault points that a child of the fork server passes, if it was forked in advance.
const SPARE: &[(&str, Fate)] = &[("before-folder", Fate::Unharmed), ("after-folder-arrived", Fate::Unharmed)];

/// More passages than the scenario has at any point.
const MOST_PASSAGES: usize = 40;

/// More ticks than any kill can require.
const MOST_TICKS: usize = 6;

/// When both actions are due.
const NOW: &str = "2010-01-01T01:00Z";

/// Two actions of a coordinator: each a command, then file operations.
fn scenario(sandbox: &Sandbox, attributes: &str) {
    Coordinator { controls: "<concurrency>2</concurrency>", ..Coordinator::default() }.write(sandbox);
    let files = "<fs><mkdir path=\"${sandbox}/made/${wf:id()}\"/></fs>";
    let nodes = [shell_with("one", &effect("${nominal}"), "two", attributes), action("two", files, "end", attributes)];
    workflow(sandbox, "app", "one", &nodes);
}

/// Ticks until the job has ended; the kill applies to every process of every tick.
fn tick_to_the_end(sandbox: &Sandbox, job: &str, fault: &str) {
    for _ in 0..MOST_TICKS {
        let tick = sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_FAULT", fault);
        tick.env("HOWDAH_FAULT_LEDGER", sandbox.path("ledger")).run();
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        if matches!(database.job(job).as_str(), "SUCCEEDED" | "DONEWITHERROR" | "KILLED" | "FAILED") {
            return;
        }
    }
    panic!("{fault}: the job is not over after {MOST_TICKS} ticks: {}", sandbox.database().actions());
}

/// One kill; returns whether it happened.
fn die(point: &str, fate: Fate, nth: usize) -> bool {
    let fault = format!("{point}:{nth}");
    let sandbox = Sandbox::new();
    scenario(&sandbox, "");
    let job = sandbox.submit(NOW, &[]);
    tick_to_the_end(&sandbox, &job, &fault);
    let died = sandbox.read("ledger").len() >= nth;
    let database = sandbox.database();
    let status = database.job(&job);
    let effects = sandbox.sorted_lines("effects");
    let context = format!("{fault}: {status}, {}, effects {effects:?}", database.nodes());
    match (fate, died) {
        (Fate::Unharmed, _) | (_, false) => assert_eq!(status, "SUCCEEDED", "{context}"),
        (Fate::Lost, true) => assert_eq!(status, "DONEWITHERROR", "{context}"),
        (Fate::Either, true) => assert!(matches!(status.as_str(), "SUCCEEDED" | "DONEWITHERROR"), "{context}"),
    }
    let lost = database.rows("SELECT job, node FROM attempt WHERE state = 'LOST'");
    let failed = database.rows("SELECT job, name FROM workflow_node WHERE status = 'FAILED' AND error_code = 'JA017'");
    assert_eq!(lost, failed, "{context}");
    assert_eq!(effects.len(), effects.iter().collect::<BTreeSet<_>>().len(), "a command ran twice; {context}");
    if status == "SUCCEEDED" {
        assert_eq!(effects, ["2010-01-01T00:00Z", "2010-01-01T01:00Z"], "{context}");
        assert_eq!((lost.len(), made(&sandbox)), (0, 2), "{context}");
    } else {
        assert_eq!(lost.len(), 1, "{context}");
    }
    died
}

fn made(sandbox: &Sandbox) -> usize {
    std::fs::read_dir(sandbox.path("made")).map_or(0, Iterator::count)
}

/// Steps through points, each from its first passage to its last.
fn step_through(points: &[(&str, Fate)]) {
    for (point, fate) in points {
        let passages = (1..=MOST_PASSAGES).take_while(|nth| die(point, *fate, *nth)).count();
        assert!(passages > 0, "{point} is never passed: nothing was shown");
        assert!(passages < MOST_PASSAGES, "{point} is passed without end");
    }
}

#[test]
fn a_death_of_the_tick_at_any_point() {
    step_through(TICK);
}

#[test]
fn a_death_of_the_runner_at_any_point() {
    step_through(RUNNER);
}

#[test]
fn a_death_of_the_fork_server_at_any_point() {
    step_through(NURSERY);
}

#[test]
fn a_death_of_a_child_forked_in_advance_at_any_point() {
    step_through(SPARE);
}

#[test]
fn a_death_of_the_shim_at_any_point() {
    step_through(SHIM);
}

#[test]
fn every_fault_point_is_stepped_through() {
    let written: BTreeSet<String> = source::files().iter().flat_map(|file| fault_points(&file.text)).collect();
    let tests = source::tests();
    let is_named = |point: &&String| {
        tests.iter().any(|text| text.contains(&format!("\"{point}\"")) || text.contains(&format!("\"{point}:")))
    };
    let forgotten: Vec<&String> = written.iter().filter(|point| !is_named(point)).collect();
    assert!(forgotten.is_empty(), "no test dies at {forgotten:?}");
    let steps = [TICK, RUNNER, NURSERY, SPARE, SHIM].concat();
    let unknown: Vec<_> = steps.iter().map(|(point, _)| point).filter(|point| !written.contains(**point)).collect();
    assert!(unknown.is_empty(), "no source has {unknown:?}");
}

/// The names of the fault points that a source file passes.
fn fault_points(text: &str) -> Vec<String> {
    let calls = text.split("fault_point(").skip(1).filter_map(|rest| rest.split_once(')'));
    let literals = calls.flat_map(|(argument, _)| argument.split('"').skip(1).step_by(2));
    literals.map(str::to_owned).collect()
}

#[test]
fn a_lost_attempt_is_tried_again_as_often_as_declared() {
    // No ledger: every shim dies at the point, whatever attempt it works for.
    for (point, retries, attempts, effects) in
        [("after-claim", 0, 1, 0), ("after-claim", 2, 3, 0), ("before-exit", 2, 3, 3), ("after-spawn", 1, 2, 2)]
    {
        let sandbox = Sandbox::new();
        let attributes = format!("retry-max=\"{retries}\" retry-interval=\"0\"");
        workflow(&sandbox, "app", "one", &[shell_with("one", &effect("ran"), "end", &attributes)]);
        let job = sandbox.submitting(NOW).env("HOWDAH_FAULT", point).succeed().job();
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        let context = format!("{point}, {retries} retries");
        assert_eq!(database.job(&job), "FAILED", "{context}");
        assert_eq!(database.nodes(), ":start: OK, one FAILED", "{context}");
        let lost = database.rows("SELECT number FROM attempt WHERE state = 'LOST'");
        assert_eq!((lost.len(), sandbox.read("effects").lines().count()), (attempts, effects), "{context}");
    }
}

#[test]
fn a_retry_after_a_loss_may_succeed() {
    let sandbox = Sandbox::new();
    scenario(&sandbox, "retry-max=\"1\" retry-interval=\"0\"");
    let job = sandbox.submit(NOW, &[]);
    tick_to_the_end(&sandbox, &job, "before-exit:1");
    let database = sandbox.database();
    assert_eq!(database.job(&job), "SUCCEEDED");
    assert_eq!(database.rows("SELECT state, count(*) FROM attempt GROUP BY state"), ["ENDED 4", "LOST 1"]);
}

/// A workflow whose command runs until the test opens the gate; returns the job and the command's process.
fn at_the_gate(sandbox: &Sandbox) -> (String, i32) {
    let line = format!("{}; {}; exit $(cat ${{sandbox}}/gate)", effect("ran"), until_gate("pid"));
    workflow(sandbox, "app", "one", &[shell("one", &line, "end")]);
    let job = sandbox.submit(NOW, &[]);
    let pid = sandbox.await_file("pid").parse().expect("the number of a process");
    (job, pid)
}

#[test]
fn a_command_outlives_its_runner() {
    for (exit, status) in [("0", "SUCCEEDED"), ("7", "KILLED")] {
        let sandbox = Sandbox::new();
        let (job, pid) = at_the_gate(&sandbox);
        let runner = sandbox.process("howdah runner").expect("a runner advances the job");
        kill(runner);
        sandbox.await_end_of_runner();
        assert!(is_alive(pid), "the command died with the runner");
        sandbox.tick(NOW);
        wait_for("another runner", || sandbox.process("howdah runner"));
        assert_eq!(sandbox.database().job(&job), "RUNNING");
        assert!(is_alive(pid), "the command was touched by the second runner");
        sandbox.write_at_once("gate", exit);
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert_eq!(database.job(&job), status);
        assert_eq!(database.rows("SELECT number, state, exit_code FROM attempt"), [format!("1 ENDED {exit}")]);
        assert_eq!((sandbox.read("effects").as_str(), sandbox.read("pid").trim()), ("ran\n", &*pid.to_string()));
    }
}

#[test]
fn an_exit_without_a_runner_is_recorded() {
    let sandbox = Sandbox::new();
    let (job, pid) = at_the_gate(&sandbox);
    kill(sandbox.process("howdah runner").expect("a runner advances the job"));
    sandbox.write_at_once("gate", "0");
    sandbox.await_quiet();
    assert!(!is_alive(pid));
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "ran\n");
}

#[test]
fn a_shim_outlives_the_fork_server_and_the_next_comes_from_another() {
    let sandbox = Sandbox::new();
    let line = format!("{}; {}; exit $(cat ${{sandbox}}/gate)", effect("one"), until_gate("pid"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "two"), shell("two", &effect("two"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    let pid = sandbox.await_file("pid").parse().expect("the number of a process");
    let shim = parent(pid);
    let (fork_server, next) = (parent(shim), spare(&sandbox, shim));
    kill(fork_server);
    wait_for("the fork server to die", || (!is_alive(fork_server)).then_some(()));
    wait_for("the child that was forked in advance to end", || (!is_alive(next)).then_some(()));
    assert!(is_alive(pid) && is_alive(shim), "they died with the fork server");
    sandbox.write_at_once("gate", "0");
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\ntwo\n"));
}

/// The child that the fork server of this shim has forked for the next attempt.
fn spare(sandbox: &Sandbox, shim: i32) -> i32 {
    let fork_server = parent(shim);
    wait_for("a child that was forked in advance", || {
        let alive = sandbox.processes().into_iter().filter(|pid| is_alive(*pid));
        alive.into_iter().find(|pid| *pid != shim && try_parent(*pid) == Some(fork_server))
    })
}

#[test]
fn the_next_shim_is_forked_in_advance() {
    let sandbox = Sandbox::new();
    let second = "echo $PPID > ${sandbox}/second".to_owned();
    let line = format!("{}; exit $(cat ${{sandbox}}/gate)", until_gate("pid"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "two"), shell("two", &second, "end")]);
    let job = sandbox.submit(NOW, &[]);
    let shim = parent(sandbox.await_file("pid").parse().expect("the number of a process"));
    let next = spare(&sandbox, shim);
    sandbox.write_at_once("gate", "0");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("second").trim(), next.to_string());
}

/// The end of a process takes the kernel longer than the runner needs to read an outcome.
#[test]
fn an_outcome_is_stored_before_its_shim_has_ended() {
    let sandbox = Sandbox::new();
    let line = format!("echo $PPID > ${{sandbox}}/shim; {}", effect("one"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "end")]);
    let hold = format!("after-exit:{}", sandbox.text("go"));
    let job = sandbox.submitting(NOW).env("HOWDAH_HOLD", hold).succeed().job();
    sandbox.await_file("go.held");
    wait_for("the job's end", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
    assert!(is_alive(sandbox.read("shim").trim().parse().expect("the number of a process")));
    sandbox.write_at_once("go", "");
    sandbox.await_quiet();
    sandbox.database().check();
}

#[test]
fn a_child_forked_in_advance_may_die() {
    let sandbox = Sandbox::new();
    let line = format!("{}; {}; exit $(cat ${{sandbox}}/gate)", effect("one"), until_gate("pid"));
    workflow(&sandbox, "app", "one", &[shell("one", &line, "two"), shell("two", &effect("two"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    let shim = parent(sandbox.await_file("pid").parse().expect("the number of a process"));
    let next = spare(&sandbox, shim);
    kill(next);
    wait_for("the spare child to die", || (!is_alive(next)).then_some(()));
    sandbox.write_at_once("gate", "0");
    sandbox.await_quiet();
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\ntwo\n"));
}

#[test]
fn a_command_outlives_its_shim_and_is_lost_when_it_ends() {
    let sandbox = Sandbox::new();
    let (job, pid) = at_the_gate(&sandbox);
    let shim = parent(pid);
    kill(shim);
    wait_for("the shim to die", || (!is_alive(shim)).then_some(()));
    sandbox.tick(NOW);
    assert!(is_alive(pid));
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    sandbox.write_at_once("gate", "0");
    sandbox.await_quiet();
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), sandbox.read("effects").as_str()), ("FAILED", "ran\n"));
    assert_eq!(database.rows("SELECT state FROM attempt"), ["LOST"]);
}

#[test]
fn a_restart_of_the_machine_loses_what_ran() {
    let sandbox = Sandbox::new();
    let (job, _) = at_the_gate(&sandbox);
    let runner = sandbox.process("howdah runner").expect("a runner advances the job");
    kill(runner);
    sandbox.await_end_of_runner();
    sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_TEST_BOOT_ID", "another-boot").succeed();
    wait_for("the job to end", || (sandbox.database().job(&job) != "RUNNING").then_some(()));
    let database = sandbox.database();
    assert_eq!(database.job(&job), "FAILED");
    assert_eq!(database.rows("SELECT state, detail FROM attempt"), ["LOST the machine was restarted while it ran"]);
    assert_eq!(database.value("SELECT error_code FROM workflow_node WHERE name = 'one'"), "JA017");
    sandbox.write_at_once("gate", "0");
    sandbox.await_quiet();
    assert_eq!(sandbox.read("effects"), "ran\n");
}
