//! Alerts of the site, the failure policy, and the pings of ticks: what a site is told by itself.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, action, hourly_input, shell, shell_body, workflow};
use howdah_sandbox::mail_server::{MailServer, mails};
use howdah_sandbox::receiver::{Manner, Receiver};
use howdah_sandbox::sandbox::{Sandbox, kill, wait_for};
use howdah_tier::{self as tier, Trials};

const NOW: &str = "2010-01-01T00:00Z";

/// The fault point after the death of a runner is noted.
const OF_RUNNER: &str = "after-runner-incident";
/// The fault points of alerts and of the failure policy; a test makes a process die at each of them.
pub(crate) const FAULT_POINTS: [&str; 6] = [
    "before-incidents-commit",
    "inside-incidents-commit",
    "after-incidents-commit",
    "before-overdue-commit",
    "after-overdue-commit",
    OF_RUNNER,
];
/// Fault points of others that a policy rerun and the courier pass.
const OTHERS: [&str; 4] = ["before-cleanup", "after-cleanup", "after-rerun-commit", "before-delivery-commit"];
/// The points of ticks and runners that the quick tier tries.
const SOME: [&str; 6] = [
    "before-runner",
    "before-inputs-commit",
    "after-start-commit",
    "before-outcome-commit",
    "after-outcome-commit",
    "inside-workflow-commit",
];
/// The most deaths at one point, each at a later passage of it.
const PASSAGES: Trials = Trials { quick: 1, full: 1, soak: 6 };

/// Writes a site file, and returns its path.
fn site(sandbox: &Sandbox, properties: &[(&str, &str)]) -> String {
    let lines: Vec<String> = properties.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    sandbox.write("site.properties", &lines.concat()).display().to_string()
}

/// Ticks with the settings of the site until nothing runs, and again for what followed.
fn tick(sandbox: &Sandbox, site: &str, now: &str) {
    for _ in 0..2 {
        sandbox.howdah(["tick", "--site", site]).at(now).run();
        sandbox.await_quiet();
    }
}

/// Submits a coordinator of this name, due every hour, whose workflow fails as long as the file `broken` exists.
fn submit(sandbox: &Sandbox, name: &str, properties: &[(&str, &str)]) -> String {
    Coordinator { end: "2010-01-01T06:00Z", controls: "<concurrency>5</concurrency>", ..Coordinator::default() }
        .write(sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("name=\"test\"", &format!("name=\"{name}\""));
    sandbox.write("app/coordinator.xml", &definition);
    workflow(sandbox, "app", "one", &[shell("one", "test ! -e ${sandbox}/broken", "end")]);
    sandbox.submit(NOW, properties)
}

/// An input that never comes.
fn never(sandbox: &Sandbox) -> String {
    hourly_input(&format!("file://{}/in/${{HOUR}}", sandbox.text("")), "<done-flag/>")
}

/// A command that adds a line about each alert to the file `alerts`.
fn pager(sandbox: &Sandbox) -> String {
    let script = format!(
        "#!/bin/sh\necho \"$HOWDAH_ALERT_EVENT $HOWDAH_ALERT_NAME $HOWDAH_ALERT_NOT_SENT\" >> {}\n",
        sandbox.text("alerts")
    );
    let path = sandbox.write("pager", &script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("it was just written");
    path.display().to_string()
}

/// The lines that the command wrote.
fn alerts(sandbox: &Sandbox) -> Vec<String> {
    let text = std::fs::read_to_string(sandbox.path("alerts")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn a_failure_is_told_once_the_next_ones_are_counted_and_the_recovery_is_told() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command), ("howdah.alert.window", "90")]);
    submit(&sandbox, "feed-a", &[]);
    sandbox.write("broken", "");
    // 00:00 is told; 01:00 is within 90 minutes and counted.
    tick(&sandbox, &site, NOW);
    tick(&sandbox, &site, "2010-01-01T01:00Z");
    assert_eq!(alerts(&sandbox), ["KILLED feed-a 0"]);
    tick(&sandbox, &site, "2010-01-01T02:00Z");
    assert_eq!(alerts(&sandbox), ["KILLED feed-a 0", "KILLED feed-a 1"]);
    tick(&sandbox, &site, "2010-01-01T03:00Z");
    std::fs::remove_file(sandbox.path("broken")).expect("it is there");
    tick(&sandbox, &site, "2010-01-01T04:00Z");
    tick(&sandbox, &site, "2010-01-01T05:00Z");
    assert_eq!(alerts(&sandbox), ["KILLED feed-a 0", "KILLED feed-a 1", "RECOVERED feed-a 1"]);
    let left = sandbox.database().value("SELECT (SELECT count(*) FROM alert) || (SELECT count(*) FROM incident)");
    assert_eq!(left, "00");
}

#[test]
fn a_hook_is_told_of_its_events_and_of_its_jobs() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(204));
    let (feeds, all) = (receiver.url("feeds?token=secret"), receiver.url("all"));
    let site = site(
        &sandbox,
        &[
            ("howdah.alert.feeds.url", &feeds),
            ("howdah.alert.feeds.jobs", "feed-*,load"),
            ("howdah.alert.feeds.on", "killed"),
            ("howdah.alert.url", &all),
            ("howdah.alert.on", "FAILED,KILLED"),
        ],
    );
    let feed = submit(&sandbox, "feed-b", &[]);
    submit(&sandbox, "other", &[]);
    sandbox.write("broken", "");
    tick(&sandbox, &site, NOW);
    let mut told: Vec<(String, Value)> = Vec::new();
    for request in receiver.requests() {
        told.push((request.target, serde_json::from_str(&request.body).expect("a JSON document")));
    }
    let names = |path: &str| {
        let mut names: Vec<&str> =
            told.iter().filter(|(target, _)| target == path).filter_map(|(_, body)| body["name"].as_str()).collect();
        names.sort_unstable();
        names
    };
    assert_eq!(names("/feeds?token=secret"), ["feed-b"]);
    assert_eq!(names("/all"), ["feed-b", "other"]);
    let (_, body) = told.iter().find(|(target, _)| target.starts_with("/feeds")).expect("it was told");
    assert_eq!(body["event"], "KILLED");
    assert_eq!(body["id"], format!("{feed}@1"));
    assert_eq!(body["nominalTime"], NOW);
    assert!(body["reason"].as_str().is_some_and(|reason| reason.contains("is KILLED")), "{body}");
    assert!(body["text"].as_str().is_some_and(|text| text.starts_with("howdah: feed-b@1 KILLED\n")), "{body}");
    let shown = sandbox.howdah(["info", &format!("{feed}@1"), "--json"]).at(NOW).succeed().stdout;
    assert!(shown.contains("\"DELIVERED\"") && !shown.contains("secret"), "{shown}");
}

#[test]
fn an_alert_is_mailed() {
    let sandbox = Sandbox::new();
    let Some(server) = MailServer::start(&sandbox) else { return };
    let port = server.port.to_string();
    let site = site(
        &sandbox,
        &[
            ("howdah.alert.mail", "ops@example.org,dev@example.org"),
            ("oozie.email.smtp.host", "127.0.0.1"),
            ("oozie.email.smtp.port", &port),
        ],
    );
    submit(&sandbox, "feed-a", &[]);
    sandbox.write("broken", "");
    tick(&sandbox, &site, NOW);
    let [mail] = &mails(&sandbox)[..] else { panic!("one mail") };
    for line in ["Subject: howdah: feed-a@1 KILLED", "X-RcptTo: ops@example.org, dev@example.org", "howdah explain "] {
        assert!(mail.contains(line), "{line}: {mail}");
    }
}

#[test]
fn a_timeout_an_overdue_action_and_a_killed_group_are_told() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command)]);
    let data = never(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let controls = "<timeout>60</timeout><concurrency>5</concurrency>";
    Coordinator { end: "2010-01-01T01:00Z", controls, data: data.clone(), ..Coordinator::default() }.write(&sandbox);
    let job = sandbox.submit(NOW, &[]);
    tick(&sandbox, &site, NOW);
    tick(&sandbox, &site, "2010-01-01T02:00Z");
    assert_eq!(alerts(&sandbox), ["TIMEDOUT test 0"], "{job}");
    // Without a timeout they wait; more than two hours and a quarter is late, and told once.
    Coordinator { end: "2010-01-01T06:00Z", data, ..Coordinator::default() }.write(&sandbox);
    let job = sandbox.submit(NOW, &[]);
    tick(&sandbox, &site, "2010-01-01T02:10Z");
    assert_eq!(alerts(&sandbox).len(), 1);
    for now in ["2010-01-01T02:20Z", "2010-01-01T02:30Z", "2010-01-01T05:00Z"] {
        tick(&sandbox, &site, now);
        assert_eq!(alerts(&sandbox), ["TIMEDOUT test 0", "OVERDUE test 0"], "{now}");
    }
    sandbox.howdah(["kill", &job]).at("2010-01-01T05:01Z").succeed();
    tick(&sandbox, &site, "2010-01-01T05:02Z");
    assert_eq!(alerts(&sandbox), ["TIMEDOUT test 0", "OVERDUE test 0", "KILLED test 0"]);
    let payload = sandbox.database().value("SELECT payload FROM delivery ORDER BY delivery DESC LIMIT 1");
    assert!(payload.contains("\"HOWDAH_ALERT_ACTIONS\":\"6\"") && payload.contains("HOWDAH_ALERT_BY"), "{payload}");
}

#[test]
fn a_workflow_job_without_a_coordinator_is_told_by_its_own_runner() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command)]);
    workflow(&sandbox, "app", "one", &[shell("one", "test ! -e ${sandbox}/broken", "end")]);
    sandbox.write("broken", "");
    let job = sandbox
        .howdah(["submit", "--site", &site])
        .define("oozie.wf.application.path", &sandbox.text("app"))
        .define("sandbox", &sandbox.text(""))
        .at(NOW)
        .succeed()
        .job();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
    assert_eq!(alerts(&sandbox), ["KILLED test 0"]);
    std::fs::remove_file(sandbox.path("broken")).expect("it is there");
    sandbox.howdah(["rerun", &job, "--failed", "--site", &site]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!(alerts(&sandbox), ["KILLED test 0", "RECOVERED test 0"]);
}

#[test]
fn a_runner_that_died_is_told_and_one_that_ended_is_not() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command)]);
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &howdah_sandbox::application::until_gate("pid"), "end")]);
    sandbox.submit(NOW, &[]);
    sandbox.howdah(["tick", "--site", &site]).at(NOW).succeed();
    sandbox.await_file("pid");
    sandbox.howdah(["tick", "--site", &site]).at(NOW).succeed();
    kill(sandbox.process("howdah runner").expect("it waits for the command"));
    wait_for("the end of the runner", || sandbox.process("howdah runner").is_none().then_some(()));
    // A tick that dies after it noted the death tells it nevertheless, once. The processes that the runner has forked
    // may keep its lock for a moment.
    let noted = || sandbox.howdah(["tick", "--site", &site]).at(NOW).env("HOWDAH_FAULT", OF_RUNNER).run();
    wait_for("a tick that notes the death", || noted().status.is_none().then_some(()));
    sandbox.howdah(["tick", "--site", &site]).at(NOW).succeed();
    wait_for("the alert", || (!alerts(&sandbox).is_empty()).then_some(()));
    sandbox.write("gate", "");
    sandbox.await_quiet();
    tick(&sandbox, &site, "2010-01-01T00:30Z");
    assert_eq!(alerts(&sandbox), ["RUNNER  0"]);
}

/// Ticks at three times with a fault, repeats the ticks without it, and returns the alerts and the events of reruns.
fn with_fault(scenario: fn(&Sandbox), fault: Option<&str>) -> (Vec<String>, Vec<String>, bool) {
    let sandbox = Sandbox::new();
    // Only the outbox matters here: a command that was run and not recorded runs again.
    let site = site(&sandbox, &[("howdah.alert.command", "true"), ("howdah.alert.window", "0")]);
    scenario(&sandbox);
    sandbox.write("broken", "");
    let mut died = false;
    for now in [NOW, "2010-01-01T00:15Z", "2010-01-01T01:00Z", "2010-01-01T01:15Z", "2010-01-01T05:00Z"] {
        let mut faulty = sandbox.howdah(["tick", "--site", &site]).at(now);
        if let Some(fault) = fault {
            faulty = faulty.env("HOWDAH_FAULT", fault).env("HOWDAH_FAULT_LEDGER", sandbox.path("ledger"));
        }
        died |= faulty.run().status.is_none();
        sandbox.await_quiet();
        tick(&sandbox, &site, now);
    }
    let ledger = std::fs::metadata(sandbox.path("ledger")).map_or(0, |file| file.len());
    let nth = fault.and_then(|fault| fault.split_once(':')?.1.parse().ok()).unwrap_or(1);
    let database = sandbox.database();
    let events = "json_extract(payload, '$.environment.HOWDAH_ALERT_EVENT')";
    let told = database.rows(&format!(
        "SELECT {events}, coalesce(json_extract(payload, '$.environment.HOWDAH_ALERT_ID'), '') LIKE '%@%',
            coalesce(action_number, 0), state FROM delivery ORDER BY delivery"
    ));
    let reruns = database.rows(
        "SELECT action_number, reason FROM event WHERE origin = 'rerun' AND reason IS NOT NULL
        AND action_number IS NOT NULL ORDER BY event",
    );
    (told, reruns, died || ledger >= nth)
}

/// A coordinator whose actions fail and are rerun, and which is suspended then; and one that is late.
fn failures(sandbox: &Sandbox) {
    submit(sandbox, "feed-a", &[("howdah.failure.rerun", "1"), ("howdah.failure.suspend.after", "2")]);
    Coordinator { end: "2010-01-01T06:00Z", data: never(sandbox), ..Coordinator::default() }.write(sandbox);
    sandbox.submit(NOW, &[]);
}

/// A command that fails for the action of 00:00 as long as the file `broken` exists.
const FIRST_FAILS: &str = "case ${nominal} in *T01*) exit 0;; esac; test ! -e ${sandbox}/broken";

/// A bundle of one coordinator with two actions, of which the first fails and is rerun.
fn failed_bundle(sandbox: &Sandbox) {
    Coordinator::default().write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", FIRST_FAILS, "end")]);
    let member = "<coordinator name='load'><app-path>${sandbox}/app</app-path></coordinator>";
    let controls = format!("<controls><kick-off-time>{NOW}</kick-off-time></controls>");
    let text = format!("<bundle-app xmlns='uri:oozie:bundle:0.2' name='nightly'>{controls}{member}</bundle-app>\n");
    sandbox.write("bundle/bundle.xml", &text);
    let submit = sandbox.howdah(["submit"]).at("2009-12-31T23:00Z").define("sandbox", &sandbox.text(""));
    let submit = submit.define("howdah.failure.rerun", "1");
    submit.define("oozie.bundle.application.path", &sandbox.text("bundle")).succeed();
}

fn owned(lines: &[&str]) -> Vec<String> {
    lines.iter().map(|line| (*line).to_owned()).collect()
}

/// Lets a process die at the first passages of each of these points, and checks that the outbox has the same alerts and
/// the log the same reruns as without a death.
fn step_through<'a>(
    scenario: fn(&Sandbox),
    points: impl Iterator<Item = &'a str>,
    (alerts, reruns): (&[&str], &[&str]),
) {
    let (told, again, _) = with_fault(scenario, None);
    assert_eq!((&told[..], &again[..]), (&owned(alerts)[..], &owned(reruns)[..]));
    for point in points {
        let mut passages = 0;
        for nth in 1..=PASSAGES.number() {
            let (mut after, reruns, died) = with_fault(scenario, Some(&format!("{point}:{nth}")));
            // The death of a runner is told too, once.
            let all = after.len();
            after.retain(|line| !line.starts_with("RUNNER"));
            assert!(all - after.len() <= usize::from(died), "{point}:{nth}");
            assert_eq!((&after, &reruns), (&told, &again), "{point}:{nth}");
            if !died {
                break;
            }
            passages += 1;
        }
        assert!(passages > 0, "no process passed {point}");
    }
}

#[test]
fn each_alert_and_each_rerun_comes_once_when_a_process_dies() {
    let own = FAULT_POINTS.into_iter().filter(|point| *point != OF_RUNNER).chain(OTHERS);
    let of_processes: Vec<&str> =
        if tier::is_full() { crate::start_protocol::harmless_points().collect() } else { SOME.to_vec() };
    let alerts = [
        "KILLED 1 1 DELIVERED",
        "KILLED 1 1 DELIVERED",
        "KILLED 1 2 DELIVERED",
        "KILLED 1 2 DELIVERED",
        "SUSPENDED 0 0 DELIVERED",
        "OVERDUE 1 1 DELIVERED",
    ];
    let reruns = ["1 howdah.failure.rerun: 1 of 1", "2 howdah.failure.rerun: 1 of 1"];
    step_through(failures, own.chain(of_processes), (&alerts, &reruns));
}

#[test]
fn each_alert_about_a_bundle_comes_once_when_a_process_dies() {
    let own = FAULT_POINTS.into_iter().filter(|point| point.contains("incidents"));
    let of_bundles = crate::bundles::FAULT_POINTS.into_iter();
    let points: Vec<&str> = of_bundles.chain(own).chain(OTHERS).collect();
    let points = if tier::is_full() { points } else { vec!["inside-kick-off-commit", "inside-incidents-commit"] };
    let alerts = ["KILLED 1 1 DELIVERED", "KILLED 1 1 DELIVERED", "RECOVERED 1 2 DELIVERED", "FAILED 0 0 DELIVERED"];
    step_through(failed_bundle, points.into_iter(), (&alerts, &["1 howdah.failure.rerun: 1 of 1"]));
}

#[test]
fn a_failed_action_is_rerun_with_longer_pauses_and_the_job_is_suspended_after_failures_in_a_row() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let file = site(
        &sandbox,
        &[("howdah.failure.rerun", "2"), ("howdah.alert.command", &command), ("howdah.alert.on", "SUSPENDED")],
    );
    let job = submit(&sandbox, "feed-a", &[("howdah.failure.rerun.wait", "5"), ("howdah.failure.suspend.after", "2")]);
    sandbox.write("broken", "");
    let status = |number: u32| {
        sandbox
            .database()
            .value(&format!("SELECT status || ' ' || run FROM coordinator_action WHERE number = {number}"))
    };
    for (now, expect) in [
        (NOW, "KILLED 0"),
        ("2010-01-01T00:04Z", "KILLED 0"),
        ("2010-01-01T00:05Z", "KILLED 1"),
        ("2010-01-01T00:14Z", "KILLED 1"),
        ("2010-01-01T00:15Z", "KILLED 2"),
        ("2010-01-01T00:59Z", "KILLED 2"),
    ] {
        tick(&sandbox, &file, now);
        assert_eq!(status(1), expect, "{now}");
        if now == NOW {
            let action = format!("{job}@1");
            let said = sandbox.howdah(["explain", &action, "--site", &file]).at(now).succeed().stdout;
            assert!(said.contains("reruns it at 2010-01-01T00:05Z (1 of 2, howdah.failure.rerun)"), "{said}");
            let said = sandbox.howdah(["info", &action, "--site", &file]).at(now).succeed().stdout;
            assert!(said.contains("2010-01-01T00:05Z (1 of 2)"), "{said}");
        }
    }
    let policy = " failed action is rerun 2 times; the job is suspended after 2 failures in a row (1 so far)";
    for verb in ["info", "explain"] {
        let said = sandbox.howdah([verb, &job, "--site", &file]).at("2010-01-01T00:59Z").succeed().stdout;
        assert!(said.contains(policy), "{said}");
    }
    for now in ["2010-01-01T01:00Z", "2010-01-01T01:05Z", "2010-01-01T01:15Z"] {
        tick(&sandbox, &file, now);
    }
    assert_eq!(status(2), "KILLED 2");
    assert!(sandbox.database().job(&job).starts_with("SUSPENDED"), "{}", sandbox.database().job(&job));
    assert_eq!(alerts(&sandbox), ["SUSPENDED feed-a 0"]);
    let check = sandbox.howdah(["status", "--check"]).at("2010-01-01T01:15Z").run();
    assert!(check.status == Some(2) && check.stdout.contains("1 job suspended by the failure policy"), "{check:?}");
    for verb in ["info", "explain"] {
        let said = sandbox.howdah([verb, &job, "--site", &file]).at("2010-01-01T01:16Z").succeed().stdout;
        let why = "by the failure policy: 2 failures in a row (howdah.failure.suspend.after)";
        assert!(said.contains(why), "{said}");
    }
    let log = sandbox.howdah(["log", &job, "--audit"]).at(NOW).run().stdout;
    assert!(log.contains("howdah.failure.rerun: 2 of 2"), "{log}");
    assert!(log.contains("howdah.failure.suspend.after: 2 failures in a row"), "{log}");
    // After the resume the count starts again.
    std::fs::remove_file(sandbox.path("broken")).expect("it is there");
    sandbox.howdah(["resume", &job]).at("2010-01-01T01:20Z").succeed();
    tick(&sandbox, &file, "2010-01-01T02:00Z");
    assert_eq!(status(3), "SUCCEEDED 0");
    assert_eq!(alerts(&sandbox), ["SUSPENDED feed-a 0", "RECOVERED feed-a 0"]);
}

#[test]
fn what_a_user_killed_is_not_rerun_and_a_rerun_by_a_user_starts_again() {
    let sandbox = Sandbox::new();
    let file = site(&sandbox, &[("howdah.failure.rerun", "1"), ("howdah.failure.rerun.wait", "5")]);
    let job = submit(&sandbox, "feed-a", &[]);
    sandbox.write("broken", "");
    tick(&sandbox, &file, NOW);
    tick(&sandbox, &file, "2010-01-01T00:05Z");
    let run = || sandbox.database().value("SELECT run FROM coordinator_action WHERE number = 1");
    assert_eq!(run(), "1");
    sandbox.howdah(["rerun", &format!("{job}@1"), "--yes"]).at("2010-01-01T00:10Z").succeed();
    tick(&sandbox, &file, "2010-01-01T00:10Z");
    tick(&sandbox, &file, "2010-01-01T00:15Z");
    assert_eq!(run(), "3", "the policy has one rerun again");
    sandbox.howdah(["rerun", &format!("{job}@1"), "--yes"]).at("2010-01-01T00:20Z").succeed();
    sandbox.howdah(["kill", &format!("{job}@1")]).at("2010-01-01T00:20Z").succeed();
    tick(&sandbox, &file, "2010-01-01T00:40Z");
    assert_eq!(run(), "4", "a user killed it");
    let view = |name: &str| {
        let status = sandbox.howdah(["status", "--json"]).at("2010-01-01T00:40Z").succeed().stdout;
        serde_json::from_str::<Value>(&status).expect("one document")[name].clone()
    };
    assert_eq!(view("failedLastDay"), 0, "a user killed it");
    tick(&sandbox, &file, "2010-01-01T01:00Z");
    assert_eq!(view("failedLastDay"), 1);
    // The kill of a whole job is one event for all its actions that never started.
    sandbox.howdah(["kill", &job]).at("2010-01-01T01:01Z").succeed();
    assert_eq!(view("failedLastDay"), 1);
}

#[test]
fn a_workflow_job_that_waits_for_a_person_is_a_problem_and_an_alert() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command), ("howdah.alert.on", "SUSPENDED")]);
    let configuration = "<configuration><property><name>howdah.pool</name><value>${wf:conf('later')}</value></property>
        </configuration><exec>";
    let body = shell_body("true", "").replace("<exec>", configuration);
    workflow(&sandbox, "app", "one", &[action("one", &body, "end", "")]);
    let path = [("oozie.wf.application.path", sandbox.text("app")), ("sandbox", sandbox.text(""))];
    let submit = sandbox.howdah(["submit", "--site", &site]).define("later", "no-such-pool").at(NOW);
    let job = path.iter().fold(submit, |submit, (name, value)| submit.define(name, value)).succeed().job();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "SUSPENDED");
    tick(&sandbox, &site, NOW);
    assert_eq!(alerts(&sandbox), ["SUSPENDED test 0"]);
    let check = sandbox.howdah(["status", "--check"]).at(NOW).run();
    let problem = "CRITICAL - 1 workflow job waits for a person: a node cannot be started |";
    assert!(check.status == Some(2) && check.stdout.contains(problem), "{check:?}");
    let audit = sandbox.howdah(["log", &job, "--audit"]).at(NOW).succeed().stdout;
    assert!(audit.contains("cannot be started") && !audit.contains("H0125: H0125"), "{audit}");
    // A user who suspends a job needs no alert.
    let other =
        path.iter().fold(sandbox.howdah(["submit"]).at(NOW), |submit, (name, value)| submit.define(name, value));
    let other = other.define("later", "").succeed().job();
    sandbox.howdah(["suspend", &other]).at(NOW).run();
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    tick(&sandbox, &site, NOW);
    assert_eq!(alerts(&sandbox), ["SUSPENDED test 0"]);
}

#[test]
fn no_action_is_rerun_while_all_jobs_are_paused() {
    let sandbox = Sandbox::new();
    let file = site(&sandbox, &[("howdah.failure.rerun", "1"), ("howdah.failure.rerun.wait", "5")]);
    submit(&sandbox, "feed-a", &[]);
    sandbox.write("broken", "");
    tick(&sandbox, &file, NOW);
    let status = || sandbox.database().value("SELECT status || ' ' || run FROM coordinator_action WHERE number = 1");
    sandbox.howdah(["pause", "--all"]).at("2010-01-01T00:04Z").succeed();
    tick(&sandbox, &file, "2010-01-01T00:06Z");
    assert_eq!(status(), "KILLED 0");
    sandbox.howdah(["resume", "--all"]).at("2010-01-01T00:07Z").succeed();
    tick(&sandbox, &file, "2010-01-01T00:07Z");
    assert_eq!(status(), "KILLED 1");
}

#[test]
fn a_bundle_that_did_not_succeed_is_told_and_its_recovery_too() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(
        &sandbox,
        &[("howdah.alert.command", &command), ("howdah.alert.jobs", "night*"), ("howdah.alert.window", "0")],
    );
    Coordinator { controls: "<concurrency>5</concurrency>", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", FIRST_FAILS, "end")]);
    let member = "<coordinator name='load'><app-path>${sandbox}/app</app-path></coordinator>";
    let bundle = |name: &str, member: &str| {
        let text = format!("<bundle-app xmlns='uri:oozie:bundle:0.2' name='{name}'>{member}</bundle-app>\n");
        sandbox.write("bundle/bundle.xml", &text);
        let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
        submit.define("oozie.bundle.application.path", &sandbox.text("bundle")).succeed().job()
    };
    sandbox.write("broken", "");
    let job = bundle("nightly", member);
    tick(&sandbox, &site, "2010-01-01T01:00Z");
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    assert_eq!(alerts(&sandbox), ["FAILED nightly 0"]);
    let payload = sandbox.database().value("SELECT payload FROM delivery");
    assert!(payload.contains("DONEWITHERROR") && payload.contains(&job), "{payload}");
    std::fs::remove_file(sandbox.path("broken")).expect("it is there");
    sandbox.howdah(["rerun", &job, "--failed", "--yes"]).at("2010-01-01T02:00Z").succeed();
    tick(&sandbox, &site, "2010-01-01T02:00Z");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    assert_eq!(alerts(&sandbox), ["FAILED nightly 0", "RECOVERED nightly 0"]);
    let killed = bundle("night-2", member);
    sandbox.howdah(["kill", &killed]).at(NOW).succeed();
    tick(&sandbox, &site, "2010-01-01T02:01Z");
    assert_eq!(alerts(&sandbox)[2..], ["KILLED night-2 0"]);
    // What is remembered of them goes with them.
    sandbox.howdah(["db", "purge", "--older-than", "1d", "--site", &site]).at("2010-03-01T00:00Z").succeed();
    let left =
        "SELECT (SELECT count(*) FROM alert) || (SELECT count(*) FROM delivery) || (SELECT count(*) FROM bundle_job)";
    assert_eq!(sandbox.database().value(left), "000");
}

#[test]
fn what_is_late_while_all_jobs_are_paused_is_told_after_the_pause() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command)]);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    Coordinator { end: "2010-01-01T06:00Z", data: never(&sandbox), ..Coordinator::default() }.write(&sandbox);
    sandbox.submit(NOW, &[]);
    tick(&sandbox, &site, NOW);
    sandbox.howdah(["pause", "--all"]).at("2010-01-01T00:10Z").succeed();
    tick(&sandbox, &site, "2010-01-01T05:00Z");
    assert_eq!(alerts(&sandbox), [""; 0]);
    sandbox.howdah(["resume", "--all"]).at("2010-01-01T05:10Z").succeed();
    tick(&sandbox, &site, "2010-01-01T05:11Z");
    assert_eq!(alerts(&sandbox), ["OVERDUE test 0"]);
}

/// Sends SIGTERM to a process.
fn terminate(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).expect("a process that was started");
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).expect("it runs");
}

#[test]
fn a_daemon_reports_one_tick_of_each_interval_to_a_dead_mans_switch() {
    let sandbox = Sandbox::new();
    submit(&sandbox, "feed-a", &[]);
    let switch = Receiver::that(Manner::Answers(200));
    let url = switch.url("ping/uuid");
    let daemon = sandbox.howdah(["daemon", "--quiet", "--every", "3", "--ping", &url]).at(NOW).start();
    wait_for("two reported ticks", || (switch.targets().len() >= 4).then_some(()));
    let targets = switch.targets();
    assert_eq!(targets[..4], ["/ping/uuid/start", "/ping/uuid", "/ping/uuid/start", "/ping/uuid"]);
    // Its first ticks follow each other at once; the reports are an interval apart, of which the way here may take a part.
    let requests = switch.requests();
    let apart = requests[2].at - requests[0].at;
    assert!(apart >= std::time::Duration::from_secs(1), "{apart:?}");
    terminate(daemon.pid());
    assert_eq!(daemon.finish().status, Some(0));
    sandbox.await_quiet();
    // The setting counts too, and a tick that is refused is a failure.
    sandbox.tick("2010-01-01T00:30Z");
    let site = site(&sandbox, &[("howdah.tick.ping", &url)]);
    let before = switch.targets().len();
    let daemon = sandbox.howdah(["daemon", "--quiet", "--every", "1", "--site", &site]).at("2015-01-01T00:00Z").start();
    wait_for("a report of a failure", || (switch.targets().len() >= before + 2).then_some(()));
    assert_eq!(switch.targets()[before..before + 2], ["/ping/uuid/start", "/ping/uuid/fail"]);
    terminate(daemon.pid());
    assert_eq!(daemon.finish().status, Some(0));
}

#[test]
fn a_policy_that_cannot_be_used_is_refused() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    for (line, words) in [
        ("howdah.failure.rerun=often", "it must be a number from 0 to 100"),
        ("howdah.failure.suspend=2", "there is no such property"),
    ] {
        let properties =
            format!("oozie.coord.application.path={}\nsandbox={}\n{line}\n", sandbox.text("app"), sandbox.text(""));
        let file: PathBuf = sandbox.write("job.properties", &properties);
        let ran = sandbox.howdah(["submit", "-c"]).with(&file).at(NOW).run();
        assert_eq!(ran.status, Some(1), "{ran:?}");
        for part in ["H0128", words, "job.properties:3", "help"] {
            assert!(ran.stderr.contains(part), "{part}: {}", ran.stderr);
        }
    }
}

#[test]
fn a_tick_is_reported_to_a_dead_mans_switch() {
    let sandbox = Sandbox::new();
    submit(&sandbox, "feed-a", &[]);
    let switch = Receiver::that(Manner::Answers(200));
    let url = switch.url("ping/uuid");
    assert_eq!(sandbox.howdah(["tick", "--ping", &url]).at(NOW).succeed().stderr, "");
    sandbox.await_quiet();
    assert_eq!(switch.targets(), ["/ping/uuid/start", "/ping/uuid"]);
    // The setting counts too, and a tick that fails says so.
    let site = site(&sandbox, &[("howdah.tick.ping", &url)]);
    let leap = sandbox.howdah(["tick", "--site", &site]).at("2015-01-01T00:00Z").run();
    assert_eq!(leap.status, Some(1), "{leap:?}");
    assert_eq!(switch.targets()[2..], ["/ping/uuid/start", "/ping/uuid/fail"]);
    // Nothing listens on port 1: that fails no tick.
    let ran = sandbox.howdah(["tick", "--ping", "http://127.0.0.1:1/secret"]).at(NOW).succeed();
    let lines: Vec<&str> = ran.stderr.lines().collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("the ping of [http://127.0.0.1:1] failed: "), "{lines:?}");
    let wrong = sandbox.howdah(["tick", "--ping", "hc-ping.com/x"]).at(NOW).run();
    assert!(wrong.status == Some(2) && wrong.stderr.contains("http://"), "{wrong:?}");
}

#[test]
fn what_is_remembered_of_a_job_goes_with_it() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let properties = [("howdah.alert.command", command.as_str()), ("howdah.failure.rerun", "3")];
    let site = site(&sandbox, &properties);
    let job = submit(&sandbox, "feed-a", &[("howdah.failure.suspend.after", "9")]);
    workflow(&sandbox, "alone", "one", &[shell("one", "exit 1", "end")]);
    sandbox
        .howdah(["submit", "--site", &site])
        .define("oozie.wf.application.path", &sandbox.text("alone"))
        .at(NOW)
        .succeed();
    sandbox.write("broken", "");
    tick(&sandbox, &site, NOW);
    sandbox.howdah(["kill", &job]).at("2010-01-01T00:01Z").succeed();
    let rows = || {
        let tables = ["alert", "policy_rerun", "incident", "delivery", "coordinator_job", "workflow_job"];
        tables.map(|table| sandbox.database().value(&format!("SELECT count(*) > 0 FROM {table}"))).concat()
    };
    assert_eq!(rows(), "110111");
    // The kill of an action is an incident that no tick has seen.
    Coordinator { end: "2010-01-01T01:00Z", data: never(&sandbox), ..Coordinator::default() }.write(&sandbox);
    let job = sandbox.submit(NOW, &[]);
    tick(&sandbox, &site, NOW);
    sandbox.howdah(["kill", &job]).at("2010-01-01T00:01Z").succeed();
    assert_eq!(rows(), "111111");
    sandbox.howdah(["db", "purge", "--older-than", "1d", "--site", &site]).at("2010-02-01T00:00Z").succeed();
    assert_eq!(rows(), "000000");
}

#[test]
fn a_coordinator_that_cannot_create_its_actions_is_told() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command)]);
    Coordinator::default().write(&sandbox);
    let promise = "<sla:info xmlns:sla=\"uri:oozie:sla:0.2\"><sla:nominal-time>${coord:nominalTime()}</sla:nominal-time>\
                   <sla:should-end>${wish}</sla:should-end></sla:info></action>";
    let definition = sandbox.read("app/coordinator.xml").replace("</action>", promise);
    sandbox.write("app/coordinator.xml", &definition);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    let job = sandbox.submit(NOW, &[("wish", "soon")]);
    tick(&sandbox, &site, NOW);
    assert_eq!(sandbox.database().job(&job), "FAILED");
    assert_eq!(alerts(&sandbox), ["FAILED test 0"]);
    let payload = sandbox.database().value("SELECT payload FROM delivery");
    assert!(payload.contains("howdah: test FAILED") && payload.contains("should-end"), "{payload}");
}

#[test]
fn an_action_whose_outputs_must_not_be_deleted_is_not_rerun() {
    let sandbox = Sandbox::new();
    let file = site(&sandbox, &[("howdah.failure.rerun", "3"), ("howdah.failure.rerun.wait", "0")]);
    let folder = sandbox.database_path().parent().expect("it is in a folder").display().to_string();
    let data = format!(
        "<datasets><dataset name=\"out\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\"
           timezone=\"UTC\"><uri-template>file://{folder}</uri-template></dataset></datasets>
         <output-events><data-out name=\"out\" dataset=\"out\"><instance>${{coord:current(0)}}</instance></data-out>
         </output-events>"
    );
    Coordinator { data, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "exit 1", "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.howdah(["tick", "--site", &file]).at(NOW).succeed();
    sandbox.await_quiet();
    let mut said = Vec::new();
    for now in ["2010-01-01T00:01Z", "2010-01-01T00:02Z"] {
        said.push(sandbox.howdah(["tick", "--site", &file]).at(now).run().stderr);
        sandbox.await_quiet();
    }
    assert_eq!(sandbox.database().actions(), "1 KILLED");
    let reruns = "SELECT count(*) FROM event WHERE origin = 'rerun'";
    assert_eq!(sandbox.database().value(reruns), "0");
    assert!(sandbox.database_path().exists(), "nothing was deleted");
    let log = std::fs::read_to_string(sandbox.beside_database(".runner.log")).unwrap_or_default();
    // The runner ticks when the action has ended, or else the next tick finds it.
    let all = format!("{log}{}", said.concat());
    assert_eq!(all.matches(&format!("{job}@1: E0907")).count(), 1, "{all}");
}

#[test]
fn what_a_runner_without_the_site_file_saw_is_told_by_the_next_tick() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let site = site(&sandbox, &[("howdah.alert.command", &command), ("howdah.failure.rerun", "1")]);
    let own = submit(&sandbox, "own", &[("howdah.failure.suspend.after", "1"), ("howdah.failure.rerun", "0")]);
    submit(&sandbox, "plain", &[]);
    sandbox.write("broken", "");
    sandbox.howdah(["tick"]).at(NOW).succeed();
    sandbox.await_quiet();
    // The policy of the job itself needs no site file.
    assert_eq!(sandbox.database().job(&own), "SUSPENDEDWITHERROR");
    assert_eq!(alerts(&sandbox).len(), 0);
    tick(&sandbox, &site, "2010-01-01T00:01Z");
    let mut told = alerts(&sandbox);
    told.sort();
    assert_eq!(told, ["KILLED own 0", "KILLED plain 0", "SUSPENDED own 0"]);
    let planned = "SELECT name || ' ' || number FROM policy_rerun JOIN coordinator_job USING (job)";
    assert_eq!(sandbox.database().rows(planned), ["plain 1"]);
}

#[test]
fn a_tick_and_a_run_without_the_site_file_leave_reruns_and_alerts_to_the_next_tick_with_it() {
    let sandbox = Sandbox::new();
    let command = pager(&sandbox);
    let properties = [("howdah.alert.command", command.as_str()), ("howdah.failure.rerun", "1")];
    let site = site(&sandbox, &[&properties[..], &[("howdah.failure.rerun.wait", "10")]].concat());
    submit(&sandbox, "feed-a", &[]);
    sandbox.write("broken", "");
    tick(&sandbox, &site, NOW);
    let planned = || sandbox.database().rows("SELECT number, reruns, rerun_at IS NULL FROM policy_rerun");
    assert_eq!(planned(), ["1 0 0"]);
    assert_eq!(alerts(&sandbox), ["KILLED feed-a 0"]);
    // The rerun is due; a tick and a run that do not know the policy of the site leave it.
    let due = "2010-01-01T00:30Z";
    sandbox.howdah(["tick"]).at(due).succeed();
    sandbox.await_quiet();
    workflow(&sandbox, "alone", "one", &[shell("one", "exit 1", "end")]);
    let alone = sandbox.howdah(["run"]).define("oozie.wf.application.path", &sandbox.text("alone")).at(due).run();
    assert_eq!(alone.status, Some(1), "{alone:?}");
    sandbox.await_quiet();
    assert_eq!(planned(), ["1 0 0"]);
    assert_eq!(alerts(&sandbox).len(), 1, "no alert without the site file");
    std::fs::remove_file(sandbox.path("broken")).expect("it is there");
    tick(&sandbox, &site, due);
    let status = "SELECT status || ' ' || run FROM coordinator_action WHERE number = 1";
    assert_eq!(sandbox.database().value(status), "SUCCEEDED 1");
    let told = alerts(&sandbox);
    assert!(told.iter().any(|line| line.starts_with("KILLED") && !line.contains("feed-a")), "{told:?}");
}
