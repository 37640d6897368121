//! What a worker keeps from one request to the next: the open database, and nothing that can be out of date.

use std::fs;

use crate::oozie::{Jobs, NOW};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_sandbox::web_server::Server;

/// Whether the only worker has the database open: its log is, with it. The file itself stays open, because to close it
/// would drop the locks that SQLite has on it.
fn has_open(sandbox: &Sandbox) -> bool {
    let worker = sandbox.process("howdah answers").expect("a worker");
    let entries = fs::read_dir(format!("/proc/{worker}/fd")).expect("a process");
    let mut files = entries.filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    files.any(|file| file == sandbox.beside_database("-wal"))
}

fn total(server: &Server) -> u64 {
    server.get("/oozie/v1/jobs?jobtype=wf").json(200)["total"].as_u64().expect("a number")
}

#[test]
fn the_database_is_open_from_one_request_to_the_next_and_not_for_longer() {
    let jobs = Jobs::new();
    let sandbox = &jobs.sandbox;
    let server = Server::of(sandbox, sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).at(NOW));
    // On a busy machine too much time may pass between the two.
    let is_kept = || wait_for("the worker to keep it open", || (total(&server) > 0 && has_open(sandbox)).then_some(()));
    is_kept();
    let before = total(&server);
    jobs.printed(&["job", "-config", "wf.properties", "-run"]);
    assert_eq!(total(&server), before + 1);
    wait_for("the worker to close it", || (!has_open(sandbox)).then_some(()));
    assert_eq!(total(&server), before + 1);
    // A refusal may be about the database.
    is_kept();
    assert_eq!(server.get("/oozie/v1/admin/nothing").status, 404);
    assert!(!has_open(sandbox));
}

#[test]
fn another_database_and_other_settings_are_noticed_at_once() {
    let jobs = Jobs::new();
    let sandbox = &jobs.sandbox;
    let server = Server::of(sandbox, sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).at(NOW));
    assert!(total(&server) > 0);
    let property = "<property><name>oozie.a</name><value>c</value></property>";
    sandbox.write("home/.config/howdah/site.xml", &format!("<configuration>{property}</configuration>"));
    assert_eq!(server.get("/oozie/v1/admin/configuration").json(200)["oozie.a"], "c");
    let other = sandbox.text("other.db");
    let submit = sandbox.howdah(["submit", "--db", &other, "-c", &sandbox.text("coord.properties")]).at(NOW);
    submit.succeed();
    fs::rename(other, sandbox.database_path()).expect("a file");
    assert_eq!(total(&server), 0);
}
