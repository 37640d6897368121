//! Databases that were put back from a backup, moved or copied, and claims that name the wrong process.

use std::fs;
use std::path::Path;

use crate::application::{effect, shell, until_gate, workflow};
use crate::sandbox::{Ran, Sandbox};

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

/// As an operator does it: the database's own files are taken away and the copy is put in their place.
fn restore(sandbox: &Sandbox) {
    for suffix in ["", "-wal", "-shm"] {
        let _ = fs::remove_file(sandbox.beside_database(suffix));
    }
    fs::copy(sandbox.path("backup.db"), sandbox.database_path()).expect("a backup");
}

#[test]
fn jobs_that_get_a_number_again_after_a_restore_run_and_show_their_own_output() {
    let sandbox = Sandbox::new();
    run_workflow(&sandbox, "first");
    backup(&sandbox);
    let forgotten = run_workflow(&sandbox, "forgotten");
    restore(&sandbox);
    sandbox.tick_through(NOW);
    let again = run_workflow(&sandbox, "again");
    assert_eq!(again, forgotten, "the number is given again");
    assert_eq!(sandbox.read("effects"), "first\nforgotten\nagain\n");
    let log = sandbox.howdah(["log", &again]).at(NOW).succeed().stdout;
    assert!(log.contains("said again") && !log.contains("said forgotten"), "{log}");
    // What is run again on purpose after the restore is done again.
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

/// A copy of the database beside it, as `cp` makes it.
fn copy(sandbox: &Sandbox, to: &str) -> std::path::PathBuf {
    backup(sandbox);
    fs::create_dir_all(sandbox.path(to).parent().expect("a folder")).expect("a folder");
    fs::rename(sandbox.path("backup.db"), sandbox.path(to)).expect("a backup");
    sandbox.path(to)
}

fn at(sandbox: &Sandbox, database: &Path, words: &[&str]) -> Ran {
    sandbox.howdah(words.iter().copied()).env("HOWDAH_DB", database).at(NOW).run()
}

#[test]
fn a_copy_asks_once_before_it_does_everything_twice() {
    let sandbox = Sandbox::new();
    run_workflow(&sandbox, "first");
    sandbox.tick(NOW);
    let database = copy(&sandbox, "elsewhere/copy.db");
    let property = format!("oozie.wf.application.path={}", sandbox.text("app"));
    for words in [&["tick"][..], &["daemon"], &["submit", "-D", &property], &["run", "-D", &property]] {
        let refused = at(&sandbox, &database, words);
        assert_eq!(refused.status, Some(1), "{words:?}: {refused:?}");
        assert!(refused.stderr.contains("H0133") && refused.stderr.contains("howdah db here --db"), "{refused:?}");
        assert!(refused.stderr.contains(&sandbox.text("howdah.db")), "{refused:?}");
    }
    // Looking is free.
    assert_eq!(at(&sandbox, &database, &["jobs"]).status, Some(0));
    sandbox.tick(NOW);
    let told = at(&sandbox, &database, &["db", "here"]);
    assert_eq!(told.stdout, format!("{} is the database from now on\n", database.display()), "{told:?}");
    assert_eq!(at(&sandbox, &database, &["tick"]).status, Some(0));
}

#[test]
fn what_was_renamed_or_put_back_goes_on_without_a_question() {
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
