//! What the site says of SLA alerts.

use howdah_words::model::status::SlaEvent;

/// When SLA registrations are looked at, and who is notified of their events.
#[derive(Clone, Debug)]
pub struct SlaSettings {
    /// `oozie.sla.service.SLAService.alert.events`: told of where an SLA element names none.
    pub alert_events: Vec<SlaEvent>,
    /// `oozie.sla.service.SLAService.job.event.latency`, given in milliseconds: how long beyond a promised time a
    /// registration waits for news of its subject.
    pub latency_seconds: i64,
    /// `oozie.sla.disable.alerts.older.than`, in hours.
    pub older_than_hours: i64,
    /// `howdah.sla.alert.command`: a program and its arguments; empty: none.
    pub command: Vec<String>,
}

impl Default for SlaSettings {
    fn default() -> Self {
        Self { alert_events: vec![SlaEvent::EndMiss], latency_seconds: 90, older_than_hours: 48, command: Vec::new() }
    }
}
