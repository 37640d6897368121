//! The set `selectors`: what an operator writes on the command line to choose or change something, one function per
//! kind.

mod filters;

use serde_json::{Map, Value, json};

use super::judge::Answer;
use super::record::{processing, text};
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::operation::change;
use howdah_oozie::coordinator::operation::change_value::{NewBundleValues, NewPause, NewValues};
use howdah_oozie::coordinator::operation::scope::{Dates, Scope};
use howdah_oozie::sla::selection;
use howdah_testing::rows::coordinator_job;
use howdah_words::error::Result;
use howdah_words::model::id::JobKind;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::time::Timestamp;

/// The most action numbers that are written out one by one.
const MOST_NUMBERS: usize = 100_000;

pub(super) fn answer(input: &Value) -> Answer {
    let written = text(input, "text");
    match text(input, "kind") {
        "actions" => actions(written).into(),
        "dates" => dates(input).into(),
        "change" => changed(input).into(),
        "bundle-change" => bundle_changed(input).into(),
        "sla-filter" => selection::filter(written).map(|filter| json!({ "filter": filter })).into(),
        "sla-change" => selection::change(written).map(|change| json!({ "change": change })).into(),
        "job-filter" => filters::actions(written).into(),
        "workflow-jobs" => filters::jobs(written, JobKind::Workflow).into(),
        "coordinator-jobs" => filters::jobs(written, JobKind::Coordinator).into(),
        "bundle-jobs" => filters::jobs(written, JobKind::Bundle).into(),
        "bulk" => filters::bulk(written).into(),
        "log-filter" => filters::log(written).into(),
        _ => Answer::Skipped("unknown kind"),
    }
}

fn actions(written: &str) -> Result<Value> {
    let numbers: Vec<u32> = match Scope::numbers(written)? {
        Scope::Numbers(numbers) => numbers.ranges().flatten().take(MOST_NUMBERS).collect(),
        Scope::Dates(_) => Vec::new(),
    };
    Ok(json!({ "actions": numbers }))
}

fn dates(input: &Value) -> Result<Value> {
    let zone = processing(input)?;
    let shown = |dates: &Dates| match *dates {
        Dates::At(at) => json!({ "at": zone.format(at) }),
        Dates::Between(from, until) => json!({ "start": zone.format(from), "end": zone.format(until) }),
    };
    let dates: Vec<Value> = match Scope::dates(text(input, "text"), zone)? {
        Scope::Dates(dates) => dates.iter().map(shown).collect(),
        Scope::Numbers(_) => Vec::new(),
    };
    Ok(json!({ "dates": dates }))
}

/// With a status of the job, the change must also be allowed for it.
fn changed(input: &Value) -> Result<Value> {
    let zone = processing(input)?;
    let values = NewValues::parse(text(input, "text"), zone)?;
    if let Some(status) = JobStatus::from_word(text(input, "job_status")) {
        change::check(&coordinator_job(status), &values, input["pending"] == true)?;
    }
    let mut shown = times(values.end, values.pause, zone);
    if let Some(concurrency) = values.concurrency {
        shown.insert("concurrency".to_owned(), json!(concurrency));
    }
    if let Some(status) = values.status {
        shown.insert("status".to_owned(), json!(status.as_str()));
    }
    Ok(json!({ "change": shown }))
}

fn bundle_changed(input: &Value) -> Result<Value> {
    let zone = processing(input)?;
    let values = NewBundleValues::parse(text(input, "text"), zone)?;
    Ok(json!({ "change": times(values.end, values.pause, zone) }))
}

fn times(end: Option<Timestamp>, pause: Option<NewPause>, zone: ProcessingZone) -> Map<String, Value> {
    let mut shown = Map::new();
    if let Some(end) = end {
        shown.insert("endtime".to_owned(), json!(zone.format(end)));
    }
    if let Some(pause) = pause {
        let pause = match pause {
            NewPause::At(at) => zone.format(at),
            NewPause::Never => String::new(),
        };
        shown.insert("pausetime".to_owned(), json!(pause));
    }
    shown
}
