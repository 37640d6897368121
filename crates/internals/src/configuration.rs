//! The set `configuration`: reading, resolving and merging job properties, and formal parameters.

use serde_json::{Value, json};

use super::judge::Answer;
use howdah_oozie::configuration::{
    ParsedProperties, apply_parameters, job_configuration, read_configuration, resolve, with_user_names,
};
use howdah_words::error::{Error, Result, SourceText};
use howdah_words::model::Properties;
use howdah_xml::{Document, DocumentKind, read};

pub(super) fn answer(input: &Value) -> Answer {
    match input["kind"].as_str() {
        Some("resolve") => resolved(input).into(),
        Some("submit") => submitted(input).into(),
        Some("parameters") => parameters(input).into(),
        _ => Answer::Skipped("unknown kind of record"),
    }
}

fn resolved(input: &Value) -> Result<Value> {
    let raw = match input["xml"].as_str() {
        Some(xml) => {
            let document = document(xml)?;
            read_configuration(&document.root, &document.source)?.values
        }
        None => map(&input["properties"]),
    };
    let raw = with_user_names(raw);
    let resolved = resolve(&raw)?;
    Ok(json!({ "raw": raw, "resolved": resolved }))
}

fn submitted(input: &Value) -> Result<Value> {
    let job = ParsedProperties::from(map(&input["job"]));
    let files = input["defaults"].as_array().map(Vec::as_slice).unwrap_or_default();
    let defaults: Vec<ParsedProperties> = files.iter().map(|file| map(file).into()).collect();
    let properties = job_configuration(DocumentKind::Workflow, &job, &defaults)?;
    Ok(json!({ "properties": properties }))
}

fn parameters(input: &Value) -> Result<Value> {
    let document = document(input["xml"].as_str().unwrap_or_default())?;
    let mut properties = map(&input["conf"]);
    apply_parameters(&document, &mut properties)?;
    Ok(json!({ "properties": properties }))
}

fn document(xml: &str) -> Result<Document> {
    read(&SourceText::new("record.xml", xml)).map_err(first)
}

fn first(errors: Vec<Error>) -> Error {
    errors.into_iter().next().expect("a refusal has at least one error")
}

fn map(value: &Value) -> Properties {
    let fields = value.as_object().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}
