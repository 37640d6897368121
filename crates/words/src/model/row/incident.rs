//! What happened to a job that alerts and the failure policy may concern.

use crate::model::alert::AlertEvent;
use crate::model::row::coordinator_action::ActionKey;
use crate::model::row::key::{BundleKey, CoordinatorKey, IncidentKey, WorkflowKey};
use crate::model::status::words;
use crate::model::time::Timestamp;

/// What happened to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    pub incident: IncidentKey,
    pub at: Timestamp,
    pub event: AlertEvent,
    pub coordinator_job: Option<CoordinatorKey>,
    pub action_number: Option<u32>,
    /// With `action_number`: the last of a range of actions.
    pub last_action_number: Option<u32>,
    /// A workflow job without a coordinator.
    pub workflow_job: Option<WorkflowKey>,
    pub bundle_job: Option<BundleKey>,
    /// The user whose verb caused it.
    pub actor: Option<String>,
    pub reason: Option<String>,
    pub state: IncidentState,
}

words! {
    /// What has followed from an incident so far.
    IncidentState {
        New = "NEW",
        /// A runner without a site file left it to the next tick.
        Left = "LEFT",
        /// The same, after what the policy of the job says was done.
        Judged = "JUDGED",
    }
}

impl Incident {
    /// Creates an incident without a subject and a reason.
    pub fn new(at: Timestamp, event: AlertEvent) -> Self {
        Self {
            incident: IncidentKey::default(),
            at,
            event,
            coordinator_job: None,
            action_number: None,
            last_action_number: None,
            workflow_job: None,
            bundle_job: None,
            actor: None,
            reason: None,
            state: IncidentState::New,
        }
    }

    /// Returns the action, or the first one of a range.
    pub fn action(&self) -> Option<ActionKey> {
        Some(ActionKey { job: self.coordinator_job?, number: self.action_number? })
    }

    /// Returns how many actions it is about; 1 for a job.
    pub fn count(&self) -> u32 {
        let range = self.action_number.zip(self.last_action_number);
        range.map_or(1, |(first, last)| last.saturating_sub(first).saturating_add(1))
    }
}

/// The latest alert of one kind about a job to a hook of the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentAlert {
    pub hook: String,
    pub event: AlertEvent,
    pub coordinator_job: Option<CoordinatorKey>,
    pub workflow_job: Option<WorkflowKey>,
    pub bundle_job: Option<BundleKey>,
    pub sent_at: Timestamp,
    /// How many later ones were not sent.
    pub counted: u32,
}

/// The reruns of an action by the failure policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PolicyRerun {
    pub job: CoordinatorKey,
    pub number: u32,
    /// So far.
    pub reruns: u32,
    /// When the next one is due; `None` when none is planned.
    pub rerun_at: Option<Timestamp>,
}
