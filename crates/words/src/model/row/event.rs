//! A change of a status.

use crate::model::origin::Origin;
use crate::model::row::key::{BundleKey, CoordinatorKey, EventKey, WorkflowKey};
use crate::model::time::Timestamp;

/// A change of a status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub event: EventKey,
    pub at: Timestamp,
    pub coordinator_job: Option<CoordinatorKey>,
    pub action_number: Option<u32>,
    /// With `action_number`: the last of a range of actions.
    pub last_action_number: Option<u32>,
    pub workflow_job: Option<WorkflowKey>,
    pub node: Option<String>,
    pub bundle_job: Option<BundleKey>,
    /// `None` when the subject was created.
    pub from_status: Option<String>,
    pub to_status: String,
    /// The verb or the step that did it.
    pub origin: Origin,
    /// The user who gave the verb; `None` when it follows from something else.
    pub actor: Option<String>,
    /// Why it came; of a verb that a user gave: with which values.
    pub reason: Option<String>,
    /// Whether the verb set the pause time of its job, or took it away.
    pub sets_pause: bool,
}

impl Event {
    /// Checks whether it is about all jobs together.
    pub const fn is_of_site(&self) -> bool {
        matches!(self.origin, Origin::PauseAll | Origin::ResumeAll)
    }

    /// An event without a subject: the caller adds the job, action or node.
    pub fn new(at: Timestamp, to_status: &str, origin: Origin) -> Self {
        Self {
            event: EventKey::default(),
            at,
            coordinator_job: None,
            action_number: None,
            last_action_number: None,
            workflow_job: None,
            node: None,
            bundle_job: None,
            from_status: None,
            to_status: to_status.to_owned(),
            origin,
            actor: None,
            reason: None,
            sets_pause: false,
        }
    }
}
