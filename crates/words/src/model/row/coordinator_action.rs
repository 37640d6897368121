//! An action of a coordinator job as it is stored.

use crate::model::missing_input::MissingInput;
use crate::model::row::key::{CoordinatorKey, DocumentKey};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;

/// Identifies an action: its job and its number, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ActionKey {
    pub job: CoordinatorKey,
    pub number: u32,
}

/// An action of a coordinator job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoordinatorAction {
    pub job: CoordinatorKey,
    pub number: u32,
    pub nominal_at: Timestamp,
    pub created_at: Timestamp,
    pub modified_at: Timestamp,
    pub status: ActionStatus,
    pub definition_version: u32,
    /// How long it waits for its inputs; negative: without a limit.
    pub timeout_minutes: i32,
    /// How often it was started again.
    pub run: u32,
    /// The input it waits for.
    pub first_missing: Option<MissingInput>,
    /// The position of `first_missing` in the list of dependencies, from 0; behind the last for a search.
    pub missing_from: Option<u32>,
    pub external_id: Option<String>,
    pub external_status: Option<String>,
    pub error_code: Option<String>,
    pub error_message: Option<String>,
    /// The final configuration, decided when the action started.
    pub configuration: Option<DocumentKey>,
    /// The decisions about its inputs at that time, if there were any: JSON.
    pub decided: Option<DocumentKey>,
    /// What a rerun adds to the configuration of the workflow job, JSON.
    pub rerun_configuration: Option<DocumentKey>,
}

impl CoordinatorAction {
    /// An action that never ran, created at its nominal time from the first definition, without a timeout.
    pub fn unstarted(key: ActionKey, status: ActionStatus, nominal_at: Timestamp) -> Self {
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
    pub const fn key(&self) -> ActionKey {
        ActionKey { job: self.job, number: self.number }
    }

    /// Whether it was started before: it has, or had, a workflow job.
    pub const fn has_run(&self) -> bool {
        self.run > 0 || self.external_id.is_some()
    }
}
