//! `LAST_ONLY` and `NONE` over a backlog: one tick counts what it passes over, and every reader sees single actions.

use serde_json::{Value, json};

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;

/// Submits a coordinator; with `each`, an SLA makes ticks create every action that they pass over.
fn submit(sandbox: &Sandbox, coordinator: &Coordinator, each: bool) -> String {
    coordinator.write(sandbox);
    let text = sandbox.read("app/coordinator.xml");
    let sla = "<sla:info><sla:nominal-time>${coord:nominalTime()}</sla:nominal-time>\
         <sla:should-end>${10 * MINUTES}</sla:should-end></sla:info></action>";
    let text = text.replace("0.4\">", "0.4\" xmlns:sla=\"uri:oozie:sla:0.2\">");
    let text = if each { text.replace("</action>", sla) } else { text };
    sandbox.write("app/coordinator.xml", &text);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox.submit("2009-12-31T00:00Z", &[])
}

fn command(sandbox: &Sandbox, words: &[&str], now: &str) -> Value {
    let ran = sandbox.howdah(words.iter().copied()).at(now).succeed();
    serde_json::from_str(&ran.stdout).expect("a document")
}

/// What `info` says of a job and of three pages of its actions, without the ids of workflow jobs, which follow those of
/// all jobs.
fn info(sandbox: &Sandbox, job: &str, now: &str) -> Vec<Value> {
    let page = |words: &[&str]| {
        let mut info = command(sandbox, &[&["info", job, "--json", "--len", "90"], words].concat(), now);
        for action in info["actions"].as_array_mut().expect("actions") {
            action.as_object_mut().expect("an action").remove("externalId");
        }
        info
    };
    let latest = ["--order", "desc"];
    vec![page(&["--offset", "1"]), page(&["--offset", "100"]), page(&["--offset", "1090"]), page(&latest)]
}

fn ranges(sandbox: &Sandbox) -> Vec<String> {
    sandbox.database().rows("SELECT number, last_number, status FROM coordinator_action_range ORDER BY number")
}

const LAST_ONLY: &str = "<execution>LAST_ONLY</execution>";

#[test]
fn one_tick_leaves_what_many_leave() {
    let every = |minutes, timezone, controls| Coordinator {
        frequency: minutes,
        timezone,
        controls,
        end: "2010-06-01T00:00Z",
        ..Coordinator::default()
    };
    let none = "<execution>NONE</execution>";
    for (coordinator, now, passed) in [
        (every("15", "UTC", LAST_ONLY), "2010-01-20T07:20Z", "1 1853 SKIPPED"),
        (every("15", "UTC", LAST_ONLY), "2010-01-20T07:15Z", "1 1852 SKIPPED"),
        (every("15", "UTC", none), "2010-01-20T07:20Z", "1 1854 SKIPPED"),
        // The last action is left, whatever the time.
        (
            Coordinator { end: "2010-01-20T00:00Z", ..every("15", "UTC", LAST_ONLY) },
            "2010-03-01T00:00Z",
            "1 1823 SKIPPED",
        ),
        (Coordinator { end: "2010-01-20T00:00Z", ..every("15", "UTC", none) }, "2010-03-01T00:00Z", "1 1823 SKIPPED"),
        // Days of 23 hours.
        (every("${coord:days(1)}", "America/New_York", LAST_ONLY), "2010-05-20T12:00Z", "1 139 SKIPPED"),
        (every("${coord:endOfDays(1)}", "Europe/Vienna", LAST_ONLY), "2010-05-20T12:00Z", "1 138 SKIPPED"),
        // Working hours.
        (every("0/20 8-16 * * MON-FRI", "UTC", LAST_ONLY), "2010-03-02T09:50Z", "1 1139 SKIPPED"),
        (every("0/20 8-16 * * MON-FRI", "UTC", none), "2010-03-06T09:50Z", "1 1242 SKIPPED"),
    ] {
        let told = format!("{} {} {now}", coordinator.frequency, coordinator.controls);
        let (many, one) = (Sandbox::new(), Sandbox::new());
        let jobs = (submit(&many, &coordinator, true), submit(&one, &coordinator, false));
        for _ in 0..4 {
            many.tick_through(now);
        }
        one.tick_through(now);
        assert_eq!(ranges(&many), [""; 0], "{told}");
        assert_eq!(ranges(&one), [passed], "{told}");
        one.database().check();
        let (many_say, one_says) = (info(&many, &jobs.0, now), info(&one, &jobs.1, now));
        let text = json!(one_says).to_string().replace(&jobs.1, &jobs.0).replace(&one.text(""), &many.text(""));
        assert_eq!(serde_json::from_str::<Vec<Value>>(&text).expect("documents"), many_say, "{told}");
        assert_eq!(one.read("effects"), many.read("effects"), "{told}");
    }
}

/// A job of 11 days at every minute, of which one action is left.
fn passed_over() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let coordinator =
        Coordinator { frequency: "1", end: "2010-02-01T00:00Z", controls: LAST_ONLY, ..Coordinator::default() };
    let job = submit(&sandbox, &coordinator, false);
    sandbox.tick_through(NOW);
    assert_eq!(ranges(&sandbox), ["1 15839 SKIPPED"]);
    (sandbox, job)
}

/// Eleven days after the start, and half a minute.
const NOW: &str = "2010-01-12T00:00Z";

#[test]
fn twenty_years_of_minutes_are_one_tick() {
    let sandbox = Sandbox::new();
    for frequency in ["1", "* * * * *"] {
        let coordinator = Coordinator {
            frequency,
            start: "1990-01-01T00:00Z",
            end: "2011-01-01T00:00Z",
            controls: LAST_ONLY,
            ..Coordinator::default()
        };
        submit(&sandbox, &coordinator, false);
    }
    let size = std::fs::metadata(sandbox.database_path()).expect("a database").len();
    sandbox.tick("2010-01-01T00:00Z");
    let database = sandbox.database();
    assert_eq!(ranges(&sandbox), ["1 10519199 SKIPPED"; 2]);
    assert_eq!(
        database.rows("SELECT count FROM coordinator_count WHERE status = 'SKIPPED'"),
        ["10519199"; 2],
        "they are counted"
    );
    let grown = std::fs::metadata(sandbox.database_path()).expect("a database").len() - size;
    assert!(grown < 1 << 20, "{grown} bytes");
    database.check();
    // A period means the actions that have not ended: the others are not read.
    let job = database.value("SELECT max(id) FROM coordinator_job");
    let period = "1990-01-01T00:00Z::2010-01-01T00:00Z";
    sandbox.howdah(["kill", &job, "--date", period]).at("2010-01-01T00:00Z").succeed();
    assert_eq!(ranges(&sandbox), ["1 10519199 SKIPPED"; 2]);
    // Of all that are killed the first are listed, and none is created for it.
    sandbox.howdah(["kill", &job]).at("2010-01-01T00:00Z").succeed();
    let statuses = "SELECT status FROM coordinator_action_range ORDER BY job";
    assert_eq!(sandbox.database().rows(statuses), ["SKIPPED", "KILLED"]);
    assert_eq!(sandbox.database().rows("SELECT number FROM coordinator_action WHERE number < 10519200"), [""; 0]);
}

#[test]
fn one_action_of_a_range_is_seen_alone() {
    let (sandbox, job) = passed_over();
    let page = |words: &[&str]| {
        let info = command(&sandbox, &[&["info", &job, "--json"], words].concat(), NOW);
        let actions = info["actions"].as_array().expect("actions").iter();
        let shown = actions.map(|action| format!("{} {}", action["actionNumber"], action["status"].as_str().unwrap()));
        (shown.collect::<Vec<_>>().join(", "), info["total"].clone())
    };
    // All that its schedule has.
    let total = json!(44_640);
    assert_eq!(page(&["--offset", "15838", "--len", "3"]).0, "15838 SKIPPED, 15839 SKIPPED, 15840 SUCCEEDED");
    assert_eq!(
        page(&["--order", "desc", "--offset", "12", "--len", "2"]),
        ("15840 SUCCEEDED, 15839 SKIPPED".to_owned(), total)
    );
    assert_eq!(page(&["--filter", "status=SUCCEEDED"]).0, "15840 SUCCEEDED, 15841 SUCCEEDED");
    let one = command(&sandbox, &["info", &format!("{job}@60"), "--json"], NOW);
    assert_eq!((&one["status"], &one["nominalTime"]), (&json!("SKIPPED"), &json!("2010-01-01T00:59Z")));
    let explained = sandbox.howdah(["explain", &format!("{job}@60")]).at(NOW).succeed().stdout;
    assert!(explained.contains("LAST_ONLY"), "{explained}");
    let log = sandbox.howdah(["log", &job, "--audit", "--action", "60"]).at(NOW).succeed().stdout;
    assert!(log.contains("SKIPPED") && log.contains("@1-15839"), "{log}");
}

#[test]
fn what_is_rerun_leaves_the_range() {
    let (sandbox, job) = passed_over();
    let rerun = |words: &[&str]| {
        let ran = sandbox.howdah([&["rerun", &job, "--yes"], words].concat()).at(NOW).succeed();
        sandbox.database().check();
        ran.stderr
    };
    let said = rerun(&["--action", "60,62"]);
    assert!(said.contains("2 of them will be SKIPPED again"), "{said}");
    assert_eq!(ranges(&sandbox), ["1 59 SKIPPED", "61 61 SKIPPED", "63 15839 SKIPPED"]);
    rerun(&["--date", "2010-01-01T00:00Z"]);
    assert_eq!(ranges(&sandbox), ["2 59 SKIPPED", "61 61 SKIPPED", "63 15839 SKIPPED"]);
    let rows = "SELECT number, nominal_at - 1262304000, status FROM coordinator_action WHERE number < 100";
    assert_eq!(sandbox.database().rows(rows), ["1 0 WAITING", "60 3540 WAITING", "62 3660 WAITING"]);
    sandbox.tick_through(NOW);
    sandbox.database().check();
    let rows = rows.replace("nominal_at - 1262304000", "run");
    assert_eq!(sandbox.database().rows(&rows), ["1 1 SKIPPED", "60 1 SKIPPED", "62 1 SKIPPED"]);
}

#[test]
fn a_killed_job_kills_its_ranges() {
    let (sandbox, job) = passed_over();
    for (option, status) in [(Some("--dry-run"), "SKIPPED"), (None, "KILLED")] {
        let words = ["kill", &job].into_iter().chain(option);
        let ran = sandbox.howdah(words).at(NOW).succeed();
        assert!(
            ran.stdout.contains("and 15749 more; in all 15839 SKIPPED -> KILLED, 10 WAITING -> KILLED")
                || option.is_none(),
            "{}",
            ran.stdout
        );
        assert_eq!(ranges(&sandbox), [format!("1 15839 {status}")]);
        sandbox.database().check();
    }
    // A killed action may be ignored, a skipped one may not.
    let ran = sandbox.howdah(["change", &job, "--status", "RUNNING"]).at(NOW).succeed();
    assert_eq!(ran.stderr, "");
    sandbox.howdah(["ignore", &job, "--action", "7"]).at(NOW).succeed();
    assert_eq!(ranges(&sandbox), ["1 6 KILLED", "7 7 IGNORED", "8 15839 KILLED"]);
    sandbox.howdah(["ignore", &job, "--date", "2010-01-01T00:10Z::2010-01-01T00:20Z"]).at(NOW).succeed();
    assert_eq!(ranges(&sandbox)[2..], ["8 10 KILLED", "11 21 IGNORED", "22 15839 KILLED"]);
    sandbox.database().check();
}

#[test]
fn an_earlier_end_does_not_delete_what_was_passed_over() {
    let (sandbox, job) = passed_over();
    let refused = sandbox.howdah(["change", &job, "--endtime", "2010-01-05T00:00Z"]).at(NOW).run();
    assert!(refused.stderr.contains("E1022"), "{}", refused.stderr);
    assert_eq!(ranges(&sandbox), ["1 15839 SKIPPED"]);
    sandbox.database().check();
}

#[test]
fn a_pause_time_in_the_past_bounds_the_range() {
    let sandbox = Sandbox::new();
    let coordinator =
        Coordinator { frequency: "1", end: "2010-02-01T00:00Z", controls: LAST_ONLY, ..Coordinator::default() };
    let job = submit(&sandbox, &coordinator, false);
    sandbox.howdah(["change", &job, "--pausetime", "2010-01-02T00:00Z"]).at("2009-12-31T00:00Z").succeed();
    sandbox.tick_through("2010-01-01T22:30Z");
    assert_eq!(ranges(&sandbox), ["1 1349 SKIPPED"]);
    sandbox.tick_through("2010-01-03T00:00Z");
    assert_eq!(sandbox.database().job(&job), "PAUSED");
    sandbox.howdah(["change", &job, "--pausetime", ""]).at("2010-01-04T00:00Z").succeed();
    sandbox.tick_through("2010-01-04T00:00Z");
    sandbox.database().check();
    assert_eq!(ranges(&sandbox).len(), 2, "{:?}", ranges(&sandbox));
    assert_eq!(sandbox.database().value("SELECT max(last_number) FROM coordinator_action_range"), "4319");
}

#[test]
fn a_purge_deletes_ranges_and_counts_their_actions() {
    let (sandbox, job) = passed_over();
    sandbox.howdah(["kill", &job]).at(NOW).succeed();
    for option in [Some("--dry-run"), None] {
        let words = ["db", "purge", "--older-than", "1d", "--json"].into_iter().chain(option);
        let ran = sandbox.howdah(words).at("2011-01-12T00:00Z").succeed();
        let counts: Value = serde_json::from_str(&ran.stdout).expect("a document");
        assert!(counts.to_string().contains("15851"), "{counts}");
    }
    assert_eq!(ranges(&sandbox), [""; 0]);
    sandbox.database().check();
}
