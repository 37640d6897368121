//! What listings and ticks cost on a large database: 1,000 coordinators with 1,000 finished actions each. The first page
//! of `jobs` and of `info`, and `explain` of one action, beside the `sqlite3` command that fetches the same rows by their
//! keys (rusqlite inside this process, where there is no such command); a tick there beside one with 1,000 actions.
//! Prints each ratio beside its bound; run with `cargo bench --bench scale`.
#![allow(clippy::disallowed_methods, reason = "a benchmark makes files and measures time")]

#[path = "measure/mod.rs"]
mod measure;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use howdah::internals::store_finished;
use measure::{PAIRS, Pairs, head, program, run, timed};

/// The moment that every command takes for now.
const NOW: &str = "2026-11-20T09:30Z";
/// Coordinators of the large database, and actions of each.
const MANY: u32 = 1_000;

fn main() {
    let folder = tempfile::tempdir().expect("the system has room for a folder");
    let (mut large, mut small) = (PathBuf::new(), PathBuf::new());
    println!("filled in {:?}", timed(|| large = filled(folder.path(), "large", MANY)));
    println!("filled in {:?}", timed(|| small = filled(folder.path(), "small", 1)));
    head();
    page(&large, "jobs, first page", &["jobs"], "SELECT * FROM coordinator_job WHERE job > 950 ORDER BY job DESC");
    let job = job_id(&large, 500);
    page(&large, "info JOB, first page", &["info", &job], &actions("number BETWEEN 1 AND 1000"));
    page(&large, "info JOB, 50 actions", &["info", &job, "--len", "50"], &actions("number BETWEEN 1 AND 50"));
    let action = format!("{job}@500");
    page(&large, "explain of one action", &["explain", &action], &actions("number = 500"));
    let pairs = Pairs::measure(PAIRS, || tick(&large), || tick(&small));
    pairs.report("tick with 1,000,000 finished actions / with 1,000", "< 1.10");
}

fn actions(which: &str) -> String {
    format!("SELECT * FROM coordinator_action WHERE job = 500 AND {which} ORDER BY number")
}

fn page(database: &Path, what: &str, arguments: &[&str], sql: &str) {
    let ours = || run(howdah(database).args(arguments), &[0]);
    let theirs = || match program("sqlite3") {
        Some(sqlite) => run(Command::new(sqlite).arg(database).arg(sql), &[0]),
        None => fetched(database, sql),
    };
    Pairs::measure(PAIRS, ours, theirs).report(&format!("{what} / its rows by key"), "< 3");
}

/// The time to open a database and to read rows from it, in this process.
fn fetched(database: &Path, sql: &str) -> Duration {
    timed(|| {
        let connection = rusqlite::Connection::open(database).expect("the database opens");
        let mut statement = connection.prepare(sql).expect("a statement");
        let mut rows = statement.query([]).expect("rows");
        while rows.next().expect("a row").is_some() {}
    })
}

fn tick(database: &Path) -> Duration {
    run(howdah(database).arg("tick"), &[0])
}

fn howdah(database: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_howdah"));
    command.arg("--db").arg(database).args(["--now", NOW]);
    command
}

/// A database with so many coordinators.
fn filled(folder: &Path, name: &str, coordinators: u32) -> PathBuf {
    let application = folder.join("app");
    fs::create_dir_all(&application).expect("a folder");
    let coordinator = r#"<coordinator-app xmlns="uri:oozie:coordinator:0.5" name="hourly" frequency="${coord:hours(1)}"
        start="2026-01-01T00:00Z" end="2027-01-01T00:00Z" timezone="UTC">
        <action><workflow><app-path>/nowhere</app-path></workflow></action></coordinator-app>"#;
    fs::write(application.join("coordinator.xml"), coordinator).expect("a file");
    let database = folder.join(format!("{name}.db"));
    let property = format!("oozie.coord.application.path={}", application.display());
    run(howdah(&database).args(["submit", "-D", &property]), &[0]);
    store_finished(&database, coordinators, MANY);
    database
}

/// The id of the coordinator under a key.
fn job_id(database: &Path, key: u32) -> String {
    let list = howdah(database)
        .args(["jobs", "--json", "--len", "1", "--offset"])
        .arg((MANY - key + 1).to_string())
        .stderr(Stdio::inherit())
        .output()
        .expect("the command starts");
    let document: serde_json::Value = serde_json::from_slice(&list.stdout).expect("a document");
    document["coordinatorjobs"][0]["coordJobId"].as_str().expect("an id").to_owned()
}
