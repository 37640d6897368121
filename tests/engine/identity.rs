//! Databases that were restored from a backup, moved or copied, and claims that name the wrong process.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use howdah_sandbox::application::{effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, is_alive, kill, wait_for};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";

/// Submits a workflow of its own whose nodes leave effects, and waits until it is over.
fn run_workflow(sandbox: &Sandbox, word: &str) -> String {
    workflow(sandbox, "app", "one", &[shell("one", &format!("echo said {word}; {}", effect(word)), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    job
}

fn backup(sandbox: &Sandbox) {
    sandbox.howdah(["db", "backup"]).with(sandbox.path("backup.db")).succeed();
}

fn restore(sandbox: &Sandbox) {
    sandbox.howdah(["db", "restore"]).at(NOW).with(sandbox.path("backup.db")).succeed();
}

#[test]
fn jobs_that_are_new_after_a_restore_run_and_show_their_own_output() {
    let sandbox = Sandbox::new();
    run_workflow(&sandbox, "first");
    backup(&sandbox);
    let forgotten = run_workflow(&sandbox, "forgotten");
    restore(&sandbox);
    sandbox.tick_through(NOW);
    let again = run_workflow(&sandbox, "again");
    assert_ne!(again, forgotten, "the number is not given again");
    assert_eq!(sandbox.read("effects"), "first\nforgotten\nagain\n");
    let log = sandbox.howdah(["log", &again]).at(NOW).succeed().stdout;
    assert!(log.contains("said again") && !log.contains("said forgotten"), "{log}");
    // What is deliberately run again after the restore is done again.
    sandbox.howdah(["rerun", &again, "-D", "oozie.wf.rerun.failnodes=false"]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!(sandbox.read("effects"), "first\nforgotten\nagain\nagain\n");
    sandbox.database().check();
}

#[test]
fn what_a_job_did_after_the_backup_is_not_done_twice() {
    let sandbox = Sandbox::new();
    let nodes =
        [shell("one", &until_gate("pid"), "two"), shell("two", &format!("echo said two; {}", effect("two")), "end")];
    workflow(&sandbox, "app", "one", &nodes);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    backup(&sandbox);
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    restore(&sandbox);
    sandbox.tick_through(NOW);
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "two\n"));
    assert_eq!(sandbox.database().nodes(), ":start: OK, one OK, two OK, end OK");
    let log = sandbox.howdah(["log", &job]).at(NOW).succeed().stdout;
    assert!(log.contains("said two"), "{log}");
    sandbox.database().check();
}

/// A copy of the database, as `cp` makes it while no process uses it.
fn copy(sandbox: &Sandbox, to: &str) -> std::path::PathBuf {
    sandbox.await_quiet();
    fs::create_dir_all(sandbox.path(to).parent().expect("a folder")).expect("a folder");
    fs::copy(sandbox.database_path(), sandbox.path(to)).expect("a copy");
    sandbox.path(to)
}

fn at(sandbox: &Sandbox, database: &Path, words: &[&str]) -> Ran {
    sandbox.howdah(words.iter().copied()).env("HOWDAH_DB", database).at(NOW).run()
}

#[test]
fn a_copy_asks_once_before_it_does_everything_twice() {
    let sandbox = Sandbox::new();
    let job = run_workflow(&sandbox, "first");
    sandbox.tick(NOW);
    let database = copy(&sandbox, "elsewhere/copy.db");
    let property = format!("oozie.wf.application.path={}", sandbox.text("app"));
    let coordinator = job.replace("-W", "-C");
    let words: [&[&str]; 20] = [
        &["tick"],
        &["daemon"],
        &["submit", "-D", &property],
        &["run", "-D", &property],
        &["kill", &job],
        &["kill", &format!("{job}@one")],
        &["suspend", &job],
        &["resume", &job],
        &["suspend", "--filter", "name=x", "--jobtype", "wf"],
        &["rerun", &job, "-D", "oozie.wf.rerun.failnodes=false"],
        &["change", &coordinator, "--value", "concurrency=2"],
        &["ignore", &coordinator],
        &["update", &coordinator],
        &["sla", "enable", &coordinator],
        &["sla", "disable", &coordinator],
        &["sla", "change", &coordinator, "--value", "sla-should-end=1"],
        &["db", "purge", "--older-than", "30d"],
        &["db", "shrink"],
        &["courier"],
        &["runner"],
    ];
    for words in words {
        let refused = at(&sandbox, &database, words);
        assert_eq!(refused.status, Some(1), "{words:?}: {refused:?}");
        assert!(refused.stderr.contains("H0133") && refused.stderr.contains("howdah db here --db"), "{refused:?}");
        assert!(refused.stderr.contains(&sandbox.text("howdah.db")), "{refused:?}");
    }
    // Reading is always allowed.
    for words in [&["jobs"][..], &["info", &job], &["log", &job], &["poll", &job], &["sla", "list"], &["db", "check"]] {
        let looked = at(&sandbox, &database, words);
        assert!(!looked.stderr.contains("H0133"), "{words:?}: {looked:?}");
    }
    assert_eq!(at(&sandbox, &database, &["jobs"]).status, Some(0));
    sandbox.tick(NOW);
    let told = at(&sandbox, &database, &["db", "here"]);
    assert_eq!(told.stdout, format!("{} is the database from now on\n", database.display()), "{told:?}");
    assert_eq!(at(&sandbox, &database, &["tick"]).status, Some(0));
}

#[test]
fn a_renamed_or_restored_database_continues_without_a_question() {
    let sandbox = Sandbox::new();
    run_workflow(&sandbox, "first");
    sandbox.tick(NOW);
    backup(&sandbox);
    restore(&sandbox);
    sandbox.tick(NOW);
    let renamed = sandbox.path("renamed.db");
    for suffix in ["", "-wal", "-shm"] {
        let to = format!("{}{suffix}", renamed.display());
        let _ = fs::rename(sandbox.beside_database(suffix), to);
    }
    assert_eq!(at(&sandbox, &renamed, &["tick"]).status, Some(0));
    // Back under its name after a restart of the machine.
    fs::rename(&renamed, sandbox.database_path()).expect("the database");
    let tick = sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_TEST_BOOT_ID", "another");
    assert_eq!(tick.run().status, Some(0));
}

#[test]
fn the_same_path_on_another_machine_is_another_place() {
    let sandbox = Sandbox::new();
    run_workflow(&sandbox, "first");
    let tick = |boot: &str, machine: &str| {
        sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_TEST_BOOT_ID", boot).env("HOWDAH_TEST_MACHINE_ID", machine).run()
    };
    let here = sandbox.howdah(["db", "here"]).env("HOWDAH_TEST_BOOT_ID", "1");
    here.env("HOWDAH_TEST_MACHINE_ID", "m").succeed();
    assert_eq!(tick("2", "m").status, Some(0), "restarted");
    let refused = tick("3", "n");
    assert!(refused.stderr.contains("on the machine with the id m"), "{refused:?}");
    assert_eq!(refused.status, Some(1));
}

/// A workflow job whose command waits for the gate and whose runner has ended; returns its id and the process id of the
/// command.
fn without_runner(sandbox: &Sandbox) -> (String, i32) {
    let line = format!("{}; {}", effect("one"), until_gate("pid"));
    workflow(sandbox, "app", "one", &[shell("one", &line, "end")]);
    let job = sandbox.submit(NOW, &[]);
    let command = sandbox.await_file("pid").parse().expect("the number of a process");
    let runner = wait_for("the runner", || sandbox.process("howdah runner"));
    kill(runner);
    sandbox.await_end_of_runner();
    (job, command)
}

#[test]
fn what_may_still_run_on_another_machine_is_listed_before_the_database_is_used_here() {
    let sandbox = Sandbox::new();
    let (job, _) = without_runner(&sandbox);
    sandbox.howdah(["db", "here"]).env("HOWDAH_TEST_MACHINE_ID", "m").succeed();
    let there = |words: &[&str]| {
        let command = sandbox.howdah(words.iter().copied()).at(NOW).env("HOWDAH_TEST_BOOT_ID", "another");
        command.env("HOWDAH_TEST_MACHINE_ID", "n").run()
    };
    for words in [&["status"][..], &["status", "--check"]] {
        let seen = there(words);
        assert!(seen.stdout.contains("nothing works on this database"), "{seen:?}");
        assert!(seen.stdout.contains("on the machine with the id m"), "{seen:?}");
    }
    assert_eq!(there(&["status", "--check"]).status, Some(2));
    let listed = format!("{job}@one  attempt 1, since 2010-01-01T00:00Z, process ");
    for words in [&["db", "here"][..], &["db", "here", "--json"]] {
        let refused = there(words);
        let said = format!("{}{}", refused.stdout, refused.stderr);
        assert!(refused.status == Some(1) && said.contains("H0124"), "{said}");
        assert!(said.contains("1 command may still run elsewhere"), "{said}");
        assert_eq!(said.contains(&listed), words.len() == 2, "{said}");
        assert!(there(&["tick"]).stderr.contains("H0133"), "nothing was changed");
    }
    let told = there(&["db", "here", "--yes", "--json"]);
    assert!(told.status == Some(0) && told.stdout.contains("\"mayRunElsewhere\""), "{told:?}");
    assert!(told.stdout.contains(&format!("{job}@one")), "{told:?}");
    let seen = there(&["status"]);
    assert!(!seen.stdout.contains("nothing works"), "{seen:?}");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    // Its outcome is in its folder meanwhile, which both machines see.
    assert_eq!(there(&["tick"]).status, Some(0));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "one\n");
}

#[test]
fn two_machines_with_one_id_are_told_apart_and_a_restart_is_none() {
    let sandbox = Sandbox::new();
    run_workflow(&sandbox, "first");
    let tick = |boot: &str, started: &str, now: &str| {
        let tick = sandbox.howdah(["tick"]).at(now).env("HOWDAH_TEST_BOOT_ID", boot);
        let tick = tick.env("HOWDAH_TEST_HOST", if boot == "2" { "second" } else { "first" });
        tick.env("HOWDAH_TEST_MACHINE_ID", "m").env("HOWDAH_TEST_STARTED", started).run()
    };
    sandbox.howdah(["db", "here"]).env("HOWDAH_TEST_BOOT_ID", "1").env("HOWDAH_TEST_MACHINE_ID", "m").succeed();
    // 2009-12-31T22:53:20Z.
    let long_ago = "1262300000";
    assert_eq!(tick("1", long_ago, "2010-01-01T00:10Z").status, Some(0));
    for _ in 0..2 {
        let refused = tick("2", long_ago, "2010-01-01T00:11Z");
        assert!(refused.status == Some(1) && refused.stderr.contains("H0133"), "{refused:?}");
        let known = "on another machine [first] with the same id, which ticked at 2010-01-01T00:10";
        assert!(refused.stderr.contains(known), "{refused:?}");
        assert_eq!(tick("1", long_ago, "2010-01-01T00:10Z").status, Some(0));
    }
    // 2010-01-01T00:15:00Z: the machine of the last tick has started again.
    assert_eq!(tick("3", "1262304900", "2010-01-01T00:16Z").status, Some(0));
    // Once more, with a clock that was set back before.
    assert_eq!(tick("4", long_ago, "2010-01-01T00:17Z").status, Some(0));
}

#[test]
fn a_claim_that_names_an_unrelated_process_keeps_no_runner_alive() {
    let sandbox = Sandbox::new();
    let (job, command) = without_runner(&sandbox);
    let claim = sandbox.path(&format!("howdah.runs/{job}/one/0-1/claim"));
    let mut forged: serde_json::Value = serde_json::from_slice(&fs::read(&claim).expect("a claim")).expect("JSON");
    let shim = i32::try_from(forged["holder"]["pid"].as_i64().expect("a number")).expect("a number");
    for pid in [shim, command] {
        kill(pid);
        wait_for("its end", || (!is_alive(pid)).then_some(()));
    }
    // This very program: it runs, and is not part of the attempt.
    let stat = fs::read_to_string("/proc/self/stat").expect("this test needs /proc");
    let fields: Vec<&str> = stat.rsplit_once(") ").expect("a name").1.split(' ').collect();
    forged["holder"]["pid"] = std::process::id().into();
    forged["holder"]["start_time"] = fields[19].into();
    fs::write(&claim, forged.to_string()).expect("a claim");
    let _ = fs::remove_file(claim.with_file_name("process"));
    sandbox.tick(NOW);
    sandbox.await_quiet();
    let database = sandbox.database();
    let lost = "LOST its claim names a process that has nothing to do with it";
    assert_eq!(database.rows("SELECT state, detail FROM attempt"), [lost]);
    assert_eq!(database.job(&job), "FAILED");
}

/// Howdah as the first process of a PID namespace of its own, with a process table of its own.
fn in_container(sandbox: &Sandbox, words: &[&str]) -> Child {
    let mut command = Command::new("unshare");
    command.args(["--pid", "--fork", "--mount-proc", "--kill-child"]).arg(env!("CARGO_BIN_EXE_howdah")).args(words);
    command
        .env_clear()
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
        .env("SANDBOX", sandbox.text(""))
        .env("HOWDAH_TEST_MARK", "SANDBOX");
    command.env("HOME", sandbox.path("home")).env("HOWDAH_DB", sandbox.database_path());
    command.env("HOWDAH_ZONE_DATA", "built-in");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("unshare starts")
}

fn has_containers() -> bool {
    if !tier::root("it makes PID name spaces") {
        return false;
    }
    let tried = Command::new("unshare").args(["--pid", "--fork", "--mount-proc", "true"]).output();
    let works = tried.is_ok_and(|tried| tried.status.success());
    assert!(works, "`unshare --pid --fork --mount-proc` is refused or not there");
    true
}

#[test]
fn a_command_in_another_container_is_not_lost() {
    if !has_containers() {
        return;
    }
    let sandbox = Sandbox::new();
    let (job, command) = without_runner(&sandbox);
    let mut daemon = in_container(&sandbox, &["daemon", "--every", "1", "--now", NOW]);
    let attempts = || sandbox.database().rows("SELECT state || number FROM attempt").join(", ");
    let node = format!("{job}@one");
    let explain = in_container(&sandbox, &["explain", &node, "--now", NOW]).wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&explain.stdout).into_owned();
    assert!(said.contains("it belongs to another PID namespace (a container)"), "{explain:?}");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!((attempts().as_str(), is_alive(command)), ("STARTED1", true));
    sandbox.write("gate", "");
    wait_for("the end of the job", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
    assert_eq!((attempts().as_str(), sandbox.read("effects").as_str()), ("ENDED1", "one\n"));
    daemon.kill().expect("it runs");
    let told = String::from_utf8_lossy(&daemon.wait_with_output().expect("it ends").stderr).into_owned();
    assert_eq!(told.matches("it belongs to another PID namespace").count(), 1, "{told}");
}
