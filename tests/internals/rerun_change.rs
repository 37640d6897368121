//! The set `rerun-change`: what an operator's commands do to a job and its actions.

use serde_json::{Value, json};

use super::judge::Answer;
use super::record::{count, instant, number, optional_instant, text};
use crate::calendar::ProcessingZone;
use crate::coordinator::operation::change_value::NewValues;
use crate::coordinator::operation::scope::{Period, Scope};
use crate::coordinator::operation::{ActionFacts, Changes, Decision, Declined, JobFacts};
use crate::coordinator::operation::{change, ignore, kill, rerun, suspend};
use crate::error::{Error, Result};
use crate::model::status::{ActionStatus, CoordinatorStatus};
use crate::model::time::Timestamp;

pub(super) fn answer(input: &Value) -> Answer {
    let facts = job(&input["job"]).and_then(|job| Ok((job, actions(input)?, instant(ZONE, text(input, "now"))?)));
    match facts {
        Ok((job, actions, now)) => after(input, &job, &actions, now),
        Err(error) => Answer::Refused(error),
    }
}

const ZONE: ProcessingZone = ProcessingZone::UTC;

fn after(input: &Value, job: &JobFacts, actions: &[ActionFacts], now: Timestamp) -> Answer {
    let args = &input["args"];
    let choose = |period| scope(args).and_then(|scope| scope.choose(actions, period)).map(|chosen| chosen.actions);
    let decision = match text(input, "command") {
        "suspend" => suspend::suspend(job, actions, now),
        "resume" => suspend::resume(job, actions),
        "kill" => kill::kill(job, actions),
        "kill-actions" => kill::kill_actions(job, || choose(Period::Active)),
        "ignore-actions" => ignore::ignore_actions(job, || choose(Period::Ended)),
        "rerun" => rerun::rerun(job, || choose(Period::Ended), now),
        "change" => changed(job, actions, text(args, "value")),
        _ => return Answer::Skipped("unknown command"),
    };
    Answer::Value(match decision {
        Ok(changes) => {
            done(actions, &changes, if text(input, "command") == "rerun" { shown_with_created } else { shown })
        }
        Err(Declined::NotDone(why)) => unchanged("not-done", &why, job, actions),
        Err(Declined::Refused(why)) => unchanged("refused", &why, job, actions),
    })
}

fn changed(job: &JobFacts, actions: &[ActionFacts], text: &str) -> Decision {
    let values = NewValues::parse(text, ZONE).map_err(Declined::Refused)?;
    change::change(job, actions, &values)
}

fn scope(args: &Value) -> Result<Scope> {
    match text(args, "type") {
        "date" => Scope::dates(text(args, "scope"), ZONE),
        _ => Scope::numbers(text(args, "scope")),
    }
}

fn done(actions: &[ActionFacts], changes: &Changes, show: fn(&ActionFacts) -> Value) -> Value {
    let deleted = |action: &&ActionFacts| !changes.deleted.contains(action);
    let moved = |action: &ActionFacts| {
        let found = changes.moved.iter().find(|(moved, _)| moved.number == action.number);
        found.map_or(*action, |(moved, _)| *moved)
    };
    let actions: Vec<Value> = actions.iter().filter(deleted).map(|action| show(&moved(action))).collect();
    let selected: Vec<u32> = changes.moved.iter().map(|(action, _)| action.number).collect();
    json!({ "verdict": "ok", "job": shown_job(&changes.job), "actions": actions, "selected": selected })
}

fn unchanged(verdict: &str, why: &Error, job: &JobFacts, actions: &[ActionFacts]) -> Value {
    let actions: Vec<Value> = actions.iter().map(shown).collect();
    json!({ "verdict": verdict, "code": why.code().as_str(), "job": shown_job(job), "actions": actions })
}

fn shown(action: &ActionFacts) -> Value {
    json!({ "number": action.number, "status": action.status.as_str() })
}

/// A rerun may renew the created time.
fn shown_with_created(action: &ActionFacts) -> Value {
    json!({
        "number": action.number, "status": action.status.as_str(), "created": ZONE.format(action.created),
    })
}

/// Times that the job does not have are left out.
fn shown_job(job: &JobFacts) -> Value {
    let mut shown = json!({
        "status": job.status.as_str(), "end": ZONE.format(job.end), "concurrency": job.concurrency,
        "last_action_number": job.last_action_number, "done_materialization": job.done_materialization,
    });
    for (name, time) in [("pause_time", job.pause), ("next_materialized", job.next)] {
        if let Some(time) = time {
            shown[name] = json!(ZONE.format(time));
        }
    }
    shown
}

fn job(job: &Value) -> Result<JobFacts> {
    Ok(JobFacts {
        id: "job".to_owned(),
        status: CoordinatorStatus::from_word(text(job, "status")).unwrap_or(CoordinatorStatus::PREP),
        start: instant(ZONE, text(job, "start"))?,
        end: instant(ZONE, text(job, "end"))?,
        pause: optional_instant(ZONE, &job["pause_time"])?,
        suspended: None,
        concurrency: i32::try_from(number(job, "concurrency")).unwrap_or(1),
        next: optional_instant(ZONE, &job["next_materialized"])?,
        last_action_number: count(job, "last_action_number"),
        done_materialization: job["done_materialization"] == true,
        pending: job["pending"] == true,
    })
}

fn actions(input: &Value) -> Result<Vec<ActionFacts>> {
    let facts = |action: &Value| {
        Ok(ActionFacts {
            number: count(action, "number"),
            status: ActionStatus::from_word(text(action, "status")).unwrap_or(ActionStatus::Waiting),
            nominal: instant(ZONE, text(action, "nominal"))?,
            created: instant(ZONE, text(action, "created"))?,
            has_run: false,
        })
    };
    input["actions"].as_array().into_iter().flatten().map(facts).collect()
}
