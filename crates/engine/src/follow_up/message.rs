//! The text of an alert, as a mail, for a program, and as JSON for a URL.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::format::time;
use crate::settings::alert::AlertHook;
use howdah_store::{Snapshot, Transaction};
use howdah_words::error::Result;
use howdah_words::model::alert::AlertEvent;
use howdah_words::model::delivery::{AlertCommand, HttpPost, Mail, Payload};
use howdah_words::model::id::{JobId, Target};
use howdah_words::model::row::{Incident, SentAlert};
use howdah_words::model::secret::masked;
use howdah_words::model::time::Timestamp;

/// The longest reason in a message, in characters.
const LONGEST_REASON: usize = 2000;

/// The longest value of a variable of a command, in characters.
const LONGEST_VARIABLE: usize = 8000;

/// The job of an incident.
#[derive(Clone, Debug)]
struct Job {
    id: JobId,
    name: String,
    user: String,
    /// Of the action.
    nominal_at: Option<Timestamp>,
}

/// An incident with what a message says of it.
#[derive(Clone, Debug)]
pub(super) struct Message<'a> {
    pub(super) incident: &'a Incident,
    /// `None`: it concerns all jobs.
    job: Option<Job>,
}

impl<'a> Message<'a> {
    /// Returns the message of an incident.
    pub(super) fn of(snapshot: &Snapshot, incident: &'a Incident) -> Result<Self> {
        let coordinator = incident.coordinator_job.map(|job| snapshot.coordinator_job_at(job)).transpose()?.flatten();
        let workflow = incident.workflow_job.map(|job| snapshot.workflow_job_at(job)).transpose()?.flatten();
        let action = incident.action().map(|action| snapshot.coordinator_action(action)).transpose()?.flatten();
        let nominal_at = action.map(|action| action.nominal_at);
        let of_coordinator = coordinator.map(|job| Job { id: job.id, name: job.name, user: job.user, nominal_at });
        let of_workflow = workflow.map(|job| Job { id: job.id, name: job.name, user: job.user, nominal_at: None });
        let bundle = incident.bundle_job.map(|job| snapshot.bundle_job_at(job)).transpose()?.flatten();
        let of_bundle = bundle.map(|job| Job { id: job.id, name: job.name, user: job.user, nominal_at: None });
        Ok(Self { incident, job: of_coordinator.or(of_workflow).or(of_bundle) })
    }

    /// Returns the name of the job.
    pub(super) fn job_name(&self) -> Option<&str> {
        self.job.as_ref().map(|job| job.name.as_str())
    }

    /// Stores the message in the outbox, once for each way in which the hook gets it; `before` are the alerts whose
    /// repetitions were only counted.
    pub(super) fn send(&self, transaction: &Transaction<'_>, hook: &AlertHook, before: &[&SentAlert]) -> Result<()> {
        let not_sent = before.iter().fold(0_u32, |sum, alert| sum.saturating_add(alert.counted));
        let document = self.document(before, not_sent);
        let body = || document["text"].as_str().unwrap_or_default().to_owned();
        let mail = || Mail { to: hook.mail.clone(), subject: self.title(), body: body() };
        let command = || AlertCommand {
            command: hook.command.clone(),
            environment: environment(&document),
            input: format!("{document}\n"),
        };
        let payloads = [
            (!hook.command.is_empty()).then(|| Payload::Command(command())),
            (!hook.mail.is_empty()).then(|| Payload::Mail(mail())),
            hook.url.clone().map(|url| Payload::Post(HttpPost { url, body: document.to_string() })),
        ];
        for payload in payloads.into_iter().flatten() {
            transaction.enqueue_alert(self.incident, &hook.name, payload)?;
        }
        Ok(())
    }

    /// Returns the name of the subject as a person would write it: `load@3`, `load@3-9` or `load`.
    fn subject(&self) -> String {
        let name = self.job_name().unwrap_or("howdah");
        match (self.incident.action_number, self.incident.last_action_number) {
            (Some(first), Some(last)) if last > first => format!("{name}@{first}-{last}"),
            (Some(number), _) => format!("{name}@{number}"),
            (None, _) => name.to_owned(),
        }
    }

    /// Returns the id of the subject.
    fn id(&self) -> Option<String> {
        let id = self.job.as_ref()?.id.clone();
        Some(match self.incident.action_number {
            Some(number) => Target::CoordinatorAction(id, number).to_string(),
            None => Target::Job(id).to_string(),
        })
    }

    /// Returns the title on one line, whatever the name of the job contains.
    fn title(&self) -> String {
        let what = match self.incident.event {
            AlertEvent::Runner => "no runner".to_owned(),
            event => format!("{} {event}", self.subject()),
        };
        format!("howdah: {what}").replace(|letter: char| letter.is_control(), " ")
    }

    fn document(&self, before: &[&SentAlert], not_sent: u32) -> Value {
        let incident = self.incident;
        let job = self.job.as_ref();
        json!({
            "event": incident.event.as_str(),
            "id": self.id(),
            "jobId": job.map(|job| job.id.as_str()),
            "name": self.job_name(),
            "user": job.map(|job| &job.user),
            "actions": incident.action_number.map(|_| incident.count()),
            "nominalTime": job.and_then(|job| job.nominal_at).map(time),
            "time": time(incident.at),
            "by": incident.actor,
            "reason": self.reason(),
            "notSent": not_sent,
            "text": self.text(before),
        })
    }

    /// Returns the reason without the credentials of its URLs.
    fn reason(&self) -> Option<String> {
        let reason = self.incident.reason.as_deref()?;
        Some(masked(reason).chars().take(LONGEST_REASON).collect())
    }

    fn text(&self, before: &[&SentAlert]) -> String {
        let incident = self.incident;
        let mut lines = vec![self.title()];
        let by = incident.actor.as_ref().map(|actor| format!(" by {actor}")).unwrap_or_default();
        lines.push(format!("At {}{by}", time(incident.at)));
        lines.extend(self.reason());
        for alert in before.iter().filter(|alert| alert.counted > 0) {
            let SentAlert { event, counted, sent_at, .. } = alert;
            lines.push(format!("Not sent since {}: {counted} more {event}", time(*sent_at)));
        }
        lines.extend(self.id().map(|id| format!("Details: howdah explain {id}")));
        lines.join("\n")
    }
}

/// Returns the variables of a command: `HOWDAH_ALERT_` and the name of each field that has a value.
fn environment(document: &Value) -> BTreeMap<String, String> {
    let names = [
        ("event", "EVENT"),
        ("id", "ID"),
        ("jobId", "JOB"),
        ("name", "NAME"),
        ("user", "USER"),
        ("actions", "ACTIONS"),
        ("nominalTime", "NOMINAL_TIME"),
        ("time", "TIME"),
        ("by", "BY"),
        ("reason", "REASON"),
        ("notSent", "NOT_SENT"),
        ("text", "TEXT"),
    ];
    let value = |field: &str| match &document[field] {
        Value::Null => None,
        // A variable must not contain a zero byte, and the system limits its length; the document has the whole text.
        Value::String(text) => Some(text.replace('\0', " ").chars().take(LONGEST_VARIABLE).collect()),
        other => Some(other.to_string()),
    };
    names.into_iter().filter_map(|(field, name)| Some((format!("HOWDAH_ALERT_{name}"), value(field)?))).collect()
}
