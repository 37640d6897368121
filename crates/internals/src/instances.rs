//! The set `instances`: what one data event resolves to, and what it waits for.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use serde_json::{Value, json};

use super::judge::Answer;
use super::record::{instant, processing, properties, text};
use super::submission::{Submission, application, attribute_text};
use howdah_calendar::ProcessingZone;
use howdah_engine::settings::MOST_TRIED;
use howdah_oozie::coordinator::action::{ResolvedAction, ResolvedEvent};
use howdah_oozie::coordinator::satisfy::Moment;
use howdah_oozie::dataset::{Presence, Reach};
use howdah_words::error::Result;
use howdah_words::model::time::Timestamp;
use howdah_xml::escape_text;

pub(super) fn answer(input: &Value) -> Answer {
    resolved(input).into()
}

fn resolved(input: &Value) -> Result<Value> {
    let zone = processing(input)?;
    let xml = definition(input, zone)?;
    let submitted = Submission::new(&xml, properties(&input["conf"]), zone).submit()?;
    let nominal = instant(zone, text(input, "nominal"))?;
    let now = input["actual"].as_str().map_or(Ok(nominal), |actual| instant(zone, actual))?;
    let mut action = submitted.coordinator.resolve(submitted.scope(), nominal)?;
    let is_output = input["event"] == "output";
    let created = uris(&action, is_output);
    let deferred = event(&action, is_output).searches().next().is_some();
    let mut existing = Existing::of(&input["existing"]);
    let dependencies: Vec<String> = action.dependencies().map(|instance| instance.dependency.clone()).collect();
    let missing: Vec<&String> = dependencies.iter().filter(|path| !existing.is_present(path)).collect();
    let moment = Moment { reach: reach(nominal, now), waited_minutes: now.minutes_since(nominal) };
    let ready = submitted.coordinator.satisfy(&mut action, moment, &mut existing).is_complete;
    Ok(json!({
        "created_uris": created,
        "deferred": deferred,
        "still_missing": missing,
        "dependencies": dependencies,
        "ready": ready,
        "uris": ready.then(|| uris(&action, is_output)),
        "value": ready.then(|| uris(&action, is_output).join(",")),
    }))
}

/// Searches of an action with a nominal time, made at another time.
pub(super) fn reach(nominal: Timestamp, now: Timestamp) -> Reach {
    Reach { nominal, latest_from: now, most_tried: MOST_TRIED }
}

fn event(action: &ResolvedAction, is_output: bool) -> &ResolvedEvent {
    let events = if is_output { &action.outputs } else { &action.inputs };
    events.first().expect("the definition has one event")
}

fn uris(action: &ResolvedAction, is_output: bool) -> Vec<String> {
    event(action, is_output).instances().map(|instance| instance.uri.clone()).collect()
}

fn definition(input: &Value, zone: ProcessingZone) -> Result<String> {
    let dataset = &input["dataset"];
    let attributes = attribute_text(&[
        ("name", "ds"),
        ("frequency", text(dataset, "frequency")),
        ("initial-instance", text(dataset, "initial")),
        ("timezone", text(dataset, "timezone")),
    ]);
    let mut events = format!("<datasets><dataset{attributes}>");
    element(&mut events, "uri-template", Some(text(dataset, "uri_template")));
    element(&mut events, "done-flag", dataset["done_flag"].as_str());
    let (list, kind) = if input["event"] == "output" { ("output", "out") } else { ("input", "in") };
    // Writing to a String cannot fail.
    let _ = write!(events, "</dataset></datasets><{list}-events><data-{kind} name=\"e\" dataset=\"ds\">");
    for instance in input["instances"].as_array().into_iter().flatten() {
        element(&mut events, "instance", instance.as_str());
    }
    element(&mut events, "start-instance", input["start_instance"].as_str());
    element(&mut events, "end-instance", input["end_instance"].as_str());
    let _ = write!(events, "</data-{kind}></{list}-events>");
    // The action of the record is the first one: the ends of its range are compared at submission.
    let start = text(input, "nominal");
    let end = zone.format(instant(ProcessingZone::UTC, "2100-01-01T00:00Z")?);
    let timezone = text(input, "app_timezone");
    let job = [("name", "app"), ("frequency", "1440"), ("start", start), ("end", &*end), ("timezone", timezone)];
    Ok(application(&job, &events))
}

fn element(out: &mut String, name: &str, text: Option<&str>) {
    if let Some(text) = text {
        let _ = write!(out, "<{name}>{}</{name}>", escape_text(text));
    }
}

/// The paths of a record; nothing else exists.
pub(super) struct Existing(BTreeSet<String>);

impl Existing {
    /// The paths of a list.
    pub(super) fn of(paths: &Value) -> Self {
        Self(paths.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
    }
}

impl Presence for Existing {
    fn is_present(&mut self, dependency: &str) -> bool {
        self.0.contains(dependency)
    }
}
