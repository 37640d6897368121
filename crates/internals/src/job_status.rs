//! The set `job-status`: the status of a job from its actions, and from its pause time.

use serde_json::{Value, json};

use super::judge::Answer;
use super::record::{instant, optional_instant, text};
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::job_state::{ActionCounts, JobEvent, from_actions, transition};
use howdah_words::error::Result;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::status::ActionStatus;

pub(super) fn answer(input: &Value) -> Answer {
    let Some(status) = JobStatus::from_word(text(input, "job_status")) else {
        return Answer::Skipped("unknown status");
    };
    let after = match input["step"].as_str() {
        Some("pause") => paused(input, status),
        _ => Ok(computed(input, status)),
    };
    after.map(|after| json!({ "job_status": after.as_str(), "changed": after != status })).into()
}

fn computed(input: &Value, status: JobStatus) -> JobStatus {
    let mut actions = ActionCounts::default();
    for (word, number) in input["actions"].as_object().into_iter().flatten() {
        if let Some(status) = ActionStatus::from_word(word) {
            actions.set(status, number.as_u64().unwrap_or_default());
        }
    }
    from_actions(status, input["done_materialization"] == true, input["pending"] == true, &actions)
}

fn paused(input: &Value, status: JobStatus) -> Result<JobStatus> {
    let now = instant(ProcessingZone::UTC, text(input, "now"))?;
    let pause = optional_instant(ProcessingZone::UTC, &input["pause_time"])?;
    let event = match pause {
        Some(pause) if pause <= now => JobEvent::PauseTimeReached,
        _ => JobEvent::PauseTimeGone,
    };
    Ok(transition(status, event).unwrap_or(status))
}
