//! What the machine cannot tell is not an answer: nothing changes, a message reports it, and the next step continues.
//!
//! strace makes single calls on single paths fail; where it is missing these tests print that they do not run.

use std::fs;
use std::process::Command;

use howdah_sandbox::application::{Coordinator, action, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, kill};
use howdah_sandbox::strace::{self, run, traced};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T01:00Z";
/// Every call that checks a path.
const LOOKS: &str = "?stat,?lstat,?newfstatat,?statx,?access,?faccessat,?faccessat2";

fn is_left_out() -> bool {
    strace::is_here().map_err(|why| tier::missing("strace", why)).is_err()
}

/// Runs howdah while the checks of a path fail.
fn blind(sandbox: &Sandbox, path: &str, error: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let (path, inject) = (sandbox.text(path), format!("inject={LOOKS}:error={error}"));
    run(traced(sandbox, &["-P", &path, "-e", "trace=%file", "-e", &inject], arguments))
}

/// A coordinator of one action with an input that must exist immediately.
fn coordinator(sandbox: &Sandbox, instance: &str, template: &str) -> String {
    let data = format!(
        "<datasets><dataset name=\"d\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2009-12-31T00:00Z\" \
         timezone=\"UTC\"><uri-template>{}</uri-template><done-flag></done-flag></dataset></datasets>\
         <input-events><data-in name=\"in\" dataset=\"d\"><instance>{instance}</instance></data-in></input-events>",
        sandbox.text(template),
    );
    let end = "2010-01-01T01:00Z";
    let properties = &[("input", "${coord:dataIn('in')}")];
    Coordinator { end, controls: "<timeout>0</timeout>", data, properties, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("$(basename ${input})"), "end")]);
    sandbox.submit(NOW, &[])
}

#[test]
fn a_look_that_fails_moves_no_action() {
    if is_left_out() {
        return;
    }
    for error in ["EIO", "ETIMEDOUT", "EMFILE"] {
        let sandbox = Sandbox::new();
        let job = coordinator(&sandbox, "${coord:current(0)}", "data");
        fs::create_dir(sandbox.path("data")).expect("an empty sandbox");
        let first = format!("{job}@1");
        for (path, status) in [("data", "WAITING"), ("app", "READY"), ("app/workflow.xml", "READY")] {
            let (code, said) = blind(&sandbox, path, error, &["tick", "--now", NOW]);
            let context = format!("{error} of {path}: {said}");
            assert_eq!((code, said.lines().count()), (Some(1), 1), "{context}");
            assert!(said.starts_with(&format!("{job}: H0113: Cannot determine what is at [")), "{context}");
            assert_eq!(sandbox.database().actions(), format!("1 {status}"), "{context}");
            let path = sandbox.text(path);
            let options = ["-P", &path, "-e", "trace=%file", "-e", &format!("inject={LOOKS}:error={error}")];
            let explained = traced(&sandbox, &options, &["explain", &first, "--now", NOW]).output().expect("strace");
            let explained = String::from_utf8_lossy(&explained.stdout).into_owned();
            assert!(explained.contains(&format!("Cannot determine what is at [{path}]")), "{context}: {explained}");
            assert!(!explained.contains("TIMEDOUT"), "{context}: {explained}");
        }
        sandbox.tick_through(NOW);
        assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "data\n"));
    }
}

#[test]
fn a_search_passes_over_nothing_that_it_cannot_see() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    let job = coordinator(&sandbox, "${coord:latest(0)}", "data/${YEAR}${MONTH}${DAY}${HOUR}");
    for name in ["2010010100", "2010010101"] {
        fs::create_dir_all(sandbox.path("data").join(name)).expect("an empty sandbox");
    }
    let (code, said) = blind(&sandbox, "data/2010010101", "EIO", &["tick", "--now", NOW]);
    assert!(code == Some(1) && said.contains("H0113"), "{said}");
    assert_eq!(sandbox.database().actions(), "1 WAITING");
    sandbox.tick_through(NOW);
    assert_eq!(
        (sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()),
        ("SUCCEEDED", "2010010101\n")
    );
}

#[test]
fn functions_about_files_wait_for_an_answer() {
    if is_left_out() {
        return;
    }
    let exists = "<decision name=\"choose\"><switch><case to=\"one\">${fs:exists(concat(sandbox, '/there'))}</case>\
                  <default to=\"fail\"/></switch></decision>";
    let body = "<fs><mkdir path=\"${sandbox}/made-${fs:fileSize(concat(sandbox, '/there'))}\"/></fs>";
    let nodes = [
        vec![exists.to_owned(), shell("one", &effect("one"), "end")],
        vec![action("choose", body, "one", ""), shell("one", &effect("one"), "end")],
    ];
    for nodes in nodes {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "choose", &nodes);
        sandbox.write("there", "12345");
        sandbox.submitting(NOW).die_at("before-runner");
        let job = sandbox.database().value("SELECT id FROM workflow_job");
        let inject = format!("inject={LOOKS}:error=EIO:when=1..3");
        let there = sandbox.text("there");
        let options = ["-P", there.as_str(), "-e", "trace=%file", "-e", &inject];
        let (code, said) = run(traced(&sandbox, &options, &["runner", "--now", NOW]));
        assert_eq!(code, Some(0), "{said}");
        assert_eq!(said.matches("H0113").count(), 1, "told once: {said}");
        assert_eq!(sandbox.read("trace").matches("(INJECTED)").count(), 3);
        sandbox.await_quiet();
        assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
    }
}

#[test]
fn a_working_folder_that_cannot_be_checked_is_checked_again() {
    if is_left_out() {
        return;
    }
    for error in ["EIO", "ENOMEM"] {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
        sandbox.submitting(NOW).die_at("before-runner");
        sandbox.howdah(["runner"]).at(NOW).die_at("after-attempt-commit");
        let attempt = sandbox.database().value("SELECT directory FROM attempt");
        let (work, inject) = (format!("{attempt}/work"), format!("inject={LOOKS}:error={error}:when=1"));
        let options = ["-P", &work, "-e", "trace=%file", "-e", &inject];
        let (code, said) = run(traced(&sandbox, &options, &["attempt", &attempt]));
        assert_eq!((code, said.as_str()), (Some(0), ""), "{error}");
        assert!(sandbox.read("trace").contains("(INJECTED)"), "{error}: {}", sandbox.read("trace"));
        sandbox.howdah(["runner"]).at(NOW).succeed();
        let job = sandbox.database().value("SELECT id FROM workflow_job");
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{error}");
        assert_eq!(sandbox.read("effects"), "one\n", "{error}");
    }
}

#[test]
fn a_user_table_that_cannot_be_read_makes_no_user_unknown() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    let options = ["-P", "/etc/passwd", "-e", "trace=openat", "-e", "inject=openat:error=EMFILE"];
    let (code, said) = run(traced(&sandbox, &options, &["tick", "--now", NOW]));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("Cannot determine what is at [/etc/passwd]: Too many open files"), "{said}");
    assert!(!said.contains("no user"), "{said}");
    assert_eq!(sandbox.database().actions(), "1 WAITING");
    sandbox.tick_through(NOW);
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
}

#[test]
fn a_database_that_could_only_be_opened_for_reading_is_refused() {
    if is_left_out() {
        return;
    }
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    let database = sandbox.text("howdah.db");
    for error in ["EMFILE", "EIO"] {
        let inject = format!("inject=openat:error={error}:when=1");
        let (code, said) =
            run(traced(&sandbox, &["-P", &database, "-e", "trace=openat", "-e", &inject], &["tick", "--now", NOW]));
        assert!(code == Some(1) && said.contains("error[H0100]"), "{error} {code:?}: {said}");
        assert!(!said.contains("permissions"), "{error}: {said}");
    }
    sandbox.tick_through(NOW);
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
}

#[test]
fn without_random_bytes_or_threads_nothing_panics() {
    if is_left_out() {
        return;
    }
    let fork =
        "<fork name=\"both\"><path start=\"one\"/><path start=\"two\"/></fork><join name=\"joined\" to=\"end\"/>";
    let branches = [fork.to_owned(), shell("one", &effect("one"), "joined"), shell("two", &effect("two"), "joined")];
    let random = ["-P", "/dev/urandom", "-e", "trace=openat", "-e", "inject=openat:error=EMFILE:when=1..2"];
    let threads = ["-e", "trace=clone3,?clone", "-e", "inject=clone3:error=EAGAIN:when=1"];
    for options in [&random[..], &threads] {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "app", "both", &branches);
        sandbox.submitting(NOW).die_at("before-runner");
        let (code, said) = run(traced(&sandbox, options, &["runner", "--now", NOW]));
        assert_eq!(code, Some(0), "{said}");
        assert!(sandbox.read("trace").contains("(INJECTED)"), "{options:?}");
        sandbox.await_quiet();
        let job = sandbox.database().value("SELECT id FROM workflow_job");
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{said}");
        assert_eq!(sandbox.sorted_lines("effects"), ["one", "two"]);
    }
}

/// A command that writes no file of more than a few KiB.
fn limited(sandbox: &Sandbox, words: &str) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("ulimit -f 8; exec '{}' {words}", env!("CARGO_BIN_EXE_howdah"))]);
    command.env("HOME", sandbox.path("home")).env("HOWDAH_DB", sandbox.database_path());
    command.env("SANDBOX", sandbox.text("")).env("HOWDAH_TEST_MARK", "SANDBOX");
    command
}

#[test]
fn a_limit_on_the_size_of_files_is_reported_and_applies_to_commands() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let words =
        format!("submit -D oozie.wf.application.path='{}' -D sandbox='{}'", sandbox.text("app"), sandbox.text(""));
    let (code, said) = run(limited(&sandbox, &words));
    assert_eq!(code, Some(1), "a refusal and no signal: {said}");
    assert_eq!(said.matches("error[H0").count(), 1, "{said}");
}

#[test]
fn a_runner_under_a_limit_on_file_sizes_ends_and_the_next_continues() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    kill(sandbox.runner().expect("a runner"));
    sandbox.await_end_of_runner();
    sandbox.write("gate", "");
    sandbox.await_quiet();
    // SQLite's log is longer than the limit, and stays as long as it is read.
    let reader = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    let long = "PRAGMA wal_autocheckpoint=0; CREATE TABLE long(x); INSERT INTO long VALUES (zeroblob(1000000));
                DROP TABLE long; BEGIN; SELECT count(*) FROM attempt;";
    reader.execute_batch(long).expect("room");
    let (code, said) = run(limited(&sandbox, &format!("runner --now {NOW}")));
    drop(reader);
    assert!(code == Some(1) && said.contains("H0103") && said.contains("ends; the next tick starts"), "{said}");
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn a_file_system_without_inodes_is_full() {
    if !tier::root("it mounts a small file system") {
        return;
    }
    let sandbox = Sandbox::new();
    let folder = sandbox.path("disk");
    fs::create_dir(&folder).expect("an empty sandbox");
    let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "nr_inodes=20", "tmpfs"]).arg(&folder).output();
    let mount = mount.expect("every Linux has mount");
    assert!(mount.status.success(), "a small file system: {}", String::from_utf8_lossy(&mount.stderr));
    let filled = (0..1_000).take_while(|number| fs::File::create(folder.join(format!("{number}"))).is_ok()).count();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let submit = || {
        let submit = sandbox.howdah(["submit"]).at(NOW).env("HOWDAH_DB", folder.join("howdah.db"));
        submit.define("oozie.wf.application.path", &sandbox.text("app")).define("sandbox", &sandbox.text("")).run()
    };
    let none = submit();
    // Room for the database, and for nothing else.
    let freed = fs::remove_file(folder.join("0"));
    let one = submit();
    let unmounted = Command::new("umount").arg("-l").arg(&folder).status();
    assert!(filled > 0 && freed.is_ok() && unmounted.is_ok_and(|status| status.success()));
    for ran in [none, one] {
        assert!(ran.status == Some(1) && ran.stderr.contains("error[H0103]"), "{ran:?}");
        assert!(ran.stderr.contains("df -i") && !ran.stderr.contains("permissions"), "{ran:?}");
    }
}
