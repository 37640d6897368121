//! An action of a coordinator job as it is stored.

use crate::model::missing_input::MissingInput;
use crate::model::row::key::{CoordinatorKey, DocumentKey};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;

/// Identifies an action: its job and its number, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ActionKey {
    pub(crate) job: CoordinatorKey,
    pub(crate) number: u32,
}

/// An action of a coordinator job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CoordinatorAction {
    pub(crate) job: CoordinatorKey,
    pub(crate) number: u32,
    pub(crate) nominal_at: Timestamp,
    pub(crate) created_at: Timestamp,
    pub(crate) modified_at: Timestamp,
    pub(crate) status: ActionStatus,
    pub(crate) definition_version: u32,
    /// How long it waits for its inputs; negative: without a limit.
    pub(crate) timeout_minutes: i32,
    /// How often it was started again.
    pub(crate) run: u32,
    /// The input it waits for.
    pub(crate) first_missing: Option<MissingInput>,
    /// The position of `first_missing` in the list of dependencies, from 0; behind the last for a search.
    pub(crate) missing_from: Option<u32>,
    pub(crate) external_id: Option<String>,
    pub(crate) external_status: Option<String>,
    pub(crate) error_code: Option<String>,
    pub(crate) error_message: Option<String>,
    /// The final configuration, decided when the action started.
    pub(crate) configuration: Option<DocumentKey>,
    /// The decisions about its inputs at that time, if there were any: JSON.
    pub(crate) decided: Option<DocumentKey>,
    /// What a rerun adds to the configuration of the workflow job, JSON.
    pub(crate) rerun_configuration: Option<DocumentKey>,
}

impl CoordinatorAction {
    /// An action that never ran, created at its nominal time from the first definition, without a timeout.
    pub(crate) fn unstarted(key: ActionKey, status: ActionStatus, nominal_at: Timestamp) -> Self {
        Self {
            job: key.job,
            number: key.number,
            nominal_at,
            created_at: nominal_at,
            modified_at: nominal_at,
            status,
            definition_version: 1,
            timeout_minutes: -1,
            run: 0,
            first_missing: None,
            missing_from: None,
            external_id: None,
            external_status: None,
            error_code: None,
            error_message: None,
            configuration: None,
            decided: None,
            rerun_configuration: None,
        }
    }

    /// The key of this action.
    pub(crate) const fn key(&self) -> ActionKey {
        ActionKey { job: self.job, number: self.number }
    }

    /// Whether it was started before: it has, or had, a workflow job.
    pub(crate) const fn has_run(&self) -> bool {
        self.run > 0 || self.external_id.is_some()
    }
}
