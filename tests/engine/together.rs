//! What a tick stores together: all of it or nothing, after a kill too, and nothing of it waits for a path that gives
//! no answer.

use std::fs;

use crate::no_answer::{LOOKS, hanging};
use howdah_sandbox::application::{Coordinator, effect, hourly_input, shell, workflow};
use howdah_sandbox::sandbox::Sandbox;
use howdah_sandbox::strace;
use howdah_tier as tier;

/// When three actions of a job are due.
const NOW: &str = "2010-01-01T02:00Z";

/// A coordinator with three actions, which may run at once.
fn three(sandbox: &Sandbox, data: String) {
    let controls = "<concurrency>3</concurrency>";
    Coordinator { controls, end: "2010-01-01T03:00Z", data, ..Coordinator::default() }.write(sandbox);
    workflow(sandbox, "app", "one", &[shell("one", &effect("${wf:id()}"), "end")]);
}

/// Ticks until all actions have ended; each must have run once.
fn all_run_once(sandbox: &Sandbox, actions: usize) {
    sandbox.tick_through(NOW);
    let database = sandbox.database();
    database.check();
    let ended = database.rows("SELECT external_id FROM coordinator_action WHERE status = 'SUCCEEDED' ORDER BY 1");
    assert_eq!((ended.len(), ended), (actions, sandbox.sorted_lines("effects")), "{}", database.actions());
}

#[test]
fn starts_of_a_step_are_stored_together_or_not_at_all() {
    for (point, expect) in [
        ("inside-start-commit:2", "1 READY, 2 READY, 3 READY"),
        ("inside-start-commit:3", "1 READY, 2 READY, 3 READY"),
        ("before-start-commit:1", "1 READY, 2 READY, 3 READY"),
        ("after-start-commit:1", "1 RUNNING, 2 RUNNING, 3 RUNNING"),
    ] {
        let sandbox = Sandbox::new();
        three(&sandbox, String::new());
        sandbox.submit(NOW, &[]);
        sandbox.howdah(["tick"]).at(NOW).die_at(point);
        let database = sandbox.database();
        assert_eq!(database.actions(), expect, "{point}");
        let jobs = database.rows("SELECT id FROM workflow_job").len();
        assert_eq!(jobs, expect.matches("RUNNING").count(), "{point}");
        all_run_once(&sandbox, 3);
    }
}

#[test]
fn inputs_of_several_jobs_are_stored_together_or_not_at_all() {
    for (point, status) in [("inside-inputs-commit:2", "WAITING"), ("after-inputs-commit:1", "READY")] {
        let sandbox = Sandbox::new();
        three(&sandbox, hourly_input(&sandbox.text("data"), "<done-flag/>"));
        fs::create_dir(sandbox.path("data")).expect("an empty sandbox");
        for _ in 0..2 {
            sandbox.submit(NOW, &[]);
        }
        sandbox.howdah(["tick"]).at(NOW).die_at(point);
        let expect = [1, 2, 3, 1, 2, 3].map(|number| format!("{number} {status}")).join(", ");
        assert_eq!(sandbox.database().actions(), expect, "{point}");
        all_run_once(&sandbox, 6);
    }
}

/// Lets one tick fail to write the rows of `refused`; then all ticks write them.
fn one_tick_without(sandbox: &Sandbox, refused: &str, expect: &str) {
    let trigger = format!("CREATE TRIGGER refuse BEFORE INSERT ON {refused} BEGIN SELECT json('refused'); END");
    let connection = rusqlite::Connection::open(sandbox.database_path()).expect("the database opens");
    connection.execute_batch(&trigger).expect("a trigger");
    let ticked = sandbox.howdah(["tick"]).at(NOW).run();
    assert!(ticked.status == Some(70) && ticked.stderr.contains("malformed JSON"), "{ticked:?}");
    assert_eq!(sandbox.database().actions(), expect);
    connection.execute_batch("DROP TRIGGER refuse").expect("the trigger is there");
}

#[test]
fn what_cannot_be_stored_undoes_nothing_before_it() {
    let sandbox = Sandbox::new();
    three(&sandbox, String::new());
    sandbox.submit(NOW, &[]);
    one_tick_without(&sandbox, "workflow_job WHEN new.parent_action = 2", "1 RUNNING, 2 READY, 3 READY");
    all_run_once(&sandbox, 3);
    let sandbox = Sandbox::new();
    three(&sandbox, hourly_input(&sandbox.text("data"), "<done-flag/>"));
    fs::create_dir(sandbox.path("data")).expect("an empty sandbox");
    for _ in 0..2 {
        sandbox.submit(NOW, &[]);
    }
    let expect = "1 READY, 2 READY, 3 READY, 1 WAITING, 2 WAITING, 3 WAITING";
    one_tick_without(&sandbox, "event WHEN new.to_status = 'READY' AND new.coordinator_job = 2", expect);
    all_run_once(&sandbox, 6);
}

/// Replaces texts in the definition of the coordinator and submits it as another job.
fn submit_another(sandbox: &Sandbox, replaced: &[(String, String)]) {
    let definition = sandbox.read("app/coordinator.xml");
    let other = replaced.iter().fold(definition, |text, (from, to)| text.replacen(from, to, 1));
    sandbox.write("app/coordinator.xml", &other);
    sandbox.submit(NOW, &[]);
}

/// Two jobs with an action each, of which the second waits for a path that gives no answer.
fn one_hangs(calls: &str, path: &str, replaced: impl Fn(&Sandbox) -> Vec<(String, String)>) -> Sandbox {
    let sandbox = Sandbox::new();
    let data = hourly_input(&sandbox.text("data"), "<done-flag/>");
    Coordinator { end: "2010-01-01T01:00Z", data, ..Coordinator::default() }.write(&sandbox);
    for folder in ["app", "slow"] {
        workflow(&sandbox, folder, "one", &[shell("one", &effect("${wf:id()}"), "end")]);
    }
    for folder in ["data", "late"] {
        fs::create_dir(sandbox.path(folder)).expect("an empty sandbox");
    }
    sandbox.submit(NOW, &[]);
    submit_another(&sandbox, &replaced(&sandbox));
    let (code, _, said) = hanging(&sandbox, calls, &sandbox.text(path), &["tick", "--now", NOW]);
    assert_eq!(code, Some(75), "{said}");
    sandbox
}

#[test]
fn a_path_without_an_answer_holds_up_only_what_comes_after_it() {
    if let Err(why) = strace::is_here() {
        return tier::missing("strace", why);
    }
    let sandbox = one_hangs("openat", "slow/workflow.xml", |sandbox| {
        let path = |folder| format!("<app-path>{}</app-path>", sandbox.text(folder));
        vec![(path("app"), path("slow"))]
    });
    assert_eq!(sandbox.database().actions(), "1 RUNNING, 1 READY");
    all_run_once(&sandbox, 2);
    let sandbox = one_hangs(LOOKS, "late", |sandbox| {
        let dataset = format!(
            "<dataset name=\"late\" frequency=\"${{coord:hours(1)}}\" initial-instance=\"2010-01-01T00:00Z\"
               timezone=\"UTC\"><uri-template>{}</uri-template><done-flag/></dataset></datasets>",
            sandbox.text("late")
        );
        let input = "<data-in name=\"late\" dataset=\"late\"><instance>${coord:current(0)}</instance></data-in>";
        let input = format!("{input}</input-events>");
        vec![("</datasets>".to_owned(), dataset), ("</input-events>".to_owned(), input)]
    });
    assert_eq!(sandbox.database().actions(), "1 READY, 1 WAITING");
    all_run_once(&sandbox, 2);
}
