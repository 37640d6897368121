//! The kinds of `selectors` that are filters.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use howdah_answers::query::filter::{ActionsFilter, BulkFilter, Comparison, JobsFilter, LogFilter, Moment};
use howdah_calendar::ProcessingZone;
use howdah_words::error::Result;
use howdah_words::model::id::JobKind;

pub(super) fn jobs(text: &str, kind: JobKind) -> Result<Value> {
    JobsFilter::parse(text, kind).map(|filter| json!({ "filter": filter.values() }))
}

pub(super) fn bulk(text: &str) -> Result<Value> {
    BulkFilter::parse(text).map(|filter| json!({ "filter": filter.values() }))
}

pub(super) fn actions(text: &str) -> Result<Value> {
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for comparison in ActionsFilter::parse(text)?.comparisons() {
        let (key, value) = match *comparison {
            Comparison::Status(operator, status) => (format!("status{operator}"), status.to_string()),
            Comparison::NominalTime(operator, at) => (format!("nominaltime{operator}"), ProcessingZone::UTC.format(at)),
        };
        values.entry(key).or_default().push(value);
    }
    Ok(json!({ "filter": values }))
}

pub(super) fn log(text: &str) -> Result<Value> {
    let filter = LogFilter::parse(text)?;
    let mut fields = Map::new();
    for (name, moment) in [("start", filter.start), ("end", filter.end)] {
        match moment {
            Some(Moment::At(at)) => fields.insert(name.to_owned(), ProcessingZone::UTC.format(at).into()),
            Some(Moment::Offset(minutes)) => fields.insert(format!("{name}_offset"), minutes.into()),
            None => None,
        };
    }
    let others: [(&str, Option<Value>); 5] = [
        ("recent", filter.recent.map(Value::from)),
        ("level", filter.level.map(Value::from)),
        ("limit", filter.limit.map(Value::from)),
        ("debug", filter.debug.then_some(Value::from(true))),
        ("text", filter.text.map(Value::from)),
    ];
    fields.extend(others.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
    Ok(json!({ "filter": fields }))
}
