//! `howdah sla enable` and `disable`: which actions report that they are late.
//!
//! Must not depend on what the actions promise.

use super::record::{new_version, note_nothing, record, version};
use super::registered::{registered, sla_change};
use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::lookup::coordinator;
use crate::stored_properties::{properties_text, read_properties};
use howdah_calendar::ProcessingZone;
use howdah_oozie::coordinator::operation::scope::{Dates, Scope};
use howdah_oozie::sla::alerts;
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{CoordinatorDefinition, CoordinatorJob, SlaRegistration};
use howdah_words::model::time::Timestamp;

/// Whether alerts are sent for late actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alerts {
    Enabled,
    Disabled,
}

impl Alerts {
    /// Returns the word of Oozie's REST interface.
    const fn as_str(self) -> &'static str {
        match self {
            Self::Enabled => "Enabled",
            Self::Disabled => "Disabled",
        }
    }

    /// Returns the verb as the user types it.
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

/// Enables or disables the alerts of a job's actions, or of some of them; it applies to later actions too.
///
/// # Errors
/// E0604, E0302 for a job that is no coordinator, E0605 for a date without an action, E1026 when none of the actions
/// promises anything.
pub fn set_alerts(
    engine: &mut Engine,
    id: &JobId,
    (scope, alerts): (Option<&Scope>, Alerts),
    when: (Effect, Timestamp),
) -> Result<Outcome> {
    let processing = engine.settings.submit.processing;
    let given = Invocation::new(alerts.verb(), when)?;
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

/// Returns the actions of a scope, as the job's property names them.
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

/// Enables or disables alerts for actions that are created later.
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
