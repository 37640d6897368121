//! `jobs`, `info`, `log`, `poll` and the commands on many jobs, as an operator types them.

use std::process::Command;

use howdah_sandbox::application::{Coordinator, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Ran, Sandbox};
use howdah_tier as tier;

const NOW: &str = "2010-01-01T00:00Z";
const LATER: &str = "2010-01-01T05:00Z";

/// A coordinator with three actions that have succeeded or, for the second, failed.
fn finished(sandbox: &Sandbox) -> String {
    let controls = "<concurrency>3</concurrency>";
    Coordinator { end: "2010-01-01T03:00Z", controls, ..Coordinator::default() }.write(sandbox);
    let line = "echo 00:00:01 INFO begin; echo 00:00:02 ERROR bad; echo '  at place'; echo 00:00:03 INFO end; \
                test ${nominal} != 2010-01-01T01:00Z";
    workflow(sandbox, "app", "one", &[shell("one", line, "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through("2010-01-01T02:00Z");
    job
}

fn ask(sandbox: &Sandbox, arguments: &[&str]) -> Ran {
    sandbox.howdah(arguments.iter().copied()).at(LATER).run()
}

fn answer(sandbox: &Sandbox, arguments: &[&str]) -> String {
    let ran = ask(sandbox, arguments);
    assert_eq!(ran.status, Some(0), "{arguments:?} {ran:?}");
    ran.stdout
}

#[test]
fn the_database_can_be_read_with_the_sqlite3_command() {
    let sandbox = Sandbox::new();
    Coordinator::default().write(&sandbox);
    let job = sandbox.submit(NOW, &[]);
    let read = std::process::Command::new("sqlite3")
        .arg(sandbox.database_path())
        .arg("SELECT id FROM coordinator_job; SELECT count(*) FROM sla_summary")
        .output();
    // An installed sqlite3 may be older than the compiled-in SQLite, and refuse a schema that it cannot read.
    match read {
        Ok(output) => assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{job}\n0\n"), "{output:?}"),
        Err(error) => println!("skipped: there is no sqlite3 command: {error}"),
    }
}

#[test]
fn lists_of_jobs_are_filtered_and_ordered() {
    let sandbox = Sandbox::new();
    let job = finished(&sandbox);
    let second = sandbox.submit(LATER, &[("oozie.job.acl", "ops")]);
    let listed = |filter: &str| {
        let text = answer(&sandbox, &["jobs", "--filter", filter]);
        [&job, &second].map(|id| text.contains(id.as_str()))
    };
    assert_eq!(listed("status=DONEWITHERROR"), [true, false]);
    assert_eq!(listed("status=DONEWITHERROR;status=PREP"), [true, true]);
    assert_eq!(listed("startcreatedtime=-1h"), [false, true]);
    assert_eq!(listed("endcreatedtime=-1h;frequency=1;unit=hours"), [true, false]);
    assert_eq!(listed("frequency=2;unit=hours"), [false, false]);
    assert_eq!(listed("text=es"), [true, true]);
    assert_eq!(listed(&format!("id={second}")), [false, true]);
    let first = answer(&sandbox, &["jobs", "--filter", "sortby=createdTime", "--len", "1"]);
    assert!(first.contains(&second) && first.contains("1 to 1 of 2 jobs"), "{first}");
    let ran = ask(&sandbox, &["jobs", "--filter", "group=x"]);
    assert!(ran.stdout.contains(&job) && ran.stderr.contains("group in a filter has no effect"), "{ran:?}");
    let ran = ask(&sandbox, &["jobs", "--filter", "stat=PREP"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E0420") && ran.stderr.contains("status"), "{ran:?}");
    assert!(answer(&sandbox, &["jobs", "--jobtype", "WORKFLOW"]).contains("-W"));
    assert_eq!(ask(&sandbox, &["jobs", "--jobtype", "x"]).status, Some(2));
    let vienna = answer(&sandbox, &["jobs", "--timezone", "Europe/Vienna"]);
    assert!(vienna.contains("2010-01-01 06:00 CET"), "{vienna}");
}

#[test]
fn an_empty_list_says_where_the_jobs_are() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
    for expect in ["SUCCEEDED", "SUCCEEDED"] {
        let run = sandbox.howdah(["run"]).at(NOW).define("oozie.wf.application.path", &sandbox.text("app"));
        let job = run.succeed().job();
        assert_eq!(sandbox.database().job(&job), expect);
    }
    let check = |arguments: &[&str], expect: &str| {
        let ran = ask(&sandbox, &[&["jobs"], arguments].concat());
        assert_eq!((ran.status, sandbox.redact(&ran.stderr).as_str()), (Some(0), expect), "{arguments:?}");
        ran.stdout
    };
    let note = "note: there are 2 workflow jobs: howdah jobs --jobtype wf\n";
    assert_eq!(check(&[], note), "No jobs match your criteria!\n");
    check(&["--jobtype", "bundle"], note);
    let filter = "status=SUCCEEDED;name=test";
    let that = "note: there are 2 workflow jobs that match the filter: howdah jobs --jobtype wf \
                --filter 'status=SUCCEEDED;name=test'\n";
    check(&["--filter", filter], that);
    // No note when no workflow job matches, when a program reads the output, or when a job is listed.
    for words in [
        &["--filter", "status=KILLED"][..],
        &["--filter", "frequency=1"],
        &["--quiet"],
        &["--json"],
        &["--jobtype", "wf"],
        &["--jobtype", "wf", "--filter", "status=KILLED"],
        &["--jobtype", "wf", "--offset", "9"],
    ] {
        check(words, "");
    }
}

#[test]
fn information_on_actions_runs_and_what_is_stored() {
    let sandbox = Sandbox::new();
    let job = finished(&sandbox);
    let failed = answer(&sandbox, &["info", &job, "--filter", "status=FAILED;status=KILLED"]);
    assert!(failed.contains("@2") && !failed.contains("@1") && !failed.contains("@3"), "{failed}");
    let chosen = answer(&sandbox, &["info", &job, "--filter", "nominaltime!=2010-01-01T01:00Z", "--order", "desc"]);
    assert!(chosen.find("@3").expect("@3") < chosen.find("@1").expect("@1") && !chosen.contains("@2"), "{chosen}");
    let ran = ask(&sandbox, &["info", &job, "--filter", "status>FAILED"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E0421"), "{ran:?}");
    let runs = answer(&sandbox, &["info", &format!("{job}@2"), "--allruns"]);
    assert!(runs.contains("-W") && runs.contains("KILLED"), "{runs}");
    let definition = answer(&sandbox, &["info", &job, "--definition"]);
    assert_eq!(definition.trim_end(), sandbox.read("app/coordinator.xml").trim_end());
    let configuration = answer(&sandbox, &["info", &job, "--configuration"]);
    assert!(configuration.contains("<name>sandbox</name>"), "{configuration}");
    for arguments in [["--allruns", &job], ["--definition", &format!("{job}@1")]] {
        assert_eq!(ask(&sandbox, &["info", arguments[0], arguments[1]]).status, Some(2), "{arguments:?}");
    }
}

#[test]
fn logs_are_filtered() {
    let sandbox = Sandbox::new();
    let job = finished(&sandbox);
    let errors = answer(&sandbox, &["log", &format!("{job}@2"), "--logfilter", "loglevel=ERROR"]);
    assert!(errors.contains("ERROR bad\n  at place\n") && !errors.contains("INFO"), "{errors}");
    let one = answer(&sandbox, &["log", &format!("{job}@2"), "--stdout", "--logfilter", "text=INFO;limit=1"]);
    assert!(one.contains("begin") && !one.contains("end\n"), "{one}");
    let ran = ask(&sandbox, &["log", &format!("{job}@2"), "--logfilter", "text=nothing like it", "--stdout"]);
    assert!(!ran.stdout.contains("INFO"), "{ran:?}");
    let changes = answer(&sandbox, &["log", &job, "--audit", "--logfilter", "loglevel=ERROR|WARN"]);
    assert!(changes.contains("@2  RUNNING -> KILLED") && !changes.contains("SUCCEEDED"), "{changes}");
    let third = answer(&sandbox, &["log", &job, "--audit", "--action", "3"]);
    assert!(third.contains("@3") && !third.contains("@2  "), "{third}");
    let dated = answer(&sandbox, &["log", &job, "--audit", "--date", "2010-01-01T02:00Z"]);
    assert_eq!(third, dated);
    let audit = answer(&sandbox, &["log", &format!("{job}@3"), "--audit"]);
    assert!(audit.contains("READY -> SUBMITTED") && !audit.contains("INFO"), "{audit}");
    assert_eq!(answer(&sandbox, &["log", &job, "--audit", "--logfilter", "recent=1h"]), "");
    let ran = ask(&sandbox, &["log", &job, "--logfilter", "limit=x"]);
    assert!(ran.status == Some(1) && ran.stderr.contains("E0302"), "{ran:?}");
    assert_eq!(ask(&sandbox, &["log", &format!("{job}@1"), "--action", "1"]).status, Some(2));
}

#[test]
fn the_end_is_waited_for() {
    let sandbox = Sandbox::new();
    workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
    let job = sandbox.submit(NOW, &[]);
    sandbox.await_file("pid");
    let poll = sandbox.howdah(["poll", &job, "--verbose"]).start();
    sandbox.write("gate", "");
    let ran = poll.finish();
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(0), "SUCCEEDED\n"), "{ran:?}");
    let json = answer(&sandbox, &["poll", &job, "--json"]);
    assert!(json.contains("\"status\": \"SUCCEEDED\""), "{json}");
    assert_eq!(ask(&sandbox, &["poll", "0000099-100101000000000-oozie-oozi-W"]).status, Some(1));
    assert_eq!(ask(&sandbox, &["poll", &job, "--interval", "0"]).status, Some(2));
}

#[test]
fn the_exit_status_says_that_a_job_did_not_succeed() {
    let sandbox = Sandbox::new();
    let job = finished(&sandbox);
    assert_eq!(ask(&sandbox, &["poll", &job]).status, Some(1));
    assert_eq!(ask(&sandbox, &["poll", &format!("{job}@1")]).status, Some(0));
    let ran = ask(&sandbox, &["poll", &format!("{job}@2")]);
    assert_eq!((ran.status, ran.stdout.as_str()), (Some(1), "KILLED\n"));
    // Of several, the worst end decides.
    let [good, bad] = [1, 2].map(|number| format!("{job}@{number}"));
    let ran = ask(&sandbox, &["poll", &good, &bad]);
    assert_eq!((ran.status, ran.stdout), (Some(1), format!("{good}  SUCCEEDED\n{bad}  KILLED\n")));
    let ran = ask(&sandbox, &["poll", &good, &good, "--json"]);
    assert!(ran.status == Some(0) && ran.stdout.contains("\"jobs\": [") && ran.stdout.contains(&good), "{ran:?}");
}

#[test]
fn many_jobs_at_once() {
    let sandbox = Sandbox::new();
    let done = finished(&sandbox);
    let jobs = [sandbox.submit(LATER, &[]), sandbox.submit(LATER, &[])];
    let tried = answer(&sandbox, &["suspend", "--filter", "name=test", "--dry-run"]);
    assert!(jobs.iter().all(|job| tried.contains(job.as_str())) && !tried.contains(&done), "{tried}");
    let ran = ask(&sandbox, &["suspend", "--filter", "name=test"]);
    assert!(jobs.iter().all(|job| ran.stdout.contains(job.as_str())), "{ran:?}");
    assert!(!ran.stdout.contains(&done) && ran.stderr.is_empty(), "{ran:?}");
    for job in &jobs {
        assert_eq!(sandbox.database().job(job), "PREPSUSPENDED");
    }
    let ran = ask(&sandbox, &["suspend", "--filter", "name=test"]);
    assert!(ran.status == Some(0) && ran.stderr.contains("No job was changed"), "{ran:?}");
    assert_eq!(ask(&sandbox, &["kill", "--filter", "name=test", &jobs[0]]).status, Some(2));
    assert_eq!(ask(&sandbox, &["kill"]).status, Some(2));
    answer(&sandbox, &["kill", "--jobtype", "coordinator", "--filter", "status=PREPSUSPENDED"]);
    assert_eq!(sandbox.database().job(&jobs[1]), "KILLED");
}

#[test]
fn the_sqlite_of_the_system_reads_every_table_and_view() {
    let sandbox = Sandbox::new();
    finished(&sandbox);
    // 3.37 is the first that knows strict tables.
    let ask = |query: &str| Command::new("sqlite3").arg(sandbox.database_path()).arg(query).output();
    let names = match ask("SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')") {
        Err(error) => return tier::missing("the system's sqlite3", error),
        Ok(names) => String::from_utf8(names.stdout).unwrap(),
    };
    assert!(names.lines().any(|name| name == "sla_summary"), "{names}");
    for name in names.lines() {
        let counted = ask(&format!("SELECT count(*) FROM {name}")).unwrap();
        assert!(counted.status.success(), "{name}: {}", String::from_utf8_lossy(&counted.stderr));
    }
}

#[test]
fn quiet_lists_are_ids_and_a_debugged_filter_is_plain() {
    let sandbox = Sandbox::new();
    let job = finished(&sandbox);
    assert_eq!(answer(&sandbox, &["jobs", "-q"]), format!("{job}\n"));
    assert!(answer(&sandbox, &["jobs", "-q", "--jobtype", "wf"]).lines().all(|id| id.ends_with("-W")));
    let filter = "recent=2h;loglevel=WARN|ERROR;text=x;limit=4;debug";
    let told = ask(&sandbox, &["log", &job, "--logfilter", filter]).stderr;
    let expect = "the last 120 min, levels WARN|ERROR, with the text [x], at most 4 lines";
    assert!(told.contains(expect), "{told}");
}
