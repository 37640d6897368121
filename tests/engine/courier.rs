//! Notifications and alerts to real receivers: what they get, how often, and what happens when they fail.

use std::time::Duration;

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::receiver::{Manner, Receiver};
use howdah_sandbox::sandbox::{Sandbox, kill, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

const URL: &str = "oozie.coord.action.notification.url";
const PROXY: &str = "oozie.coord.action.notification.proxy";

/// The point after a delivery process sent something and before it recorded that.
pub(crate) const FAULT_POINT: &str = "before-delivery-commit";

/// A coordinator whose actions wait for data that never arrives: each has one change, to WAITING.
fn waiting(sandbox: &Sandbox, end: &'static str) {
    let data = format!(
        r#"<datasets><dataset name="in" frequency="${{coord:hours(1)}}" initial-instance="2010-01-01T00:00Z"
    timezone="UTC"><uri-template>file://{}/${{YEAR}}-${{MONTH}}-${{DAY}}-${{HOUR}}</uri-template></dataset></datasets>
  <input-events><data-in name="in" dataset="in"><instance>${{coord:current(0)}}</instance></data-in></input-events>"#,
        sandbox.text("data")
    );
    Coordinator { end, data, controls: "<throttle>400</throttle>", ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", "true", "end")]);
}

/// Writes a site file for the commands of the sandbox and returns its path.
fn site(sandbox: &Sandbox, properties: &[(&str, &str)]) -> String {
    let lines: Vec<String> = properties.iter().map(|(name, value)| format!("{name}={value}\n")).collect();
    sandbox.write("site.properties", &lines.concat()).display().to_string()
}

/// Ticks at a time with the site's settings and waits until nothing of the sandbox runs; returns standard error.
fn tick(sandbox: &Sandbox, site: &str, now: &str) -> String {
    let ran = sandbox.howdah(["tick", "--site", site]).at(now).succeed();
    sandbox.await_quiet();
    ran.stderr
}

/// `status tries` of every delivery.
fn outbox(sandbox: &Sandbox) -> String {
    sandbox.database().rows("SELECT state, tries FROM delivery ORDER BY delivery").join(", ")
}

#[test]
fn every_change_of_an_action_is_notified_once_and_in_order() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    Coordinator { controls: "<concurrency>2</concurrency>", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("x"), "end")]);
    let job = sandbox.submit(NOW, &[(URL, &receiver.url("n?id=$actionId&status=$status"))]);
    sandbox.tick_through("2010-01-01T02:00Z");
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    for number in [1, 2] {
        let prefix = format!("/n?id={job}@{number}&status=");
        let told: Vec<String> =
            receiver.targets().iter().filter_map(|target| target.strip_prefix(&prefix).map(str::to_owned)).collect();
        assert_eq!(told, ["WAITING", "READY", "SUBMITTED", "RUNNING", "SUCCEEDED"]);
    }
    assert_eq!(receiver.requests().len(), 10);
    assert_eq!(outbox(&sandbox), ["DELIVERED 1"; 10].join(", "));
    assert_eq!(sandbox.tick("2010-01-01T02:00Z").stderr, "");
}

#[test]
fn changes_by_a_command_are_notified_without_a_tick() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    waiting(&sandbox, "2010-01-02T00:00Z");
    let job = sandbox.submit(NOW, &[(URL, &receiver.url("$actionId/$status"))]);
    sandbox.tick_through(NOW);
    let action = format!("{job}@1");
    for words in [["kill", &action, "--quiet"], ["ignore", &action, "--quiet"], ["rerun", &action, "--yes"]] {
        sandbox.howdah(words).at(NOW).succeed();
        sandbox.await_quiet();
    }
    let prefix = format!("/{action}/");
    let targets = receiver.targets();
    let told: Vec<&str> = targets.iter().filter_map(|target| target.strip_prefix(&prefix)).collect();
    assert_eq!(told, ["WAITING", "KILLED", "IGNORED", "WAITING"]);
}

#[test]
fn a_workflow_job_sends_notifications_of_itself_and_its_nodes() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    let fs = "<action name=\"tidy\"><fs/><ok to=\"work\"/><error to=\"fail\"/></action>".to_owned();
    let fork =
        "<fork name=\"split\"><path start=\"bad\"/><path start=\"slow\"/></fork><join name=\"meet\" to=\"end\"/>";
    let nodes = [
        fs,
        shell("work", "true", "split"),
        fork.to_owned(),
        shell("bad", "exit 1", "meet"),
        shell("slow", "sleep 30", "meet"),
    ];
    workflow(&sandbox, "app", "tidy", &nodes);
    let job = sandbox.submit(
        NOW,
        &[
            ("oozie.wf.workflow.notification.url", &receiver.url("job?$jobId+$status+($parentId)")),
            ("oozie.wf.action.notification.url", &receiver.url("node?$jobId+$nodeName+$status")),
        ],
    );
    sandbox.await_quiet();
    assert_eq!(sandbox.database().job(&job), "KILLED");
    let mut told = receiver.targets();
    told.sort();
    let node = |text: &str| format!("/node?{job}+{text}");
    let mut expect = vec![
        format!("/job?{job}+RUNNING+()"),
        format!("/job?{job}+KILLED+()"),
        node(":start:+T:tidy"),
        node("tidy+T:work"),
        node("work+S:RUNNING"),
        node("work+T:split"),
        node("split+T:*"),
        node("bad+S:RUNNING"),
        node("bad+T:fail"),
        node("slow+S:RUNNING"),
        node("slow+T:null"),
        node("fail+T:null"),
    ];
    expect.sort();
    assert_eq!(told, expect);
}

#[test]
fn a_receiver_that_answers_500_is_tried_four_times_and_then_given_up() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(500));
    waiting(&sandbox, "2010-01-01T01:00Z");
    let job = sandbox.submit(NOW, &[(URL, &receiver.url("$status"))]);
    let site = site(&sandbox, &[]);
    // The next tick reports the result of the last try, once.
    let expect = [
        ("2010-01-01T00:00Z", "PENDING 1", false),
        ("2010-01-01T00:01Z", "PENDING 2", false),
        ("2010-01-01T00:02Z", "PENDING 3", false),
        ("2010-01-01T00:03Z", "GIVEN_UP 4", false),
        ("2010-01-01T00:04Z", "GIVEN_UP 4", true),
        ("2010-01-01T00:05Z", "GIVEN_UP 4", false),
    ];
    let line = format!(
        "{job}@1: H0160: Not delivered after every try: a notification or alert for [http://{}]: the receiver answered \
         500 instead of 200\n",
        receiver.address()
    );
    for (now, state, said) in expect {
        assert_eq!(tick(&sandbox, &site, now), if said { line.as_str() } else { "" }, "{now}");
        assert_eq!(outbox(&sandbox), state, "{now}");
    }
    assert_eq!(receiver.requests().len(), 4);
    let log = std::fs::read_to_string(sandbox.beside_database(".courier.log")).expect("the courier complained");
    assert_eq!(log, line);
    let shown = sandbox.howdah(["info", &format!("{job}@1")]).at(NOW).succeed().stdout;
    assert!(shown.contains("1 given up: the receiver answered 500 instead of 200"), "{shown}");
    let json = sandbox.howdah(["info", &format!("{job}@1"), "--json"]).at(NOW).succeed().stdout;
    assert!(json.contains("\"GIVEN_UP\"") && json.contains(&receiver.url("WAITING")), "{json}");
}

#[test]
fn a_second_try_between_two_minutes_is_too_early() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::whose(|number| if number == 1 { Manner::HangsUp } else { Manner::Answers(200) });
    waiting(&sandbox, "2010-01-01T01:00Z");
    sandbox.submit(NOW, &[(URL, &receiver.url("$status"))]);
    let site = site(&sandbox, &[("howdah.delivery.retry.interval", "90")]);
    for (now, state) in [(NOW, "PENDING 1"), ("2010-01-01T00:01Z", "PENDING 1"), ("2010-01-01T00:02Z", "DELIVERED 2")] {
        tick(&sandbox, &site, now);
        assert_eq!(outbox(&sandbox), state, "{now}");
    }
    assert_eq!(receiver.targets(), ["/WAITING", "/WAITING"]);
}

#[test]
fn an_absent_receiver_is_given_up_with_the_reason() {
    let sandbox = Sandbox::new();
    waiting(&sandbox, "2010-01-01T01:00Z");
    // No process listens on port 1.
    sandbox.submit(NOW, &[(URL, "http://127.0.0.1:1/$status")]);
    let site = site(&sandbox, &[("howdah.delivery.retries", "0")]);
    tick(&sandbox, &site, NOW);
    assert_eq!(outbox(&sandbox), "GIVEN_UP 1");
    let reason = sandbox.database().value("SELECT last_error FROM delivery");
    assert!(reason.starts_with("the receiver cannot be reached: "), "{reason}");
}

#[test]
fn a_slow_receiver_gets_everything_in_order() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Late(Duration::from_millis(300)));
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    sandbox.submit(NOW, &[(URL, &receiver.url("$status"))]);
    sandbox.tick_through(NOW);
    assert_eq!(receiver.targets(), ["/WAITING", "/READY", "/SUBMITTED", "/RUNNING", "/SUCCEEDED"]);
    let requests = receiver.requests();
    for pair in requests.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap >= Duration::from_millis(300), "one after the other: {gap:?}");
    }
}

#[test]
fn a_dead_receiver_delays_neither_a_tick_nor_another_receiver() {
    let sandbox = Sandbox::new();
    let (dead, alive) = (Receiver::that(Manner::Silent), Receiver::that(Manner::Answers(200)));
    // The delivery to the dead receiver is not given up in this test: deliveries that end have not waited for it.
    let patience = &[("oozie.notification.url.connection.timeout", "600000"), ("howdah.delivery.retries", "0")];
    let site = site(&sandbox, patience);
    waiting(&sandbox, "2010-01-01T12:00Z");
    let (first, second) = (sandbox.submit(NOW, &[(URL, &dead.url(""))]), sandbox.submit(NOW, &[(URL, &alive.url(""))]));
    sandbox.howdah(["tick", "--site", &site]).at("2010-01-01T12:00Z").succeed();
    let states = |job: &str| {
        let query = format!(
            "SELECT state, count(*) FROM delivery JOIN coordinator_job ON coordinator_job = job WHERE id = '{job}' \
             GROUP BY state"
        );
        sandbox.database().rows(&query).join(", ")
    };
    wait_for("the living receiver to be told", || (states(&second) == "DELIVERED 12").then_some(()));
    assert_eq!(states(&first), "PENDING 12", "the dead receiver got no notification yet");
    // Four at a time: the others wait for the first four, which get no response.
    wait_for("the dead receiver to be asked", || (dead.requests().len() == 4).then_some(()));
    kill(sandbox.process("howdah courier").expect("the courier waits for the dead one"));
    sandbox.await_quiet();
    assert_eq!((states(&first).as_str(), dead.requests().len()), ("PENDING 12", 4));
}

#[test]
fn a_receiver_that_never_answers_is_given_up_in_rounds_of_four() {
    let sandbox = Sandbox::new();
    let dead = Receiver::that(Manner::Silent);
    let patience = &[("oozie.notification.url.connection.timeout", "200"), ("howdah.delivery.retries", "0")];
    let site = site(&sandbox, patience);
    waiting(&sandbox, "2010-01-01T12:00Z");
    sandbox.submit(NOW, &[(URL, &dead.url(""))]);
    sandbox.howdah(["tick", "--site", &site]).at("2010-01-01T12:00Z").succeed();
    sandbox.await_quiet();
    assert_eq!(outbox(&sandbox), ["GIVEN_UP 1"; 12].join(", "));
}

#[test]
fn three_hundred_actions_are_notified_exactly_once() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    waiting(&sandbox, "2010-01-13T12:00Z");
    let job = sandbox.submit(NOW, &[(URL, &receiver.url("$actionId"))]);
    sandbox.tick_through("2010-01-13T12:00Z");
    let mut told = receiver.targets();
    told.sort();
    let mut expect: Vec<String> = (1..=300).map(|number| format!("/{job}@{number}")).collect();
    expect.sort();
    assert_eq!(told, expect);
    assert_eq!(sandbox.database().value("SELECT count(*) FROM delivery WHERE state = 'DELIVERED'"), "300");
}

/// Kills a delivery process when it passes the point for the `nth` time, and lets the next one continue; returns
/// whether it died. Everything arrives, and what was sent but not recorded arrives twice.
fn die(nth: usize) -> bool {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    waiting(&sandbox, "2010-01-01T03:00Z");
    let job = sandbox.submit(NOW, &[(URL, &receiver.url("$actionId"))]);
    let noon = "2010-01-01T12:00Z";
    let tick = sandbox.howdah(["tick"]).at(noon).env("HOWDAH_FAULT", format!("{FAULT_POINT}:{nth}"));
    tick.env("HOWDAH_FAULT_LEDGER", sandbox.path("ledger")).succeed();
    sandbox.await_quiet();
    let died = outbox(&sandbox).contains("PENDING");
    let before = receiver.requests().len();
    sandbox.tick_through(noon);
    assert_eq!(outbox(&sandbox), ["DELIVERED 1"; 3].join(", "), "passage {nth}");
    let mut told = receiver.targets();
    assert_eq!(told.len() > 3, died, "passage {nth}: {before} told before, {} in all", told.len());
    told.sort();
    told.dedup();
    assert_eq!(told, [1, 2, 3].map(|number| format!("/{job}@{number}")), "passage {nth}");
    died
}

#[test]
fn a_courier_that_dies_between_sending_and_recording_sends_again() {
    let passages = (1..10).take_while(|nth| die(*nth)).count();
    assert!((1..=3).contains(&passages), "{passages} passages");
}

#[test]
fn notifications_go_through_proxies() {
    let check = |job: &[(&str, &str)], site_properties: &[(&str, &str)], url: &str, proxy: &Receiver, expect: &str| {
        let sandbox = Sandbox::new();
        waiting(&sandbox, "2010-01-01T01:00Z");
        let properties: Vec<(&str, &str)> = [(URL, url)].iter().chain(job).copied().collect();
        sandbox.submit(NOW, &properties);
        tick(&sandbox, &site(&sandbox, site_properties), NOW);
        assert_eq!(outbox(&sandbox), "DELIVERED 1", "{expect}");
        assert_eq!(proxy.targets().last().map(String::as_str), Some(expect));
    };
    let far = "http://ops.invalid:8080/n?s=$status";
    let http = Receiver::that(Manner::Answers(200));
    let whole = "http://ops.invalid:8080/n?s=WAITING";
    check(&[(PROXY, &http.address())], &[], far, &http, whole);
    check(&[(PROXY, &format!("http@{}", http.address()))], &[], far, &http, whole);
    check(&[], &[("oozie.notification.proxy", &http.address())], far, &http, whole);
    let socks = Receiver::that(Manner::Socks);
    let through = "ops.invalid:8080/n?s=WAITING";
    check(&[(PROXY, &format!("socks@{}", socks.address()))], &[], far, &socks, through);
    // A proxy that cannot be read means no proxy.
    check(&[(PROXY, "nonsense")], &[("oozie.notification.proxy", "127.0.0.1:1")], &http.url("d"), &http, "/d");
}

#[test]
fn the_environment_names_no_proxy() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    waiting(&sandbox, "2010-01-01T01:00Z");
    sandbox.submit(NOW, &[(URL, &receiver.url("$status"))]);
    sandbox.howdah(["tick"]).at(NOW).env("http_proxy", "http://127.0.0.1:1").succeed();
    sandbox.await_quiet();
    assert_eq!(outbox(&sandbox), "DELIVERED 1");
}

#[test]
fn changes_by_a_suspension_or_a_kill_are_notified() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    waiting(&sandbox, "2010-01-01T01:00Z");
    let job = sandbox.submit(NOW, &[(URL, &receiver.url("$status"))]);
    sandbox.tick_through(NOW);
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    sandbox.await_quiet();
    assert_eq!(receiver.targets(), ["/WAITING", "/KILLED"]);
}

#[test]
fn a_foreground_run_sends_notifications_while_it_runs() {
    let sandbox = Sandbox::new();
    let receiver = Receiver::that(Manner::Answers(200));
    Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &howdah_sandbox::application::until_gate("pid"), "end")]);
    let run = sandbox
        .howdah(["run"])
        .define("oozie.coord.application.path", &sandbox.text("app"))
        .define("sandbox", &sandbox.text(""))
        .define(URL, &receiver.url("$status"))
        .start();
    wait_for("the start to be told", || receiver.targets().contains(&"/RUNNING".to_owned()).then_some(()));
    sandbox.write("gate", "");
    assert_eq!(run.finish().status, Some(0));
    sandbox.await_quiet();
    assert_eq!(receiver.targets(), ["/WAITING", "/READY", "/SUBMITTED", "/RUNNING", "/SUCCEEDED"]);
}

#[test]
fn a_process_without_the_site_file_leaves_deliveries_to_one_with_it() {
    let sandbox = Sandbox::new();
    waiting(&sandbox, "2010-01-01T01:00Z");
    // No process listens on port 1.
    sandbox.submit(NOW, &[(URL, "http://127.0.0.1:1/$status")]);
    let site = site(&sandbox, &[("howdah.delivery.retries", "5"), ("howdah.delivery.retry.interval", "60")]);
    tick(&sandbox, &site, NOW);
    assert_eq!(outbox(&sandbox), "PENDING 1");
    sandbox.tick_through("2010-01-01T00:10Z");
    sandbox.howdah(["jobs"]).at("2010-01-01T00:10Z").succeed();
    sandbox.await_quiet();
    assert_eq!(outbox(&sandbox), "PENDING 1");
    tick(&sandbox, &site, "2010-01-01T00:11Z");
    assert_eq!(outbox(&sandbox), "PENDING 2");
}
