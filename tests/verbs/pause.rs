//! Kick-off and pause time: PREP until due, PREPPAUSED, PREPSUSPENDED, PAUSED (coordinator specification 6.1.2).

use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, workflow};
use howdah_sandbox::sandbox::{Sandbox, user_name};

/// Hourly actions on 2010-01-01, each waiting for a file of its hour.
fn hourly(controls: &'static str) -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let (end, data) = ("2010-01-02T00:00Z", hourly_input("${sandbox}/in/${HOUR}", ""));
    Coordinator { end, controls, data, ..Coordinator::default() }.write(&sandbox);
    workflow(&sandbox, "app", "one", &[shell("one", &effect("${nominal}"), "end")]);
    let job = sandbox.submit("2009-12-31T00:00Z", &[]);
    (sandbox, job)
}

fn pause_at(sandbox: &Sandbox, (job, pause): (&str, &str), now: &str) {
    sandbox.howdah(["change", job, "--pausetime", pause]).at(now).succeed();
}

/// Returns the job's status, its actions, and when the next tick checks it.
fn check(sandbox: &Sandbox, now: &str, expect: (&str, &str, &str)) {
    sandbox.tick_through(now);
    let database = sandbox.database();
    database.check();
    let due = "SELECT coalesce(strftime('%Y-%m-%dT%H:%MZ', due_at, 'unixepoch'), 'never') FROM coordinator_job";
    let status = database.value("SELECT status FROM coordinator_job");
    assert_eq!((status.as_str(), database.actions().as_str(), database.value(due).as_str()), expect, "at {now}");
}

#[test]
fn a_pause_stops_materialization_only_and_is_caught_up_with() {
    let (sandbox, job) = hourly("<concurrency>5</concurrency>");
    check(&sandbox, "2010-01-01T00:30Z", ("RUNNING", "1 WAITING", "2010-01-01T00:55Z"));
    pause_at(&sandbox, (&job, "2010-01-01T02:00Z"), "2010-01-01T00:30Z");
    // The pause time is after the next action: both are waited for.
    check(&sandbox, "2010-01-01T01:30Z", ("RUNNING", "1 WAITING, 2 WAITING", "2010-01-01T02:00Z"));
    check(&sandbox, "2010-01-01T02:00Z", ("PAUSED", "1 WAITING, 2 WAITING", "never"));
    sandbox.write("in/01/_SUCCESS", "");
    check(&sandbox, "2010-01-01T03:00Z", ("PAUSED", "1 WAITING, 2 SUCCEEDED", "never"));
    // A clock that went back does not end a pause that had started.
    check(&sandbox, "2010-01-01T01:30Z", ("PAUSED", "1 WAITING, 2 SUCCEEDED", "never"));
    pause_at(&sandbox, (&job, "none"), "2010-01-01T04:10Z");
    let actions = "1 WAITING, 2 SUCCEEDED, 3 WAITING, 4 WAITING, 5 WAITING";
    check(&sandbox, "2010-01-01T04:10Z", ("RUNNING", actions, "2010-01-01T04:55Z"));
    let set = "SELECT DISTINCT origin, actor, reason FROM event WHERE sets_pause = 1 ORDER BY 3 DESC";
    let by = |time: &str| format!("change {} pausetime={time}", user_name());
    assert_eq!(sandbox.database().rows(set), [by("2010-01-01T02:00Z"), by("")]);
    let why = "SELECT from_status, to_status, reason FROM event WHERE origin = 'pause' ORDER BY event";
    assert_eq!(sandbox.database().rows(why), ["RUNNING PAUSED its pause time 2010-01-01T02:00Z has come"]);
}

#[test]
fn a_job_waits_for_its_start_paused_or_not() {
    let (sandbox, job) = hourly("");
    check(&sandbox, "2009-12-31T12:00Z", ("PREP", "", "2009-12-31T23:55Z"));
    pause_at(&sandbox, (&job, "2009-12-31T18:00Z"), "2009-12-31T12:00Z");
    check(&sandbox, "2009-12-31T12:01Z", ("PREP", "", "2009-12-31T18:00Z"));
    check(&sandbox, "2009-12-31T18:00Z", ("PREPPAUSED", "", "never"));
    check(&sandbox, "2010-01-01T01:30Z", ("PREPPAUSED", "", "never"));
    pause_at(&sandbox, (&job, "2010-01-01T00:30Z"), "2009-12-31T19:00Z");
    // Its start has passed, and so has the new pause time: what is due before the pause is created when it is over.
    check(&sandbox, "2010-01-01T01:30Z", ("PREPPAUSED", "", "never"));
    sandbox.howdah(["suspend", &job]).at("2010-01-01T01:30Z").succeed();
    check(&sandbox, "2010-01-01T01:40Z", ("PREPSUSPENDED", "", "never"));
    sandbox.howdah(["resume", &job]).at("2010-01-01T01:40Z").succeed();
    check(&sandbox, "2010-01-01T01:40Z", ("PREPPAUSED", "", "never"));
    pause_at(&sandbox, (&job, "none"), "2010-01-01T01:40Z");
    check(&sandbox, "2010-01-01T01:40Z", ("RUNNING", "1 WAITING, 2 WAITING", "2010-01-01T01:55Z"));
}

#[test]
fn a_suspended_job_times_nothing_out_until_it_is_resumed() {
    let (sandbox, job) = hourly("<timeout>90</timeout><concurrency>5</concurrency>");
    check(&sandbox, "2010-01-01T01:10Z", ("RUNNING", "1 WAITING, 2 WAITING", "2010-01-01T01:55Z"));
    sandbox.howdah(["suspend", &job]).at("2010-01-01T01:10Z").succeed();
    check(&sandbox, "2010-01-01T05:10Z", ("SUSPENDED", "1 WAITING, 2 WAITING", "never"));
    sandbox.write("in/01/_SUCCESS", "");
    sandbox.howdah(["resume", &job]).at("2010-01-01T05:10Z").succeed();
    // The time advanced: complete actions start now, incomplete ones have waited too long.
    let actions = "1 TIMEDOUT, 2 SUCCEEDED, 3 WAITING, 4 WAITING, 5 WAITING, 6 WAITING";
    check(&sandbox, "2010-01-01T05:10Z", ("RUNNINGWITHERROR", actions, "2010-01-01T05:55Z"));
}

#[test]
fn a_job_that_has_created_everything_is_paused_at_its_time_too() {
    let (sandbox, job) = hourly("<throttle>24</throttle>");
    sandbox.howdah(["change", &job, "--endtime", "2010-01-01T02:00Z"]).at("2009-12-31T00:00Z").succeed();
    check(&sandbox, "2010-01-01T01:30Z", ("RUNNING", "1 WAITING, 2 WAITING", "never"));
    pause_at(&sandbox, (&job, "2010-01-01T03:00Z"), "2010-01-01T01:30Z");
    check(&sandbox, "2010-01-01T02:30Z", ("RUNNING", "1 WAITING, 2 WAITING", "2010-01-01T03:00Z"));
    check(&sandbox, "2010-01-01T03:00Z", ("PAUSED", "1 WAITING, 2 WAITING", "never"));
}
