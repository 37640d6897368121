//! The set `sla`: the states of one registration, and whether one is created without alerts.

use howdah_oozie::sla::machine::SlaMachine as _;
use serde_json::{Map, Value, json};

use super::judge::Answer;
use super::record::{count, instant, optional_instant, properties, text};
use howdah_calendar::ProcessingZone;
use howdah_oozie::sla::alerts::{self, AlertedAction, Moment};
use howdah_oozie::sla::machine::{Observation, SlaEnd};
use howdah_oozie::sla::registration::Registration;
use howdah_testing::rows::sla_registration;
use howdah_words::error::Result;
use howdah_words::model::row::SlaRegistration;
use howdah_words::model::status::{ActionStatus, SlaEvent};
use howdah_words::model::time::Timestamp;

/// How long the periodic check of every record waits beyond an expected time.
const LATENCY_SECONDS: i64 = 90;

/// The hours after which alerts are off in every record without another value.
const OLDER_THAN_HOURS: i64 = 48;

const ZONE: ProcessingZone = ProcessingZone::UTC;

pub(super) fn answer(input: &Value) -> Answer {
    match input["kind"].as_str() {
        Some("alerts-disabled") => alerts_disabled(input).into(),
        _ => life(input).into(),
    }
}

fn alerts_disabled(input: &Value) -> Result<Value> {
    let subject = AlertedAction {
        job_id: text(input, "job_id"),
        app_name: text(input, "app_name"),
        number: count(input, "action_number"),
        nominal: instant(ZONE, text(input, "nominal"))?,
    };
    let now = instant(ZONE, text(input, "now"))?;
    let moment = Moment { now, older_than_hours: OLDER_THAN_HOURS, processing: ZONE };
    Ok(json!({ "disabled": alerts::are_disabled(&properties(&input["conf"]), &subject, moment) }))
}

fn life(input: &Value) -> Result<Value> {
    let registration = Registration::read(&properties(&input["sla"]), ZONE)?;
    let mut row = SlaRegistration {
        expected_start_at: registration.expected_start,
        expected_end_at: registration.expected_end,
        expected_seconds: registration.expected_seconds,
        ..sla_registration()
    };
    let mut sight = Observation::Underway { started: None };
    let mut steps = Vec::new();
    for step in input["steps"].as_array().into_iter().flatten() {
        let now = instant(ZONE, text(step, "at"))?;
        let is_check = step["do"] == "check";
        if !is_check {
            sight = seen(step, now)?;
        }
        let looks = !is_check || row.next_check(LATENCY_SECONDS).is_some_and(|due| due <= now);
        let events = if looks { row.observe(sight, now) } else { Vec::new() };
        let told = events.into_iter().filter(|_| input["alerts_disabled"] != true);
        steps.push(json!({ "events": words(told), "sla_status": row.status.as_str() }));
    }
    let given = [
        ("steps", Some(Value::from(steps))),
        ("expected_end", Some(second(row.expected_end_at))),
        ("expected_start", row.expected_start_at.map(second)),
        ("expected_duration_seconds", row.expected_seconds.map(Value::from)),
        ("alert_events", registration.alert_events.map(|events| words(events.into_iter()))),
        ("actual_start", row.actual_start_at.map(second)),
        ("actual_end", row.actual_end_at.map(second)),
        ("actual_duration_seconds", row.actual_duration().map(Value::from)),
    ];
    Ok(given.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Map<_, _>>().into())
}

/// What a change of the action's status shows of it.
fn seen(step: &Value, now: Timestamp) -> Result<Observation> {
    let started = optional_instant(ZONE, &step["wf_start"])?;
    let worked_until = optional_instant(ZONE, &step["wf_end"])?;
    let status = ActionStatus::from_word(text(step, "status")).unwrap_or(ActionStatus::Waiting);
    Ok(match SlaEnd::of_action(status) {
        None => Observation::Underway { started },
        Some(end) => Observation::Ended { end, started, worked_until, at: now },
    })
}

fn words(events: impl Iterator<Item = SlaEvent>) -> Value {
    events.map(SlaEvent::as_str).collect()
}

/// An instant as the records write it, with seconds.
fn second(at: Timestamp) -> Value {
    let minute = ZONE.format(at);
    format!("{}:{:02}Z", minute.trim_end_matches('Z'), at.seconds().rem_euclid(60)).into()
}
