//! `howdah run`: its exit status, and what remains after an interruption.

use std::process::Command;

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Howdah, Sandbox, is_alive, wait_for};
use howdah_sandbox::terminal::Terminal;

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
fn the_last_table_counts_actions_and_says_why_a_workflow_did_not_succeed() {
    let sandbox = Sandbox::new();
    let nodes = [shell("one", "true", "two"), shell("two", "exit 3", "end")];
    workflow(&sandbox, "app", "one", &nodes);
    let ran = run(&sandbox, "wf").run();
    let job = ran.job();
    let lines: Vec<&str> = ran.stdout.lines().collect();
    let place = lines.iter().position(|line| line.contains("SUCCEEDED")).expect("the head of the table");
    let words: Vec<&str> = lines[place + 1].split_whitespace().collect();
    assert_eq!(words[2..5], ["KILLED", "1", "1"], "{ran:?}");
    assert!(ran.stdout.contains(&format!("\n\n{job}: 1: Main Class [")), "{ran:?}");
    let ran = run(&sandbox, "wf").with("--json").run();
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    let job = &document["jobs"][0];
    assert_eq!((&job["succeeded"], &job["failed"]), (&1.into(), &1.into()), "{document}");
    assert!(job["error"].as_str().is_some_and(|error| error.starts_with("1: Main Class [")), "{document}");
}

#[test]
fn the_last_table_says_how_the_command_of_a_coordinator_and_of_a_bundle_ended() {
    let ends = [("exit 3", "exit status 3"), ("kill -9 $$", "signal 9")];
    for (line, told) in ends {
        let sandbox = Sandbox::new();
        Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
        let ran = run(&sandbox, "coord").run();
        let job = ran.job();
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let reason = format!("\n{job}: action 1: ");
        let said = ran.stdout.split_once(&reason).unwrap_or_else(|| panic!("{ran:?}")).1.to_owned();
        assert!(said.lines().next().is_some_and(|line| line.contains("(node one: ") && line.contains(told)), "{ran:?}");
        let bundle = "<bundle-app xmlns='uri:oozie:bundle:0.2' name='b'><coordinator name='c'><app-path>${sandbox}/app\
                      </app-path><configuration><property><name>sandbox</name><value>${sandbox}</value></property>\
                      </configuration></coordinator></bundle-app>";
        sandbox.write("all/bundle.xml", bundle);
        let run = sandbox.howdah(["run", "--json"]).at(NOW).define("sandbox", &sandbox.text(""));
        let ran = run.define("oozie.bundle.application.path", &sandbox.text("all")).run();
        let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
        let error = document["jobs"][0]["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("coordinator ") && error.contains(told), "{ran:?}");
    }
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

#[test]
fn a_daemon_says_what_it_does_and_a_second_one_why_it_waits() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let first = sandbox.howdah(["daemon", "--every", "7"]).at(NOW).errors_to(&sandbox.path("first")).start();
    let says = |file: &str, text: &str| wait_for(text, || sandbox.read(file).contains(text).then_some(()));
    says(
        "first",
        &format!(
            "daemon: ticks on {}, every 7 s at least, with no site file and no mounts\n",
            sandbox.text("howdah.db")
        ),
    );
    says("first", "daemon: this process advances the workflow jobs\n");
    let second = sandbox.howdah(["daemon"]).at(NOW).errors_to(&sandbox.path("second")).start();
    says("second", &format!("daemon: process {} advances the workflow jobs of this database", first.pid()));
    let term = |pid: i32| {
        let pid = rustix::process::Pid::from_raw(pid).expect("a process");
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    };
    term(first.pid());
    assert_eq!(first.finish().status, Some(0));
    says("second", "daemon: this process advances the workflow jobs\n");
    assert_eq!(sandbox.read("second").lines().count(), 3, "{}", sandbox.read("second"));
    let third = sandbox.howdah(["daemon", "--quiet"]).at(NOW).errors_to(&sandbox.path("third")).start();
    term(second.pid());
    assert_eq!(second.finish().status, Some(0));
    wait_for("the third daemon to take over", || {
        let status = sandbox.howdah(["status", "--json"]).at(NOW).succeed().stdout;
        status.contains(&format!("\"pid\": {},", third.pid())).then_some(())
    });
    term(third.pid());
    assert_eq!((third.finish().status, sandbox.read("third").as_str()), (Some(0), ""));
}

#[test]
fn the_end_of_a_terminal_ends_no_runner() {
    for slow in ["", "before-session"] {
        let sandbox = Sandbox::new();
        Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
        sandbox.submit(NOW, &[]);
        // The terminal belongs to the tick alone, and ends with it.
        let mut command = Command::new("setsid");
        command.args(["--ctty", "--wait", env!("CARGO_BIN_EXE_howdah"), "tick", "--now", NOW]).env_clear();
        for (name, value) in [
            ("PATH", "/usr/bin:/bin"),
            ("HOME", &sandbox.text("home")),
            ("SANDBOX", &sandbox.text("")),
            ("HOWDAH_TEST_MARK", "SANDBOX"),
            ("HOWDAH_SLOW", slow),
            ("HOWDAH_DB", &sandbox.database_path().display().to_string()),
        ] {
            command.env(name, value);
        }
        let status = Terminal::start(&mut command, (80, 24)).finish();
        assert!(status.success(), "{slow}: {status}");
        sandbox.await_quiet();
        assert_eq!(sandbox.read("effects"), "one\n", "{slow}");
    }
}
