//! What Oozie, or its specification, does in cases that are easy to get wrong.

use std::process::Command;

use howdah_sandbox::application::{Coordinator, effect, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;

const NOW: &str = "2010-01-01T00:00Z";

/// A coordinator whose actions write their nominal time.
fn effects(sandbox: &Sandbox, coordinator: &Coordinator) {
    coordinator.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
}

#[test]
fn the_last_action_of_a_job_is_never_skipped() {
    for controls in ["<execution>LAST_ONLY</execution>", "<execution>NONE</execution>"] {
        let sandbox = Sandbox::new();
        // The end is on the frequency: the time of the end is not a nominal time.
        effects(&sandbox, &Coordinator { controls, ..Coordinator::default() });
        let job = sandbox.submit("2010-01-01T03:00Z", &[]);
        sandbox.tick_through("2010-01-01T03:00Z");
        assert_eq!(sandbox.database().actions(), "1 SKIPPED, 2 SUCCEEDED", "{controls}");
        assert_eq!(sandbox.read("effects"), "2010-01-01T01:00Z\n", "{controls}");
        assert_eq!(sandbox.database().job(&job), "SUCCEEDED", "{controls}");
    }
}

/// Runs the commands that check a job over the same application; returns their exit status and standard error.
fn judged(sandbox: &Sandbox, properties: &[(&str, &str)]) -> Vec<(&'static str, Option<i32>, String)> {
    let mut file = format!("oozie.coord.application.path={}\nsandbox={}\n", sandbox.text("app"), sandbox.text(""));
    for (name, value) in properties {
        file.push_str(name);
        file.push('=');
        file.push_str(value);
        file.push('\n');
    }
    sandbox.write("job.properties", &file);
    let judge = |verb: &'static str| {
        let ran = sandbox.howdah([verb, "-c", "job.properties"]).at(NOW).run();
        (verb, ran.status, format!("{}{}", ran.stdout, ran.stderr))
    };
    ["validate", "dryrun", "submit"].map(judge).into()
}

#[test]
fn a_missing_property_is_empty_with_a_warning() {
    let sandbox = Sandbox::new();
    let properties = &[("queue", "${coord:conf('queu')}"), ("kept", "${coord:conf('queue')}")];
    effects(&sandbox, &Coordinator { properties, ..Coordinator::default() });
    for (verb, status, told) in judged(&sandbox, &[("queue", "fast")]) {
        assert_eq!(status, Some(0), "{verb}: {told}");
        let warning = "warning[W0141]: The property [queu] is not given; coord:conf('queu') is the empty text";
        assert_eq!(told.matches(warning).count(), 1, "{verb}: {told}");
        assert!(told.contains("did you mean [queue]?"), "{verb}: {told}");
    }
    workflow(&sandbox, "app", "one", &[shell("one", "echo ${wf:conf('quue')}", "end")]);
    let submit = sandbox.howdah(["submit"]).at(NOW).define("queue", "fast");
    let ran = submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
    assert!(ran.stderr.contains("W0141") && ran.stderr.contains("wf:conf('quue')"), "{ran:?}");
    assert!(ran.stderr.contains("did you mean [queue]?"), "{ran:?}");
    sandbox.await_quiet();
}

#[test]
fn a_datetime_with_too_few_digits_is_accepted_with_a_warning() {
    let sandbox = Sandbox::new();
    effects(&sandbox, &Coordinator { start: "2010-1-1T0:00Z", end: "2010-01-01T001:00Z", ..Coordinator::default() });
    for (verb, status, told) in judged(&sandbox, &[]) {
        assert_eq!(status, Some(0), "{verb}: {told}");
        for warning in [
            "The datetime [2010-1-1T0:00Z] is read as [2010-01-01T00:00Z]",
            "The datetime [2010-01-01T001:00Z] is read as [2010-01-01T01:00Z]",
        ] {
            assert_eq!(told.matches(warning).count(), 1, "{verb}: {told}");
        }
    }
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.read("effects"), "2010-01-01T00:00Z\n");
}

#[test]
fn what_is_printed_of_a_time_is_accepted() {
    let sandbox = Sandbox::new();
    sandbox.write("site", "oozie.processing.timezone=GMT+0530\n");
    let (start, end) = ("2010-01-01T00:00+0530", "2010-01-01T03:00+0530");
    effects(&sandbox, &Coordinator { start, end, ..Coordinator::default() });
    let howdah = |arguments: &[&str], now: &str| {
        let ran = sandbox.howdah(arguments.iter().copied()).env("HOWDAH_SITE", sandbox.path("site"));
        let ran = ran.with("--now").with(now).run();
        assert_eq!(ran.status, Some(0), "{ran:?}");
        ran
    };
    let path = format!("oozie.coord.application.path={}", sandbox.text("app"));
    let own = format!("sandbox={}", sandbox.text(""));
    let job = howdah(&["submit", "-D", &path, "-D", &own], "2009-12-31T23:00+0530").job();
    howdah(&["tick"], "2010-01-01T00:30+0530");
    sandbox.await_quiet();
    let info = howdah(&["info", &job], "2010-01-01T00:31+0530").stdout;
    assert!(info.contains(start) && info.contains(end) && !info.contains("00Z"), "{info}");
    let explained = howdah(&["explain", &format!("{job}@2")], "2010-01-01T00:31+0530").stdout;
    assert!(explained.contains("2010-01-01T01:00+0530") && !explained.contains("00Z"), "{explained}");
    let json = howdah(&["info", &job, "--json"], "2010-01-01T00:31+0530").stdout;
    assert!(json.contains("\"startTime\":\"2009-12-31T18:30Z\"") || json.contains("2009-12-31T18:30Z"), "{json}");
    // Printed texts are accepted as input: as an argument, in filters of each kind, and for the log.
    let listed = howdah(&["info", &job, "--filter", &format!("nominaltime={start}")], "2010-01-01T00:31+0530").stdout;
    assert!(listed.contains(&format!("{job}@1")), "{listed}");
    let since = format!("startcreatedtime={}", "2009-12-31T23:00+0530");
    let listed = howdah(&["jobs", "--filter", &since], "2010-01-01T00:31+0530").stdout;
    assert!(listed.contains(&job) && listed.contains("2009-12-31T23:00+0530"), "{listed}");
    let log = howdah(&["log", &job, "--audit"], "2010-01-01T00:31+0530").stdout;
    let stamp =
        log.split_whitespace().find(|word| word.contains("+0530")).unwrap_or_else(|| panic!("{log}")).to_owned();
    let filter = format!("start={stamp}");
    let again = howdah(&["log", &job, "--audit", "--logfilter", &filter], "2010-01-01T00:31+0530").stdout;
    assert!(!again.is_empty(), "{filter}");
    let changed = howdah(&["change", &job, "--endtime", "2010-01-01T01:00+0530"], "2010-01-01T00:31+0530").stdout;
    assert!(changed.contains(&format!("{end} -> 2010-01-01T01:00+0530")), "{changed}");
}

#[test]
fn an_output_cannot_be_searched() {
    for search in ["latest(0)", "latestRange(-1, 0)", "future(0, 3)", "futureRange(0, 1, 3)"] {
        let sandbox = Sandbox::new();
        let data = format!(
            "<datasets><dataset name='d' frequency='60' initial-instance='2010-01-01T00:00Z' timezone='UTC'>\
             <uri-template>{}/${{HOUR}}</uri-template></dataset></datasets><output-events>\
             <data-out name='o' dataset='d'><instance>${{coord:{search}}}</instance></data-out></output-events>",
            sandbox.text("data")
        );
        effects(&sandbox, &Coordinator { data, ..Coordinator::default() });
        for (verb, status, told) in judged(&sandbox, &[]) {
            assert_eq!(status, Some(1), "{search} {verb}: {told}");
            let function = search.split('(').next().unwrap_or_default();
            assert!(
                told.contains(&format!("error[E1006]: Invalid coordinator application [coord:{function}()]")),
                "{told}"
            );
        }
        assert_eq!(sandbox.howdah(["validate", "app/coordinator.xml"]).run().status, Some(1), "{search}");
    }
}

#[test]
fn an_action_that_does_not_exist_cannot_be_killed() {
    let sandbox = Sandbox::new();
    effects(&sandbox, &Coordinator::default());
    let job = sandbox.submit(NOW, &[]);
    sandbox.tick_through(NOW);
    for numbers in ["99", "98-99"] {
        let ran = sandbox.howdah(["kill", &job, "--action", numbers]).at(NOW).run();
        assert_eq!(ran.status, Some(1), "{ran:?}");
        let expect = format!("error[E0605]: Action does not exist [{job}@{numbers}]");
        assert!(ran.stderr.contains(&expect) && ran.stderr.contains("the job's actions are 1 to"), "{ran:?}");
    }
    let ran = sandbox.howdah(["kill", &format!("{job}@99")]).at(NOW).run();
    assert_eq!(ran.status, Some(1), "{ran:?}");
}

#[test]
fn the_id_of_a_job_is_reported_when_standard_output_is_full() {
    let sandbox = Sandbox::new();
    effects(&sandbox, &Coordinator::default());
    let howdah = format!(
        "exec {} submit --now {NOW} -D oozie.coord.application.path={} -D sandbox={} > /dev/full",
        env!("CARGO_BIN_EXE_howdah"),
        sandbox.text("app"),
        sandbox.text("")
    );
    let mut command = Command::new("sh");
    command.env("HOWDAH_DB", sandbox.database_path()).env("HOME", sandbox.path("home")).args(["-c", &howdah]);
    let ran = command.output().expect("a shell");
    let told = String::from_utf8_lossy(&ran.stderr);
    assert!(!ran.status.success(), "{told}");
    let id = sandbox.database().value("SELECT id FROM coordinator_job");
    assert!(told.contains(&format!("the job was stored, and its id is {id}")), "{told}");
}

#[test]
fn a_dry_run_refuses_the_user_that_a_submission_refuses() {
    let sandbox = Sandbox::new();
    effects(&sandbox, &Coordinator::default());
    let judged = judged(&sandbox, &[("user.name", "no-such-user-here")]);
    let [_, (_, dry_status, dry), (_, status, told)] = &judged[..] else { panic!("{judged:?}") };
    let first = |text: &str| text.lines().find(|line| line.starts_with("error[H015")).map(str::to_owned);
    assert_eq!((dry_status, first(dry)), (status, first(told)), "{dry}");
    assert!(first(told).is_some() && *status == Some(1), "{told}");
}

#[test]
fn a_namespace_that_is_none_is_corrected_by_its_element() {
    let sandbox = Sandbox::new();
    for (namespace, expect) in [
        ("uri:oozie:shell:0.1", "did you mean xmlns=\"uri:oozie:shell-action:0.1\"?"),
        ("uri:oozie:shell-acton:0.3", "did you mean xmlns=\"uri:oozie:shell-action:0.3\"?"),
        ("uri:oozie:nonsense:0.1", "the published schemas of <shell> are uri:oozie:shell-action:1.0"),
        ("http://example.org/shell", "the published schemas of <shell> are uri:oozie:shell-action:1.0"),
    ] {
        let node = shell("one", "true", "end").replace("uri:oozie:shell-action:0.3", namespace);
        workflow(&sandbox, "app", "one", &[node]);
        let ran = sandbox.howdah(["validate", "app/workflow.xml"]).run();
        let told = format!("{}{}", ran.stdout, ran.stderr);
        assert!(told.contains(expect) && !told.contains("uri:oozie:sla"), "{namespace}: {told}");
    }
}

#[test]
fn a_filter_of_promises_needs_a_name() {
    let sandbox = Sandbox::new();
    effects(&sandbox, &Coordinator::default());
    sandbox.submit(NOW, &[]);
    for filter in ["=x", " =x", "=", "app_name=a;=x"] {
        let ran = sandbox.howdah(["sla", "list", "--filter", filter]).run();
        assert_eq!(ran.status, Some(1), "{filter}: {ran:?}");
        assert!(ran.stderr.contains("E0401"), "{filter}: {ran:?}");
    }
}

#[test]
fn blanks_around_a_new_time_do_not_count() {
    let sandbox = Sandbox::new();
    effects(&sandbox, &Coordinator::default());
    let job = sandbox.submit(NOW, &[]);
    let change = |value: &str| sandbox.howdah(["change", &job, "--value", value]).at(NOW).run();
    let ran = change("endtime= 2010-01-01T05:00Z ;pausetime=\t2010-01-01T04:00Z");
    assert!(ran.stdout.contains("-> 2010-01-01T05:00Z") && ran.stdout.contains("2010-01-01T04:00Z"), "{ran:?}");
    for value in ["concurrency= 3", "status= RUNNING", "endtime= ", "pausetime= "] {
        assert!(change(value).stderr.contains("E1015"), "{value}");
    }
}
