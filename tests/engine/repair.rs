//! A rerun of many actions: one plan over several jobs, which survives the death of its process at any point; and the
//! backfill of nominal times inside a job and before its start.

use howdah_sandbox::application::{Coordinator, shell, workflow};
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox};

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T03:00Z";
/// The end of the period that is filled.
const UNTIL: &str = "2010-01-01T01:30Z";

/// Every point at which a rerun of many actions may die.
pub(crate) const DEATHS: [&str; 16] = [
    "before-plan-commit",
    "after-plan-commit",
    "before-cleanup",
    "inside-cleanup:1",
    "inside-cleanup:2",
    "inside-cleanup:4",
    "after-cleanup",
    "after-cleaned-commit",
    "inside-rerun-commit:1",
    "after-rerun-commit:1",
    "inside-rerun-commit:2",
    "after-rerun-commit:2",
    "inside-rerun-commit:3",
    "after-rerun-commit:3",
    "after-rerun-commit:4",
    "before-plan-end",
];

/// Writes a coordinator that writes `out/<name>/<hour>` and fails before the file `mended` exists; each run leaves its
/// name and nominal time in `effects`. The action of 02:00 succeeds without a trace.
fn write(sandbox: &Sandbox) {
    let data = "<datasets><dataset name=\"out\" frequency=\"${coord:hours(1)}\" \
         initial-instance=\"2009-01-01T00:00Z\" timezone=\"UTC\">\
         <uri-template>hdfs://nn/${part}/${MONTH}${DAY}${HOUR}</uri-template></dataset></datasets>\
         <output-events><data-out name=\"out\" dataset=\"out\"><instance>${coord:current(0)}</instance></data-out>\
         </output-events>";
    let data = data.to_owned();
    let properties = &[("part", "${part}")];
    let (controls, end) = ("<concurrency>9</concurrency>", LATER);
    Coordinator { end, controls, data, properties, ..Coordinator::default() }.write(sandbox);
    let line = "case ${nominal} in *T02*) exit 0;; esac; echo \"${part} ${nominal}\" >> ${sandbox}/effects; \
                test -e ${sandbox}/mended";
    workflow(sandbox, "app", "one", &[shell("one", line, "end")]);
}

/// Submits a job for each part, and runs all their actions: two that fail, and one that does not.
fn jobs(sandbox: &Sandbox, parts: &[&str]) -> Vec<String> {
    write(sandbox);
    let jobs = parts.iter().map(|part| sandbox.submit(NOW, &[("part", part)])).collect();
    sandbox.tick_through("2010-01-01T02:00Z");
    jobs
}

/// Returns a command that finds the outputs.
fn howdah(sandbox: &Sandbox, arguments: &[&str]) -> Howdah {
    let store = format!("--mount=hdfs://nn={}", sandbox.text("store"));
    sandbox.howdah(arguments.iter().copied()).with(store).at(LATER)
}

fn run(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    howdah(sandbox, arguments).run()
}

/// Creates the outputs of nominal times, such as `010100`.
fn write_outputs(sandbox: &Sandbox, parts: &[&str], times: &[&str]) {
    for part in parts {
        for time in times {
            sandbox.write(&format!("store/{part}/{time}/_SUCCESS"), "");
        }
    }
}

/// Submits a job for each part, runs all their actions, and lets their next runs succeed; all have outputs.
fn mended_jobs(sandbox: &Sandbox, parts: &[&str]) -> Vec<String> {
    let jobs = jobs(sandbox, parts);
    write_outputs(sandbox, parts, &["010100", "010101"]);
    sandbox.write("mended", "");
    jobs
}

fn tick(sandbox: &Sandbox) {
    sandbox.tick_through(LATER);
    sandbox.database().check();
}

/// Returns how often each action was set back, by the audit events.
fn reruns(sandbox: &Sandbox) -> Vec<String> {
    sandbox.database().rows(
        "SELECT coordinator_job, action_number, count(*) FROM event
         WHERE origin = 'rerun' AND action_number IS NOT NULL AND to_status = 'WAITING' GROUP BY 1, 2 ORDER BY 1, 2",
    )
}

/// Returns the lines that each action must leave when it runs twice.
fn twice(parts: &[&str]) -> Vec<String> {
    let times = [NOW, NOW, "2010-01-01T01:00Z", "2010-01-01T01:00Z"];
    parts.iter().flat_map(|part| times.iter().map(move |time| format!("{part} {time}"))).collect()
}

#[test]
fn one_plan_reruns_what_failed_in_many_jobs() {
    let sandbox = Sandbox::new();
    let parts = ["a", "b", "c"];
    let ids = jobs(&sandbox, &parts);
    assert_eq!(sandbox.database().job(&ids[0]), "DONEWITHERROR");
    write_outputs(&sandbox, &parts, &["010100", "010101"]);
    sandbox.write("mended", "");
    let before = sandbox.database().dump();
    let many = ["rerun", "--filter", "status=DONEWITHERROR", "--status", "failed"];
    let tried = run(&sandbox, &[&many[..], &["--dry-run"]].concat());
    insta::assert_snapshot!("repair_dry_run", sandbox.redact(&format!("{}{}", tried.stdout, tried.stderr)));
    let refused = run(&sandbox, &many);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0124"), "{refused:?}");
    assert!(refused.stdout.contains("6 outputs are to be deleted"), "{refused:?}");
    assert_eq!(sandbox.database().dump(), before, "nothing was done");
    let bounded = run(&sandbox, &[&many[..], &["--max", "2", "--dry-run"]].concat());
    assert!(bounded.stdout.contains("2 actions of 2 jobs would run"), "{bounded:?}");
    assert!(bounded.stderr.contains("4 more match"), "{bounded:?}");
    let none = run(&sandbox, &["rerun", &ids[0], &ids[1], "--since", "1m", "--dry-run"]);
    assert!(none.status == Some(0) && none.stdout.contains("No action would run."), "{none:?}");
    let done = run(&sandbox, &[&many[..], &["--yes"]].concat());
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(done.stdout.contains("Waiting again: 6 actions"), "{done:?}");
    assert!(!sandbox.path("store/a/010100").exists() && !sandbox.path("store/c/010101").exists());
    tick(&sandbox);
    assert_eq!(sandbox.sorted_lines("effects"), twice(&parts));
    assert!(ids.iter().all(|id| sandbox.database().job(id) == "SUCCEEDED"));
    assert_eq!(sandbox.database().rows("SELECT * FROM repair"), [""; 0]);
}

#[test]
fn failed_alone_chooses_what_failed_and_reruns_its_workflow_jobs() {
    let sandbox = Sandbox::new();
    let ids = jobs(&sandbox, &["a", "b"]);
    sandbox.write("mended", "");
    let (first, before) = (format!("{}@1", ids[0]), sandbox.database().dump());
    let many = ["rerun", &first, &ids[0], &ids[1], "--failed"];
    for form in [&[][..], &["--json"]] {
        let refused = run(&sandbox, &[&many[..], form].concat());
        assert!(refused.status == Some(1) && format!("{refused:?}").contains("4 actions would run"), "{refused:?}");
        assert!(format!("{refused:?}").contains("H0124"), "{refused:?}");
    }
    assert_eq!(
        sandbox.database().dump(),
        before,
        "a plan of several actions needs a yes, even when nothing is deleted"
    );
    let done = run(&sandbox, &[&many[..], &["--yes"]].concat());
    assert_eq!(done.status, Some(0), "{done:?}");
    assert!(done.stdout.contains("4 actions of 2 jobs"), "{done:?}");
    tick(&sandbox);
    assert_eq!(sandbox.sorted_lines("effects"), twice(&["a", "b"]));
    assert_eq!(sandbox.database().value("SELECT count(*) FROM workflow_job"), "6", "no new workflow jobs");
}

#[test]
fn a_plan_that_dies_at_any_point_is_continued_and_runs_nothing_twice() {
    for fault in DEATHS {
        let sandbox = Sandbox::new();
        let parts = ["a", "b", "c", "d"];
        let ids = mended_jobs(&sandbox, &parts);
        let many: Vec<&str> = ["rerun"].into_iter().chain(ids.iter().map(String::as_str)).collect();
        let many = [&many[..], &["--status", "killed", "--yes"]].concat();
        howdah(&sandbox, &many).die_at(fault);
        sandbox.database().check();
        let left = sandbox.database().value("SELECT count(*) FROM repair_step WHERE done = 0");
        let status = run(&sandbox, &["status"]);
        assert_eq!(status.stdout.contains("rerun --continue"), left != "0", "{fault}: {status:?}");
        // What waits again runs, and writes its outputs.
        tick(&sandbox);
        let stored = sandbox.database().value("SELECT count(*) FROM repair");
        if stored == "0" {
            assert_eq!(run(&sandbox, &many).status, Some(0), "{fault}");
        } else if left != "0" {
            let other = run(&sandbox, &["rerun", &ids[0], &ids[1], "--status", "succeeded", "--yes"]);
            assert!(other.status == Some(1) && other.stderr.contains("H0180"), "{fault}: {other:?}");
            let tried = run(&sandbox, &["rerun", "--continue", "--dry-run"]);
            assert!(tried.stdout.contains(&format!("{left} actions of")), "{fault}: {tried:?}");
            let ran = run(&sandbox, &["rerun", "--continue", "--yes"]);
            assert_eq!(ran.status, Some(0), "{fault}: {ran:?}");
        }
        tick(&sandbox);
        let again = run(&sandbox, &["rerun", "--continue", "--yes"]);
        assert!(again.stdout.contains("nothing is left"), "{fault}: {again:?}");
        tick(&sandbox);
        assert_eq!(sandbox.sorted_lines("effects"), twice(&parts), "{fault}: each action ran twice in all");
        assert_eq!(reruns(&sandbox).len(), 8, "{fault}");
        assert!(reruns(&sandbox).iter().all(|row| row.ends_with(" 1")), "{fault}: {:?}", reruns(&sandbox));
        assert!(ids.iter().all(|id| sandbox.database().job(id) == "SUCCEEDED"), "{fault}");
        assert!(!sandbox.path("store/a/010100").exists() && !sandbox.path("store/d/010101").exists(), "{fault}");
    }
}

#[test]
fn a_plan_that_may_have_deleted_outputs_is_not_forgotten_when_its_jobs_refuse() {
    for fault in ["inside-cleanup:1", "after-cleanup"] {
        let sandbox = Sandbox::new();
        let parts = ["a", "b"];
        let ids = mended_jobs(&sandbox, &parts);
        howdah(&sandbox, &["rerun", &ids[0], &ids[1], "--status", "killed", "--yes"]).die_at(fault);
        let before = sandbox.database().dump();
        for how in ["--yes", "--dry-run"] {
            // Without a mount the outputs are not known.
            let refused = sandbox.howdah(["rerun", "--continue", how]).at(LATER).run();
            assert!(refused.status == Some(1) && refused.stderr.contains("E0907"), "{fault}: {refused:?}");
            assert!(refused.stderr.contains("nothing was done: the plan stays"), "{fault}: {refused:?}");
        }
        assert_eq!(sandbox.database().dump(), before, "{fault}");
        let ran = run(&sandbox, &["rerun", "--continue", "--yes"]);
        assert_eq!(ran.status, Some(0), "{fault}: {ran:?}");
        tick(&sandbox);
        assert_eq!(sandbox.sorted_lines("effects"), twice(&parts), "{fault}");
    }
}

#[test]
fn an_action_that_has_lost_an_output_stays_in_the_plan_when_another_output_cannot_be_deleted() {
    let sandbox = Sandbox::new();
    let parts = ["a", "b"];
    let ids = mended_jobs(&sandbox, &parts);
    let many = ["rerun", &ids[0], &ids[1], "--status", "killed", "--yes"];
    let hold = format!("inside-cleanup:{}", sandbox.text("go"));
    let started = howdah(&sandbox, &many).env("HOWDAH_HOLD", hold).start();
    sandbox.await_file("go.held");
    std::fs::rename(sandbox.path("store/a/010101"), sandbox.path("moved")).expect("it is there");
    std::os::unix::fs::symlink(sandbox.path("moved"), sandbox.path("store/a/010101")).expect("it has moved");
    sandbox.write("go", "");
    let ran = started.finish();
    assert!(ran.status == Some(1) && ran.stdout.contains("Waiting again: 2 actions."), "{ran:?}");
    assert!(ran.stderr.contains("E0907") && ran.stderr.contains("its actions stay in the plan"), "{ran:?}");
    assert!(!ran.stderr.contains("Nothing was done"), "{ran:?}");
    let open = "SELECT action_number FROM repair_step WHERE done = 0";
    assert_eq!(sandbox.database().rows(open), ["1"], "the output of the second action is still there");
    let rest = run(&sandbox, &["rerun", "--continue", "--yes"]);
    assert!(rest.status == Some(0) && rest.stdout.contains("Waiting again: 1 action."), "{rest:?}");
    assert!(sandbox.path("store/a/010101/_SUCCESS").exists() && !sandbox.path("store/a/010100").exists());
    let runs = sandbox.database().rows("SELECT run FROM coordinator_action ORDER BY job, number");
    assert_eq!(runs, ["1", "0", "0", "1", "1", "0"]);
    assert_eq!(sandbox.database().value("SELECT count(*) FROM repair"), "0");
}

#[test]
fn what_was_rerun_meanwhile_is_left_out_and_a_plan_can_be_forgotten() {
    let sandbox = Sandbox::new();
    let ids = jobs(&sandbox, &["a", "b"]);
    sandbox.write("mended", "");
    let many = ["rerun", &ids[0], &ids[1], "--status", "failed", "--yes", "--nocleanup"];
    howdah(&sandbox, &many).die_at("after-plan-commit");
    let one = run(&sandbox, &["rerun", &format!("{}@1", ids[0]), "--yes"]);
    assert!(one.status == Some(0) && one.stderr.contains("an interrupted rerun has left 4 actions"), "{one:?}");
    tick(&sandbox);
    let ran = run(&sandbox, &["rerun", "--continue", "--yes"]);
    assert!(ran.status == Some(0) && ran.stdout.contains("3 actions of 2 jobs"), "it ran for both plans: {ran:?}");
    tick(&sandbox);
    assert_eq!(sandbox.sorted_lines("effects"), twice(&["a", "b"]));

    let sandbox = Sandbox::new();
    let ids = jobs(&sandbox, &["a", "b"]);
    howdah(&sandbox, &["rerun", &ids[0], &ids[1], "--status", "failed", "--yes"]).die_at("after-plan-commit");
    let document = |arguments: &[&str]| -> serde_json::Value {
        serde_json::from_str(&run(&sandbox, arguments).stdout).expect("one document")
    };
    let shown = document(&["rerun", "--abandon", "--dry-run", "--json"]);
    let counts = serde_json::json!({"actions": 4, "workflowJobs": 0});
    assert_eq!((&shown["forgotten"], &shown["dryRun"]), (&counts, &true.into()));
    assert_eq!(shown["lost"], serde_json::json!({"actions": [], "outputs": 0, "isAtMost": false}));
    let forgotten = run(&sandbox, &["rerun", "--abandon"]);
    assert!(forgotten.stdout.contains("4 actions of an interrupted rerun are forgotten"), "{forgotten:?}");
    assert_eq!(reruns(&sandbox), [""; 0]);
    assert!(run(&sandbox, &["rerun", "--continue"]).stdout.contains("nothing is left"));
    assert_eq!(document(&["rerun", "--abandon", "--json"])["forgotten"]["actions"], 0);
    let nothing = document(&["rerun", "--continue", "--json"]);
    assert_eq!((&nothing["jobs"], &nothing["cleanup"]), (&serde_json::json!([]), &serde_json::json!([])));
}

#[test]
fn a_job_that_refuses_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    write(&sandbox);
    let ids = ["a", "b"].map(|part| sandbox.submit(NOW, &[("part", part)]));
    sandbox.tick_through(NOW);
    sandbox.howdah(["kill", &ids[0]]).at(NOW).succeed();
    sandbox.tick_through("2010-01-01T02:00Z");
    sandbox.write("mended", "");
    let ran = run(&sandbox, &["rerun", &ids[0], &ids[1], "--status", "failed", "--yes"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E1018") && ran.stderr.contains(&ids[0]), "{ran:?}");
    tick(&sandbox);
    assert_eq!(sandbox.database().job(&ids[1]), "SUCCEEDED");
    for (arguments, code) in [
        (&["rerun", &ids[0], &ids[1]][..], "H0002"),
        (&["rerun", &ids[0], &ids[1], "--action", "1"], "H0002"),
        (&["rerun", "--filter", "sortby=createdTime", "--status", "failed"], "E0420"),
        (&["rerun", &ids[1], "--status", "running"], "H0002"),
        (&["rerun", &ids[1], "--since", "soon"], "H0002"),
        (&["rerun"], "required"),
        (&["rerun", "--continue", &ids[0]], "cannot be used with"),
        (&["rerun", "--continue", "--nocleanup"], "cannot be used with"),
        (&["rerun", "--continue", "--failed"], "cannot be used with"),
        (&["rerun", "--continue", "--refresh"], "cannot be used with"),
        (&["rerun", "--continue", "-D", "a=b"], "cannot be used with"),
        (&["rerun", "--continue", "--config", "x.properties"], "cannot be used with"),
        (&["rerun", "--abandon", "--nocleanup"], "cannot be used with"),
    ] {
        let ran = run(&sandbox, arguments);
        assert!(ran.status != Some(0) && ran.stderr.contains(code), "{arguments:?}: {ran:?}");
    }
}

/// Runs a backfill of one day before and one after the start.
fn backfill(sandbox: &Sandbox, job: &str, more: &[&str]) -> Ran {
    run(sandbox, &[&["backfill", job, "--from", "2009-12-31T21:00Z", "--to", UNTIL], more].concat())
}

#[test]
fn a_backfill_runs_what_is_missing_inside_the_job_and_before_it() {
    let sandbox = Sandbox::new();
    sandbox.write("mended", "");
    let job = jobs(&sandbox, &["a"]).remove(0);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    // Before the start the time in the middle is there; inside the job a folder without its done-flag is not complete.
    write_outputs(&sandbox, &["a"], &["123122", "010100"]);
    sandbox.write("store/a/010101/part", "");
    let before = sandbox.database().dump();
    let tried = backfill(&sandbox, &job, &["--dry-run"]);
    assert_eq!(tried.status, Some(0), "{tried:?}");
    insta::assert_snapshot!("backfill_dry_run", sandbox.redact(&format!("{}{}", tried.stdout, tried.stderr)));
    assert_eq!(sandbox.database().dump(), before);
    let newest = backfill(&sandbox, &job, &["--reverse", "--max", "1", "--dry-run"]);
    assert!(newest.stdout.contains("@2"), "{newest:?}");
    let oldest = backfill(&sandbox, &job, &["--max", "1", "--dry-run"]);
    assert!(oldest.stdout.contains("2009-12-31T21:00Z"), "{oldest:?}");
    assert_eq!(backfill(&sandbox, &job, &["--yes"]).status, Some(0));
    assert!(!sandbox.path("store/a/010101").exists(), "the output that is not complete is deleted");
    let again = backfill(&sandbox, &job, &["--yes"]);
    assert!(
        again.stdout.contains("No action is to run.") && again.stderr.contains("2 before the start wait"),
        "{again:?}"
    );
    tick(&sandbox);
    let lines = sandbox.sorted_lines("effects");
    let expect = ["2009-12-31T21:00Z", "2009-12-31T23:00Z", NOW, "2010-01-01T01:00Z", "2010-01-01T01:00Z"];
    assert_eq!(lines, expect.map(|time| format!("a {time}")));
    let database = sandbox.database();
    let other = database.value("SELECT id FROM coordinator_job WHERE name = 'test-backfill'");
    assert_eq!((database.job(&job), database.job(&other)), ("SUCCEEDED".to_owned(), "SUCCEEDED".to_owned()));
    let listed = run(&sandbox, &["info", &other, "--json"]);
    assert!(listed.stdout.contains("SKIPPED") && listed.stdout.contains("2009-12-31T22:00Z"), "{listed:?}");
    for (id, link) in [(&job, &other), (&other, &job)] {
        let audit = run(&sandbox, &["log", "--audit", id]);
        assert!(audit.stdout.contains("backfill") && audit.stdout.contains(link.as_str()), "{audit:?}");
    }
}

#[test]
fn a_backfill_reports_what_it_cannot_judge_and_does_not_run_it() {
    let sandbox = Sandbox::new();
    sandbox.write("mended", "");
    let job = jobs(&sandbox, &["a"]).remove(0);
    let before = sandbox.database().dump();
    let arguments = ["backfill", &job, "--from", NOW, "--to", UNTIL, "--yes"];
    let ran = sandbox.howdah(arguments).at(LATER).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("H0113") && ran.stderr.contains("no mount"), "{ran:?}");
    assert_eq!(sandbox.database().dump(), before);
    let failed = run(&sandbox, &["backfill", &job, "--from", NOW, "--to", UNTIL, "--only", "failed"]);
    assert!(failed.stdout.contains("No action is to run."), "{failed:?}");
    let far =
        run(&sandbox, &["backfill", &job, "--from", "0005-01-01T00:00Z", "--to", UNTIL, "--max", "1", "--dry-run"]);
    assert!(far.status == Some(1) && far.stderr.contains("H0181"), "{far:?}");
}

#[test]
fn a_backfill_before_the_initial_instance_is_refused() {
    let sandbox = Sandbox::new();
    sandbox.write("mended", "");
    write(&sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("2009-01-01T00:00Z", "2009-12-31T23:00Z");
    sandbox.write("app/coordinator.xml", &definition);
    let job = sandbox.submit(NOW, &[("part", "a")]);
    sandbox.tick_through("2010-01-01T02:00Z");
    for only in ["all", "missing"] {
        let tried = backfill(&sandbox, &job, &["--only", only, "--dry-run"]);
        let said = "Dataset [out] has no instance before 2009-12-31T23:00Z (initial-instance)";
        assert!(tried.status == Some(1) && tried.stderr.contains("H0220") && tried.stderr.contains(said), "{tried:?}");
        assert!(tried.stderr.contains("2009-12-31T21:00Z, 2009-12-31T22:00Z;"), "{tried:?}");
        assert!(tried.stdout.contains("2009-12-31T23:00Z") && !tried.stdout.contains("T22:00Z"), "{tried:?}");
    }
    let ran = backfill(&sandbox, &job, &["--yes"]);
    assert!(ran.stdout.contains("Waiting again: 2 actions; created: 1 action."), "{ran:?}");
    tick(&sandbox);
    let lines = sandbox.sorted_lines("effects");
    assert_eq!(lines.first().map(String::as_str), Some("a 2009-12-31T23:00Z"), "{lines:?}");
}

#[test]
fn a_backfill_that_dies_is_continued() {
    for fault in ["after-plan-commit", "inside-rerun-commit:1", "after-rerun-commit:1", "inside-rerun-commit:2"] {
        let sandbox = Sandbox::new();
        sandbox.write("mended", "");
        let job = jobs(&sandbox, &["a"]).remove(0);
        let arguments = ["backfill", &job, "--from", "2009-12-31T23:00Z", "--to", UNTIL, "--only", "all", "--yes"];
        howdah(&sandbox, &arguments).die_at(fault);
        tick(&sandbox);
        assert_eq!(run(&sandbox, &["rerun", "--continue", "--yes"]).status, Some(0), "{fault}");
        tick(&sandbox);
        let expect = ["2009-12-31T23:00Z", NOW, NOW, "2010-01-01T01:00Z", "2010-01-01T01:00Z"];
        assert_eq!(sandbox.sorted_lines("effects"), expect.map(|time| format!("a {time}")), "{fault}");
        assert_eq!(sandbox.database().value("SELECT count(*) FROM coordinator_job"), "2", "{fault}");
    }
}
