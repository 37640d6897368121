//! Folders of jobs that are brought to the state that their files describe.

use serde_json::Value;

use howdah_sandbox::application::{effect, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};
use howdah_tier as tier;

/// The points at which an apply dies.
pub(crate) const FAULT_POINTS: [&str; 3] = ["before-apply-step", "inside-apply-commit", "after-apply-step"];

pub(crate) const START: &str = "2010-01-01T00:00Z";
pub(crate) const LATER: &str = "2010-01-01T01:00Z";

/// Two hourly coordinators in `apps`, whose actions write their name, nominal time and queue.
pub(crate) struct Apps(pub(crate) Sandbox);

impl Apps {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        workflow(&sandbox, "wf", "one", &[shell("one", &effect("${name} ${nominal} ${queue}"), "end")]);
        let apps = Self(sandbox);
        apps.describe("a", "${coord:hours(1)}", "day");
        apps.describe("b", "${coord:hours(1)}", "day");
        apps
    }

    /// Writes the folder of a job.
    pub(crate) fn describe(&self, name: &str, frequency: &str, queue: &str) {
        let folder = format!("apps/{name}");
        self.coordinator(&folder, name, frequency);
        let (path, own) = (self.0.text(&folder), self.0.text(""));
        let properties = format!("oozie.coord.application.path={path}\nqueue={queue}\nsandbox={own}\n");
        self.0.write(&format!("{folder}/job.properties"), &properties);
    }

    /// Writes the definition of a coordinator.
    fn coordinator(&self, folder: &str, name: &str, frequency: &str) {
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
    }

    /// Writes the folder of a bundle whose coordinators have these names and frequencies, besides `a` and `b`.
    fn bundle(&self, coordinators: &[(&str, &str)], queue: &str, controls: &str) {
        let mut members = String::new();
        for (name, frequency) in coordinators {
            self.coordinator(&format!("coords/{name}"), &format!("{name}-app"), frequency);
            let path = self.0.text(&format!("coords/{name}"));
            let member = format!("<coordinator name=\"{name}\"><app-path>{path}</app-path></coordinator>");
            members.push_str(&member);
        }
        let definition =
            format!("<bundle-app name=\"all\" xmlns=\"uri:oozie:bundle:0.2\">{controls}{members}</bundle-app>\n");
        self.0.write("apps/all/bundle.xml", &definition);
        let (path, own) = (self.0.text("apps/all"), self.0.text(""));
        let properties = format!("oozie.bundle.application.path={path}\nqueue={queue}\nsandbox={own}\n");
        self.0.write("apps/all/job.properties", &properties);
    }

    /// The coordinators of the bundle in its order: their names there, and their states as in [`Self::jobs`].
    fn members(&self) -> Vec<String> {
        self.0.database().rows(
            "SELECT bundle_coordinator.name || ' ' || status || ' ' || last_action_number || ' ' || \
             strftime('%H:%M', end_at, 'unixepoch') FROM bundle_coordinator \
             JOIN coordinator_job ON job = coordinator_job ORDER BY sequence",
        )
    }

    /// Writes another text into the definition of a job.
    pub(crate) fn rewrite(&self, name: &str, old: &str, new: &str) {
        let file = format!("apps/{name}/coordinator.xml");
        let text = self.0.read(&file);
        assert!(text.contains(old), "{text}");
        self.0.write(&file, &text.replace(old, new));
    }

    pub(crate) fn forget(&self, name: &str) {
        std::fs::remove_dir_all(self.0.path(&format!("apps/{name}"))).expect("a folder");
    }

    fn apply(&self, at: &str, options: &[&str]) -> Ran {
        self.0.howdah(["apply", "apps"]).with_all(options).at(at).run()
    }

    /// Applies; it must succeed.
    pub(crate) fn applied(&self, at: &str, options: &[&str]) -> String {
        let ran = self.apply(at, options);
        assert_eq!((ran.status, ran.stderr.as_str()), (Some(0), ""), "{ran:?}");
        ran.stdout
    }

    /// Applies again after an apply that died: the second time nothing is left to do, and so many nominal times have
    /// run, each once.
    fn completes_what_died(&self, ran: usize, context: &str) {
        self.applied(LATER, &[]);
        assert!(self.applied(LATER, &[]).ends_with("Nothing is to be done.\n"), "{context}");
        self.0.tick_through("2010-01-01T02:30Z");
        let mut effects = self.0.sorted_lines("effects");
        let all = effects.len();
        effects.dedup();
        assert_eq!((effects.len(), all), (ran, ran), "{context} {effects:?}");
        self.0.database().check();
    }

    /// Name, status, actions so far and end of all coordinator jobs.
    pub(crate) fn jobs(&self) -> Vec<String> {
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
fn a_continued_job_counts_its_own_actions() {
    let apps = Apps::new();
    apps.forget("b");
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    apps.describe("a", "${coord:minutes(30)}", "night");
    apps.applied(LATER, &[]);
    let run = |words: &[&str], at: &str| apps.0.howdah(words.iter().copied()).at(at).run();
    let jobs = |at: &str| -> Value {
        let document: Value = serde_json::from_str(&run(&["jobs", "--json"], at).stdout).expect("one document");
        document["coordinatorjobs"].as_array().expect("a list")[0].clone()
    };
    // Number 5 at 02:00 is the first one, number 10 at 04:30 the last one.
    let newest = jobs(LATER);
    assert_eq!((&newest["total"], &newest["status"]), (&6.into(), &"PREP".into()), "{newest}");
    let id = newest["coordJobId"].as_str().expect("an id");
    assert!(run(&["jobs"], LATER).stdout.contains("0/6"), "{:?}", run(&["jobs"], LATER));
    assert!(run(&["info", id], LATER).stdout.contains("6 in all, none created yet"));
    let missing = run(&["explain", &format!("{id}@4")], LATER);
    assert!(missing.status == Some(1) && missing.stderr.contains("E0605"), "{missing:?}");
    let at = "2010-01-01T02:30Z";
    apps.0.tick_through(at);
    assert_eq!(jobs(at)["total"], 6);
    assert!(run(&["explain", id], at).stdout.contains("2 of 6 actions created"), "{:?}", run(&["explain", id], at));
    for words in [&["explain", &format!("{id}@4")][..], &["info", &format!("{id}@4")]] {
        let missing = run(words, at);
        let help = "the job's actions are 5 to 6: another job has run those before them";
        assert!(missing.status == Some(1) && missing.stderr.contains(help), "{missing:?}");
    }
    let beyond = run(&["explain", &format!("{id}@11")], at);
    assert!(beyond.stderr.contains("the job has 6 actions in all"), "{beyond:?}");
    apps.0.tick_through("2010-01-01T05:00Z");
    assert!(run(&["jobs"], at).stdout.contains("6/6"), "{:?}", run(&["jobs"], at));
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
    apps.rewrite("a", "T05:00Z", "T03:00Z");
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

const HOURLY: &str = "${coord:hours(1)}";
const HALF_HOURLY: &str = "${coord:minutes(30)}";

/// A bundle of `same`, `other` and `left`, of which two actions each have run.
fn with_bundle() -> Apps {
    let apps = Apps::new();
    apps.forget("a");
    apps.forget("b");
    apps.bundle(&[("same", HOURLY), ("other", HOURLY), ("left", HOURLY)], "day", "");
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    assert_eq!(apps.members(), ["same RUNNING 2 05:00", "other RUNNING 2 05:00", "left RUNNING 2 05:00"]);
    assert!(apps.applied(LATER, &[]).ends_with("Nothing is to be done.\n"));
    apps
}

#[test]
fn a_changed_bundle_changes_its_coordinators_one_by_one() {
    let apps = with_bundle();
    // Only a coordinator differs; the bundle's own file is the same.
    let file = "coords/same/coordinator.xml";
    let text = apps.0.read(file).replace("<concurrency>5<", "<concurrency>4<");
    apps.0.write(file, &text);
    let planned = apps.apply(LATER, &["--plan"]);
    assert!(planned.status == Some(1) && planned.stdout.contains("    changed    same: 0000001-"), "{planned:?}");
    assert!(planned.stdout.contains("    unchanged  other: 0000002-"), "{planned:?}");
    apps.applied(LATER, &[]);
    assert!(apps.applied(LATER, &[]).ends_with("Nothing is to be done.\n"));
    // One is replaced, one is new, one is gone.
    apps.coordinator("coords/same", "same-app", HOURLY);
    apps.bundle(&[("new", HOURLY), ("same", HOURLY), ("other", HALF_HOURLY)], "day", "");
    let done = apps.applied(LATER, &[]);
    for expect in [
        "changed    all: 0000000-",
        "    new        new:",
        "    replaced   other: a new job begins with action 5 at 2010-01-01T02:00Z, 0000002-",
        "    gone       left: 0000003-",
        "--prune kills it",
        "updated all: 0000000-",
    ] {
        assert!(done.contains(expect), "{expect}: {done}");
    }
    let second = [
        "same RUNNING 2 05:00",
        "other (0000002) SUCCEEDED 2 02:00",
        "left RUNNING 2 05:00",
        "new PREP 0 05:00",
        "other PREP 4 05:00",
    ];
    assert_eq!(apps.members(), second);
    assert!(apps.applied(LATER, &[]).ends_with("Nothing is to be done.\n"));
    let refused = apps.apply(LATER, &["--prune"]);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0174"), "{refused:?}");
    let pruned: Value = serde_json::from_str(&apps.applied(LATER, &["--prune", "--yes", "--json"])).expect("JSON");
    assert_eq!(pruned["jobs"][0]["coordinators"][3]["change"], "gone", "{pruned}");
    assert!(apps.applied(LATER, &["--prune", "--yes"]).ends_with("Nothing is to be done.\n"));
    apps.0.tick_through("2010-01-01T02:30Z");
    let mut third = second;
    (third[0], third[2], third[3], third[4]) =
        ("same RUNNING 3 05:00", "left KILLED 2 05:00", "new RUNNING 3 05:00", "other RUNNING 6 05:00");
    assert_eq!(apps.members(), third);
    let effects = apps.0.sorted_lines("effects");
    let of_other: Vec<&String> = effects.iter().filter(|line| line.starts_with("other-app ")).collect();
    assert_eq!(of_other.len(), 4, "no nominal time is lost, and none runs twice: {of_other:?}");
    // The name in the bundle finds the job that continues.
    apps.bundle(&[("new", HOURLY), ("same", HOURLY), ("other", HALF_HOURLY)], "night", "");
    let done = apps.applied("2010-01-01T02:30Z", &[]);
    assert!(done.contains("-queue=day") && done.contains("+queue=night"), "{done}");
    apps.0.tick_through("2010-01-01T03:00Z");
    let nights = apps.0.sorted_lines("effects").into_iter().filter(|line| line.ends_with(" night")).count();
    assert_eq!(nights, 3);
    apps.0.database().check();
}

#[test]
fn a_bundle_before_its_kick_off_takes_everything_over() {
    let apps = Apps::new();
    apps.forget("a");
    apps.forget("b");
    let controls = |at: &str| format!("<controls><kick-off-time>{at}</kick-off-time></controls>");
    apps.bundle(&[("one", HOURLY), ("two", HOURLY)], "day", &controls("2010-01-01T03:00Z"));
    apps.applied(START, &[]);
    assert!(apps.members().is_empty());
    apps.bundle(&[("two", HOURLY), ("three", HALF_HOURLY)], "night", &controls(LATER));
    assert!(apps.applied(START, &[]).contains("updated all: 0000000-"));
    assert!(apps.applied(START, &[]).ends_with("Nothing is to be done.\n"));
    apps.0.tick_through(LATER);
    assert_eq!(apps.members(), ["two RUNNING 2 05:00", "three RUNNING 4 05:00"]);
    assert!(apps.0.sorted_lines("effects").iter().all(|line| line.ends_with(" night")));
    // One that is over is not opened again.
    apps.0.howdah(["kill", "all"]).at(LATER).succeed();
    let refused = apps.apply(LATER, &[]);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0172"), "{refused:?}");
    apps.0.database().check();
}

#[test]
fn a_suspended_bundle_gets_no_new_coordinator() {
    let apps = with_bundle();
    apps.0.howdah(["suspend", "all"]).at(LATER).succeed();
    apps.bundle(&[("same", HOURLY), ("other", HOURLY), ("left", HOURLY), ("new", HOURLY)], "day", "");
    let refused = apps.apply(LATER, &[]);
    assert!(refused.status == Some(1) && refused.stderr.contains("H0173"), "{refused:?}");
    assert_eq!(apps.members().len(), 3);
}

#[test]
fn an_apply_of_a_bundle_that_was_killed_is_given_again() {
    let expect = [
        "left RUNNING 3 05:00",
        "new RUNNING 3 05:00",
        "other (0000002) SUCCEEDED 2 02:00",
        "other RUNNING 6 05:00",
        "same RUNNING 3 05:00",
    ];
    let step = if tier::is_full() { 1 } else { 3 };
    for point in FAULT_POINTS {
        for time in (1..=7).step_by(step) {
            let apps = with_bundle();
            let names = [("same", HOURLY), ("other", HALF_HOURLY), ("left", HOURLY), ("new", HOURLY)];
            apps.bundle(&names, "night", "");
            let command = apps.0.howdah(["apply", "apps"]).at(LATER).env("HOWDAH_FAULT", format!("{point}:{time}"));
            let died = command.env("HOWDAH_FAULT_LEDGER", apps.0.path("ledger")).run();
            // Four coordinators and the bundle.
            let passes = 5;
            assert_eq!(died.status.is_none(), time <= passes, "{point}:{time} {died:?}");
            apps.completes_what_died(3 + 4 + 3 + 3, &format!("{point}:{time}"));
            let mut members = apps.members();
            members.sort();
            assert_eq!(members, expect, "{point}:{time}");
        }
    }
}

#[test]
fn an_end_that_change_refuses_is_refused_before_anything_is_done() {
    let apps = Apps::new();
    apps.applied(START, &[]);
    apps.0.tick_through("2010-01-01T02:00Z");
    apps.describe("a", "${coord:hours(1)}", "night");
    apps.rewrite("b", "T05:00Z", "T01:00Z");
    let before = apps.0.database().dump();
    let refused = apps.apply("2010-01-01T02:00Z", &[]);
    assert!(refused.status == Some(1) && refused.stderr.contains("E1022"), "{refused:?}");
    assert_eq!(apps.0.database().dump(), before);
}

#[test]
fn jobs_are_found_below_files_that_describe_none() {
    let apps = Apps::new();
    apps.applied(START, &[]);
    apps.0.write("apps/log4j.properties", "log4j.rootLogger=INFO\n");
    apps.0.write("apps/a/alerts.properties", "to=ann\n");
    let unchanged = apps.applied(START, &["--prune"]);
    assert!(unchanged.ends_with("Nothing is to be done.\n"), "{unchanged}");
    // A job.properties without an application is no description either.
    apps.0.write("apps/job.properties", "queue=day\n");
    assert!(apps.applied(START, &["--prune"]).ends_with("Nothing is to be done.\n"));
    assert_eq!(apps.jobs(), ["a PREP 0 05:00", "b PREP 0 05:00"]);
}

#[test]
fn what_is_not_searched_is_refused() {
    let apps = Apps::new();
    std::os::unix::fs::symlink(apps.0.path("wf"), apps.0.path("apps/linked")).expect("a link");
    for verb in [&["apply", "apps"][..], &["import", "oozie", "apps"]] {
        let refused = apps.0.howdah(verb.iter().copied()).at(START).run();
        assert!(refused.status == Some(1) && refused.stderr.contains("H0172"), "{refused:?}");
        assert!(refused.stderr.contains("apps/linked] is a link to a folder"), "{refused:?}");
    }
    std::fs::remove_file(apps.0.path("apps/linked")).expect("a link");
    apps.0.write("apps/1/2/3/4/5/6/7/8/notes.txt", "");
    assert!(apps.applied(START, &[]).ends_with("submitted b: 0000001-") || apps.jobs().len() == 2);
    apps.0.write("apps/1/2/3/4/5/6/7/8/9/notes.txt", "");
    let refused = apps.apply(START, &["--prune", "--yes"]);
    assert!(refused.status == Some(1) && refused.stderr.contains("more than 8 folders deep"), "{refused:?}");
    // A link to a file is a file.
    std::fs::remove_dir_all(apps.0.path("apps/1")).expect("a folder");
    std::fs::rename(apps.0.path("apps/a/job.properties"), apps.0.path("a.properties")).expect("a file");
    std::os::unix::fs::symlink(apps.0.path("a.properties"), apps.0.path("apps/a/job.properties")).expect("a link");
    assert!(apps.applied(START, &["--prune"]).ends_with("Nothing is to be done.\n"));
}

#[test]
fn one_folder_is_one_source_however_it_is_written() {
    let apps = Apps::new();
    std::os::unix::fs::symlink(apps.0.path("apps"), apps.0.path("link")).expect("a link");
    apps.applied(START, &[]);
    let spellings = ["apps/", "./apps", "wf/../apps", "link"];
    let plan = |path: &str| apps.0.howdah(["apply", path, "--plan"]).at(START).run();
    for path in spellings.iter().chain(&["apps/a"]) {
        let ran = plan(path);
        assert!(ran.status == Some(0) && ran.stdout.ends_with("Nothing is to be done.\n"), "{path}: {ran:?}");
    }
    apps.forget("b");
    for path in spellings {
        assert!(plan(path).stdout.contains("gone       b: "), "{path}: {:?}", plan(path));
    }
    // One that was submitted otherwise belongs to the folder that describes it first.
    apps.describe("c", "${coord:hours(1)}", "day");
    apps.0.howdah(["submit", "-c", "apps/c/job.properties"]).at(START).succeed();
    assert!(apps.applied(START, &[]).contains("updated c: "));
    apps.forget("c");
    assert!(plan("link").stdout.contains("gone       c: "));
}

#[test]
fn a_job_that_has_not_begun_gets_an_earlier_start() {
    let apps = Apps::new();
    apps.forget("b");
    apps.rewrite("a", START, "2010-01-01T03:00Z");
    apps.applied(START, &[]);
    apps.rewrite("a", "2010-01-01T03:00Z", LATER);
    let done = apps.applied(START, &[]);
    assert!(done.contains("a new job begins with action 1 at 2010-01-01T01:00Z"), "{done}");
    // One that continues another job is not such a job, though it has no action.
    apps.0.tick_through("2010-01-01T02:00Z");
    apps.rewrite("a", LATER, "2010-01-01T03:00Z");
    apps.applied("2010-01-01T02:00Z", &[]);
    apps.rewrite("a", "2010-01-01T03:00Z", START);
    let done = apps.applied("2010-01-01T02:00Z", &[]);
    assert!(done.contains("a new job begins with action 4 at 2010-01-01T03:00Z"), "{done}");
    assert_eq!(apps.jobs(), ["a KILLED 0 05:00", "a SUCCEEDED 2 03:00", "a KILLED 0 05:00", "a PREP 3 05:00"]);
}

#[test]
fn a_job_that_has_ended_refuses_no_other_job() {
    let apps = Apps::new();
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    apps.0.howdah(["kill", "a"]).at(LATER).succeed();
    apps.rewrite("a", "T05:00Z", "T01:30Z");
    apps.describe("b", "${coord:hours(1)}", "night");
    let done = apps.applied(LATER, &["--actions", "0"]);
    let ended = "stays as it is: it is KILLED, and the new definition has no nominal time from 2010-01-01T02:00Z on\n";
    assert!(done.contains("unchanged  a: 0000000-") && done.contains(ended), "{done}");
    assert!(done.contains("updated b: ") && !done.contains("no action is left"), "{done}");
    assert_eq!(apps.jobs(), ["a KILLED 2 05:00", "b RUNNING 2 05:00"]);
    assert!(apps.applied(LATER, &[]).ends_with("Nothing is to be done.\n"));
}

#[test]
fn an_apply_that_was_killed_is_given_again_and_submits_nothing_twice() {
    let expect = ["a RUNNING 6 05:00", "a SUCCEEDED 2 02:00", "b RUNNING 3 04:00", "n RUNNING 3 05:00"];
    for point in FAULT_POINTS {
        for time in 1..=4 {
            let apps = Apps::new();
            apps.applied(START, &[]);
            apps.0.tick_through(LATER);
            apps.describe("a", "${coord:minutes(30)}", "night");
            apps.describe("b", "${coord:hours(1)}", "night");
            apps.rewrite("b", "T05:00Z", "T04:00Z");
            apps.describe("n", "${coord:hours(1)}", "night");
            let command = apps.0.howdah(["apply", "apps"]).at(LATER).env("HOWDAH_FAULT", format!("{point}:{time}"));
            let died = command.env("HOWDAH_FAULT_LEDGER", apps.0.path("ledger")).run();
            assert_eq!(died.status.is_none(), time <= 3, "{point}:{time} {died:?}");
            let end = "SELECT DISTINCT definition_version || strftime(' %H:%M', end_at, 'unixepoch') \
                       FROM coordinator_job WHERE name = 'b'";
            let end = apps.0.database().value(end);
            assert!(["1 05:00", "2 04:00"].contains(&end.as_str()), "{point}:{time} {end}: half of an update");
            apps.completes_what_died(4 + 3 + 3, &format!("{point}:{time}"));
            let mut jobs = apps.jobs();
            jobs.sort();
            assert_eq!(jobs, expect, "{point}:{time}");
        }
    }
}
