//! A database with one coordinator, whose actions wait.

use std::fs;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, params};

use crate::measure::{howdah, run};

/// The time that every command takes for now.
pub(crate) const NOW: &str = "2026-06-01T00:00Z";
pub(crate) const NOW_SECONDS: i64 = 1_780_272_000;

const COORDINATOR: &str = r#"<coordinator-app name="bench" frequency="${coord:minutes(10)}" start="2030-01-01T00:00Z"
 end="2031-01-01T00:00Z" timezone="UTC" xmlns="uri:oozie:coordinator:0.4">
 <action><workflow><app-path>/nowhere</app-path></workflow></action>
</coordinator-app>"#;

/// A database in a folder, with one coordinator that is not due before 2030.
pub(crate) fn database(folder: &Path, name: &str) -> PathBuf {
    let app = folder.join("app");
    fs::create_dir_all(&app).expect("a folder");
    fs::write(app.join("coordinator.xml"), COORDINATOR).expect("a file");
    let database = folder.join(format!("{name}.db"));
    let path = format!("oozie.coord.application.path={}", app.display());
    let mut submit = howdah();
    run(submit.args(["--now", NOW, "--db"]).arg(&database).args(["submit", "-D", &path]), &[0]);
    database
}

/// Makes the coordinator RUNNING with one WAITING action per path, each due and blocked on it.
pub(crate) fn insert_waiting(database: &Path, paths: &[String]) {
    let connection = Connection::open(database).expect("the database opens");
    connection.execute_batch("UPDATE coordinator_job SET status = 'RUNNING'; BEGIN").expect("an update");
    let sql =
        "INSERT INTO coordinator_action (job, number, nominal_at, created_at, modified_at, status, definition_version,
        timeout_minutes, first_missing, missing_from) VALUES (1, ?1, ?2, ?2, ?2, 'WAITING', 1, -1, ?3, 0)";
    let mut statement = connection.prepare(sql).expect("a statement");
    for (number, path) in (1_i64..).zip(paths) {
        statement.execute(params![number, NOW_SECONDS - 100_000 + number / 2, path]).expect("an action");
    }
    if !paths.is_empty() {
        let count = i64::try_from(paths.len()).expect("a count");
        connection.execute("INSERT INTO coordinator_count VALUES (1, 'WAITING', ?1)", [count]).expect("a count");
    }
    connection.execute_batch("COMMIT").expect("a commit");
}
