//! What a tick does in unusual situations: storms, clocks that leap, actions that are skipped, and the daemon
//! (coordinator specification 6.1, 6.3).

use std::fs;

use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};
use rustix::process::{Pid, Signal, kill_process};

/// Hourly actions from 2010-01-01 on.
fn hourly(controls: &'static str, end: &'static str) -> Sandbox {
    let sandbox = Sandbox::new();
    Coordinator { end, controls, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox
}

/// The settings of a site in which a tick creates ten actions of a job.
fn ten_per_tick(sandbox: &Sandbox) -> String {
    sandbox.write("site.properties", "howdah.actions.per.tick=10\n").display().to_string()
}

#[test]
fn a_storm_is_announced_and_handled_in_steps() {
    let sandbox = hourly("<concurrency>0</concurrency>", "2010-01-05T00:00Z");
    let site = ten_per_tick(&sandbox);
    let howdah = |verb: &'static str, now| sandbox.howdah([verb, "--site"]).with(&site).at(now);
    let submitted = howdah("submit", "2010-01-02T00:00Z")
        .define("oozie.coord.application.path", &sandbox.text("app"))
        .define("sandbox", &sandbox.text(""))
        .succeed();
    let job = submitted.job();
    let announced = "25 nominal times have passed without an action; ticks create them in steps of at most 10";
    assert!(submitted.stderr.contains(announced), "{submitted:?}");
    let created = || sandbox.database().rows("SELECT number FROM coordinator_action").len();
    for (expect, left) in [(10, "15 more past actions"), (20, "5 more past actions"), (25, "")] {
        let ticked = howdah("tick", "2010-01-02T00:00Z").succeed();
        assert_eq!((created(), ticked.stderr.contains(left)), (expect, true), "{ticked:?}");
        assert_eq!(ticked.stderr.is_empty(), left.is_empty(), "{ticked:?}");
    }
    howdah("suspend", "2010-01-02T00:30Z").with(&job).succeed();
    let resumed = howdah("resume", "2010-01-04T12:30Z").with(&job).succeed();
    let said = format!("{}{}", resumed.stdout, resumed.stderr);
    assert!(said.contains("60 nominal times have passed"), "{said}");
    for _ in 0..6 {
        howdah("tick", "2010-01-04T12:30Z").succeed();
    }
    assert_eq!(created(), 85);
    sandbox.database().check();
}

#[test]
fn whatever_lets_a_job_catch_up_announces_the_storm() {
    let sandbox = hourly("<concurrency>0</concurrency>", "2010-01-02T00:00Z");
    let site = ten_per_tick(&sandbox);
    let howdah = |words: &[&str]| {
        let words = words.iter().copied().chain(["--site", &site]);
        sandbox.howdah(words).at("2010-01-03T00:00Z").define("sandbox", &sandbox.text(""))
    };
    let verb = |words: &[&str]| {
        let words = words.iter().copied().chain(["--site", &site]);
        sandbox.howdah(words).at("2010-01-03T00:00Z").succeed().stderr
    };
    let job = howdah(&["submit"]).define("oozie.coord.application.path", &sandbox.text("app")).succeed().job();
    let said = |past: u32| format!("{past} nominal times have passed without an action");
    let tried = verb(&["change", &job, "--endtime", "2010-01-03T00:00Z", "--dry-run"]);
    assert!(tried.contains(&said(48)), "{tried}");
    verb(&["change", &job, "--pausetime", "2010-01-01T03:00Z"]);
    verb(&["tick"]);
    let moved = verb(&["change", &job, "--pausetime", "none"]);
    assert!(moved.contains(&said(24)), "the pause came before the first action: {moved}");
    let same = verb(&["change", &job, "--concurrency", "1"]);
    assert!(!same.contains("nominal times"), "{same}");
    sandbox.write(
        "bundle.xml",
        "<bundle-app xmlns='uri:oozie:bundle:0.2' name='b'><coordinator name='one'><app-path>${sandbox}/app</app-path>\
         </coordinator></bundle-app>",
    );
    let bundle = howdah(&["submit"]).define("oozie.bundle.application.path", &sandbox.text("bundle.xml")).succeed();
    assert!(bundle.stderr.contains(&said(24)), "{bundle:?}");
    let bundle = bundle.job();
    verb(&["suspend", &bundle]);
    let resumed = verb(&["resume", &bundle]);
    assert!(resumed.contains(&said(24)), "{resumed}");
}

#[test]
fn what_cannot_be_read_of_one_action_ends_no_tick() {
    let sandbox = hourly("<concurrency>0</concurrency>", "2010-01-01T03:00Z");
    let job = sandbox.submit("2010-01-01T02:00Z", &[]);
    sandbox.tick("2010-01-01T02:00Z");
    sandbox.howdah(["suspend", &job]).at("2010-01-01T02:01Z").succeed();
    sandbox.howdah(["resume", &job]).at("2010-01-01T02:02Z").succeed();
    let connection = rusqlite::Connection::open(sandbox.database_path()).expect("the database opens");
    let damage = "UPDATE coordinator_job SET concurrency = 5;
        INSERT INTO coordinator_definition (job, version, created_at, definition, configuration, includes)
            SELECT job, 2, created_at, configuration, configuration, includes FROM coordinator_definition;
        UPDATE coordinator_action SET definition_version = 2 WHERE number = 1;
        UPDATE coordinator_action SET decided = (SELECT definition FROM coordinator_definition WHERE version = 1)
            WHERE number = 2;";
    connection.execute_batch(damage).expect("rows to damage");
    sandbox.submit("2010-01-01T02:00Z", &[]);
    let ticked = sandbox.howdah(["tick"]).at("2010-01-01T02:03Z").run();
    sandbox.await_quiet();
    assert_eq!(ticked.status, Some(1), "{ticked:?}");
    assert!(ticked.stderr.contains("E0700") && ticked.stderr.contains("a stored decision"), "{ticked:?}");
    // The third action of the job and the other job have advanced.
    assert_eq!(sandbox.database().actions(), "1 READY, 2 READY, 3 SUCCEEDED, 1 READY, 2 READY, 3 READY");
}

#[test]
fn a_clock_that_leaps_ahead_stops_the_tick() {
    let sandbox = hourly("<concurrency>0</concurrency>", "2030-01-05T00:00Z");
    sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox.tick("2010-01-01T00:00Z");
    let before = sandbox.database().dump();
    let refused = sandbox.howdah(["tick"]).at("2012-01-01T00:00Z").run();
    assert_eq!((refused.status, sandbox.database().dump()), (Some(1), before), "{refused:?}");
    insta::assert_snapshot!(refused.stderr);
    // A command of the user proves nothing about the clock; the user must confirm it.
    let accepted = sandbox.howdah(["tick", "--accept-clock"]).at("2012-01-01T00:00Z").succeed();
    assert!(accepted.stderr.contains("more past actions"), "{accepted:?}");
    sandbox.tick("2012-01-01T00:01Z");
    sandbox.write("site.properties", "howdah.clock.leap.days=2\n");
    let site = sandbox.text("site.properties");
    let refused = sandbox.howdah(["tick", "--site"]).with(&site).at("2012-01-04T00:01Z").run();
    assert_eq!(refused.status, Some(1), "{refused:?}");
}

#[test]
fn a_clock_that_goes_back_undoes_nothing() {
    let sandbox = hourly("<concurrency>0</concurrency>", "2010-01-05T00:00Z");
    sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox.tick("2010-01-01T05:00Z");
    let state = || {
        let database = sandbox.database();
        database.check();
        ["coordinator_job", "coordinator_action", "event"].map(|table| database.rows(&format!("SELECT * FROM {table}")))
    };
    let before = state();
    sandbox.tick("2010-01-01T02:00Z");
    sandbox.tick("2009-12-31T06:00Z");
    assert_eq!(state(), before);
    sandbox.tick("2010-01-01T06:00Z");
    assert_eq!(sandbox.database().rows("SELECT number FROM coordinator_action").len(), 7);
}

/// Returns why the actions of a job got a status, at three o'clock.
fn reasons(controls: &'static str, data: &str, status: &str) -> Vec<String> {
    let sandbox = Sandbox::new();
    let coordinator =
        Coordinator { controls, end: "2010-01-01T06:00Z", data: data.to_owned(), ..Coordinator::default() };
    coordinator.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox.tick("2010-01-01T00:30Z");
    sandbox.tick_through("2010-01-01T03:00Z");
    let query = format!("SELECT action_number, reason FROM event WHERE to_status = '{status}' ORDER BY event");
    sandbox.database().rows(&query).iter().map(|line| sandbox.redact(line)).collect()
}

#[test]
fn what_is_passed_over_or_times_out_says_why() {
    let missing = &hourly_input("${sandbox}/in/${HOUR}", "");
    let last_only = "<concurrency>0</concurrency><execution>LAST_ONLY</execution>";
    let mut told = reasons(last_only, "", "SKIPPED");
    told.extend(reasons("<execution>NONE</execution>", missing, "SKIPPED"));
    told.extend(reasons("<timeout>${2 * HOURS}</timeout>", missing, "TIMEDOUT"));
    told.extend(reasons("<timeout>0</timeout>", missing, "TIMEDOUT"));
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_daemon_ticks_and_advances_workflows_until_it_is_asked_to_end() {
    let sandbox = hourly("", "2010-01-01T02:00Z");
    let daemon = sandbox.howdah(["daemon", "--quiet", "--every", "1"]).at("2010-01-01T03:00Z").start();
    wait_for("the database", || sandbox.database_path().exists().then_some(()));
    // What another command stores is seen at once.
    let job = sandbox.submit("2010-01-01T03:00Z", &[]);
    wait_for("the job's end", || Some(()).filter(|()| sandbox.database().job(&job) == "SUCCEEDED"));
    let pid = rustix::process::Pid::from_raw(daemon.pid()).expect("a process");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
    let ended = daemon.finish();
    assert_eq!((ended.status, ended.stderr.as_str()), (Some(0), ""), "{ended:?}");
    assert_eq!(sandbox.sorted_lines("effects").len(), 2);
    sandbox.database().check();
}

/// Sends a signal to a process.
fn signal(pid: i32, signal: Signal) {
    kill_process(Pid::from_raw(pid).expect("a number"), signal).expect("a process of this user");
}

/// Writes into the runner's lock that its last step was `seconds` ago.
fn age_of_step(sandbox: &Sandbox, seconds: u64) {
    let lock = sandbox.beside_database(".runner.lock");
    let text = fs::read_to_string(&lock).expect("the lock of a runner");
    let mut settings: serde_json::Value = serde_json::from_str(&text).expect("settings of a runner");
    let step = settings["progress"]["step"].as_u64().expect("it has made a step");
    settings["progress"]["step"] = (step - seconds).into();
    fs::write(lock, settings.to_string()).expect("the file of the sandbox");
}

#[test]
fn a_runner_that_makes_no_step_is_told() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    let job = sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox.await_file("pid");
    let told = |verb: &[&str]| {
        let ran = sandbox.howdah(verb.iter().copied()).at("2010-01-01T00:01Z").run();
        format!("{}{}", ran.stdout, ran.stderr)
    };
    let verbs: [&[&str]; 4] = [&["tick"], &["status"], &["status", "--check"], &["explain", &job]];
    let is_told = |verb: &[&str]| told(verb).contains("has made no step for ");
    assert_eq!(verbs.map(is_told), [false; 4], "{}", told(&["status"]));
    let runner = sandbox.runner().expect("a runner");
    signal(runner, Signal::STOP);
    age_of_step(&sandbox, 3600);
    assert_eq!(verbs.map(is_told), [true; 4], "{} {}", told(&["tick"]), told(&["explain", &job]));
    signal(runner, Signal::CONT);
    wait_for("a step", || (!is_told(&["tick"])).then_some(()));
    sandbox.write("gate", "");
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
}
