//! The sets `materialized-action` and `hcat`: whole definitions, up to the configuration of one action.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::instances::{Existing, reach};
use super::judge::Answer;
use super::record::{count, optional_instant, properties, text};
use super::submission::{Submission, Submitted};
use howdah_calendar::ProcessingZone;
use howdah_oozie::configuration::{ParsedProperties, read_configuration, resolve};
use howdah_oozie::coordinator::action::ResolvedEvent;
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::coordinator::satisfy::Moment;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// Minutes after which every wait of an input logic has ended: the records are evaluated long after the nominal time.
const LONG: i64 = 1_000_000;

/// The job of every record.
const JOB: &str = "0000000-150101000000000-oozie-test-C";

/// The file of default properties, beside the definition.
const DEFAULTS: &str = "/app/coord-config-default.xml";

pub(super) fn answer(input: &Value) -> Answer {
    given(input).into()
}

fn given(input: &Value) -> Result<Value> {
    let submitted = submit(input)?;
    let zone = ProcessingZone::UTC;
    let number = count(input, "action").max(1);
    let nominal = match optional_instant(zone, &input["nominal"])? {
        Some(nominal) => nominal,
        None => nominal(&submitted, number)?,
    };
    let now = optional_instant(zone, &input["actual"])?.unwrap_or(nominal);
    let scope = submitted.scope();
    let coordinator = &submitted.coordinator;
    let mut action = coordinator.resolve(scope, nominal)?;
    let id = format!("{JOB}@{number}");
    let facts = ActionFacts { id: &id, app_name: &coordinator.written_name, nominal, actual: now };
    let sla = coordinator.sla_values(scope, &facts, &action)?;
    let mut existing = Existing::of(&input["existing"]);
    let moment = Moment { reach: reach(nominal, now), waited_minutes: LONG };
    let ready = coordinator.satisfy(&mut action, moment, &mut existing).is_complete;
    let controls = &coordinator.controls;
    let mut answer = json!({
        "nominal": zone.format(nominal),
        "job": {
            "name": coordinator.name,
            "timeout": controls.timeout_minutes,
            "concurrency": controls.concurrency,
            "execution": controls.execution.as_str(),
        },
        "ready": ready,
        "data_in": events(&action.inputs),
        "data_out": outputs(&action.outputs),
        "sla": sla,
    });
    if ready {
        let own = coordinator.action_configuration(scope, &facts, &action)?;
        answer["app_path"] = coordinator.app_path.as_str().into();
        // A workflow job resolves the values of its properties again.
        let mut run = resolve(&coordinator.workflow_configuration(scope.configuration, &own))?;
        // The records omit Hadoop's own name for the user, and lost properties with empty values (decision C43).
        run.remove("mapreduce.job.user.name");
        run.retain(|_, value| !value.is_empty());
        answer["run_conf"] = json!(run);
        answer["properties"] = json!(own);
    }
    Ok(answer)
}

fn submit(input: &Value) -> Result<Submitted> {
    let mut submission = Submission::new(text(input, "xml"), properties(&input["job_properties"]), ProcessingZone::UTC);
    let mut files = BTreeMap::new();
    for (path, content) in properties(&input["files"]) {
        let source = SourceText::new(path.clone(), content);
        if path == DEFAULTS {
            submission.defaults.push(defaults(&source)?);
        }
        files.insert(path.clone(), Arc::clone(&source));
        files.insert(format!("hdfs://nn:8020{path}"), source);
    }
    submission.files = files;
    submission.submit()
}

fn defaults(source: &Arc<SourceText>) -> Result<ParsedProperties> {
    let document = xml::read(source).map_err(|mut errors| errors.remove(0))?;
    read_configuration(&document.root, &document.source)
}

fn nominal(submitted: &Submitted, number: u32) -> Result<Timestamp> {
    let index = usize::try_from(number - 1).unwrap_or(usize::MAX);
    let none = || Error::new(ErrorCode::E1012, format!("the job has no action {number}"));
    submitted.coordinator.schedule.times().nth(index).ok_or_else(none)
}

fn outputs(events: &[ResolvedEvent]) -> Value {
    let fields = events.iter().map(|event| (event.name.clone(), json!(uris(event))));
    Value::Object(fields.collect())
}

fn uris(event: &ResolvedEvent) -> Vec<&str> {
    event.instances().map(|instance| instance.uri.as_str()).collect()
}

fn events(events: &[ResolvedEvent]) -> Value {
    let fields = events.iter().map(|event| {
        let mut fields = Map::new();
        fields.insert("uris".to_owned(), json!(uris(event)));
        if event.searches().next().is_some() {
            fields.insert("deferred".to_owned(), true.into());
        }
        (event.name.clone(), Value::Object(fields))
    });
    Value::Object(fields.collect())
}
