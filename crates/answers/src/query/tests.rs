//! Jobs that are really submitted and ticked, and what an operator is told about them.
#![expect(clippy::disallowed_methods, reason = "a test makes the files that it works on")]

use std::fs;

use super::coordinator::{ActionSelection, Extent};
use super::testing::{NOW, Sandbox, at};
use super::*;
use crate::query::filter::ActionsFilter;
use howdah_engine::apply::control::Verb;
use howdah_engine::verbs::control;
use howdah_store::{ActionOrder, JobFilter, Page};
use howdah_words::error::ErrorCode;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::{HOUR, MINUTE};

#[test]
fn a_waiting_action_says_what_is_missing_now_and_who_writes_it() {
    let mut sandbox = Sandbox::new();
    let producer = sandbox.submit("<throttle>1</throttle>", ("raw", "mid"));
    let reader = sandbox.submit("<timeout>60</timeout>", ("mid", "out"));
    sandbox.tick(NOW);
    let found = sandbox.check((&reader, 1), NOW, "it waits for ", &format!("howdah explain {producer}@1"));
    let input = &found.inputs[0];
    assert_eq!((input.before_initial_instance, input.instances.len()), (1, 1));
    let written = input.instances[0].producer.as_ref().unwrap();
    assert_eq!(
        (written.action_id.as_deref(), written.status),
        (Some(&*format!("{producer}@1")), Some(ActionStatus::Waiting))
    );
    assert_eq!(found.times_out_at, Some(at("2026-03-01T07:00Z")));
    // The second action of the producer is held back by its throttle.
    let held = format!("howdah explain {producer}@1");
    sandbox.check((&producer, 2), NOW, "while 1 action waits", &held);
    let second = sandbox.explain(&reader, 2, NOW).unwrap();
    let states: Vec<&str> = second.inputs[0].instances.iter().map(|instance| instance.state.as_str()).collect();
    assert_eq!(states, ["missing", "missing"]);
    // Nothing is remembered: a path that appears is seen before any tick.
    sandbox.input("mid/05");
    sandbox.check((&reader, 1), NOW, "all its inputs are there", "howdah tick");
    sandbox.check((&reader, 2), NOW, "it waits for ", "howdah explain");
}

#[test]
fn what_holds_an_action_back_is_named() {
    let mut sandbox = Sandbox::new();
    for hour in ["raw/05", "raw/06"] {
        sandbox.input(hour);
    }
    let job = sandbox.submit("<concurrency>1</concurrency>", ("raw", "mid"));
    sandbox.check((&job, 1), NOW, "the next tick creates actions", "howdah tick");
    sandbox.tick(NOW);
    let ready = sandbox.check((&job, 2), NOW, "concurrency is 1 and 1 action runs", &format!("howdah explain {job}@1"));
    assert_eq!(ready.occupied_by, [format!("{job}@1")]);
    sandbox.check((&job, 1), NOW, "no runner advances it", "howdah tick");
    sandbox.check((&job, 4), NOW, "it is due at 2026-03-01T08:00Z (in 2 h)", "howdah info");
    let refused = sandbox.explain(&job, 5, NOW).unwrap_err();
    assert_eq!((refused.code(), refused.help_text()), (ErrorCode::E0605, Some("the job has 4 actions in all")));
    control::control(&mut sandbox.engine, &job, Verb::Suspend, (Effect::Stored, NOW)).unwrap();
    sandbox.check((&job, 2), NOW, "the job is SUSPENDED", &format!("howdah resume {job}"));
    sandbox.check((&job, 4), NOW, "the job is SUSPENDED", &format!("howdah resume {job}"));
    control::control(&mut sandbox.engine, &job, Verb::Kill, (Effect::Stored, NOW)).unwrap();
    sandbox.check((&job, 2), NOW, "`kill`", "howdah");
}

#[test]
fn an_action_that_ended_badly_says_why() {
    let mut sandbox = Sandbox::new();
    let late = sandbox.submit("<timeout>10</timeout>", ("raw", "mid"));
    sandbox.tick(NOW);
    sandbox.tick(NOW + 11 * MINUTE);
    sandbox.check((&late, 1), NOW + HOUR, "timed out waiting for ", "ls -l");
    sandbox.input("raw/05");
    sandbox.check((&late, 1), NOW + HOUR, "all its inputs are there now", "howdah rerun");
    let broken = sandbox.submit("", ("raw", "out"));
    fs::remove_file(sandbox.path("wf/workflow.xml")).unwrap();
    sandbox.tick(NOW);
    sandbox.check((&broken, 1), NOW, "no workflow job was started: E0505", "howdah validate");
    let job = run(&mut sandbox.engine, NOW, |query| query.explain_job(&broken)).unwrap();
    assert_eq!(job.next[0].to_string(), format!("howdah explain {broken}@1"));
    assert!(job.actions.iter().any(|action| action.status == ActionStatus::Failed), "{job:?}");
}

#[test]
fn a_store_without_a_mount_is_named() {
    let mut sandbox = Sandbox::new();
    let job = sandbox.submit("", ("hdfs://nn:8020/raw/${HOUR}", "mid"));
    sandbox.tick(NOW);
    let found = sandbox.check((&job, 1), NOW, "hdfs://nn:8020/raw/05", "howdah tick --mount hdfs://nn:8020=");
    let instance = &found.inputs[0].instances[0];
    assert_eq!((instance.state.as_str(), instance.path.as_deref()), ("unmapped", None));
}

#[test]
fn information_is_filtered_and_ordered() {
    let mut sandbox = Sandbox::new();
    sandbox.input("raw/05");
    let job = sandbox.submit("", ("raw", "mid"));
    sandbox.tick(NOW + HOUR);
    let mut numbers = |filter: &str, order, page: (u32, u32)| {
        let page = Page { offset: page.0, len: page.1 };
        let selection =
            ActionSelection { filter: ActionsFilter::parse(filter).unwrap().matching().unwrap(), order, page };
        let info = run(&mut sandbox.engine, NOW, |query| query.coordinator_info(&job, &selection)).unwrap();
        let numbers: Vec<u32> = info.job.actions.unwrap().iter().map(|action| action.action_number).collect();
        (numbers, info.matching)
    };
    let (asc, desc) = (ActionOrder::OldestFirst, ActionOrder::NewestFirst);
    assert_eq!(numbers("", asc, (0, 2)), (vec![1, 2], 3));
    assert_eq!(numbers("status=WAITING", desc, (0, 9)), (vec![3, 2], 2));
    assert_eq!(numbers("nominaltime>2026-03-01T05:00Z;nominaltime<2026-03-01T07:00Z", asc, (0, 9)), (vec![2], 1));
    assert_eq!(numbers("status=RUNNING;status!=RUNNING", asc, (0, 9)), (vec![], 0));
    let action = run(&mut sandbox.engine, NOW, |query| query.coordinator_action_info(&job, 2)).unwrap();
    assert_eq!(action.missing_dependencies, [sandbox.path("raw/06").display().to_string()]);
    let page = Page { offset: 0, len: 50 };
    let jobs =
        run(&mut sandbox.engine, NOW, |query| query.coordinator_jobs(&JobFilter::default(), page, Extent::Whole))
            .unwrap();
    assert_eq!((jobs.total, jobs.offset, jobs.coordinatorjobs[0].total), (1, 1, Some(4)));
    let unknown = JobId::parse("0000009-1-oozie-oozi-C").unwrap();
    let refused = run(&mut sandbox.engine, NOW, |query| query.coordinator_action_info(&unknown, 1)).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::E0604);
}
