//! The set `el-functions`: one expression in one phase.

use serde_json::{Value as Json, json};

use super::judge::Answer;
use super::record::{instant, optional_instant, processing, properties, text};
use super::submission::{Submission, application, attribute_text};
use howdah_calendar::{ProcessingZone, Zone};
use howdah_el::{Scope, Template};
use howdah_oozie::coordinator::phase::event::EventTexts;
use howdah_oozie::coordinator::phase::{
    ActionFacts, ActionInstances, ActionStart, FrequencyPhase, InitialInstance, JobScope, Plain, RangeEnds, SlaCreate,
    SubmitInstances,
};
use howdah_oozie::dataset::Dataset;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::Timestamp;

pub(super) fn answer(input: &Json) -> Answer {
    value(input).into()
}

fn value(input: &Json) -> Result<Json> {
    let configuration = properties(&input["conf"]);
    let job = JobScope { configuration: &configuration, processing: processing(input)? };
    let evaluate =
        |scope: &mut dyn Scope| -> Result<String> { Ok(Template::parse(text(input, "expr"))?.evaluate(scope)?) };
    let text = match text(input, "phase") {
        "submit-frequency" => {
            let mut phase = FrequencyPhase::new(job);
            let value = evaluate(&mut phase)?;
            let unit = json!({ "unit": phase.unit.as_str(), "end_of_duration": phase.end_of.as_str() });
            return Ok(json!({ "value": value, "unit": unit }));
        }
        "submit-plain" => evaluate(&mut Plain(job)),
        "submit-initial-instance" => evaluate(&mut InitialInstance(job)),
        "submit-instance" => evaluate(&mut SubmitInstances(job)),
        _ => return Ok(action_value(input, job)?.into()),
    };
    Ok(text?.into())
}

/// The phases with an action.
fn action_value(input: &Json, job: JobScope<'_>) -> Result<String> {
    let action = &input["action"];
    let nominal = optional_instant(job.processing, &action["nominal"])?.unwrap_or(Timestamp::EPOCH);
    let facts = ActionFacts {
        id: action["id"].as_str().unwrap_or("00000-oozie-C@1"),
        app_name: text(action, "name"),
        nominal,
        actual: optional_instant(job.processing, &action["actual"])?.unwrap_or(nominal),
    };
    let zone = zone(action["timezone"].as_str().unwrap_or("UTC"))?;
    let dataset = dataset(&input["dataset"], job.processing)?;
    let none = EventTexts::new();
    let template = Template::parse(text(input, "expr"))?;
    let evaluated = match (text(input, "phase"), &dataset) {
        ("create", Some(dataset)) => template.evaluate(&mut ActionInstances::new(job, dataset, &zone, nominal)),
        ("create-inst", dataset) => {
            let anything = stand_in(job.processing)?;
            template.evaluate(&mut RangeEnds::new(job, dataset.as_ref().unwrap_or(&anything), &zone, nominal))
        }
        ("sla", _) => template.evaluate(&mut SlaCreate { job, action: &facts, outputs: &none }),
        (_, dataset) => {
            let dataset = dataset.as_ref().map(|dataset| (dataset, &zone));
            template.evaluate(&mut ActionStart { job, action: &facts, inputs: &none, outputs: &none, dataset })
        }
    };
    Ok(evaluated?)
}

fn zone(id: &str) -> Result<Zone> {
    Zone::parse(id).map_err(|error| Error::new(ErrorCode::E1003, &error))
}

/// Reads the dataset of a record as a definition would.
fn dataset(fields: &Json, processing: ProcessingZone) -> Result<Option<Dataset>> {
    if fields.is_null() {
        return Ok(None);
    }
    declared([text(fields, "frequency"), text(fields, "initial"), text(fields, "timezone")], processing).map(Some)
}

/// Any dataset, for a phase that always has one.
fn stand_in(processing: ProcessingZone) -> Result<Dataset> {
    declared(["1440", &processing.format(Timestamp::EPOCH), "UTC"], processing)
}

fn declared([frequency, initial, timezone]: [&str; 3], processing: ProcessingZone) -> Result<Dataset> {
    let attributes = attribute_text(&[
        ("name", "d"),
        ("frequency", frequency),
        ("initial-instance", initial),
        ("timezone", timezone),
    ]);
    let events = format!(
        "<datasets><dataset{attributes}><uri-template>/d</uri-template></dataset></datasets><input-events>\
         <data-in name=\"e\" dataset=\"d\"><instance>${{coord:current(0)}}</instance></data-in></input-events>"
    );
    let start = processing.format(Timestamp::EPOCH);
    let end = processing.format(instant(ProcessingZone::UTC, "2000-01-01T00:00Z")?);
    let xml = application(
        &[("name", "app"), ("frequency", "1440"), ("start", &start), ("end", &end), ("timezone", "UTC")],
        &events,
    );
    let mut submitted = Submission::new(&xml, howdah_words::model::Properties::new(), processing).submit()?;
    let event = submitted.coordinator.inputs.pop().expect("the definition has one event");
    Ok((*event.dataset).clone())
}
