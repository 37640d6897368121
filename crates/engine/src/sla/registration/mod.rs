//! SLA registrations: created with the coordinator actions, checked by every tick, restarted by a rerun
//! (`SLAOperations`, `SLAJobEventXCommand`; coordinator specification 12). Those of workflows are created in
//! `workflow`.
//!
//! The pure module `sla` decides what is promised and what the result is. A change of a status only marks the
//! registration as due; the next tick records it. Nothing is lost without ticks in between: the times are those of the
//! workflow job, not those of the tick.

#[cfg(test)]
mod tests;

use crate::compiled::Application;
use crate::settings::sla::SlaSettings;
use crate::sla::alert;
use howdah_host::mail::is_address;
use howdah_oozie::coordinator::action::ResolvedAction;
use howdah_oozie::coordinator::definition::ConfigurationValue;
use howdah_oozie::coordinator::phase::{ActionFacts, SlaSubmit};
use howdah_oozie::sla::alerts::{self, Moment};
use howdah_oozie::sla::machine::SlaMachine as _;
use howdah_oozie::sla::registration::{Registration, check_value};
use howdah_store::{DeliverySubject, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::row::{ActionKey, CoordinatorJob, SlaKey, SlaRegistration};
use howdah_words::model::status::{ActionStatus, NodeStatus, SlaStatus, SlaSubject, WorkflowStatus};
use howdah_words::model::time::Timestamp;

/// An action that is being created: its number and its nominal time.
pub type Created = (u32, Timestamp);

/// Returns the registration of an action that is created at `now`; `None` when its definition promises nothing.
///
/// # Errors
/// E1004 when a text of the SLA element cannot be evaluated, E0302 when it is no time or span.
pub fn prepare(
    settings: &SlaSettings,
    (job, application): (&CoordinatorJob, &Application),
    (number, nominal): Created,
    resolved: &ResolvedAction,
    now: Timestamp,
) -> Result<Option<SlaRegistration>> {
    let coordinator = &application.coordinator;
    if coordinator.sla.is_empty() {
        return Ok(None);
    }
    let scope = application.scope();
    let id = format!("{}@{number}", job.id);
    let facts = ActionFacts { id: &id, app_name: &coordinator.written_name, nominal, actual: now.floor_minute() };
    let promised = Registration::read(&coordinator.sla_values(scope, &facts, resolved)?, scope.processing)?;
    let subject = alerts::AlertedAction { job_id: job.id.as_str(), app_name: &job.name, number, nominal };
    let moment = Moment { now, older_than_hours: settings.older_than_hours, processing: scope.processing };
    let alerts_disabled = alerts::are_disabled(&application.configuration, &subject, moment);
    let action = DeliverySubject::Action(ActionKey { job: job.job, number });
    Ok(Some(SlaRegistration { alerts_disabled, ..row(action, (&job.name, &job.user), promised, now) }))
}

/// Returns what is wrong with the texts of an SLA element that are the same for every action: W0111 for one that is no
/// time or span, as no action can be created with it; W0160 for a contact to whom no mail can be sent.
pub fn warnings(application: &Application) -> Vec<Error> {
    let scope = application.scope();
    let wrong = |text: &ConfigurationValue| {
        if text.value.template.calls().next().is_some() {
            return Vec::new();
        }
        let Ok(value) = text.value.evaluate(&mut SlaSubmit(scope)) else { return Vec::new() };
        let refused = check_value(&text.name, &value, scope.processing).err().map(|refusal| {
            let warning = Error::new(ErrorCode::W0111, refusal.message());
            refusal.help_text().map(str::to_owned).into_iter().fold(warning, Error::help)
        });
        let contacts = if text.name == "alert-contact" { value.as_str() } else { "" };
        refused
            .into_iter()
            .chain(unreachable_contacts(contacts))
            .map(|warning| warning.at(text.value.location()))
            .collect()
    };
    application.coordinator.sla.iter().flat_map(wrong).collect()
}

/// W0160 for each contact of an `alert-contact` to whom no mail can be sent.
pub(crate) fn unreachable_contacts(list: &str) -> impl Iterator<Item = Error> {
    alert::contacts(list).filter(|contact| !is_address(contact)).map(|contact| {
        let why = format!("[{contact}] is no mail address");
        Error::with(ErrorCode::W0160, &[&"alert-contact", &why])
            .help("write addresses such as ops@example.com, with commas between them")
    })
}

/// Returns the registration of something that has not started, with the name of its application and its user.
pub fn row(
    subject: DeliverySubject<'_>,
    (app_name, user): (&str, &str),
    promised: Registration,
    now: Timestamp,
) -> SlaRegistration {
    let events = promised.alert_events.map(|events| {
        let words: Vec<&str> = events.iter().map(|event| event.as_str()).collect();
        words.join(",")
    });
    let (action, workflow, node) = match subject {
        DeliverySubject::Action(action) => (Some(action), None, None),
        DeliverySubject::Workflow(job) => (None, Some(job), None),
        DeliverySubject::Node(job, node) => (None, Some(job), Some(node.to_owned())),
    };
    let (subject, job_status) = match subject {
        DeliverySubject::Action(_) => (SlaSubject::CoordinatorAction, ActionStatus::Waiting.as_str()),
        DeliverySubject::Workflow(_) => (SlaSubject::WorkflowJob, WorkflowStatus::Prep.as_str()),
        DeliverySubject::Node(..) => (SlaSubject::WorkflowAction, NodeStatus::Prep.as_str()),
    };
    SlaRegistration {
        sla: SlaKey::default(),
        subject,
        coordinator_job: action.map(|action| action.job),
        action_number: action.map(|action| action.number),
        workflow_job: workflow,
        node,
        app_name: app_name.to_owned(),
        user: user.to_owned(),
        created_at: now,
        modified_at: now,
        nominal_at: promised.nominal,
        expected_start_at: promised.expected_start,
        expected_end_at: promised.expected_end,
        expected_seconds: promised.expected_seconds,
        alert_events: events,
        alert_contact: promised.alert_contact,
        notification_message: promised.notification_message,
        upstream_apps: promised.upstream_apps,
        alerts_disabled: false,
        run: 0,
        processed: 0,
        status: SlaStatus::NotStarted,
        job_status: job_status.to_owned(),
        actual_start_at: None,
        actual_end_at: None,
        due_at: Some(now),
    }
}

/// Restarts the registration of an action that is run again and now has this status; its earlier events stay recorded.
pub(crate) fn reset(
    transaction: &Transaction<'_>,
    (action, status): (ActionKey, ActionStatus),
    now: Timestamp,
) -> Result<()> {
    let Some(mut registration) = transaction.sla_of_action(action)? else { return Ok(()) };
    registration.run += 1;
    registration.modified_at = now;
    registration.job_status = status.to_string();
    registration.due_at = Some(now);
    registration.begin_again();
    transaction.update_sla(&registration)
}
