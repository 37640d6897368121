//! The coordinators of a bundle are rerun together: one plan, one list, one question.

use super::{EARLY, KICK_OFF, bundle, coordinator, members, story, submit};
use crate::rerun::DEATHS;
use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

/// When all actions have ended.
const AFTER: &str = "2010-01-01T03:00Z";

/// A bundle that has run both its coordinators, each with an output for each of its two actions; the coordinators write
/// to folders named by their values of `who`.
fn ended(sandbox: &Sandbox) -> String {
    let data = r#"<datasets><dataset name="out" frequency="${coord:hours(1)}" initial-instance="2009-01-01T00:00Z"
        timezone="UTC"><uri-template>${sandbox}/out/${who}/${HOUR}</uri-template></dataset></datasets>
        <output-events><data-out name="out" dataset="out"><instance>${coord:current(0)}</instance></data-out></output-events>"#;
    sandbox.write("bundle/bundle.xml", &bundle(""));
    Coordinator { data: data.to_owned(), properties: &[("who", "${who}")], ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${who} ${nominal}"), "end")]);
    let job = submit(sandbox, EARLY).succeed().job();
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    for who in ["own", "bundle"] {
        for hour in ["00", "01"] {
            sandbox.write(&format!("out/{who}/{hour}/part"), "data");
        }
    }
    job
}

fn rerun(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(["rerun"].into_iter().chain(arguments.iter().copied())).at(AFTER).run()
}

/// Returns the outputs that exist: folders of `out`.
fn outputs(sandbox: &Sandbox) -> String {
    let all = ["own/00", "own/01", "bundle/00", "bundle/01"];
    all.into_iter().filter(|output| sandbox.path(&format!("out/{output}")).exists()).collect::<Vec<_>>().join(" ")
}

/// The coordinators with the status of each action.
fn actions(sandbox: &Sandbox) -> Vec<String> {
    let query = "SELECT name || '@' || number, coordinator_action.status FROM coordinator_action \
                 JOIN coordinator_job USING (job) ORDER BY job, number";
    sandbox.database().rows(query)
}

#[test]
fn the_actions_of_all_coordinators_run_again() {
    let sandbox = Sandbox::new();
    let job = ended(&sandbox);
    let stored = sandbox.database().dump();
    let hour = "2010-01-01T01:00Z::2010-01-01T02:00Z";
    let tried = rerun(&sandbox, &[&job, "--date", hour, "--dry-run"]);
    insta::assert_snapshot!("dry_run_of_rerun", sandbox.redact(&format!("{}{}", tried.stdout, tried.stderr)));
    let refused = rerun(&sandbox, &[&job, "--date", hour]);
    assert_eq!(refused.status, Some(1), "{refused:?}");
    assert!(refused.stderr.contains("2 outputs would be deleted") && refused.stderr.contains("--yes"), "{refused:?}");
    assert_eq!((outputs(&sandbox).as_str(), sandbox.database().dump()), ("own/00 own/01 bundle/00 bundle/01", stored));
    let ran = rerun(&sandbox, &[&job, "--date", hour, "--yes"]);
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
    assert_eq!(outputs(&sandbox), "own/00 bundle/00");
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), members(&database).as_str()), ("RUNNING", "own RUNNING, common RUNNING"));
    assert_eq!(actions(&sandbox), ["own@1 SUCCEEDED", "own@2 WAITING", "common@1 SUCCEEDED", "common@2 WAITING"]);
    sandbox.tick_through(AFTER);
    let database = sandbox.database();
    database.check();
    assert_eq!(story(&database), "PREP RUNNING SUCCEEDED RUNNING SUCCEEDED");
    assert_eq!(sandbox.sorted_lines("effects").len(), 6);
}

#[test]
fn coordinators_are_named() {
    let sandbox = Sandbox::new();
    let job = ended(&sandbox);
    let ran = rerun(&sandbox, &[&job, "--coordinator", "comon, own", "--nocleanup"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    assert_eq!(ran.stderr, format!("note: {job} has no coordinator [comon]; it is ignored\n"));
    assert_eq!(outputs(&sandbox), "own/00 own/01 bundle/00 bundle/01");
    assert_eq!(actions(&sandbox), ["own@1 WAITING", "own@2 WAITING", "common@1 SUCCEEDED", "common@2 SUCCEEDED"]);
    assert_eq!(members(&sandbox.database()), "own RUNNING, common SUCCEEDED");
}

#[test]
fn a_rerun_that_does_not_say_of_what_is_refused() {
    let sandbox = Sandbox::new();
    let job = ended(&sandbox);
    let stored = sandbox.database().dump();
    let own = coordinator(&sandbox, "own");
    let check = |arguments: &[&str], status: i32, said: &str| {
        let ran = rerun(&sandbox, arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (Some(status), ""), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(said), "{arguments:?}: {}", ran.stderr);
    };
    check(&[&job], 2, "--coordinator load,report, or give --date A::B");
    check(&[&job, "--action", "1"], 2, "use --coordinator NAMES and --date");
    check(&[&job, "--date", EARLY, "-D", "a=b"], 2, "a bundle takes no properties");
    check(&[&job, "--coordinator", "", "--date", EARLY], 2, "--coordinator has an empty name");
    check(&[&own, "--coordinator", "own", "--action", "1"], 2, "--coordinator is for bundles");
    check(&[&job, "--coordinator", "comon,off"], 1, "has no coordinator [comon, off]");
    check(&[&job, "--coordinator", "comon"], 1, "its coordinators are own, common");
    assert_eq!(sandbox.database().dump(), stored);
}

#[test]
fn a_coordinator_that_cannot_be_rerun_keeps_no_other_from_it() {
    let sandbox = Sandbox::new();
    let job = ended(&sandbox);
    let own = coordinator(&sandbox, "own");
    assert_eq!(rerun(&sandbox, &[&format!("{own}@1"), "--yes"]).status, Some(0));
    sandbox.howdah(["kill", &own]).at(AFTER).succeed();
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    let ran = rerun(&sandbox, &[&job, "--coordinator", "own,common", "--yes"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    insta::assert_snapshot!("rerun_of_those_that_can", sandbox.redact(&format!("{}{}", ran.stdout, ran.stderr)));
    assert_eq!(outputs(&sandbox), "own/01");
    let database = sandbox.database();
    database.check();
    assert_eq!(members(&database), "own KILLED, common RUNNING");
    assert_eq!(database.job(&job), "RUNNINGWITHERROR");
    sandbox.tick_through(AFTER);
    // A coordinator without anything to rerun stays unchanged.
    let stored = sandbox.database().dump();
    let ran = rerun(&sandbox, &[&job, "--coordinator", "own", "--yes", "--json"]);
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!(document["problems"][0]["code"], "E1018", "{document}");
    assert_eq!(sandbox.database().dump(), stored);
}

#[test]
fn a_suspension_holds_a_bundle_no_more_and_what_never_ran_is_refused() {
    let sandbox = super::sandbox(KICK_OFF);
    let job = submit(&sandbox, EARLY).succeed().job();
    let ran = rerun(&sandbox, &[&job, "--coordinator", "own"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E1100") && ran.stderr.contains("kick-off time"), "{ran:?}");
    sandbox.tick(KICK_OFF);
    sandbox.tick_through("2010-01-01T00:00Z");
    sandbox.howdah(["suspend", &job]).at("2010-01-01T00:30Z").succeed();
    assert_eq!(members(&sandbox.database()), "own SUSPENDED, common SUSPENDED");
    let ran = rerun(&sandbox, &[&job, "--coordinator", "own"]);
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let database = sandbox.database();
    database.check();
    assert_eq!(
        (database.job(&job).as_str(), members(&database).as_str()),
        ("RUNNING", "own RUNNING, common SUSPENDED")
    );
    sandbox.howdah(["kill", &job]).at(AFTER).succeed();
    let ran = rerun(&sandbox, &[&job, "--coordinator", "own"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E1100") && ran.stderr.contains("KILLED"), "{ran:?}");
}

#[test]
fn a_rerun_that_dies_in_between_is_continued() {
    for death in DEATHS {
        let sandbox = Sandbox::new();
        let job = ended(&sandbox);
        let words = ["rerun", &job, "--coordinator", "own,common", "--yes"];
        let died = sandbox.howdah(words).at(AFTER).env("HOWDAH_FAULT", death.point).run();
        assert_eq!(died.status, None, "{}: {died:?}", death.point);
        let database = sandbox.database();
        database.check();
        let first = if death.point == "after-rerun-commit" { "RUNNING" } else { "SUCCEEDED" };
        assert_eq!(members(&database), format!("own {first}, common SUCCEEDED"), "{}", death.point);
        let said = sandbox.howdah(["status"]).at(AFTER).run().stdout;
        assert!(said.contains("--continue"), "{}: {said}", death.point);
        sandbox.howdah(["rerun", "--continue", "--yes"]).at(AFTER).succeed();
        assert_eq!(outputs(&sandbox), "", "{}", death.point);
        sandbox.tick_through(AFTER);
        assert_eq!(sandbox.sorted_lines("effects").len(), 8, "{}", death.point);
    }
}
