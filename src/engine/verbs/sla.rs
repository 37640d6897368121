//! `howdah sla enable`, `disable` and `change`: who is told of late actions, and what is promised of them.
//!
//! Actions that exist are changed in their registrations. Those that are created later follow a new version of the
//! job's definition, as an update makes one; the actions that exist keep theirs.

use crate::calendar::ProcessingZone;
use crate::coordinator::definition::Coordinator;
use crate::coordinator::operation::scope::{Dates, Period, Scope};
use crate::coordinator::phase::ActionFacts;
use crate::engine::Engine;
use crate::engine::apply::invocation::Given;
use crate::engine::apply::outcome::{Outcome, SlaChange};
use crate::engine::apply::selection::{choose, note_missing};
use crate::engine::compiled::{Application, Applications};
use crate::engine::format::{in_words, time};
use crate::engine::lookup::coordinator;
use crate::engine::settings::Settings;
use crate::engine::sla::registration;
use crate::engine::stored_properties::{properties_text, read_properties};
use crate::engine::transition::coordinator::change_job;
use crate::error::{Error, ErrorCode, Result, SourceText};
use crate::model::Properties;
use crate::model::effect::Effect;
use crate::model::id::JobId;
use crate::model::origin::Origin;
use crate::model::row::{CoordinatorAction, CoordinatorDefinition, CoordinatorJob, SlaRegistration};
use crate::model::time::Timestamp;
use crate::sla::{self, alerts, selection};
use crate::store::Transaction;
use crate::xml;

/// How many ranges of action numbers an event names.
const MOST_RANGES: usize = 20;

/// Whether somebody is to be told of what is late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alerts {
    Enabled,
    Disabled,
}

impl Alerts {
    /// The word of Oozie's REST interface.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "Enabled",
            Self::Disabled => "Disabled",
        }
    }

    /// The verb as the user types it.
    const fn verb(self) -> Origin {
        match self {
            Self::Enabled => Origin::SlaEnable,
            Self::Disabled => Origin::SlaDisable,
        }
    }

    const fn of(registration: &SlaRegistration) -> Self {
        if registration.alerts_disabled { Self::Disabled } else { Self::Enabled }
    }
}

/// Enables or disables the alerts of a job's actions, or of some of them; later actions follow.
///
/// # Errors
/// E0604, E0302 for a job that is no coordinator, E0605 for a date without an action, E1026 when none of the actions
/// promises anything.
pub(crate) fn set_alerts(
    engine: &mut Engine,
    id: &JobId,
    (scope, alerts): (Option<&Scope>, Alerts),
    when: (Effect, Timestamp),
) -> Result<Outcome> {
    let processing = engine.settings.submit.processing;
    let given = Given::new(alerts.verb(), when)?;
    engine.store.transact_for(given.effect, |transaction| {
        let mut job = coordinator(transaction, id)?;
        let mut outcome = Outcome::of(id);
        for (action, mut registration) in registered(transaction, &job, scope, &mut outcome)? {
            let before = Alerts::of(&registration);
            if before != alerts {
                registration.alerts_disabled = alerts == Alerts::Disabled;
                registration.modified_at = given.now;
                transaction.update_sla(&registration)?;
                outcome.sla_changes.push(sla_change(
                    (id, &action),
                    "slaAlertStatus",
                    (before.as_str(), alerts.as_str()),
                ));
            }
        }
        let named = scope.map_or(alerts::ALL.to_owned(), |scope| words(scope, processing));
        set_property(transaction, &mut job, (&named, alerts), given.now, &mut outcome)?;
        record(transaction, &mut job, &given, &outcome)?;
        note_nothing(&mut outcome, "the alerts are as you want them");
        Ok(outcome)
    })
}

/// Sets what is promised of a job's open actions, or of some of them; without a scope later actions follow.
///
/// # Errors
/// E0604, E0605, E1015 and E1027 for a text that changes nothing, E0302 and E1004 for values that are none, E1026 when
/// none of the actions promises anything.
pub(crate) fn change(
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
    let mut given = Given::new(Origin::SlaChange, when)?;
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
        note_nothing(&mut outcome, "the job has no open action with an SLA, and creates none any more");
        Ok(outcome)
    })
}

/// The actions that are meant and promise something, each with its registration.
fn registered(
    transaction: &Transaction<'_>,
    job: &CoordinatorJob,
    scope: Option<&Scope>,
    outcome: &mut Outcome,
) -> Result<Vec<(CoordinatorAction, SlaRegistration)>> {
    let Some(scope) = scope else {
        let mut all = Vec::new();
        for registration in transaction.sla_of_coordinator(job.job)? {
            let Some(key) = registration.action() else { continue };
            all.extend(transaction.coordinator_action(key)?.map(|action| (action, registration)));
        }
        return Ok(all);
    };
    let chosen = choose(transaction, job, scope, Period::Active)?;
    note_missing(&chosen.missing, job, outcome);
    let mut some = Vec::new();
    for action in chosen.actions {
        some.extend(transaction.sla_of_action(action.key())?.map(|registration| (action, registration)));
    }
    if some.is_empty() {
        let help = format!(
            "`howdah sla list --filter id={}` lists the actions that have one; a period A::B means those of them that \
             have not ended",
            job.id
        );
        return Err(Error::new(ErrorCode::E1026, "No record found: no action that is chosen has an SLA").help(help));
    }
    Ok(some)
}

fn sla_change((id, action): (&JobId, &CoordinatorAction), name: &'static str, (from, to): (&str, &str)) -> SlaChange {
    SlaChange {
        id: format!("{id}@{}", action.number),
        action_number: action.number,
        nominal_time: time(action.nominal_at),
        name,
        from: from.to_owned(),
        to: to.to_owned(),
    }
}

/// What is promised, in words that fit a table: behind the nominal time; of `row` only what differs in `other`.
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

fn note_nothing(outcome: &mut Outcome, why: &str) {
    if outcome.has_changed_nothing() {
        outcome.note(format!("{}: there was nothing to change, {why}", outcome.id));
    }
}

/// The new values as they are for one action.
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

/// The actions of a scope, as the job's property names them.
fn words(scope: &Scope, processing: ProcessingZone) -> String {
    let parts: Vec<String> = match scope {
        Scope::Numbers(numbers) => numbers
            .ranges()
            .map(|range| match range.into_inner() {
                (first, last) if first == last => first.to_string(),
                (first, last) => format!("{first}-{last}"),
            })
            .collect(),
        Scope::Dates(dates) => dates
            .iter()
            .map(|dates| match *dates {
                Dates::At(at) => processing.format(at),
                Dates::Between(from, until) => format!("{}::{}", processing.format(from), processing.format(until)),
            })
            .collect(),
    };
    parts.join(",")
}

/// Writes the job with the event of the verb: which of its actions it changed, and from which definition on later ones
/// follow. A verb that changed nothing leaves no event.
fn record(transaction: &Transaction<'_>, job: &mut CoordinatorJob, given: &Given, outcome: &Outcome) -> Result<()> {
    if !outcome.is_news() {
        return Ok(());
    }
    let mut parts: Vec<String> = given.detail.iter().cloned().collect();
    if !outcome.sla_changes.is_empty() {
        parts.push(format!("actions {}", numbers(&outcome.sla_changes)));
    }
    if !outcome.changes.is_empty() {
        parts.push(format!("definition {}", job.definition_version));
    }
    let detail = parts.join("; ");
    // The job was read in this transaction, and no other process writes meanwhile.
    if change_job(transaction, job, given.cause_with(Some(&detail)))? {
        Ok(())
    } else {
        Err(Error::new(ErrorCode::H0001, format!("{} changed meanwhile", job.id)))
    }
}

/// The numbers of the actions, which are in their order, as an operator writes them; of very many only the first.
fn numbers(actions: &[SlaChange]) -> String {
    let ranges: Vec<&[SlaChange]> = actions.chunk_by(|one, next| one.action_number + 1 == next.action_number).collect();
    let named = ranges.iter().take(MOST_RANGES).map(|range| match range {
        [first, .., last] => format!("{}-{}", first.action_number, last.action_number),
        one => one.iter().map(|action| action.action_number.to_string()).collect(),
    });
    let left: usize = ranges.iter().skip(MOST_RANGES).map(|range| range.len()).sum();
    let more = (left > 0).then(|| format!("and {left} more"));
    named.chain(more).collect::<Vec<_>>().join(",")
}

/// Lets the actions that are created later have alerts, or none.
fn set_property(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    (named, alerts): (&str, Alerts),
    now: Timestamp,
    outcome: &mut Outcome,
) -> Result<()> {
    if job.done_materialization {
        return Ok(());
    }
    let stored = version(transaction, job)?;
    let mut properties = read_properties(&transaction.document(stored.configuration)?)?;
    let before = properties.get(alerts::DISABLED_ACTIONS).cloned();
    let list = before.as_deref().unwrap_or_default();
    let after = match alerts {
        Alerts::Disabled => alerts::disable(list, named),
        Alerts::Enabled => alerts::enable(list, named),
    };
    if after == list {
        if alerts == Alerts::Enabled && !after.is_empty() {
            outcome.note(format!(
                "actions that are created later follow {} = {after}; `howdah sla enable {}` without a choice of \
                 actions takes it back",
                alerts::DISABLED_ACTIONS,
                job.id,
            ));
        }
        return Ok(());
    }
    let after = (!after.is_empty()).then_some(after);
    match &after {
        Some(list) => properties.insert(alerts::DISABLED_ACTIONS.to_owned(), list.clone()),
        None => properties.remove(alerts::DISABLED_ACTIONS),
    };
    let configuration = transaction.store_document(&properties_text(&properties))?;
    new_version(transaction, job, CoordinatorDefinition { configuration, ..stored }, now)?;
    outcome.change(alerts::DISABLED_ACTIONS, before, after);
    Ok(())
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
    // From the end, so that the places in front stay what they are.
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
    // What no action can be created with must not wait for the next action to be found.
    let application = Applications::default().load(transaction, job, job.definition_version, &settings.submit)?;
    match registration::warnings(&application).into_iter().next() {
        Some(problem) => {
            Err(Error::new(ErrorCode::E1027, problem.message())
                .help(problem.help_text().unwrap_or_default().to_owned()))
        }
        None => Ok(()),
    }
}

fn version(transaction: &Transaction<'_>, job: &CoordinatorJob) -> Result<CoordinatorDefinition> {
    transaction.coordinator_definition(job.job, job.definition_version)?.ok_or_else(|| unreadable(job))
}

fn unreadable(job: &CoordinatorJob) -> Error {
    Error::new(ErrorCode::E1005, format!("the definition {} of {}", job.definition_version, job.id))
}

/// Stores another version of the definition, which the job has from now on; its row is left to [`record`].
fn new_version(
    transaction: &Transaction<'_>,
    job: &mut CoordinatorJob,
    definition: CoordinatorDefinition,
    now: Timestamp,
) -> Result<()> {
    let outputs = transaction.output_beginnings(job.job, job.definition_version)?;
    job.definition_version += 1;
    let version = job.definition_version;
    transaction
        .insert_coordinator_definition(&CoordinatorDefinition { version, created_at: now, ..definition }, &outputs)
}
