//! Bundles: kicked off at their time, each coordinator once; commands apply to their coordinators, whose statuses
//! decide theirs.

mod bulk;
mod rerun;

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::corpus::corpus;
use howdah_sandbox::database::Database;
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, user_name, wait_for};

/// Before every kick-off time, and before every action.
const EARLY: &str = "2009-12-31T00:00Z";
const KICK_OFF: &str = "2009-12-31T12:00Z";
/// Fault points that a process passes when it starts a bundle.
pub(crate) const FAULT_POINTS: [&str; 3] =
    ["before-kick-off-commit", "inside-kick-off-commit", "after-kick-off-commit"];

/// When both actions of each coordinator are due.
const LATE: &str = "2010-01-01T01:00Z";

/// Two coordinators over one application and one that is not enabled; the first has a value of its own.
fn bundle(kick_off: &str) -> String {
    format!(
        "<bundle-app xmlns='uri:oozie:bundle:0.2' name='both'>\n\
         <controls><kick-off-time>{kick_off}</kick-off-time></controls>\n\
         <coordinator name='own'><app-path>${{sandbox}}/app</app-path><configuration>\n\
         <property><name>who</name><value>${{whose}}</value></property></configuration></coordinator>\n\
         <coordinator name='common'><app-path>${{sandbox}}/${{second}}</app-path></coordinator>\n\
         <coordinator name='off' enabled='false'><app-path>/nowhere</app-path></coordinator>\n\
         </bundle-app>\n"
    )
}

/// A sandbox with that bundle, whose actions print their values.
fn sandbox(kick_off: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("bundle/bundle.xml", &bundle(kick_off));
    Coordinator { properties: &[("who", "${who}")], ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${who} ${nominal}"), "end")]);
    sandbox
}

fn submit(sandbox: &Sandbox, now: &str) -> Howdah {
    with_properties(sandbox, "submit").at(now)
}

fn with_properties(sandbox: &Sandbox, verb: &str) -> Howdah {
    let path = sandbox.text("bundle");
    sandbox
        .howdah([verb])
        .define("oozie.bundle.application.path", &path)
        .define("sandbox", &sandbox.text(""))
        .define("second", "app")
        .define("who", "bundle")
        .define("whose", "own")
}

/// Returns the status of every coordinator in document order, `-` for one that is not submitted.
fn members(database: &Database) -> String {
    let query = "SELECT bundle_coordinator.name, status FROM bundle_coordinator \
                 LEFT JOIN coordinator_job ON job = coordinator_job ORDER BY bundle, sequence";
    database.rows(query).join(", ")
}

/// Returns the statuses that a bundle had.
fn story(database: &Database) -> String {
    database.rows("SELECT to_status FROM event WHERE bundle_job IS NOT NULL ORDER BY event").join(" ")
}

fn verb(sandbox: &Sandbox, words: &[&str]) -> Ran {
    sandbox.howdah(words.iter().copied()).at(LATE).succeed()
}

/// Returns the id of the coordinator job with a name.
fn coordinator(sandbox: &Sandbox, name: &str) -> String {
    sandbox.database().value(&format!("SELECT id FROM coordinator_job WHERE name = '{name}'"))
}

#[test]
fn a_bundle_waits_for_its_kick_off_time_and_submits_each_coordinator_once() {
    let sandbox = sandbox(KICK_OFF);
    let job = submit(&sandbox, EARLY).succeed().job();
    sandbox.tick(EARLY);
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), members(&database).as_str()), ("PREP", "own -, common -"));
    let ran = verb(&sandbox, &["info", &job]);
    insta::assert_snapshot!("waits", sandbox.redact(&ran.stdout));
    sandbox.tick(KICK_OFF);
    sandbox.tick(KICK_OFF);
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), members(&database).as_str()), ("RUNNING", "own PREP, common PREP"));
    sandbox.tick_through(LATE);
    let database = sandbox.database();
    database.check();
    assert_eq!(members(&database), "own SUCCEEDED, common SUCCEEDED");
    assert_eq!(story(&database), "PREP RUNNING SUCCEEDED");
    let expect = ["bundle", "own"].map(|who| ["00", "01"].map(|hour| format!("{who} 2010-01-01T{hour}:00Z")));
    assert_eq!(sandbox.sorted_lines("effects"), expect.as_flattened());
    let configurations =
        database.rows("SELECT text FROM coordinator_definition d JOIN document ON document = configuration");
    assert!(configurations.iter().all(|text| text.contains(&format!("\"oozie.bundle.id\":\"{job}\""))));
    for words in [["info", &job], ["explain", &job], ["log", &job]] {
        let ran = verb(&sandbox, &words);
        insta::assert_snapshot!(format!("ended_{}", words[0]), sandbox.redact(&ran.stdout));
    }
}

#[test]
fn a_bundle_without_a_kick_off_time_starts_at_once() {
    let sandbox = sandbox("");
    let job = submit(&sandbox, EARLY).succeed().job();
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), members(&database).as_str()), ("RUNNING", "own PREP, common PREP"));
    let own = coordinator(&sandbox, "own");
    let ran = verb(&sandbox, &["info", &own]);
    assert!(ran.stdout.contains(&format!("Bundle:      {job}\n")), "{}", ran.stdout);
    let ran = verb(&sandbox, &["jobs", "--jobtype", "bundle", "--filter", "status=RUNNING;name=both", "--json"]);
    let list: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    assert_eq!((&list["total"], &list["bundlejobs"][0]["bundleJobId"]), (&1.into(), &job.as_str().into()));
    let ran = verb(&sandbox, &["jobs", "--jobtype", "bundle", "--filter", "status=KILLED"]);
    assert_eq!(ran.stdout, "No jobs match your criteria!\n");
    let ran = verb(&sandbox, &["info", &job, "--json"]);
    let info: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    let names: Vec<_> = [0, 1].map(|place| info["bundleCoordJobs"][place]["coordJobName"].clone()).into();
    assert_eq!(names, ["own", "common"]);
}

#[test]
fn run_starts_a_bundle_before_its_kick_off_time() {
    let sandbox = sandbox("2030-01-01T00:00Z");
    let ran = with_properties(&sandbox, "run").succeed();
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&ran.job()), sandbox.sorted_lines("effects").len()), ("SUCCEEDED".to_owned(), 4));
}

#[test]
fn a_coordinator_that_is_refused_fails_the_bundle_and_none_is_submitted() {
    let sandbox = sandbox(KICK_OFF);
    let ran = submit(&sandbox, EARLY).define("second", "gone").succeed();
    assert!(ran.stderr.contains("W0119"), "{}", ran.stderr);
    let job = ran.job();
    let ran = sandbox.howdah(["tick"]).at(KICK_OFF).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
    let reason = format!("coordinator [common] cannot be submitted: E0504: App directory [{}]", sandbox.text("gone"));
    assert!(ran.stderr.contains(&format!("{job}: E1310: Bundle Job submission Error: [{reason}")), "{}", ran.stderr);
    let database = sandbox.database();
    database.check();
    assert_eq!((members(&database).as_str(), story(&database).as_str()), ("own -, common -", "PREP FAILED"));
    for words in [["info", &job], ["explain", &job]] {
        let ran = verb(&sandbox, &words);
        assert!(ran.stdout.contains("E0504"), "{}", ran.stdout);
    }
    // It stays so, and prints nothing more.
    assert_eq!(sandbox.tick(LATE).stderr, "");
    for words in [["resume", &job], ["suspend", &job], ["kill", &job]] {
        assert!(verb(&sandbox, &words).stderr.contains("note"), "{words:?}");
    }
    assert_eq!(sandbox.database().job(&job), "FAILED");
}

#[test]
fn a_bundle_that_would_fail_at_once_is_refused() {
    let sandbox = sandbox("");
    for (name, value, code) in [("second", "gone", "E0504"), ("oozie.coord.application.path", "/c", "E0302")] {
        let ran = submit(&sandbox, EARLY).define(name, value).run();
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(code), "{}", ran.stderr);
        assert!(!sandbox.database_path().exists(), "nothing is stored");
    }
    let ran = with_properties(&sandbox, "dryrun").succeed();
    insta::assert_snapshot!("dryrun", sandbox.redact(&ran.stdout));
}

#[test]
fn each_coordinator_is_submitted_once_though_a_process_dies_while_the_bundle_starts() {
    for point in FAULT_POINTS.into_iter().chain(["inside-kick-off-commit:2"]) {
        for dying in ["submit", "tick"] {
            let kick_off = if dying == "submit" { "" } else { KICK_OFF };
            let sandbox = sandbox(kick_off);
            if dying == "submit" {
                let ran = submit(&sandbox, KICK_OFF).env("HOWDAH_FAULT", point).run();
                assert_eq!(ran.status, None, "{point}: {ran:?}");
            } else {
                submit(&sandbox, EARLY).succeed();
                let ran = sandbox.howdah(["tick"]).at(KICK_OFF).env("HOWDAH_FAULT", point).run();
                assert_eq!(ran.status, None, "{point}: {ran:?}");
            }
            sandbox.database().check();
            sandbox.tick(KICK_OFF);
            let database = sandbox.database();
            database.check();
            assert_eq!(members(&database), "own PREP, common PREP", "{point} {dying}");
            assert_eq!(story(&database), "PREP RUNNING", "{point} {dying}");
            assert_eq!(database.value("SELECT count(*) FROM coordinator_job"), "2");
        }
    }
}

#[test]
fn verbs_go_down_to_the_coordinators() {
    let sandbox = sandbox("");
    let job = submit(&sandbox, EARLY).succeed().job();
    sandbox.tick(EARLY);
    let before = sandbox.database().dump();
    let ran = verb(&sandbox, &["suspend", &job, "--dry-run"]);
    insta::assert_snapshot!("dry_run_of_suspend", sandbox.redact(&ran.stdout));
    assert_eq!(sandbox.database().dump(), before);
    verb(&sandbox, &["suspend", &job]);
    let database = sandbox.database();
    assert_eq!(
        (database.job(&job).as_str(), members(&database).as_str()),
        ("SUSPENDED", "own PREPSUSPENDED, common PREPSUSPENDED")
    );
    sandbox.tick(LATE);
    assert_eq!(sandbox.read("effects"), "");
    let again = verb(&sandbox, &["suspend", &job]);
    assert!(again.stderr.contains("is SUSPENDED already"), "{}", again.stderr);
    verb(&sandbox, &["resume", &job]);
    assert!(verb(&sandbox, &["resume", &job]).stderr.contains("not suspended"));
    verb(&sandbox, &["kill", &job]);
    let database = sandbox.database();
    database.check();
    assert_eq!(members(&database), "own KILLED, common KILLED");
    assert_eq!(story(&database), "PREP RUNNING SUSPENDED RUNNING KILLED");
    assert!(verb(&sandbox, &["kill", &job]).stderr.contains("E1323"));
    assert!(verb(&sandbox, &["suspend", &job]).stderr.contains("E1312"));
}

#[test]
fn a_bundle_that_was_suspended_before_its_kick_off_starts_when_it_is_resumed() {
    let sandbox = sandbox(KICK_OFF);
    let job = submit(&sandbox, EARLY).succeed().job();
    verb(&sandbox, &["suspend", &job]);
    sandbox.tick(LATE);
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), members(&database).as_str()), ("PREPSUSPENDED", "own -, common -"));
    verb(&sandbox, &["resume", &job]);
    sandbox.tick_through(LATE);
    assert_eq!(story(&sandbox.database()), "PREP PREPSUSPENDED PREP RUNNING SUCCEEDED");
}

#[test]
fn statuses_come_up_from_the_coordinators() {
    let sandbox = sandbox("");
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    let job = submit(&sandbox, EARLY).succeed().job();
    sandbox.tick(LATE);
    let (own, common) = (coordinator(&sandbox, "own"), coordinator(&sandbox, "common"));
    let status = || sandbox.database().job(&job);
    verb(&sandbox, &["suspend", &own]);
    assert_eq!(status(), "RUNNING");
    verb(&sandbox, &["suspend", &common]);
    assert_eq!(status(), "SUSPENDED", "every coordinator is");
    // The bundle's own resume resumes all of them.
    verb(&sandbox, &["resume", &job]);
    assert_eq!((status().as_str(), members(&sandbox.database()).as_str()), ("RUNNING", "own RUNNING, common RUNNING"));
    verb(&sandbox, &["kill", &own]);
    assert_eq!(status(), "RUNNINGWITHERROR");
    verb(&sandbox, &["suspend", &job]);
    assert_eq!(status(), "SUSPENDEDWITHERROR");
    verb(&sandbox, &["resume", &common]);
    assert_eq!(status(), "SUSPENDEDWITHERROR", "a command suspended it and no command resumed it");
    verb(&sandbox, &["resume", &job]);
    assert_eq!(status(), "RUNNINGWITHERROR");
    sandbox.write("gate", "");
    wait_for("the bundle to end", || {
        sandbox.tick(LATE);
        (status() == "DONEWITHERROR").then_some(())
    });
    sandbox.await_quiet();
    sandbox.database().check();
    let expect = "PREP RUNNING SUSPENDED RUNNING RUNNINGWITHERROR SUSPENDEDWITHERROR RUNNINGWITHERROR DONEWITHERROR";
    assert_eq!(story(&sandbox.database()), expect);
}

/// The bundle that is published with Oozie, on the files that are published with it.
#[test]
fn the_published_example_goes_through() {
    let Some(corpus) = corpus() else { return };
    let sandbox = Sandbox::new();
    let corpus = corpus.canonicalize().expect("it was found");
    let examples = corpus.join("apache__oozie/examples/src/main/apps");
    let user = user_name();
    let mount = format!("hdfs://localhost:8020/user/{user}/examples/apps={}", examples.display());
    let data = format!("hdfs://localhost:8020={}", sandbox.text("data"));
    let mounted = |howdah: Howdah| howdah.with("--mount").with(&mount).with("--mount").with(&data).at(LATE);
    let submit = sandbox.howdah(["submit", "-c"]).with(examples.join("bundle/job.properties"));
    let job = mounted(submit).succeed().job();
    mounted(sandbox.howdah(["tick"])).succeed();
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), members(&database).as_str()), ("RUNNING", "coord-1 RUNNING"));
    assert_eq!(database.actions(), "1 WAITING");
}

/// The pause and end times of the bundle and then of its coordinators.
fn times(database: &Database, column: &str) -> String {
    let query = format!(
        "SELECT * FROM (SELECT strftime('%Y-%m-%dT%H:%MZ', {column}, 'unixepoch') FROM bundle_job UNION ALL
         SELECT strftime('%Y-%m-%dT%H:%MZ', {column}, 'unixepoch') FROM coordinator_job)"
    );
    database.rows(&query).join(" ")
}

#[test]
fn a_new_end_or_pause_time_goes_down_to_the_coordinators() {
    let sandbox = sandbox("");
    let job = submit(&sandbox, EARLY).succeed().job();
    let change = |values: &str| sandbox.howdah(["change", &job, "--value", values]).at(EARLY).run();
    let before = sandbox.database().dump();
    let ran = change("pausetime=2010-01-01T01:00Z;endtime=2010-01-01T05:00Z");
    assert_eq!(ran.status, Some(0), "{ran:?}");
    let database = sandbox.database();
    assert_eq!(times(&database, "pause_at"), ["2010-01-01T01:00Z"; 3].join(" "));
    assert_eq!(times(&database, "end_at"), ["2010-01-01T05:00Z"; 3].join(" "));
    assert_ne!(database.dump(), before);
    sandbox.tick_through("2010-01-01T00:00Z");
    sandbox.tick_through(LATE);
    let database = sandbox.database();
    assert_eq!((database.job(&job).as_str(), sandbox.sorted_lines("effects").len()), ("PAUSED", 2));
    let ran = verb(&sandbox, &["explain", &job]);
    assert!(ran.stdout.contains("Its pause time 2010-01-01T01:00Z (now) has come."), "{}", ran.stdout);
    assert_eq!(change("pausetime=").status, Some(0));
    sandbox.tick_through("2010-01-01T05:00Z");
    let database = sandbox.database();
    database.check();
    assert_eq!((database.job(&job).as_str(), sandbox.sorted_lines("effects").len()), ("SUCCEEDED", 10));
    assert_eq!(
        (times(&database, "pause_at").trim(), times(&database, "end_at").as_str()),
        ("- - -", "2010-01-01T05:00Z 2010-01-01T05:00Z 2010-01-01T05:00Z")
    );
    // A later end reopens it.
    let ran = verb(&sandbox, &["change", &job, "--endtime", "2010-01-01T06:00Z", "--dry-run"]);
    insta::assert_snapshot!("dry_run_of_change", sandbox.redact(&ran.stdout));
    verb(&sandbox, &["change", &job, "--endtime", "2010-01-01T06:00Z"]);
    assert_eq!(sandbox.database().job(&job), "RUNNING");
}

#[test]
fn what_is_changed_before_the_kick_off_is_what_the_coordinators_get() {
    let sandbox = sandbox(KICK_OFF);
    let job = submit(&sandbox, EARLY).succeed().job();
    let values = "pausetime=2010-01-01T03:00Z;endtime=2010-01-01T04:00Z";
    sandbox.howdah(["change", &job, "--value", values]).at(EARLY).succeed();
    sandbox.tick(KICK_OFF);
    let database = sandbox.database();
    assert_eq!(times(&database, "pause_at"), ["2010-01-01T03:00Z"; 3].join(" "));
    assert_eq!(times(&database, "end_at"), ["2010-01-01T04:00Z"; 3].join(" "));
    let refused = |values: &str, code: &str| {
        let ran = sandbox.howdah(["change", &job, "--value", values]).at(KICK_OFF).run();
        assert_eq!(ran.status, Some(1), "{ran:?}");
        assert!(ran.stderr.contains(code), "{}", ran.stderr);
    };
    refused("concurrency=3", "E1317");
    verb(&sandbox, &["kill", &coordinator(&sandbox, "own")]);
    refused("pausetime=", "E1320");
    let database = sandbox.database();
    assert_eq!(times(&database, "pause_at"), "- 2010-01-01T03:00Z -", "who could be changed was");
    verb(&sandbox, &["kill", &job]);
    refused("pausetime=", "E1312");
}

#[test]
fn a_bundle_that_is_paused_before_its_kick_off_does_not_start() {
    let sandbox = sandbox(KICK_OFF);
    let job = submit(&sandbox, EARLY).succeed().job();
    sandbox.howdah(["change", &job, "--pausetime", "2009-12-31T06:00Z"]).at(EARLY).succeed();
    sandbox.tick(LATE);
    assert_eq!(sandbox.database().job(&job), "PREPPAUSED");
    verb(&sandbox, &["change", &job, "--pausetime", "none"]);
    sandbox.tick_through(LATE);
    assert_eq!(story(&sandbox.database()), "PREP PREP PREPPAUSED PREP RUNNING SUCCEEDED");
}
