//! Records an event of a registration, and writes its alerts to the outbox: mails and a command.
//!
//! Alerts are sent when they are enabled and the registration, or else the site, names the event. Nothing is sent here:
//! the courier delivers the outbox, so a dead mail server does not delay a tick.

use std::collections::BTreeMap;

use crate::format::in_words;
use crate::settings::sla::SlaSettings;
use crate::sla::summary::{SlaSummaryView, summary_view};
use howdah_oozie::sla::registration::read_events;
use howdah_store::{Alert, DeliverySubject, Transaction};
use howdah_words::error::Result;
use howdah_words::model::delivery::{AlertCommand, Mail, Payload};
use howdah_words::model::row::SlaRegistration;
use howdah_words::model::status::SlaEvent;
use howdah_words::model::time::Timestamp;

/// Stores an event and its alerts.
pub fn record(
    transaction: &Transaction<'_>,
    settings: &SlaSettings,
    registration: &SlaRegistration,
    event: SlaEvent,
    now: Timestamp,
) -> Result<()> {
    let payloads = if is_wanted(settings, registration, event) {
        let summary = summary_view(&transaction.sla_summary(registration.sla)?);
        let about = About { event, summary: &summary, registration };
        [about.mail(), about.command(settings)].into_iter().flatten().collect()
    } else {
        Vec::new()
    };
    let alert = if payloads.is_empty() { Alert::Silent } else { Alert::Told };
    transaction.insert_sla_event(registration, event, now, alert)?;
    for payload in payloads {
        if let Some(subject) = subject(registration) {
            transaction.enqueue(subject, payload, now)?;
        }
    }
    Ok(())
}

fn is_wanted(settings: &SlaSettings, registration: &SlaRegistration, event: SlaEvent) -> bool {
    let named = match &registration.alert_events {
        Some(list) => read_events(list).contains(&event),
        None => settings.alert_events.contains(&event),
    };
    named && !registration.alerts_disabled
}

fn subject(registration: &SlaRegistration) -> Option<DeliverySubject<'_>> {
    let workflow = || match (registration.workflow_job, registration.node.as_deref()) {
        (Some(job), None) => Some(DeliverySubject::Workflow(job)),
        (Some(job), Some(node)) => Some(DeliverySubject::Node(job, node)),
        (None, _) => None,
    };
    registration.action().map(DeliverySubject::Action).or_else(workflow)
}

/// Returns the contacts that an `alert-contact` names.
pub(super) fn contacts(list: &str) -> impl Iterator<Item = &str> {
    list.split(',').map(str::trim).filter(|contact| !contact.is_empty())
}

/// A line of a mail: left out without a value.
type Line = (&'static str, Option<String>);

fn section(heading: &str, lines: &[Line]) -> String {
    let written = lines.iter().filter_map(|(name, value)| Some(format!("  {name} - {}\n", value.as_ref()?)));
    format!("{heading}:\n{}", written.collect::<String>())
}

/// An event and what it is about.
struct About<'a> {
    event: SlaEvent,
    summary: &'a SlaSummaryView,
    registration: &'a SlaRegistration,
}

impl About<'_> {
    /// Returns the mail to the contacts of the registration, if it has any.
    fn mail(&self) -> Option<Payload> {
        let to: Vec<String> = contacts(self.registration.alert_contact.as_deref()?).map(str::to_owned).collect();
        (!to.is_empty()).then(|| Payload::Mail(Mail { to, subject: self.title(), body: self.body() }))
    }

    /// Returns the title on one line, whatever the name of the application contains.
    fn title(&self) -> String {
        let title =
            format!("OOZIE - SLA {} (AppName={}, JobID={})", self.event, self.summary.app_name, self.summary.id);
        title.replace(|letter: char| letter.is_control(), " ")
    }

    fn body(&self) -> String {
        let summary = self.summary;
        let status = [
            ("SLA Status", Some(self.event.to_string())),
            ("Job Status", Some(summary.job_status.clone())),
            ("Notification Message", self.registration.notification_message.clone()),
            ("Upstream Apps", self.registration.upstream_apps.clone()),
        ];
        let job = [
            ("App Name", Some(summary.app_name.clone())),
            ("App Type", Some(summary.app_type.clone())),
            ("User", Some(summary.user.clone())),
            ("Job ID", Some(summary.id.clone())),
            ("Parent Job ID", summary.parent_id.clone()),
        ];
        let sections = [("Status", &status[..]), ("Job Details", &job), ("SLA Details", &self.times())];
        sections.map(|(heading, lines)| section(heading, lines)).join("\n")
    }

    /// Returns the times that the event is about.
    fn times(&self) -> [Line; 3] {
        let summary = self.summary;
        let words = |milliseconds: Option<i64>| milliseconds.map(|time| in_words(time / 1000));
        let [expected, actual] = match self.event {
            SlaEvent::StartMet | SlaEvent::StartMiss => [
                ("Expected Start Time", summary.expected_start.clone()),
                ("Actual Start Time", summary.actual_start.clone()),
            ],
            SlaEvent::DurationMet | SlaEvent::DurationMiss => [
                ("Expected Duration", words(summary.expected_duration)),
                ("Actual Duration", words(summary.actual_duration)),
            ],
            SlaEvent::EndMet | SlaEvent::EndMiss => [
                ("Expected End Time", Some(summary.expected_end.clone())),
                ("Actual End Time", summary.actual_end.clone()),
            ],
        };
        [("Nominal Time", Some(summary.nominal_time.clone())), expected, actual]
    }

    /// Returns the command of the site, if it names one.
    fn command(&self, settings: &SlaSettings) -> Option<Payload> {
        if settings.command.is_empty() {
            return None;
        }
        let summary = self.summary;
        let pairs = [
            ("EVENT", Some(self.event.to_string())),
            ("STATUS", Some(summary.sla_status.clone())),
            ("ACTION", Some(summary.id.clone())),
            ("JOB", summary.parent_id.clone()),
            ("JOB_STATUS", Some(summary.job_status.clone())),
            ("APP_NAME", Some(summary.app_name.clone())),
            ("APP_TYPE", Some(summary.app_type.clone())),
            ("USER", Some(summary.user.clone())),
            ("NOMINAL_TIME", Some(summary.nominal_time.clone())),
            ("MESSAGE", self.registration.notification_message.clone()),
            ("CONTACT", self.registration.alert_contact.clone()),
        ];
        let named = pairs.into_iter().filter_map(|(name, value)| Some((format!("HOWDAH_SLA_{name}"), value?)));
        // A variable must not contain a zero byte.
        let environment: BTreeMap<String, String> =
            named.map(|(name, value)| (name, value.replace('\0', " "))).collect();
        let mut document = serde_json::to_value(summary).expect("a summary becomes JSON");
        document["event"] = self.event.as_str().into();
        document["notificationMessage"] = self.registration.notification_message.clone().into();
        document["upstreamApps"] = self.registration.upstream_apps.clone().into();
        Some(Payload::Command(AlertCommand {
            command: settings.command.clone(),
            environment,
            input: format!("{document}\n"),
        }))
    }
}
