//! Suspending jobs whose nodes are just starting: after the command returns, nothing of them starts any more.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use howdah_sandbox::application::{Coordinator, action, effect, shell, sub_workflow, workflow};
use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_tier::Trials;

const NOW: &str = "2010-01-01T01:00Z";

/// How many jobs are suspended, each at another moment.
const SUSPENSIONS: Trials = Trials { quick: 25, full: 25, soak: 250 };

/// The point of a suspension after it stored the new status and before it stops what is starting.
pub(crate) const FAULT_POINT: &str = "after-suspend-commit";

/// Ticks; the process that passes the point for the n-th time dies there.
fn tick_and_die(sandbox: &Sandbox, fault: &str) {
    let tick = sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_FAULT", fault);
    tick.env("HOWDAH_FAULT_LEDGER", sandbox.path("ledger")).run();
    sandbox.await_quiet();
    assert_eq!(sandbox.read("ledger").len(), 1, "{fault}: no process died");
}

fn tick_often(sandbox: &Sandbox) {
    for _ in 0..3 {
        sandbox.tick_through(NOW);
    }
}

#[test]
fn a_node_that_was_stored_and_not_begun_waits_for_the_resume() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    tick_and_die(&sandbox, "after-attempt-commit:1");
    assert_eq!(sandbox.database().nodes(), ":start: OK, one RUNNING");
    let ran = sandbox.howdah(["suspend", &job]).at(NOW).succeed();
    assert!(ran.stderr.contains("@one had not started; it starts when its job is resumed"), "{ran:?}");
    tick_often(&sandbox);
    let database = sandbox.database();
    database.check();
    assert_eq!((database.nodes().as_str(), sandbox.read("effects").as_str()), (":start: OK, one PREP", ""));
    sandbox.howdah(["resume", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), sandbox.sorted_lines("effects").len()), ("SUCCEEDED", 1));
    assert_eq!(database.rows("SELECT number, state FROM attempt ORDER BY number"), ["1 KILLED", "2 ENDED"]);
}

#[test]
fn what_a_suspension_that_died_left_is_taken_back_by_the_next_runner() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    tick_and_die(&sandbox, "after-attempt-commit:1");
    let suspend = sandbox.howdah(["suspend", &job]).at(NOW).env("HOWDAH_FAULT", FAULT_POINT);
    assert_eq!(suspend.env("HOWDAH_FAULT_LEDGER", sandbox.path("ledger-of-suspend")).run().status, None);
    assert_eq!(sandbox.database().job(&job), "SUSPENDED");
    tick_often(&sandbox);
    assert_eq!((sandbox.database().nodes().as_str(), sandbox.read("effects").as_str()), (":start: OK, one PREP", ""));
    sandbox.howdah(["resume", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
}

#[test]
fn a_sub_workflow_that_was_not_begun_waits_with_its_parent() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[action("one", &sub_workflow("child"), "end", "")]);
    workflow(&sandbox, "child", "inner", &[shell("inner", &effect("inner"), "end")]);
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    let job = sandbox.submit(NOW, &[]);
    tick_and_die(&sandbox, "after-attempt-commit:1");
    let jobs = || sandbox.database().rows("SELECT status FROM workflow_job ORDER BY job");
    assert_eq!(jobs(), ["RUNNING", "PREP"]);
    sandbox.howdah(["suspend", &job]).at(NOW).succeed();
    tick_often(&sandbox);
    assert_eq!((jobs(), sandbox.read("effects").as_str()), (vec!["SUSPENDED".into(), "PREP".into()], ""));
    sandbox.howdah(["resume", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "inner\n"));
}

/// Many suspensions of real processes at any moment after a tick: a while later, only what had started when the command
/// returned has started, and every command runs once after the resume.
#[test]
fn nothing_starts_after_a_suspension_has_returned() {
    let mut dice = Dice::new(34);
    let mut held = 0;
    let rounds = SUSPENSIONS.number();
    let mut done = 0;
    // On a busy machine some suspensions come too late to hold anything.
    while done < rounds || (held <= rounds / 5 && done < 10 * rounds) {
        let round = done;
        done += 1;
        let sandbox = Sandbox::new();
        let controls = "<concurrency>4</concurrency>";
        Coordinator { end: "2010-01-01T04:00Z", controls, ..Coordinator::default() }.write(&sandbox);
        let chain = ["a", "b", "c"].map(|name| {
            let to = match name {
                "a" => "b",
                "b" => "c",
                _ => "end",
            };
            shell(name, &effect(&format!("{name} ${{nominal}}")), to)
        });
        workflow(&sandbox, "app", "a", &chain);
        let job = sandbox.submit(NOW, &[]);
        sandbox.howdah(["tick"]).at("2010-01-01T03:00Z").run();
        let moment = u64::try_from(dice.between(0, 60)).expect("not negative");
        std::thread::sleep(Duration::from_millis(moment));
        sandbox.howdah(["suspend", &job]).at("2010-01-01T03:00Z").succeed();
        // A running command has at most its one line to write.
        let begun = begun(&sandbox);
        let until = Instant::now() + Duration::from_millis(150);
        while Instant::now() < until {
            let now = self::begun(&sandbox);
            assert_eq!(now.difference(&begun).collect::<Vec<_>>(), Vec::<&String>::new(), "round {round}");
            std::thread::sleep(Duration::from_millis(5));
        }
        held += usize::from(begun.len() < 12);
        sandbox.howdah(["resume", &job]).at("2010-01-01T03:00Z").run();
        sandbox.await_quiet();
        sandbox.tick_through("2010-01-01T03:00Z");
        wait_for("the job to end", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
        assert_eq!(sandbox.sorted_lines("effects").len(), 12, "round {round}");
        sandbox.database().check();
    }
    println!("{done} suspensions, {held} of them before all had started");
    assert!(held > rounds / 5, "only {held} of the suspensions came in time: nothing was shown");
}

/// Returns the attempts whose command was started: their shims have recorded the process, or its exit.
fn begun(sandbox: &Sandbox) -> BTreeSet<String> {
    let below = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect::<Vec<_>>()
    };
    let attempts = below(sandbox.beside_database(".runs")).into_iter().flat_map(below).flat_map(below);
    let has_begun = |folder: &PathBuf| folder.join("process").exists() || folder.join("exit").exists();
    attempts.filter(has_begun).map(|folder| folder.display().to_string()).collect()
}
