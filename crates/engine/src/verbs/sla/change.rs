//! `howdah sla change`: what the actions promise.
//!
//! Must not depend on alerts.

use super::record::{new_version, note_nothing, record, unreadable, version};
use super::registered::{registered, sla_change};
use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::compiled::{Application, Applications};
use crate::format::{in_words, time};
use crate::lookup::coordinator;
use crate::settings::Settings;
use crate::sla::registration;
use howdah_oozie::coordinator::definition::Coordinator;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_oozie::coordinator::phase::ActionFacts;
use howdah_oozie::sla::{self, selection};
use howdah_store::Transaction;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};
use howdah_words::model::Properties;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{CoordinatorAction, CoordinatorDefinition, CoordinatorJob, SlaRegistration};
use howdah_words::model::time::Timestamp;
use howdah_xml as xml;

/// Sets what is promised of a job's open actions, or of some of them; without a scope it applies to later actions too.
///
/// # Errors
/// E0604, E0605, E1015 and E1027 for a text that changes nothing, E0302 and E1004 for invalid values, E1026 when none
/// of the actions promises anything.
pub fn change(
    engine: &mut Engine,
    id: &JobId,
    (scope, text): (Option<&Scope>, &str),
    when: (Effect, Timestamp),
) -> Result<Outcome> {
    let values: Properties = selection::change(text)?
        .into_iter()
        .filter_map(|(name, value)| Some((selection::element(&name)?.to_owned(), value)))
        .collect();
    let settings = &engine.settings;
    let mut given = Invocation::new(Origin::SlaChange, when)?;
    given.detail = Some(text.to_owned());
    engine.store.transact_for(given.effect, |transaction| {
        let mut job = coordinator(transaction, id)?;
        let mut outcome = Outcome::of(id);
        let mut applications = Applications::default();
        for (action, mut registration) in registered(transaction, &job, scope, &mut outcome)? {
            if action.status.is_terminal() {
                if scope.is_some() {
                    outcome.note(format!("{id}@{} is {} and keeps its SLA", action.number, action.status));
                }
                continue;
            }
            let application = applications.load(transaction, &job, action.definition_version, &settings.submit)?;
            let evaluated = evaluated(&values, (&job, &application), &action)?;
            let before = registration.clone();
            sla::registration::change(&mut registration, &evaluated, settings.submit.processing)?;
            registration.modified_at = given.now;
            registration.due_at = Some(given.now);
            transaction.update_sla(&registration)?;
            let (was, is) = (promised(&before, &registration), promised(&registration, &before));
            if was != is {
                outcome.sla_changes.push(sla_change((id, &action), "slaExpected", (&was, &is)));
            }
        }
        if scope.is_none() {
            set_definition(transaction, (&mut job, settings), &values, given.now, &mut outcome)?;
        }
        record(transaction, &mut job, &given, &outcome)?;
        note_nothing(&mut outcome, "the job has no open action with an SLA, and creates no more");
        Ok(outcome)
    })
}

/// Returns the promises as short text for a table: times after the nominal time; only those of `row` that differ from
/// `other`.
fn promised(row: &SlaRegistration, other: &SlaRegistration) -> String {
    let behind = |at: Timestamp| match at - row.nominal_at {
        early if early < 0 => format!("-{}", in_words(-early)),
        late => format!("+{}", in_words(late)),
    };
    let was = |expected: Option<String>| expected.unwrap_or_else(|| "any".to_owned());
    let parts = [
        (row.nominal_at != other.nominal_at, format!("nominal {}", time(row.nominal_at))),
        (row.expected_start_at != other.expected_start_at, format!("start {}", was(row.expected_start_at.map(behind)))),
        (row.expected_end_at != other.expected_end_at, format!("end {}", behind(row.expected_end_at))),
        (
            row.expected_seconds != other.expected_seconds,
            format!("duration {}", was(row.expected_seconds.map(in_words))),
        ),
    ];
    let differing = parts.into_iter().filter_map(|(differs, text)| differs.then_some(text));
    differing.collect::<Vec<_>>().join(", ")
}

/// Returns the new values as they are for one action.
fn evaluated(
    values: &Properties,
    (job, application): (&CoordinatorJob, &Application),
    action: &CoordinatorAction,
) -> Result<Properties> {
    let scope = application.scope();
    let id = format!("{}@{}", job.id, action.number);
    let facts = ActionFacts {
        id: &id,
        app_name: &application.coordinator.written_name,
        nominal: action.nominal_at,
        actual: action.created_at,
    };
    let resolved = application.coordinator.resolve(scope, action.nominal_at)?;
    let value = |text: &str| Coordinator::sla_text(text, scope, &facts, &resolved);
    values.iter().map(|(name, text)| Ok((name.clone(), value(text)?))).collect()
}

/// Writes the new values into the definition, for the actions that are created later; only elements that are there.
fn set_definition(
    transaction: &Transaction<'_>,
    (job, settings): (&mut CoordinatorJob, &Settings),
    values: &Properties,
    now: Timestamp,
    outcome: &mut Outcome,
) -> Result<()> {
    if job.done_materialization {
        return Ok(());
    }
    let stored = version(transaction, job)?;
    let source = SourceText::new(job.id.to_string(), transaction.document(stored.definition)?);
    let document = xml::read(&source).map_err(|_| unreadable(job))?;
    let info = document.root.child("action").and_then(|action| action.elements().find(|child| child.name == "info"));
    let mut elements: Vec<(&xml::Element, &String)> =
        values.iter().filter_map(|(name, value)| Some((info?.child(name)?, value))).collect();
    // From the end, so that earlier places stay valid.
    elements.sort_by_key(|(element, _)| std::cmp::Reverse(element.span.start));
    let mut text = source.text.clone();
    for (element, value) in elements {
        let mut changed = element.clone();
        let before = element.text().value;
        changed.children =
            vec![xml::Node::Text(xml::Text { value: value.clone(), span: element.tag, verbatim: false })];
        text.replace_range(element.span.start..element.span.end, &xml::write(&changed));
        outcome.change(selection::option(&element.name), Some(before), Some(value.clone()));
    }
    if text == *source.text {
        return Ok(());
    }
    let definition = transaction.store_document(&text)?;
    new_version(transaction, job, CoordinatorDefinition { definition, ..stored }, now)?;
    // Values that no action can be created with are refused now, not at the next action.
    let application = Applications::default().load(transaction, job, job.definition_version, &settings.submit)?;
    match registration::warnings(&application).into_iter().next() {
        Some(problem) => {
            Err(Error::new(ErrorCode::E1027, problem.message())
                .help(problem.help_text().unwrap_or_default().to_owned()))
        }
        None => Ok(()),
    }
}
