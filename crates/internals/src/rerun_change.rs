//! The set `rerun-change`: what an operator's commands do to a job and its actions.

use serde_json::{Value, json};

use super::judge::Answer;
use super::record::{count, instant, number, optional_instant, text};
use howdah_calendar::ProcessingZone;
use howdah_calendar::notation::Notation;
use howdah_oozie::coordinator::operation::change_value::NewValues;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_oozie::coordinator::operation::{Changes, ChosenGroups, Decision, Declined};
use howdah_oozie::coordinator::operation::{change, ignore, kill, rerun, suspend};
use howdah_testing::rows::{coordinator_action, coordinator_job};
use howdah_words::error::{Error, Result};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

pub(super) fn answer(input: &Value) -> Answer {
    let facts = job(&input["job"]).and_then(|job| Ok((job, actions(input)?, instant(ZONE, text(input, "now"))?)));
    match facts {
        Ok((job, actions, now)) => after(input, &job, &actions, now),
        Err(error) => Answer::Refused(error),
    }
}

const ZONE: ProcessingZone = ProcessingZone::UTC;

fn after(input: &Value, job: &CoordinatorJob, actions: &[CoordinatorAction], now: Timestamp) -> Answer {
    let args = &input["args"];
    let choose = |period| {
        scope(args).and_then(|scope| scope.choose(actions, period, Notation::UTC)).map(|chosen| chosen.actions)
    };
    let decision = match text(input, "command") {
        "suspend" => suspend::suspend(job, actions, now),
        "resume" => suspend::resume(job, actions),
        "kill" => kill::kill(job, actions),
        "kill-actions" => kill::kill_actions(job, || choose(Period::Active).map(named)),
        "ignore-actions" => ignore::ignore_actions(job, || choose(Period::Ended).map(named)),
        "rerun" => rerun::rerun(job, || choose(Period::Ended), now),
        "change" => changed(input, job, actions),
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

/// The actions as a command that changes groups gets them: each of them changes alone.
fn named(started: Vec<CoordinatorAction>) -> ChosenGroups {
    ChosenGroups { started, ..ChosenGroups::default() }
}

fn changed(input: &Value, job: &CoordinatorJob, actions: &[CoordinatorAction]) -> Decision {
    let values = NewValues::parse(text(&input["args"], "value"), ZONE).map_err(Declined::Refused)?;
    change::check(job, &values, input["job"]["pending"] == true).map_err(Declined::Refused)?;
    change::change(
        job,
        &|number| Ok(actions.iter().find(|action| action.number == number).cloned()),
        &values,
        Notation::UTC,
    )
}

fn scope(args: &Value) -> Result<Scope> {
    match text(args, "type") {
        "date" => Scope::dates(text(args, "scope"), ZONE),
        _ => Scope::numbers(text(args, "scope")),
    }
}

fn done(actions: &[CoordinatorAction], changes: &Changes, show: fn(&CoordinatorAction) -> Value) -> Value {
    let deleted = |action: &&CoordinatorAction| !changes.deleted.contains(action);
    let moved = |action: &CoordinatorAction| {
        let found = changes.moved.iter().find(|(moved, _)| moved.number == action.number);
        found.map_or(action, |(moved, _)| moved).clone()
    };
    let actions: Vec<Value> = actions.iter().filter(deleted).map(|action| show(&moved(action))).collect();
    let selected: Vec<u32> = changes.moved.iter().map(|(action, _)| action.number).collect();
    json!({ "verdict": "ok", "job": shown_job(&changes.job), "actions": actions, "selected": selected })
}

fn unchanged(verdict: &str, why: &Error, job: &CoordinatorJob, actions: &[CoordinatorAction]) -> Value {
    let actions: Vec<Value> = actions.iter().map(shown).collect();
    json!({ "verdict": verdict, "code": why.code().as_str(), "job": shown_job(job), "actions": actions })
}

fn shown(action: &CoordinatorAction) -> Value {
    json!({ "number": action.number, "status": action.status.as_str() })
}

/// A rerun may renew the created time.
fn shown_with_created(action: &CoordinatorAction) -> Value {
    json!({
        "number": action.number, "status": action.status.as_str(), "created": ZONE.format(action.created_at),
    })
}

/// Times that the job does not have are left out.
fn shown_job(job: &CoordinatorJob) -> Value {
    let mut shown = json!({
        "status": job.status.as_str(), "end": ZONE.format(job.end_at), "concurrency": job.concurrency,
        "last_action_number": job.last_action_number, "done_materialization": job.done_materialization,
    });
    for (name, time) in [("pause_time", job.pause_at), ("next_materialized", job.next_materialized_at)] {
        if let Some(time) = time {
            shown[name] = json!(ZONE.format(time));
        }
    }
    shown
}

fn job(job: &Value) -> Result<CoordinatorJob> {
    let status = JobStatus::from_word(text(job, "status")).unwrap_or(JobStatus::PREP);
    Ok(CoordinatorJob {
        start_at: instant(ZONE, text(job, "start"))?,
        end_at: instant(ZONE, text(job, "end"))?,
        pause_at: optional_instant(ZONE, &job["pause_time"])?,
        concurrency: i32::try_from(number(job, "concurrency")).unwrap_or(1),
        next_materialized_at: optional_instant(ZONE, &job["next_materialized"])?,
        last_action_number: count(job, "last_action_number"),
        done_materialization: job["done_materialization"] == true,
        ..coordinator_job(status)
    })
}

fn actions(input: &Value) -> Result<Vec<CoordinatorAction>> {
    let row = |action: &Value| {
        let status = ActionStatus::from_word(text(action, "status")).unwrap_or(ActionStatus::Waiting);
        Ok(CoordinatorAction {
            created_at: instant(ZONE, text(action, "created"))?,
            ..coordinator_action(count(action, "number"), status, instant(ZONE, text(action, "nominal"))?)
        })
    };
    input["actions"].as_array().into_iter().flatten().map(row).collect()
}
