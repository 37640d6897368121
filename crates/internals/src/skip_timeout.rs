//! The set `skip-timeout`: one check of one WAITING action.

use serde_json::{Value, json};

use super::judge::Answer;
use super::materialization::execution;
use super::record::{count, instant, number, text};
use super::submission::schedule;
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::action_state::{ActionEvent, transition};
use howdah_oozie::coordinator::readiness::{Check, Inputs, Strategy, Wait, check_inputs, check_time, next_nominal};
use howdah_words::error::Result;
use howdah_words::model::status::{ActionStatus, Execution};

pub(super) fn answer(input: &Value) -> Answer {
    match execution(&input["job"]) {
        Some(execution) => look(input, execution).into(),
        None => Answer::Skipped("unknown execution"),
    }
}

fn look(input: &Value, execution: Execution) -> Result<Value> {
    let zone = ProcessingZone::UTC;
    let schedule = schedule(&input["job"])?;
    let number_of_action = count(input, "action_number");
    let wait = Wait {
        nominal: instant(zone, text(input, "nominal"))?,
        created: instant(zone, text(input, "created"))?,
        timeout_minutes: number(input, "timeout_minutes"),
    };
    let strategy =
        Strategy { execution, schedule: &schedule, none_tolerance_minutes: number(input, "none_tolerance_minutes") };
    let now = instant(zone, text(input, "now"))?;
    let inputs = if input["inputs"] == "missing" { Inputs::Missing } else { Inputs::Present };
    let by_time = check_time(&strategy, number_of_action, wait, now);
    let event = match by_time.unwrap_or_else(|| check_inputs(inputs, wait, now)) {
        Check::NotDue | Check::Waits | Check::Unknown => None,
        Check::Skipped(_) => Some(ActionEvent::Skipped),
        Check::Ready => Some(ActionEvent::InputsReady),
        Check::TimedOut => Some(ActionEvent::TimedOut),
    };
    let waiting = ActionStatus::Waiting;
    let status = event.and_then(|event| transition(waiting, event)).unwrap_or(waiting);
    let next = next_nominal(&schedule, number_of_action, wait.nominal);
    Ok(json!({ "status": status.as_str(), "next_nominal": next.map(|next| zone.format(next)) }))
}
