//! A process or a file system that gives no answer: one request fails, the server and all other requests continue.

use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use howdah_sandbox::strace;
use howdah_sandbox::web_server::Server;
use howdah_tier as tier;

const NOW: &str = "2015-06-22T15:06Z";
/// How long an access to a file may take, in milliseconds; a request takes twice as long at most.
const LIMIT: &str = "5000";

/// A server with a workflow job that has run.
fn served(options: &[&str]) -> (Sandbox, Server, String) {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "echo ran", "end")]);
    let id = sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0"]).with_all(options).at(NOW);
    let server = Server::of(&sandbox, command.env("HOWDAH_TEST_PATIENCE", LIMIT));
    (sandbox, server, id)
}

fn log_of(id: &str) -> String {
    format!("/oozie/v1/job/{id}?show=log")
}

/// The file of what the command of the job wrote.
fn output_file(sandbox: &Sandbox, id: &str) -> String {
    let log = sandbox.howdah(["log", "--json", id]).succeed().stdout;
    let log: serde_json::Value = serde_json::from_str(&log).expect("JSON");
    log["attempts"][0]["stdout"].as_str().expect("a file").to_owned()
}

fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).expect("a process"), signal).expect("it is our process");
}

#[test]
fn a_process_that_hangs_costs_one_request() {
    let (sandbox, server, id) = served(&[]);
    assert_eq!(server.get(&log_of(&id)).status, 200);
    let worker = sandbox.process("howdah answers").expect("a worker");
    signal(worker, Signal::STOP);
    std::thread::scope(|scope| {
        // One of them gets the process that hangs, the other one another process.
        let same = [(); 2].map(|()| scope.spawn(|| server.get(&log_of(&id))));
        wait_for("an answer", || same.iter().any(std::thread::ScopedJoinHandle::is_finished).then_some(()));
        assert_eq!(server.get("/oozie/v1/jobs").json(200)["total"], 1);
        assert_eq!(server.get("/oozie/versions").status, 200);
        assert_eq!(same.iter().filter(|same| same.is_finished()).count(), 1, "one is late");
        let mut same = same.map(|same| same.join().expect("an answer"));
        same.sort_by_key(|reply| reply.status);
        assert_eq!(same[0].status, 200);
        same[1].assert_refused(504, "H0250");
    });
    wait_for("the end of the worker", || (!sandbox.processes().contains(&worker)).then_some(()));
    assert_eq!(server.get(&log_of(&id)).status, 200);
    assert!(sandbox.read("serve.log").contains("serve: H0250: "), "{}", sandbox.read("serve.log"));
}

/// Keeps calls on a path waiting in a process; ends with the test.
struct Delay(Child);

impl Delay {
    fn of(sandbox: &Sandbox, pid: i32, path: &str) -> Self {
        let trace = sandbox.text("trace");
        let strace = Command::new("strace")
            .args(["-f", "-p", &pid.to_string(), "-o", &trace, "-P", path])
            .args(["-e", "inject=openat:delay_enter=60000000"])
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn();
        let delay = Self(strace.expect("strace was here before"));
        let traced = || {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("the worker lives");
            status.lines().any(|line| line.starts_with("TracerPid:") && !line.ends_with("\t0"))
        };
        wait_for("strace to attach", || traced().then_some(()));
        delay
    }
}

impl Drop for Delay {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_file_that_gives_no_answer_is_named() {
    if let Err(why) = strace::is_here() {
        tier::missing("strace", why);
        return;
    }
    let (sandbox, server, id) = served(&[]);
    assert_eq!(server.get(&log_of(&id)).status, 200);
    let worker = sandbox.process("howdah answers").expect("a worker");
    let file = output_file(&sandbox, &id);
    let delay = Delay::of(&sandbox, worker, &file);
    let late = server.get(&log_of(&id));
    late.assert_refused(504, "H0113");
    assert!(late.header("oozie-error-message").is_some_and(|message| message.contains(&file)), "{late:?}");
    assert!(late.body.contains("no answer within 5 s"), "{late:?}");
    drop(delay);
    assert_eq!(server.get(&log_of(&id)).status, 200);
}

#[test]
fn a_log_that_is_no_file_is_refused_at_once() {
    let (sandbox, server, id) = served(&[]);
    let file = output_file(&sandbox, &id);
    std::fs::remove_file(&file).expect("a log");
    let made = Command::new("mkfifo").arg(&file).status().expect("mkfifo");
    assert!(made.success());
    // A process that waited for its content would be refused with another status.
    server.get(&log_of(&id)).assert_refused(400, "H0110");
    assert_eq!(server.get(&format!("/job/{id}")).status, 200);
}

#[test]
fn the_process_that_ticks_is_started_again() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    Coordinator { start: "2015-06-22T14:06Z", end: "2015-06-22T16:06Z", ..Coordinator::default() }.write(&sandbox);
    let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--tick", "1s"]).at(NOW);
    let server = Server::of(&sandbox, command);
    let first = wait_for("the process that ticks", || sandbox.process("howdah daemon"));
    signal(first, Signal::KILL);
    wait_for("another process that ticks", || sandbox.process("howdah daemon").filter(|pid| *pid != first));
    let id = sandbox.submit(NOW, &[]);
    wait_for("the first action", || {
        let found = server.get(&format!("/oozie/v1/job/{id}@1?show=status"));
        (found.status == 200 && found.json(200)["status"] == "SUCCEEDED").then_some(())
    });
    drop(server);
    wait_for("the end of all", || sandbox.process("howdah daemon").is_none().then_some(()));
}

/// Workers and ticks end with their server, even when it is killed.
#[test]
fn nothing_is_left_of_a_server_that_is_killed() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "a", &[shell("a", "true", "end")]);
    sandbox.submit(NOW, &[]);
    sandbox.await_quiet();
    let command = sandbox.howdah(["serve", "--listen", "127.0.0.1:0", "--tick", "1s"]).at(NOW);
    let server = Server::of(&sandbox, command);
    assert_eq!(server.get("/oozie/v1/jobs").status, 200);
    wait_for("the process that ticks", || sandbox.process("howdah daemon"));
    server.kill();
    wait_for("the end of all", || {
        let left = |words: &str| sandbox.process(words).is_some();
        (!left("howdah daemon") && !left("howdah answers")).then_some(())
    });
}
