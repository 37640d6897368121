#![expect(clippy::disallowed_methods, reason = "a test reads the files of a launcher")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::testing::Sandbox;
use super::*;

/// Returns what stands in standard error after a launcher that runs `script` has started a job, with the outcome. The
/// program `yarn` notes what it is asked.
fn follow(script: &str, end: FinalState, sandbox: &Sandbox) -> (WorkOutcome, String) {
    let asked = sandbox.attempt.join("asked");
    let yarn = sandbox.write("bin/yarn", &format!("#!/bin/sh\necho \"$@\" >> {}\n", asked.display()));
    fs::set_permissions(&yarn, fs::Permissions::from_mode(0o755)).unwrap();
    let elsewhere = Elsewhere { yarn: yarn.display().to_string(), spark: None, end };
    let line = CommandLine {
        program: "sh".to_owned(),
        arguments: vec!["-c".to_owned(), format!("echo Submitted application application_1_2; {script}")],
        environment: sandbox.environment.clone(),
        directory: "/".into(),
    };
    let outcome = run(&elsewhere, &line, &sandbox.attempt, || {
        let mut running = command::start(&line, &sandbox.attempt).unwrap();
        command::wait(&mut running)
    });
    (outcome, fs::read_to_string(asked).unwrap_or_default())
}

fn check(script: &str, end: FinalState, expect: &(WorkOutcome, &str)) {
    let (outcome, asked) = follow(script, end, &Sandbox::new());
    assert_eq!(&(outcome, asked.as_str()), expect, "{script}");
}

const KILLED: &str = "application -kill application_1_2\n";

#[test]
fn a_launcher_that_fails_leaves_no_running_job() {
    let launcher = || FinalState::Launcher;
    check("exit 0", launcher(), &(WorkOutcome::Exited(0), ""));
    check("kill -9 $$", launcher(), &(WorkOutcome::Signaled(9), KILLED));
    check("exit 137", launcher(), &(WorkOutcome::Exited(137), KILLED));
    // The program that knows the job's end is missing: the launcher's exit status counts.
    let job = FinalState::Job { mapred: "/nonexistent".to_owned() };
    check("exit 1", job, &(WorkOutcome::Exited(1), KILLED));
}

#[test]
fn a_kill_comes_before_a_report_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    // A folder has the name of the report.
    fs::create_dir_all(sandbox.attempt.join("report.json/x")).unwrap();
    sandbox.write("attempt/kill", "15");
    let got = follow("exit 0", FinalState::Launcher, &sandbox);
    assert_eq!(got, (WorkOutcome::Signaled(15), KILLED.to_owned()));
}
