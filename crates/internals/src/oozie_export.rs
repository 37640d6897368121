//! The rows of an export as the program decodes them, for a comparison with what the database held.

use std::path::Path;

use chrono::DateTime;
use serde_json::{Map, Value, json};

use howdah_host::line_files::LineFiles;
use howdah_move::oozie_export::{
    ACTIONS, ActionRow, Blob, COORDINATORS, CoordinatorRow, Fields, LocalSeconds, RecordedAction, RecordedEvent,
};
use howdah_oozie::configuration::read_configuration;
use howdah_words::error::SourceText;

/// Returns the coordinator jobs of an export that a machine in UTC has written, with their actions, by id and number.
#[must_use]
pub fn exported_coordinators(export: &Path) -> Value {
    let mut files = LineFiles::open(export).expect("an export");
    let mut jobs = Map::new();
    each_row(&mut files, COORDINATORS, |fields| {
        let row = CoordinatorRow::read(fields).expect("a row");
        jobs.insert(row.id.clone(), coordinator(&row));
    });
    each_row(&mut files, ACTIONS, |fields| {
        let row = ActionRow::read(fields).expect("a row");
        jobs[&row.job]["actions"][row.number.to_string()] = action(&row);
    });
    Value::Object(jobs)
}

fn each_row(files: &mut LineFiles, table: &str, mut use_row: impl FnMut(&Fields<'_>)) {
    let mut lines = files.lines(table).expect("a table").expect("a table");
    let mut line = Vec::new();
    while lines.next(&mut line).expect("a line") {
        use_row(&Fields::read(&line).expect("a row"));
    }
}

fn time(local: Option<LocalSeconds>) -> Option<String> {
    let at = DateTime::from_timestamp(local?.0, 0).expect("a date");
    Some(at.format("%Y-%m-%dT%H:%M:%SZ").to_string())
}

fn text(blob: Option<&Blob>) -> Option<String> {
    blob.map(|blob| blob.text().expect("a text"))
}

fn coordinator(row: &CoordinatorRow) -> Value {
    let configuration = SourceText::new("conf", text(row.configuration.as_ref()).expect("a configuration"));
    let configuration = howdah_xml::read(&configuration).expect("a document");
    let configuration = read_configuration(&configuration.root, &configuration.source).expect("properties").values;
    json!({
        "name": row.name,
        "bundleId": row.bundle,
        "frequency": row.frequency,
        "timeUnit": row.time_unit,
        "timeZone": row.time_zone,
        "execution": row.execution,
        "timeout": row.timeout_minutes,
        "start": time(row.start),
        "conf": configuration,
        "actions": {},
    })
}

fn action(row: &ActionRow) -> Value {
    let document = text(row.definition.as_ref()).expect("a document");
    let recorded = RecordedAction::read(&row.id, document).expect("an action");
    json!({
        "nominal": time(row.nominal),
        "status": row.status,
        "timeout": row.timeout_minutes,
        "externalId": row.external_id,
        "created": time(row.created),
        "lastModified": time(row.modified),
        "missingDependencies": text(row.missing.as_ref()),
        "actualTime": recorded.actual,
        "workflowAppPath": recorded.app_path,
        "inputs": uris(&recorded.inputs),
        "outputs": uris(&recorded.outputs),
        "unresolved": unresolved(&recorded.inputs),
        "configuration": recorded.configuration.iter().cloned().collect::<std::collections::BTreeMap<_, _>>(),
    })
}

fn uris(events: &[RecordedEvent]) -> Value {
    let uris = |event: &RecordedEvent| -> Vec<String> {
        event.uris.split('#').filter(|uri| !uri.is_empty()).map(str::to_owned).collect()
    };
    events.iter().map(|event| (event.name.clone(), json!(uris(event)))).collect::<Map<_, _>>().into()
}

fn unresolved(events: &[RecordedEvent]) -> Value {
    let of = |event: &RecordedEvent| Some((event.name.clone(), event.unresolved.clone()?.into()));
    events.iter().filter_map(of).collect::<Map<_, _>>().into()
}
