use std::fmt::Write as _;

use super::signature::Kind;
use super::*;
use crate::coordinator::phase::event::{EventNames, EventTexts};
use crate::coordinator::phase::signature::Function;
use crate::dataset::testing::{dataset, instant};
use howdah_calendar::{EndOf, ProcessingZone, Unit, Zone};
use howdah_el::{CallError, FunctionName, Scope, Template, Value};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::Properties;

/// Returns whether the phase has the function: it may refuse the arguments, but not the name.
fn knows(scope: &mut dyn Scope, function: Function) -> bool {
    let (prefix, name) = function.name().split_once(':').expect("every function has a prefix");
    let arguments: Vec<Value> = function
        .kinds()
        .iter()
        .map(|kind| match kind {
            Kind::Int => Value::Int(1),
            Kind::Text => Value::from("e".to_owned()),
        })
        .collect();
    !matches!(scope.call(FunctionName { prefix, name }, &arguments), Err(CallError::UnknownFunction))
}

/// Lists for each function the phases that have it.
#[test]
fn functions_by_phase() {
    let configuration = Properties::new();
    let job = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
    let dataset = dataset("2009-01-01T00:00Z", Unit::Day.times(1), EndOf::None, "UTC");
    let (zone, nominal) = (Zone::utc(), instant("2009-02-01T00:00Z"));
    let facts = ActionFacts { id: "j@1", app_name: "app", nominal, actual: nominal };
    let (texts, events) = (EventTexts::new(), EventNames::default());
    let mut table = String::new();
    for function in Function::ALL {
        let mut phases: [(&str, Box<dyn Scope + '_>); 12] = [
            ("A", Box::new(JobName(job))),
            ("F", Box::new(FrequencyPhase::new(job))),
            ("N", Box::new(Plain(job))),
            ("II", Box::new(InitialInstance(job))),
            ("T", Box::new(TimeoutPhase::new(job))),
            ("I", Box::new(SubmitInstances(job))),
            ("D", Box::new(SubmitData::new(job, &events))),
            ("SS", Box::new(SlaSubmit(job))),
            ("C", Box::new(ActionInstances::new(job, &dataset, &zone, nominal))),
            ("CI", Box::new(RangeEnds::new(job, &dataset, &zone, nominal))),
            ("SC", Box::new(SlaCreate { job, action: &facts, outputs: &texts })),
            (
                "S",
                Box::new(ActionStart {
                    job,
                    action: &facts,
                    inputs: &texts,
                    outputs: &texts,
                    dataset: Some((&dataset, &zone)),
                }),
            ),
        ];
        write!(table, "{:<30}", function.name()).unwrap();
        for (key, scope) in &mut phases {
            let mark = if knows(scope.as_mut(), *function) { *key } else { "" };
            write!(table, " {mark:<2}").unwrap();
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"));
}

fn evaluated(text: &str, scope: &mut dyn Scope) -> Result<String, ErrorCode> {
    let template = Template::parse(text).expect("a template");
    template.evaluate(scope).map_err(|error| Error::from(error).code())
}

/// Java adds a field that does not exist: an error, except when the number to add is zero.
#[test]
fn an_offset_without_unit_is_an_error() {
    let configuration = Properties::new();
    let job = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
    let nominal = instant("2009-02-01T00:00Z");
    let facts = ActionFacts { id: "j@1", app_name: "app", nominal, actual: nominal };
    let texts = EventTexts::new();
    for (count, unit, expect) in [
        ("1", "NONE", Err(ErrorCode::E1004)),
        ("-1", "NONE", Err(ErrorCode::E1004)),
        ("1", "none", Err(ErrorCode::E1004)),
        ("1", "", Err(ErrorCode::E1004)),
        ("0", "NONE", Ok("2009-01-01T00:00Z".to_owned())),
        ("1", "HOUR", Ok("2009-01-01T01:00Z".to_owned())),
    ] {
        let mut start = ActionStart { job, action: &facts, inputs: &texts, outputs: &texts, dataset: None };
        let text = format!("${{coord:dateOffset('2009-01-01T00:00Z', {count}, '{unit}')}}");
        assert_eq!(evaluated(&text, &mut start), expect, "{text}");
    }
}

#[test]
fn units_of_time_in_sla_elements_are_minutes() {
    let configuration = Properties::new();
    let job = JobScope { configuration: &configuration, processing: ProcessingZone::UTC };
    let nominal = instant("2009-02-01T00:00Z");
    let facts = ActionFacts { id: "j@1", app_name: "app", nominal, actual: nominal };
    let texts = EventTexts::new();
    for (unit, minutes) in [("MINUTE", 2), ("MINUTES", 2), ("HOUR", 120), ("HOURS", 120), ("DAY", 2880), ("DAYS", 2880)]
    {
        let text = format!("${{2 * {unit}}}");
        let expect = Ok(minutes.to_string());
        assert_eq!(evaluated(&text, &mut SlaSubmit(job)), expect, "{text}");
        assert_eq!(evaluated(&text, &mut SlaCreate { job, action: &facts, outputs: &texts }), expect, "{text}");
        let of_workflow = crate::workflow::submission::evaluate_sla(&text, &configuration);
        assert_eq!(of_workflow.ok(), expect.ok(), "{text}");
    }
}
