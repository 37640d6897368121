//! `fs` actions in a bucket: the same results as on the folders of this machine, and a deletion of many objects.

use std::time::Duration;

use super::{Objects, SECRET, STORE, check_secrecy};
use crate::file_operation_table::{TABLE, UNCHANGED};
use howdah_sandbox::application::{action, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";
/// More than two pages of a listing.
const MANY: usize = 2_500;

/// Submits the workflow of an `fs` action with these commands, in which paths are below a folder. Returns the job's id.
fn submit(sandbox: &Sandbox, below: &str, commands: &str) -> String {
    let commands = commands.replace("='/", &format!("='{below}/")).replace(&format!("='{below}/'"), "='/'");
    let commands = commands.replace("hdfs://nn/", &format!("{STORE}{below}/"));
    let body = format!("<fs><name-node>{STORE}</name-node>{commands}</fs>");
    let folder = format!("app{}", below.replace('/', "-"));
    workflow(sandbox, &folder, "work", &[action("work", &body, "end", "")]);
    let submit = sandbox.howdah(["submit"]).at(NOW);
    submit.define("oozie.wf.application.path", &sandbox.text(&folder)).succeed().job()
}

/// The status and the error code of a job's action.
fn end(sandbox: &Sandbox, job: &str) -> String {
    sandbox.database().value(&format!(
        "SELECT n.status || ' ' || coalesce(n.error_code, '') FROM workflow_node n JOIN workflow_job w USING (job) \
         WHERE w.id = '{job}' AND n.name = 'work'"
    ))
}

/// Ticks later and later, until each job's action has ended.
fn finish(sandbox: &Sandbox, jobs: &[String]) {
    let mut minute = 0;
    wait_for("the actions to end", || {
        minute += 11;
        sandbox
            .howdah(["tick"])
            .at(&format!("2010-01-{:02}T{:02}:{:02}Z", 1 + minute / 1440, minute / 60 % 24, minute % 60))
            .run();
        std::thread::sleep(Duration::from_millis(500));
        let has_ended = |job: &String| matches!(end(sandbox, job).split(' ').next(), Some("OK" | "ERROR"));
        jobs.iter().all(has_ended).then_some(())
    });
    sandbox.await_quiet();
}

/// Whether a row needs an empty folder, which this server does not list, or the name of a folder that has become empty,
/// which this server keeps.
fn meets_an_empty_folder((commands, expect): &(&str, Result<&str, &str>)) -> bool {
    commands.contains("/empty")
        || commands.starts_with("<delete path='/a'/><move")
        || (commands.contains("<mkdir") && expect.is_ok())
}

#[test]
fn the_rows_without_empty_folders_do_the_same_in_a_bucket() {
    let Some(objects) = Objects::start() else { return };
    let sandbox = Sandbox::new();
    objects.allow(&sandbox, STORE, SECRET);
    let rows: Vec<_> = TABLE.iter().filter(|row| !meets_an_empty_folder(row)).collect();
    assert!(rows.len() > 25, "{} rows", rows.len());
    let files = |tree: &str| -> Vec<String> {
        tree.split(' ').filter(|name| !name.ends_with('/')).map(str::to_owned).collect()
    };
    let jobs: Vec<String> = (0..)
        .zip(&rows)
        .map(|(row, (commands, _))| {
            for (file, content) in [("a/1", "one"), ("a/2", ""), ("full", "x")] {
                objects.write(&format!("table/{row}/{file}"), content);
            }
            submit(&sandbox, &format!("/table/{row}"), commands)
        })
        .collect();
    // This server fails while another request deletes what it lists.
    finish(&sandbox, &jobs);
    let mut different = Vec::new();
    for ((row, (commands, expect)), job) in (0..).zip(&rows).zip(&jobs) {
        let tree: Vec<String> = objects.objects(&format!("table/{row}")).into_keys().collect();
        let wanted = expect.err().map_or_else(|| "OK ".to_owned(), |code| format!("ERROR {code}"));
        let got = end(&sandbox, job);
        if (&got, &tree) != (&wanted, &files(expect.unwrap_or(UNCHANGED))) {
            different.push(format!("{commands}: {got} {tree:?}, expected {expect:?}"));
        }
    }
    assert!(different.is_empty(), "{} of {} rows:\n{}", different.len(), rows.len(), different.join("\n"));
    check_secrecy(&sandbox);
}

#[test]
fn a_deletion_of_many_objects_goes_on_after_the_server_was_killed() {
    let Some(mut objects) = Objects::start() else { return };
    let sandbox = Sandbox::new();
    objects.allow(&sandbox, STORE, SECRET);
    for number in 0..MANY {
        objects.write(&format!("data/out/{}/{number}", number % 7), "x");
    }
    for near in ["data/output/1", "data/out-1", "data/ou/1"] {
        objects.write(near, "kept");
    }
    let job = submit(&sandbox, "/data", "<delete path='/out'/>");
    let left =
        wait_for("the deletion to begin", || Some(objects.objects("data/out").len()).filter(|left| *left < MANY));
    objects.stop();
    let left = left.min(objects.objects("data/out").len());
    assert!(left > 0, "the server was killed too late");
    std::thread::sleep(Duration::from_millis(500));
    assert!(!end(&sandbox, &job).starts_with("ERROR"), "no status moves: {}", end(&sandbox, &job));
    objects.start_again();
    finish(&sandbox, std::slice::from_ref(&job));
    assert_eq!(end(&sandbox, &job), "OK ");
    assert_eq!(objects.objects("data").len(), 3, "{:?}", objects.objects("data").keys());
}
