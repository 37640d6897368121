//! `howdah run`: its exit status, and what an interruption leaves behind.

use crate::application::{Coordinator, effect, shell, until_gate, workflow};
use crate::sandbox::{Howdah, Sandbox, is_alive};

const NOW: &str = "2010-01-01T01:00Z";

fn run(sandbox: &Sandbox, kind: &str) -> Howdah {
    let run = sandbox.howdah(["run"]).at(NOW).define("sandbox", &sandbox.text(""));
    run.define(&format!("oozie.{kind}.application.path"), &sandbox.text("app"))
}

#[test]
fn the_exit_status_says_whether_all_succeeded() {
    for (line, status) in [("true", 0), ("false", 1), ("[ ${nominal} = 2010-01-01T00:00Z ]", 1)] {
        let sandbox = Sandbox::new();
        Coordinator::default().write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
        let ran = run(&sandbox, "coord").run();
        assert_eq!(ran.status, Some(status), "{line}: {ran:?}");
        sandbox.database().check();
        assert_eq!(sandbox.database().rows("SELECT count(*) FROM coordinator_action"), ["2"]);
    }
}

#[test]
fn one_workflow_to_its_end() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = run(&sandbox, "wf").succeed().job();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "one\n"));
}

#[test]
fn an_interruption_loses_nothing() {
    for signal in [rustix::process::Signal::INT, rustix::process::Signal::TERM] {
        let sandbox = Sandbox::new();
        Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
        let nodes = [shell("one", &until_gate("pid"), "two"), shell("two", &effect("two"), "end")];
        workflow(&sandbox, "app", "one", &nodes);
        let foreground = run(&sandbox, "coord").start();
        let command: i32 = sandbox.await_file("pid").parse().expect("the number of a process");
        let pid = rustix::process::Pid::from_raw(foreground.pid()).expect("a process that was started");
        rustix::process::kill_process(pid, signal).expect("it is alive");
        let ran = foreground.finish();
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(is_alive(command), "the command goes on");
        let job = ran.job();
        assert_eq!(sandbox.database().job(&job), "RUNNING");
        sandbox.write("gate", "");
        sandbox.tick_through(NOW);
        sandbox.database().check();
        assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("effects").as_str()), ("SUCCEEDED", "two\n"));
    }
}
