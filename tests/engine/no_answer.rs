//! A file system that gives no answer, such as one whose server is away: no process waits for it for ever, nothing is
//! decided, and the next step does everything exactly once.
//!
//! strace keeps single calls on single paths waiting; where it is not there these tests say that they were skipped. A
//! process that waits to the end of the delay goes on as usual, so that each of these tests fails where no look is
//! watched.

use std::fs;
use std::path::Path;
use std::process::Output;

use howdah_sandbox::application::{Coordinator, action, effect, hourly_input, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::strace::{self, run_to_end_of_howdah, traced};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T01:00Z";
/// Every call that looks at a path.
pub(crate) const LOOKS: &str = "?stat,?lstat,?newfstatat,?statx,?access,?faccessat,?faccessat2";
/// How long a call waits, in microseconds: much longer than a look may take. A process that ends before is not waited
/// for.
const DELAY: &str = "6000000";
/// How long a look may take, in milliseconds: much longer than the looks that do not wait take on a busy machine.
const LIMIT: &str = "1500";
/// The exit status of a process that got no answer.
const TRY_AGAIN: Option<i32> = Some(75);

fn is_left_out() -> bool {
    strace::is_here().map_err(|why| tier::missing("strace", why)).is_err()
}

/// Runs howdah while `calls` on a path wait.
pub(crate) fn hanging(sandbox: &Sandbox, calls: &str, path: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    hanging_for(sandbox, (DELAY, LIMIT), &[calls, path], arguments)
}

/// Runs howdah while calls on a path wait, each for this delay, and a look may take as long as this limit.
fn hanging_for(
    sandbox: &Sandbox,
    (delay, limit): (&str, &str),
    [calls, path]: &[&str; 2],
    arguments: &[&str],
) -> (Option<i32>, String, String) {
    let inject = format!("inject={calls}:delay_enter={delay}");
    let mut command = traced(sandbox, &["-f", "-P", path, "-e", &inject], arguments);
    let Output { status, stdout, stderr } = run_to_end_of_howdah(sandbox, command.env("HOWDAH_TEST_PATIENCE", limit));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

/// What is said of a path.
fn words(path: &str) -> String {
    format!("Cannot determine what is at [{path}]: no answer within 1.5 s")
}

#[test]
fn validate_waits_for_no_file_and_no_folder_for_ever() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let (folder, file) = (sandbox.text("app"), sandbox.text("app/workflow.xml"));
    for (calls, waiting, named) in
        [("openat", &file, &file), ("read", &file, &file), (LOOKS, &file, &file), ("getdents64", &folder, &folder)]
    {
        let (code, _, said) = hanging(&sandbox, calls, waiting, &["validate", named]);
        assert_eq!(code, TRY_AGAIN, "{calls}: {said}");
        assert!(said.starts_with(&format!("error[H0113]: {}", words(waiting))), "{calls}: {said}");
    }
    // Its document has begun already and cannot hold the error.
    let (code, answer, said) = hanging(&sandbox, "openat", &file, &["validate", "--json", &file]);
    assert!(code == TRY_AGAIN && said.contains(&words(&file)), "{answer} {said}");
    let application = format!("oozie.wf.application.path={folder}");
    let submit = ["submit", "--json", "-D", &application];
    let (code, answer, said) = hanging(&sandbox, "openat", &file, &submit);
    let said_nothing = !said.contains("H0113");
    assert!(code == TRY_AGAIN && said_nothing && answer.contains(&words(&file)), "{answer} {said}");
}

#[test]
fn a_tick_without_an_answer_lets_go_of_its_lock_and_decides_nothing() {
    if is_left_out() {
        return;
    }
    for (calls, path, status) in [(LOOKS, "data", "WAITING"), ("openat", "app/workflow.xml", "READY")] {
        let sandbox = Sandbox::new();
        let data = hourly_input(&sandbox.text("data"), "<done-flag/>");
        // The input must be there at once: an answer "not there" would end the action.
        let controls = "<timeout>0</timeout>";
        Coordinator { end: NOW, controls, data, ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
        let job = sandbox.submit(NOW, &[]);
        fs::create_dir(sandbox.path("data")).expect("an empty sandbox");
        let (code, _, said) = hanging(&sandbox, calls, &sandbox.text(path), &["tick", "--now", NOW]);
        assert_eq!(code, TRY_AGAIN, "{path}: {said}");
        assert!(said.contains(&words(&sandbox.text(path))), "{path}: {said}");
        assert_eq!(sandbox.database().actions(), format!("1 {status}"), "{path}");
        // It would end with 75 where the lock were still held.
        sandbox.howdah(["tick"]).at(NOW).succeed();
        sandbox.await_quiet();
        assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
    }
}

/// A workflow that is submitted and of which no node has begun.
fn submit_alone(sandbox: &Sandbox) {
    sandbox.submitting(NOW).die_at("before-runner");
}

#[test]
fn a_runner_without_an_answer_leaves_the_work_to_the_next_one() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    let body = "<fs><mkdir path=\"${sandbox}/made-${fs:fileSize(concat(sandbox, '/there'))}\"/></fs>";
    workflow(&sandbox, "app", "make", &[action("make", body, "one", ""), shell("one", &effect("one"), "end")]);
    sandbox.write("there", "12345");
    submit_alone(&sandbox);
    let (code, _, said) = hanging(&sandbox, LOOKS, &sandbox.text("there"), &["runner", "--now", NOW]);
    assert!(code == TRY_AGAIN && said.contains(&words(&sandbox.text("there"))), "{code:?} {said}");
    sandbox.tick_through(NOW);
    let job = sandbox.database().value("SELECT id FROM workflow_job");
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
    assert!(sandbox.path("made-5").is_dir());
}

#[test]
fn a_process_that_supervises_a_command_waits_however_long_it_takes() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    submit_alone(&sandbox);
    sandbox.howdah(["runner"]).at(NOW).die_at("after-attempt-commit");
    let attempt = sandbox.database().value("SELECT directory FROM attempt");
    // Several calls wait, one after the other; a shorter limit could only end what is not to be ended.
    let work = format!("{attempt}/work");
    let (code, _, said) = hanging_for(&sandbox, ("1500000", "500"), &[LOOKS, &work], &["attempt", &attempt]);
    assert_eq!((code, said.as_str()), (Some(0), ""));
    assert!(sandbox.read("trace").contains("(DELAYED)"), "{}", sandbox.read("trace"));
    sandbox.howdah(["runner"]).at(NOW).succeed();
    let job = sandbox.database().value("SELECT id FROM workflow_job");
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
}

#[test]
fn a_deletion_is_watched_look_by_look() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    submit_alone(&sandbox);
    sandbox.tick_through(NOW);
    let attempt = sandbox.database().value("SELECT directory FROM attempt");
    // Later than the files that are really made now.
    let purge = ["db", "purge", "--older-than", "0d", "--now", "2100-01-01T00:00Z"];
    let (code, _, said) = hanging(&sandbox, "getdents64", &attempt, &purge);
    assert!(code == TRY_AGAIN && said.contains(&words(&attempt)), "{code:?} {said}");
    let again = sandbox.howdah(purge).succeed();
    assert!(!Path::new(&attempt).exists(), "{again:?}");
}
