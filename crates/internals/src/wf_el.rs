//! The set `wf-el`: expressions and decisions of a workflow in the context of a job.

use serde_json::{Value as Json, json};

use super::judge::Answer;
use howdah_oozie::configuration::{parse_properties, read_configuration};
use howdah_oozie::workflow::context::{NodeFacts, Nodes, WorkflowContext};
use howdah_oozie::workflow::definition::{Case, Target};
use howdah_oozie::workflow::functions::evaluate;
use howdah_oozie::workflow::resolve::Resolver;
use howdah_oozie::workflow::submission::evaluate_sla;
use howdah_words::error::{Error, SourceText, Span};
use howdah_words::model::Properties;
use howdah_words::model::time::Timestamp;
use howdah_xml::{self as xml, Text};

/// Returns the result of one record.
pub(super) fn answer(input: &Json) -> Answer {
    let conf: Properties = serde_json::from_value(input["conf"].clone()).unwrap_or_default();
    let nodes = KnownNodes(&input["nodes"]);
    let job = &input["job"];
    let word = |name: &str, absent: &'static str| job[name].as_str().unwrap_or(absent).to_owned();
    let (id, name, path, user) = (
        word("id", "0000000-150101000000000-oozie-oozi-W"),
        word("name", "app"),
        word("path", "/app"),
        word("user", "tester"),
    );
    let context = WorkflowContext {
        id: &id,
        name: &name,
        app_path: &path,
        user: &user,
        group: job["group"].as_str(),
        run: job["run"].as_u64().and_then(|run| run.try_into().ok()).unwrap_or_default(),
        conf: &conf,
        nodes: &nodes,
        last_error_node: nodes.last_error(),
        now: Timestamp::EPOCH,
        offset_minutes: 0,
        action: "",
        callback: "",
        outside: None,
    };
    match input["kind"].as_str() {
        Some("decision") => decision(input, &context).into(),
        _ => text(input, &context).into(),
    }
}

fn text(input: &Json, context: &WorkflowContext<'_>) -> Result<Json, Error> {
    let expression = input["expr"].as_str().unwrap_or_default();
    let value =
        if input["group"] == "sla" { evaluate_sla(expression, context.conf)? } else { evaluate(expression, context)? };
    let mut lines: Vec<&str> = value.lines().filter(|line| !line.starts_with('#')).collect();
    lines.sort_unstable();
    Ok(json!({
        "text": value,
        "json": serde_json::from_str::<Json>(&value).unwrap_or_default(),
        "lines": lines,
        "configuration": configuration(&value),
    }))
}

fn configuration(text: &str) -> Json {
    let Ok(document) = xml::read(&SourceText::new("configuration", text)) else { return Json::Null };
    read_configuration(&document.root, &document.source).map(|read| json!(read.values)).unwrap_or_default()
}

fn decision(input: &Json, context: &WorkflowContext<'_>) -> Result<Json, Error> {
    let source = SourceText::new("switch", "");
    let resolver = Resolver { source: &source, context };
    let target = |to: &Json| Target { name: to.as_str().unwrap_or_default().to_owned(), span: Span::default() };
    let case = |case: &Json| Case {
        to: target(&case["to"]),
        predicate: Text {
            value: case["predicate"].as_str().unwrap_or_default().to_owned(),
            span: Span::default(),
            verbatim: false,
        },
    };
    let cases: Vec<Case> = input["cases"].as_array().into_iter().flatten().map(case).collect();
    let default = target(&input["default"]);
    let chosen = resolver.decision(&cases, &default)?.to;
    Ok(json!({ "transition": chosen.name }))
}

/// The nodes of a record.
struct KnownNodes<'a>(&'a Json);

impl KnownNodes<'_> {
    fn last_error(&self) -> Option<&str> {
        let nodes = self.0.as_object()?;
        nodes.iter().find(|(_, node)| node["status"] == "ERROR").map(|(name, _)| name.as_str())
    }
}

fn captured(text: &str) -> Properties {
    parse_properties(&SourceText::new("output", text)).map(|read| read.values).unwrap_or_default()
}

impl Nodes for KnownNodes<'_> {
    fn facts(&self, node: &str) -> Option<NodeFacts> {
        let node = self.0.get(node)?;
        let text = |name: &str| node[name].as_str().map(str::to_owned);
        Some(NodeFacts {
            transition: text("transition"),
            external_id: text("external_id"),
            external_status: text("external_status"),
            tracker_uri: text("tracker_uri"),
            error_code: text("error_code"),
            error_message: text("error_message"),
            data: node["data"].as_str().map(captured).unwrap_or_default(),
            stats: text("stats"),
        })
    }
}
