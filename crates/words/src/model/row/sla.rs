//! The registration of a subject with an SLA element.

use crate::model::row::coordinator_action::ActionKey;
use crate::model::row::key::{CoordinatorKey, SlaKey, WorkflowKey};
use crate::model::status::{SlaEvent, SlaStatus, SlaSubject};
use crate::model::time::Timestamp;

/// The registration of a subject with an SLA element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlaRegistration {
    pub sla: SlaKey,
    pub subject: SlaSubject,
    pub coordinator_job: Option<CoordinatorKey>,
    pub action_number: Option<u32>,
    pub workflow_job: Option<WorkflowKey>,
    pub node: Option<String>,
    pub app_name: String,
    pub user: String,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
    pub nominal_at: Timestamp,
    /// `None`: not promised.
    pub expected_start_at: Option<Timestamp>,
    pub expected_end_at: Timestamp,
    /// The longest duration promised; `None`: not promised.
    pub expected_seconds: Option<i64>,
    /// Events separated by commas; `None`: those of the site.
    pub alert_events: Option<String>,
    pub alert_contact: Option<String>,
    pub notification_message: Option<String>,
    pub upstream_apps: Option<String>,
    pub alerts_disabled: bool,
    /// How often it was started again.
    pub run: u32,
    /// Bits for the decided parts.
    pub processed: u8,
    pub status: SlaStatus,
    /// The subject's status at the latest check.
    pub job_status: String,
    pub actual_start_at: Option<Timestamp>,
    pub actual_end_at: Option<Timestamp>,
    /// When tick must check it; `None`: not before the subject changes.
    pub due_at: Option<Timestamp>,
}

impl SlaRegistration {
    /// The coordinator action that is its subject, if any.
    pub fn action(&self) -> Option<ActionKey> {
        let (job, number) = self.coordinator_job.zip(self.action_number)?;
        Some(ActionKey { job, number })
    }
}

/// A registration with the ids that users know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlaSummary {
    pub registration: SlaRegistration,
    /// The id of its subject.
    pub id: String,
    pub parent_id: Option<String>,
    /// The events of the present run, oldest first.
    pub events: Vec<SlaEvent>,
}
