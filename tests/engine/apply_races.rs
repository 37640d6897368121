//! Applies while other commands change the same jobs: each nominal time belongs to one job.

use crate::apply::{Apps, LATER, START};
use crate::rerun_races::{hold, release};

/// Lets an apply wait before its first step, and another one do everything; the first must refuse what it planned.
fn overtaken(apps: &Apps, at: &str) {
    let first = hold(&apps.0, apps.0.howdah(["apply", "apps"]).at(at), "before-apply-step", "go");
    apps.applied(at, &[]);
    let before = apps.0.database().dump();
    let refused = release(&apps.0, first, "go");
    assert!(refused.status == Some(1) && refused.stderr.contains("E1100"), "{refused:?}");
    assert!(refused.stderr.contains("give the command again"), "{refused:?}");
    assert_eq!(apps.0.database().dump(), before, "the plan was for another state");
    apps.0.database().check();
}

#[test]
fn a_job_that_was_killed_is_continued_by_one_of_two_applies() {
    let apps = Apps::new();
    apps.forget("b");
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    apps.0.howdah(["kill", "a"]).at(LATER).succeed();
    overtaken(&apps, LATER);
    apps.0.tick_through("2010-01-01T02:30Z");
    assert_eq!(apps.jobs(), ["a KILLED 2 05:00", "a RUNNING 3 05:00"]);
    assert_eq!(apps.0.sorted_lines("effects").len(), 3, "each nominal time runs once");
}

#[test]
fn a_new_job_is_submitted_by_one_of_two_applies() {
    let apps = Apps::new();
    apps.forget("b");
    let first = hold(&apps.0, apps.0.howdah(["apply", "apps"]).at(START), "before-apply-step", "go");
    apps.applied(START, &[]);
    // All its actions are created, and it still has its name.
    let late = "2010-01-01T06:00Z";
    apps.0.tick(late);
    let done = apps.0.database().rows("SELECT last_action_number, done_materialization FROM coordinator_job");
    assert_eq!(done, ["5 1"]);
    let refused = release(&apps.0, first, "go");
    let expect = "another job got the name [a] meanwhile";
    assert!(refused.status == Some(1) && refused.stderr.contains(expect), "{refused:?}");
    apps.0.tick_through(late);
    assert_eq!(apps.jobs(), ["a SUCCEEDED 5 05:00"]);
}

#[test]
fn a_job_that_was_replaced_meanwhile_gets_no_new_end() {
    let apps = Apps::new();
    apps.forget("b");
    apps.applied(START, &[]);
    apps.0.tick_through(LATER);
    apps.rewrite("a", "T05:00Z", "T07:00Z");
    let first = hold(&apps.0, apps.0.howdah(["apply", "apps"]).at(LATER), "before-apply-step", "go");
    apps.describe("a", "${coord:minutes(30)}", "day");
    apps.applied(LATER, &[]);
    let refused = release(&apps.0, first, "go");
    assert!(refused.status == Some(1) && refused.stderr.contains("E1100"), "{refused:?}");
    assert_eq!(apps.jobs(), ["a SUCCEEDED 2 02:00", "a PREP 4 05:00"]);
}

#[test]
fn what_is_stored_is_what_was_planned() {
    let apps = Apps::new();
    apps.forget("b");
    apps.applied(START, &[]);
    apps.rewrite("a", "T05:00Z", "T04:00Z");
    let held = hold(&apps.0, apps.0.howdah(["apply", "apps"]).at(START), "before-apply-step", "go");
    apps.0.write("apps/a/coordinator.xml", "<coordinator-app/>");
    let done = release(&apps.0, held, "go");
    assert_eq!((done.status, done.stderr.as_str()), (Some(0), ""), "{done:?}");
    assert_eq!(apps.jobs(), ["a PREP 0 04:00"]);
    apps.rewrite("a", "<coordinator-app/>", "");
    apps.describe("a", "${coord:hours(1)}", "day");
    apps.rewrite("a", "T05:00Z", "T04:00Z");
    assert!(apps.applied(START, &[]).ends_with("Nothing is to be done.\n"));
}
