//! Workflows from start to end: control nodes, transitions, actions and the values they pass on.

use howdah_sandbox::application::{Coordinator, action, effect, shell, shell_body, workflow};
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";

/// Runs a workflow of these nodes to its end; returns its status and its nodes.
fn run(sandbox: &Sandbox, start: &str, nodes: &[String]) -> (String, String) {
    workflow(sandbox, "app", start, nodes);
    run_again(sandbox, &[])
}

fn run_again(sandbox: &Sandbox, properties: &[(&str, &str)]) -> (String, String) {
    let job = sandbox.submit(NOW, properties);
    sandbox.await_quiet();
    let database = sandbox.database();
    database.check();
    let nodes = database.rows(&format!(
        "SELECT n.name, n.status FROM workflow_node n JOIN workflow_job w USING (job) WHERE id = '{job}' ORDER BY \
         sequence"
    ));
    (database.job(&job), nodes.join(", "))
}

fn error_of(sandbox: &Sandbox, node: &str) -> String {
    sandbox.database().value(&format!(
        "SELECT error_code || ': ' || error_message FROM workflow_node WHERE name = '{node}' ORDER BY job LIMIT 1"
    ))
}

/// An action with its own error transition.
fn shell_or(name: &str, line: &str, ok: &str, error: &str) -> String {
    let body = shell_body(line, "");
    format!("<action name=\"{name}\">{body}<ok to=\"{ok}\"/><error to=\"{error}\"/></action>")
}

fn decision(name: &str, cases: &str, default: &str) -> String {
    format!("<decision name=\"{name}\"><switch>{cases}<default to=\"{default}\"/></switch></decision>")
}

#[test]
fn a_fork_waits_at_its_join() {
    let sandbox = Sandbox::new();
    let fork = "<fork name=\"split\"><path start=\"left\"/><path start=\"right\"/></fork>".to_owned();
    // Each branch waits for the other: they can end only when they run at the same time.
    let side = |own: &str, other: &str| {
        format!("touch ${{sandbox}}/{own}; while [ ! -e ${{sandbox}}/{other} ]; do sleep 0.02; done; {}", effect(own))
    };
    let outcome = run(
        &sandbox,
        "split",
        &[
            fork,
            shell("left", &side("left", "right"), "meet"),
            shell("right", &side("right", "left"), "meet"),
            "<join name=\"meet\" to=\"after\"/>".to_owned(),
            shell("after", "sort ${sandbox}/effects > ${sandbox}/sorted", "end"),
        ],
    );
    let nodes = ":start: OK, split OK, left OK, right OK, meet OK, after OK, end OK";
    assert_eq!(outcome, ("SUCCEEDED".to_owned(), nodes.to_owned()));
    assert_eq!(sandbox.read("sorted"), "left\nright\n", "the join came after both");
}

#[test]
fn a_property_that_no_action_may_set_ends_the_job() {
    let sandbox = Sandbox::new();
    for name in ["user.name", "mapreduce.job.user.name", "fs.default.name", "yarn.resourcemanager.address"] {
        let configuration = format!(
            "<configuration><property><name>{name}</name><value>joe</value></property></configuration><exec>true</exec>"
        );
        let body = format!("<shell xmlns=\"uri:oozie:shell-action:0.3\">{configuration}</shell>");
        let (job, nodes) = run(&sandbox, "one", &[action("one", &body, "end", "")]);
        assert_eq!((job.as_str(), nodes.as_str()), ("FAILED", ":start: OK, one FAILED"), "{name}");
    }
    assert_eq!(error_of(&sandbox, "one"), "JA010: Property [user.name] not allowed in action [configuration]");
}

#[test]
fn a_kill_node_without_a_message_is_an_error() {
    let sandbox = Sandbox::new();
    let kill = "<kill name=\"no\"><message>${nobody}</message></kill>".to_owned();
    let (job, nodes) = run(&sandbox, "no", &[kill]);
    assert_eq!((job.as_str(), nodes.as_str()), ("KILLED", ":start: OK, no ERROR"));
    assert!(error_of(&sandbox, "no").starts_with("E0756: "));
}

#[test]
fn a_path_that_fails_kills_the_other_paths() {
    let sandbox = Sandbox::new();
    let outcome = run(
        &sandbox,
        "split",
        &[
            "<fork name=\"split\"><path start=\"bad\"/><path start=\"long\"/></fork>".to_owned(),
            shell("bad", "while [ ! -e ${sandbox}/long ]; do sleep 0.02; done; exit 3", "meet"),
            shell("long", "touch ${sandbox}/long; sleep 600", "meet"),
            "<join name=\"meet\" to=\"end\"/>".to_owned(),
        ],
    );
    let nodes = ":start: OK, split OK, bad ERROR, long KILLED, fail OK";
    assert_eq!(outcome, ("KILLED".to_owned(), nodes.to_owned()));
    assert_eq!(error_of(&sandbox, "fail"), "E0729: failed at [bad]");
}

#[test]
fn a_decision_takes_the_first_true_case() {
    let sandbox = Sandbox::new();
    let cases = "<case to=\"big\">${wf:conf('size') gt 10}</case><case to=\"small\">${size gt 0}</case>";
    workflow(
        &sandbox,
        "app",
        "which",
        &[
            decision("which", cases, "none"),
            shell("big", &effect("big"), "end"),
            shell("small", &effect("small"), "end"),
            shell("none", &effect("none"), "end"),
        ],
    );
    for (size, chosen) in [("11", "big"), ("10", "small"), ("0", "none")] {
        let outcome = run_again(&sandbox, &[("size", size)]);
        assert_eq!(outcome, ("SUCCEEDED".to_owned(), format!(":start: OK, which OK, {chosen} OK, end OK")));
    }
    assert_eq!(sandbox.read("effects"), "big\nsmall\nnone\n");
}

#[test]
fn transitions_for_success_and_error() {
    let sandbox = Sandbox::new();
    let nodes = [
        shell_or("risky", "exit 4", "end", "rescue"),
        shell("rescue", &effect("${wf:lastErrorNode()} ${wf:errorCode('risky')}"), "end"),
    ];
    let outcome = run(&sandbox, "risky", &nodes);
    assert_eq!(outcome, ("SUCCEEDED".to_owned(), ":start: OK, risky ERROR, rescue OK, end OK".to_owned()));
    assert_eq!(sandbox.read("effects"), "risky 1\n");
    // The configuration with which the action was started, its expressions evaluated, as Oozie's `conf` of an action.
    let job = sandbox.database().value("SELECT id FROM workflow_job");
    let conf = |node: &str| {
        let ran = sandbox.howdah(["info", &format!("{job}@{node}"), "--json"]).succeed();
        serde_json::from_str::<serde_json::Value>(&ran.stdout).expect("one document")["conf"].clone()
    };
    let rescue = conf("rescue");
    let rescue = rescue.as_str().unwrap_or_else(|| panic!("no conf: {rescue}"));
    assert!(rescue.starts_with("<shell ") && rescue.contains("risky 1") && !rescue.contains("${"), "{rescue}");
    assert!(conf(":start:").is_null(), "a control node has none");
    assert_eq!(sandbox.database().value("SELECT transition FROM workflow_node WHERE name = 'risky'"), "rescue");
}

#[test]
fn a_command_that_fails_kills_the_job_at_its_kill_node() {
    let sandbox = Sandbox::new();
    let outcome = run(&sandbox, "one", &[shell("one", "exit 5", "end")]);
    assert_eq!(outcome, ("KILLED".to_owned(), ":start: OK, one ERROR, fail OK".to_owned()));
    assert_eq!(error_of(&sandbox, "one"), "1: Main Class [org.apache.oozie.action.hadoop.ShellMain], exit code [1]");
    assert_eq!(error_of(&sandbox, "fail"), "E0729: failed at [one]");
    assert_eq!(sandbox.database().rows("SELECT exit_code FROM attempt"), ["5"]);
}

#[test]
fn an_expression_that_fails_ends_the_job_as_failed() {
    let sandbox = Sandbox::new();
    let outcome = run(&sandbox, "one", &[shell("one", "echo ${nowhere}", "end")]);
    assert_eq!(outcome, ("FAILED".to_owned(), ":start: OK, one FAILED".to_owned()));
    assert!(error_of(&sandbox, "one").starts_with("EL_ERROR: "), "{}", error_of(&sandbox, "one"));
}

#[test]
fn captured_output_feeds_what_follows() {
    let sandbox = Sandbox::new();
    let body = shell_body("echo size=12; echo name=north pole", "<capture-output/>");
    let data = "${wf:actionData('measure')['name']}";
    let nodes = [
        action("measure", &body, "which", ""),
        decision("which", "<case to=\"big\">${wf:actionData('measure')['size'] gt 10}</case>", "end"),
        shell("big", &effect(data), "end"),
    ];
    let outcome = run(&sandbox, "measure", &nodes);
    assert_eq!(outcome, ("SUCCEEDED".to_owned(), ":start: OK, measure OK, which OK, big OK, end OK".to_owned()));
    assert_eq!(sandbox.read("effects"), "north pole\n");
}

#[test]
fn file_operations() {
    let sandbox = Sandbox::new();
    sandbox.write("old/file", "kept");
    sandbox.write("moved", "content");
    let body = "<fs><delete path=\"${sandbox}/old\"/><mkdir path=\"${sandbox}/new/deep\"/>\
                <move source=\"${sandbox}/moved\" target=\"${sandbox}/target\"/>\
                <chmod path=\"${sandbox}/home\" permissions=\"-rwx------\"/>\
                <touchz path=\"${sandbox}/touched\"/></fs>";
    let outcome = run(&sandbox, "files", &[action("files", body, "end", "")]);
    assert_eq!(outcome, ("SUCCEEDED".to_owned(), ":start: OK, files OK, end OK".to_owned()));
    assert!(!sandbox.path("old").exists() && sandbox.path("new/deep").is_dir() && sandbox.path("touched").is_file());
    assert_eq!((sandbox.read("target").as_str(), sandbox.path("moved").exists()), ("content", false));
}

#[test]
fn an_impossible_file_operation_is_refused_before_the_first_one() {
    let sandbox = Sandbox::new();
    let body = "<fs><mkdir path=\"${sandbox}/new\"/>\
                <move source=\"${sandbox}/missing\" target=\"${sandbox}/target\"/></fs>";
    let outcome = run(&sandbox, "files", &[action("files", body, "end", "")]);
    assert_eq!(outcome, ("KILLED".to_owned(), ":start: OK, files ERROR, fail OK".to_owned()));
    assert!(error_of(&sandbox, "files").starts_with("FS006: "), "{}", error_of(&sandbox, "files"));
    assert!(!sandbox.path("new").exists(), "all paths are looked at before anything is done");
}

#[test]
fn a_delete_does_not_leave_the_world_empty() {
    let sandbox = Sandbox::new();
    sandbox.write("home/precious", "kept");
    let body = "<fs><delete path=\"${sandbox}/home\"/></fs>";
    let outcome = run(&sandbox, "files", &[action("files", body, "end", "")]);
    assert_eq!(outcome.0, "KILLED", "the user's home is not deleted");
    assert_eq!(sandbox.read("home/precious"), "kept");
}

fn sub_workflow(sandbox: &Sandbox) -> String {
    format!(
        "<sub-workflow><app-path>{}</app-path><propagate-configuration/><configuration>\
         <property><name>word</name><value>from parent</value></property></configuration></sub-workflow>",
        sandbox.text("child")
    )
}

#[test]
fn a_sub_workflow_runs_with_its_parents_configuration() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "child", "inner", &[shell("inner", &effect("${word}"), "end")]);
    let outcome = run(&sandbox, "outer", &[action("outer", &sub_workflow(&sandbox), "end", "")]);
    assert_eq!(outcome, ("SUCCEEDED".to_owned(), ":start: OK, outer OK, end OK".to_owned()));
    assert_eq!(sandbox.read("effects"), "from parent\n");
    let database = sandbox.database();
    assert_eq!(
        database.value("SELECT external_id FROM workflow_node WHERE name = 'outer'"),
        database.value("SELECT id FROM workflow_job WHERE parent_node = 'outer'")
    );
}

#[test]
fn a_propagated_global_section_keeps_its_expressions() {
    let sandbox = Sandbox::new();
    let count = "for text in from.parent/1 a=1; do grep -c $text action.xml; done >> ${sandbox}/effects";
    workflow(&sandbox, "child", "inner", &[shell("inner", count, "end")]);
    workflow(&sandbox, "app", "outer", &[action("outer", &sub_workflow(&sandbox), "end", "")]);
    let property = |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
    let mut properties: String = (0..25).map(|number| property(&format!("p{number}"), "${word}/1")).collect();
    properties += &property("address", "${url}");
    let global = format!("<global><configuration>{properties}</configuration></global><start");
    let definition = sandbox.read("app/workflow.xml").replace("<start", &global);
    sandbox.write("app/workflow.xml", &definition);
    let outcome = run_again(&sandbox, &[("url", "http://h/?a=1&b=<2>"), ("word", "of the job")]);
    assert_eq!(outcome, ("SUCCEEDED".to_owned(), ":start: OK, outer OK, end OK".to_owned()));
    assert_eq!(sandbox.read("effects"), "25\n1\n");
}

#[test]
fn a_sub_workflow_hands_its_error_up() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "child", "inner", &[shell("inner", "exit 1", "end")]);
    let outcome = run(&sandbox, "outer", &[action("outer", &sub_workflow(&sandbox), "end", "")]);
    assert_eq!(outcome, ("KILLED".to_owned(), ":start: OK, outer ERROR, fail OK".to_owned()));
    let child = sandbox
        .database()
        .value("SELECT error_code || ': ' || error_message FROM workflow_job WHERE parent_node = 'outer'");
    assert_eq!(error_of(&sandbox, "outer"), child);
}

#[test]
fn a_sub_workflow_without_a_usable_application_says_where_to_look() {
    let check = |files: &[(&str, &str)], expect: [&str; 2]| {
        let sandbox = Sandbox::new();
        for (name, text) in files {
            sandbox.write(name, text);
        }
        let outcome = run(&sandbox, "outer", &[action("outer", &sub_workflow(&sandbox), "end", "")]);
        assert_eq!(outcome, ("KILLED".to_owned(), ":start: OK, outer ERROR, fail OK".to_owned()));
        let error = error_of(&sandbox, "outer").replace(&sandbox.text(""), "");
        assert!(error.starts_with(expect[0]) && error.contains(expect[1]), "{error}");
    };
    check(&[], ["E0504: App directory [/child] does not exist", "; there is nothing at /child"]);
    let no_definition =
        ["E0505: App definition [/child/workflow.xml] does not exist", "; put a workflow.xml into /child"];
    check(&[("child/other.txt", "")], no_definition);
    let text =
        "<workflow-app name='w' xmlns='uri:oozie:workflow:0.5'>\n<start to='ends'/>\n<end name='end'/></workflow-app>";
    let lost = "E0708: Invalid transition, node [:start:] transition [ends]";
    check(&[("child/workflow.xml", text)], [lost, " (/child/workflow.xml:2:"]);
    check(&[("child/workflow.xml", &text.replace("<end", "<ent"))], ["E0701: ", " (/child/workflow.xml:3:"]);
}

/// A coordinator of two actions whose workflow ends with a line of shell each.
fn two_actions(line: &str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through("2010-01-01T01:00Z");
    (sandbox, job)
}

#[test]
fn the_job_follows_its_actions() {
    for (line, actions, status) in [
        ("true", "1 SUCCEEDED, 2 SUCCEEDED", "SUCCEEDED"),
        ("[ ${nominal} = 2010-01-01T00:00Z ]", "1 SUCCEEDED, 2 KILLED", "DONEWITHERROR"),
        ("false", "1 KILLED, 2 KILLED", "KILLED"),
        ("${nowhere}", "1 FAILED, 2 FAILED", "FAILED"),
    ] {
        let (sandbox, job) = two_actions(line);
        let database = sandbox.database();
        database.check();
        assert_eq!((database.actions().as_str(), database.job(&job).as_str()), (actions, status), "{line}");
    }
}

#[test]
fn an_application_that_is_missing_at_the_start_fails_the_action() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    std::fs::remove_file(sandbox.path("app/workflow.xml")).expect("it was just written");
    let ran = sandbox.howdah(["tick"]).at(NOW).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.starts_with(&format!("{job}@1: ")) && ran.stderr.contains("E0505"), "{ran:?}");
    let database = sandbox.database();
    database.check();
    assert_eq!((database.actions().as_str(), database.job(&job).as_str()), ("1 FAILED", "FAILED"));
    assert_eq!(database.value("SELECT error_code FROM coordinator_action"), "E0505");
}

#[test]
fn an_action_waits_for_the_mount_of_its_workflow() {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("one"), "end")]);
    let definition = sandbox.read("app/coordinator.xml").replace(&sandbox.text("app"), "hdfs://nn/app");
    sandbox.write("app/coordinator.xml", &definition);
    let job = sandbox.submit(NOW, &[]);
    let ran = sandbox.howdah(["tick"]).at(NOW).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    assert!(ran.stderr.starts_with(&format!("{job}: ")) && ran.stderr.contains("H0122"), "{ran:?}");
    assert_eq!((sandbox.database().actions().as_str(), sandbox.database().job(&job).as_str()), ("1 READY", "RUNNING"));
    let why = sandbox.howdah(["explain", &format!("{job}@1")]).at(NOW).succeed().stdout;
    assert!(why.contains("but its workflow cannot be used: H0122: No mount for [hdfs://nn/app]"), "{why}");
    let mount = format!("hdfs://nn={}", sandbox.text(""));
    sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_MOUNTS", &mount).succeed();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "one\n");
}
