//! What `explain` must say: computed from the record alone, and checked by the tick that follows.

use std::path::Path;

use serde_json::Value;

use crate::laws::{CHECKING, STARTING, is_over, is_overtaken};
use crate::ledger::Job;
use crate::oracle::{Rule, day_name, day_of, text};
use crate::plan::{Execution, Input};

/// How long before its nominal time an action may be created.
const LOOK_AHEAD: i64 = 300;
const DAY: i64 = 86_400;

/// An action about which `explain` was asked, and its answer.
pub(crate) struct Asked {
    pub(crate) job: usize,
    pub(crate) number: u32,
    hold: &'static str,
    status: Option<String>,
    told: String,
}

/// Why an action does not advance: one that waits, one that is READY, or the first that was not created.
fn hold(job: &Job, number: u32, now: i64) -> &'static str {
    let status = job.status.as_str();
    let by_status = || match status {
        status if is_over(status) => "jobIsOver",
        status if status.contains("SUSPENDED") => "suspension",
        _ => "pause",
    };
    let Some(action) = job.actions.get(number as usize - 1) else {
        let nominal = job.nominal(number).expect("the first that was not created");
        let is_running = matches!(status, "PREP" | "RUNNING" | "RUNNINGWITHERROR");
        // The next tick resumes a job whose pause time was removed or moved ahead, before it creates.
        let goes_on = status.contains("PAUSED") && job.pause.is_none_or(|pause| pause > now);
        return match () {
            () if !is_running && !goes_on => by_status(),
            // A tick pauses before it creates.
            () if job.pause.is_some_and(|pause| pause <= nominal.max(now)) => "pause",
            () if nominal - LOOK_AHEAD > now => "nominalTime",
            () if job.count(&["WAITING"]) >= job.plan.throttle => "throttle",
            () => "nextTick",
        };
    };
    if action.status == "READY" {
        let free = free_places(job);
        return match () {
            () if !STARTING.contains(&status) => by_status(),
            () if is_overtaken(job, number, now) => "nextTick",
            () if free == 0 => "concurrency",
            () if ahead(job, number, now) >= free => "order",
            () => "nextTick",
        };
    }
    let present = job.inputs_present(action.nominal, now);
    match () {
        () if !CHECKING.contains(&status) => by_status(),
        () if action.nominal > now => "nominalTime",
        () if is_overtaken(job, number, now) || present || is_late(job, number, now) => "nextTick",
        () => "inputs",
    }
}

fn free_places(job: &Job) -> usize {
    let occupied = job.count(&["SUBMITTED", "RUNNING"]);
    usize::try_from(job.concurrency).map_or(usize::MAX, |most| most.saturating_sub(occupied))
}

/// How many READY actions take a place before this one.
fn ahead(job: &Job, number: u32, now: i64) -> usize {
    let own = job.actions[number as usize - 1].nominal;
    let ready = (1..).zip(&job.actions).filter(|(_, action)| action.status == "READY");
    let first = ready.filter(|(_, action)| match job.plan.execution {
        Execution::Fifo => action.nominal < own,
        Execution::Lifo | Execution::LastOnly | Execution::None => action.nominal > own,
    });
    first.filter(|(number, _)| !is_overtaken(job, *number, now)).count()
}

/// When an action has waited long enough.
fn deadline(job: &Job, number: u32) -> Option<i64> {
    let action = &job.actions[number as usize - 1];
    let minutes = job.plan.timeout.1;
    (minutes >= 0).then(|| action.nominal.max(action.created) + minutes * 60)
}

fn is_late(job: &Job, number: u32, now: i64) -> bool {
    deadline(job, number).is_some_and(|deadline| deadline <= now)
}

/// Checks that what `explain` says of an action is true; returns what prevents it.
fn are_true(job: &Job, number: u32, explained: &Value, (root, now): (&Path, i64)) -> &'static str {
    let told = format!("{}@{number} ({}) at {}: {explained:#}", job.id, job.status, text(now));
    let hold = hold(job, number, now);
    assert_eq!(explained["heldBy"], hold, "{told}");
    let why = explained["why"].as_str().unwrap_or_default();
    assert!(hold != "suspension" && hold != "jobIsOver" || why.contains(job.status.as_str()), "{told}");
    let Some(action) = job.actions.get(number as usize - 1) else {
        assert_eq!(explained["status"], Value::Null, "{told}");
        inputs(job, (number, job.nominal(number).expect("it was chosen so")), explained, (root, now));
        return hold;
    };
    assert_eq!(explained["status"], action.status.as_str(), "{told}");
    if action.status == "READY" {
        let occupying =
            (1..).zip(&job.actions).filter(|(_, action)| matches!(&*action.status, "SUBMITTED" | "RUNNING"));
        let mut expected: Vec<String> = occupying.map(|(number, _)| format!("{}@{number}", job.id)).collect();
        let listed = explained["occupiedBy"].as_array().into_iter().flatten();
        let mut listed: Vec<&str> = listed.filter_map(Value::as_str).collect();
        expected.sort_unstable();
        listed.sort_unstable();
        assert_eq!(listed, expected, "{told}: who takes the places");
        let ahead = ahead(job, number, now);
        assert!(hold != "order" || why.starts_with(&format!("{ahead} READY action")), "{told}: {ahead} come first");
        return hold;
    }
    let absent = inputs(job, (number, action.nominal), explained, (root, now));
    let waits_for = absent.split_first().map(|(first, more)| match more.len() {
        0 => format!("it waits for {first}"),
        more => format!("it waits for {first}, and {more} more"),
    });
    assert!(hold != "inputs" || Some(why) == waits_for.as_deref(), "{told}: {waits_for:?}");
    let ends = deadline(job, number).filter(|_| hold != "nextTick").map(minute);
    assert_eq!(explained["timesOutAt"].as_str(), ends.as_deref(), "{told}: its time");
    if hold == "nextTick" {
        let event = match () {
            () if is_overtaken(job, number, now) => "passes it over",
            () if absent.is_empty() => "READY",
            () => "TIMEDOUT",
        };
        assert!(why.contains(event), "{told}: {event}");
    }
    hold
}

/// Checks that the instances are those of the action's days, each in its true state; returns the missing ones.
fn inputs(job: &Job, (number, nominal): (u32, i64), explained: &Value, (root, now): (&Path, i64)) -> Vec<String> {
    let told = format!("{}@{number} at {}: {explained:#}", job.id, text(now));
    let listed = explained["inputs"].as_array();
    // A rerun without `refresh` keeps the inputs that were decided.
    let decided = job.actions.get(number as usize - 1).is_some_and(|action| action.again && action.decided);
    if decided && listed.is_none_or(Vec::is_empty) {
        assert!(job.inputs_present(nominal, now), "{told}: it was not decided");
        return Vec::new();
    }
    let listed = listed.into_iter().flatten();
    let listed = listed.filter_map(|input| input["instances"].as_array()).flatten();
    let listed: Vec<(&str, &str)> = listed
        .map(|instance| (instance["uri"].as_str().unwrap_or_default(), instance["state"].as_str().unwrap_or_default()))
        .collect();
    let day = day_of(nominal);
    let days: Vec<i64> = match job.plan.input {
        Input::Nothing => Vec::new(),
        Input::Day => vec![day],
        Input::ThreeDays => vec![day - 2, day - 1, day],
        Input::Latest => {
            let present = job.inputs_present(nominal, now);
            let states: Vec<&str> = listed.iter().map(|(_, state)| *state).collect();
            assert_eq!(states, [if present { "present" } else { "unresolved" }], "{told}");
            return if present { Vec::new() } else { vec![listed[0].0.to_owned()] };
        }
    };
    let uri = |day: i64| root.join("data").join(job.plan.name).join(day_name(day)).display().to_string();
    let state = |day: i64| match job.present.contains(&day) {
        true => "present",
        false if day * DAY > now => "notYetDue",
        false => "missing",
    };
    let expected: Vec<(String, &str)> = days.iter().map(|day| (uri(*day), state(*day))).collect();
    assert_eq!(listed, expected.iter().map(|(uri, state)| (uri.as_str(), *state)).collect::<Vec<_>>(), "{told}");
    expected.into_iter().filter(|(_, state)| *state != "present").map(|(uri, _)| uri).collect()
}

fn minute(at: i64) -> String {
    text(at - at.rem_euclid(60)).replace(":00Z", "Z")
}

impl Asked {
    /// Checks `explain`'s answer, and records it.
    pub(crate) fn about(job: (usize, &Job), number: u32, explained: &Value, seen: (&Path, i64)) -> Self {
        let hold = are_true(job.1, number, explained, seen);
        let status = job.1.actions.get(number as usize - 1).map(|action| action.status.clone());
        let told = explained["why"].as_str().unwrap_or_default().to_owned();
        Self { job: job.0, number, hold, status, told }
    }

    /// Checks that the tick at the same time moved the action when it was to, and not when something prevented it.
    pub(crate) fn came_true(&self, job: &Job, now: i64) {
        let status = job.actions.get(self.number as usize - 1).map(|action| action.status.clone());
        let (id, was, why) = (&job.id, &self.status, &self.told);
        let told = format!("{id}@{} ({}) at {}: {was:?} -> {status:?} ({why})", self.number, job.status, text(now));
        match self.hold {
            // Others that were before it may have become READY in the same tick.
            "nextTick" if status.as_deref() == Some("READY") => {
                let hold = hold(job, self.number, now);
                assert!(matches!(hold, "concurrency" | "order"), "{told}: {hold} holds it");
            }
            "nextTick" => assert_ne!(status, self.status, "{told}: the next tick was to move it"),
            // A place among those that wait may become free in the same tick.
            "throttle" => {}
            // Cron catches up by throttle and not by time.
            "nominalTime" if self.status.is_none() && matches!(job.plan.rule, Rule::Daily { .. }) => {}
            hold => assert_eq!(status, self.status, "{told}: it was held by {hold}"),
        }
    }
}
