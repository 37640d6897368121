//! Changing running coordinator jobs, ignoring and killing their actions.

use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Howdah, Ran, Sandbox, user_name, wait_for};

const NOW: &str = "2010-01-01T04:10Z";

/// A job that is due every hour from 2010-01-01T00:00Z for a day, whose actions each wait for a folder; five are
/// waiting.
fn waiting_job(sandbox: &Sandbox) -> String {
    let data = hourly_input(&format!("file://{}/in/${{HOUR}}", sandbox.text("")), "<done-flag/>");
    Coordinator { end: "2010-01-02T00:00Z", data, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING, 3 WAITING, 4 WAITING, 5 WAITING");
    job
}

/// Runs a command; it must succeed and leave the database valid.
fn verb(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    let ran = sandbox.howdah(arguments.iter().copied()).at(NOW).succeed();
    sandbox.database().check();
    numbers_fit(sandbox);
    ran
}

/// Checks that every action from 1 to the last one exists, each at its hour.
fn numbers_fit(sandbox: &Sandbox) {
    let query = "SELECT last_action_number, count(number), count(DISTINCT nominal_at),
        coalesce(max(nominal_at - start_at) / 3600 + 1, 0) FROM coordinator_job LEFT JOIN coordinator_action USING \
        (job)";
    let row = sandbox.database().value(query);
    let numbers: Vec<&str> = row.split(' ').collect();
    assert!(numbers.iter().all(|number| *number == numbers[0]), "{row}");
}

#[test]
fn an_earlier_end_deletes_actions_and_a_later_one_creates_them_again() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    let before = sandbox.database().dump();
    let tried = verb(&sandbox, &["change", &job, "--endtime", "2010-01-01T02:00Z", "--dry-run"]);
    assert_eq!(sandbox.database().dump(), before);
    let done = verb(&sandbox, &["change", &job, "--endtime", "2010-01-01T02:00Z"]);
    insta::assert_snapshot!("change_takes_actions_back", sandbox.redact(&tried.stdout));
    assert_eq!(tried.stdout.split_once('\n').map(|(_, rest)| rest), Some(done.stdout.as_str()));
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING");
    let events = sandbox.database().rows(
        "SELECT action_number, from_status, to_status, origin, actor, reason FROM event WHERE to_status = 'DELETED'
            ORDER BY event",
    );
    let by = format!("WAITING DELETED change {} endtime=2010-01-01T02:00Z", user_name());
    assert_eq!(events.len(), 3);
    assert_eq!(events[0], format!("5 {by}"));
    assert_eq!(sandbox.database().value("SELECT sum(sets_pause) FROM event"), "0");
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING");
    verb(&sandbox, &["change", &job, "--value", "endtime=2010-01-01T04:00Z;concurrency=3"]);
    sandbox.tick(NOW);
    numbers_fit(&sandbox);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING, 3 WAITING, 4 WAITING");
    assert_eq!(sandbox.database().value("SELECT concurrency FROM coordinator_job"), "3");
}

#[test]
fn a_later_end_opens_a_job_that_was_over() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().job(&job), "SUCCEEDED");
    verb(&sandbox, &["change", &job, "--endtime", "2010-01-01T03:00Z"]);
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    sandbox.tick_through(NOW);
    sandbox.database().check();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.sorted_lines("effects").len()), ("SUCCEEDED", 3));
}

#[test]
fn a_pause_time_holds_back_what_is_behind_it() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    verb(&sandbox, &["change", &job, "--pausetime", "2010-01-01T03:30Z"]);
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING, 3 WAITING, 4 WAITING");
    verb(&sandbox, &["change", &job, "--pausetime", "none"]);
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING, 3 WAITING, 4 WAITING, 5 WAITING");
    assert_eq!(sandbox.database().value("SELECT pause_at FROM coordinator_job"), "-");
}

#[test]
fn times_are_given_as_days_and_distances_from_now() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    // Short forms are for people: what is stored and printed is the full time.
    for (option, time, stored) in [
        ("--pausetime", "+3h", "2010-01-01T07:10Z"),
        ("--pausetime", "none", "-"),
        ("--endtime", "2010-01-03", "2010-01-03T00:00Z"),
        ("--endtime", "tomorrow", "2010-01-02T00:00Z"),
        ("--endtime", "+2d", "2010-01-03T04:10Z"),
    ] {
        verb(&sandbox, &["change", &job, option, time]);
        let column = if option == "--endtime" { "end_at" } else { "pause_at" };
        let query =
            format!("SELECT coalesce(strftime('%Y-%m-%dT%H:%MZ', {column}, 'unixepoch'), '-') FROM coordinator_job");
        assert_eq!(sandbox.database().rows(&query), [stored], "{option} {time}");
    }
    // Oozie's own form has no short times.
    let refused = sandbox.howdah(["change", &job, "--value", "endtime=+2d"]).at(NOW).run();
    assert!(refused.status == Some(1) && refused.stderr.contains("E1015"), "{refused:?}");
    verb(&sandbox, &["kill", &job, "--date", "-130m::-70m"]);
    assert_eq!(sandbox.database().actions(), "1 WAITING, 2 WAITING, 3 KILLED, 4 KILLED, 5 WAITING");
    verb(&sandbox, &["ignore", &job, "--date", "-130m"]);
    // A day at the end of a period is included.
    verb(&sandbox, &["kill", &job, "--date", "2010-01-01::2010-01-01"]);
    assert_eq!(sandbox.database().actions(), "1 KILLED, 2 KILLED, 3 IGNORED, 4 KILLED, 5 KILLED");
}

#[test]
fn many_actions_change_as_few_groups() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    // 300 actions wait, and number 50 has run before.
    let connection = rusqlite::Connection::open(sandbox.database_path()).expect("a database");
    let more = connection.execute_batch(
        "WITH RECURSIVE n (n) AS (SELECT 6 UNION ALL SELECT n + 1 FROM n WHERE n < 300)
         INSERT INTO coordinator_action (job, number, nominal_at, created_at, modified_at, status, definition_version,
            timeout_minutes) SELECT job, n, nominal_at + 60 * n, created_at, modified_at, status, 1, -1
            FROM coordinator_action, n WHERE number = 5;
         UPDATE coordinator_action SET run = 1 WHERE number = 50;
         UPDATE coordinator_count SET count = 300 WHERE status = 'WAITING';
         UPDATE coordinator_job SET last_action_number = 300",
    );
    more.expect("more actions");
    drop(connection);
    sandbox.database().check();
    let run = |words: &[&str]| sandbox.howdah(words.iter().copied()).at(NOW).succeed();
    let planned = run(&["kill", &job, "--action", "280-400,2-270", "--dry-run"]);
    assert!(planned.stdout.contains("and 190 more; in all 290 WAITING -> KILLED"), "{planned:?}");
    assert!(planned.stderr.contains("@301 to @400 do not exist"), "{planned:?}");
    let first = planned.stdout.lines().find(|line| line.contains("WAITING")).expect("an action");
    assert!(first.contains("@280 "), "the first that was named comes first: {first}");
    let events = "SELECT action_number || '-' || coalesce(last_action_number, 'only') FROM event
                  WHERE origin IN ('kill', 'ignore') AND action_number IS NOT NULL ORDER BY event";
    assert_eq!(sandbox.database().rows(events), [""; 0], "a dry run stores nothing");
    run(&["kill", &job, "--action", "280-400,2-270"]);
    assert_eq!(sandbox.database().rows(events), ["50-only", "280-300", "2-49", "51-270"]);
    let refused = sandbox.howdah(["ignore", &job, "--action", "2-300"]).at(NOW).run();
    assert!(refused.stderr.contains("action number(s) [271, 272"), "{refused:?}");
    run(&["ignore", &job, "--action", "280-290,3-60"]);
    assert_eq!(sandbox.database().rows(events)[4..], ["280-290", "3-60"]);
    sandbox.database().check();
}

#[test]
fn more_concurrency_starts_more_at_the_next_tick() {
    let sandbox = Sandbox::new();
    let controls = "<concurrency>1</concurrency>";
    Coordinator { end: "2010-01-01T03:00Z", controls, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid-${nominal}"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 RUNNING, 2 READY, 3 READY");
    verb(&sandbox, &["change", &job, "--concurrency", "2"]);
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 RUNNING, 2 RUNNING, 3 READY");
    // The place of a killed action is used again.
    sandbox.await_file("pid-2010-01-01T00:00Z");
    verb(&sandbox, &["kill", &format!("{job}@1")]);
    sandbox.tick(NOW);
    assert_eq!(sandbox.database().actions(), "1 KILLED, 2 RUNNING, 3 RUNNING");
    let refused = sandbox.howdah(["change", &job, "--endtime", "2010-01-01T01:00Z"]).at(NOW).run();
    assert!(refused.status == Some(1) && refused.stderr.contains("E1022"), "{refused:?}");
    sandbox.write("gate", "");
    sandbox.await_quiet();
    sandbox.database().check();
    assert_eq!(sandbox.database().job(&job), "DONEWITHERROR");
    assert_eq!(sandbox.database().rows("SELECT status FROM workflow_job"), ["KILLED", "SUCCEEDED", "SUCCEEDED"]);
}

#[test]
fn actions_are_killed_and_ignored_by_number_and_date() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    let killed = verb(&sandbox, &["kill", &job, "--action", "4,2,9"]);
    insta::assert_snapshot!("kill_of_actions", sandbox.redact(&format!("{}{}", killed.stdout, killed.stderr)));
    assert_eq!(sandbox.database().job(&job), "RUNNINGWITHERROR");
    let again = verb(&sandbox, &["kill", &job, "--action", "2,4"]);
    insta::assert_snapshot!("kill_of_killed_actions", sandbox.redact(&format!("{}{}", again.stdout, again.stderr)));
    verb(&sandbox, &["kill", &job, "--date", "2010-01-01T00:00Z::2010-01-01T02:00Z"]);
    assert_eq!(sandbox.database().actions(), "1 KILLED, 2 KILLED, 3 KILLED, 4 KILLED, 5 WAITING");
    let document = verb(&sandbox, &["ignore", &job, "--action", "3,1", "--json"]).stdout;
    insta::assert_snapshot!("ignore_json", sandbox.redact(&document));
    verb(&sandbox, &["ignore", &job, "--date", "2010-01-01T01:00Z,2010-01-01T03:00Z"]);
    assert_eq!(sandbox.database().actions(), "1 IGNORED, 2 IGNORED, 3 IGNORED, 4 IGNORED, 5 WAITING");
    // Nothing that failed counts any more.
    assert_eq!(sandbox.database().job(&job), "RUNNING");
    let origins = sandbox.database().rows(
        "SELECT DISTINCT origin, from_status, to_status FROM event WHERE action_number IS NOT NULL AND origin IN
         ('kill', 'ignore') AND actor IS NOT NULL ORDER BY 1",
    );
    assert_eq!(origins, ["ignore KILLED IGNORED", "kill WAITING KILLED"]);
}

#[test]
fn what_a_status_forbids_has_a_code_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    let check = |cases: &[(&[&str], i32, &str)]| {
        let before = sandbox.database().dump();
        for (arguments, status, code) in cases {
            let (verb, rest) = arguments.split_first().expect("a verb");
            let ran = rest.iter().fold(sandbox.howdah([*verb, &job]), Howdah::with).at(NOW).run();
            assert!(ran.status == Some(*status) && ran.stderr.contains(code), "{arguments:?}: {ran:?}");
        }
        assert_eq!(sandbox.database().dump(), before);
    };
    check(&[
        (&["resume"], 0, "E1100"),
        (&["ignore"], 1, "E1015"),
        (&["ignore", "--action", "1"], 1, "E1024"),
        (&["ignore", "--action", "9"], 1, "E1024"),
        (&["ignore", "--date", "2010-01-01T00:30Z"], 1, "E0605"),
        (&["kill", "--date", "2010-01-01T00:30Z"], 1, "E0605"),
        (&["kill", "--date", "2010-01-01T02:00Z::2010-01-01T01:00Z"], 1, "E0308"),
        (&["kill", "--date", "2010-01-32"], 1, "E0302"),
        (&["kill", "--date", "2009-12-31"], 1, "E0605"),
        (&["kill", "--action", "2-1"], 1, "E0302"),
        (&["kill", "--action", "1", "--date", "2010-01-01T00:00Z"], 2, "cannot be used with"),
        (&["change", "--status", "RUNNING"], 1, "E1015"),
        (&["change", "--value", "endtime=x"], 1, "E1015"),
        (&["change", "--value", "frequency=5"], 1, "E1015"),
        (&["change"], 2, "--value"),
        (&["change", "--value", "status=RUNNING", "--status", "RUNNING"], 2, "cannot be used with"),
    ]);
    verb(&sandbox, &["kill", &job]);
    check(&[
        (&["suspend"], 0, "E0728"),
        (&["resume"], 0, "E1100"),
        (&["kill"], 0, "E1020"),
        (&["kill", "--action", "1"], 0, "E1020"),
        (&["kill", "--date", "2010-01-01T00:30Z"], 0, "E1020"),
        (&["change", "--concurrency", "3"], 1, "E1016"),
        (&["change", "--value", "status=IGNORED;concurrency=3"], 1, "E1016"),
    ]);
    verb(&sandbox, &["ignore", &job]);
    assert_eq!(sandbox.database().job(&job), "IGNORED");
    check(&[
        (&["suspend"], 0, "E0728"),
        (&["kill"], 0, "E1020"),
        (&["ignore"], 1, "it is IGNORED already"),
        (&["change", "--endtime", "2010-01-03T00:00Z"], 1, "E1016"),
    ]);
    verb(&sandbox, &["change", &job, "--status", "running"]);
    assert_eq!(sandbox.database().job(&job), "RUNNING");
}

#[test]
fn a_dry_run_prints_what_the_verb_does_and_does_nothing() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    for arguments in [
        &["kill", &job, "--action", "1-2"][..],
        &["ignore", &job, "--action", "2"],
        &["change", &job, "--pausetime", "2010-01-01T03:30Z", "--concurrency", "4"],
        &["suspend", &job],
        &["resume", &job],
        &["kill", &job],
        &["change", &job, "--status", "IGNORED"],
    ] {
        let before = sandbox.database().dump();
        let tried = sandbox.howdah(arguments.iter().copied()).with("--dry-run").at(NOW).succeed();
        assert_eq!(sandbox.database().dump(), before, "{arguments:?}");
        let done = verb(&sandbox, arguments);
        let expect = format!("Dry run: this would be done, and nothing is.\n{}", done.stdout);
        assert_eq!(tried.stdout, expect, "{arguments:?}");
        assert_ne!(sandbox.database().dump(), before, "{arguments:?}");
    }
}

#[test]
fn a_refusal_keeps_no_other_job_from_the_verb() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    let unknown = job.replace("0000000", "0000009");
    let ran = sandbox.howdah(["kill", &unknown, &job, &job, "--json"]).at(NOW).run();
    assert_eq!((ran.status, ran.stderr.as_str()), (Some(1), ""), "{ran:?}");
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).expect("one document");
    let jobs = &document["jobs"];
    assert_eq!(jobs[0]["problem"]["code"], "E0604");
    assert_eq!(jobs[1]["changes"][0]["to"], "KILLED");
    assert_eq!(jobs[2]["notDone"]["code"], "E1020");
    let ran = sandbox.howdah(["kill", &unknown, &job]).at(NOW).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("E0604") && ran.stderr.contains("E1020"), "{ran:?}");
    let ran = sandbox.howdah(["kill", &job, &format!("{job}@1"), "--action", "2"]).at(NOW).run();
    assert!(ran.status == Some(2) && ran.stderr.contains("one job at a time"), "{ran:?}");
}

#[test]
fn verbs_and_ticks_at_the_same_time_lose_nothing() {
    let sandbox = Sandbox::new();
    let job = waiting_job(&sandbox);
    let mut killed = Vec::new();
    for round in 1..=6 {
        let now = format!("2010-01-01T{:02}:10Z", round + 4);
        let end = format!("2010-01-01T{:02}:00Z", round + 3);
        let action = round.to_string();
        let commands: [&[&str]; 6] = [
            &["tick"],
            &["change", &job, "--endtime", &end],
            &["kill", &job, "--action", &action],
            &["tick"],
            &["change", &job, "--endtime", "2010-01-02T00:00Z", "--concurrency", &action],
            &["suspend", &job],
        ];
        let started: Vec<_> =
            commands.iter().map(|command| sandbox.howdah(command.iter().copied()).at(&now).start()).collect();
        for (command, started) in commands.iter().zip(started) {
            let ran = started.finish();
            let refused = ran.stderr.contains("E1022") && command[0] == "change";
            let busy = ran.status == Some(75) && command[0] == "tick";
            assert!(ran.status == Some(0) || refused || busy, "{command:?}: {ran:?}");
            if command[0] == "kill" && ran.stdout.contains(" KILLED") {
                killed.push(action.clone());
            }
        }
        sandbox.database().check();
        numbers_fit(&sandbox);
        // An action that was killed stays killed: no other command may delete it or run it.
        let now_killed = sandbox.database().rows("SELECT number FROM coordinator_action WHERE status = 'KILLED'");
        assert!(killed.iter().all(|number| now_killed.contains(number)), "{killed:?} {now_killed:?}");
        verb(&sandbox, &["resume", &job]);
        // The suspension may have been first in every round; the action that the next round kills must exist.
        sandbox.tick(&now);
    }
    wait_for("a tick after all", || {
        let ran = sandbox.howdah(["tick"]).at("2010-01-01T23:10Z").run();
        (ran.status == Some(0)).then_some(())
    });
    numbers_fit(&sandbox);
}
