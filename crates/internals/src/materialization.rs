//! The set `materialization`: one run for one job.

use serde_json::{Value, json};

use super::judge::Answer;
use super::record::{count, instant, optional_instant, text};
use super::submission::schedule;
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::job_state::{JobEvent, transition};
use howdah_oozie::coordinator::materialize::{Materialization, Window};
use howdah_testing::rows::coordinator_job;
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::status::Execution;

pub(super) fn answer(input: &Value) -> Answer {
    match (JobStatus::from_word(text(&input["job"], "status")), execution(&input["job"])) {
        (Some(status), Some(execution)) => run(input, status, execution).into(),
        _ => Answer::Skipped("unknown status or execution"),
    }
}

/// The execution of the job of a record.
pub(super) fn execution(job: &Value) -> Option<Execution> {
    Execution::from_word(text(job, "execution"))
}

fn run(input: &Value, status: JobStatus, execution: Execution) -> Result<Value> {
    let (job, zone) = (&input["job"], ProcessingZone::UTC);
    let schedule = schedule(job)?;
    let now = instant(zone, text(input, "now"))?;
    let mut window = Window::default();
    let setting = |name: &str| input["settings"][name].as_i64();
    window.window_seconds = setting("window_seconds").unwrap_or(window.window_seconds);
    window.lookup_seconds = setting("lookup_seconds").unwrap_or(window.lookup_seconds);
    let row = CoordinatorJob {
        execution,
        throttle: i32::try_from(count(job, "throttle")).unwrap_or(i32::MAX),
        pause_at: optional_instant(zone, &job["pause_time"])?,
        next_materialized_at: optional_instant(zone, &job["next_materialized"])?,
        last_action_number: count(job, "last_action_number"),
        done_materialization: job["done_materialization"] == true,
        ..coordinator_job(status)
    };
    let waiting = count(input, "waiting").into();
    let materialization = Materialization { job: &row, schedule: &schedule, waiting };
    let selected = materialization.is_selected(now, &window);
    let looked_at = selected || input["trigger"] == "submit";
    let Some(run) = looked_at.then(|| materialization.run(now, &window)).flatten() else {
        return Ok(json!({
            "selected": selected,
            "ran": false,
            "created": [],
            "next_materialized": row.next_materialized_at.map(|next| zone.format(next)),
            "last_action_number": row.last_action_number,
            "done_materialization": row.done_materialization,
            "status": status.as_str(),
        }));
    };
    let created = run.created.iter().map(|(number, at)| json!({ "number": number, "nominal": zone.format(*at) }));
    Ok(json!({
        "selected": selected,
        "ran": true,
        "created": created.collect::<Vec<_>>(),
        "next_materialized": run.next.map(|next| zone.format(next)),
        "last_action_number": run.last_action_number,
        "done_materialization": run.done,
        "status": transition(status, JobEvent::Materialized).unwrap_or(status).as_str(),
    }))
}
