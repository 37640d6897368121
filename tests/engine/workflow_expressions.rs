//! What the expressions of a workflow read while it runs: files, captured output, counters, the callback.

use howdah_sandbox::application::{action, shell, shell_body, workflow};
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";

/// Runs the workflow in `app/` with `hdfs://nn` mounted on `store/`; returns its status.
fn run(sandbox: &Sandbox) -> String {
    let mount = format!("hdfs://nn={}", sandbox.text("store"));
    let job = sandbox.submitting(NOW).env("HOWDAH_MOUNTS", mount).succeed().job();
    sandbox.await_quiet();
    sandbox.database().check();
    sandbox.database().job(&job)
}

fn decision(name: &str, predicate: &str, to: &str) -> String {
    format!(
        "<decision name=\"{name}\"><switch><case to=\"{to}\">{predicate}</case>\
         <default to=\"fail\"/></switch></decision>"
    )
}

#[test]
fn a_node_reads_the_output_of_earlier_nodes() {
    let sandbox = Sandbox::new();
    let line = "mkdir -p ${sandbox}/store/out; printf 123 > ${sandbox}/store/out/part-0; echo 'rows=7'; echo 'a.b=c d'";
    let told = "echo '${wf:callback(\"$status\")}|${hadoop:counters(\"load\")[RECORDS][MAP_IN]}|${2 * KB}|\
        ${wf:transition(\"look\")}|${wf:actionExternalStatus(\"load\")}|${wf:lastErrorNode()}' > ${sandbox}/told";
    workflow(
        &sandbox,
        "app",
        "load",
        &[
            action("load", &shell_body(line, "<capture-output/>"), "look", ""),
            decision(
                "look",
                "${fs:exists('hdfs://nn/out/part-*') and fs:fileSize('hdfs://nn/out/part-0') eq 3 \
                 and fs:isDir('hdfs://nn/out') and fs:dirSize('hdfs://nn/out') eq 3}",
                "data",
            ),
            decision(
                "data",
                "${wf:actionData('load')['rows'] + 1 eq 8 and wf:actionData('load').rows eq '7' \
                 and wf:actionData('load')['a.b'] eq 'c d' and empty wf:actionData('load')['none']}",
                "tell",
            ),
            shell("tell", told, "end"),
        ],
    );
    assert_eq!(run(&sandbox), "SUCCEEDED", "{:?}", sandbox.database().nodes());
    let id = sandbox.database().value("SELECT id FROM workflow_job");
    let callback = format!("http://localhost:11000/oozie/callback?id={id}@tell&status=$status");
    assert_eq!(sandbox.read("told"), format!("{callback}|0|2048|data|SUCCEEDED|\n"));
}

#[test]
fn a_store_without_mount_fails_the_job_and_the_message_says_what_to_do() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "look", &[decision("look", "${fs:exists('s3a://bucket/x')}", "end")]);
    assert_eq!(run(&sandbox), "FAILED");
    let error =
        sandbox.database().value("SELECT error_code || ': ' || error_message FROM workflow_node WHERE name = 'look'");
    assert!(error.starts_with("EL_ERROR: ") && error.contains("--mount s3a://bucket=/some/folder"), "{error}");
    // All help of an expression's error reaches the output.
    let shown = sandbox.howdah(["info"]).with(sandbox.database().value("SELECT id FROM workflow_job")).succeed().stdout;
    assert!(shown.contains("E0904"), "{shown}");
}

#[test]
fn eval_asks_this_machine() {
    let sandbox = Sandbox::new();
    sandbox.write("store/a", "12");
    for (expression, expect) in [
        ("${fs:fileSize('hdfs://nn/a')}", "2"),
        ("${fs:exists('hdfs://nn/{a,b}')}", "true"),
        ("[${hadoop:conf('nn', 'fs.defaultFS')}]", "[]"),
    ] {
        let mount = format!("hdfs://nn={}", sandbox.text("store"));
        let ran =
            sandbox.howdah(["eval", "--phase", "workflow"]).with(expression).env("HOWDAH_MOUNTS", mount).succeed();
        assert_eq!(ran.stdout.lines().next(), Some(format!("Value: {expect}").as_str()), "{expression}");
    }
}

/// Decision W40: what a decision on the external status of a node sees.
#[test]
fn external_statuses_are_those_of_oozie() {
    for (body, expect) in [
        ("<fs><mkdir path='file:${sandbox}/made'/></fs>".to_owned(), "OK"),
        ("<fs><move source='file:${sandbox}/none' target='file:${sandbox}/x'/></fs>".to_owned(), "ERROR"),
        ("<sub-workflow><app-path>${sandbox}/none</app-path></sub-workflow>".to_owned(), "ERROR"),
        (shell_body("true", ""), "SUCCEEDED"),
        (shell_body("exit 3", ""), "FAILED/KILLED"),
        (shell_body("true", "<file>none.txt</file>"), "ERROR"),
    ] {
        let sandbox = Sandbox::new();
        let told = shell_body("echo '${wf:actionExternalStatus(\"a\")}' > ${sandbox}/told", "");
        let node = action("a", &body, "after", "").replace("<error to=\"fail\"/>", "<error to=\"after\"/>");
        assert!(node.contains("<error to=\"after\"/>"), "{node}");
        workflow(&sandbox, "app", "a", &[node, action("after", &told, "end", "")]);
        let path = format!("oozie.wf.application.path={}", sandbox.text("app"));
        let root = format!("sandbox={}", sandbox.text(""));
        let ran = sandbox.howdah(["run", "-q", "-D", &path, "-D", root.trim_end_matches('/')]).run();
        assert_eq!((ran.status, sandbox.read("told").trim()), (Some(0), expect), "{body}: {ran:?}");
    }
}
