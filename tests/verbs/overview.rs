//! What is seen of all jobs together: `status`, `actions`, and jobs that are named by their names.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};

const NOW: &str = "2010-01-01T04:10Z";

/// Three coordinators that are due every hour: the actions of `good` succeed, those of `bad` fail, and those of `late`
/// wait for a folder.
fn site(sandbox: &Sandbox) {
    let data = hourly_input(&format!("file://{}/in/${{HOUR}}", sandbox.text("")), "<done-flag/>");
    for (name, command, data) in [
        ("good", effect("${nominal}"), String::new()),
        ("bad", "exit 3".to_owned(), String::new()),
        ("late", effect("x"), data),
    ] {
        submit(sandbox, name, &command, data);
    }
    sandbox.tick(NOW);
    sandbox.await_quiet();
    sandbox.tick_through(NOW);
}

/// Submits a coordinator of this name whose workflow runs a command.
fn submit(sandbox: &Sandbox, name: &str, command: &str, data: String) -> String {
    Coordinator { end: "2010-01-01T05:00Z", controls: "<concurrency>5</concurrency>", data, ..Coordinator::default() }
        .write(sandbox);
    let definition = sandbox.read("app/coordinator.xml").replace("name=\"test\"", &format!("name=\"{name}\""));
    sandbox.write("app/coordinator.xml", &definition.replace("/app<", &format!("/{name}<")));
    workflow(sandbox, name, "one", &[shell("one", command, "end")]);
    sandbox.submit(NOW, &[])
}

fn json(ran: &Ran) -> Value {
    serde_json::from_str(&ran.stdout).expect("a JSON document")
}

fn show(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).at(NOW).run()
}

#[test]
fn actions_of_all_jobs_are_one_list() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    let ids = |arguments: &[&str]| -> Vec<String> {
        let ran = show(&sandbox, &[&["actions", "--json"], arguments].concat());
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let name = |action: &Value| {
            format!("{}@{} {}", action["coordJobName"], action["actionNumber"], action["status"]).replace('"', "")
        };
        json(&ran)["actions"].as_array().expect("a list").iter().map(name).collect()
    };
    // The last created job comes first where actions changed at the same time.
    assert_eq!(ids(&["--len", "2"]), ["bad@5 KILLED", "bad@4 KILLED"]);
    assert_eq!(ids(&["--status", "failed", "--since", "1h", "--offset", "5"]), ["bad@1 KILLED"]);
    assert_eq!(ids(&["--status", "failed", "--since", "2010-01-01T04:11Z"]), [""; 0]);
    assert_eq!(ids(&["--job", "g*", "--len", "1"]), ["good@5 SUCCEEDED"]);
    // Waiting actions are many, and listed when they are asked for.
    assert_eq!(ids(&[]).len(), 10);
    assert_eq!(ids(&["--status", "waiting"]).len(), 5);
    assert_eq!(ids(&["--late", "3h"]), ["late@2 WAITING", "late@1 WAITING"]);
    assert_eq!(ids(&["--late", "3h", "--job", "good"]), [""; 0]);
    let quiet = show(&sandbox, &["actions", "--quiet", "--late", "4h"]);
    assert!(quiet.stdout.ends_with("-C@1\n") && quiet.stdout.lines().count() == 1, "{quiet:?}");
    insta::assert_snapshot!(
        "actions_failed",
        sandbox.redact(&show(&sandbox, &["actions", "--status", "failed"]).stdout)
    );
    insta::assert_snapshot!("actions_late", sandbox.redact(&show(&sandbox, &["actions", "--late", "1h"]).stdout));
}

#[test]
fn jobs_that_need_a_person_come_first() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    submit(&sandbox, "held", "true", String::new());
    show(&sandbox, &["suspend", "held"]);
    let listed = |arguments: &[&str]| -> Vec<Value> {
        let ran = show(&sandbox, &[&["jobs", "--json"], arguments].concat());
        assert_eq!(ran.status, Some(0), "{ran:?}");
        json(&ran)["coordinatorjobs"].as_array().expect("a list").clone()
    };
    let names = |arguments: &[&str]| -> Vec<String> {
        let jobs = listed(arguments);
        jobs.iter().map(|job| job["coordJobName"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names(&[]), ["held", "late", "bad", "good"]);
    assert_eq!(names(&["--sort", "attention"]), ["late", "bad", "held", "good"]);
    assert_eq!(names(&["--sort", "attention", "--offset", "2", "--len", "2"]), ["bad", "held"]);
    assert_eq!(names(&["--sort", "attention", "--filter", "status=PREPSUSPENDED"]), ["held"]);
    assert_eq!(names(&["--sort", "modified", "--len", "1"]).len(), 1);
    let jobs = listed(&["--sort", "attention"]);
    let numbers = |job: &Value| ["waiting", "failed", "lateSeconds"].map(|name| job[name].as_i64());
    assert_eq!(numbers(&jobs[0]), [Some(5), Some(0), Some(4 * 3600 + 600)]);
    assert_eq!(numbers(&jobs[1]), [Some(0), Some(5), None]);
    assert_eq!((numbers(&jobs[3]), &jobs[3]["lastSuccessTime"]), ([Some(0), Some(0), None], &NOW.into()));
    assert_eq!(jobs[0]["lastSuccessTime"], Value::Null);
    let ran = show(&sandbox, &["jobs", "--sort", "attention", "--jobtype", "wf"]);
    assert!(ran.status == Some(2) && ran.stderr.contains("is an order of coordinator jobs"), "{ran:?}");
}

#[test]
fn what_no_list_of_actions_can_be_is_refused() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    for (arguments, status, words) in [
        (&["--status", "FALED"][..], 2, "did you mean FAILED?"),
        (&["--status", "SKIPPED"], 2, "howdah info JOB --filter status=SKIPPED"),
        (&["--status", "FAILED", "--late", "1h"], 2, "FAILED is an end"),
        (&["--late", "soon"], 2, "90s, 30m, 24h, 7d or 2w"),
        (&["--since", "2010-02-30"], 2, "this is not a time"),
        (&["--job", "goo"], 1, "compared with the whole name"),
    ] {
        let ran = show(&sandbox, &[&["actions"], arguments].concat());
        assert!(ran.status == Some(status) && ran.stderr.contains(words), "{arguments:?}: {ran:?}");
    }
}

#[test]
fn a_job_is_found_by_its_name_and_by_the_beginning_of_its_id() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    let id = |text: &str| {
        let ran = show(&sandbox, &["info", text, "--json"]);
        assert_eq!(ran.status, Some(0), "{ran:?}");
        let view = json(&ran);
        ["coordJobId", "id"].iter().find_map(|name| view[*name].as_str()).expect("an id").to_owned()
    };
    let bad = id("bad");
    for (text, part) in [
        (&bad[..], ""),
        (&bad[..7], ""),
        (&bad[..20], ""),
        ("bad@2", "@2"),
        ("bad@2010-01-01T01:00Z", "@2"),
        ("bad@last", "@5"),
        ("bad@failed", "@5"),
        (&format!("{}@3", &bad[..7]), "@3"),
    ] {
        assert_eq!(id(text), format!("{bad}{part}"), "{text}");
    }
    assert_eq!(id("@last"), id("late"));
    assert_eq!(id("@failed"), format!("{bad}@5"));
    assert_eq!(id("@last@3"), format!("{}@3", id("late")));
    for (text, words) in [
        ("ba", "did you mean bad?"),
        ("bat", "did you mean bad?"),
        ("bad@2010-01-01T01:30Z", "no action of the job has this nominal time"),
        ("bad@2010-01-01T09:00Z", "E0605"),
        ("good@failed", "no action of the job has failed"),
        ("ba*", "a pattern names no job; verbs on several jobs choose them with --filter 'text=ba'"),
        ("bad@x", "an action is named by its number, its nominal time"),
        ("00000", "error[H0170]: [00000] is not the name of one job: it fits more than 10 jobs"),
    ] {
        let ran = show(&sandbox, &["info", text]);
        assert!(ran.status == Some(1) && ran.stderr.contains(words), "{text}: {ran:?}");
    }
    // A verb that changes something takes the same words.
    let killed = show(&sandbox, &["kill", "late@2", "late@2010-01-01T02:00Z"]);
    assert_eq!(killed.status, Some(0), "{killed:?}");
    let statuses = "SELECT number FROM coordinator_action JOIN coordinator_job USING (job)
        WHERE name = 'late' AND coordinator_action.status = 'KILLED'";
    assert_eq!(sandbox.database().rows(statuses), ["2", "3"]);
}

#[test]
fn a_name_that_is_used_again_means_the_job_that_lives() {
    let sandbox = Sandbox::new();
    let first = submit(&sandbox, "feed", "true", String::new());
    let second = submit(&sandbox, "feed", "true", String::new());
    let both = show(&sandbox, &["suspend", "feed"]);
    assert!(both.status == Some(1) && both.stderr.contains(&first) && both.stderr.contains(&second), "{both:?}");
    assert_eq!(show(&sandbox, &["kill", &first]).status, Some(0));
    let one = show(&sandbox, &["suspend", "feed"]);
    assert!(one.status == Some(0) && one.stdout.contains(&second), "{one:?}");
    assert_eq!(sandbox.database().job(&second), "PREPSUSPENDED");
    assert_eq!(show(&sandbox, &["kill", &second]).status, Some(0));
    assert_eq!(
        show(&sandbox, &["info", "feed"]).status,
        Some(1),
        "both are over: neither is meant more than the other"
    );
}

#[test]
fn several_jobs_are_shown_together() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    for verb in ["info", "explain"] {
        let text = show(&sandbox, &[verb, "good", "bad@1"]);
        assert_eq!(text.status, Some(0), "{text:?}");
        let list = json(&show(&sandbox, &[verb, "good", "bad@1", "--json"]));
        let one = json(&show(&sandbox, &[verb, "bad@1", "--json"]));
        assert_eq!((list.as_array().map(Vec::len), &list[1]), (Some(2), &one), "{verb}");
    }
}

#[test]
fn the_state_of_the_site_is_one_screen() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    let screen = show(&sandbox, &["status"]).stdout;
    let stable: Vec<&str> = screen.lines().filter(|line| !line.starts_with("Database:")).collect();
    let stable: Vec<String> = stable
        .iter()
        .map(|line| line.split_once(", took").map_or((*line).to_owned(), |(before, _)| format!("{before} ...")))
        .collect();
    insta::assert_snapshot!("status", sandbox.redact(&stable.join("\n")));
    let view = json(&show(&sandbox, &["status", "--json"]));
    assert_eq!(view["actions"], serde_json::json!({"KILLED": 5, "SUCCEEDED": 5, "WAITING": 5}));
    assert_eq!((&view["failedLastDay"], &view["lateJobs"]), (&5.into(), &1.into()));
    assert_eq!(view["late"][0]["id"].as_str().map(|id| id.ends_with("-C@1")), Some(true));
    assert!(view["database"]["bytes"].as_u64() > Some(100_000) && view["database"]["freeBytes"].as_u64() > Some(0));
}

#[test]
fn a_monitoring_program_reads_one_line_and_the_exit_status() {
    let sandbox = Sandbox::new();
    let check = || {
        let ran = show(&sandbox, &["status", "--check"]);
        assert_eq!(ran.stdout.lines().count(), 1, "{ran:?}");
        (ran.status, ran.stdout)
    };
    let (status, line) = check();
    assert!(status == Some(3) && line.starts_with("HOWDAH UNKNOWN - H0100"), "{line}");
    submit(&sandbox, "good", "true", String::new());
    let (status, line) = check();
    assert!(status == Some(2) && line.starts_with("HOWDAH CRITICAL - no tick has run on this database |"), "{line}");
    sandbox.tick_through(NOW);
    sandbox.tick_through(NOW);
    let (status, line) = check();
    assert!(status == Some(0) && line.starts_with("HOWDAH OK - ") && line.contains(" last_tick=0s "), "{line}");
    submit(&sandbox, "bad", "exit 3", String::new());
    sandbox.tick_through(NOW);
    sandbox.tick_through(NOW);
    let (status, line) = check();
    assert!(status == Some(1) && line.starts_with("HOWDAH WARNING - 5 actions failed in 24 h |"), "{line}");
    assert!(line.contains(" failed=5 late=0 waiting=0 ready=0 running=0 deliveries=0 disk_free="), "{line}");
}

#[test]
fn a_workflow_job_that_failed_is_counted_and_one_that_a_user_killed_is_not() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "exit ${code}", "end")]);
    let submit = |code: &str| {
        let submit = sandbox.howdah(["submit"]).define("oozie.wf.application.path", &sandbox.text("app"));
        submit.define("sandbox", &sandbox.text("")).define("code", code).at(NOW).succeed().job()
    };
    submit("3");
    sandbox.await_quiet();
    let check = show(&sandbox, &["status", "--check"]);
    assert!(check.status == Some(1) && check.stdout.contains("WARNING - 1 job failed in 24 h |"), "{check:?}");
    assert!(check.stdout.contains(" failed=1 "), "{check:?}");
    let screen = show(&sandbox, &["status"]).stdout;
    assert!(
        screen.contains("1 job in 24 h: howdah jobs --jobtype wf --filter 'status=KILLED;status=FAILED'"),
        "{screen}"
    );
    sandbox.howdah(["pause", "--all"]).at(NOW).succeed();
    let waits = submit("0");
    sandbox.howdah(["kill", &waits]).at(NOW).succeed();
    assert_eq!(sandbox.database().job(&waits), "KILLED");
    assert_eq!(json(&show(&sandbox, &["status", "--json"]))["failedJobsLastDay"], 1);
}

#[test]
fn a_run_in_the_foreground_does_not_hide_that_cron_is_dead() {
    let sandbox = Sandbox::new();
    submit(&sandbox, "good", "true", String::new());
    let record = || sandbox.read("howdah.db.tick.lock");
    // Before the first tick of cron there is nothing to hide.
    let path = format!("oozie.wf.application.path={}", sandbox.text("good"));
    let place = format!("sandbox={}", sandbox.text(""));
    let run = || sandbox.howdah(["run", "-D", &path, "-D", &place]).at("2010-01-01T00:45Z").succeed();
    run();
    for minute in [10, 20] {
        sandbox.howdah(["tick"]).at(&format!("2010-01-01T00:{minute}Z")).succeed();
    }
    let before = record();
    assert!(before.contains("\"distances\":[600]"), "{before}");
    run();
    assert_eq!(record(), before);
    let mut terminal = sandbox.howdah(["tick"]).at("2010-01-01T00:50Z").on_terminal((80, 24));
    terminal.finish();
    assert_eq!(record(), before, "a user who ticks is not cron");
}

#[test]
fn numbers_for_a_monitoring_program() {
    let sandbox = Sandbox::new();
    site(&sandbox);
    let printed = show(&sandbox, &["metrics"]).stdout;
    let has = |line: &str| assert!(printed.lines().any(|found| found.starts_with(line)), "{line}: {printed}");
    has("howdah_last_tick_timestamp_seconds 1262319000");
    has("howdah_jobs{kind=\"coordinator\",status=\"RUNNING\"} 1");
    has("howdah_deliveries_pending 0");
    has("howdah_disk_free_bytes ");
    // Only the job that lives has numbers of its own; it is late by four hours and ten minutes.
    let of_jobs: Vec<&str> = printed.lines().filter(|line| line.contains("{job=")).collect();
    assert!(of_jobs.iter().all(|line| line.contains("job=\"late\"")), "{of_jobs:?}");
    assert!(of_jobs.iter().any(|line| line.ends_with("status=\"WAITING\"} 5")), "{of_jobs:?}");
    assert!(
        of_jobs.iter().any(|line| line.starts_with("howdah_lateness_") && line.ends_with("} 15000")),
        "{of_jobs:?}"
    );
    assert!(printed.ends_with("# EOF\n"));
    let file = sandbox.write("howdah.prom", "old");
    let written = show(&sandbox, &["metrics", "--output", &file.display().to_string()]);
    assert_eq!((written.stdout.as_str(), sandbox.read("howdah.prom").lines().next()), ("", printed.lines().next()));
    // A node exporter of another user reads it.
    let readers =
        |path: &std::path::Path| std::fs::metadata(path).expect("it was written").permissions().mode() & 0o444;
    assert_eq!(readers(&file), readers(&sandbox.write("other", "")));
}

#[test]
fn cron_and_systemd_get_absolute_paths() {
    let sandbox = Sandbox::new().with_database("100% mine/h.db");
    let site = sandbox.write("site.properties", "howdah.commands=2\n").display().to_string();
    let line = show(&sandbox, &["cron", "--site", &site, "--mount", "hdfs://nn=/data"]);
    let text = sandbox.redact(&line.stdout);
    assert!(text.starts_with("* * * * * /") && text.ends_with(" --mount hdfs://nn=/data tick --quiet\n"), "{text}");
    assert!(text.contains("/howdah --db '[sandbox]/100\\% mine/h.db' --site [sandbox]/site.properties"), "{text}");
    // What the line runs is a tick of this database.
    submit(&sandbox, "good", "true", String::new());
    let command = line.stdout.trim_start_matches("* ").replace("\\%", "%").replace("hdfs://nn=/data", "hdfs://nn=/");
    let command = format!("{} --accept-clock", command.trim_end());
    let mut shell = std::process::Command::new("sh");
    let ran = shell.args(["-c", &command]).env("HOWDAH_DB", "/nowhere").env("SANDBOX", sandbox.text("")).output();
    assert_eq!(ran.expect("a shell").status.code(), Some(0), "{command}");
    sandbox.await_quiet();
    assert_ne!(sandbox.database().actions(), "");
    let units = sandbox.path("units");
    assert_eq!(show(&sandbox, &["cron", "--systemd", &units.display().to_string()]).status, Some(0));
    let unit = sandbox.redact(&sandbox.read("units/howdah-tick.service"));
    assert!(unit.contains("/howdah --db \"[sandbox]/100%% mine/h.db\" tick --quiet\n"), "{unit}");
    assert!(sandbox.read("units/howdah.service").contains(" daemon\n"));
}

#[test]
fn a_runner_is_missing_only_when_jobs_need_one() {
    let sandbox = Sandbox::new();
    let check = || show(&sandbox, &["status", "--check"]);
    let job = submit(&sandbox, "good", "true", String::new());
    // The tick dies between the start of its workflow jobs and that of the runner.
    sandbox.howdah(["tick"]).at(NOW).die_at("before-runner");
    sandbox.await_quiet();
    let ran = check();
    assert!(ran.status == Some(2) && ran.stdout.contains("no runner advances the workflow jobs"), "{ran:?}");
    // What a suspension holds back needs none.
    assert_eq!(show(&sandbox, &["suspend", &job]).status, Some(0));
    let ran = check();
    assert!(ran.status == Some(0) && ran.stdout.starts_with("HOWDAH OK"), "{ran:?}");
}

#[test]
fn a_scheduler_that_died_is_reported_by_every_verb() {
    let sandbox = Sandbox::new();
    let job = submit(&sandbox, "good", "true", String::new());
    for minute in [10, 20, 30] {
        sandbox.tick_through(&format!("2010-01-01T00:{minute}Z"));
    }
    // The verbs have the real clock here: the last tick was years ago.
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let place = format!("sandbox={}", sandbox.text(""));
    for arguments in [
        &["jobs"][..],
        &["info", &job],
        &["info", "good"],
        &["explain", &job],
        &["actions"],
        &["suspend", "good"],
        &["resume", &job],
        &["change", "good", "--concurrency", "2"],
        &["update", &job, "-D", &path, "-D", &place, "--dry-run"],
        &["submit", "-D", &path, "-D", &place],
        &["kill", "good@1"],
        &["oozie", "job", "-run", "-D", &path, "-D", &place],
    ] {
        let ran = sandbox.howdah(arguments.iter().copied()).run();
        let words = "; ticks came every 10 min: look at cron or at the daemon (`howdah status`)";
        assert!(ran.stderr.contains("warning: no tick for ") && ran.stderr.contains(words), "{arguments:?}: {ran:?}");
        assert_eq!(ran.stderr.matches("no tick for").count(), 1, "{arguments:?}: {ran:?}");
        let quiet = sandbox.howdah(arguments.iter().copied()).with("--quiet").run();
        assert!(!quiet.stderr.contains("no tick"), "{quiet:?}");
    }
    let late = |minute: &str| sandbox.howdah(["status", "--check"]).at(minute).run();
    assert_eq!(late("2010-01-01T01:00Z").status, Some(0));
    let ran = late("2010-01-01T01:01Z");
    assert!(
        ran.status == Some(2) && ran.stdout.contains("CRITICAL - no tick for 31 min; ticks came every 10 min"),
        "{ran:?}"
    );
}

/// A program `crontab` that keeps its table in a file beside itself, as cron's own keeps it in its spool.
const CRONTAB: &str = "#!/bin/sh\ntable=$(dirname \"$0\")/table\ncase $1 in\n\
    -l) cat \"$table\" 2>/dev/null || { echo \"no crontab for $(id -un)\" >&2; exit 1; } ;;\n\
    -) cat > \"$table\" ;;\n*) exit 2 ;;\nesac\n";

/// Writes the program `crontab` with its table, and returns a `PATH` that has it.
fn with_crontab(sandbox: &Sandbox, script: &str) -> String {
    use std::os::unix::fs::PermissionsExt as _;
    let program = sandbox.write("bin/crontab", script);
    std::fs::set_permissions(program, std::fs::Permissions::from_mode(0o755)).expect("one's own file");
    format!("{}:/usr/bin:/bin", sandbox.text("bin"))
}

#[test]
fn the_line_for_cron_is_installed_once_and_changed() {
    let sandbox = Sandbox::new();
    let path = with_crontab(&sandbox, CRONTAB);
    let install = |arguments: &[&str]| {
        let ran = sandbox.howdah(["cron", "--install"]).with_all(arguments).env("PATH", &path).run();
        assert_eq!(ran.status, Some(0), "{ran:?}");
        (ran.stderr, sandbox.read("bin/table"))
    };
    let line = show(&sandbox, &["cron"]).stdout;
    // The user has no crontab yet.
    assert_eq!(install(&[]), ("the line was added to the crontab\n".to_owned(), line.clone()));
    assert_eq!(install(&[]), ("the crontab has this line already\n".to_owned(), line.clone()));
    // Lines of other programs, of other databases, of other verbs, and comments stay.
    let others = format!(
        "MAILTO=ann\n0 5 * * * /bin/backup\n# {line}{}{}",
        line.replace("howdah.db", "other.db"),
        line.replace("tick --quiet", "status --check || mail -s ' tick ' ops")
    );
    let before = format!("{others}{line}");
    sandbox.write("bin/table", &before);
    let (said, table) = install(&["--mount", "hdfs://nn=/data"]);
    let new = line.replace(" tick --quiet", " --mount hdfs://nn=/data tick --quiet");
    let shown = format!("the line in the crontab was changed\n- {line}+ {new}the crontab of before is kept in ");
    assert!(said.starts_with(&shown), "{said}");
    assert_eq!(table, format!("{others}{new}"));
    let kept = said.trim_end().rsplit(' ').next().expect("a path").to_owned();
    assert_eq!(std::fs::read_to_string(kept).expect("it is kept"), before);
    // A program that fails changes nothing, and the message says what to do.
    for says in ["no spool", "no crontab for $(id -un): cannot read the spool"] {
        let script = format!("#!/bin/sh\n[ $1 = - ] && cat > {}\necho \"{says}\" >&2\nexit 1\n", sandbox.text("lost"));
        sandbox.write("bin/crontab", &script);
        let ran = sandbox.howdah(["cron", "--install"]).env("PATH", &path).run();
        assert!(ran.status == Some(1) && ran.stderr.contains("spool") && ran.stderr.contains("H0140"), "{ran:?}");
        assert!(!sandbox.path("lost").exists(), "the crontab was replaced");
    }
}

#[test]
fn a_line_that_ticks_another_database_is_no_line_of_this_one() {
    let sandbox = Sandbox::new();
    let path = with_crontab(&sandbox, CRONTAB);
    let state = sandbox.text("state");
    // Without `--db` cron ticks the database below the home folder, whatever the variables of the installer are.
    for (line, may) in [
        ("* * * * * /opt/howdah tick -q", false),
        ("* * * * * export HOWDAH_DB=/other/h.db; howdah tick", true),
        ("* * * * * . /etc/howdah.env; howdah tick", true),
        ("* * * * * sh -c '. /etc/howdah.env; howdah tick'", true),
    ] {
        sandbox.write("bin/table", &format!("{line}\n"));
        let ran = sandbox.howdah(["cron", "--install"]).env("PATH", &path).env("XDG_STATE_HOME", &state).run();
        let named = format!("this line may tick the same database, and was not changed:\n  {line}\n");
        assert!(ran.stderr.starts_with("the line was added to the crontab\n"), "{line}: {ran:?}");
        assert_eq!(ran.stderr.contains(&named), may, "{line}: {ran:?}");
        assert_eq!(sandbox.read("bin/table").lines().count(), 2, "{line}");
    }
}

#[test]
fn installations_at_once_lose_no_line() {
    let sandbox = Sandbox::new();
    let path = with_crontab(&sandbox, CRONTAB);
    sandbox.write("bin/table", "7 7 * * * /bin/other\n");
    let install = |name: &str| {
        let ran = sandbox.howdah(["cron", "--install", "--db", &sandbox.text(name)]).env("PATH", &path).run();
        assert_eq!((ran.status, ran.stderr.contains("was added")), (Some(0), true), "{ran:?}");
    };
    let names = ["1.db", "2.db", "3.db", "4.db", "5.db"];
    std::thread::scope(|scope| {
        for name in names {
            scope.spawn(move || install(name));
        }
    });
    let table = sandbox.read("bin/table");
    assert!(table.starts_with("7 7 * * * /bin/other\n") && table.lines().count() == 6, "{table}");
    assert!(names.iter().all(|name| table.contains(&format!("/{name} tick"))), "{table}");
}

#[test]
fn a_program_that_keeps_no_crontab_is_reported() {
    let sandbox = Sandbox::new();
    let path = with_crontab(&sandbox, "#!/bin/sh\n[ $1 = - ] && cat > /dev/null\ntrue\n");
    let ran = sandbox.howdah(["cron", "--install"]).env("PATH", &path).run();
    assert!(ran.status == Some(1) && ran.stderr.contains("H0140"), "{ran:?}");
}

#[test]
fn every_setting_is_shown_with_its_origin() {
    let sandbox = Sandbox::new();
    let site = "# ours\nhowdah.commands = 3\noozie.email.smtp.password=hunter2\nhowdah.env.DB_TOKEN=hunter2\n\
        oozie.services.ext=x\nhowdah.mount=hdfs://a=/x\noozie.email.smtp.auth=true\n";
    sandbox.write("site.properties", site);
    let config = |arguments: &[&str]| {
        let howdah = sandbox.howdah(["config", "--site", "site.properties"]).with_all(arguments);
        howdah.env("HOWDAH_MOUNTS", "hdfs://nn=/data").succeed()
    };
    let ran = config(&[]);
    let rows: Vec<String> =
        ran.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    for row in [
        "howdah.commands site file, line 2 3",
        "howdah.actions.per.tick default 1000",
        "howdah.commands.ssh default -",
        "howdah.env.DB_TOKEN site file, line 4 *****",
        "oozie.email.smtp.password site file, line 3 *****",
        "oozie.email.smtp.auth site file, line 7 true",
        "site file command line (--site) site.properties",
        "mount environment (HOWDAH_MOUNTS) hdfs://nn=/data",
        "howdah.zone.data environment (HOWDAH_ZONE_DATA) built-in",
        "howdah.mount, line 6; did you mean howdah.mounts?",
        "oozie.services.ext, line 5",
    ] {
        assert!(rows.iter().any(|line| line == row), "{row} is not in {}", ran.stdout);
    }
    assert!(ran.stderr.contains("W0131") && !format!("{ran:?}").contains("hunter2"), "{ran:?}");
    let changed = config(&["--changed", "howdah", "-q"]).stdout;
    assert!(changed.contains("howdah.commands ") && !changed.contains("per.tick"), "{changed}");
    let view: serde_json::Value = serde_json::from_str(&config(&["--json"]).stdout).expect("one document");
    let settings = view["settings"].as_array().expect("a list");
    let found = settings.iter().find(|setting| setting["name"] == "howdah.commands").expect("a setting");
    assert_eq!((&found["value"], &found["origin"]), (&"3".into(), &"site file, line 2".into()));
    assert_eq!(view["unknown"][0]["near"], "howdah.mounts");
    sandbox.write("site.properties", "howdah.commands=none\n");
    let refused = sandbox.howdah(["config", "--site", "site.properties"]).run();
    assert!(refused.status == Some(1) && refused.stderr.contains("site.properties:1:17"), "{refused:?}");
    // What cannot be used is not in force, and a URL that lets a program in is not shown.
    let text = "howdah.commands=none\nhowdah.tick.ping=https://hc.example/ping/hunter2\n\
        howdah.alert.night.url=https://ann:hunter2@chat.example/hooks/hunter2\noozie.action.retries.max=abc\n";
    sandbox.write("site.properties", text);
    let ran = sandbox.howdah(["config", "--site", "site.properties", "--changed"]).run();
    for expect in [
        "4 for each core, at least 8 (default; [none] cannot be used)",
        "https://hc.example/*****",
        "https://chat.example/*****",
        "3 (default; [abc] cannot be used)",
    ] {
        assert!(ran.stdout.contains(expect), "{expect} is not in {}", ran.stdout);
    }
    assert!(ran.status == Some(1) && !format!("{ran:?}").contains("hunter2"), "{ran:?}");
    sandbox.write("site.properties", "");
    let of = |mounts: &str, text: &str| {
        sandbox.howdah(["config", "--site", "site.properties", text]).env("HOWDAH_MOUNTS", mounts).run()
    };
    let twice = of("hdfs://a=/x,hdfs://a=/y", "mount");
    assert!(twice.status == Some(1) && twice.stderr.contains("H0120"), "{twice:?}");
    let nothing = of("", "purgge");
    assert!(nothing.status == Some(2) && nothing.stderr.contains("did you mean purge?"), "{nothing:?}");
    let narrow = sandbox.howdah(["config", "--site", "site.properties", "oozie.action"]).on_terminal((80, 60));
    narrow.await_text("oozie.action.retries.max  default");
}
