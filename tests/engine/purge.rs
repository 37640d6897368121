//! `db purge`: what has ended is deleted with its folders, the rest stays, and an interrupted purge is completed.

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";
/// Long after everything, by the clock of the jobs and that of the files.
const LATER: &str = "2100-01-01T00:00Z";

/// The fault points that a purge passes; a test makes it die at each of them.
pub(crate) const FAULT_POINTS: [&str; 3] = ["after-condemned", "after-purge-commit", "after-purged-parts"];

/// A coordinator of two actions that has ended, and a separate workflow job.
fn over() -> (Sandbox, [String; 2]) {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let coordinator = sandbox.submit(NOW, &[]);
    sandbox.tick_through("2010-01-01T01:00Z");
    assert_eq!(sandbox.database().job(&coordinator), "SUCCEEDED");
    let workflow = lone_workflow(&sandbox, "true");
    sandbox.await_quiet();
    (sandbox, [coordinator, workflow])
}

fn lone_workflow(sandbox: &Sandbox, line: &str) -> String {
    workflow(sandbox, "alone", "one", &[shell("one", line, "end")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
    submit.define("oozie.wf.application.path", &sandbox.text("alone")).succeed().job()
}

fn purge(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let arguments = ["db", "purge"].iter().chain(arguments).copied();
    sandbox.howdah(arguments).at(LATER).run()
}

/// The names of the folders of workflow jobs.
fn folders(sandbox: &Sandbox) -> Vec<String> {
    let entries = std::fs::read_dir(sandbox.path("howdah.runs")).expect("something has run");
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// Every row that a purge of everything deletes.
fn rows_of_jobs(sandbox: &Sandbox) -> String {
    let tables =
        ["coordinator_job", "coordinator_action", "workflow_job", "workflow_node", "attempt", "event", "document"];
    let count = |table: &&str| sandbox.database().value(&format!("SELECT count(*) FROM {table}"));
    tables.iter().map(count).collect::<Vec<_>>().join(" ")
}

/// Sizes on the disk differ between file systems.
fn without_sizes(text: &str) -> String {
    let line = |line: &str| match line.split_once(", ") {
        Some((folders, _)) if line.starts_with("Folders:") => format!("{folders}, [size]\n"),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
fn what_is_over_goes_and_what_lives_stays() {
    let (sandbox, _) = over();
    let living = lone_workflow(&sandbox, &until_gate("here"));
    sandbox.await_file("here");
    let before = sandbox.database().dump();
    let told = purge(&sandbox, &["--older-than", "1d", "--dry-run"]).stdout;
    assert_eq!(sandbox.database().dump(), before, "a dry run changes nothing");
    assert_eq!(folders(&sandbox).len(), 4);
    insta::assert_snapshot!(without_sizes(&told));
    let done = purge(&sandbox, &["--older-than", "1d"]);
    assert_eq!(done.status, Some(0), "{done:?}");
    let without_texts: Vec<&str> = done.stdout.lines().filter(|line| !line.starts_with("Texts:")).collect();
    let as_told = |text: &str| without_sizes(text).split_once(": ").map(|(_, rest)| rest.replace(' ', ""));
    assert_eq!(as_told(&without_texts.join("\n")), as_told(&told), "a dry run tells what is done");
    assert_eq!(folders(&sandbox), std::slice::from_ref(&living));
    sandbox.database().check();
    assert_eq!(sandbox.howdah(["db", "check"]).run().status, Some(0));
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&living), "SUCCEEDED");
    assert_eq!(purge(&sandbox, &["--older-than", "1d"]).status, Some(0));
    assert_eq!(rows_of_jobs(&sandbox), "0 0 0 0 0 0 0");
    assert_eq!(folders(&sandbox), [""; 0]);
}

#[test]
fn nothing_is_deleted_that_is_not_old_enough() {
    let (sandbox, _) = over();
    let before = rows_of_jobs(&sandbox);
    let purge_at = |now: &str, site: &str| {
        sandbox.write("site.xml", &format!("<configuration>{site}</configuration>"));
        sandbox.howdah(["db", "purge", "--site", "site.xml"]).at(now).succeed().stdout
    };
    insta::assert_snapshot!(purge_at("2010-01-07T00:00Z", ""));
    let days = |name: &str, days: u32| {
        format!("<property><name>oozie.service.PurgeService.{name}</name><value>{days}</value></property>")
    };
    // The coordinator is eight days old; its workflow jobs would have to be thirty.
    purge_at("2010-01-09T02:00Z", "");
    purge_at("2010-02-02T00:00Z", &days("coord.older.than", 100));
    assert_eq!(rows_of_jobs(&sandbox).split(' ').next(), before.split(' ').next(), "the coordinator is still there");
    purge_at("2010-01-09T02:00Z", &days("older.than", 7));
    assert_eq!(rows_of_jobs(&sandbox), "0 0 0 0 0 0 0");
}

#[test]
fn an_interrupted_purge_is_completed_by_the_next() {
    for fault in FAULT_POINTS.into_iter().chain(["after-purge-commit:2"]) {
        let (sandbox, [coordinator, _]) = over();
        sandbox.howdah(["db", "purge", "--older-than", "1d"]).at(LATER).die_at(fault);
        sandbox.database().check();
        if fault != "after-purge-commit:2" {
            let rerun = sandbox.howdah(["rerun", &coordinator, "--action", "1", "--nocleanup"]).at(LATER).run();
            assert!(rerun.status == Some(1) && rerun.stderr.contains("H0109"), "{fault}: {rerun:?}");
        }
        assert_eq!(purge(&sandbox, &["--older-than", "2w"]).status, Some(0), "{fault}");
        assert_eq!((rows_of_jobs(&sandbox).as_str(), folders(&sandbox).len()), ("0 0 0 0 0 0 0", 0), "{fault}");
    }
}

#[test]
fn links_and_other_peoples_files_stay() {
    let (sandbox, [_, workflow]) = over();
    sandbox.write("home/precious", "kept");
    sandbox.write("howdah.runs/notes.txt", "mine");
    let folder = format!("howdah.runs/{workflow}");
    std::os::unix::fs::symlink(sandbox.path("home"), sandbox.path(&folder).join("link")).unwrap();
    let moved = "howdah.runs/0000099-100101000000000-oozie-oozi-W";
    std::os::unix::fs::symlink(sandbox.path("home"), sandbox.path(moved)).unwrap();
    let done = purge(&sandbox, &["--older-than", "0d", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&done.stdout).expect("JSON");
    assert_eq!((&document["workflows"], &document["folders"]), (&3.into(), &4.into()), "{done:?}");
    assert_eq!(folders(&sandbox), ["notes.txt"]);
    assert_eq!(sandbox.read("home/precious"), "kept");
}

#[test]
fn a_folder_that_cannot_be_deleted_is_named() {
    let (sandbox, [_, workflow]) = over();
    let deep = (0..300).fold(sandbox.path("howdah.runs").join(&workflow), |path, _| path.join("d"));
    std::fs::create_dir_all(deep).expect("a deep folder");
    let done = purge(&sandbox, &["--older-than", "1d"]);
    assert_eq!(done.status, Some(1), "{done:?}");
    assert!(done.stderr.contains("H0123") && done.stderr.contains(&workflow), "{done:?}");
    assert_eq!(folders(&sandbox), std::slice::from_ref(&workflow));
    std::fs::remove_dir_all(sandbox.path("howdah.runs").join(&workflow).join("d")).expect("it is there");
    assert_eq!(purge(&sandbox, &["--older-than", "1d"]).status, Some(0));
    assert_eq!(folders(&sandbox), [""; 0]);
}

#[test]
fn what_is_no_age_is_refused() {
    let sandbox = Sandbox::new();
    for age in ["30", "", "-1d", "1.5d", "30 d", "1y", "400000d"] {
        let refused = sandbox.howdah(["db", "purge", "--older-than", age]).run();
        assert_eq!(refused.status, Some(2), "{age}: {refused:?}");
    }
    let refused = sandbox.howdah(["db", "purge", "--older-than", "30"]).run();
    insta::assert_snapshot!(refused.stderr);
    assert_eq!(sandbox.howdah(["db", "purge"]).run().status, Some(1), "there is no database");
}

#[test]
fn the_file_shrinks_when_asked() {
    let sandbox = Sandbox::new();
    // What belongs to a job is in the file, and deleted with it.
    lone_workflow(&sandbox, &format!("true {}", "x".repeat(80_000)));
    sandbox.await_quiet();
    assert_eq!(purge(&sandbox, &["--older-than", "1d"]).status, Some(0));
    let size = || sandbox.database_path().metadata().expect("a database").len();
    let before = size();
    let told = sandbox.howdah(["db", "shrink"]).succeed().stdout;
    assert!(told.contains("smaller") && size() < before, "{told} {before} {}", size());
    sandbox.database().check();
}

/// The counts of jobs that are left: coordinators, workflow jobs.
fn left(sandbox: &Sandbox) -> String {
    sandbox
        .database()
        .value("SELECT (SELECT count(*) FROM coordinator_job) || ' ' || (SELECT count(*) FROM workflow_job)")
}

#[test]
fn ticks_purge_what_is_old_by_the_settings_of_oozie() {
    let (sandbox, _) = over();
    let tick = |now: &str, site: &str| {
        let site = sandbox.write("site.properties", site).display().to_string();
        sandbox.howdah(["tick", "--accept-clock", "--site", &site]).at(now).succeed();
        sandbox.await_quiet();
        left(&sandbox)
    };
    let [old, older] = ["2100-01-01T00:00Z", "2100-01-01T00:59Z"];
    assert_eq!(tick(old, "howdah.purge=false\n"), "1 3");
    let off = sandbox.howdah(["status", "--site", "site.properties"]).at(old).succeed().stdout;
    assert!(off.contains("turned off (howdah.purge)"), "{off}");
    assert_eq!(tick(old, "oozie.service.PurgeService.coord.older.than=50000\n"), "1 2", "the lone workflow is gone");
    let status = sandbox.howdah(["status"]).at(old).succeed().stdout;
    let expect = "2100-01-01T00:00Z: 1 workflow jobs; next after 2100-01-01T01:00Z\n";
    assert!(
        status.lines().any(|line| line.starts_with("Purge") && (line.to_owned() + "\n").ends_with(expect)),
        "{status}"
    );
    assert_eq!(tick(older, ""), "1 2", "no second one within the interval");
    assert_eq!(tick(older, "oozie.service.PurgeService.purge.interval=60\n"), "0 0");
    assert_eq!(folders(&sandbox), [""; 0]);
    let view = sandbox.howdah(["status", "--json"]).at(older).succeed().stdout;
    let view: serde_json::Value = serde_json::from_str(&view).expect("one document");
    assert_eq!((&view["purge"]["coordinatorJobs"], &view["purge"]["isRunning"]), (&1.into(), &false.into()));
    sandbox.database().check();
}

#[test]
fn an_idle_site_starts_no_purge_and_a_daemon_purges_too() {
    let (sandbox, _) = over();
    // Nothing is old: the tick notes that and starts no process.
    let before = std::fs::read_to_string(sandbox.beside_database(".runner.log")).unwrap_or_default();
    sandbox.howdah(["tick"]).at("2010-01-01T02:00Z").succeed();
    assert!(sandbox.processes().is_empty());
    let status = sandbox.howdah(["status"]).at("2010-01-01T02:00Z").succeed().stdout;
    assert!(status.contains("nothing deleted; next after 2010-01-01T03:00Z"), "{status}");
    let daemon = sandbox.howdah(["daemon", "--every", "1", "--accept-clock"]).at(LATER).start();
    wait_for("the purge of the daemon", || (left(&sandbox) == "0 0").then_some(()));
    let pid = rustix::process::Pid::from_raw(daemon.pid()).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    assert_eq!(daemon.finish().status, Some(0));
    sandbox.await_quiet();
    assert_eq!(std::fs::read_to_string(sandbox.beside_database(".runner.log")).unwrap_or_default(), before);
}

#[test]
fn a_tick_bounds_the_logs() {
    let (sandbox, _) = over();
    let log = sandbox.beside_database(".runner.log");
    std::fs::write(&log, "x\n".repeat(1_000_000)).unwrap();
    sandbox.howdah(["tick"]).at("2010-01-01T02:00Z").succeed();
    let length = |suffix: &str| sandbox.beside_database(suffix).metadata().unwrap().len();
    assert_eq!((length(".runner.log"), length(".runner.log.1")), (0, 1 << 20));
}

#[test]
fn a_clock_that_leaps_ahead_deletes_nothing() {
    let (sandbox, _) = over();
    let refused = sandbox.howdah(["tick"]).at(LATER).run();
    assert!(refused.stderr.contains("H0131"), "{refused:?}");
    // As if the clock had leapt between a tick and its purge.
    let ran = sandbox.howdah(["db", "purge", "--scheduled"]).at(LATER).run();
    assert_eq!((ran.status, left(&sandbox).as_str()), (Some(0), "1 3"), "{ran:?}");
}

#[test]
fn a_tick_without_the_site_file_purges_nothing() {
    let (sandbox, _) = over();
    let keep = "oozie.service.PurgeService.older.than=50000\noozie.service.PurgeService.coord.older.than=50000\n";
    let site = sandbox.write("site.properties", keep);
    let tick = |now: &str, arguments: &[&str]| {
        sandbox.howdah(["tick", "--accept-clock"]).with_all(arguments).at(now).succeed();
        sandbox.await_quiet();
        left(&sandbox)
    };
    assert_eq!(tick("2100-01-01T00:00Z", &["--site", site.to_str().expect("a text")]), "1 3");
    assert_eq!(tick("2100-01-01T02:00Z", &[]), "1 3", "this tick does not know what the site keeps");
    std::fs::remove_file(site).expect("it is there");
    assert_eq!(tick("2100-01-01T04:00Z", &[]), "0 0", "there is no site file any more");
}

#[test]
fn a_tick_completes_a_purge_that_died_before_its_folders() {
    let (sandbox, _) = over();
    sandbox.howdah(["tick", "--accept-clock"]).at("2010-01-02T00:00Z").succeed();
    sandbox.howdah(["db", "purge", "--older-than", "0d"]).at(LATER).die_at("after-purge-commit");
    assert!(!folders(&sandbox).is_empty());
    for now in ["2100-01-01T01:00Z", "2100-01-01T02:00Z"] {
        sandbox.howdah(["tick", "--accept-clock"]).at(now).succeed();
        sandbox.await_quiet();
    }
    assert_eq!((folders(&sandbox).len(), left(&sandbox).as_str()), (0, "0 0"));
}

#[test]
fn a_purge_by_hand_without_the_site_file_needs_an_age() {
    let (sandbox, _) = over();
    let site = sandbox.write("site.properties", "oozie.service.PurgeService.coord.older.than=50000\n");
    let site = site.to_str().expect("a text");
    sandbox.howdah(["tick", "--accept-clock", "--site", site]).at("2010-01-01T02:00Z").succeed();
    for arguments in [&["--dry-run"][..], &[]] {
        let refused = purge(&sandbox, arguments);
        assert!(refused.status == Some(2) && refused.stderr.contains("H0002"), "{refused:?}");
        assert!(refused.stderr.contains(&format!("--site {site}, or --older-than AGE")), "{refused:?}");
    }
    assert_eq!(left(&sandbox), "1 3");
    assert_eq!(purge(&sandbox, &["--site", site]).status, Some(0));
    assert_eq!(left(&sandbox), "1 2", "the site keeps the coordinator");
    assert_eq!(purge(&sandbox, &["--older-than", "1d"]).status, Some(0));
    assert_eq!(left(&sandbox), "0 0");
}
