//! Many processes on one database: they wait their turn or report that they are not needed, and the database stays
//! valid.

use std::collections::BTreeSet;
use std::fs::File;
use std::time::{Duration, Instant};

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox, Started, wait_for};
use howdah_tier::Trials;

const NOW: &str = "2010-01-01T01:00Z";

/// How many processes start at the same time.
const CROWD: usize = 50;

/// How often a crowd starts.
const CROWDS: Trials = Trials { quick: 1, full: 1, soak: 50 };

fn coordinator() -> Sandbox {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${wf:id()}"), "end")]);
    sandbox
}

fn lock(sandbox: &Sandbox, suffix: &str) -> File {
    let file = File::create(sandbox.beside_database(suffix)).expect("a file beside the database");
    file.try_lock().expect("no other process is running");
    file
}

#[test]
fn a_second_tick_says_busy_and_changes_nothing() {
    let sandbox = coordinator();
    let job = sandbox.submit(NOW, &[]);
    let before = sandbox.database().dump();
    let tick_of_another = lock(&sandbox, ".tick.lock");
    let begun = Instant::now();
    let ran = sandbox.howdah(["tick"]).at(NOW).start().finish();
    assert_eq!(ran.status, Some(75), "{ran:?}");
    assert!(ran.stderr.contains("H0106"), "{ran:?}");
    // As long would a command wait for the database.
    assert!(begun.elapsed() < Duration::from_secs(30), "it waited");
    assert_eq!(sandbox.database().dump(), before);
    let quiet = sandbox.howdah(["tick", "-q"]).at(NOW).run();
    assert_eq!((quiet.status, quiet.stderr.as_str()), (Some(75), ""));
    drop(tick_of_another);
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}

#[test]
fn a_submission_during_a_tick_waits_its_turn() {
    let sandbox = coordinator();
    sandbox.submit(NOW, &[]);
    let _tick_of_another = lock(&sandbox, ".tick.lock");
    let writer = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    writer
        .execute_batch("BEGIN IMMEDIATE; UPDATE birth SET next_number = next_number")
        .expect("no other process writes");
    let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
    let submit = submit.define("oozie.coord.application.path", &sandbox.text("app")).start();
    wait_for("the submission to open the database", || has_open(&submit, &sandbox).then_some(()));
    assert_eq!(sandbox.database().rows("SELECT job FROM coordinator_job").len(), 1);
    writer.execute_batch("COMMIT").expect("what was begun can be stored");
    let ran = submit.finish();
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(sandbox.database().job(&ran.job()), "PREP");
}

/// Returns whether a process has the write-ahead log of the database open.
fn has_open(process: &Started, sandbox: &Sandbox) -> bool {
    let wal = sandbox.beside_database("-wal");
    let Ok(descriptors) = std::fs::read_dir(format!("/proc/{}/fd", process.pid())) else { return false };
    descriptors.flatten().any(|entry| std::fs::read_link(entry.path()).is_ok_and(|target| target == wal))
}

/// Ends every command; none may have failed because of the others.
fn finish(crowd: Vec<Started>, allowed: &[i32]) -> Vec<Ran> {
    let ran: Vec<Ran> = crowd.into_iter().map(Started::finish).collect();
    for command in &ran {
        assert!(command.status.is_some_and(|status| allowed.contains(&status)), "{command:?}");
        assert!(!command.stderr.contains("locked"), "{command:?}");
    }
    ran
}

#[test]
fn a_crowd_on_one_database() {
    (0..CROWDS.number()).for_each(|_| many_commands());
}

/// Commands of all kinds at the same time.
fn many_commands() {
    let sandbox = coordinator();
    let jobs: Vec<String> = (0..3).map(|_| sandbox.submit(NOW, &[])).collect();
    let crowd = (0..CROWD).map(|number| {
        let job = jobs[number % jobs.len()].as_str();
        let command = match number % 5 {
            0 => sandbox.howdah(["suspend", job]),
            1 => sandbox.howdah(["resume", job]),
            2 | 3 => sandbox.howdah(["tick"]),
            _ => sandbox
                .howdah(["submit"])
                .define("oozie.coord.application.path", &sandbox.text("app"))
                .define("sandbox", &sandbox.text("")),
        };
        command.at(NOW).start()
    });
    finish(crowd.collect(), &[0, 75]);
    sandbox.await_quiet();
    sandbox.database().check();
    for job in &jobs {
        sandbox.howdah(["resume", job]).at(NOW).succeed();
    }
    sandbox.tick_through(NOW);
    let database = sandbox.database();
    database.check();
    assert_eq!(database.rows("SELECT status, count(*) FROM coordinator_job GROUP BY status"), ["SUCCEEDED 13"]);
    let effects = sandbox.sorted_lines("effects");
    assert_eq!(effects, database.rows("SELECT id FROM workflow_job ORDER BY id"), "each workflow ran once");
}

#[test]
fn a_crowd_makes_one_database() {
    (0..CROWDS.number()).for_each(|_| many_first_submissions());
}

/// Submissions at the same time, before there is a database.
fn many_first_submissions() {
    let sandbox = coordinator();
    let crowd = (0..CROWD).map(|_| {
        let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
        submit.define("oozie.coord.application.path", &sandbox.text("app")).start()
    });
    let ids: BTreeSet<String> = finish(crowd.collect(), &[0]).iter().map(Ran::job).collect();
    let database = sandbox.database();
    database.check();
    assert_eq!(ids.into_iter().collect::<Vec<_>>(), database.rows("SELECT id FROM coordinator_job ORDER BY id"));
    assert_eq!(database.value("SELECT next_number FROM birth"), CROWD.to_string());
}
