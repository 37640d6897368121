//! Waiting for inputs: done-flags, ranges, timeouts, mounts, and the order in which ready actions start.

use howdah_sandbox::application::{Coordinator, effect, shell, until_gate, workflow};
use howdah_sandbox::sandbox::{Sandbox, wait_for};

const NOW: &str = "2010-01-01T00:00Z";

/// An hourly dataset with this template and done-flag, and one input of it.
fn data(template: &str, done_flag: &str, instances: &str) -> String {
    format!(
        "<datasets><dataset name=\"d\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\" \
         timezone=\"UTC\"><uri-template>{template}</uri-template>{done_flag}</dataset></datasets>\
         <input-events><data-in name=\"i\" dataset=\"d\">{instances}</data-in></input-events>"
    )
}

const CURRENT: &str = "<instance>${coord:current(0)}</instance>";
const TEMPLATE: &str = "${sandbox}/in/${YEAR}${MONTH}${DAY}${HOUR}";

/// A coordinator of one action at [`NOW`].
fn one_action(data: String, controls: &'static str) -> Sandbox {
    let sandbox = Sandbox::new();
    let properties = &[("inputs", "${coord:dataIn('i')}")];
    Coordinator { end: "2010-01-01T00:30Z", data, controls, properties, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${inputs}"), "end")]);
    sandbox
}

#[test]
fn done_flags() {
    for (done_flag, too_little, enough) in [
        ("", "in/2010010100/part", "in/2010010100/_SUCCESS"),
        ("<done-flag/>", "in/other", "in/2010010100/part"),
        ("<done-flag></done-flag>", "in/2010010101/_SUCCESS", "in/2010010100"),
        ("<done-flag>trigger.dat</done-flag>", "in/2010010100/_SUCCESS", "in/2010010100/trigger.dat"),
    ] {
        let sandbox = one_action(data(TEMPLATE, done_flag, CURRENT), "");
        sandbox.submit(NOW, &[]);
        sandbox.tick_through(NOW);
        sandbox.write(too_little, "");
        sandbox.tick_through(NOW);
        assert_eq!(sandbox.database().actions(), "1 WAITING", "{done_flag}: {too_little}");
        sandbox.write(enough, "");
        sandbox.tick_through(NOW);
        assert_eq!(sandbox.database().actions(), "1 SUCCEEDED", "{done_flag}: {enough}");
        assert_eq!(sandbox.read("effects"), format!("{}\n", sandbox.text("in/2010010100")), "{done_flag}");
    }
}

#[test]
fn a_range_is_complete_when_its_last_gap_is_filled() {
    let range = "<start-instance>${coord:current(-2)}</start-instance><end-instance>${coord:current(0)}</end-instance>";
    let sandbox = Sandbox::new();
    Coordinator {
        start: "2010-01-01T02:00Z",
        end: "2010-01-01T02:30Z",
        data: data(TEMPLATE, "", range),
        properties: &[("inputs", "${coord:dataIn('i')}")],
        ..Coordinator::default()
    }
    .write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${inputs}"), "end")]);
    let now = "2010-01-01T02:00Z";
    sandbox.submit(now, &[]);
    for (arrives, first_missing) in [("02", "00"), ("00", "01")] {
        sandbox.write(&format!("in/20100101{arrives}/_SUCCESS"), "");
        sandbox.tick_through(now);
        let missing = sandbox.database().value("SELECT first_missing FROM coordinator_action");
        assert!(missing.ends_with(&format!("in/20100101{first_missing}/_SUCCESS")), "{missing}");
    }
    sandbox.write("in/2010010101/_SUCCESS", "");
    sandbox.tick_through(now);
    let paths: Vec<String> = ["00", "01", "02"].map(|hour| sandbox.text(&format!("in/20100101{hour}"))).into();
    assert_eq!(sandbox.read("effects"), format!("{}\n", paths.join(",")), "oldest first");
}

#[test]
fn timeouts() {
    for (timeout, waits_at, over_at) in [
        ("<timeout>0</timeout>", None, Some("2010-01-01T00:00Z")),
        ("<timeout>30</timeout>", Some("2010-01-01T00:29Z"), Some("2010-01-01T00:30Z")),
        ("<timeout>-1</timeout>", Some("2010-12-31T00:00Z"), None),
        ("", Some("2010-12-31T00:00Z"), None),
    ] {
        let sandbox = one_action(data(TEMPLATE, "", CURRENT), timeout);
        let job = sandbox.submit(NOW, &[]);
        sandbox.tick(NOW);
        if let Some(now) = waits_at {
            sandbox.tick(now);
            assert_eq!(sandbox.database().actions(), "1 WAITING", "{timeout} at {now}");
        }
        if let Some(now) = over_at {
            sandbox.tick(now);
            let database = sandbox.database();
            database.check();
            assert_eq!((database.actions().as_str(), database.job(&job).as_str()), ("1 TIMEDOUT", "DONEWITHERROR"));
            let reason = database.value("SELECT reason FROM event WHERE to_status = 'TIMEDOUT'");
            assert!(reason.contains("in/2010010100/_SUCCESS"), "{reason}");
            let missing = database.value("SELECT first_missing FROM coordinator_action");
            assert!(missing.ends_with("in/2010010100/_SUCCESS"), "{missing}");
        }
        sandbox.write("in/2010010100/_SUCCESS", "");
        // Before a purge deletes the job.
        sandbox.tick_through(if over_at.is_some() { "2010-01-05T00:00Z" } else { "2010-12-31T00:00Z" });
        let expect = if over_at.is_some() { "1 TIMEDOUT" } else { "1 SUCCEEDED" };
        assert_eq!(sandbox.database().actions(), expect, "{timeout}");
    }
}

#[test]
fn inputs_that_come_with_the_deadline_win() {
    let sandbox = one_action(data(TEMPLATE, "", CURRENT), "<timeout>0</timeout>");
    sandbox.submit(NOW, &[]);
    sandbox.write("in/2010010100/_SUCCESS", "");
    sandbox.tick_through(NOW);
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED");
}

#[test]
fn a_mount_gives_a_store_a_folder() {
    let sandbox = one_action(data("hdfs://namenode:8020/in/${YEAR}${MONTH}${DAY}${HOUR}", "", CURRENT), "");
    let mount = format!("hdfs://namenode:8020={}", sandbox.text("store"));
    // The application too is found through the mount.
    std::fs::create_dir(sandbox.path("store")).expect("an empty folder");
    std::fs::rename(sandbox.path("app"), sandbox.path("store/app")).expect("within one folder");
    let submit = sandbox.howdah(["submit"]).at(NOW).define("sandbox", &sandbox.text(""));
    let submit = submit.define("oozie.coord.application.path", "hdfs://namenode:8020/app");
    let coordinator = sandbox.read("store/app/coordinator.xml");
    sandbox.write("store/app/coordinator.xml", &coordinator.replace(&sandbox.text("app"), "hdfs://namenode:8020/app"));
    let job = submit.with("--mount").with(&mount).succeed().stdout.trim_start_matches("job: ").trim().to_owned();
    let tick = || sandbox.howdah(["tick"]).at(NOW).env("HOWDAH_MOUNTS", &mount).succeed();
    tick();
    assert_eq!(sandbox.database().actions(), "1 WAITING");
    let explain = || sandbox.howdah(["explain", &format!("{job}@1")]).at(NOW);
    let uri = "hdfs://namenode:8020/in/2010010100/_SUCCESS";
    let why = explain().env("HOWDAH_MOUNTS", &mount).succeed().stdout;
    assert!(why.contains(&format!("It waits for {uri}.\n")), "{why}");
    let why = explain().succeed().stdout;
    assert!(why.contains(&format!("It waits for {uri}, for which there is no mount.\n")), "{why}");
    sandbox.write("store/in/2010010100/_SUCCESS", "");
    tick();
    sandbox.await_quiet();
    assert_eq!(sandbox.database().actions(), "1 SUCCEEDED");
    assert_eq!(sandbox.read("effects"), "hdfs://namenode:8020/in/2010010100\n", "the workflow sees the URI");
}

/// Four hourly actions that are all ready at once.
fn four_ready(controls: &'static str, line: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-01T04:00Z", controls, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    sandbox.submit(NOW, &[]);
    sandbox.tick("2010-01-01T03:00Z");
    sandbox
}

#[test]
fn the_order_of_execution() {
    let oldest_first = "2010-01-01T00:00Z\n2010-01-01T01:00Z\n2010-01-01T02:00Z\n2010-01-01T03:00Z\n";
    let newest_first = "2010-01-01T03:00Z\n2010-01-01T02:00Z\n2010-01-01T01:00Z\n2010-01-01T00:00Z\n";
    for (controls, expect) in [
        ("", oldest_first),
        ("<execution>FIFO</execution>", oldest_first),
        ("<execution>LIFO</execution>", newest_first),
    ] {
        let sandbox = four_ready(controls, &effect("${nominal}"));
        sandbox.await_quiet();
        assert_eq!(sandbox.read("effects"), expect, "{controls}");
    }
}

#[test]
fn no_more_actions_than_the_concurrency_run_at_once() {
    for (controls, expect) in [
        ("<concurrency>2</concurrency>", "1 RUNNING, 2 RUNNING, 3 READY, 4 READY"),
        ("<concurrency>2</concurrency><execution>LIFO</execution>", "1 READY, 2 READY, 3 RUNNING, 4 RUNNING"),
        ("<concurrency>3</concurrency>", "1 RUNNING, 2 RUNNING, 3 RUNNING, 4 READY"),
    ] {
        let sandbox = four_ready(controls, &until_gate("${nominal}"));
        assert_eq!(sandbox.database().actions(), expect);
        let running = expect.matches("RUNNING").count();
        let begun = || sandbox.database().rows("SELECT attempt FROM attempt").len();
        wait_for("the commands to begin", || (begun() == running).then_some(()));
        sandbox.tick("2010-01-01T03:30Z");
        assert_eq!(sandbox.database().actions(), expect, "a tick changes nothing");
        sandbox.write("gate", "");
        sandbox.await_quiet();
        let database = sandbox.database();
        database.check();
        assert_eq!(database.rows("SELECT DISTINCT status FROM coordinator_action"), ["SUCCEEDED"]);
    }
}
