//! Whole actions, from the element through the shim to the node's result. The shim is this test program, started again.
#![expect(clippy::disallowed_methods, reason = "a test creates the files that it works on")]

use std::fs;
use std::process::{Command, Stdio};

use super::super::testing::{Sandbox, element};
use super::super::{Started, result, start};
use super::*;
use crate::failure::{Failure, FailureKind, NodeResult};

const SHIM: &str = "HOWDAH_TEST_WORK_FOLDER";

/// Not a test: the main function of the shim when [`run`] starts it.
#[test]
fn shim_main() {
    let Some(folder) = howdah_host::variables::get(SHIM) else { return };
    let done = run_attempt(Path::new(&folder), None, &|| Err("no site".to_owned())).is_ok();
    std::process::exit(i32::from(!done));
}

/// Runs the action's attempt once with a fault, or to its end with none.
fn run_shim(sandbox: &Sandbox, fault: &str) -> bool {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "perform::tests::shim_main", "--nocapture"]).stdout(Stdio::null());
    command.env(SHIM, &sandbox.attempt).env("HOWDAH_FAULT", fault).status().unwrap().success()
}

/// Starts an action of a job without configuration.
fn start_action(sandbox: &Sandbox, text: &str) -> Result<Started, Failure> {
    start(&element(text), &sandbox.context())
}

fn order(sandbox: &Sandbox, text: &str) {
    let Ok(Started::Attempt(work)) = start_action(sandbox, text) else { panic!("{text} starts an attempt") };
    let names = attempt::AttemptNames { token: "token", life: "life", is_here: true };
    attempt::prepare_folder(&sandbox.attempt, names, &work).unwrap();
    assert_eq!(attempt::read_work::<Work>(&sandbox.attempt).unwrap(), Ok(work));
    assert_eq!(result(&sandbox.attempt, None).unwrap(), None);
}

fn run(sandbox: &Sandbox, text: &str) -> NodeResult {
    order(sandbox, text);
    assert!(run_shim(sandbox, ""));
    result(&sandbox.attempt, None).unwrap().expect("the shim has ended")
}

fn check(text: &str, expect: &str) {
    let sandbox = Sandbox::new();
    sandbox.write("app/run.sh", "#!/bin/sh\necho \"k=$1\"; test -f action.xml && exit $2\n");
    sandbox.write("store/old", "");
    let got = match run(&sandbox, text) {
        NodeResult::Ok { data } => format!("OK {}", data.unwrap_or_default().get("k").map_or("", String::as_str)),
        NodeResult::Failed(failure) => {
            assert_eq!(failure.kind, FailureKind::Error);
            format!("{} {} {}", failure.code, failure.message, failure.detail.unwrap_or_default())
        }
    };
    assert!(got.starts_with(expect), "{text}: {got}");
}

#[test]
fn a_script_is_shipped_made_executable_and_captured() {
    let shell =
        |arguments: &str| format!("<shell><exec>run.sh</exec>{arguments}<file>run.sh</file><capture-output/></shell>");
    check(&shell("<argument>a b</argument><argument>0</argument>"), "OK a b");
    let long = "x".repeat(30);
    check(
        &shell(&format!("<argument>{long}</argument><argument>0</argument>")),
        "JA018 output.properties data exceeds",
    );
    let exit = "1 Main Class [org.apache.oozie.action.hadoop.ShellMain], exit code [1] exit status 3";
    check(&shell("<argument>a</argument><argument>3</argument>"), exit);
}

#[test]
fn what_is_missing_has_its_code() {
    check("<shell><exec>no-such-program</exec></shell>", "JA018 Cannot run program \"no-such-program\"");
    check("<shell><exec>sh</exec><file>none.sh</file></shell>", "JA008 File [");
    check("<fs><move source='hdfs://nn/none' target='/x'/></fs>", "FS006 FS006: move, source path [hdfs://nn/none]");
    check("<fs><move source='hdfs://nn/old' target='/new'/></fs>", "OK");
}

#[test]
fn prepare_comes_before_the_command() {
    let shell = |prepare: &str, script: &str| {
        let arguments = format!("<argument>-c</argument><argument>{script}</argument>");
        format!("<shell><prepare>{prepare}</prepare><exec>sh</exec>{arguments}<env-var>S=/x</env-var></shell>")
    };
    let sandbox = Sandbox::new();
    sandbox.write("store/out/part", "");
    let prepare = "<delete path='hdfs://nn/out'/><mkdir path='hdfs://nn/out/new'/>";
    let script = format!("cd {}/out; ls", sandbox.store.display());
    assert_eq!(run(&sandbox, &shell(prepare, &script)), NodeResult::Ok { data: None });
    assert_eq!(fs::read_to_string(sandbox.attempt.join("stdout")).unwrap(), "new\n");
    check(
        &shell("<mkdir path='hdfs://nn/old/x'/>", "true"),
        "JA018 Prepare execution in the Launcher AM has failed, FS004",
    );
    check(
        &shell("<delete path='hdfs://nn/'/>", "true"),
        "JA018 Prepare execution in the Launcher AM has failed, FS005",
    );
}

#[cfg(debug_assertions)]
#[test]
fn a_crash_between_file_operations_is_lost_and_not_repeated() {
    let sandbox = Sandbox::new();
    order(&sandbox, "<fs><mkdir path='hdfs://nn/a'/><mkdir path='hdfs://nn/b'/></fs>");
    assert!(!run_shim(&sandbox, "before-operation:2"));
    assert!(run_shim(&sandbox, ""));
    assert_eq!([sandbox.store.join("a").exists(), sandbox.store.join("b").exists()], [true, false]);
    let Some(NodeResult::Failed(failure)) = result(&sandbox.attempt, None).unwrap() else {
        panic!("the attempt is lost")
    };
    assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Failed, "JA017"));
    let Some(NodeResult::Failed(failure)) = result(&sandbox.attempt, Some("asked")).unwrap() else {
        panic!("it is lost")
    };
    assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Error, "JA017"));
}

#[test]
fn work_that_ended_on_request_takes_the_error_transition() {
    let request = "`kill` requested it";
    let check = |text: &str, withdraw: bool, expect: &str| {
        let sandbox = Sandbox::new();
        order(&sandbox, text);
        assert!(if withdraw { attempt::withdraw(&sandbox.attempt).unwrap() } else { run_shim(&sandbox, "") });
        let got = match result(&sandbox.attempt, Some(request)).unwrap().expect("it is over") {
            NodeResult::Ok { .. } => "OK".to_owned(),
            NodeResult::Failed(Failure { kind, code, external_status, detail, .. }) => {
                let [status, detail] = [external_status.unwrap_or("FAILED"), detail.as_deref().unwrap_or("-")];
                format!("{kind:?} {code} {status} {detail}")
            }
        };
        assert_eq!(got, expect, "{text}");
    };
    let sh = |line: &str| {
        format!("<shell><exec>sh</exec><argument>-c</argument><argument>{line}</argument><capture-output/></shell>")
    };
    check(&sh("true"), false, "OK");
    // The code 0 means success; a failure of its output is separate.
    check(&sh("printf %30d 1"), false, "Error JA018 FAILED -");
    check(&sh("exit 3"), false, &format!("Error 1 KILLED exit status 3; {request}"));
    // It was not run; the result is that of the first signal.
    check(&sh("true"), true, &format!("Error 1 KILLED killed by signal 15; {request}"));
    check("<fs><mkdir path='hdfs://nn/a'/></fs>", true, &format!("Error 1 KILLED {request}"));
}

#[test]
fn a_type_without_executor_fails_the_job() {
    let sandbox = Sandbox::new();
    let failure = start_action(&sandbox, "<magic/>").unwrap_err();
    assert_eq!((failure.kind, failure.code.as_str()), (FailureKind::Failed, "E0723"));
}

#[test]
fn the_shortest_order_is_an_order() {
    assert!(attempt::get_ready::<Work>(SHORTEST_ORDER));
    assert!(!attempt::get_ready::<Work>("{}"));
}
