//! Decides which hooks of the site get an alert for an incident. What repeats is counted, and the next message says how
//! often.

use crate::follow_up::message::Message;
use crate::settings::alert::{AlertHook, AlertSettings};
use howdah_store::Transaction;
use howdah_words::error::Result;
use howdah_words::model::alert::AlertEvent;
use howdah_words::model::row::{Incident, SentAlert};

/// Stores the alerts of an incident in the outbox.
pub(super) fn raise(transaction: &Transaction<'_>, settings: &AlertSettings, incident: &Incident) -> Result<()> {
    let subject = (incident.coordinator_job, incident.workflow_job, incident.bundle_job);
    let sent = transaction.sent_alerts(subject)?;
    if settings.hooks.is_empty() && sent.is_empty() {
        return Ok(());
    }
    let message = Message::of(transaction, incident)?;
    for hook in settings.hooks.iter().filter(|hook| hook.concerns(message.job_name())) {
        let before: Vec<&SentAlert> = sent.iter().filter(|alert| alert.hook == hook.name).collect();
        if incident.event == AlertEvent::Recovered {
            if !before.is_empty() {
                message.send(transaction, hook, &before)?;
            }
        } else if hook.on.contains(&incident.event) {
            repeat(transaction, (hook, settings.window_seconds), &message, &before)?;
        }
    }
    if incident.event == AlertEvent::Recovered {
        transaction.forget_alerts(subject)?;
    }
    Ok(())
}

/// Sends an alert, unless the same one was sent a short time before: then it is counted.
fn repeat(
    transaction: &Transaction<'_>,
    (hook, window): (&AlertHook, i64),
    message: &Message<'_>,
    before: &[&SentAlert],
) -> Result<()> {
    let incident = message.incident;
    let same = before.iter().copied().find(|alert| alert.event == incident.event);
    // A clock that was set back must not silence it for long.
    if let Some(same) = same.filter(|same| (incident.at - same.sent_at).abs() < window) {
        let counted = same.counted.saturating_add(incident.count());
        return transaction.set_sent_alert(&SentAlert { counted, ..same.clone() });
    }
    message.send(transaction, hook, same.as_slice())?;
    transaction.set_sent_alert(&SentAlert {
        hook: hook.name.clone(),
        event: incident.event,
        coordinator_job: incident.coordinator_job,
        workflow_job: incident.workflow_job,
        bundle_job: incident.bundle_job,
        sent_at: incident.at,
        counted: 0,
    })
}
