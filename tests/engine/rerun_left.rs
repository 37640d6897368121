//! What an interrupted rerun has left, while jobs and people continue: the next tick, or `--continue`, does what was
//! ordered and is still wanted, and nothing else.

use howdah_sandbox::application::{Coordinator, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, wait_for};
use howdah_sandbox::strace;
use howdah_tier as tier;

use crate::rerun_races::{hold, release};

const NOW: &str = "2010-01-01T00:00Z";
/// Three hours are due.
const AT: &str = "2010-01-01T02:30Z";
const LATER: &str = "2010-01-01T02:40Z";
/// When the failure policy reruns what failed at `AT`.
const DUE: &str = "2010-01-01T02:50Z";
/// The end of a job that has later actions.
const END: &str = "2010-01-01T09:00Z";
const OPEN: &str = "SELECT action_number FROM repair_step WHERE done = 0 ORDER BY plan, step";

/// A coordinator with three actions that write `out/<who>/<hour>`.
struct Night {
    sandbox: Sandbox,
    job: String,
}

/// Writes the application; before its end each action runs `more`.
fn write(sandbox: &Sandbox, more: &str) {
    let data = "<datasets><dataset name=\"out\" frequency=\"${coord:hours(1)}\" initial-instance=\"2009-01-01T00:00Z\" \
         timezone=\"UTC\"><uri-template>${sandbox}/out/${who}/${YEAR}-${MONTH}-${DAY}T${HOUR}:00Z</uri-template>\
         </dataset></datasets><output-events><data-out name=\"out\" dataset=\"out\">\
         <instance>${coord:current(0)}</instance></data-out></output-events>";
    let (controls, end) = ("<concurrency>9</concurrency>", "${end}");
    Coordinator { controls, end, data: data.to_owned(), properties: &[("who", "${who}")], ..Coordinator::default() }
        .write(sandbox);
    let line = "echo \"${who} ${nominal}\" >> ${sandbox}/effects; mkdir -p \"${sandbox}/out/${who}/${nominal}\"; \
                echo x > \"${sandbox}/out/${who}/${nominal}/part\"";
    workflow(sandbox, "app", "one", &[shell("one", &format!("{line}; {more}"), "end")]);
}

fn output(sandbox: &Sandbox, who: &str, hour: u32) -> bool {
    sandbox.path(&format!("out/{who}/2010-01-01T{hour:02}:00Z/part")).exists()
}

impl Night {
    /// All actions have ended well.
    fn ended() -> Self {
        Self::new("true", &[])
    }

    fn new(more: &str, properties: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        write(&sandbox, more);
        let job = sandbox.submit(NOW, &[&[("who", "a"), ("end", END)][..], properties].concat());
        sandbox.tick_through(AT);
        Self { sandbox, job }
    }

    /// The first action has failed.
    fn failed(properties: &[(&str, &str)]) -> Self {
        let night = Self::new("test ${nominal} != 2010-01-01T00:00Z || test -e ${sandbox}/mended", properties);
        night.sandbox.write("mended", "");
        night
    }

    /// The first action has failed, and the failure policy plans its rerun.
    fn planned() -> Self {
        let night = Self::failed(&[("howdah.failure.rerun", "2"), ("howdah.failure.rerun.wait", "15")]);
        assert_eq!(night.rows("SELECT number FROM policy_rerun WHERE rerun_at IS NOT NULL"), ["1"]);
        night
    }

    /// Creates a command; Oozie's own command line takes no option of howdah behind its words.
    fn howdah(&self, words: &[&str]) -> Howdah {
        self.sandbox.howdah(["--now", LATER].iter().chain(words).copied())
    }

    fn run(&self, words: &[&str]) -> Ran {
        self.howdah(words).succeed()
    }

    /// Reruns actions as a client of Oozie, which dies.
    fn client_dies(&self, actions: &str, point: &str) {
        self.howdah(&["oozie", "job", "-rerun", &self.job, "-action", actions]).die_at(point);
    }

    /// The tick that does the planned rerun dies.
    fn policy_dies(&self, point: &str) {
        self.sandbox.howdah(["tick"]).at(DUE).die_at(point);
        assert_eq!(self.rows(OPEN), ["1"]);
    }

    fn rows(&self, query: &str) -> Vec<String> {
        self.sandbox.database().rows(query)
    }

    fn turn_policy_off(&self) -> Ran {
        self.run(&["update", &self.job, "-D", "howdah.failure.rerun=0"])
    }

    /// Returns how often each action was reset.
    fn runs(&self) -> String {
        self.rows("SELECT run FROM coordinator_action ORDER BY number").join(" ")
    }

    /// Returns how often the command of each action ran.
    fn starts(&self) -> [usize; 3] {
        let lines = self.sandbox.sorted_lines("effects");
        [0, 1, 2].map(|hour| lines.iter().filter(|line| **line == format!("a 2010-01-01T{hour:02}:00Z")).count())
    }

    fn outputs(&self) -> [bool; 3] {
        [0, 1, 2].map(|hour| output(&self.sandbox, "a", hour))
    }

    /// Ticks until nothing more moves.
    fn tick(&self) {
        for _ in 0..3 {
            self.sandbox.tick_through(DUE);
        }
        self.sandbox.database().check();
    }

    fn plans(&self) -> String {
        self.sandbox.database().value("SELECT count(*) FROM repair")
    }
}

#[test]
fn an_action_that_is_passed_over_is_no_part_of_the_plan() {
    for (words, is_unattended) in [
        (&["oozie", "job", "-rerun", "JOB", "-action", "1-3"][..], true),
        (&["rerun", "JOB", "--action", "1-3", "--yes"], false),
        (&["rerun", "JOB", "--action", "1-3", "--nocleanup", "--yes"], false),
        (&["rerun", "JOB", "JOB@3", "--status", "succeeded,killed", "--yes"], false),
    ] {
        let line = format!("case ${{nominal}} in *T02*) {};; esac", until_gate("pid"));
        let sandbox = Sandbox::new();
        write(&sandbox, &line);
        let job = sandbox.submit(NOW, &[("who", "a"), ("end", END)]);
        sandbox.tick(AT);
        let night = Night { sandbox, job };
        wait_for("the end of two actions", || {
            (night.sandbox.database().actions() == "1 SUCCEEDED, 2 SUCCEEDED, 3 RUNNING").then_some(())
        });
        let third = format!("{}@3", night.job);
        let word = |word: &&str| match *word {
            "JOB" => night.job.clone(),
            "JOB@3" => third.clone(),
            word => word.to_owned(),
        };
        let given: Vec<String> = words.iter().map(word).collect();
        let given: Vec<&str> = given.iter().map(String::as_str).collect();
        night.howdah(&given).die_at("before-cleanup");
        assert_eq!(night.rows(OPEN), ["1", "2"], "{words:?}");
        night.sandbox.write("gate", "");
        night.sandbox.await_quiet();
        if !is_unattended {
            night.tick();
            assert_eq!(night.starts(), [1, 1, 1], "{words:?}");
            let left = night.run(&["rerun", "--continue", "--yes"]);
            assert!(left.stdout.contains("Waiting again: 2 actions."), "{words:?}: {left:?}");
        }
        night.tick();
        assert_eq!((night.starts(), night.outputs()), ([2, 2, 1], [true; 3]), "{words:?}");
        assert_eq!((night.runs().as_str(), night.plans().as_str()), ("1 1 0", "0"), "{words:?}");
    }
}

#[test]
fn an_action_whose_workflow_job_was_rerun_since_does_not_run_again_for_the_plan() {
    for is_unattended in [true, false] {
        let night = Night::ended();
        if is_unattended {
            night.client_dies("1-2", "after-plan-commit");
        } else {
            night.howdah(&["rerun", &night.job, "--action", "1-2", "--yes"]).die_at("after-plan-commit");
        }
        let first = "SELECT external_id FROM coordinator_action WHERE number = 1";
        let first = night.sandbox.database().value(first);
        night.run(&["rerun", &first, "--yes"]);
        night.sandbox.await_quiet();
        assert_eq!(night.starts()[0], 2);
        night.run(&["rerun", "--continue", "--yes"]);
        night.tick();
        assert_eq!((night.starts(), night.outputs()), ([2, 2, 1], [true; 3]), "{is_unattended}");
        assert_eq!(night.plans(), "0");
    }
}

#[test]
fn an_action_that_is_chosen_with_its_workflow_job_runs_again_once() {
    for (is_first, more) in [(true, &[][..]), (false, &[]), (true, &["--failed"])] {
        let night = Night::failed(&[]);
        let first = night.sandbox.database().value("SELECT external_id FROM coordinator_action WHERE number = 1");
        let jobs = if is_first { [&first, &night.job] } else { [&night.job, &first] };
        let words = ["rerun", jobs[0], jobs[1], "--status", "killed", "--yes"];
        night.run(&[&words[..], more].concat());
        night.tick();
        assert_eq!((night.starts(), night.outputs()), ([2, 1, 1], [true; 3]), "{is_first} {more:?}");
        assert_eq!((night.runs().as_str(), night.plans().as_str()), ("1 0 0", "0"), "{is_first} {more:?}");
    }
}

#[test]
fn what_has_lost_outputs_stays_when_another_plan_of_the_same_actions_ends() {
    let night = Night::ended();
    night.howdah(&["rerun", &night.job, "--action", "3", "--yes"]).die_at("after-cleaned-commit");
    assert_eq!(night.outputs(), [true, true, false]);
    let all = night.howdah(&["rerun", &night.job, "--action", "1-3", "--yes"]);
    let started = hold(&night.sandbox, all, "inside-cleanup", "go");
    let (second, moved) = (night.sandbox.path("out/a/2010-01-01T01:00Z"), night.sandbox.path("moved"));
    std::fs::rename(&second, &moved).expect("it is there");
    std::os::unix::fs::symlink(&moved, &second).expect("it has moved");
    let ran = release(&night.sandbox, started, "go");
    assert!(ran.status == Some(1) && ran.stderr.contains("E0907"), "{ran:?}");
    let mut open = night.rows(OPEN);
    open.sort_unstable();
    assert_eq!(open, ["1", "3"], "the one has lost its output in this plan, the other in the plan before");
    let said = night.howdah(&["status"]).run();
    assert!(said.stdout.contains("an interrupted rerun has left 2 actions"), "{said:?}");
    night.run(&["rerun", "--continue", "--yes"]);
    night.tick();
    assert_eq!((night.starts(), night.outputs()), ([2, 1, 2], [true; 3]));
    assert_eq!(night.plans(), "0");
}

#[test]
fn a_rerun_of_the_failure_policy_that_was_interrupted_waits_while_its_job_is_suspended() {
    for point in ["after-plan-commit", "inside-cleanup:1", "after-cleaned-commit"] {
        let night = Night::planned();
        night.policy_dies(point);
        let before = night.outputs();
        night.sandbox.howdah(["suspend", &night.job]).at(DUE).succeed();
        let suspended = night.sandbox.database().job(&night.job);
        assert!(suspended.starts_with("SUSPENDED"), "{suspended}");
        night.tick();
        assert_eq!(night.sandbox.database().job(&night.job), suspended, "{point}");
        assert_eq!((night.outputs(), night.starts()), (before, [1, 1, 1]), "{point}");
        let said = night.howdah(&["status"]).run();
        assert!(said.stdout.contains("an interrupted rerun has left 1 action"), "{point}: {said:?}");
        night.sandbox.howdah(["resume", &night.job]).at(DUE).succeed();
        night.tick();
        assert_eq!((night.outputs(), night.starts(), night.plans().as_str()), ([true; 3], [2, 1, 1], "0"), "{point}");
    }
}

/// Each ends the planned rerun of the first action.
#[test]
fn a_rerun_of_the_failure_policy_that_was_interrupted_ends_when_it_is_not_wanted_any_more() {
    for (what, status) in [("ignore-action", "IGNORED"), ("kill", "KILLED"), ("ignore", "KILLED"), ("policy", "KILLED")]
    {
        let night = Night::planned();
        night.policy_dies("before-cleanup");
        let first = format!("{}@1", night.job);
        match what {
            "ignore-action" => night.run(&["ignore", &first]),
            "kill" => night.run(&["kill", &night.job]),
            "ignore" => {
                night.run(&["kill", &night.job]);
                night.run(&["ignore", &night.job])
            }
            _ => night.turn_policy_off(),
        };
        night.tick();
        assert_eq!(night.plans(), "0", "{what}");
        let (starts, outputs) = (night.starts(), night.outputs());
        assert_eq!((starts, outputs, night.runs().as_str()), ([1, 1, 1], [true; 3], "0 0 0"), "{what}");
        let first = night.sandbox.database().value("SELECT status FROM coordinator_action WHERE number = 1");
        assert_eq!(first, status, "{what}");
    }
}

#[test]
fn an_action_that_was_ignored_since_is_not_rerun_by_a_tick() {
    // No output is deleted yet.
    let night = Night::failed(&[]);
    night.client_dies("1-3", "before-cleanup");
    night.run(&["ignore", &format!("{}@1", night.job)]);
    night.tick();
    assert_eq!((night.starts(), night.outputs(), night.runs().as_str()), ([1, 2, 2], [true; 3], "0 1 1"));
    assert_eq!(night.sandbox.database().actions(), "1 IGNORED, 2 SUCCEEDED, 3 SUCCEEDED");
    assert_eq!(night.plans(), "0");
    // Its output is deleted: only a person decides.
    for (is_policy, point) in [(false, "inside-cleanup:1"), (false, "after-cleaned-commit"), (true, "after-cleanup")] {
        let night = if is_policy { Night::planned() } else { Night::failed(&[]) };
        if is_policy {
            night.policy_dies(point);
        } else {
            night.client_dies("1", point);
        }
        night.sandbox.howdah(["ignore", &format!("{}@1", night.job)]).at(DUE).succeed();
        for _ in 0..2 {
            let ran = night.sandbox.howdah(["tick"]).at(DUE).run();
            assert!(ran.status == Some(1) && ran.stderr.contains("was ignored since"), "{point}: {ran:?}");
            night.sandbox.await_quiet();
        }
        assert_eq!((night.rows(OPEN), night.starts()), (vec!["1".to_owned()], [1, 1, 1]), "{point}");
        let ran = night.run(&["rerun", "--continue", "--yes"]);
        assert!(ran.stdout.contains("Waiting again: 1 action."), "{point}: {ran:?}");
        night.tick();
        assert_eq!((night.starts(), night.outputs()), ([2, 1, 1], [true; 3]), "{point}");
    }
}

#[test]
fn a_policy_that_was_turned_off_does_not_leave_an_action_without_its_output() {
    let night = Night::planned();
    night.policy_dies("after-cleanup");
    night.turn_policy_off();
    night.tick();
    assert_eq!((night.starts(), night.outputs(), night.plans().as_str()), ([2, 1, 1], [true; 3], "0"));
}

#[test]
fn a_rerun_of_a_client_that_was_interrupted_waits_while_its_job_is_suspended() {
    // A rerun ends a suspension that was there before it, also when it was interrupted.
    let before = Night::ended();
    before.sandbox.howdah(["suspend", &before.job]).at(AT).succeed();
    before.client_dies("1", "after-plan-commit");
    before.tick();
    assert_eq!((before.starts()[0], before.plans().as_str()), (2, "0"));

    let night = Night::ended();
    night.client_dies("1-2", "inside-cleanup:1");
    night.run(&["suspend", &night.job]);
    night.tick();
    assert_eq!((night.starts(), night.outputs()), ([1, 1, 1], [false, true, true]));
    assert_eq!(night.sandbox.database().job(&night.job), "SUSPENDED");
    night.run(&["resume", &night.job]);
    night.tick();
    assert_eq!((night.starts(), night.outputs(), night.plans().as_str()), ([2, 2, 1], [true; 3], "0"));

    // So does the rerun of a workflow job.
    let night = Night::ended();
    let first = night.sandbox.database().value("SELECT external_id FROM coordinator_action WHERE number = 1");
    let words = ["oozie", "job", "-rerun", &first, "-D", "oozie.wf.rerun.failnodes=false"];
    night.howdah(&words).die_at("after-plan-commit");
    night.run(&["suspend", &night.job]);
    night.tick();
    assert_eq!(night.starts(), [1, 1, 1]);
    night.run(&["resume", &night.job]);
    night.tick();
    assert_eq!((night.starts(), night.plans().as_str()), ([2, 1, 1], "0"));
}

#[test]
fn a_suspension_during_the_cleanup_stays() {
    for point in ["after-plan-commit", "after-cleaned-commit"] {
        let night = Night::planned();
        let tick = hold(&night.sandbox, night.sandbox.howdah(["tick"]).at(DUE), point, "go");
        night.sandbox.howdah(["suspend", &night.job]).at(DUE).succeed();
        let suspended = night.sandbox.database().job(&night.job);
        let ran = release(&night.sandbox, tick, "go");
        assert!(ran.stderr.contains("suspended"), "{ran:?}");
        night.tick();
        assert_eq!(night.sandbox.database().job(&night.job), suspended, "{point}");
        assert_eq!((night.starts(), night.rows(OPEN)), ([1, 1, 1], vec!["1".to_owned()]), "{point}");
        night.sandbox.howdah(["resume", &night.job]).at(DUE).succeed();
        night.tick();
        assert_eq!((night.outputs(), night.starts(), night.plans().as_str()), ([true; 3], [2, 1, 1], "0"), "{point}");
    }
    // A person is told, and continues it.
    let night = Night::planned();
    let words = ["rerun", &night.job, "--action", "1", "--yes"];
    let rerun = hold(&night.sandbox, night.howdah(&words), "after-cleaned-commit", "go");
    night.run(&["suspend", &night.job]);
    let ran = release(&night.sandbox, rerun, "go");
    assert!(ran.status == Some(1) && ran.stderr.contains("--continue"), "{ran:?}");
    assert_eq!(night.rows(OPEN), ["1"]);
    night.run(&["rerun", "--continue", "--yes"]);
    night.tick();
    assert_eq!((night.starts(), night.plans().as_str()), ([2, 1, 1], "0"));
}

#[test]
fn nothing_is_continued_once_all_jobs_are_paused() {
    let night = Night::ended();
    night.client_dies("1", "after-plan-commit");
    let tick = hold(&night.sandbox, night.sandbox.howdah(["tick"]).at(DUE), "before-continued-rerun", "go");
    night.run(&["pause", "--all"]);
    assert_eq!(release(&night.sandbox, tick, "go").status, Some(0));
    assert_eq!((night.outputs(), night.rows(OPEN)), ([true; 3], vec!["1".to_owned()]));
    night.run(&["resume", "--all"]);
    night.tick();
    assert_eq!((night.starts(), night.plans().as_str()), ([2, 1, 1], "0"));
}

/// A bundle of the coordinators `a`, of which the first action has failed and all have ended, and `b`, which has later
/// actions.
fn bundle(policy: bool) -> (Night, String) {
    let sandbox = Sandbox::new();
    write(&sandbox, "test \"${who} ${nominal}\" != \"a 2010-01-01T00:00Z\" || test -e ${sandbox}/mended");
    let properties = if policy {
        "<property><name>howdah.failure.rerun</name><value>2</value></property>\
         <property><name>howdah.failure.rerun.wait</name><value>15</value></property>"
    } else {
        ""
    };
    let member = |(who, end): (&str, &str)| {
        format!(
            "<coordinator name='{who}'><app-path>{}</app-path><configuration><property><name>who</name>\
             <value>{who}</value></property><property><name>end</name><value>{end}</value></property><property><name>sandbox</name><value>{}</value></property>{properties}\
             </configuration></coordinator>",
            sandbox.text("app/coordinator.xml"),
            sandbox.text("")
        )
    };
    let members = [("a", "2010-01-01T03:00Z"), ("b", END)].map(member).concat();
    let place = sandbox.write(
        "bundle/bundle.xml",
        &format!("<bundle-app name='both' xmlns='uri:oozie:bundle:0.2'>{members}</bundle-app>"),
    );
    let given = format!("oozie.bundle.application.path={}", place.display());
    let bundle = sandbox.howdah(["submit", "-D", &given]).at(NOW).succeed().job();
    sandbox.tick_through(AT);
    sandbox.write("mended", "");
    let job = sandbox.database().value("SELECT id FROM coordinator_job WHERE name = 'a'");
    (Night { sandbox, job }, bundle)
}

#[test]
fn a_rerun_in_a_bundle_waits_while_the_bundle_is_suspended() {
    for (is_policy, point) in
        [(false, "after-plan-commit"), (false, "after-cleanup"), (true, "after-plan-commit"), (true, "")]
    {
        let (night, bundle) = bundle(is_policy);
        match (is_policy, point) {
            (false, _) => night.howdah(&["oozie", "job", "-rerun", &bundle, "-coordinator", "a"]).die_at(point),
            // It is planned and not begun.
            (true, "") => night.sandbox.tick(LATER),
            (true, _) => night.sandbox.howdah(["tick"]).at(DUE).die_at(point),
        };
        night.sandbox.howdah(["suspend", &bundle]).at(DUE).succeed();
        let database = || (night.sandbox.database().job(&bundle), night.sandbox.database().job(&night.job));
        let suspended = database();
        assert!(suspended.0.starts_with("SUSPENDED") && suspended.1 == "DONEWITHERROR", "{suspended:?}");
        night.tick();
        assert_eq!((database(), night.starts()), (suspended, [1, 1, 1]), "{is_policy} {point}");
        night.sandbox.howdah(["resume", &bundle]).at(DUE).succeed();
        night.tick();
        let again = if is_policy { [2, 1, 1] } else { [2, 2, 2] };
        assert_eq!((night.starts(), night.outputs()), (again, [true; 3]), "{is_policy} {point}");
        assert_eq!(night.plans(), "0");
    }
}

#[test]
fn nothing_is_deleted_in_a_bundle_that_was_killed_since() {
    let (night, bundle) = bundle(false);
    night.howdah(&["oozie", "job", "-rerun", &bundle, "-coordinator", "a"]).die_at("after-plan-commit");
    night.sandbox.howdah(["kill", &bundle]).at(DUE).succeed();
    let ran = night.sandbox.howdah(["tick"]).at(DUE).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E1100"), "{ran:?}");
    night.tick();
    assert_eq!((night.starts(), night.outputs(), night.plans().as_str()), ([1, 1, 1], [true; 3], "0"));
}

#[test]
fn several_plans_of_the_same_actions_are_continued_without_an_error() {
    let night = Night::ended();
    for actions in ["1-2", "1-2", "2-3"] {
        night.howdah(&["rerun", &night.job, "--action", actions, "--yes"]).die_at("after-plan-commit");
    }
    let ran = night.run(&["rerun", "--continue", "--yes"]);
    assert_eq!(ran.stderr, "", "{ran:?}");
    night.tick();
    assert_eq!((night.starts(), night.outputs(), night.plans().as_str()), ([2, 2, 2], [true; 3], "0"));
    // The same of a client.
    let night = Night::ended();
    for actions in ["1-2", "1-2", "2-3"] {
        night.client_dies(actions, "after-plan-commit");
    }
    let ran = night.sandbox.tick(DUE);
    assert_eq!(ran.stderr, "", "{ran:?}");
    night.tick();
    assert_eq!((night.starts(), night.outputs(), night.plans().as_str()), ([2, 2, 2], [true; 3], "0"));
}

#[test]
fn a_plan_that_refuses_does_not_stop_the_plans_behind_it() {
    let night = Night::ended();
    let other = night.sandbox.submit(NOW, &[("who", "b"), ("end", END)]);
    night.sandbox.tick_through(AT);
    night.howdah(&["rerun", &night.job, "--action", "1", "--yes"]).die_at("inside-cleanup:1");
    night.howdah(&["rerun", &other, "--action", "2", "--yes"]).die_at("after-plan-commit");
    night.howdah(&["rerun", &other, "--action", "3", "--yes"]).die_at("after-plan-commit");
    night.run(&["kill", &night.job]);
    let document = |words: &[&str], status: i32| -> serde_json::Value {
        let ran = night.howdah(words).run();
        assert_eq!(ran.status, Some(status), "{ran:?}");
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("one document: {error}: {ran:?}"))
    };
    let shown = document(&["rerun", "--continue", "--dry-run", "--json"], 1);
    assert_eq!(shown["jobs"].as_array().map(Vec::len), Some(2), "{shown}");
    assert_eq!(shown["cleanup"].as_array().map(Vec::len), Some(2), "{shown}");
    assert_eq!((&shown["dryRun"], &shown["problems"][0]["code"]), (&true.into(), &"E1018".into()), "{shown}");
    let unanswered = document(&["rerun", "--continue", "--json"], 1);
    assert_eq!(unanswered["problems"].as_array().map(Vec::len), Some(3), "{unanswered}");
    assert_eq!(night.plans(), "3");
    let done = document(&["rerun", "--continue", "--yes", "--json"], 1);
    assert_eq!(done["problems"].as_array().map(Vec::len), Some(1), "{done}");
    assert_eq!(done["jobs"].as_array().map(Vec::len), Some(2), "{done}");
    night.tick();
    assert!(output(&night.sandbox, "b", 1) && output(&night.sandbox, "b", 2));
    let runs = night.rows("SELECT run FROM coordinator_action ORDER BY job, number");
    assert_eq!((runs.join(" ").as_str(), night.plans().as_str()), ("0 0 0 0 1 1", "1"));
    let again = night.howdah(&["rerun", "--continue", "--yes"]).run();
    assert!(again.status == Some(1) && again.stderr.contains("E1018"), "{again:?}");
    night.run(&["rerun", "--abandon", "--yes"]);
    assert_eq!(night.plans(), "0");
}

/// Returns how often a command asks for the first output.
fn looks(night: &Night, words: &[&str]) -> usize {
    let given = [&["--now", LATER][..], words].concat();
    let (status, said) = strace::run(strace::traced(&night.sandbox, &["-e", "trace=%file"], &given));
    assert_eq!(status, Some(0), "{said}");
    night.sandbox.read("trace").lines().filter(|line| line.contains("2010-01-01T00:00Z\"")).count()
}

#[test]
fn a_rerun_that_asks_no_one_looks_at_each_output_once() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let (person, client) = (Night::ended(), Night::ended());
    let shown = looks(&person, &["rerun", &person.job, "--action", "1", "--dry-run"]);
    let asked = looks(&person, &["rerun", &person.job, "--action", "1", "--yes"]);
    let unasked = looks(&client, &["oozie", "job", "-rerun", &client.job, "-action", "1"]);
    assert!(shown > 0 && unasked + shown == asked, "{shown} for one look, {asked} with a question, {unasked} without");
}
