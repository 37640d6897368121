//! A rerun of many workflow jobs and of the coordinators of bundles: one plan, continued after any
//! death.

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T01:00Z";

/// A line that leaves its word and then fails until the file `mended` exists.
const FRAGILE: &str = "echo ${word} >> ${sandbox}/effects; [ -e ${sandbox}/mended ]";

/// Submits workflow jobs that fail, one for each word.
fn workflows(sandbox: &Sandbox, words: &[&str]) -> Vec<String> {
    let nodes = [shell("first", "echo first >> ${sandbox}/effects", "one"), shell("one", FRAGILE, "end")];
    workflow(sandbox, "app", "first", &nodes);
    let jobs: Vec<String> = words.iter().map(|word| sandbox.submit(NOW, &[("word", word)])).collect();
    sandbox.await_quiet();
    assert!(jobs.iter().all(|job| sandbox.database().job(job) == "KILLED"));
    std::fs::remove_file(sandbox.path("effects")).expect("they ran");
    jobs
}

/// A bundle of the coordinators `a` and `b` with two actions each, of which the first fails; returns its id.
fn bundle(sandbox: &Sandbox) -> String {
    let member = |name: &str| {
        format!(
            "<coordinator name='{name}'><app-path>${{sandbox}}/app</app-path><configuration><property>\
             <name>word</name><value>{name}</value></property></configuration></coordinator>"
        )
    };
    let members = ["a", "b"].map(member).concat();
    sandbox.write(
        "bundle/bundle.xml",
        &format!("<bundle-app xmlns='uri:oozie:bundle:0.2' name='both'>{members}</bundle-app>\n"),
    );
    let properties = &[("word", "${word}")];
    Coordinator { properties, controls: "<concurrency>9</concurrency>", ..Coordinator::default() }.write(sandbox);
    let line = format!("case ${{nominal}} in *T01*) exit 0;; esac; {FRAGILE}");
    workflow(sandbox, "app", "one", &[shell("one", &line, "end")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
    let job = submit.define("oozie.bundle.application.path", &sandbox.text("bundle")).succeed().job();
    sandbox.tick_through(LATER);
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    std::fs::remove_file(sandbox.path("effects")).expect("they ran");
    job
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).at(LATER).run()
}

fn check(sandbox: &Sandbox, arguments: &[&str], words: &[&str]) {
    let ran = run(sandbox, arguments);
    let said = format!("{}{}", ran.stdout, ran.stderr);
    assert_eq!(ran.status, Some(0), "{arguments:?}: {ran:?}");
    for word in words {
        assert!(said.contains(word), "{arguments:?}: [{word}] in {said}");
    }
}

#[test]
fn one_plan_reruns_the_workflow_jobs_that_a_filter_finds() {
    let sandbox = Sandbox::new();
    let jobs = workflows(&sandbox, &["x", "y", "z"]);
    sandbox.write("mended", "");
    let many = ["rerun", "--filter", "name=test", "--jobtype", "wf", "--failed"];
    let before = sandbox.database().dump();
    let line = format!("  test ({}): KILLED, run 0", jobs[0]);
    check(&sandbox, &[&many[..], &["--dry-run"]].concat(), &["3 workflow jobs would run:", &line, "nothing is done"]);
    check(
        &sandbox,
        &[&many[..], &["--max", "1", "--dry-run"]].concat(),
        &["1 workflow job would run:", "2 more match"],
    );
    check(&sandbox, &[&many[..], &["--status", "succeeded", "--dry-run"]].concat(), &["No action would run."]);
    assert_eq!(sandbox.database().dump(), before);
    check(&sandbox, &many, &["Running again: 3 workflow jobs."]);
    sandbox.await_quiet();
    sandbox.database().check();
    assert!(jobs.iter().all(|job| sandbox.database().job(job) == "SUCCEEDED"));
    assert_eq!(sandbox.sorted_lines("effects"), ["x", "y", "z"], "the nodes that ended OK did not run again");
    check(&sandbox, &[&many[..], &["--dry-run"]].concat(), &["No action would run."]);
    // Named ones run again whatever their status, from their start.
    check(&sandbox, &["rerun", &jobs[0], &jobs[2]], &["2 workflow jobs are to run:"]);
    sandbox.await_quiet();
    assert_eq!(sandbox.sorted_lines("effects"), ["first", "first", "x", "x", "y", "z", "z"]);
    let refused = run(&sandbox, &["rerun", &jobs[0], &jobs[1], "--refresh"]);
    assert!(refused.status == Some(2) && refused.stderr.contains("H0002"), "{refused:?}");
}

#[test]
fn workflow_jobs_of_a_plan_that_dies_are_continued_and_run_once_more() {
    for fault in [
        "before-plan-commit",
        "after-plan-commit",
        "inside-rerun-commit:1",
        "after-rerun-commit:1",
        "inside-rerun-commit:2",
        "after-rerun-commit:3",
        "before-plan-end",
    ] {
        let sandbox = Sandbox::new();
        let jobs = workflows(&sandbox, &["x", "y", "z"]);
        sandbox.write("mended", "");
        let many = ["rerun", &jobs[0], &jobs[1], &jobs[2], "--failed"];
        sandbox.howdah(many).at(LATER).die_at(fault);
        let has_plan = sandbox.database().value("SELECT count(*) FROM repair") == "1";
        sandbox.tick_through(LATER);
        if !has_plan {
            assert_eq!(run(&sandbox, &many).status, Some(0), "{fault}");
        }
        check(&sandbox, &["rerun", "--continue", "--yes"], &[]);
        sandbox.tick_through(LATER);
        sandbox.database().check();
        assert_eq!(sandbox.sorted_lines("effects"), ["x", "y", "z"], "{fault}");
        assert_eq!(sandbox.database().rows("SELECT status, run FROM workflow_job"), ["SUCCEEDED 1"; 3], "{fault}");
    }
}

#[test]
fn a_plan_has_the_actions_of_a_bundle_and_workflow_jobs() {
    let sandbox = Sandbox::new();
    let bundle = bundle(&sandbox);
    sandbox.write("mended", "");
    let many = ["rerun", "--filter", "status=DONEWITHERROR", "--jobtype", "bundle", "--status", "failed", "--yes"];
    check(&sandbox, &[&many[..], &["--dry-run"]].concat(), &["2 actions of 2 jobs would run", "  a (", "  b ("]);
    let of_one = ["rerun", &bundle, "--failed", "--coordinator", "b,c", "--yes"];
    check(&sandbox, &of_one, &["1 action of 1 job is to run", "  b (", "has no coordinator [c]; it is ignored"]);
    sandbox.tick_through(LATER);
    assert_eq!(sandbox.sorted_lines("effects"), ["b"]);
    assert_eq!(sandbox.database().job(&bundle), "DONEWITHERROR");
    let alone = {
        sandbox.write("alone/workflow.xml", &sandbox.read("app/workflow.xml"));
        std::fs::remove_file(sandbox.path("mended")).expect("it is there");
        let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text("")).define("word", "alone");
        let submit = submit.define("nominal", NOW);
        submit.define("oozie.wf.application.path", &sandbox.text("alone")).succeed().job()
    };
    sandbox.await_quiet();
    sandbox.write("mended", "");
    let both = ["rerun", &bundle, &alone, "--status", "killed", "--yes"];
    check(&sandbox, &both, &["1 action of 1 job and 1 workflow job are to run:", "Waiting again: 1 action."]);
    sandbox.tick_through(LATER);
    sandbox.database().check();
    assert_eq!(sandbox.sorted_lines("effects"), ["a", "alone", "alone", "b"]);
    let database = sandbox.database();
    assert_eq!([database.job(&bundle), database.job(&alone)], ["SUCCEEDED", "SUCCEEDED"]);
    let wrong = run(&sandbox, &["rerun", &bundle, "--failed", "--coordinator", "c"]);
    assert!(wrong.status == Some(1) && wrong.stderr.contains("has no coordinator [c]"), "{wrong:?}");
}

/// Runs a coordinator whose two actions fail, and then both again with success; returns its id.
fn coordinator_rerun(sandbox: &Sandbox, between: impl FnOnce(&[String])) -> String {
    let properties = &[("word", "${nominal}")];
    // Its last actions are not created yet: a coordinator of which each action is KILLED is KILLED itself.
    let (end, controls) = ("2010-01-01T06:00Z", "<concurrency>9</concurrency>");
    Coordinator { end, controls, properties, ..Coordinator::default() }.write(sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("${nominal}", "${coord:nominalTime()}");
    sandbox.write("app/coordinator.xml", &definition);
    workflow(sandbox, "app", "one", &[shell("one", FRAGILE, "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(LATER);
    let first = sandbox.database().rows("SELECT id FROM workflow_job WHERE status = 'KILLED' ORDER BY job");
    assert_eq!(first.len(), 2);
    sandbox.write("mended", "");
    between(&first);
    check(sandbox, &["rerun", &job, "--action", "1-2", "--yes"], &[]);
    sandbox.tick_through(LATER);
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED, 2 SUCCEEDED");
    job
}

#[test]
fn a_filter_leaves_out_the_earlier_workflow_jobs_of_actions_that_ran_again() {
    let sandbox = Sandbox::new();
    coordinator_rerun(&sandbox, |first| {
        let many = ["rerun", "--filter", "name=test", "--jobtype", "wf", "--dry-run"];
        check(&sandbox, &many, &["2 workflow jobs would run:", &first[0], &first[1]]);
    });
    let before = sandbox.sorted_lines("effects");
    for filter in ["name=test", "status=KILLED"] {
        let many = ["rerun", "--filter", filter, "--jobtype", "wf", "--failed"];
        check(&sandbox, &many, &["No action is to run."]);
    }
    sandbox.tick_through(LATER);
    assert_eq!(sandbox.sorted_lines("effects"), before, "no action ran a third time");
    // One that is named runs again.
    let earlier = sandbox.database().rows("SELECT id FROM workflow_job WHERE status = 'KILLED' ORDER BY job");
    check(&sandbox, &["rerun", &earlier[0], &earlier[1], "--dry-run"], &["2 workflow jobs would run:"]);
}

#[test]
fn an_interrupted_plan_leaves_out_workflow_jobs_whose_actions_ran_again() {
    let sandbox = Sandbox::new();
    coordinator_rerun(&sandbox, |first| {
        let many = ["rerun", &first[0], &first[1], "--yes"];
        sandbox.howdah(many).at(LATER).die_at("after-plan-commit");
    });
    let before = sandbox.sorted_lines("effects");
    check(&sandbox, &["rerun", "--continue", "--yes"], &["belongs to an action that was rerun meanwhile"]);
    sandbox.tick_through(LATER);
    assert_eq!(sandbox.sorted_lines("effects"), before);
    assert_eq!(sandbox.database().value("SELECT count(*) FROM repair"), "0");
}
