//! The set `ready-queue`: which READY actions of a job start.

use serde_json::{Value, json};

use super::judge::Answer;
use super::materialization::execution;
use super::record::{count, instant, number, text};
use super::submission::schedule;
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::queue::{Selection, may_start, select};
use howdah_oozie::coordinator::readiness::Strategy;
use howdah_testing::rows::coordinator_action;
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::{ActionStatus, Execution};

pub(super) fn answer(input: &Value) -> Answer {
    match (JobStatus::from_word(text(&input["job"], "status")), execution(&input["job"])) {
        (Some(status), Some(execution)) => look(input, status, execution).into(),
        _ => Answer::Skipped("unknown status or execution"),
    }
}

fn look(input: &Value, status: JobStatus, execution: Execution) -> Result<Value> {
    let (job, zone) = (&input["job"], ProcessingZone::UTC);
    let schedule = schedule(job)?;
    let strategy =
        Strategy { execution, schedule: &schedule, none_tolerance_minutes: number(input, "none_tolerance_minutes") };
    let ready = input["actions"].as_array().into_iter().flatten().filter(|action| action["status"] == "READY");
    let ready = ready
        .map(|action| {
            let nominal = instant(zone, text(action, "nominal"))?;
            Ok(coordinator_action(count(action, "number"), ActionStatus::Ready, nominal))
        })
        .collect::<Result<Vec<_>>>()?;
    let ran = may_start(status);
    let selection = if ran {
        let now = instant(zone, text(input, "now"))?;
        select(ready, number(job, "concurrency"), count(input, "running").into(), &strategy, now)
    } else {
        Selection::default()
    };
    let (start, skip) = selection.numbers();
    Ok(json!({ "ran": ran, "start": start, "skip": skip }))
}
