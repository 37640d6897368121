//! Folders of jobs that are brought to the state that their files describe.

use serde_json::Value;

use crate::application::{effect, shell, workflow};
use crate::sandbox::{Ran, Sandbox};

/// The points at which an apply dies.
pub(crate) const FAULT_POINTS: [&str; 3] = ["before-apply-step", "inside-apply-commit", "after-apply-step"];

const START: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T01:00Z";

/// Two hourly coordinators in `apps`, whose actions write their name, nominal time and queue.
struct Apps(Sandbox);

impl Apps {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "wf", "one", &[shell("one", &effect("${name} ${nominal} ${queue}"), "end")]);
        let apps = Self(sandbox);
        apps.describe("a", "${coord:hours(1)}", "day");
        apps.describe("b", "${coord:hours(1)}", "day");
        apps
    }

    /// Writes the folder of a job.
    fn describe(&self, name: &str, frequency: &str, queue: &str) {
        let folder = format!("apps/{name}");
        let property =
            |name: &str, value: &str| format!("<property><name>{name}</name><value>{value}</value></property>");
        let configuration =
            [("name", name), ("nominal", "${coord:nominalTime()}"), ("queue", "${queue}"), ("sandbox", "${sandbox}")]
                .map(|(name, value)| property(name, value));
        let definition = format!(
            "<coordinator-app name=\"{name}\" frequency=\"{frequency}\" start=\"{START}\" end=\"2010-01-01T05:00Z\" \
             timezone=\"UTC\" xmlns=\"uri:oozie:coordinator:0.4\"><controls><concurrency>5</concurrency></controls>\
             <action><workflow><app-path>{}</app-path><configuration>{}</configuration></workflow></action>\
             </coordinator-app>\n",
            self.0.text("wf"),
            configuration.concat()
        );
        self.0.write(&format!("{folder}/coordinator.xml"), &definition);
        let (path, own) = (self.0.text(&folder), self.0.text(""));
        let properties = format!("oozie.coord.application.path={path}\nqueue={queue}\nsandbox={own}\n");
        self.0.write(&format!("{folder}/job.properties"), &properties);
    }

    fn forget(&self, name: &str) {
        std::fs::remove_dir_all(self.0.path(&format!("apps/{name}"))).expect("a folder");
    }

    fn apply(&self, at: &str, options: &[&str]) -> Ran {
        self.0.howdah(["apply", "apps"]).with_all(options).at(at).run()
    }

    /// Applies; it must succeed.
    fn applied(&self, at: &str, options: &[&str]) -> String {
        let ran = self.apply(at, options);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        ran.stdout
    }

    /// Name, status, actions so far and end of all coordinator jobs.
    fn jobs(&self) -> Vec<String> {
        self.0.database().rows(
            "SELECT name || ' ' || status || ' ' || last_action_number || ' ' || \
             strftime('%H:%M', end_at, 'unixepoch') FROM coordinator_job ORDER BY job",
        )
    }
}

#[test]
fn a_folder_is_submitted_once_and_then_unchanged() {
    let apps = Apps::new();
    let planned = apps.apply(START, &["--plan"]);
    assert_eq!(planned.status, Some(1), "there is something to do: {planned:?}");
    assert!(planned.stdout.contains("new        a: ") && planned.stdout.ends_with("2 new.\n"), "{planned:?}");
    assert!(!apps.0.database_path().exists(), "a plan stores nothing");
    let done = apps.applied(START, &[]);
    assert!(done.starts_with(&planned.stdout) && done.contains("submitted a: 0000000-"), "{done}");
    assert_eq!(apps.jobs(), ["a PREP 0 05:00", "b PREP 0 05:00"]);
    apps.0.tick_through(LATER);
    let planned = apps.apply(LATER, &["--plan"]);
    assert_eq!((planned.status, planned.stderr.as_str()), (Some(0), ""), "{planned:?}");
    assert!(planned.stdout.ends_with("Nothing is to be done.\n"), "{planned:?}");
    let before = apps.0.database().dump();
    apps.applied(LATER, &[]);
    assert_eq!(apps.0.database().dump(), before, "nothing differs, and nothing is stored");
    apps.0.database().check();
}

#[test]
fn a_change_is_shown_by_resolved_actions_and_stored() {
    let apps = Apps::new();
    apps.applied(START, &[]);
    apps.0.tick_through(START);
    apps.describe("a", "${coord:hours(1)}", "night");
    let planned = apps.apply(START, &["--plan", "--actions", "2"]);
    assert_eq!(planned.status, Some(1), "{planned:?}");
    for expect in
        ["changed    a: 0000000-", "-queue=day", "+queue=night", "2 of the next 2 actions change", "day -> night"]
    {
        assert!(planned.stdout.contains(expect), "{expect}: {planned:?}");
    }
    assert!(apps.applied(START, &[]).contains("updated a: 0000000-"));
    apps.0.tick_through(LATER);
    assert_eq!(
        apps.0.sorted_lines("effects"),
        ["a 2010-01-01T00:00Z day", "a 2010-01-01T01:00Z night", "b 2010-01-01T00:00Z day", "b 2010-01-01T01:00Z day"]
    );
    // A property of the command line counts for every folder.
    let planned = apps.apply(LATER, &["--plan", "-D", "queue=dusk"]);
    assert!(planned.stdout.ends_with("2 changed.\n"), "{planned:?}");
}

#[test]
fn what_a_job_cannot_take_over_begins_in_a_new_one_at_its_next_nominal_time() {
    let apps = Apps::new();
    apps.forget("b");
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    apps.describe("a", "${coord:minutes(30)}", "night");
    let planned = apps.apply(LATER, &["--plan"]);
    let line = "replaced   a: a new job begins with action 5 at 2010-01-01T02:00Z, 0000000-";
    assert!(planned.stdout.contains(line), "{planned:?}");
    assert!(planned.stdout.contains("action 6 at 2010-01-01T02:30Z"), "{planned:?}");
    let done = apps.applied(LATER, &[]);
    assert!(done.contains("replaced a: 000000") && done.contains(" continues 0000000-"), "{done}");
    apps.0.tick_through("2010-01-01T02:30Z");
    assert_eq!(apps.jobs(), ["a SUCCEEDED 2 02:00", "a RUNNING 6 05:00"]);
    let hours = ["00:00Z day", "01:00Z day", "02:00Z night", "02:30Z night"].map(|at| format!("a 2010-01-01T{at}"));
    assert_eq!(apps.0.sorted_lines("effects"), hours, "no nominal time is lost, and none runs twice");
    assert!(apps.applied("2010-01-01T02:30Z", &[]).contains("unchanged  a: 000000"));
    // A later change finds the job that still creates actions.
    apps.describe("a", "${coord:minutes(30)}", "dawn");
    assert!(apps.applied("2010-01-01T02:30Z", &[]).contains("updated a: "));
    apps.0.database().check();
}

#[test]
fn a_killed_job_is_continued_and_a_new_end_is_set() {
    let apps = Apps::new();
    apps.forget("b");
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    apps.0.howdah(["kill", "a"]).at(LATER).succeed();
    let done = apps.applied(LATER, &[]);
    assert!(done.contains("a new job begins with action 3 at 2010-01-01T02:00Z") && done.contains("(it is KILLED)"));
    let file = apps.0.path("apps/a/coordinator.xml");
    let text = std::fs::read_to_string(&file).expect("a file").replace("T05:00Z", "T03:00Z");
    std::fs::write(&file, text).expect("a file");
    assert!(apps.applied(LATER, &[]).contains("with the new end 2010-01-01T03:00Z"));
    assert_eq!(apps.jobs(), ["a KILLED 2 05:00", "a PREP 2 03:00"]);
    apps.0.tick_through("2010-01-01T04:00Z");
    assert_eq!(apps.jobs(), ["a KILLED 2 05:00", "a SUCCEEDED 3 03:00"]);
    assert!(apps.applied("2010-01-01T04:00Z", &[]).contains("unchanged  a: "), "one that succeeded is done");
}

#[test]
fn jobs_that_are_gone_are_killed_when_it_is_allowed() {
    let apps = Apps::new();
    apps.applied(START, &[]);
    // One that was submitted otherwise is never gone.
    apps.describe("c", "${coord:hours(1)}", "day");
    apps.0.howdah(["submit", "-c", "apps/c/job.properties"]).at(START).succeed();
    apps.forget("b");
    apps.forget("c");
    let kept = apps.applied(START, &[]);
    assert!(kept.contains("gone       b: 0000001-") && kept.contains("--prune kills it"), "{kept}");
    assert!(kept.ends_with("Nothing is to be done.\n"), "{kept}");
    let refused = apps.apply(START, &["--prune"]);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0174"), "{refused:?}");
    assert_eq!(apps.jobs(), ["a PREP 0 05:00", "b PREP 0 05:00", "c PREP 0 05:00"]);
    let document: Value =
        serde_json::from_str(&apps.applied(START, &["--prune", "--yes", "--json"])).expect("one document");
    let of = |name: &str| document["jobs"].as_array().unwrap().iter().find(|job| job["name"] == name).cloned();
    assert_eq!(of("b").expect("b")["change"], "gone");
    assert_eq!((of("a").expect("a")["change"].as_str(), of("c")), (Some("unchanged"), None));
    assert_eq!(apps.jobs(), ["a PREP 0 05:00", "b KILLED 0 05:00", "c PREP 0 05:00"]);
}

#[test]
fn one_name_is_one_job() {
    let apps = Apps::new();
    for file in ["coordinator.xml", "job.properties"] {
        let text = apps.0.read(&format!("apps/a/{file}")).replace("apps/a", "apps/z");
        apps.0.write(&format!("apps/z/{file}"), &text);
    }
    let refused = apps.apply(START, &[]);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0171") && refused.stderr.contains("apps/z"));
    assert!(apps.jobs().is_empty(), "nothing is done when a folder is refused");
    assert!(apps.applied(START, &["--same-name"]).contains("submitted a: 0000002-"));
    assert_eq!(apps.jobs(), ["a PREP 0 05:00", "b PREP 0 05:00", "a PREP 0 05:00"]);
    let refused = apps.apply(START, &["--plan"]);
    assert!(refused.stderr.contains("H0171"), "two live jobs have the name: {refused:?}");
    assert!(apps.applied(START, &["--same-name"]).ends_with("Nothing is to be done.\n"));
}

#[test]
fn what_cannot_be_applied_is_refused_before_anything_is_done() {
    let apps = Apps::new();
    let wf = apps.0.text("wf");
    apps.0.write("apps/w/job.properties", &format!("oozie.wf.application.path={wf}\n"));
    let refused = apps.apply(START, &[]);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0172"), "{refused:?}");
    apps.forget("w");
    apps.0.write("apps/a/coordinator.xml", "<coordinator-app/>");
    let refused = apps.apply(START, &[]);
    assert!(refused.status == Some(1) && refused.stderr.contains("apps/a/coordinator.xml"), "{refused:?}");
    assert!(apps.0.howdah(["apply", "none"]).run().stderr.contains("there is no such file or folder"));
    assert!(apps.0.howdah(["apply", "wf"]).run().stderr.contains("no job is described in it"));
    assert!(!apps.0.database_path().exists() || apps.jobs().is_empty());
}

#[test]
fn an_apply_that_was_killed_is_given_again_and_submits_nothing_twice() {
    let expect = ["a RUNNING 6 05:00", "a SUCCEEDED 2 02:00", "b RUNNING 3 05:00", "n RUNNING 3 05:00"];
    for point in FAULT_POINTS {
        for time in 1..=4 {
            let apps = Apps::new();
            apps.applied(START, &[]);
            apps.0.tick_through(LATER);
            apps.describe("a", "${coord:minutes(30)}", "night");
            apps.describe("b", "${coord:hours(1)}", "night");
            apps.describe("n", "${coord:hours(1)}", "night");
            let command = apps.0.howdah(["apply", "apps"]).at(LATER).env("HOWDAH_FAULT", format!("{point}:{time}"));
            let died = command.env("HOWDAH_FAULT_LEDGER", apps.0.path("ledger")).run();
            let passes = if point == "inside-apply-commit" { 2 } else { 3 };
            assert_eq!(died.status.is_none(), time <= passes, "{point}:{time} {died:?}");
            apps.applied(LATER, &[]);
            assert!(apps.applied(LATER, &[]).ends_with("Nothing is to be done.\n"), "{point}:{time}");
            apps.0.tick_through("2010-01-01T02:30Z");
            let mut jobs = apps.jobs();
            jobs.sort();
            assert_eq!(jobs, expect, "{point}:{time}");
            let mut effects = apps.0.sorted_lines("effects");
            let all = effects.len();
            effects.dedup();
            assert_eq!((effects.len(), all), (4 + 3 + 3, 10), "{point}:{time} {effects:?}");
            apps.0.database().check();
        }
    }
}
