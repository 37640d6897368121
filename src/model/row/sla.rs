//! The registration of a subject with an SLA element.

use crate::model::row::coordinator_action::ActionKey;
use crate::model::row::key::{CoordinatorKey, SlaKey, WorkflowKey};
use crate::model::status::{SlaEvent, SlaStatus, SlaSubject};
use crate::model::time::Timestamp;

/// The registration of a subject with an SLA element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlaRegistration {
    pub(crate) sla: SlaKey,
    pub(crate) subject: SlaSubject,
    pub(crate) coordinator_job: Option<CoordinatorKey>,
    pub(crate) action_number: Option<u32>,
    pub(crate) workflow_job: Option<WorkflowKey>,
    pub(crate) node: Option<String>,
    pub(crate) app_name: String,
    pub(crate) user: String,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    pub(crate) nominal_at: Timestamp,
    /// `None`: not promised.
    pub(crate) expected_start_at: Option<Timestamp>,
    pub(crate) expected_end_at: Timestamp,
    /// The longest duration promised; `None`: not promised.
    pub(crate) expected_seconds: Option<i64>,
    /// Events separated by commas; `None`: those of the site.
    pub(crate) alert_events: Option<String>,
    pub(crate) alert_contact: Option<String>,
    pub(crate) notification_message: Option<String>,
    pub(crate) upstream_apps: Option<String>,
    pub(crate) alerts_disabled: bool,
    /// How often it was started again.
    pub(crate) run: u32,
    /// Bits for the decided parts.
    pub(crate) processed: u8,
    pub(crate) status: SlaStatus,
    /// The subject's status at the latest check.
    pub(crate) job_status: String,
    pub(crate) actual_start_at: Option<Timestamp>,
    pub(crate) actual_end_at: Option<Timestamp>,
    /// When tick must check it; `None`: not before the subject changes.
    pub(crate) due_at: Option<Timestamp>,
}

impl SlaRegistration {
    /// The coordinator action that is its subject, if any.
    pub(crate) fn action(&self) -> Option<ActionKey> {
        let (job, number) = self.coordinator_job.zip(self.action_number)?;
        Some(ActionKey { job, number })
    }
}

/// A registration with the ids that users know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SlaSummary {
    pub(crate) registration: SlaRegistration,
    /// The id of its subject.
    pub(crate) id: String,
    pub(crate) parent_id: Option<String>,
    /// The events of the present run, oldest first.
    pub(crate) events: Vec<SlaEvent>,
}
