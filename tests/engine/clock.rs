//! Clocks that are set while howdah works: pauses keep their length, and no tick trusts a time that is far off.

use howdah_sandbox::application::{Coordinator, action, effect, shell, shell_body, until_gate, workflow};
use howdah_sandbox::receiver::{Manner, Receiver};
use howdah_sandbox::sandbox::{Howdah, Sandbox, is_alive, kill, wait_for};

/// A command on the clock of the machine, shifted by the seconds in the file `clock`.
fn howdah<'a>(sandbox: &Sandbox, arguments: impl IntoIterator<Item = &'a str>) -> Howdah {
    sandbox.howdah(arguments).env("HOWDAH_TEST_CLOCK", sandbox.path("clock"))
}

/// Sets the clock of every process that reads the one of [`howdah`].
fn set_clock(sandbox: &Sandbox, seconds_wrong: i64) {
    sandbox.write_at_once("clock", &seconds_wrong.to_string());
}

fn submit_workflow(sandbox: &Sandbox, site: &str) -> String {
    let submit = howdah(sandbox, ["submit", "--site", site]).define("sandbox", &sandbox.text(""));
    submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed().job()
}

#[test]
fn a_clock_that_is_set_back_keeps_no_command_from_being_killed() {
    let sandbox = Sandbox::new();
    let line = "trap '' TERM; echo $$ > ${sandbox}/pid; while true; do sleep 0.05; done";
    workflow(&sandbox, "app", "one", &[shell("one", line, "end")]);
    let site = sandbox.write("site.properties", "");
    let job = submit_workflow(&sandbox, &site.display().to_string());
    let command: i32 = sandbox.await_file("pid").parse().expect("the number of a process");
    howdah(&sandbox, ["kill", &job]).succeed();
    let folder = format!("howdah.runs/{job}/one/0-1");
    sandbox.await_file(&format!("{folder}/kill"));
    set_clock(&sandbox, -3600);
    // The grace period of ten seconds must pass.
    wait_for("the command to be killed", || (!is_alive(command)).then_some(()));
    sandbox.await_quiet();
    assert_eq!(sandbox.database().rows("SELECT signal FROM attempt"), ["9"]);
    sandbox.database().check();
}

#[test]
fn a_retry_happens_although_the_clock_is_set_back() {
    let sandbox = Sandbox::new();
    let said = "ssh: Could not resolve hostname gone: unknown";
    let script = format!("while [ \"$1\" != -E ]; do shift; done; echo '{said}' > \"$2\"; exit 255");
    let client = sandbox.write("ssh", &format!("#!/bin/sh\necho try >> {}\n{script}\n", sandbox.text("tries")));
    std::fs::set_permissions(&client, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("an own file");
    let settings =
        format!("howdah.command.ssh={}\noozie.action.retries.max=1\noozie.action.retry.interval=3\n", client.display());
    let site = sandbox.write("site.properties", &settings);
    let body = "<ssh xmlns='uri:oozie:ssh-action:0.2'><host>gone</host><command>true</command></ssh>";
    workflow(&sandbox, "app", "one", &[action("one", body, "end", "")]);
    let job = submit_workflow(&sandbox, &site.display().to_string());
    let status = || sandbox.database().rows("SELECT status FROM workflow_node WHERE name = 'one'").join("");
    wait_for("the first failure", || (status() == "START_RETRY").then_some(()));
    set_clock(&sandbox, -3600);
    wait_for("the second try", || (status() == "START_MANUAL").then_some(()));
    sandbox.await_quiet();
    assert_eq!((sandbox.database().job(&job).as_str(), sandbox.read("tries").lines().count()), ("SUSPENDED", 2));
}

#[test]
fn a_delivery_is_tried_again_after_its_pause_however_the_clock_is_set() {
    for wrong in [-3600, 3600] {
        let sandbox = Sandbox::new();
        let receiver = Receiver::whose(|number| if number == 1 { Manner::HangsUp } else { Manner::Answers(200) });
        workflow(&sandbox, "app", "one", &[shell("one", "true", "end")]);
        let site = sandbox.write("site.properties", "howdah.delivery.retry.interval=6\n").display().to_string();
        let submit = howdah(&sandbox, ["submit", "--site", &site]).define("sandbox", &sandbox.text(""));
        let submit = submit.define("oozie.wf.workflow.notification.url", &receiver.url("$status"));
        submit.define("oozie.wf.application.path", &sandbox.text("app")).succeed();
        let tries = || sandbox.database().rows("SELECT tries FROM delivery ORDER BY delivery LIMIT 1").join("");
        wait_for("the first try", || (tries() == "1").then_some(()));
        set_clock(&sandbox, wrong);
        sandbox.await_quiet();
        let courier = || {
            howdah(&sandbox, ["courier", "--site", &site]).succeed();
            tries()
        };
        wait_for("the second try", || (courier() == "2").then_some(()));
        let requests = receiver.requests();
        let pause = requests[1].at - requests[0].at;
        assert!(pause >= std::time::Duration::from_secs(5), "{wrong}: {pause:?}");
    }
}

/// One action each hour, none of which has an input.
fn hourly() -> Sandbox {
    let sandbox = Sandbox::new();
    Coordinator { end: "2010-01-05T00:00Z", ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    sandbox
}

#[test]
fn a_tick_far_in_the_past_does_nothing_and_the_next_one_continues() {
    let sandbox = hourly();
    sandbox.submit("2010-01-01T00:00Z", &[]);
    sandbox.tick_through("2010-01-01T02:00Z");
    let (before, done) = (sandbox.database().dump(), sandbox.sorted_lines("effects").len());
    let past = sandbox.howdah(["tick"]).at("1970-01-01T00:05Z").run();
    let said = "tick: H0132: The clock says 1970-01-01T00:05Z, 14610 d 1 h before the tick at 2010-01-01T02:00Z: \
                nothing is done";
    assert_eq!((past.status, past.stderr.lines().count()), (Some(1), 1), "{past:?}");
    assert!(past.stderr.starts_with(said) && past.stderr.contains("howdah tick --accept-clock"), "{past:?}");
    assert_eq!(sandbox.database().dump(), before);
    sandbox.tick_through("2010-01-01T06:00Z");
    assert!(sandbox.sorted_lines("effects").len() > done, "it goes on by itself");
    // A small step back has no effect, a leap forward asks as before, and the operator may confirm that the earlier
    // time is right.
    sandbox.tick("2010-01-01T03:00Z");
    assert_eq!(sandbox.howdah(["tick"]).at("2012-01-01T00:00Z").run().status, Some(1));
    sandbox.howdah(["tick", "--accept-clock"]).at("1970-01-01T00:05Z").succeed();
    let ahead = sandbox.howdah(["tick"]).at("2010-01-01T07:00Z").run();
    assert!(ahead.stderr.contains("H0131"), "{ahead:?}");
}

#[test]
fn a_daemon_outlives_a_clock_that_leaps_either_way() {
    let sandbox = Sandbox::new();
    let errors = sandbox.path("daemon.err");
    let daemon = howdah(&sandbox, ["daemon", "--every", "1"]).errors_to(&errors).start();
    let noted = || sandbox.database().rows("SELECT at FROM last_tick").join("");
    let has_table = || !sandbox.database().rows("SELECT name FROM sqlite_schema WHERE name = 'last_tick'").is_empty();
    let has_ticked = || sandbox.database_path().exists() && has_table() && !noted().is_empty();
    wait_for("the first tick", || has_ticked().then_some(()));
    let first = noted();
    let complaints = |code: &str| sandbox.read("daemon.err").matches(code).count();
    for (wrong, code) in [(5 * 365 * 86_400, "H0131"), (-20 * 365 * 86_400, "H0132")] {
        set_clock(&sandbox, wrong);
        wait_for(code, || (complaints(code) > 0).then_some(()));
        // Workflow jobs continue meanwhile.
        workflow(&sandbox, "app", "one", &[shell("one", &until_gate("pid"), "end")]);
        sandbox.write("gate", "");
        let site = sandbox.write("site.properties", "").display().to_string();
        let job = submit_workflow(&sandbox, &site);
        wait_for("the job's end", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
        assert_eq!((noted(), complaints(code)), (first.clone(), 1));
        set_clock(&sandbox, 0);
        Coordinator { end: "2010-01-01T01:00Z", ..Coordinator::default() }.write(&sandbox);
        workflow(&sandbox, "app", "one", &[action("one", &shell_body("true", ""), "end", "")]);
        let submit = howdah(&sandbox, ["submit"]).define("sandbox", &sandbox.text(""));
        let job = submit.define("oozie.coord.application.path", &sandbox.text("app")).succeed().job();
        wait_for("the actions' ends", || (sandbox.database().job(&job) == "SUCCEEDED").then_some(()));
        std::fs::remove_file(sandbox.path("app/coordinator.xml")).expect("it was written");
    }
    kill(daemon.pid());
    daemon.finish();
}
