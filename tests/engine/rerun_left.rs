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

    fn rows(&self, query: &str) -> Vec<String> {
        self.sandbox.database().rows(query)
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
